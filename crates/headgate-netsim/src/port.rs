//! An output port: a drop-tail FIFO whose departures are fixed when a packet arrives.
//!
//! No packet is stored here. The departure time follows from when the line becomes free; the list of
//! departure times is only consulted when the buffer might be full.

use headgate_model::chance::Stream;
use headgate_model::plan::{Buffer, RateChange};
use headgate_model::units::{Busy, NEVER, Pace, Span, Tick, Time, seconds};
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

use crate::record::PortRow;

/// What became of a packet offered to a port.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It reaches the other end at this time.
    Arrives(Time),
    /// The buffer was full.
    Dropped,
    /// It was sent and lost on the line.
    Lost,
}

/// What a port counts. Sums of waits give the mean queue by Little's law.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tally {
    pub arrivals: u64,
    pub arrived_bytes: u64,
    pub drops: u64,
    pub dropped_bytes: u64,
    pub lost: u64,
    pub marks: u64,
    pub wait_ps: u128,
    /// Most packets that waited at once.
    pub max_queue: u64,
}

/// The tick of the packet sizes seen last: serialisation times without a division.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct TickCache {
    pace: Pace,
    sizes: [u16; 2],
    ticks: [Tick; 2],
}

impl TickCache {
    pub fn new(rate_bps: u64) -> Self {
        let pace = Pace::new(rate_bps);
        Self { pace, sizes: [0; 2], ticks: [Tick { whole: 0, part: 0 }; 2] }
    }

    #[inline]
    pub fn tick(&mut self, size: u16) -> Tick {
        if size == self.sizes[0] {
            self.ticks[0]
        } else if size == self.sizes[1] {
            self.ticks[1]
        } else {
            self.miss(size)
        }
    }

    #[cold]
    fn miss(&mut self, size: u16) -> Tick {
        self.sizes.swap(0, 1);
        self.ticks.swap(0, 1);
        self.sizes[0] = size;
        self.ticks[0] = self.pace.tick(u32::from(size));
        self.ticks[0]
    }

    #[inline]
    pub fn den(&self) -> u32 {
        self.pace.den()
    }

    /// Whole bytes that take `span`.
    fn bytes(&self, span: Span) -> u64 {
        self.pace.bytes(span)
    }

    pub fn span(&self, bytes: u64) -> Span {
        self.pace.span(bytes)
    }
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Loss {
    probability: f64,
    stream: Stream,
    /// Numbers of packets that are lost in any case, and packets so far.
    listed: VecDeque<u64>,
    entered: u64,
}

impl Loss {
    fn takes_next(&mut self) -> bool {
        self.entered += 1;
        let listed = self.listed.front() == Some(&self.entered);
        if listed {
            self.listed.pop_front();
        }
        listed || (self.probability > 0.0 && self.stream.chance(self.probability))
    }
}

/// The rate over time.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Rates {
    bps: u64,
    since: Time,
    /// Bits that the line could have carried until `since`, since the tally began.
    bits: f64,
    /// Changes to come, the next one last.
    coming: Vec<(Time, u64)>,
    /// The rate before this one, at which what was queued at the change leaves, by `since`.
    before: u64,
}

impl Rates {
    fn new(bps: u64, changes: &[RateChange]) -> Self {
        let coming = changes.iter().rev().map(|change| (change.at_ps, change.rate_bps)).collect();
        Self { bps, since: 0, bits: 0.0, coming, before: bps }
    }

    fn next(&self) -> Time {
        self.coming.last().map_or(NEVER, |change| change.0)
    }

    /// Bits until `now`.
    fn capacity(&self, now: Time) -> f64 {
        self.bits + self.bps as f64 * (seconds(now) - seconds(self.since))
    }

    /// Makes the changes that are due. What waits is cleared at the rate before, by `clear`.
    fn change(&mut self, now: Time, clear: Time) {
        while let Some(&(at, bps)) = self.coming.last().filter(|change| change.0 <= now) {
            let from = at.max(clear).max(self.since);
            (self.bits, self.since, self.before, self.bps) = (self.capacity(from), from, self.bps, bps);
            self.coming.pop();
        }
    }

    fn reset(&mut self, now: Time) {
        (self.bits, self.since) = (self.bits - self.capacity(now), self.since);
    }
}

/// A drop-tail output port and the line behind it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Port {
    busy: Busy,
    ticks: TickCache,
    delay: Span,
    /// When the rate changes next.
    next_rate: Time,
    /// Rolling sum over every departure and its flow: equal runs have equal sums.
    digest: u64,
    /// Packets the port may hold: the buffer and the one in service.
    limit: usize,
    /// Packets here from which on a capable arrival is marked (RFC 8257 §3.1).
    mark_from: usize,
    /// Longest backlog admitted, as time; infinite for packet-limited buffers.
    limit_wait: Span,
    /// Most packets held at once since the tally began.
    peak: usize,
    /// Departure times of packets that may still be here; tidied when it matters.
    leaves: VecDeque<Time>,
    loss: Option<Box<Loss>>,
    rates: Box<Rates>,
    /// When the tally began, and the packets and bytes that were here then.
    since: Time,
    carried: (u64, u64),
    pub tally: Tally,
}

