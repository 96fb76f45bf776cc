//! What packets carry that does not fit into them: SACK blocks and headers.

use headgate_model::feedback::{CongestionHeader, Words};
use headgate_tcp::context::Blocks;
use serde::{Deserialize, Serialize};

use crate::foreign::{self, Delivery, Loss, Outcomes};
use crate::packet::{Kind, Packet};
use crate::prefetch::prefetch;
use crate::sacks::SackPool;

/// In the place of a header's number: there is none.
pub const NO_HEADER: u32 = u32::MAX;

/// A header under way, and the word of its packet in whose place its number stands.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Attached {
    header: CongestionHeader,
    word: u32,
}

/// What a packet carries, on its way from the side table of one shard to that of another.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct PacketMeta {
    header: Option<CongestionHeader>,
    blocks: Option<Blocks>,
}

impl Packet {
    /// Whether it carries anything.
    #[inline]
    pub fn has_meta(&self) -> bool {
        self.header().is_some() || self.sack_record().is_some()
    }
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct SideTable {
    pub sacks: SackPool,
    headers: Vec<Attached>,
    free: Vec<u32>,
    /// What became of foreign packets, and nobody has taken yet.
    pub outcomes: Outcomes,
}

impl SideTable {
    /// Nothing under way, but this became of foreign packets.
    pub fn with(outcomes: Outcomes) -> Self {
        Self { outcomes, ..Self::default() }
    }

    /// Gives a packet a new header.
    pub fn attach(&mut self, packet: &mut Packet, header: CongestionHeader) {
        let number = self.keep(header);
        self.put_on(packet, number);
    }

    fn keep(&mut self, header: CongestionHeader) -> u32 {
        let number = self.free.pop().unwrap_or_else(|| self.grow(header));
        self.headers[number as usize].header = header;
        number
    }

    #[cold]
    fn grow(&mut self, header: CongestionHeader) -> u32 {
        self.headers.push(Attached { header, word: 0 });
        (self.headers.len() - 1) as u32
    }

    /// Gives a packet a header that another had.
    #[inline]
    pub fn put_on(&mut self, packet: &mut Packet, number: u32) {
        self.headers[number as usize].word = packet.put_header(number);
    }

    /// Takes the header off a packet: its number, if it had one.
    #[inline]
    pub fn take_off(&mut self, packet: &mut Packet) -> Option<u32> {
        let number = packet.header()?;
        packet.take_header(self.headers[number as usize].word);
        Some(number)
    }

    /// A packet's time stamp, or the one that it echoes, and its SACK blocks; it may have a header.
    pub fn facts(&self, packet: &Packet) -> (Option<u32>, Blocks) {
        let mut bare = *packet;
        if let Some(number) = packet.header() {
            bare.take_header(self.headers[number as usize].word);
        }
        match bare.kind() {
            Kind::Data => (Some(bare.segment().stamp), Blocks::default()),
            Kind::Ack => {
                let blocks = bare.sack_record().map(|record| self.sacks.read(record));
                (Some(bare.echoed_timestamp()), blocks.unwrap_or_default())
            }
            Kind::Syn | Kind::SynAck => (None, Blocks::default()),
        }
    }

    /// A packet that has lost this header reached its host; whether it is a foreign one, which is then delivered.
    pub fn deliver_foreign(&mut self, packet: &Packet, number: u32) -> bool {
        let Some(id) = self.headers.get(number as usize).and_then(|held| foreign::id_of(&held.header)) else {
            return false;
        };
        self.outcomes.delivered.push(Delivery { time: packet.time, id, marked: packet.is_marked() });
        self.discard(number);
        true
    }

    /// What a header says that was taken off.
    pub fn read(&self, number: u32) -> &CongestionHeader {
        &self.headers[number as usize].header
    }

    /// It is no longer needed; [`NO_HEADER`] is none.
    pub fn discard(&mut self, number: u32) {
        if number != NO_HEADER {
            self.free.push(number);
        }
    }

    /// A packet's header will soon be read: it was written a link's delay ago, and has left the cache.
    #[inline]
    pub fn expect(&self, packet: &Packet) {
        if let Some(number) = packet.header() {
            prefetch(&self.headers, number as usize);
        }
    }

    /// Number of a packet's header, if it is of this scheme and on its way to the receiver.
    pub fn number_of(&self, packet: &Packet, scheme: u8) -> u32 {
        let header =
            packet.header().filter(|&number| packet.is_forward() && self.read(number).scheme == scheme);
        header.unwrap_or(NO_HEADER)
    }

    /// What a header says; nothing where there is none.
    pub fn words(&mut self, number: u32) -> Option<&mut Words> {
        self.headers.get_mut(number as usize).map(|place| &mut place.header.words)
    }

    /// A packet is gone without being read: its records must not leak.
    pub fn forget(&mut self, packet: &Packet) {
        let mut packet = *packet;
        if let Some(number) = self.take_off(&mut packet) {
            let lost = foreign::id_of(self.read(number)).map(|id| Loss { time: packet.time, id });
            self.outcomes.lost.extend(lost);
            self.discard(number);
        }
        if let Some(number) = packet.sack_record() {
            self.sacks.free(number);
        }
    }

    /// A packet once more, with records of its own.
    pub fn copy(&mut self, packet: &Packet) -> Packet {
        let mut copy = *packet;
        let header = self.take_off(&mut copy).map(|number| *self.read(number));
        if let Some(number) = copy.sack_record() {
            let blocks = self.sacks.read(number);
            copy.set_sack_record(Some(self.sacks.store(blocks)));
        }
        if let Some(header) = header {
            self.attach(&mut copy, header);
        }
        copy
    }

    /// Takes from a packet what it carries.
    pub fn take_meta(&mut self, packet: &mut Packet) -> PacketMeta {
        let header = self.take_off(packet).map(|number| {
            self.discard(number);
            *self.read(number)
        });
        let blocks = packet.sack_record().map(|number| {
            packet.set_sack_record(None);
            self.sacks.take(number)
        });
        PacketMeta { header, blocks }
    }

    /// Gives a packet what it carried elsewhere.
    pub fn put_meta(&mut self, packet: &mut Packet, records: PacketMeta) {
        if let Some(blocks) = records.blocks {
            packet.set_sack_record(Some(self.sacks.store(blocks)));
        }
        if let Some(header) = records.header {
            self.attach(packet, header);
        }
    }

    /// What a packet carries goes to the side table of another shard.
    pub fn move_meta(&mut self, packet: &mut Packet, to: &mut Self) {
        if packet.has_meta() {
            let records = self.take_meta(packet);
            to.put_meta(packet, records);
        }
    }

    /// A header that was taken off goes to the side table of another shard: its number there.
    pub fn move_headers(&mut self, number: u32, to: &mut Self) -> u32 {
        if number == NO_HEADER {
            return NO_HEADER;
        }
        self.discard(number);
        to.keep(*self.read(number))
    }

    /// Number of entries in use.
    pub fn held(&self) -> usize {
        self.sacks.held() + self.headers.len() - self.free.len()
    }
}
