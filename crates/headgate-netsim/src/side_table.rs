//! What packets carry that does not fit into them: SACK blocks and labels.

use headgate_model::feedback::{Label, Words};
use headgate_tcp::context::Blocks;
use serde::{Deserialize, Serialize};

use crate::packet::Packet;
use crate::prefetch::prefetch;
use crate::sacks::SackPool;

/// In the place of a label's number: there is none.
pub const NO_LABEL: u32 = u32::MAX;

/// A label under way, and the word of its packet in whose place its number stands.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Attached {
    label: Label,
    word: u32,
}

/// What a packet carries, on its way from the side table of one shard to that of another.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct PacketMeta {
    label: Option<Label>,
    blocks: Option<Blocks>,
}

impl Packet {
    /// Whether it carries anything.
    #[inline]
    pub fn has_meta(&self) -> bool {
        self.label().is_some() || self.sack_record().is_some()
    }
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct SideTable {
    pub sacks: SackPool,
    labels: Vec<Attached>,
    free: Vec<u32>,
}

impl SideTable {
    /// Gives a packet a new label.
    pub fn attach(&mut self, packet: &mut Packet, label: Label) {
        let number = self.keep(label);
        self.put_on(packet, number);
    }

    fn keep(&mut self, label: Label) -> u32 {
        let number = self.free.pop().unwrap_or_else(|| self.grow(label));
        self.labels[number as usize].label = label;
        number
    }

    #[cold]
    fn grow(&mut self, label: Label) -> u32 {
        self.labels.push(Attached { label, word: 0 });
        (self.labels.len() - 1) as u32
    }

    /// Gives a packet a label that another had.
    #[inline]
    pub fn put_on(&mut self, packet: &mut Packet, number: u32) {
        self.labels[number as usize].word = packet.put_label(number);
    }

    /// Takes the label off a packet: its number, if it had one.
    #[inline]
    pub fn take_off(&mut self, packet: &mut Packet) -> Option<u32> {
        let number = packet.label()?;
        packet.take_label(self.labels[number as usize].word);
        Some(number)
    }

    /// What a label says that was taken off.
    pub fn read(&self, number: u32) -> &Label {
        &self.labels[number as usize].label
    }

    /// It is no longer needed; [`NO_LABEL`] is none.
    pub fn discard(&mut self, number: u32) {
        if number != NO_LABEL {
            self.free.push(number);
        }
    }

    /// A packet's label will soon be read: it was written a link's delay ago, and has left the cache.
    #[inline]
    pub fn expect(&self, packet: &Packet) {
        if let Some(number) = packet.label() {
            prefetch(&self.labels, number as usize);
        }
    }

    /// Number of a packet's label, if it is of this scheme and on its way to the receiver.
    pub fn number_of(&self, packet: &Packet, scheme: u8) -> u32 {
        let label =
            packet.label().filter(|&number| packet.is_forward() && self.read(number).scheme == scheme);
        label.unwrap_or(NO_LABEL)
    }

    /// What a label says; nothing where there is none.
    pub fn words(&mut self, number: u32) -> Option<&mut Words> {
        self.labels.get_mut(number as usize).map(|place| &mut place.label.words)
    }

    /// A packet is gone without being read: its records must not leak.
    pub fn forget(&mut self, packet: &Packet) {
        let mut packet = *packet;
        if let Some(number) = self.take_off(&mut packet) {
            self.discard(number);
        }
        if let Some(number) = packet.sack_record() {
            self.sacks.free(number);
        }
    }

    /// Takes from a packet what it carries.
    pub fn take_meta(&mut self, packet: &mut Packet) -> PacketMeta {
        let label = self.take_off(packet).map(|number| {
            self.discard(number);
            *self.read(number)
        });
        let blocks = packet.sack_record().map(|number| {
            packet.set_sack_record(None);
            self.sacks.take(number)
        });
        PacketMeta { label, blocks }
    }

    /// Gives a packet what it carried elsewhere.
    pub fn put_meta(&mut self, packet: &mut Packet, records: PacketMeta) {
        if let Some(blocks) = records.blocks {
            packet.set_sack_record(Some(self.sacks.store(blocks)));
        }
        if let Some(label) = records.label {
            self.attach(packet, label);
        }
    }

    /// What a packet carries goes to the side table of another shard.
    pub fn move_meta(&mut self, packet: &mut Packet, to: &mut Self) {
        if packet.has_meta() {
            let records = self.take_meta(packet);
            to.put_meta(packet, records);
        }
    }

    /// A label that was taken off goes to the side table of another shard: its number there.
    pub fn move_label(&mut self, number: u32, to: &mut Self) -> u32 {
        if number == NO_LABEL {
            return NO_LABEL;
        }
        self.discard(number);
        to.keep(*self.read(number))
    }

    /// PacketMeta in use.
    pub fn held(&self) -> usize {
        self.sacks.held() + self.labels.len() - self.free.len()
    }
}
