//! The open connections, limited in number.

use std::collections::HashMap;
use std::mem;

use crate::connection::{Connection, Side};
use crate::segment::{End, Segment};

/// Largest number of open connections, some 240 bytes each. Beyond it, the half that has been silent longest
/// is considered ended.
pub const MOST_OPEN: usize = 900_000;

/// The key of a connection: its ends, in order.
pub type Ends = [End; 2];

/// The open connections.
#[derive(Default)]
pub struct Connections {
    open: HashMap<Ends, Connection>,
    /// Connections that were considered ended to save memory.
    pub forgotten: u64,
}

impl Connections {
    /// Finds the connection of a segment, and the side that sent it. `over` receives connections that end by
    /// this.
    pub fn find(
        &mut self,
        segment: &Segment,
        time_ns: i64,
        mut over: impl FnMut(&Ends, &Connection),
    ) -> (Ends, Side, &mut Connection) {
        let (ends, side) = order(segment.ends);
        if self.open.len() >= MOST_OPEN && !self.open.contains_key(&ends) {
            self.forget(&mut over);
        }
        let found = self.open.entry(ends).or_insert_with(|| Connection::new(time_ns));
        if found.is_over_for(segment, side) {
            over(&ends, &mem::replace(found, Connection::new(time_ns)));
        }
        (ends, side, found)
    }

    /// Ends all remaining connections.
    pub fn finish(&mut self, mut over: impl FnMut(&Ends, &Connection)) {
        mem::take(&mut self.open).iter().for_each(|(ends, connection)| over(ends, connection));
    }

    fn forget(&mut self, over: &mut impl FnMut(&Ends, &Connection)) {
        let mut last: Vec<i64> = self.open.values().map(|connection| connection.last_ns).collect();
        let middle = last.len() / 2;
        let (_, &mut silent_since, _) = last.select_nth_unstable(middle);
        let before = self.open.len();
        self.open.retain(|ends, connection| {
            let stays = connection.last_ns > silent_since;
            if !stays {
                over(ends, connection);
            }
            stays
        });
        self.forgotten += (before - self.open.len()) as u64;
    }
}

/// Puts the ends in order. Returns them, and the position of the first.
fn order(ends: [End; 2]) -> (Ends, Side) {
    if ends[0] <= ends[1] { (ends, 0) } else { ([ends[1], ends[0]], 1) }
}
