//! Validation of routers, links and host links.

use std::collections::BTreeSet;

use headgate_model::check::{LONGEST_DELAY_S, PlanPath, Result, different};
use headgate_model::plan::{Buffer, Edge, Link, Node};
use headgate_netsim::devices::Arrays;
use headgate_netsim::plan::Plan;

use super::path;

/// Largest number of routers. Route tables contain a link for each pair; this many take 16 MB.
const MOST_NODES: u64 = 2000;

/// Longest label; two of them share one cell of a table.
const LONGEST_LABEL: usize = 40;

/// Largest number of classes of host links.
const MOST_LINK_CLASSES: u64 = 64;

/// Largest number of kinds of flow, whose counters take 40 MB.
const MOST_KEYS: u64 = 200_000;

/// Largest rate: 100 Tbit/s, at which a byte still takes a considerable part of a picosecond.
const FASTEST_BPS: u64 = 100_000_000_000_000;

/// Largest finite buffer, more packets than any memory holds. A plan without a limit declares it.
const LARGEST_BUFFER: u64 = 1_000_000_000_000;

pub fn check(plan: &Plan, lists: &Arrays) -> Result {
    nodes(&plan.nodes)?;
    let many = plan.nodes.len();
    different("links", plan.links.iter().map(|link| link.name.clone()))?;
    plan.links.iter().enumerate().try_for_each(|(i, l)| link(l, many, &PlanPath::item("links", i)))?;
    plan.links
        .iter()
        .enumerate()
        .try_for_each(|(i, l)| path::check(l, lists, &PlanPath::item("links", i)))?;
    plan.edges.iter().enumerate().try_for_each(|(i, e)| edge(e, &PlanPath::item("edges", i)))?;
    keys(plan)
}

fn nodes(nodes: &[Node]) -> Result {
    PlanPath::top().count("nodes", nodes.len() as u64, (1, MOST_NODES), "routers")?;
    nodes.iter().enumerate().try_for_each(|(i, node)| class(&node.class, &PlanPath::item("nodes", i)))
}

/// Checks a class. Tables show classes, and pairs of them with a slash.
fn class(class: &str, at: &PlanPath) -> Result {
    let is_label =
        class.chars().count() <= LONGEST_LABEL && !class.contains(|c: char| c == '/' || c.is_control());
    at.ensure(is_label, "class", || {
        format!("'{class}' is not a class; it must have at most {LONGEST_LABEL} characters, none of them '/'")
    })
}

/// Checks the number of combinations by which flows are counted, whether flows of all of them exist or not.
fn keys(plan: &Plan) -> Result {
    let labels = |classes: BTreeSet<&str>| classes.len() as u64 - u64::from(classes.contains(""));
    let classes = labels(plan.nodes.iter().map(|node| node.class.as_str()).collect());
    let links = labels(plan.edges.iter().map(|edge| edge.class.as_str()).collect());
    PlanPath::top().count("edges", links, (0, MOST_LINK_CLASSES), "classes of host links")?;
    let (files, controllers) = (plan.files.len() as u64 + 3, plan.controllers.len() as u64);
    let keys = files * (classes * (classes + 1) / 2 + 1) * (links + 1) * controllers;
    PlanPath::top().ensure(keys <= MOST_KEYS, "nodes", || {
        format!(
            "{classes} classes of routers, {links} of host links, {files} kinds of file and {controllers} algorithms make \
             {keys} kinds of flow; there may be at most {MOST_KEYS}"
        )
    })
}

fn link(link: &Link, nodes: usize, at: &PlanPath) -> Result {
    at.index("from", link.from, nodes, "router")?;
    at.index("to", link.to, nodes, "router")?;
    at.ensure(link.from != link.to, "to", || format!("the link leads from router {} to itself", link.to))?;
    at.count("rate_bps", link.rate_bps, (1, FASTEST_BPS), "bit/s")?;
    at.span("delay_ps", link.delay_ps, LONGEST_DELAY_S)?;
    buffer(link.buffer, at)?;
    changes(link, at)?;
    let rising = link.lose.first() != Some(&0) && link.lose.windows(2).all(|pair| pair[0] < pair[1]);
    at.ensure(rising, "lose", || "packet numbers must rise; the first packet is 1".to_string())?;
    path::loss("loss", link.loss, at)
}

fn changes(link: &Link, at: &PlanPath) -> Result {
    let rising = link.changes.windows(2).all(|pair| pair[0].at_ps < pair[1].at_ps);
    at.ensure(rising, "changes", || "the times of the changes must rise".to_string())?;
    let bytes = matches!(link.buffer, Buffer::Bytes(_));
    at.ensure(!bytes || link.changes.is_empty(), "changes", || {
        "a link whose rate changes must have a buffer in packets".to_string()
    })?;
    link.changes.iter().try_for_each(|c| at.count("changes", c.rate_bps, (1, FASTEST_BPS), "bit/s"))
}

fn buffer(buffer: Buffer, at: &PlanPath) -> Result {
    match buffer {
        Buffer::Packets(n) => at.count("buffer", n, (0, LARGEST_BUFFER), "packets (or infinite)"),
        Buffer::Bytes(n) => at.count("buffer", n, (0, LARGEST_BUFFER), "bytes (or infinite)"),
        Buffer::Infinite => Ok(()),
    }
}

fn edge(edge: &Edge, at: &PlanPath) -> Result {
    class(&edge.class, at)?;
    at.count("rate_bps", edge.rate_bps, (1, FASTEST_BPS), "bit/s")?;
    at.span("delay_ps", edge.delay_ps, LONGEST_DELAY_S)?;
    let bytes = edge.buffer_bytes.unwrap_or(0);
    at.count("buffer_bytes", bytes, (0, LARGEST_BUFFER), "bytes (or absent: no limit)")
}
