//! Flow lists: columns in the arrays that come with the plan.

use headgate_model::check::{LONGEST_FLOW, LONGEST_RUN_S, PlanError, PlanPath, Result, no_such};
use headgate_model::plan::Place;
use headgate_model::units::{NEVER, SECOND, seconds};
use serde::Deserialize;
use std::collections::BTreeMap;

use crate::devices::Arrays;
use crate::packets::index::FlowId;
use crate::traffic::builder::Builder;
use crate::traffic::check::Check;
use crate::traffic::flow_schedule::FlowSchedule;
use crate::traffic::flow_start::FlowStart;
use crate::traffic::hosts::HostPool;
use crate::traffic::kind::{Populate, TrafficKind, TrafficProcesses};
use crate::traffic::mix::{ControllerShare, Mix, check_shares};
use crate::traffic::spec::TrafficSpec;

/// A list of flows. The columns are arrays named `{key}.start_ps` and `{key}.packets`, and optionally
/// `{key}.source`, `{key}.receiver` (indices into `places`) and `{key}.law` (index into the plan's
/// algorithms). All are u64.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Replay {
    /// Name in the results.
    pub name: String,
    /// Prefix of the names of the columns.
    pub key: String,
    /// Congestion control algorithm, in the order of the plan, without a column `law`.
    #[serde(rename = "law")]
    pub controller: u32,
    /// Transport profile, in the order of the plan.
    pub transport: u32,
    /// Places that send and receive.
    pub places: Vec<Place>,
    /// The sending place without a column `source`.
    pub source: u32,
    /// The receiving place without a column `receiver`.
    pub receiver: u32,
    /// Shares of the flows with other algorithms; empty = all have `law`.
    #[serde(default)]
    #[serde(rename = "laws")]
    pub controllers: Vec<ControllerShare>,
}

impl TrafficKind for Replay {
    fn name(&self) -> &str {
        &self.name
    }

    fn check(&self, check: &mut Check, at: &PlanPath) -> Result {
        check.controller_and_profile(self.controller, self.transport, at)?;
        for (i, &place) in self.places.iter().enumerate() {
            check.place(place, at, &format!("places[{i}]"))?;
            check.capacity.add(place.node, 1, at)?;
        }
        at.index("source", self.source, self.places.len(), "place")?;
        at.index("receiver", self.receiver, self.places.len(), "place")?;
        check_shares(&self.controllers, &check.context, at)?;
        let columns = Columns { arrays: check.context.arrays, key: &self.key };
        columns.check_columns()?;
        columns.indices("law", check.context.controllers)?;
        let from = columns.indices("source", self.places.len())?;
        let to = columns.indices("receiver", self.places.len())?;
        self.check_pairs(check, (from, to), at)
    }
}

impl Replay {
    /// Checks that each row's source and receiver can communicate.
    fn check_pairs(&self, check: &Check, (from, to): (Column, Column), at: &PlanPath) -> Result {
        let many = from.or(to).map_or(1, <[u64]>::len);
        (0..many).try_for_each(|row| {
            let (source, receiver) = (pick(from, row, self.source), pick(to, row, self.receiver));
            check.pair(self.places[source as usize], self.places[receiver as usize], at)
        })
    }
}

impl Populate for Replay {
    type Process = FlowSchedule;

