//! Events and connections as bytes of a log: rows of one length, so that a log can be cut after any of them.

use headgate_netsim::observer::Observer;
use headgate_netsim::record::EventKind;
pub use headgate_netsim::record::{Connection, Event};

/// A row of a log.
pub trait Row: Sized {
    /// Length of a row.
    const BYTES: usize;

    /// Adds the row's bytes.
    fn put(&self, log: &mut Vec<u8>);

    /// Reads a row from as many bytes as it has; `None` if they are none.
    fn get(bytes: &[u8]) -> Option<Self>;
}

/// Declares how rows are written: their fields, as little-endian numbers. Does not compile if one is missing.
macro_rules! row {
    ($Row:ident { $($field:ident: $type:ty),+ $(,)? } with $make:expr; $($word:ident: $as:ty = $read:expr),+) => {
        impl Row for $Row {
            const BYTES: usize = 0 $(+ size_of::<$type>())+ $(+ size_of::<$as>())+;

            fn put(&self, log: &mut Vec<u8>) {
                let mut row = [0; Self::BYTES];
                let mut rest = &mut row[..];
                $(put(&mut rest, self.$field.to_le_bytes());)+
                $({
                    let read: fn(&Self) -> $as = $read;
                    put(&mut rest, read(self).to_le_bytes());
                })+
                log.extend_from_slice(&row);
            }

            fn get(bytes: &[u8]) -> Option<Self> {
                let mut rest = bytes;
                $(let $field = <$type>::from_le_bytes(next(&mut rest)?);)+
                $(let $word = <$as>::from_le_bytes(next(&mut rest)?);)+
                let make: fn($($as),+) -> Option<Self> = $make;
                Some($Row { $($field,)+ ..make($($word),+)? })
            }
        }
    };
}

fn put<const N: usize>(rest: &mut &mut [u8], bytes: [u8; N]) {
    let (first, others) = std::mem::take(rest).split_at_mut(N);
    first.copy_from_slice(&bytes);
    *rest = others;
}

fn next<const N: usize>(rest: &mut &[u8]) -> Option<[u8; N]> {
    let (first, others) = rest.split_first_chunk()?;
    *rest = others;
    Some(*first)
}

row! {
    Event {
        time: u64, flow: u32, link: u32, seq: u32, size: u32, stamp: u32,
        sack1_from: u32, sack1_to: u32, sack2_from: u32, sack2_to: u32, sack3_from: u32, sack3_to: u32,
        rtt_s: f64, cwnd: f64, ssthresh: f64, pace: f64, srtt_s: f64, in_flight: f64, queue: f64, wait_s: f64,
        place: u32, phase: u8, packet: u8, flags: u8,
    } with |kind, address, generation| {
        let kind = *EventKind::ALL.get(usize::from(kind))?;
        Some(Event::new(0, kind, (address, generation), 0))
    };
    kind: u8 = |event| event.kind as u8,
    address: u32 = |event| event.sender.0,
    generation: u8 = |event| event.sender.1
}

row! {
    Connection {
        opened: u64, flow: u32, source: u32, source_host: u32, receiver: u32, receiver_host: u32, slot: u32,
        size: u32, profile: u32, ecn: u32,
    } with |address, generation| Some(Connection::new((address, generation)));
    address: u32 = |connection| connection.sender.0,
    generation: u8 = |connection| connection.sender.1
}

/// Rows that were not written yet, of events and of the connections that have their first one among them.
#[derive(Debug, Default)]
pub struct Log {
    pub events: Vec<u8>,
    pub connections: Vec<u8>,
}

impl Log {
    /// Begins again, in the same room.
    pub fn clear(&mut self) {
        self.events.clear();
        self.connections.clear();
    }
}

impl Observer for Log {
    fn on_connection(&mut self, connection: &Connection) {
        connection.put(&mut self.connections);
    }

    fn on_event(&mut self, event: &Event) {
        event.put(&mut self.events);
    }
}

/// The rows that bytes hold; `None` if they are no whole rows.
pub fn read<R: Row>(bytes: &[u8]) -> Option<Vec<R>> {
    let rows = bytes.chunks_exact(R::BYTES);
    if rows.remainder().is_empty() { rows.map(R::get).collect() } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let blank = Event::new(1, EventKind::Lost, (2, 3), 4);
        let event = Event { seq: 5, size: 6, phase: 7, flags: 8, cwnd: 9.5, sack3_to: 10, ..blank };
        let connection = Connection { flow: 1, ecn: 1, size: 7, ..Connection::new((8, 9)) };
        let mut log = Log::default();
        log.on_connection(&connection);
        [blank, event].iter().for_each(|event| log.on_event(event));
        assert_eq!(log.events.len(), 2 * Event::BYTES);
        assert_eq!(format!("{:?}", read::<Event>(&log.events)), format!("{:?}", Some(vec![blank, event])));
        assert_eq!(read::<Connection>(&log.connections), Some(vec![connection]));
        log.clear();
        assert_eq!((log.events, log.connections), (vec![], vec![]));
    }

    #[test]
    fn half_a_row_and_an_unknown_kind_are_refused() {
        let mut bytes = Vec::new();
        Event::new(1, EventKind::Lost, (2, 3), 4).put(&mut bytes);
        assert!(read::<Event>(&bytes[1..]).is_none());
        let kind = Event::BYTES - 6;
        assert_eq!(bytes[kind], EventKind::Lost as u8);
        bytes[kind] = EventKind::ALL.len() as u8;
        assert!(read::<Event>(&bytes).is_none());
    }
}
