//! Flow lists: columns that come beside the plan.

use headgate_model::plan::Replay;
use headgate_model::units::{SECOND, seconds};

use super::range::{LONGEST_FLOW, LONGEST_RUN_S, Spot, no_such};
use super::traffic::Check;
use crate::error::{Checked, Wrong};

pub fn check(check: &mut Check, list: &Replay, at: &Spot) -> Checked {
    for (i, &place) in list.places.iter().enumerate() {
        check.place(place, at, &format!("places[{i}]"))?;
        check.hosts.add(place.node, 1, at)?;
    }
    at.index("source", list.source, list.places.len(), "place")?;
    at.index("receiver", list.receiver, list.places.len(), "place")?;
    let columns = Columns { check, key: &list.key };
    columns.numbers()?;
    columns.indices("law", check.plan.laws.len())?;
    let from = columns.indices("source", list.places.len())?;
    let to = columns.indices("receiver", list.places.len())?;
    pairs(check, list, (from, to), at)
}

struct Columns<'a> {
    check: &'a Check<'a>,
    key: &'a str,
}

impl<'a> Columns<'a> {
    fn name(&self, column: &str) -> String {
        format!("{}.{column}", self.key)
    }

    fn optional(&self, column: &str) -> Option<&'a [u64]> {
        self.check.lists.get(&self.name(column)).map(Vec::as_slice)
    }

    fn required(&self, column: &str) -> Checked<&'a [u64]> {
        self.optional(column).ok_or_else(|| {
            let says = "this column is not among the arrays beside the plan; start_ps and packets are needed";
            Wrong::new(self.name(column), says)
        })
    }

    /// Starts and sizes of all rows.
    fn numbers(&self) -> Checked {
        let (start, packets) = (self.required("start_ps")?, self.required("packets")?);
        let late = |ps| format!("{} s; a start is from 0 to {LONGEST_RUN_S} s", seconds(ps));
        self.all(start, "start_ps", |&ps| ps <= LONGEST_RUN_S * SECOND, late)?;
        let odd = |n| format!("{n}; a flow has 1 to {LONGEST_FLOW} packets");
        self.all(packets, "packets", |n| (1..=LONGEST_FLOW).contains(n), odd)?;
        let at = Spot::new(self.name("start_ps"));
        at.holds(!start.is_empty(), || "the list has no rows; it needs at least one".to_owned())?;
        self.equal_lengths(start.len())
    }

    fn equal_lengths(&self, rows: usize) -> Checked {
        for column in ["packets", "source", "receiver", "law"] {
            let found = self.optional(column).map_or(rows, <[u64]>::len);
            Spot::new(self.name(column))
                .holds(found == rows, || format!("{found} rows, where start_ps has {rows}"))?;
        }
        Ok(())
    }

    /// A column of indices into `len` things, if it is there.
    fn indices(&self, column: &str, len: usize) -> Checked<Option<&'a [u64]>> {
        let what = if column == "law" { "law" } else { "place" };
        let rows = self.optional(column);
        let good = |i: &u64| *i < len as u64;
        self.all(rows.unwrap_or(&[]), column, good, |i| no_such(i, len, what))?;
        Ok(rows)
    }

    /// Names the first row that is not good.
    fn all(
        &self,
        rows: &[u64],
        column: &str,
        good: impl Fn(&u64) -> bool,
        says: impl Fn(u64) -> String,
    ) -> Checked {
        rows.iter().position(|value| !good(value)).map_or(Ok(()), |row| {
            Err(Wrong::new(self.name(column), format!("row {}: {}", row + 1, says(rows[row]))))
        })
    }
}

/// Every row's source and receiver can talk.
fn pairs(check: &Check, list: &Replay, (from, to): (Option<&[u64]>, Option<&[u64]>), at: &Spot) -> Checked {
    let pick = |column: Option<&[u64]>, row: usize, default: u32| {
        list.places[column.map_or(default as usize, |column| column[row] as usize)]
    };
    let many = from.or(to).map_or(1, <[u64]>::len);
    (0..many).try_for_each(|row| {
        let (source, receiver) = (pick(from, row, list.source), pick(to, row, list.receiver));
        check.pair(source, receiver, at)
    })
}
