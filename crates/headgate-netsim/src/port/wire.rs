//! The way from a port to the other end of its link: how long it takes, and what happens to packets on it.

use headgate_model::chance::Stream;
use headgate_model::feedback::PassingPacket;
use headgate_model::impairment::{Impairment, Passage};
use headgate_model::units::{NEVER, Span, Time};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

use super::loss::Loss;

/// An impairment and its random numbers.
pub type Stage<I> = (I, Stream);

/// What a packet meets in a row of impairments; `None` if it is lost in one.
pub fn pass_all<I: Impairment>(row: &mut [Stage<I>], packet: &PassingPacket, now: Time) -> Option<Passage> {
    row.iter_mut().try_fold(Passage::CLEAR, |so_far, (impairment, chance)| {
        let next = impairment.pass(packet, now, chance)?;
        Some(Passage {
            late: so_far.late.saturating_add(next.late),
            copies: so_far.copies + next.copies * (1 + so_far.copies),
            in_order: so_far.in_order && next.in_order,
        })
    })
}

/// A delay that changes: each holds for what is sent from its time on.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Delays {
    now: Span,
    /// To come, the next one last.
    coming: Vec<(Time, Span)>,
}

impl Delays {
    /// That of a packet that has left at `leaves`. Calls must come in time order.
    fn at(&mut self, leaves: Time) -> Span {
        while let Some(&(_, delay)) = self.coming.last().filter(|change| change.0 <= leaves) {
            self.now = delay;
            self.coming.pop();
        }
        self.now
    }
}

/// When packets arrive that are under way. No two do at once: that would leave their order to whoever sorts them.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Arrivals {
    /// When the last packet, or copy, arrives that keeps order.
    last: Time,
    /// All to come, where some may arrive out of order.
    taken: BTreeSet<Time>,
}

impl Arrivals {
    /// A packet that keeps order arrives at `due` or as soon after as it may.
    fn follow(&mut self, due: Time, copies: u32) -> Time {
        let arrives = due.max(self.last.saturating_add(1));
        self.last = arrives.saturating_add(u64::from(copies));
        arrives
    }

    /// As [`Self::follow`], beside packets that need not keep order; nothing else will be due before `now`.
    fn claim(&mut self, now: Time, due: Time, passage: Passage) -> Time {
        while self.taken.first().is_some_and(|&time| time < now) {
            self.taken.pop_first();
        }
        let copies = u64::from(passage.copies);
        let mut at = if passage.in_order { due.max(self.last.saturating_add(1)) } else { due };
        while let Some(&clash) = self.taken.range(at..=at.saturating_add(copies)).next_back() {
            if clash == NEVER {
                return clash; // nothing is sent any more
            }
            at = clash + 1;
        }
        self.taken.extend(at..=at.saturating_add(copies));
        if passage.in_order {
            self.last = at.saturating_add(copies);
        }
        at
    }
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Wire<I> {
    delays: Delays,
    row: Vec<Stage<I>>,
    /// Loss by chance alone and by number: the last in the row, which also knows who is lost already and has not left.
    loss: Option<Box<Loss>>,
    arrivals: Arrivals,
}

impl<I: Impairment> Wire<I> {
    /// `changes` of the delay in order of time.
    pub fn new(delay: Span, changes: &[(Time, Span)], row: Vec<Stage<I>>, loss: Option<Box<Loss>>) -> Self {
        let coming = changes.iter().rev().copied().collect();
        Self { delays: Delays { now: delay, coming }, row, loss, arrivals: Arrivals::default() }
    }

    /// When a packet arrives whose transmission begins now and ends at `leaves`, and how many copies with it; `None` if it is
    /// lost. Calls must come in time order.
    pub fn carry(&mut self, now: Time, leaves: Time, packet: &PassingPacket) -> Option<(Time, u32)> {
        let delay = self.delays.at(leaves);
        let passage = pass_all(&mut self.row, packet, leaves);
        let lost = match (&mut self.loss, passage) {
            (Some(loss), None) => loss.lose(now, leaves, packet.data),
            (Some(loss), Some(_)) => loss.takes(now, leaves, packet.data),
            (None, passage) => passage.is_none(),
        };
        let passage = passage.filter(|_| !lost)?;
        let due = leaves.saturating_add(delay).saturating_add(passage.late);
        let arrives = match self.row.is_empty() {
            true => self.arrivals.follow(due, passage.copies),
            false => self.arrivals.claim(leaves, due, passage),
        };
        // a trace that has ended never sends the packet, and what never arrives is not copied
        let copies = if arrives == NEVER { 0 } else { passage.copies };
        Some((arrives, copies))
    }

    /// Packets that will be lost and have not left yet: all, and the data among them.
    pub fn losses_ahead(&mut self, now: Time) -> (u64, u64) {
        self.loss.as_mut().map_or((0, 0), |loss| loss.ahead(now))
    }
}

#[cfg(test)]
mod tests;
