//! Events and connections as bytes of a log. A row contains only the values that are known, so that a log is
//! short. Its first byte lists the groups of values that follow.

use headgate_model::units::Time;
use headgate_netsim::packets::address::ConnectionId;
use headgate_netsim::packets::index::Address;
use headgate_netsim::record::EventKind;
use headgate_netsim::record::observer::Observer;
pub use headgate_netsim::record::{Connection, Event};

/// The known groups of a row's numbers, one bit each.
type Known = u8;

/// A number of a row.
trait Cell: Copy {
    const BYTES: usize;

    /// Writes the number to the front.
    fn put(self, row: &mut [u8]);

    /// Reads the number from the front and advances; `None` if it is missing.
    fn get(rest: &mut &[u8]) -> Option<Self>;

    /// Whether the bits of both numbers are equal; NaN equals NaN.
    fn is(self, other: Self) -> bool;
}

macro_rules! cells {
    ($($Number:ty),+) => { $(
        impl Cell for $Number {
            const BYTES: usize = size_of::<Self>();

            #[inline(always)]
            fn put(self, row: &mut [u8]) {
                row[..Self::BYTES].copy_from_slice(&self.to_le_bytes());
            }

            fn get(rest: &mut &[u8]) -> Option<Self> {
                let (first, others) = rest.split_first_chunk()?;
                *rest = others;
                Some(Self::from_le_bytes(*first))
            }

            #[inline(always)]
            fn is(self, other: Self) -> bool {
                self.to_le_bytes() == other.to_le_bytes()
            }
        }
    )+ };
}

cells!(u8, u32, u64, f64);

impl Cell for EventKind {
    const BYTES: usize = 1;

    #[inline(always)]
    fn put(self, row: &mut [u8]) {
        (self as u8).put(row);
    }

    fn get(rest: &mut &[u8]) -> Option<Self> {
        Self::ALL.get(usize::from(u8::get(rest)?)).copied()
    }

    #[inline(always)]
    fn is(self, other: Self) -> bool {
        self == other
    }
}

/// A row of a log.
pub trait Row: Sized {
    /// Size of a row of which everything is known, bytes.
    const MOST_BYTES: usize;

    /// Appends the row's bytes.
    fn put(&self, log: &mut Vec<u8>);

    /// Reads a row from the front and advances; `None` if it is missing.
    fn get(rest: &mut &[u8]) -> Option<Self>;
}

/// Declares the numbers of a row, in order, in groups that are known together. A group that equals that of
/// the blank row is omitted.
macro_rules! row {
    ($Row:ident, $blank:expr; $([$($($part:tt).+: $type:ty),+ $(,)?])+) => {
        impl Row for $Row {
            const MOST_BYTES: usize = Known::BYTES $($(+ <$type as Cell>::BYTES)+)+;

            fn put(&self, log: &mut Vec<u8>) {
                const BLANK: $Row = $blank;
                let mut row = [0; Self::MOST_BYTES];
                let (mut known, mut end) = (0, Known::BYTES);
                // no branch, because the known groups vary from row to row
                $({
                    const BYTES: usize = 0 $(+ <$type as Cell>::BYTES)+;
                    let group = row[end..].first_chunk_mut::<BYTES>().expect("room for every group");
                    let (mut at, mut is_known) = (0, false);
                    $(
                        self.$($part).+.put(&mut group[at..]);
                        at += <$type as Cell>::BYTES;
                        is_known |= !self.$($part).+.is(BLANK.$($part).+);
                    )+
                    end += at * usize::from(is_known);
                    known = known << 1 | Known::from(is_known);
                })+
                known.put(&mut row);
                log.extend_from_slice(&row[..end]);
            }

            fn get(rest: &mut &[u8]) -> Option<Self> {
                let mut row = $blank;
                let mut group = [$([$(<$type as Cell>::BYTES),+].len()),+].len();
                let known = Known::get(rest)?;
                if known >> group != 0 {
                    return None;
                }
                $(
                    group -= 1;
                    if known >> group & 1 == 1 {
                        $( row.$($part).+ = <$type as Cell>::get(rest)?; )+
                    }
                )+
                Some(row)
            }
        }
    };
}

// without its index, by which it was found in the log
row! {
    Event, Event::new(0, EventKind::Opened, ConnectionId::new(Address(0), 0), 0);
    [time: u64, kind: EventKind, connection.sender.0: u32, connection.generation: u8, flow: u32]
    [seq: u32, size: u32, stamp: u32, packet: u8, flags: u8]
    [link: u32, queue: f64]
    [wait_s: f64]
    [sack1_from: u32, sack1_to: u32, sack2_from: u32, sack2_to: u32, sack3_from: u32, sack3_to: u32]
    [cwnd: f64, ssthresh: f64, pace: f64, srtt_s: f64, in_flight: f64, phase: u8]
    [rtt_s: f64]
}

row! {
    Connection, Connection::new(ConnectionId::new(Address(0), 0));
    [opened: u64, connection.sender.0: u32, connection.generation: u8, flow: u32, source: u32, source_host: u32, receiver: u32,
     receiver_host: u32, slot: u32, size: u32, profile: u32, ecn: u32]
}

/// New rows: of events, and of the connections whose first event is among them.
#[derive(Debug, Default)]
pub struct Log {
    pub events: Vec<u8>,
    pub connections: Vec<u8>,
    /// Number of events, and their limit.
    pub count: usize,
    most: usize,
    /// Time of the first event beyond the limit.
    pub ended: Option<Time>,
}

