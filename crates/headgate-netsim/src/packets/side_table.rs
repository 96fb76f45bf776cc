//! The side table: SACK blocks and congestion headers, which do not fit into a packet.

use headgate_model::feedback::{CongestionHeader, Words};
use headgate_tcp::context::Blocks;
use serde::{Deserialize, Serialize};

use crate::packets::foreign::{self, Delivery, Loss, Outcomes};
use crate::packets::media::{MediaFields, MediaReport, report_header, report_number};
use crate::packets::packet::{Packet, PacketKind};
use crate::packets::prefetch::prefetch;
use crate::packets::sacks::{AckOptions, SackPool};

/// A header number that means no header.
pub const NO_HEADER: u32 = u32::MAX;

/// A header in flight, and the word of its packet that the header's number replaces.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct StoredHeader {
    header: CongestionHeader,
    word: u32,
}

/// Everything that a packet carries, on the way between the side tables of two shards.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct PacketMeta {
    header: Option<CongestionHeader>,
    options: Option<AckOptions>,
    report: Option<Box<MediaReport>>,
}

impl Packet {
    /// Returns whether the packet carries a header or SACK blocks.
    #[inline]
    pub fn has_meta(&self) -> bool {
        self.header().is_some() || self.sack_record().is_some()
    }
}

/// Reports, whose numbers are reused.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct ReportPool {
    reports: Vec<Option<Box<MediaReport>>>,
    free: Vec<u32>,
}

impl ReportPool {
    fn store(&mut self, report: Box<MediaReport>) -> u32 {
        if let Some(number) = self.free.pop() {
            self.reports[number as usize] = Some(report);
            return number;
        }
        self.reports.push(Some(report));
        (self.reports.len() - 1) as u32
    }

    fn take(&mut self, number: u32) -> Option<Box<MediaReport>> {
        self.free.push(number);
        self.reports[number as usize].take()
    }
}

/// Headers, SACK blocks and reports of media of the packets of a shard.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct SideTable {
    /// SACK blocks of the ACKs.
    pub sacks: SackPool,
    headers: Vec<StoredHeader>,
    free: Vec<u32>,
    /// Reports of receivers of media in flight.
    reports: ReportPool,
    /// Deliveries and losses of foreign packets that were not taken yet.
    pub outcomes: Outcomes,
}

impl SideTable {
    /// A table without packets that starts with these outcomes.
    pub fn with(outcomes: Outcomes) -> Self {
        Self { outcomes, ..Self::default() }
    }

    /// Attaches a new header to a packet.
    pub fn attach_new(&mut self, packet: &mut Packet, header: CongestionHeader) {
        let number = self.keep(header);
        self.attach(packet, number);
    }

    /// Attaches a report of a receiver of media to a packet.
    pub fn attach_report(&mut self, packet: &mut Packet, report: Box<MediaReport>) {
        let number = self.reports.store(report);
        self.attach_new(packet, report_header(number));
    }

    /// Removes the detached header of a packet of media, and returns its fields. `None` if it is another
    /// header.
    pub fn take_media(&mut self, header: u32) -> Option<MediaFields> {
        let fields = MediaFields::of(&self.headers.get(header as usize)?.header)?;
        self.discard(header);
        Some(fields)
    }

    /// Removes the report that a detached header carries, and returns it.
    pub fn take_report(&mut self, header: u32) -> Option<Box<MediaReport>> {
        let number = report_number(&self.headers.get(header as usize)?.header)?;
        self.discard(header);
        self.reports.take(number)
    }

    fn keep(&mut self, header: CongestionHeader) -> u32 {
        let number = self.free.pop().unwrap_or_else(|| self.grow(header));
        self.headers[number as usize].header = header;
        number
    }

    #[cold]
    fn grow(&mut self, header: CongestionHeader) -> u32 {
        self.headers.push(StoredHeader { header, word: 0 });
        (self.headers.len() - 1) as u32
    }

    /// Attaches a stored header to a packet.
    #[inline]
    pub fn attach(&mut self, packet: &mut Packet, number: u32) {
        self.headers[number as usize].word = packet.put_header(number);
    }

    /// Detaches the header of a packet. Returns its number, or `None` if the packet carries no header.
    #[inline]
    pub fn detach(&mut self, packet: &mut Packet) -> Option<u32> {
        let number = packet.header()?;
        packet.take_header(self.headers[number as usize].word);
        Some(number)
    }

    /// Returns a packet as it was before its header was attached.
    pub fn without_header(&self, packet: &Packet) -> Packet {
        let mut bare = *packet;
        if let Some(number) = packet.header() {
            bare.take_header(self.headers[number as usize].word);
        }
        bare
    }