    /// Each place with flows is a source.
    fn populate(&self, first: FlowId, builder: &mut Builder) -> TrafficProcesses<FlowSchedule> {
        let spec = TrafficSpec::new(first, self.controller, self.transport);
        let homes: Vec<HostPool> = self.places.iter().map(|place| builder.add_host(*place)).collect();
        let mut numbers = vec![None; homes.len()];
        let mut schedules = BTreeMap::new();
        let columns = Columns { arrays: builder.context.arrays, key: &self.key };
        let (sources, receivers) = (columns.optional("source"), columns.optional("receiver"));
        let controllers = columns.optional("law");
        let (starts, sizes) = (columns.optional("start_ps"), columns.optional("packets"));
        let rows = starts.into_iter().flatten().zip(sizes.into_iter().flatten());
        let nodes = (0..starts.map_or(0, <[u64]>::len))
            .map(|row| self.places[pick(sources, row, self.source) as usize].node);
        let mix = Mix::new(&builder.context, &self.name, &self.controllers, self.controller);
        let assigned = mix.assign(&nodes.collect::<Vec<_>>());
        for (row, (&start, &size)) in rows.enumerate() {
            let place = pick(sources, row, self.source) as usize;
            let [from, to] = [homes[place], homes[pick(receivers, row, self.receiver) as usize]];
            let list = schedules.entry(from.router).or_insert_with(|| FlowSchedule::new(NEVER));
            let source = *numbers[place].get_or_insert_with(|| list.add_source());
            let ends = [from.nth(0), to.nth(0)];
            let plain = FlowStart::between(first, &spec, source, ends, size as u32);
            list.add(start, FlowStart { controller: pick(controllers, row, assigned[row]), ..plain });
        }
        TrafficProcesses { spec, processes: schedules.into_iter().collect() }
    }
}

/// A column, if it is present.
type Column<'a> = Option<&'a [u64]>;

/// Returns the value of a row, or the default.
fn pick(column: Column, row: usize, default: u32) -> u32 {
    column.map_or(default, |column| column[row] as u32)
}

struct Columns<'a> {
    arrays: &'a Arrays,
    key: &'a str,
}

impl<'a> Columns<'a> {
    fn name(&self, column: &str) -> String {
        format!("{}.{column}", self.key)
    }

    fn optional(&self, column: &str) -> Column<'a> {
        self.arrays.get(&self.name(column)).map(Vec::as_slice)
    }

    fn required(&self, column: &str) -> Result<&'a [u64]> {
        self.optional(column).ok_or_else(|| {
            let says = "this column is not among the arrays that came with the plan; start_ps and packets are needed";
            PlanError::new(self.name(column), says)
        })
    }

    /// Checks the starts and sizes of all rows.
    fn check_columns(&self) -> Result {
        let (start, packets) = (self.required("start_ps")?, self.required("packets")?);
        let late = |ps| format!("{} s; a start must be from 0 to {LONGEST_RUN_S} s", seconds(ps));
        self.all(start, "start_ps", |&ps| ps <= LONGEST_RUN_S * SECOND, late)?;
        let odd = |n| format!("{n}; a flow must have from 1 to {LONGEST_FLOW} packets");
        self.all(packets, "packets", |n| (1..=LONGEST_FLOW).contains(n), odd)?;
        let at = PlanPath::new(self.name("start_ps"));
        at.holds(!start.is_empty(), || "the list has no rows; it needs at least one".to_owned())?;
        self.equal_lengths(start.len())
    }

    fn equal_lengths(&self, rows: usize) -> Result {
        for column in ["packets", "source", "receiver", "law"] {
            let found = self.optional(column).map_or(rows, <[u64]>::len);
            PlanPath::new(self.name(column))
                .holds(found == rows, || format!("{found} rows; it must have {rows}, as start_ps has"))?;
        }
        Ok(())
    }

    /// Checks and returns a column of indices into `len` items, if it is present.
    fn indices(&self, column: &str, len: usize) -> Result<Column<'a>> {
        let what = if column == "law" { "algorithm" } else { "place" };
        let rows = self.optional(column);
        let good = |i: &u64| *i < len as u64;
        self.all(rows.unwrap_or(&[]), column, good, |i| no_such(i, len, what))?;
        Ok(rows)
    }

    /// Reports the first row that is not good.
    fn all(
        &self,
        rows: &[u64],
        column: &str,
        good: impl Fn(&u64) -> bool,
        says: impl Fn(u64) -> String,
    ) -> Result {
        rows.iter().position(|value| !good(value)).map_or(Ok(()), |row| {
            Err(PlanError::new(self.name(column), format!("row {}: {}", row + 1, says(rows[row]))))
        })
    }
}
