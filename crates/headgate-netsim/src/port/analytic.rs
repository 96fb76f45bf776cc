//! A port that stores no packets: it computes each departure when the packet arrives.
//!
//! The departure time depends only on when the line becomes free. The port reads its list of departure
//! times only for a discipline, or if the buffer may be full.

use headgate_model::chance::Stream;
use headgate_model::plan::Link;
use headgate_model::queue::{Backlog, Discipline, Verdict};
use headgate_model::units::{Busy, NEVER, Span, Time, seconds};
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

use super::loss::Loss;
use super::outages::NO_OUTAGES;
use super::rates::Rates;
use super::ticks::TickCache;
use super::{BufferLimit, Fate, extend_digest};
use crate::packets::packet::Packet;
use crate::record::{EarlyCounts, PortRow, Tally};

/// Longest backlog of any port, about 53 days. A port with a longer one is full, regardless of its buffer.
/// The clock ends after 213 days.
const LONGEST_WAIT: Span = Span::MAX / 4;

/// A departure time and whether the packet is data, packed into one word because ports store many of them.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Departure(u64);

impl Departure {
    /// No run lasts longer than half the range of [`Time`], so the lowest bit is free.
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
struct Aqm<Q> {
    queue: Q,
    chance: Stream,
}

/// An output port and its line.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct AnalyticPort<Q> {
    busy: Busy,
    ticks: TickCache,
    delay: Span,
    /// Time of the next rate change or tick of the discipline.
    next_change: Time,
    /// Rolling hash of every departure time and address. Equal runs have equal hashes.
    digest: u64,
    /// Most packets present: the buffer and the packet in service.
    limit: usize,
    /// Longest backlog that is admitted, as time; `Span::MAX` if the buffer counts packets.
    limit_wait: Span,
    /// Most packets present at once since the tally began.
    peak: usize,
    /// Departure times. Packets that have left are removed only when the length matters.
    departures: VecDeque<Departure>,
    aqm: Option<Box<Aqm<Q>>>,
    loss: Option<Box<Loss>>,
    rates: Box<Rates>,
    /// When the tally began, and the packets and bytes present then.
    since: Time,
    carried: (u64, u64),
    /// Counts since the tally began.
    pub tally: Tally,
}

impl<Q: Discipline> AnalyticPort<Q> {
    /// Creates the port of a link, without a discipline.
    pub fn new(link: &Link, loss: Option<Box<Loss>>) -> Self {
        let ticks = TickCache::new(link.rate_bps);
        let room = BufferLimit::from(link.buffer);
        let rates = Rates::new(link.rate_bps, &link.changes);
        let limit_wait = if room.bytes == u64::MAX { Span::MAX } else { ticks.span(room.bytes) };
        Self {
            busy: Busy::default(),
            limit: room.packets,
            limit_wait: limit_wait.min(LONGEST_WAIT),
            ticks,
            delay: link.delay_ps,
            next_change: rates.next(),
            digest: 0,
            peak: 0,
            departures: VecDeque::new(),
            aqm: None,
            loss,
            rates: Box::new(rates),
            since: 0,
            carried: (0, 0),
            tally: Tally::default(),
        }
    }

    /// Adds a discipline that decides about arrivals that the buffer has room for.
    pub fn with_aqm(mut self, queue: Option<Q>, chance: Stream) -> Self {
        self.aqm = queue.map(|queue| Box::new(Aqm { queue, chance }));
        self.next_change = self.rates.next().min(self.next_tick());
        self
    }

    /// Returns the queue discipline, if there is one.
    pub fn discipline_mut(&mut self) -> Option<&mut Q> {
        self.aqm.as_mut().map(|aqm| &mut aqm.queue)
    }

    fn next_tick(&self) -> Time {
        self.aqm.as_ref().map_or(NEVER, |aqm| aqm.queue.next_tick())
    }

    /// Processes the rate changes and ticks up to `now`, in order. This must happen before departures up to
    /// `now` are removed.
    #[cold]
    fn catch_up(&mut self, now: Time) {
        while self.next_change <= now {
            let at = self.next_change;
            if self.rates.next() == at {
                self.change_rate(at);
            } else {
                self.tick(at, now.min(self.rates.next()));
            }
            self.next_change = self.rates.next().min(self.next_tick());
        }
    }

