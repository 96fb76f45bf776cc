//! The path from a port to the other end of its link: delay, impairments and loss.

use headgate_model::chance::Stream;
use headgate_model::ecn::Ecn;
use headgate_model::feedback::PassingPacket;
use headgate_model::impairment::{Impairment, Passage};
use headgate_model::units::{NEVER, Span, Time};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

use super::loss::Loss;

/// An impairment and its random numbers.
pub type Stage<I> = (I, Stream);

/// Impairments that packets pass one after the other.
pub type ImpairmentChain<I> = Vec<Stage<I>>;

/// Passes a packet through a chain of impairments. Returns `None` if one of them loses it.
pub fn pass_all<I: Impairment>(chain: &mut [Stage<I>], packet: &PassingPacket, now: Time) -> Option<Passage> {
    let mut packet = *packet;
    chain.iter_mut().try_fold(Passage::CLEAR, |so_far, (impairment, chance)| {
        let next = impairment.pass(&packet, now, chance)?;
        packet.ecn = next.ecn.unwrap_or(packet.ecn);
        Some(Passage {
            late: so_far.late.saturating_add(next.late),
            copies: so_far.copies + next.copies * (1 + so_far.copies),
            in_order: so_far.in_order && next.in_order,
            ecn: next.ecn.or(so_far.ecn),
        })
    })
}

/// A delay that changes. A new delay applies to packets sent afterwards.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct DelaySchedule {
    now: Span,
    /// Changes to come, the next one last.
    coming: Vec<(Time, Span)>,
}

impl DelaySchedule {
    /// Returns the delay of a packet that leaves at `leaves`. Calls must come in time order.
    fn at(&mut self, leaves: Time) -> Span {
        while let Some(&(_, delay)) = self.coming.last().filter(|change| change.0 <= leaves) {
            self.now = delay;
            self.coming.pop();
        }
        self.now
    }
}

/// Arrival times of packets on the wire. No two packets arrive at the same picosecond, because their order
/// would then depend on a sort.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct ArrivalSlots {
    /// Arrival of the last in-order packet or copy.
    last: Time,
    /// All future arrival times, if some packets may arrive out of order.
    taken: BTreeSet<Time>,
}

impl ArrivalSlots {
    /// Returns the arrival time of a packet that keeps order: `due`, or as soon afterwards as order allows.
    fn follow(&mut self, due: Time, copies: u32) -> Time {
        let arrives = due.max(self.last.saturating_add(1));
        self.last = arrives.saturating_add(u64::from(copies));
        arrives
    }

    /// Like [`Self::follow`], but allows for packets that need not keep order. No later call has `due`
    /// before `now`.
    fn claim(&mut self, now: Time, due: Time, passage: Passage) -> Time {
        while self.taken.first().is_some_and(|&time| time < now) {
            self.taken.pop_first();
        }
        let copies = u64::from(passage.copies);
        let mut at = if passage.in_order { due.max(self.last.saturating_add(1)) } else { due };
        while let Some(&clash) = self.taken.range(at..=at.saturating_add(copies)).next_back() {
            if clash == NEVER {
                // The line never sends the packet.
                return clash;
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

/// The arrival of a packet at the other end of a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Carried {
    /// When it arrives.
    pub arrives: Time,
    /// Number of copies that follow it.
    pub copies: u32,
    /// The ECN field that it arrives with, if the link has changed it.
    pub ecn: Option<Ecn>,
}

/// The path from a port to the other end of its link.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Wire<I> {
    delays: DelaySchedule,
    chain: ImpairmentChain<I>,
    /// Random and listed losses. They act last, and also record packets that are lost but have not left
    /// yet.
    loss: Option<Box<Loss>>,
    arrivals: ArrivalSlots,
}

impl<I: Impairment> Wire<I> {
    /// Creates a wire. `changes` of the delay are in time order.
    pub fn new(
        delay: Span,
        changes: &[(Time, Span)],
        chain: ImpairmentChain<I>,
        loss: Option<Box<Loss>>,
    ) -> Self {
        let coming = changes.iter().rev().copied().collect();
        Self { delays: DelaySchedule { now: delay, coming }, chain, loss, arrivals: ArrivalSlots::default() }
    }

    /// Returns how a packet arrives, or `None` if it is lost. Its transmission begins `now` and ends at
    /// `leaves`. Calls must come in time order.
    pub fn carry(&mut self, now: Time, leaves: Time, packet: &PassingPacket) -> Option<Carried> {
        let delay = self.delays.at(leaves);
        let passage = pass_all(&mut self.chain, packet, leaves);
        let lost = match (&mut self.loss, passage) {
            (Some(loss), None) => loss.add_loss(now, leaves, packet.data),
            (Some(loss), Some(_)) => loss.loses(now, leaves, packet.data),
            (None, passage) => passage.is_none(),
        };
        let passage = passage.filter(|_| !lost)?;
        let due = leaves.saturating_add(delay).saturating_add(passage.late);
        let arrives = match self.chain.is_empty() {
            true => self.arrivals.follow(due, passage.copies),
            false => self.arrivals.claim(leaves, due, passage),
        };
        // A trace that has ended never sends the packet. A packet that never arrives is not copied.
        let copies = if arrives == NEVER { 0 } else { passage.copies };
        Some(Carried { arrives, copies, ecn: passage.ecn })
    }

    /// Loses a packet that [`Self::carry`] would have delivered, because of an outage.
    pub fn cut(&mut self, now: Time, leaves: Time, data: bool) {
        if let Some(loss) = &mut self.loss {
            loss.add_loss(now, leaves, data);
        }
    }

    /// Counts the packets that will be lost and have not left yet: all of them, and the data packets.
    pub fn pending_losses(&mut self, now: Time) -> (u64, u64) {
        self.loss.as_mut().map_or((0, 0), |loss| loss.pending_losses(now))
    }
}

#[cfg(test)]
mod tests;