    /// Returns a packet's time stamp (of an ACK, the one that it echoes) and its SACK blocks. The packet
    /// may carry a header.
    pub fn timestamp_and_blocks(&self, packet: &Packet) -> (Option<u32>, Blocks) {
        let bare = self.without_header(packet);
        match bare.kind() {
            PacketKind::Data => (Some(bare.segment().stamp), Blocks::default()),
            PacketKind::Ack => {
                let blocks = bare.sack_record().and_then(|record| self.sacks.read(record).blocks);
                (Some(bare.echoed_timestamp()), blocks.unwrap_or_default())
            }
            PacketKind::Syn | PacketKind::SynAck => (None, Blocks::default()),
        }
    }

    /// Records the delivery of a packet whose header was detached, if it is a foreign packet. Returns
    /// whether it is.
    pub fn deliver_foreign(&mut self, packet: &Packet, number: u32) -> bool {
        let Some(id) = self.headers.get(number as usize).and_then(|held| foreign::id_of(&held.header)) else {
            return false;
        };
        self.outcomes.delivered.push(Delivery { time: packet.time, id, ecn: packet.ecn() });
        self.discard(number);
        true
    }

    /// Returns a stored header.
    pub fn read(&self, number: u32) -> &CongestionHeader {
        &self.headers[number as usize].header
    }

    /// Removes a header. Does nothing for [`NO_HEADER`].
    pub fn discard(&mut self, number: u32) {
        if number != NO_HEADER {
            self.free.push(number);
        }
    }

    /// Loads a packet's header into the cache: it was written a link delay ago.
    #[inline]
    pub fn prefetch(&self, packet: &Packet) {
        if let Some(number) = packet.header() {
            prefetch(&self.headers, number as usize);
        }
    }

    /// Returns the number of a packet's header if it belongs to this scheme and travels to the receiver;
    /// otherwise [`NO_HEADER`].
    pub fn header_number(&self, packet: &Packet, scheme: u8) -> u32 {
        let header =
            packet.header().filter(|&number| packet.is_forward() && self.read(number).scheme == scheme);
        header.unwrap_or(NO_HEADER)
    }

    /// Returns the words of a header, or `None` for [`NO_HEADER`].
    pub fn header_words(&mut self, number: u32) -> Option<&mut Words> {
        self.headers.get_mut(number as usize).map(|place| &mut place.header.words)
    }

    /// Removes what a lost packet carried.
    pub fn forget(&mut self, packet: &Packet) {
        let mut packet = *packet;
        if let Some(number) = self.detach(&mut packet) {
            let lost = foreign::id_of(self.read(number)).map(|id| Loss { time: packet.time, id });
            self.outcomes.lost.extend(lost);
            if self.take_report(number).is_none() {
                self.discard(number);
            }
        }
        if let Some(number) = packet.sack_record() {
            self.sacks.free(number);
        }
    }

    /// Duplicates a packet with everything that it carries.
    pub fn copy(&mut self, packet: &Packet) -> Packet {
        let mut copy = *packet;
        let header = self.detach(&mut copy).map(|number| *self.read(number));
        if let Some(number) = copy.sack_record() {
            let options = self.sacks.read(number);
            copy.set_sack_record(Some(self.sacks.store(options)));
        }
        if let Some(header) = header {
            let report =
                report_number(&header).and_then(|number| self.reports.reports[number as usize].clone());
            match report {
                Some(report) => self.attach_report(&mut copy, report),
                None => self.attach_new(&mut copy, header),
            }
        }
        copy
    }

    /// Removes from the table what a packet carries, and returns it.
    pub fn take_meta(&mut self, packet: &mut Packet) -> PacketMeta {
        let header = self.detach(packet).map(|number| {
            self.discard(number);
            *self.read(number)
        });
        let report = header.as_ref().and_then(report_number).and_then(|number| self.reports.take(number));
        let options = packet.sack_record().map(|number| {
            packet.set_sack_record(None);
            self.sacks.take(number)
        });
        PacketMeta { header, options, report }
    }

    /// Stores what a packet carried in another table.
    pub fn put_meta(&mut self, packet: &mut Packet, records: PacketMeta) {
        if let Some(options) = records.options {
            packet.set_sack_record(Some(self.sacks.store(options)));
        }
        if let Some(report) = records.report {
            self.attach_report(packet, report);
        } else if let Some(header) = records.header {
            self.attach_new(packet, header);
        }
    }

    /// Moves what a packet carries to the table of another shard.
    pub fn move_meta(&mut self, packet: &mut Packet, to: &mut Self) {
        if packet.has_meta() {
            let records = self.take_meta(packet);
            to.put_meta(packet, records);
        }
    }

    /// Moves a detached header to the table of another shard. Returns its number there.
    pub fn move_header(&mut self, number: u32, to: &mut Self) -> u32 {
        if number == NO_HEADER {
            return NO_HEADER;
        }
        self.discard(number);
        to.keep(*self.read(number))
    }

    /// Returns the number of entries in use.
    pub fn held(&self) -> usize {
        let reports = self.reports.reports.len() - self.reports.free.len();
        self.sacks.held() + self.headers.len() - self.free.len() + reports
    }
}