    fn tick(&mut self, at: Time, until: Time) {
        let backlog = self.backlog(at);
        if let Some(aqm) = &mut self.aqm {
            if backlog.present == 0.0 {
                aqm.queue.pass_idle_ticks(until, &backlog);
            }
            aqm.queue.on_tick(&backlog);
        }
    }

    fn change_rate(&mut self, at: Time) {
        self.rates.change(at, self.busy.until);
        self.ticks = TickCache::new(self.rates.bps);
        self.busy.change_pace();
    }

    /// Decides what happens to a packet that arrives at `now`, and may mark it. Calls must come in time
    /// order.
    #[inline]
    pub fn offer(&mut self, now: Time, packet: &mut Packet) -> Fate {
        if now >= self.next_change {
            self.catch_up(now);
        }
        let size = packet.size;
        self.tally.arrivals += 1;
        self.tally.arrived_bytes += u64::from(size);
        let wait = self.wait(now);
        let full = wait > self.limit_wait || self.is_full(now);
        if full || (self.aqm.is_some() && !self.admits(now, packet)) {
            self.tally.drops += 1;
            self.tally.dropped_bytes += u64::from(size);
            return Fate::Dropped;
        }
        let tick = self.ticks.tick(size);
        let leaves = self.busy.serve(now, tick, self.ticks.den());
        self.departures.push_back(Departure::new(leaves, packet.is_data()));
        self.note_peak();
        self.tally.wait_ps += u128::from(wait);
        self.digest = extend_digest(self.digest, leaves, packet.address);
        if self.loss.is_some() && self.loses(now, leaves, packet.is_data()) {
            return Fate::Lost;
        }
        Fate::Arrives(leaves.saturating_add(self.delay))
    }

    /// Asks the discipline whether to admit the packet.
    fn admits(&mut self, now: Time, packet: &mut Packet) -> bool {
        let backlog = self.backlog(now);
        let Some(aqm) = &mut self.aqm else { return true };
        let verdict = aqm.queue.admit(&packet.arrival(), &backlog, &mut aqm.chance);
        if verdict == Verdict::Mark {
            self.tally.marks += 1;
            packet.mark(true);
        }
        verdict != Verdict::Drop
    }

    /// Returns the state of the port at or after the last arrival.
    fn backlog(&mut self, at: Time) -> Backlog {
        self.remove_departed(at);
        Backlog {
            now_s: seconds(at),
            packets: self.departures.len().saturating_sub(1) as f64,
            present: self.departures.len() as f64,
            bytes: self.rates.backlog(at, self.busy.until),
            held_bytes: 0.0,
            wait_s: seconds(self.wait(at)),
            idle_s: seconds(at.saturating_sub(self.busy.until)),
            rate_bytes_s: self.rates.bps as f64 / 8.0,
        }
    }

    /// Returns the time that a packet that arrives now would wait, picoseconds.
    #[inline]
    pub fn wait(&self, now: Time) -> Span {
        self.busy.until.saturating_sub(now)
    }

    /// Returns when all packets that are present will have left.
    #[inline]
    pub fn clear_at(&self) -> Time {
        self.busy.until
    }

    /// Returns the rates at or after the last arrival.
    #[inline]
    pub fn rates(&mut self, at: Time) -> &Rates {
        if at >= self.next_change {
            self.catch_up(at);
        }
        &self.rates
    }

    /// Returns whether the buffer is full. A list shorter than the peak is neither full nor a new peak.
    /// From a longer list at most one departure is removed: the processor predicts one branch well, but not
    /// the length of a loop over all departures.
    #[inline]
    fn is_full(&mut self, now: Time) -> bool {
        if self.departures.len() < self.peak {
            return false;
        }
        if self.departures.front().is_some_and(|leave| leave.at() <= now) {
            self.departures.pop_front();
        }
        self.departures.len() >= self.limit
    }

