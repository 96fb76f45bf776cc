//! Payloads of packets in the network, by the packets' numbers.

use std::collections::VecDeque;

use headgate_lab::ecn::Ecn;

/// A packet whose payload is stored here while its number is in the engine.
#[derive(Debug)]
pub struct Payload {
    pub bytes: Vec<u8>,
    pub to: u32,
    pub flow: u32,
    pub payload_bytes: u16,
    /// Its ECN field when it entered the network.
    pub ecn: Ecn,
    /// Time at which it left its host, ps.
    pub sent: u64,
    /// Whether the outcome of a copy of it is known.
    heard: bool,
}

impl Payload {
    pub fn new(bytes: Vec<u8>, (to, flow): (u32, u32), payload_bytes: u16, ecn: Ecn, sent: u64) -> Self {
        Self { bytes, to, flow, payload_bytes, ecn, sent, heard: false }
    }
}

/// Payloads by number. Numbers increase. A payload is kept for `keep` after the outcome of its first copy,
/// because a link that duplicates packets delivers others later.
#[derive(Debug, Default)]
pub struct Payloads {
    first: u64,
    waiting: VecDeque<Option<Payload>>,
    leaving: VecDeque<(u64, u64)>,
    keep: u64,
    spare: Vec<Vec<u8>>,
}

/// Number of buffers that are kept for reuse.
const SPARE: usize = 4096;

impl Payloads {
    pub fn new(keep: u64) -> Self {
        Self { keep, ..Self::default() }
    }

    /// Returns a buffer for a packet.
    pub fn buffer(&mut self) -> Vec<u8> {
        self.spare.pop().unwrap_or_default()
    }

    /// Returns a buffer for reuse.
    pub fn give_back(&mut self, buffer: Vec<u8>) {
        if self.spare.len() < SPARE {
            self.spare.push(buffer);
        }
    }

    /// Stores a payload. Returns its number.
    pub fn add(&mut self, payload: Payload) -> u64 {
        self.waiting.push_back(Some(payload));
        self.first + self.waiting.len() as u64 - 1
    }

    /// Returns the payload of a number, of which a copy arrived or was lost at `now`.
    pub fn hear(&mut self, id: u64, now: u64) -> Option<&mut Payload> {
        let payload = self.waiting.get_mut(id.checked_sub(self.first)? as usize)?.as_mut()?;
        if !std::mem::replace(&mut payload.heard, true) {
            self.leaving.push_back((now.saturating_add(self.keep), id));
        }
        Some(payload)
    }

    /// Removes payloads that are not needed after `now`.
    pub fn free(&mut self, now: u64) {
        while let Some(&(_, id)) = self.leaving.front().filter(|leaving| leaving.0 <= now) {
            self.leaving.pop_front();
            if let Some(payload) = self.waiting.get_mut((id - self.first) as usize).and_then(Option::take) {
                self.give_back(payload.bytes);
            }
            while self.waiting.front().is_some_and(Option::is_none) {
                self.waiting.pop_front();
                self.first += 1;
            }
        }
    }

    /// Number of packets in the network.
    pub fn len(&self) -> usize {
        self.waiting.iter().flatten().filter(|payload| !payload.heard).count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn payload(byte: u8) -> Payload {
        Payload::new(vec![byte], (0, 0), 1, Ecn::NotEct, 0)
    }

    #[test]
    fn payloads_leave_in_any_order() {
        let mut all = Payloads::new(0);
        assert_eq!([1, 2, 3].map(|byte| all.add(payload(byte))), [0, 1, 2]);
        assert_eq!(all.hear(1, 5).expect("it waits").bytes, [2]);
        all.free(5);
        assert!(all.hear(1, 5).is_none() && all.hear(9, 5).is_none() && all.len() == 2);
        for (id, byte) in [(0, 1), (2, 3)] {
            assert_eq!(all.hear(id, 6).expect("it waits").bytes, [byte]);
        }
        all.free(6);
        assert_eq!((all.len(), all.add(payload(4))), (0, 3));
    }

    #[test]
    fn copies_find_their_payload_for_a_while() {
        let mut all = Payloads::new(10);
        let id = all.add(payload(1));
        for now in [5, 14] {
            assert!(all.hear(id, now).is_some());
            all.free(now);
        }
        all.free(15);
        assert!(all.hear(id, 15).is_none());
    }
}
