//! An analytic port whose router speaks: it measures what arrives, and writes into labels.
//!
//! The line decides at arrival when a packet's transmission begins, so the packet goes on its way at
//! once. What stays here is the number of its label, and when the router is to write into it: that is
//! made up for, with the router's ticks and in order, when the next packet arrives or the window ends
//! ([`Spoken::catch_up`]), and so before the other end reads it.

use headgate_model::feedback::{Passing, Routers};
use headgate_model::queue::{Backlog, Discipline};
use headgate_model::units::{NEVER, Time, seconds};
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

use super::Fate;
use super::line::Line;
use crate::packet::Packet;
use crate::papers::{NO_LABEL, Papers};

/// A transmission to come.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Due {
    begins: Time,
    ends: Time,
    /// Number of the label that the router writes into, or `NO_LABEL`.
    label: u32,
    size: u16,
    data: bool,
    /// The line loses the packet: the label is read by nobody else.
    lost: bool,
}

impl Due {
    fn passing(&self) -> Passing {
        Passing { size_bytes: u32::from(self.size), data: self.data }
    }
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Spoken<Q, R> {
    pub line: Line<Q>,
    router: R,
    due: VecDeque<Due>,
    /// Bytes that wait.
    waiting_bytes: u64,
    /// End of the last transmission that has begun.
    busy_until: Time,
}

impl<Q: Discipline, R: Routers> Spoken<Q, R> {
    pub fn new(line: Line<Q>, router: R) -> Self {
        Self { line, router, due: VecDeque::new(), waiting_bytes: 0, busy_until: 0 }
    }

    /// When the next packet's transmission begins; never if none waits.
    #[inline]
    pub fn next_departure(&self) -> Time {
        self.due.front().map_or(NEVER, |due| due.begins)
    }

    /// Offers a packet, which is marked if the line's discipline has it so. Calls must come in time order.
    pub fn offer(&mut self, packet: &mut Packet, papers: &mut Papers) -> Fate {
        let now = packet.time;
        self.catch_up(now + 1, papers);
        let label = papers.number_of(packet, self.router.scheme());
        let mut due = Due {
            begins: now + self.line.wait(now),
            ends: now,
            label,
            size: packet.size,
            data: packet.is_data(),
            lost: false,
        };
        let backlog = self.backlog(now);
        self.router.on_arrival(&due.passing(), papers.words(label).map(|words| &*words), &backlog);
        let fate = self.line.offer(now, packet);
        if fate != Fate::Dropped {
            due.lost = fate == Fate::Lost;
            due.ends = self.line.clear_at();
            self.keep(due, packet, papers);
            self.catch_up(now + 1, papers);
        }
        fate
    }

    /// A packet that the line loses is forgotten at once: its label stays.
    fn keep(&mut self, due: Due, packet: &mut Packet, papers: &mut Papers) {
        if due.lost && due.label != NO_LABEL {
            papers.take_off(packet);
        }
        self.waiting_bytes += u64::from(due.size);
        self.due.push_back(due);
    }

    /// All transmissions and ticks before `until`.
    pub fn catch_up(&mut self, until: Time, papers: &mut Papers) {
        while self.step(until, papers) {}
    }

    /// The next of them, if there is any.
    pub fn step(&mut self, until: Time, papers: &mut Papers) -> bool {
        let (begins, tick) = (self.next_departure(), self.router.next_tick());
        if begins.min(tick) >= until {
            return false;
        }
        if begins <= tick {
            self.begin(papers);
        } else {
            let backlog = self.backlog(tick);
            self.router.on_tick(&backlog);
        }
        true
    }

    /// The next packet's transmission begins.
    fn begin(&mut self, papers: &mut Papers) {
        let Some(due) = self.due.pop_front() else { return };
        self.waiting_bytes -= u64::from(due.size);
        let backlog = self.backlog(due.begins);
        self.busy_until = due.ends;
        self.router.on_departure(&due.passing(), papers.words(due.label), &backlog);
        if due.lost {
            papers.discard(due.label);
        }
    }

    /// The port at an instant up to which all has been made up for.
    fn backlog(&mut self, at: Time) -> Backlog {
        let rest_s = seconds(self.busy_until.saturating_sub(at));
        let wait_s = seconds(self.line.wait(at));
        let rates = self.line.rates(at);
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
        self.router.gauge().map_or_else(|| self.line.gauge(), |gauge| gauge.1)
    }

    pub fn bytes(&self) -> usize {
        size_of::<Self>() - size_of::<Line<Q>>() + self.line.bytes() + self.due.capacity() * size_of::<Due>()
    }
}