impl Port {
    pub fn new(rate_bps: u64, delay: Span, buffer: Buffer) -> Self {
        let ticks = TickCache::new(rate_bps);
        let (limit, limit_wait) = match buffer {
            Buffer::Packets(n) => (usize::try_from(n).unwrap_or(usize::MAX - 1) + 1, Span::MAX),
            Buffer::Bytes(n) => (usize::MAX, ticks.span(n)),
            Buffer::Infinite => (usize::MAX, Span::MAX),
        };
        Self {
            busy: Busy::default(),
            ticks,
            delay,
            next_rate: NEVER,
            digest: 0,
            limit,
            limit_wait,
            mark_from: usize::MAX,
            peak: 0,
            leaves: VecDeque::new(),
            loss: None,
            rates: Box::new(Rates::new(rate_bps, &[])),
            since: 0,
            carried: (0, 0),
            tally: Tally::default(),
        }
    }

    /// Loses each packet independently, drawing from `stream`, and those whose numbers are listed.
    pub fn with_loss(mut self, probability: f64, stream: Stream, listed: &[u64]) -> Self {
        if probability > 0.0 || !listed.is_empty() {
            let listed = listed.iter().copied().collect();
            self.loss = Some(Box::new(Loss { probability, stream, listed, entered: 0 }));
        }
        self
    }

    /// Has other rates from times to come.
    pub fn with_changes(mut self, changes: &[RateChange]) -> Self {
        self.rates = Box::new(Rates::new(self.rates.bps, changes));
        self.next_rate = self.rates.next();
        self
    }

    #[cold]
    fn change_rate(&mut self, now: Time) {
        self.rates.change(now, self.busy.until);
        self.next_rate = self.rates.next();
        self.ticks = TickCache::new(self.rates.bps);
        self.busy.change_pace();
    }

    /// Marks capable packets that meet more than `threshold` packets here.
    pub fn with_marking(mut self, threshold: Option<u64>) -> Self {
        self.mark_from = threshold.map_or(usize::MAX, |n| usize::try_from(n).unwrap_or(usize::MAX - 1) + 1);
        self
    }

    /// Whether a capable packet that arrives now is marked; to be asked before it is offered.
    #[inline]
    pub fn marks(&mut self, now: Time) -> bool {
        if self.leaves.len() < self.mark_from {
            return false;
        }
        self.settle(now);
        let marks = self.leaves.len() >= self.mark_from;
        self.tally.marks += u64::from(marks);
        marks
    }

    /// Offers a packet at `now`. Calls must come in time order.
    #[inline]
    pub fn offer(&mut self, now: Time, size: u16, flow: u32) -> Fate {
        if now >= self.next_rate {
            self.change_rate(now);
        }
        self.tally.arrivals += 1;
        self.tally.arrived_bytes += u64::from(size);
        let wait = self.wait(now);
        // A list shorter than the peak can neither be over the limit nor set a new peak.
        if wait > self.limit_wait || (self.leaves.len() >= self.peak && self.is_full(now)) {
            self.tally.drops += 1;
            self.tally.dropped_bytes += u64::from(size);
            return Fate::Dropped;
        }
        let tick = self.ticks.tick(size);
        let leaves = self.busy.serve(now, tick, self.ticks.den());
        self.leaves.push_back(leaves);
        self.tally.wait_ps += u128::from(wait);
        self.digest = (self.digest ^ leaves ^ u64::from(flow) << 32).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        if self.loss.is_some() && self.loses() {
            return Fate::Lost;
        }
        Fate::Arrives(leaves.saturating_add(self.delay))
    }

    /// Time a packet that came now would wait.
    #[inline]
    pub fn wait(&self, now: Time) -> Span {
        self.busy.until.saturating_sub(now)
    }

    /// Forgets what has left and notes a new peak.
    fn is_full(&mut self, now: Time) -> bool {
        self.settle(now);
        if self.leaves.len() >= self.limit {
            return true;
        }
        if self.leaves.len() == self.peak {
            self.peak += 1;
            self.tally.max_queue = self.peak as u64 - 1;
        }
        false
    }

    fn loses(&mut self) -> bool {
        let lost = self.loss.as_mut().is_some_and(|l| l.takes_next());
        self.tally.lost += u64::from(lost);
        lost
    }

    fn settle(&mut self, now: Time) {
        while self.leaves.front().is_some_and(|&t| t <= now) {
            self.leaves.pop_front();
        }
    }

    /// Packets waiting at `now`, the one in service not counted.
    pub fn queue(&mut self, now: Time) -> usize {
        self.present(now).0.saturating_sub(1) as usize
    }

    /// Starts counting afresh at `now` (the end of warm-up).
    pub fn reset(&mut self, now: Time) {
        if now >= self.next_rate {
            self.change_rate(now);
        }
        self.rates.reset(now);
        self.carried = self.present(now);
        self.since = now;
        self.peak = self.leaves.len();
        self.tally = Tally { max_queue: (self.peak as u64).saturating_sub(1), ..Tally::default() };
    }

