//! A port that stores no packets: its departures are fixed when they arrive.
//!
//! The departure time follows from when the line becomes free; the list of departure times is only
//! consulted when the buffer might be full, or by a discipline.

use headgate_model::chance::Stream;
use headgate_model::plan::Link;
use headgate_model::queue::{Backlog, Discipline, Verdict};
use headgate_model::units::{Busy, NEVER, Span, Time, seconds};
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

use super::loss::Loss;
use super::rates::Rates;
use super::ticks::TickCache;
use super::{Fate, Room, Tally, digested};
use crate::packet::{Head, Packet};
use crate::record::{Early, PortRow};

/// When a packet leaves, and whether it is data; in one word, since there are many.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Leave(u64);

impl Leave {
    /// No run is as long as half of what a time can tell.
    #[inline]
    fn new(at: Time, data: bool) -> Self {
        Self(at.min(NEVER >> 1) << 1 | u64::from(data))
    }

    #[inline]
    fn at(self) -> Time {
        self.0 >> 1
    }

    fn is_data(self) -> bool {
        self.0 & 1 == 1
    }
}

/// A discipline that decides at arrival only.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Guard<Q> {
    queue: Q,
    chance: Stream,
}

/// An output port and the line behind it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Line<Q> {
    busy: Busy,
    ticks: TickCache,
    delay: Span,
    /// When the rate changes next, or the discipline does something by itself.
    next_turn: Time,
    /// Rolling sum over every departure and its flow: equal runs have equal sums.
    digest: u64,
    /// Packets the port may hold: the buffer and the one in service.
    limit: usize,
    /// Longest backlog admitted, as time; infinite for packet-limited buffers.
    limit_wait: Span,
    /// Most packets held at once since the tally began.
    peak: usize,
    /// Departures of packets that may still be here; tidied when it matters.
    leaves: VecDeque<Leave>,
    guard: Option<Box<Guard<Q>>>,
    loss: Option<Box<Loss>>,
    rates: Box<Rates>,
    /// When the tally began, and the packets and bytes that were here then.
    since: Time,
    carried: (u64, u64),
    pub tally: Tally,
}

impl<Q: Discipline> Line<Q> {
    pub fn new(link: &Link, loss: Option<Box<Loss>>) -> Self {
        let ticks = TickCache::new(link.rate_bps);
        let room = Room::from(link.buffer);
        let rates = Rates::new(link.rate_bps, &link.changes);
        Self {
            busy: Busy::default(),
            limit: room.packets,
            limit_wait: if room.bytes == u64::MAX { Span::MAX } else { ticks.span(room.bytes) },
            ticks,
            delay: link.delay_ps,
            next_turn: rates.next(),
            digest: 0,
            peak: 0,
            leaves: VecDeque::new(),
            guard: None,
            loss,
            rates: Box::new(rates),
            since: 0,
            carried: (0, 0),
            tally: Tally::default(),
        }
    }

    /// Lets a discipline decide on arrivals for which there is room.
    pub fn with_guard(mut self, queue: Option<Q>, chance: Stream) -> Self {
        self.guard = queue.map(|queue| Box::new(Guard { queue, chance }));
        self.next_turn = self.rates.next().min(self.next_tick());
        self
    }

    fn next_tick(&self) -> Time {
        self.guard.as_ref().map_or(NEVER, |guard| guard.queue.next_tick())
    }

    /// Changes of the rate and ticks of the discipline up to `now`, in order, and before anything is
    /// forgotten that was here then.
    #[cold]
    fn catch_up(&mut self, now: Time) {
        while self.next_turn <= now {
            let at = self.next_turn;
            if self.rates.next() == at {
                self.change_rate(at);
            } else {
                self.tick(at, now.min(self.rates.next()));
            }
            self.next_turn = self.rates.next().min(self.next_tick());
        }
    }

    fn tick(&mut self, at: Time, until: Time) {
        let backlog = self.backlog(at);
        if let Some(guard) = &mut self.guard {
            if backlog.present == 0.0 {
                guard.queue.pass_idle_ticks(until, &backlog);
            }
            guard.queue.on_tick(&backlog);
        }
    }

    fn change_rate(&mut self, at: Time) {
        self.rates.change(at, self.busy.until);
        self.ticks = TickCache::new(self.rates.bps);
        self.busy.change_pace();
    }