    /// Updates the peak after a packet was admitted. The list exceeds the peak only if departed packets
    /// were removed.
    #[inline]
    fn note_peak(&mut self) {
        if self.departures.len() > self.peak {
            self.peak = self.departures.len();
            self.tally.max_queue = self.peak as u64 - 1;
        }
    }

    fn loses(&mut self, now: Time, leaves: Time, data: bool) -> bool {
        let lost = self.loss.as_mut().is_some_and(|loss| loss.loses(now, leaves, data));
        self.tally.lost += u64::from(lost);
        lost
    }

    fn remove_departed(&mut self, now: Time) {
        while self.departures.front().is_some_and(|leave| leave.at() <= now) {
            self.departures.pop_front();
        }
    }

    /// Returns the number of packets that wait at `now`, without the packet in service.
    pub fn queue(&mut self, now: Time) -> usize {
        if now >= self.next_change {
            self.catch_up(now);
        }
        self.present(now).0.saturating_sub(1) as usize
    }

    /// Restarts the tally at `now`, the end of warm-up.
    pub fn reset(&mut self, now: Time) {
        if now >= self.next_change {
            self.catch_up(now);
        }
        self.rates.reset(now, &NO_OUTAGES);
        self.carried = self.present(now);
        self.since = now;
        self.peak = self.departures.len();
        let (wait_ps, lost) = (self.pending_waits(now, |_| true), self.pending_losses(now).0);
        let max_queue = (self.peak as u64).saturating_sub(1);
        self.tally = Tally { wait_ps, lost, max_queue, ..Tally::default() };
    }

    /// Returns the packets and bytes present, with the unsent part of the packet in service.
    fn present(&mut self, now: Time) -> (u64, u64) {
        self.remove_departed(now);
        (self.departures.len() as u64, self.rates.rest(now, &self.busy))
    }

    /// Sums the remaining waits, picoseconds, of the present packets that `is` selects. Departed packets
    /// must have been removed.
    fn pending_waits(&self, now: Time, is: impl Fn(Departure) -> bool) -> u128 {
        let waiting = self.departures.iter().zip(self.departures.iter().skip(1));
        waiting.filter(|(_, leave)| is(**leave)).map(|(before, _)| u128::from(before.at() - now)).sum()
    }

    fn pending_losses(&mut self, now: Time) -> (u64, u64) {
        self.loss.as_mut().map_or((0, 0), |loss| loss.pending_losses(now))
    }

    /// Returns the bytes sent and the packets dropped since the tally began.
    pub fn sent_and_dropped(&mut self, now: Time) -> (u64, u64) {
        if now >= self.next_change {
            self.catch_up(now);
        }
        let present = self.present(now);
        self.tally.sent_and_dropped(self.carried, present)
    }

    /// Returns the counts since the tally began. Waits and losses that were booked at arrival count only if
    /// they are past.
    pub fn row(&mut self, now: Time) -> PortRow {
        if now >= self.next_change {
            self.catch_up(now);
        }
        let present = self.present(now);
        let left = self.tally.left(self.carried, present);
        let (lost, lost_data) = self.pending_losses(now);
        let wait_ps = self.tally.wait_ps - self.pending_waits(now, |_| true);
        let data_wait_ps = self.pending_waits(now, Departure::is_data) as i128;
        let tally = Tally { wait_ps, lost: self.tally.lost - lost, ..self.tally };
        let early = EarlyCounts { wait_ps: data_wait_ps, lost: lost_data };
        self.rates.row(tally, left, (self.since, now), early, &NO_OUTAGES)
    }

    /// Returns the internal quantity of the discipline. NaN means that there is none.
    pub fn gauge(&self) -> f64 {
        self.aqm.as_ref().and_then(|aqm| aqm.queue.gauge()).map_or(f64::NAN, |gauge| gauge.1)
    }

    /// Returns the digest of all departures.
    pub fn digest(&self) -> u64 {
        self.digest
    }

    /// Returns the memory that the port takes, bytes.
    pub fn bytes(&self) -> usize {
        size_of::<Self>() + self.departures.capacity() * size_of::<Departure>()
    }
}

#[cfg(test)]
mod tests;
