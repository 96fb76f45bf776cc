//! The two queues, and the scheduler that chooses between them.

use std::collections::VecDeque;

use headgate_model::queue::QueuedPacket;

use crate::parts::ethernet::FRAME_BYTES;

/// One of the two queues.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(super) enum QueueKind {
    /// The low-latency queue.
    Low,
    /// The classic queue.
    Classic,
}

impl QueueKind {
    fn other(self) -> Self {
        if self == Self::Low { Self::Classic } else { Self::Low }
    }
}

/// Weights are integers of this sum, so that credits are exact.
const WHOLE: i64 = 1_000_000;

/// Both queues and the credit between them.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub(super) struct QueuePair {
    /// The packets of L and C, each with whether L's own threshold applies to it.
    queues: [VecDeque<(QueuedPacket, bool)>; 2],
    bytes: u64,
    /// The weights of L and C: a byte sent by one queue adds the other's weight to the other's credit.
    weights: [i64; 2],
    /// Above 0, C has sent less than its share.
    credit: i64,
}

impl QueuePair {
    pub fn new(classic_protection: f64) -> Self {
        let classic = libm::round(classic_protection * WHOLE as f64) as i64;
        let mut pair =
            Self { queues: Default::default(), bytes: 0, weights: [WHOLE - classic, classic], credit: 0 };
        pair.reset();
        pair
    }

    /// Begins with the queue of the larger weight (Linux sch_dualpi2.c).
    fn reset(&mut self) {
        let [low, classic] = self.weights;
        self.credit = FRAME_BYTES as i64 * (classic - low);
    }

    pub fn waiting(&self, side: QueueKind) -> usize {
        self.queues[side as usize].len()
    }

    pub fn packets(&self) -> usize {
        self.waiting(QueueKind::Low) + self.waiting(QueueKind::Classic)
    }

    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Returns how long the first packet of a queue has waited; 0 if it is empty.
    pub fn wait_s(&self, side: QueueKind, now_s: f64) -> f64 {
        self.queues[side as usize].front().map_or(0.0, |(packet, _)| now_s - packet.since_s)
    }

    /// Adds a packet. The credit restarts when both queues were empty.
    pub fn push(&mut self, side: QueueKind, packet: QueuedPacket, applies: bool) {
        if self.packets() == 0 {
            self.reset();
        }
        self.bytes += u64::from(packet.size_bytes);
        self.queues[side as usize].push_back((packet, applies));
    }

    /// Returns the queue whose turn it is: by credit, or by the longer wait if those of L count as longer by
    /// `shift_s`.
    pub fn choose(&self, now_s: f64, shift_s: Option<f64>) -> Option<QueueKind> {
        match (self.waiting(QueueKind::Low), self.waiting(QueueKind::Classic)) {
            (0, 0) => return None,
            (_, 0) => return Some(QueueKind::Low),
            (0, _) => return Some(QueueKind::Classic),
            _ => {}
        }
        let low = match shift_s {
            None => self.credit <= 0,
            Some(shift_s) => {
                self.wait_s(QueueKind::Low, now_s) + shift_s >= self.wait_s(QueueKind::Classic, now_s)
            }
        };
        Some(if low { QueueKind::Low } else { QueueKind::Classic })
    }

    pub fn pop(&mut self, side: QueueKind) -> Option<(QueuedPacket, bool)> {
        let first = self.queues[side as usize].pop_front()?;
        self.bytes -= u64::from(first.0.size_bytes);
        Some(first)
    }

    /// Charges a sent packet to its queue, if the other queue has packets.
    pub fn charge(&mut self, side: QueueKind, size_bytes: u32) {
        if self.waiting(side.other()) == 0 {
            return;
        }
        let change = i64::from(size_bytes) * self.weights[side.other() as usize];
        self.credit += if side == QueueKind::Low { change } else { -change };
    }
}
