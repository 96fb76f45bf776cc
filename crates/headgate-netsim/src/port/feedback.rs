//! An analytic port with router feedback: the router measures arrivals and writes into headers.
//!
//! The line fixes at arrival when a transmission begins and ends. The packet stays here until its
//! transmission begins, because the router writes into its header then. [`FeedbackPort::catch_up`]
//! processes transmissions and router ticks in order when the next packet arrives or the window ends.

use headgate_model::feedback::Routers;
use headgate_model::queue::{Backlog, Discipline};
use headgate_model::units::{NEVER, Time, seconds};
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

use super::Fate;
use super::analytic::AnalyticPort;
use super::context::PortContext;
use crate::packets::packet::Packet;

/// A future transmission.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Transmission {
    begins: Time,
    ends: Time,
    /// When the packet reaches the other end; `None` if the line loses it.
    arrives: Option<Time>,
    packet: Packet,
}

/// An analytic port with router feedback.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct FeedbackPort<Q, R> {
    /// Decides at arrival what happens to a packet.
    pub analytic: AnalyticPort<Q>,
    router: R,
    pending: VecDeque<Transmission>,
    /// Bytes of the packets that wait.
    waiting_bytes: u64,
    /// End of the last transmission that has begun.
    busy_until: Time,
}

impl<Q: Discipline, R: Routers> FeedbackPort<Q, R> {
    /// Adds a router to an analytic port.
    pub fn new(analytic: AnalyticPort<Q>, router: R) -> Self {
        Self { analytic, router, pending: VecDeque::new(), waiting_bytes: 0, busy_until: 0 }
    }

    /// Returns when the next transmission begins, or `NEVER` if no packet waits.
    #[inline]
    pub fn next_departure(&self) -> Time {
        self.pending.front().map_or(NEVER, |pending| pending.begins)
    }

    /// Receives a packet, which the discipline may mark. Calls must come in time order.
    pub fn offer(&mut self, packet: &mut Packet, ctx: &mut PortContext) -> Fate {
        let now = packet.time;
        self.catch_up(now + 1, ctx);
        let begins = now + self.analytic.wait(now);
        let backlog = self.backlog(now);
        let header = ctx.side_table.header_number(packet, self.router.scheme());
        let words = ctx.side_table.header_words(header).map(|words| &*words);
        self.router.on_arrival(&packet.passing(), words, &backlog);
        if !ctx.occupancy.reserve() {
            return Fate::Dropped;
        }
        let fate = self.analytic.offer(now, packet);
        if fate == Fate::Dropped {
            ctx.occupancy.packets -= 1;
        }
        if fate != Fate::Dropped {
            let arrives = if let Fate::Arrives(time) = fate { Some(time) } else { None };
            self.waiting_bytes += u64::from(packet.size);
            self.pending.push_back(Transmission {
                begins,
                ends: self.analytic.clear_at(),
                arrives,
                packet: *packet,
            });
            self.catch_up(now + 1, ctx);
        }
        fate
    }

    /// Counts the data packets that wait and that the line does not lose.
    pub fn held_data(&self) -> usize {
        self.pending.iter().filter(|pending| pending.arrives.is_some() && pending.packet.is_data()).count()
    }

    /// Iterates over the packets that wait.
    pub fn held_mut(&mut self) -> impl Iterator<Item = &mut Packet> {
        self.pending.iter_mut().map(|pending| &mut pending.packet)
    }

    /// Processes all transmissions and ticks before `until`.
    pub fn catch_up(&mut self, until: Time, ctx: &mut PortContext) {
        while self.step(until, ctx) {}
    }

    /// Processes the next transmission or tick before `until`. Returns whether there was one.
    pub fn step(&mut self, until: Time, ctx: &mut PortContext) -> bool {
        let (begins, tick) = (self.next_departure(), self.router.next_tick());
        if begins.min(tick) >= until {
            return false;
        }
        if begins <= tick {
            self.begin(ctx);
        } else {
            let backlog = self.backlog(tick);
            self.router.on_tick(&backlog);
        }
        true
    }

    /// Begins the next transmission. The packet leaves the port, unless the line loses it.
    fn begin(&mut self, ctx: &mut PortContext) {
        let Some(Transmission { begins, ends, arrives, packet }) = self.pending.pop_front() else { return };
        self.waiting_bytes -= u64::from(packet.size);
        ctx.occupancy.packets -= 1;
        let backlog = self.backlog(begins);
        self.busy_until = ends;
        let header = ctx.side_table.header_number(&packet, self.router.scheme());
        self.router.on_departure(&packet.passing(), ctx.side_table.header_words(header), &backlog);
        match arrives {
            Some(time) => ctx.outgoing.push((time, packet)),
            None => ctx.side_table.forget(&packet),
        }
    }

    /// Returns the state of the port. All events before `at` must have been processed.
    fn backlog(&mut self, at: Time) -> Backlog {
        let rest_s = seconds(self.busy_until.saturating_sub(at));
        let wait_s = seconds(self.analytic.wait(at));
        let rates = self.analytic.rates(at);
        let (rate_bytes_s, sending) = (rates.bps as f64 / 8.0, rates.rate_at(at) as f64 / 8.0);
        let (packets, held_bytes) = (self.pending.len() as f64, self.waiting_bytes as f64);
        Backlog {
            now_s: seconds(at),
            packets,
            present: packets + if rest_s > 0.0 { 1.0 } else { 0.0 },
            bytes: held_bytes + rest_s * sending,
            held_bytes,
            wait_s,
            idle_s: seconds(at.saturating_sub(self.busy_until)),
            rate_bytes_s,
        }
    }

    /// Returns the internal quantity of the router, or else of the discipline. NaN means that there is
    /// none.
    pub fn gauge(&self) -> f64 {
        self.router.gauge().map_or_else(|| self.analytic.gauge(), |gauge| gauge.1)
    }

    /// Returns the memory that the port takes, bytes.
    pub fn bytes(&self) -> usize {
        size_of::<Self>() - size_of::<AnalyticPort<Q>>()
            + self.analytic.bytes()
            + self.pending.capacity() * size_of::<Transmission>()
    }
}

#[cfg(test)]
mod tests;