impl Log {
    /// Restarts the log in the same memory, with this limit of events.
    pub fn begin(&mut self, most: usize) {
        self.events.clear();
        self.connections.clear();
        (self.count, self.most, self.ended) = (0, most, None);
    }

    fn is_full(&self) -> bool {
        self.count == self.most
    }
}

impl Observer for Log {
    fn on_connection(&mut self, connection: &Connection) {
        if !self.is_full() {
            connection.put(&mut self.connections);
        }
    }

    fn on_event(&mut self, event: &Event) {
        if self.is_full() {
            self.ended.get_or_insert(event.time);
        } else {
            event.put(&mut self.events);
            self.count += 1;
        }
    }
}

/// Reads up to `most` rows. Returns them and their size in bytes; `None` if the bytes are not rows.
pub fn read<R: Row>(bytes: &[u8], most: usize) -> Option<(Vec<R>, usize)> {
    let (mut rows, mut rest) = (Vec::new(), bytes);
    while rows.len() < most && !rest.is_empty() {
        rows.push(R::get(&mut rest)?);
    }
    Some((rows, bytes.len() - rest.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const BLANK: Event = Event::new(0, EventKind::Opened, ConnectionId::new(Address(0), 0), 0);

    /// An event of which everything except its index is known.
    fn full() -> Event {
        let figures =
            Event { rtt_s: 1.5, cwnd: 2.5, ssthresh: f64::INFINITY, pace: 4.5, srtt_s: 5.5, ..BLANK };
        let figures = Event { in_flight: 6.5, queue: 0.0, wait_s: 8.5, ..figures };
        let packet = Event { seq: 9, size: 10, stamp: 11, packet: 12, flags: 13, ..figures };
        let blocks = packet.with_blocks([(14, 15), (16, 17), (18, 19)]);
        Event {
            time: 20,
            kind: EventKind::LinkLoss,
            connection: ConnectionId::new(Address(21), 22),
            flow: 23,
            link: 24,
            phase: 25,
            ..blocks
        }
    }

    fn log(events: &[Event], most: usize) -> Log {
        let mut log = Log::default();
        log.begin(most);
        events.iter().for_each(|event| log.on_event(event));
        log
    }

    #[test]
    fn what_is_written_is_read() {
        let events = [BLANK, full(), Event { queue: 0.0, kind: EventKind::Lost, ..BLANK }, full()];
        let written = log(&events, 9);
        let (read, used) = read::<Event>(&written.events, 9).expect("rows");
        assert_eq!(format!("{read:?}"), format!("{events:?}"));
        let head = 8 + 1 + 4 + 1 + 4;
        assert_eq!(used, 1 + Event::MOST_BYTES + (1 + head + 4 + 8) + Event::MOST_BYTES);
        assert_eq!((written.count, written.ended), (4, None));
    }

    #[test]
    fn of_a_full_row_every_number_is_written() {
        assert_eq!(log(&[full()], 1).events.len(), Event::MOST_BYTES);
        let connection = Connection {
            opened: 1,
            flow: 2,
            source: 3,
            source_host: 4,
            receiver: 5,
            receiver_host: 6,
            slot: 7,
            size: 8,
            profile: 9,
            ecn: 1,
            connection: ConnectionId::new(Address(10), 11),
        };
        let mut log = log(&[], 1);
        log.on_connection(&connection);
        assert_eq!(log.connections.len(), Connection::MOST_BYTES);
        assert_eq!(read(&log.connections, 5), Some((vec![connection], Connection::MOST_BYTES)));
    }

    #[test]
    fn a_part_of_a_log_is_read() {
        let events = log(&[full(), BLANK, full()], 9).events;
        let (first, used) = read::<Event>(&events, 2).expect("rows");
        assert_eq!((first.len(), used), (2, Event::MOST_BYTES + 1));
        assert_eq!(read::<Event>(&events[used..], 2).expect("a row").0.len(), 1);
        assert_eq!(read::<Event>(&[], 2), Some((vec![], 0)));
    }

    #[test]
    fn a_full_log_says_when_and_takes_no_more() {
        let later = |time| Event { time, ..full() };
        let mut log = log(&[later(1), later(2), later(3), later(4)], 2);
        assert_eq!((log.count, log.ended), (2, Some(3)));
        log.on_connection(&Connection::new(ConnectionId::new(Address(1), 1)));
        assert_eq!((log.events.len(), log.connections.len()), (2 * Event::MOST_BYTES, 0));
        log.begin(1);
        assert_eq!((log.events.len(), log.count, log.ended), (0, 0, None));
    }

    #[test]
    fn half_a_row_an_unknown_kind_and_an_unknown_number_are_refused() {
        let row = log(&[full()], 1).events;
        assert!(read::<Event>(&row[..row.len() - 1], 1).is_none());
        let kind = size_of::<Known>() + size_of::<Time>();
        let (mut other, mut more) = (row.clone(), row);
        assert_eq!(other[kind], EventKind::LinkLoss as u8);
        other[kind] = EventKind::ALL.len() as u8;
        assert!(read::<Event>(&other, 1).is_none());
        more[0] |= 0x80;
        assert!(read::<Event>(&more, 1).is_none());
    }
}