    /// Packets and bytes here, the part of the one in service that is still to be sent included.
    fn present(&mut self, now: Time) -> (u64, u64) {
        self.settle(now);
        let old = self.rates.since.min(self.busy.until).saturating_sub(now);
        let before = if old == 0 { 0 } else { Pace::new(self.rates.before).bytes(old) };
        (self.leaves.len() as u64, self.ticks.bytes(self.wait(now) - old) + before)
    }

    /// What happened since the tally began.
    pub fn row(&mut self, now: Time) -> PortRow {
        if now >= self.next_rate {
            self.change_rate(now);
        }
        let (packets, bytes) = self.present(now);
        let tally = self.tally;
        let elapsed = now - self.since;
        PortRow {
            tally,
            departures: self.carried.0 + tally.arrivals - tally.drops - packets,
            // saturating: of several changes within one backlog only the last two rates are known
            sent_bytes: (self.carried.1 + tally.arrived_bytes - tally.dropped_bytes).saturating_sub(bytes),
            rate_bps: if elapsed == 0 {
                self.rates.bps as f64
            } else {
                self.rates.capacity(now) / seconds(elapsed)
            },
            elapsed,
        }
    }

    pub fn digest(&self) -> u64 {
        self.digest
    }

    pub fn bytes(&self) -> usize {
        size_of::<Self>() + self.leaves.capacity() * size_of::<Time>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 1 Gbit/s: 1500 B take 12 µs.
    fn port(buffer: Buffer) -> Port {
        Port::new(1_000_000_000, 5, buffer)
    }

    #[test]
    fn departures_follow_each_other() {
        let mut p = port(Buffer::Infinite);
        assert_eq!(p.offer(0, 1500, 1), Fate::Arrives(12_000_005));
        assert_eq!(p.offer(1, 1500, 1), Fate::Arrives(24_000_005));
        assert_eq!(p.offer(30_000_000, 1500, 1), Fate::Arrives(42_000_005));
        assert_eq!(p.tally.wait_ps, 11_999_999);
    }

    #[test]
    fn the_buffer_counts_waiting_packets_only() {
        let mut p = port(Buffer::Packets(2));
        let fates: Vec<_> = (0..4).map(|_| p.offer(0, 1500, 1)).collect();
        assert_eq!(fates[3], Fate::Dropped); // one in service, two waiting
        assert!(fates[..3].iter().all(|f| matches!(f, Fate::Arrives(_))));
        assert_eq!((p.queue(0), p.tally.max_queue), (2, 2));
        // at the instant of a departure the place is free
        assert!(matches!(p.offer(12_000_000, 1500, 1), Fate::Arrives(_)));
        assert_eq!(p.offer(12_000_000, 1500, 1), Fate::Dropped);
    }

    #[test]
    fn a_byte_limit_bounds_the_backlog() {
        let mut p = port(Buffer::Bytes(3000));
        let admitted = (0..10).filter(|_| p.offer(0, 1500, 1) != Fate::Dropped).count();
        assert_eq!(admitted, 3); // backlogs seen: 0, 1500, 3000 bytes
    }

    #[test]
    fn what_is_queued_at_a_change_leaves_at_the_rate_before() {
        let change = RateChange { at_ps: 6_000_000, rate_bps: 2_000_000_000 };
        let mut p = port(Buffer::Infinite).with_changes(&[change]);
        p.offer(0, 1500, 1); // 12 us
        p.offer(0, 1500, 1); // to 24 us
        assert_eq!(p.offer(6_000_000, 1500, 1), Fate::Arrives(30_000_005)); // 6 us more
        // at 18 us half of the second and the whole third are here
        assert_eq!(p.row(18_000_000).sent_bytes, 2250);
        let rate_bps = p.row(48_000_000).rate_bps;
        assert!((rate_bps - 1.5e9).abs() < 1.0, "{rate_bps}"); // 24 us at each rate
    }

    #[test]
    fn random_loss_has_its_probability() {
        let mut p = port(Buffer::Infinite).with_loss(0.1, Stream::new(1, "loss", 0), &[]);
        let n = 100_000;
        let lost = (0..n).filter(|_| p.offer(0, 40, 1) == Fate::Lost).count() as f64;
        assert!((lost / f64::from(n) - 0.1).abs() < 4.0 * (0.09 / f64::from(n)).sqrt());
    }

    #[test]
    fn listed_packets_are_lost() {
        let mut p = port(Buffer::Packets(1)).with_loss(0.0, Stream::new(1, "loss", 0), &[1, 3]);
        let fates: Vec<_> = [0, 0, 0, 50_000_000].map(|now| p.offer(now, 1500, 1)).into();
        // the third of the first burst finds no room and has no number
        assert!(matches!(fates[..], [Fate::Lost, Fate::Arrives(_), Fate::Dropped, Fate::Lost]));
    }
}