    /// Offers a packet at `now`, which it may mark. Calls must come in time order.
    #[inline]
    pub fn offer(&mut self, now: Time, packet: &mut Packet) -> Fate {
        if now >= self.next_turn {
            self.catch_up(now);
        }
        let size = packet.size;
        self.tally.arrivals += 1;
        self.tally.arrived_bytes += u64::from(size);
        let wait = self.wait(now);
        // A list shorter than the peak can neither be over the limit nor set a new peak.
        let full = wait > self.limit_wait || (self.leaves.len() >= self.peak && self.is_full(now));
        if full || (self.guard.is_some() && !self.admits(now, packet)) {
            self.tally.drops += 1;
            self.tally.dropped_bytes += u64::from(size);
            return Fate::Dropped;
        }
        let tick = self.ticks.tick(size);
        let leaves = self.busy.serve(now, tick, self.ticks.den());
        self.leaves.push_back(Leave::new(leaves, packet.is_data()));
        self.note_peak();
        self.tally.wait_ps += u128::from(wait);
        self.digest = digested(self.digest, leaves, packet.flow);
        if self.loss.is_some() && self.loses(now, leaves, packet.is_data()) {
            return Fate::Lost;
        }
        Fate::Arrives(leaves.saturating_add(self.delay))
    }

    /// Asks the discipline.
    fn admits(&mut self, now: Time, packet: &mut Packet) -> bool {
        let backlog = self.backlog(now);
        let Some(guard) = &mut self.guard else { return true };
        let verdict = guard.queue.admit(&packet.offer(), &backlog, &mut guard.chance);
        if verdict == Verdict::Mark {
            self.tally.marks += 1;
            packet.head = packet.head.with(Head::MARKED, true);
        }
        verdict != Verdict::Drop
    }

    /// The port at an instant at or after the last arrival.
    fn backlog(&mut self, at: Time) -> Backlog {
        self.settle(at);
        Backlog {
            now_s: seconds(at),
            packets: self.leaves.len().saturating_sub(1) as f64,
            present: self.leaves.len() as f64,
            bytes: self.rates.backlog(at, self.busy.until),
            held_bytes: 0.0,
            wait_s: seconds(self.wait(at)),
            idle_s: seconds(at.saturating_sub(self.busy.until)),
            rate_bytes_s: self.rates.bps as f64 / 8.0,
        }
    }

    /// Time a packet that came now would wait.
    #[inline]
    pub fn wait(&self, now: Time) -> Span {
        self.busy.until.saturating_sub(now)
    }

    /// When all that is here will have left.
    #[inline]
    pub fn clear_at(&self) -> Time {
        self.busy.until
    }

    /// The rates at an instant at or after the last arrival.
    #[inline]
    pub fn rates(&mut self, at: Time) -> &Rates {
        if at >= self.next_turn {
            self.catch_up(at);
        }
        &self.rates
    }

    /// Forgets what has left.
    fn is_full(&mut self, now: Time) -> bool {
        self.settle(now);
        self.leaves.len() >= self.limit
    }

    /// A packet was kept. The list can be longer than the peak only where what had left was forgotten.
    #[inline]
    fn note_peak(&mut self) {
        if self.leaves.len() > self.peak {
            self.peak = self.leaves.len();
            self.tally.max_queue = self.peak as u64 - 1;
        }
    }

    fn loses(&mut self, now: Time, leaves: Time, data: bool) -> bool {
        let lost = self.loss.as_mut().is_some_and(|loss| loss.takes(now, leaves, data));
        self.tally.lost += u64::from(lost);
        lost
    }

    fn settle(&mut self, now: Time) {
        while self.leaves.front().is_some_and(|leave| leave.at() <= now) {
            self.leaves.pop_front();
        }
    }

    /// Packets waiting at `now`, the one in service not counted.
    pub fn queue(&mut self, now: Time) -> usize {
        if now >= self.next_turn {
            self.catch_up(now);
        }
        self.present(now).0.saturating_sub(1) as usize
    }

    /// Starts counting afresh at `now` (the end of warm-up).
    pub fn reset(&mut self, now: Time) {
        if now >= self.next_turn {
            self.catch_up(now);
        }
        self.rates.reset(now);
        self.carried = self.present(now);
        self.since = now;
        self.peak = self.leaves.len();
        let (wait_ps, lost) = (self.waits_ahead(now, |_| true), self.losses_ahead(now).0);
        let max_queue = (self.peak as u64).saturating_sub(1);
        self.tally = Tally { wait_ps, lost, max_queue, ..Tally::default() };
    }

