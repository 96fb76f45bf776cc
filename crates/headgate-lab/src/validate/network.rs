//! Routers, links and host links.

use headgate_model::check::{Checked, LONGEST_DELAY_S, Spot, different};
use headgate_model::plan::{Buffer, Edge, Link, Node};
use headgate_netsim::plan::Plan;

/// Route tables hold a link for each pair of routers; this many take 16 MB.
const MOST_NODES: u64 = 2000;

/// 100 Tbit/s: a byte still takes a good part of a picosecond.
const FASTEST_BPS: u64 = 100_000_000_000_000;

/// More packets than any memory holds; who wants no limit says so.
const LARGEST_BUFFER: u64 = 1_000_000_000_000;

pub fn check(plan: &Plan) -> Checked {
    nodes(&plan.nodes)?;
    let many = plan.nodes.len();
    different("links", plan.links.iter().map(|link| link.name.clone()))?;
    plan.links.iter().enumerate().try_for_each(|(i, l)| link(l, many, &Spot::item("links", i)))?;
    plan.edges.iter().enumerate().try_for_each(|(i, e)| edge(e, &Spot::item("edges", i)))
}

fn nodes(nodes: &[Node]) -> Checked {
    Spot::top().count("nodes", nodes.len() as u64, (1, MOST_NODES), "routers")?;
    nodes.iter().enumerate().try_for_each(|(i, node)| class(node, &Spot::item("nodes", i)))
}

fn class(node: &Node, at: &Spot) -> Checked {
    at.ensure(["", "D", "F", "N"].contains(&node.class.as_str()), "class", || {
        format!("'{}' is not a class; it is D, F, N or empty", node.class)
    })
}

fn link(link: &Link, nodes: usize, at: &Spot) -> Checked {
    at.index("from", link.from, nodes, "router")?;
    at.index("to", link.to, nodes, "router")?;
    at.ensure(link.from != link.to, "to", || format!("the link leads from router {} to itself", link.to))?;
    at.count("rate_bps", link.rate_bps, (1, FASTEST_BPS), "bit/s")?;
    at.span("delay_ps", link.delay_ps, LONGEST_DELAY_S)?;
    buffer(link.buffer, at)?;
    changes(link, at)?;
    let rising = link.lose.first() != Some(&0) && link.lose.windows(2).all(|pair| pair[0] < pair[1]);
    at.ensure(rising, "lose", || "packet numbers rise, and the first packet is 1".to_string())?;
    at.ensure((0.0..1.0).contains(&link.loss), "loss", || {
        format!("{} is not allowed; a loss probability is at least 0 and below 1", link.loss)
    })
}

fn changes(link: &Link, at: &Spot) -> Checked {
    let rising = link.changes.windows(2).all(|pair| pair[0].at_ps < pair[1].at_ps);
    at.ensure(rising, "changes", || "the times of the changes rise".to_string())?;
    let bytes = matches!(link.buffer, Buffer::Bytes(_));
    at.ensure(!bytes || link.changes.is_empty(), "changes", || {
        "a link whose rate changes has a buffer in packets".to_string()
    })?;
    link.changes.iter().try_for_each(|c| at.count("changes", c.rate_bps, (1, FASTEST_BPS), "bit/s"))
}

fn buffer(buffer: Buffer, at: &Spot) -> Checked {
    match buffer {
        Buffer::Packets(n) => at.count("buffer", n, (0, LARGEST_BUFFER), "packets (or infinite)"),
        Buffer::Bytes(n) => at.count("buffer", n, (0, LARGEST_BUFFER), "bytes (or infinite)"),
        Buffer::Infinite => Ok(()),
    }
}

fn edge(edge: &Edge, at: &Spot) -> Checked {
    at.count("rate_bps", edge.rate_bps, (1, FASTEST_BPS), "bit/s")?;
    at.span("delay_ps", edge.delay_ps, LONGEST_DELAY_S)?;
    let bytes = edge.buffer_bytes.unwrap_or(0);
    at.count("buffer_bytes", bytes, (0, LARGEST_BUFFER), "bytes (or absent: no limit)")
}
