//! Packets that a line loses after the queue.

use headgate_model::chance::Stream;
use headgate_model::plan::Link;
use headgate_model::units::Time;
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// Chance, and numbers of packets.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Loss {
    probability: f64,
    /// Probabilities to come, and from when on, the next one last.
    coming: Vec<(Time, f64)>,
    stream: Stream,
    /// Numbers of packets that are lost in any case, and packets so far.
    listed: VecDeque<u64>,
    entered: u64,
    /// Packets that are lost once they have left: when that is, and whether they are data.
    doomed: VecDeque<(Time, bool)>,
}

impl Loss {
    /// That of a line which others lose packets of too.
    pub fn kept(link: &Link, stream: Stream) -> Box<Self> {
        let coming = link.losses.iter().rev().map(|change| (change.at_ps, change.loss)).collect();
        let (listed, doomed) = (link.lose.iter().copied().collect(), VecDeque::new());
        Box::new(Self { probability: link.loss, coming, stream, listed, entered: 0, doomed })
    }

    /// `None` if no packet is ever lost.
    pub fn new(link: &Link, stream: Stream) -> Option<Box<Self>> {
        let any = link.loss > 0.0 || !link.lose.is_empty() || !link.losses.is_empty();
        any.then(|| Self::kept(link, stream))
    }

    /// Whether the line loses the packet that comes now and leaves then. Calls come in the order of both.
    pub fn takes(&mut self, now: Time, leaves: Time, data: bool) -> bool {
        self.settle(now);
        self.change(leaves);
        self.entered += 1;
        let listed = self.listed.front() == Some(&self.entered);
        if listed {
            self.listed.pop_front();
        }
        let lost = listed || (self.probability > 0.0 && self.stream.chance(self.probability));
        lost && self.lose(now, leaves, data)
    }

    /// A packet is lost that comes now and leaves then; true.
    pub fn lose(&mut self, now: Time, leaves: Time, data: bool) -> bool {
        self.settle(now);
        self.doomed.push_back((leaves, data));
        true
    }

    fn change(&mut self, leaves: Time) {
        while let Some(&(_, probability)) = self.coming.last().filter(|change| change.0 <= leaves) {
            self.probability = probability;
            self.coming.pop();
        }
    }

    fn settle(&mut self, now: Time) {
        while self.doomed.front().is_some_and(|packet| packet.0 <= now) {
            self.doomed.pop_front();
        }
    }

    /// Packets that will be lost and have not left yet: all, and the data among them.
    pub fn ahead(&mut self, now: Time) -> (u64, u64) {
        self.settle(now);
        (self.doomed.len() as u64, self.doomed.iter().filter(|packet| packet.1).count() as u64)
    }
}
