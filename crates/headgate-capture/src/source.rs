//! Frames of a pcap or pcapng file, in the order of the file.

use std::io::{self, Cursor, Read};
use std::sync::{Arc, Mutex, PoisonError};

use pcap_parser::pcapng::{Block, InterfaceDescriptionBlock, UnknownBlock};
use pcap_parser::traits::{PcapNGPacketBlock, PcapReaderIterator};
use pcap_parser::{PcapBlockOwned, PcapError, PcapHeader, create_reader};

/// Initial and largest number of bytes of a file in memory; no packet needs more.
const BUFFER: usize = 1 << 20;
const LARGEST_BUFFER: usize = 1 << 26;
/// The block of packets before pcapng had enhanced ones (draft-ietf-opsawg-pcapng, appendix A).
const OBSOLETE_PACKET: u32 = 2;
/// Largest number of interfaces of a file that are recorded.
const MOST_INTERFACES: usize = 1 << 16;
/// The kind of link of a packet whose interface the file does not describe.
const NO_LINK: u16 = u16::MAX;
const NS_PER_S: i128 = 1_000_000_000;

/// A packet as it was captured.
#[derive(Clone, Copy, Debug)]
pub struct Frame<'a> {
    /// Time since 1970, if it is known.
    pub time_ns: Option<i64>,
    /// Kind of link: a LINKTYPE of tcpdump's list.
    pub link: u16,
    /// The captured bytes.
    pub data: &'a [u8],
    /// Original length.
    pub wire_bytes: u32,
}

/// The end of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    Whole,
    /// Within a packet.
    Cut,
    /// No packet begins at this byte.
    Damaged(usize),
}

/// A file that is being read.
pub struct Source {
    reader: Box<dyn PcapReaderIterator + Send>,
    format: Format,
    fault: Fault,
}

/// The error of reading the file, because the library only records that one occurred.
type Fault = Arc<Mutex<Option<io::Error>>>;

/// The file's description of itself so far.
enum Format {
    Pcap { link: u16, unit: Unit },
    Pcapng { interfaces: Vec<Interface>, big_endian: bool },
}

#[derive(Clone, Copy)]
struct Interface {
    link: u16,
    unit: Unit,
    offset_s: i64,
}

/// The unit of a time stamp.
#[derive(Clone, Copy)]
enum Unit {
    /// 10^-n s.
    Decimal(u8),
    /// 2^-n s.
    Binary(u8),
}

impl Source {
    /// Opens a file.
    ///
    /// # Errors
    /// An error of the kind `InvalidData` describes the file if it is not a capture.
    pub fn new(mut file: impl Read + Send + 'static) -> io::Result<Self> {
        let mut head = Vec::new();
        file.by_ref().take(BUFFER as u64).read_to_end(&mut head)?;
        let other = explain_head(&head);
        let fault = Fault::default();
        let watched = CountingReader { file: Cursor::new(head).chain(file), fault: Arc::clone(&fault) };
        let reader =
            create_reader(BUFFER, watched).map_err(|_| io::Error::new(io::ErrorKind::InvalidData, other))?;
        let format = Format::Pcap { link: 0, unit: Unit::Decimal(6) };
        Ok(Self { reader, format, fault })
    }

    /// Takes one step. `take` receives the packet, if the step reaches one. Returns the end of the file, if
    /// reached.
    ///
    /// # Errors
    /// After an error of the kind `Interrupted` the next step tries again.
    pub fn step(&mut self, take: impl FnOnce(Frame<'_>)) -> io::Result<Option<End>> {
        let at = self.reader.consumed();
        match self.reader.next() {
            Ok((length, block)) => {
                if let Some(frame) = self.format.read(&block) {
                    take(frame);
                }
                self.reader.consume(length);
                Ok(None)
            }
            Err(PcapError::Eof) => Ok(Some(End::Whole)),
            Err(PcapError::UnexpectedEof) => Ok(Some(End::Cut)),
            Err(PcapError::Incomplete(_) | PcapError::BufferTooSmall) => self.fill(),
            Err(_) => Ok(Some(End::Damaged(at))),
        }
    }

    /// Number of bytes of the file that were processed.
    pub fn consumed(&self) -> usize {
        self.reader.consumed()
    }

    /// Reads more of the file, and enlarges the buffer if it is full.
    fn fill(&mut self) -> io::Result<Option<End>> {
        let before = self.reader.data().len();
        if self.reader.refill().is_err() {
            let fault = self.fault.lock().unwrap_or_else(PoisonError::into_inner).take();
            return Err(fault.unwrap_or_else(|| io::ErrorKind::Other.into()));
        }
        let is_full = self.reader.data().len() == before && !self.reader.reader_exhausted();
        if is_full && !self.reader.grow((2 * before).clamp(BUFFER, LARGEST_BUFFER)) {
            return Ok(Some(End::Damaged(self.reader.consumed())));
        }
        Ok(None)
    }
}

impl Format {
    /// Processes a block: records its description of the file, or returns its packet.
    fn read<'a>(&mut self, block: &'a PcapBlockOwned<'a>) -> Option<Frame<'a>> {
        match block {
            PcapBlockOwned::LegacyHeader(header) => {
                *self = Self::pcap(header);
                None
            }
            PcapBlockOwned::Legacy(packet) => {
                let Self::Pcap { link, unit } = *self else { return None };
                let ticks = u64::from(packet.ts_usec);
                let time_ns = clamp(i128::from(packet.ts_sec) * NS_PER_S + unit.nanoseconds(ticks));
                Some(Frame { time_ns: Some(time_ns), link, data: packet.data, wire_bytes: packet.origlen })
            }
            PcapBlockOwned::NG(block) => self.read_block(block),
        }
    }

