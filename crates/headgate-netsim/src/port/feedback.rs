//! An analytic port with router feedback: it measures what arrives, and writes into headers.
//!
//! The line decides at arrival when a packet's transmission begins and ends. Until it begins the packet
//! stays here, since the router writes into its header then. That is made up for, with the router's ticks
//! and in order, when the next packet arrives or the window ends ([`FeedbackPort::catch_up`]).

use headgate_model::feedback::Routers;
use headgate_model::queue::{Backlog, Discipline};
use headgate_model::units::{NEVER, Time, seconds};
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

use super::Fate;
use super::analytic::AnalyticPort;
use super::context::PortContext;
use crate::packet::Packet;

/// A transmission to come.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Due {
    begins: Time,
    ends: Time,
    /// When the packet is at the other end; none if the line loses it.
    arrives: Option<Time>,
    packet: Packet,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct FeedbackPort<Q, R> {
    pub analytic: AnalyticPort<Q>,
    router: R,
    due: VecDeque<Due>,
    /// Bytes that wait.
    waiting_bytes: u64,
    /// End of the last transmission that has begun.
    busy_until: Time,
}

impl<Q: Discipline, R: Routers> FeedbackPort<Q, R> {
    pub fn new(analytic: AnalyticPort<Q>, router: R) -> Self {
        Self { analytic, router, due: VecDeque::new(), waiting_bytes: 0, busy_until: 0 }
    }

    /// When the next packet's transmission begins; never if none waits.
    #[inline]
    pub fn next_departure(&self) -> Time {
        self.due.front().map_or(NEVER, |due| due.begins)
    }

    /// Offers a packet, which is marked if the line's discipline has it so. Calls must come in time order.
    pub fn offer(&mut self, packet: &mut Packet, ctx: &mut PortContext) -> Fate {
        let now = packet.time;
        self.catch_up(now + 1, ctx);
        let begins = now + self.analytic.wait(now);
        let backlog = self.backlog(now);
        let header = ctx.side_table.number_of(packet, self.router.scheme());
        let words = ctx.side_table.words(header).map(|words| &*words);
        self.router.on_arrival(&packet.passing(), words, &backlog);
        if !ctx.held.take() {
            return Fate::Dropped;
        }
        let fate = self.analytic.offer(now, packet);
        if fate == Fate::Dropped {
            ctx.held.packets -= 1;
        }
        if fate != Fate::Dropped {
            let arrives = if let Fate::Arrives(time) = fate { Some(time) } else { None };
            self.waiting_bytes += u64::from(packet.size);
            self.due.push_back(Due { begins, ends: self.analytic.clear_at(), arrives, packet: *packet });
            self.catch_up(now + 1, ctx);
        }
        fate
    }

    /// Data packets that wait and will arrive.
    pub fn held_data(&self) -> usize {
        self.due.iter().filter(|due| due.arrives.is_some() && due.packet.is_data()).count()
    }

    pub fn held_mut(&mut self) -> impl Iterator<Item = &mut Packet> {
        self.due.iter_mut().map(|due| &mut due.packet)
    }

    /// All transmissions and ticks before `until`.
    pub fn catch_up(&mut self, until: Time, ctx: &mut PortContext) {
        while self.step(until, ctx) {}
    }

    /// The next of them, if there is any.
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

    /// The next packet's transmission begins: it goes on its way, unless the line loses it.
    fn begin(&mut self, ctx: &mut PortContext) {
        let Some(Due { begins, ends, arrives, packet }) = self.due.pop_front() else { return };
        self.waiting_bytes -= u64::from(packet.size);
        ctx.held.packets -= 1;
        let backlog = self.backlog(begins);
        self.busy_until = ends;
        let header = ctx.side_table.number_of(&packet, self.router.scheme());
        self.router.on_departure(&packet.passing(), ctx.side_table.words(header), &backlog);
        match arrives {
            Some(time) => ctx.leaving.push((time, packet)),
            None => ctx.side_table.forget(&packet),
        }
    }

    /// The port at an instant up to which all has been made up for.
    fn backlog(&mut self, at: Time) -> Backlog {
        let rest_s = seconds(self.busy_until.saturating_sub(at));
        let wait_s = seconds(self.analytic.wait(at));
        let rates = self.analytic.rates(at);
        let (rate_bytes_s, sending) = (rates.bps as f64 / 8.0, rates.sending(at) as f64 / 8.0);
        let (packets, held_bytes) = (self.due.len() as f64, self.waiting_bytes as f64);
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

    /// What the router shows of itself, or else the discipline.
    pub fn gauge(&self) -> f64 {
        self.router.gauge().map_or_else(|| self.analytic.gauge(), |gauge| gauge.1)
    }

    pub fn bytes(&self) -> usize {
        size_of::<Self>() - size_of::<AnalyticPort<Q>>()
            + self.analytic.bytes()
            + self.due.capacity() * size_of::<Due>()
    }
}

#[cfg(test)]
mod tests;