    /// Packets and bytes here, the part of the one in service that is still to be sent included.
    fn present(&mut self, now: Time) -> (u64, u64) {
        self.settle(now);
        (self.leaves.len() as u64, self.rates.rest(now, &self.busy))
    }

    /// How long those of a kind that are here have still to wait, once what has left is forgotten.
    fn waits_ahead(&self, now: Time, is: impl Fn(Leave) -> bool) -> u128 {
        let waiting = self.leaves.iter().zip(self.leaves.iter().skip(1));
        waiting.filter(|(_, leave)| is(**leave)).map(|(before, _)| u128::from(before.at() - now)).sum()
    }

    fn losses_ahead(&mut self, now: Time) -> (u64, u64) {
        self.loss.as_mut().map_or((0, 0), |loss| loss.ahead(now))
    }

    /// Bytes sent and packets dropped since the tally began.
    pub fn passed(&mut self, now: Time) -> (u64, u64) {
        if now >= self.next_turn {
            self.catch_up(now);
        }
        let present = self.present(now);
        self.tally.passed(self.carried, present)
    }

    /// What happened since the tally began; of what was booked at arrival only what is past.
    pub fn row(&mut self, now: Time) -> PortRow {
        if now >= self.next_turn {
            self.catch_up(now);
        }
        let present = self.present(now);
        let (departures, sent_bytes) = self.tally.left(self.carried, present);
        let (lost, lost_data) = self.losses_ahead(now);
        let wait_ps = self.tally.wait_ps - self.waits_ahead(now, |_| true);
        let data_wait_ps = self.waits_ahead(now, Leave::is_data) as i128;
        PortRow {
            tally: Tally { wait_ps, lost: self.tally.lost - lost, ..self.tally },
            departures,
            sent_bytes,
            capacity: self.rates.capacity(now),
            rate_bps: self.rates.bps,
            elapsed: now - self.since,
            early: Early { wait_ps: data_wait_ps, lost: lost_data },
        }
    }

    pub fn gauge(&self) -> f64 {
        self.guard.as_ref().and_then(|guard| guard.queue.gauge()).map_or(f64::NAN, |gauge| gauge.1)
    }

    pub fn digest(&self) -> u64 {
        self.digest
    }