    fn pcap(header: &PcapHeader) -> Self {
        let unit = Unit::Decimal(if header.is_nanosecond_precision() { 9 } else { 6 });
        Self::Pcap { link: header.network.0 as u16, unit }
    }

    fn read_block<'a>(&mut self, block: &'a Block<'a>) -> Option<Frame<'a>> {
        if let Block::SectionHeader(header) = block {
            *self = Self::Pcapng { interfaces: Vec::new(), big_endian: header.big_endian() };
        }
        let Self::Pcapng { interfaces, big_endian } = self else { return None };
        match block {
            Block::InterfaceDescription(described) => {
                if interfaces.len() < MOST_INTERFACES {
                    interfaces.push(Interface::new(described, *big_endian));
                }
                None
            }
            Block::EnhancedPacket(packet) => {
                let time = [packet.ts_high, packet.ts_low];
                Some(stamp(interfaces, packet.if_id, time, packet.packet_data(), packet.origlen))
            }
            // the library returns the number of the block as if it were little-endian
            Block::Unknown(block)
                if [OBSOLETE_PACKET, OBSOLETE_PACKET.swap_bytes()].contains(&block.block_type) =>
            {
                read_obsolete(block, *big_endian, interfaces)
            }
            Block::SimplePacket(packet) => {
                let link = interfaces.first().map_or(NO_LINK, |of| of.link);
                Some(Frame { time_ns: None, link, data: packet.packet_data(), wire_bytes: packet.origlen })
            }
            _ => None,
        }
    }
}

/// Adds the time and the kind of link to a packet, from the description of its interface.
fn stamp<'a>(of: &[Interface], number: u32, time: [u32; 2], data: &'a [u8], wire_bytes: u32) -> Frame<'a> {
    let ticks = u64::from(time[0]) << 32 | u64::from(time[1]);
    let interface = of.get(number as usize);
    let time_ns = interface.map(|of| of.nanoseconds(ticks));
    Frame { time_ns, link: interface.map_or(NO_LINK, |of| of.link), data, wire_bytes }
}

/// Interface and drops (two halves of a word), time, captured and original length, packet.
fn read_obsolete<'a>(block: &UnknownBlock<'a>, big_endian: bool, of: &[Interface]) -> Option<Frame<'a>> {
    let word = |at: usize| {
        let bytes: [u8; 4] = block.data.get(at..at + 4)?.try_into().ok()?;
        Some(if big_endian { u32::from_be_bytes(bytes) } else { u32::from_le_bytes(bytes) })
    };
    let number = if big_endian { word(0)? >> 16 } else { word(0)? & 0xFFFF };
    let captured = word(12)? as usize;
    let data = block.data.get(20..)?;
    Some(stamp(of, number, [word(4)?, word(8)?], data.get(..captured).unwrap_or(data), word(16)?))
}

impl Interface {
    fn new(described: &InterfaceDescriptionBlock<'_>, big_endian: bool) -> Self {
        let resolution = described.if_tsresol;
        let power = resolution & 0x7F;
        let unit = if resolution & 0x80 == 0 { Unit::Decimal(power) } else { Unit::Binary(power) };
        // the library reads this option as little-endian in every file
        let offset = described.if_tsoffset;
        let offset_s = if big_endian { offset.swap_bytes() } else { offset };
        Self { link: described.linktype.0 as u16, unit, offset_s }
    }

    fn nanoseconds(&self, ticks: u64) -> i64 {
        clamp(self.unit.nanoseconds(ticks) + i128::from(self.offset_s) * NS_PER_S)
    }
}

impl Unit {
    fn nanoseconds(self, ticks: u64) -> i128 {
        let ticks = i128::from(ticks);
        match self {
            Self::Decimal(power @ ..=9) => ticks * 10i128.pow(9 - u32::from(power)),
            // 64 bits fit into 20 digits
            Self::Decimal(power) => ticks / 10i128.pow((u32::from(power) - 9).min(20)),
            Self::Binary(power) => (ticks * NS_PER_S) >> power,
        }
    }
}

/// Limits times to three centuries from 1970.
fn clamp(time_ns: i128) -> i64 {
    time_ns.clamp(i64::MIN.into(), i64::MAX.into()) as i64
}

/// Describes a file that is neither pcap nor pcapng, by its first bytes.
fn explain_head(head: &[u8]) -> String {
    const COMPRESSED: [(&[u8], &str, &str); 5] = [
        (b"\x1f\x8b", "gzip", "gunzip -c"),
        (b"\xfd7zXZ\0", "xz", "xz -dc"),
        (b"\x28\xb5\x2f\xfd", "zstd", "zstd -dc"),
        (b"\x04\x22\x4d\x18", "lz4", "lz4 -dc"),
        (b"BZh", "bzip2", "bzip2 -dc"),
    ];
    if head.is_empty() {
        return "is empty; a capture is a pcap or pcapng file".to_owned();
    }
    let found = COMPRESSED.iter().find(|(magic, ..)| head.starts_with(magic));
    found.map_or_else(
        || "is neither pcap nor pcapng, or its header is damaged or cut off".to_owned(),
        |(_, name, unpack)| format!("is compressed ({name}); unpack it first: {unpack} FILE > capture.pcap"),
    )
}

/// A reader that records the error of its file.
struct CountingReader<R> {
    file: R,
    fault: Fault,
}

impl<R: Read> Read for CountingReader<R> {
    fn read(&mut self, room: &mut [u8]) -> io::Result<usize> {
        self.file.read(room).map_err(|error| {
            let kind = error.kind();
            *self.fault.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
            kind.into()
        })
    }
}
