//! Packets that a line loses after the queue.

use headgate_model::chance::Stream;
use headgate_model::units::Time;
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// Chance, and numbers of packets.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Loss {
    probability: f64,
    stream: Stream,
    /// Numbers of packets that are lost in any case, and packets so far.
    listed: VecDeque<u64>,
    entered: u64,
    /// Packets that are lost once they have left: when that is, and whether they are data.
    doomed: VecDeque<(Time, bool)>,
}

impl Loss {
    /// `None` if no packet is ever lost.
    pub fn new(probability: f64, stream: Stream, listed: &[u64]) -> Option<Box<Self>> {
        let listed = listed.iter().copied().collect::<VecDeque<_>>();
        let any = probability > 0.0 || !listed.is_empty();
        let doomed = VecDeque::new();
        any.then(|| Box::new(Self { probability, stream, listed, entered: 0, doomed }))
    }

    /// Whether the line loses the packet that comes now and leaves then.
    pub fn takes(&mut self, now: Time, leaves: Time, data: bool) -> bool {
        self.settle(now);
        self.entered += 1;
        let listed = self.listed.front() == Some(&self.entered);
        if listed {
            self.listed.pop_front();
        }
        let lost = listed || (self.probability > 0.0 && self.stream.chance(self.probability));
        if lost {
            self.doomed.push_back((leaves, data));
        }
        lost
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
