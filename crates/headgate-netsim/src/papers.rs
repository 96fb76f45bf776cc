//! What packets carry that does not fit into them: SACK blocks and labels.

use headgate_model::feedback::{Label, Words};
use serde::{Deserialize, Serialize};

use crate::packet::{Head, Kind, NO_SACK, Packet};
use crate::prefetch::prefetch;
use crate::transport::sack::SackPool;

/// A label under way, and the third word of the packet in whose place its number stands.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Attached {
    label: Label,
    c: u32,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Papers {
    pub sacks: SackPool,
    labels: Vec<Attached>,
    free: Vec<u32>,
}

impl Papers {
    /// Gives a packet a label.
    pub fn attach(&mut self, packet: &mut Packet, label: Label) {
        let attached = Attached { label, c: packet.c };
        let index = self.free.pop().unwrap_or(self.labels.len() as u32);
        match self.labels.get_mut(index as usize) {
            Some(place) => *place = attached,
            None => self.labels.push(attached),
        }
        packet.c = index;
        packet.head = packet.head.with(Head::LABELLED, true);
    }

    /// Takes the label off a packet.
    #[inline]
    pub fn detach(&mut self, packet: &mut Packet) -> Option<Label> {
        if !packet.head.has(Head::LABELLED) {
            return None;
        }
        self.free.push(packet.c);
        let Attached { label, c } = self.labels[packet.c as usize];
        packet.c = c;
        packet.head = packet.head.without(Head::LABELLED);
        Some(label)
    }

    /// A packet's label will soon be read: it was written a link's delay ago, and has left the cache.
    #[inline]
    pub fn expect(&self, packet: &Packet) {
        if packet.head.has(Head::LABELLED) {
            prefetch(&self.labels, packet.c as usize);
        }
    }

    /// What a label of this scheme says that is on its way to the receiver.
    pub fn label_of(&mut self, packet: &Packet, scheme: u8) -> Option<&mut Words> {
        let forth = matches!(packet.head.kind(), Kind::Data | Kind::Syn);
        if !forth || !packet.head.has(Head::LABELLED) {
            return None;
        }
        let label = &mut self.labels[packet.c as usize].label;
        (label.scheme == scheme).then_some(&mut label.words)
    }

    /// A packet is gone without being read: its records must not leak.
    pub fn forget(&mut self, packet: &Packet) {
        let mut packet = *packet;
        self.detach(&mut packet);
        if packet.head.kind() == Kind::Ack && packet.c != NO_SACK {
            self.sacks.free(packet.c);
        }
    }

    /// Records in use.
    pub fn held(&self) -> usize {
        self.sacks.held() + self.labels.len() - self.free.len()
    }
}