    pub fn bytes(&self) -> usize {
        size_of::<Self>() + self.leaves.capacity() * size_of::<Leave>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use headgate_model::plan::{Buffer, RateChange};
    use headgate_model::queue::Offer;

    /// No discipline: arrivals are kept.
    #[derive(Clone, Debug, Serialize, Deserialize)]
    struct Keeps;

    impl Discipline for Keeps {}

    /// Whatever would have to wait is dropped.
    #[derive(Clone, Debug, Serialize, Deserialize)]
    struct Refuses;

    impl Discipline for Refuses {
        fn admit(&mut self, _offer: &Offer, port: &Backlog, _chance: &mut Stream) -> Verdict {
            if port.present > 0.0 { Verdict::Drop } else { Verdict::Keep }
        }
    }

    /// 1 Gbit/s: 1500 B take 12 µs.
    fn link(buffer: Buffer) -> Link {
        Link { buffer, ..crate::setup::sample_link(1_000_000_000, 5) }
    }

    fn port(buffer: Buffer) -> Line<Keeps> {
        Line::new(&link(buffer), None)
    }

    fn lossy(buffer: Buffer, probability: f64, listed: &[u64]) -> Line<Keeps> {
        Line::new(&link(buffer), Loss::new(probability, Stream::new(1, "loss", 0), listed))
    }

    fn packet(size: u16) -> Packet {
        Packet { flow: 1, size, ..crate::packet::NOTHING }
    }

    #[test]
    fn departures_follow_each_other() {
        let mut p = port(Buffer::Infinite);
        assert_eq!(p.offer(0, &mut packet(1500)), Fate::Arrives(12_000_005));
        assert_eq!(p.offer(1, &mut packet(1500)), Fate::Arrives(24_000_005));
        assert_eq!(p.offer(30_000_000, &mut packet(1500)), Fate::Arrives(42_000_005));
        assert_eq!(p.tally.wait_ps, 11_999_999);
    }

    #[test]
    fn the_buffer_counts_waiting_packets_only() {
        let mut p = port(Buffer::Packets(2));
        let fates: Vec<_> = (0..4).map(|_| p.offer(0, &mut packet(1500))).collect();
        assert_eq!(fates[3], Fate::Dropped); // one in service, two waiting
        assert!(fates[..3].iter().all(|f| matches!(f, Fate::Arrives(_))));
        assert_eq!((p.queue(0), p.tally.max_queue), (2, 2));
        // at the instant of a departure the place is free
        assert!(matches!(p.offer(12_000_000, &mut packet(1500)), Fate::Arrives(_)));
        assert_eq!(p.offer(12_000_000, &mut packet(1500)), Fate::Dropped);
    }

    #[test]
    fn what_a_discipline_drops_sets_no_peak() {
        let mut p = Line::new(&link(Buffer::Infinite), None).with_guard(Some(Refuses), Stream::new(1, "", 0));
        let fates: Vec<_> = (0..3).map(|_| p.offer(0, &mut packet(1500))).collect();
        assert!(matches!(fates[..], [Fate::Arrives(_), Fate::Dropped, Fate::Dropped]));
        assert_eq!((p.queue(0), p.tally.max_queue), (0, 0));
    }

    #[test]
    fn a_byte_limit_bounds_the_backlog() {
        let mut p = port(Buffer::Bytes(3000));
        let admitted = (0..10).filter(|_| p.offer(0, &mut packet(1500)) != Fate::Dropped).count();
        assert_eq!(admitted, 3); // backlogs seen: 0, 1500, 3000 bytes
    }

    #[test]
    fn what_is_queued_at_a_change_leaves_at_the_rate_before() {
        let change = RateChange { at_ps: 6_000_000, rate_bps: 2_000_000_000 };
        let mut p = Line::<Keeps>::new(&Link { changes: vec![change], ..link(Buffer::Infinite) }, None);
        p.offer(0, &mut packet(1500)); // 12 us
        p.offer(0, &mut packet(1500)); // to 24 us
        assert_eq!(p.offer(6_000_000, &mut packet(1500)), Fate::Arrives(30_000_005)); // 6 us more
        // at 18 us half of the second and the whole third are here
        assert_eq!(p.row(18_000_000).sent_bytes, 2250);
        let rate_bps = p.row(48_000_000).mean_rate_bps();
        assert!((rate_bps - 1.5e9).abs() < 1.0, "{rate_bps}"); // 24 us at each rate
    }

    #[test]
    fn random_loss_has_its_probability() {
        let mut p = lossy(Buffer::Infinite, 0.1, &[]);
        let n = 100_000;
        let lost = (0..n).filter(|_| p.offer(0, &mut packet(40)) == Fate::Lost).count() as f64;
        assert!((lost / f64::from(n) - 0.1).abs() < 4.0 * (0.09 / f64::from(n)).sqrt());
    }

    #[test]
    fn listed_packets_are_lost() {
        let mut p = lossy(Buffer::Packets(1), 0.0, &[1, 3]);
        let fates: Vec<_> = [0, 0, 0, 50_000_000].map(|now| p.offer(now, &mut packet(1500))).into();
        // the third of the first burst finds no room and has no number
        assert!(matches!(fates[..], [Fate::Lost, Fate::Arrives(_), Fate::Dropped, Fate::Lost]));
    }

    #[test]
    fn a_discipline_sees_the_queue_of_the_moment() {
        let mut p = port(Buffer::Infinite);
        (0..3).for_each(|_| assert_ne!(p.offer(0, &mut packet(1500)), Fate::Dropped));
        let seen = p.backlog(6_000_000); // half of the first has been sent
        assert_eq!((seen.packets, seen.present, seen.held_bytes), (2.0, 3.0, 0.0));
        assert!((seen.bytes - 3750.0).abs() < 1e-6 && (seen.wait_s - 30e-6).abs() < 1e-15);
        assert_eq!((seen.now_s, seen.idle_s, seen.rate_bytes_s), (6e-6, 0.0, 1.25e8));
        let seen = p.backlog(40_000_000);
        assert_eq!((seen.packets, seen.present, seen.bytes, seen.wait_s), (0.0, 0.0, 0.0, 0.0));
        assert!((seen.idle_s - 4e-6).abs() < 1e-15);
    }

    #[test]
    fn a_packet_that_waits_takes_a_word() {
        let mut p = port(Buffer::Infinite);
        let empty = p.bytes();
        (0..1000).for_each(|_| assert_ne!(p.offer(0, &mut packet(1500)), Fate::Dropped));
        assert!((8 * 1000..=2 * 8 * 1024).contains(&(p.bytes() - empty)));
    }
}
