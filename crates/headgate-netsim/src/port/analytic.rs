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
use super::{Fate, Room, digested};
use crate::packet::Packet;
use crate::record::{Early, PortRow, Tally};

/// A port is full, whatever its buffer, while its backlog takes longer than this, some 53 days; the clock ends after
/// 213 days.
const LONGEST_WAIT: Span = Span::MAX / 4;

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
struct Aqm<Q> {
    queue: Q,
    chance: Stream,
}

/// An output port and the line behind it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct AnalyticPort<Q> {
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
    aqm: Option<Box<Aqm<Q>>>,
    loss: Option<Box<Loss>>,
    rates: Box<Rates>,
    /// When the tally began, and the packets and bytes that were here then.
    since: Time,
    carried: (u64, u64),
    pub tally: Tally,
}

impl<Q: Discipline> AnalyticPort<Q> {
    pub fn new(link: &Link, loss: Option<Box<Loss>>) -> Self {
        let ticks = TickCache::new(link.rate_bps);
        let room = Room::from(link.buffer);
        let rates = Rates::new(link.rate_bps, &link.changes);
        let limit_wait = if room.bytes == u64::MAX { Span::MAX } else { ticks.span(room.bytes) };
        Self {
            busy: Busy::default(),
            limit: room.packets,
            limit_wait: limit_wait.min(LONGEST_WAIT),
            ticks,
            delay: link.delay_ps,
            next_turn: rates.next(),
            digest: 0,
            peak: 0,
            leaves: VecDeque::new(),
            aqm: None,
            loss,
            rates: Box::new(rates),
            since: 0,
            carried: (0, 0),
            tally: Tally::default(),
        }
    }

    /// Lets a discipline decide on arrivals for which there is room.
    pub fn with_aqm(mut self, queue: Option<Q>, chance: Stream) -> Self {
        self.aqm = queue.map(|queue| Box::new(Aqm { queue, chance }));
        self.next_turn = self.rates.next().min(self.next_tick());
        self
    }

    /// What decides here, if anything does.
    pub fn discipline_mut(&mut self) -> Option<&mut Q> {
        self.aqm.as_mut().map(|aqm| &mut aqm.queue)
    }

    fn next_tick(&self) -> Time {
        self.aqm.as_ref().map_or(NEVER, |aqm| aqm.queue.next_tick())
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
        let full = wait > self.limit_wait || self.is_full(now);
        if full || (self.aqm.is_some() && !self.admits(now, packet)) {
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
        let Some(aqm) = &mut self.aqm else { return true };
        let verdict = aqm.queue.admit(&packet.arrival(), &backlog, &mut aqm.chance);
        if verdict == Verdict::Mark {
            self.tally.marks += 1;
            packet.mark(true);
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

    /// Whether there is no room. A list shorter than the peak can neither be over the limit nor set a new peak. From one
    /// as long as the peak at most one departure is forgotten: a single branch is predicted well, the length of a loop
    /// over all departures is not.
    #[inline]
    fn is_full(&mut self, now: Time) -> bool {
        if self.leaves.len() < self.peak {
            return false;
        }
        if self.leaves.front().is_some_and(|leave| leave.at() <= now) {
            self.leaves.pop_front();
        }
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
        let left = self.tally.left(self.carried, present);
        let (lost, lost_data) = self.losses_ahead(now);
        let wait_ps = self.tally.wait_ps - self.waits_ahead(now, |_| true);
        let data_wait_ps = self.waits_ahead(now, Leave::is_data) as i128;
        let tally = Tally { wait_ps, lost: self.tally.lost - lost, ..self.tally };
        let early = Early { wait_ps: data_wait_ps, lost: lost_data };
        self.rates.row(tally, left, (self.since, now), early)
    }

    pub fn gauge(&self) -> f64 {
        self.aqm.as_ref().and_then(|aqm| aqm.queue.gauge()).map_or(f64::NAN, |gauge| gauge.1)
    }

    pub fn digest(&self) -> u64 {
        self.digest
    }

    pub fn bytes(&self) -> usize {
        size_of::<Self>() + self.leaves.capacity() * size_of::<Leave>()
    }
}

#[cfg(test)]
mod tests;
