//! Packets that a line loses after the queue.

use headgate_model::chance::Stream;
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
}

impl Loss {
    /// `None` if no packet is ever lost.
    pub fn new(probability: f64, stream: Stream, listed: &[u64]) -> Option<Box<Self>> {
        let listed = listed.iter().copied().collect::<VecDeque<_>>();
        let any = probability > 0.0 || !listed.is_empty();
        any.then(|| Box::new(Self { probability, stream, listed, entered: 0 }))
    }

    /// Whether the line loses the next packet that enters it.
    pub fn takes_next(&mut self) -> bool {
        self.entered += 1;
        let listed = self.listed.front() == Some(&self.entered);
        if listed {
            self.listed.pop_front();
        }
        listed || (self.probability > 0.0 && self.stream.chance(self.probability))
    }
}
