//! Packets that a line loses after the queue.

use headgate_model::chance::Stream;
use headgate_model::plan::Link;
use headgate_model::units::Time;
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// Losses by probability and by packet number.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Loss {
    probability: f64,
    /// Future probabilities and their times, the next one last.
    coming: Vec<(Time, f64)>,
    stream: Stream,
    /// Numbers of packets that are lost in any case.
    listed: VecDeque<u64>,
    /// Packets so far.
    entered: u64,
    /// Packets that are lost and have not left yet: departure time, and whether they are data.
    doomed: VecDeque<(Time, bool)>,
}

impl Loss {
    /// Creates the losses of a link even if it loses none itself: impairments record their losses here.
    pub fn always(link: &Link, stream: Stream) -> Box<Self> {
        let coming = link.losses.iter().rev().map(|change| (change.at_ps, change.loss)).collect();
        let (listed, doomed) = (link.lose.iter().copied().collect(), VecDeque::new());
        Box::new(Self { probability: link.loss, coming, stream, listed, entered: 0, doomed })
    }

    /// Creates the losses of a link; `None` if it never loses a packet.
    pub fn new(link: &Link, stream: Stream) -> Option<Box<Self>> {
        let any = link.loss > 0.0 || !link.lose.is_empty() || !link.losses.is_empty();
        any.then(|| Self::always(link, stream))
    }

    /// Decides whether the line loses a packet that arrives at `now` and leaves at `leaves`. Both increase
    /// from call to call.
    pub fn loses(&mut self, now: Time, leaves: Time, data: bool) -> bool {
        self.remove_departed(now);
        self.change(leaves);
        self.entered += 1;
        let listed = self.listed.front() == Some(&self.entered);
        if listed {
            self.listed.pop_front();
        }
        let lost = listed || (self.probability > 0.0 && self.stream.chance(self.probability));
        lost && self.add_loss(now, leaves, data)
    }

    /// Records the loss of a packet that arrives at `now` and leaves at `leaves`. Returns true.
    pub fn add_loss(&mut self, now: Time, leaves: Time, data: bool) -> bool {
        self.remove_departed(now);
        self.doomed.push_back((leaves, data));
        true
    }

    fn change(&mut self, leaves: Time) {
        while let Some(&(_, probability)) = self.coming.last().filter(|change| change.0 <= leaves) {
            self.probability = probability;
            self.coming.pop();
        }
    }

    fn remove_departed(&mut self, now: Time) {
        while self.doomed.front().is_some_and(|packet| packet.0 <= now) {
            self.doomed.pop_front();
        }
    }

    /// Counts the packets that will be lost and have not left yet: all of them, and the data packets.
    pub fn pending_losses(&mut self, now: Time) -> (u64, u64) {
        self.remove_departed(now);
        (self.doomed.len() as u64, self.doomed.iter().filter(|packet| packet.1).count() as u64)
    }
}
