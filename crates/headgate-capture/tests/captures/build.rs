//! Builds captures by the RFCs and the drafts.

use std::io::Cursor;
use std::time::Duration;

use headgate_capture::{Capture, CaptureError, Contents, Row};

pub const FIN: u8 = 1;
pub const SYN: u8 = 2;
pub const RST: u8 = 4;
pub const ACK: u8 = 16;
pub const ETHERNET: u16 = 1;
pub const RAW: u16 = 101;
pub const CLIENT: ([u8; 4], u16) = ([10, 0, 0, 1], 40_000);
pub const SERVER: ([u8; 4], u16) = ([192, 0, 2, 7], 443);

/// A file under construction; words are in its byte order.
#[derive(Clone)]
pub struct File {
    pub bytes: Vec<u8>,
    pub is_big: bool,
}

impl File {
    pub fn pcap(link: u16, is_big: bool, is_nano: bool) -> Self {
        let mut file = Self { bytes: Vec::new(), is_big };
        file.word(if is_nano { 0xa1b2_3c4d } else { 0xa1b2_c3d4 }).half(2).half(4);
        file.word(0).word(0).word(262_144).word(link.into());
        file
    }

    pub fn pcapng(is_big: bool) -> Self {
        let mut file = Self { bytes: Vec::new(), is_big };
        file.section();
        file
    }

    pub fn section(&mut self) -> &mut Self {
        let mut body = Self { bytes: Vec::new(), is_big: self.is_big };
        body.word(0x1A2B_3C4D).half(1).half(0).word(u32::MAX).word(u32::MAX);
        self.block(0x0A0D_0D0A, &body.bytes)
    }

    pub fn interface(&mut self, link: u16, resolution: u8, offset_s: i64) -> &mut Self {
        let mut body = Self { bytes: Vec::new(), is_big: self.is_big };
        body.half(link).half(0).word(0);
        body.half(9).half(1).put(&[resolution, 0, 0, 0]);
        let offset = if self.is_big { offset_s.to_be_bytes() } else { offset_s.to_le_bytes() };
        body.half(14).half(8).put(&offset).half(0).half(0);
        self.block(1, &body.bytes)
    }

    /// A packet of a pcap file; `part` is the fraction of a second in the file's unit.
    pub fn record(&mut self, time: (u32, u32), data: &[u8], wire: usize) -> &mut Self {
        self.word(time.0).word(time.1).word(data.len() as u32).word(wire as u32).put(data)
    }

    pub fn packet(&mut self, interface: u32, ticks: u64, data: &[u8], wire: usize) -> &mut Self {
        let mut body = Self { bytes: Vec::new(), is_big: self.is_big };
        body.word(interface).word((ticks >> 32) as u32).word(ticks as u32);
        body.word(data.len() as u32).word(wire as u32).put(data);
        self.block(6, &body.bytes)
    }

    pub fn block(&mut self, kind: u32, body: &[u8]) -> &mut Self {
        let padding = body.len().next_multiple_of(4) - body.len();
        let length = (body.len() + padding + 12) as u32;
        self.word(kind).word(length).put(body).put(&[0; 3][..padding]).word(length)
    }

    pub fn put(&mut self, bytes: &[u8]) -> &mut Self {
        self.bytes.extend_from_slice(bytes);
        self
    }

    pub fn word(&mut self, word: u32) -> &mut Self {
        let bytes = if self.is_big { word.to_be_bytes() } else { word.to_le_bytes() };
        self.put(&bytes)
    }

    pub fn half(&mut self, half: u16) -> &mut Self {
        let bytes = if self.is_big { half.to_be_bytes() } else { half.to_le_bytes() };
        self.put(&bytes)
    }
}

/// A segment: its sender and its fields. The payload is zeros.
#[derive(Clone, Copy)]
pub struct Tcp {
    pub from_client: bool,
    pub seq: u32,
    pub ack: u32,
    pub flags: u8,
    pub bytes: usize,
}

impl Tcp {
    pub fn client(seq: u32, ack: u32, flags: u8, bytes: usize) -> Self {
        Self { from_client: true, seq, ack, flags, bytes }
    }

    pub fn server(seq: u32, ack: u32, flags: u8, bytes: usize) -> Self {
        Self { from_client: false, seq, ack, flags, bytes }
    }

    /// Header and payload.
    pub fn segment(self) -> Vec<u8> {
        let [from, to] = self.ends().map(|(_, port)| port.to_be_bytes());
        let rest = [5 << 4, self.flags, 0xFF, 0xFF, 0, 0, 0, 0];
        let mut made = [&from[..], &to, &self.seq.to_be_bytes(), &self.ack.to_be_bytes(), &rest].concat();
        made.resize(20 + self.bytes, 0);
        made
    }

    pub fn ends(self) -> [([u8; 4], u16); 2] {
        if self.from_client { [CLIENT, SERVER] } else { [SERVER, CLIENT] }
    }

    pub fn ipv4(self) -> Vec<u8> {
        let [from, to] = self.ends().map(|(host, _)| host);
        ipv4(from, to, 6, 0, &self.segment())
    }

    pub fn ethernet(self) -> Vec<u8> {
        ethernet(0x0800, &self.ipv4())
    }
}

/// An IPv4 packet; `fragment` is the word of flags and offset.
pub fn ipv4(from: [u8; 4], to: [u8; 4], protocol: u8, fragment: u16, inside: &[u8]) -> Vec<u8> {
    let length = (20 + inside.len()) as u16;
    let head =
        [&[0x45, 0][..], &length.to_be_bytes(), &[0, 1], &fragment.to_be_bytes(), &[64, protocol, 0, 0]];
    [head.concat(), from.to_vec(), to.to_vec(), inside.to_vec()].concat()
}

/// An IPv6 packet with extension headers in front of its content.
pub fn ipv6(from_client: bool, next: u8, inside: &[u8]) -> Vec<u8> {
    let host = |last: u8| [&[0x20, 0x01, 0x0d, 0xb8][..], &[0; 11], &[last]].concat();
    let (from, to) = if from_client { (host(1), host(2)) } else { (host(2), host(1)) };
    let head = [&[0x60, 0, 0, 0][..], &(inside.len() as u16).to_be_bytes(), &[next, 64]].concat();
    [head, from, to, inside.to_vec()].concat()
}

pub fn ethernet(kind: u16, inside: &[u8]) -> Vec<u8> {
    [&[2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2][..], &kind.to_be_bytes(), inside].concat()
}

pub const CLIENT_ISN: u32 = 1000;
pub const SERVER_ISN: u32 = 5_000_000;

/// A whole connection at its client's host, with a round trip of 40 ms: a request of 100 bytes and an answer
/// of 3000. Times in ms.
pub fn exchange() -> Vec<(u32, Tcp)> {
    let (c, s) = (CLIENT_ISN, SERVER_ISN);
    vec![
        (0, Tcp::client(c, 0, SYN, 0)),
        (40, Tcp::server(s, c + 1, SYN | ACK, 0)),
        (40, Tcp::client(c + 1, s + 1, ACK, 0)),
        (41, Tcp::client(c + 1, s + 1, ACK, 100)),
        (90, Tcp::server(s + 1, c + 101, ACK, 1500)),
        (91, Tcp::server(s + 1501, c + 101, ACK, 1500)),
        (92, Tcp::client(c + 101, s + 3001, ACK, 0)),
        (95, Tcp::server(s + 3001, c + 101, FIN | ACK, 0)),
        (96, Tcp::client(c + 101, s + 3002, FIN | ACK, 0)),
        (136, Tcp::server(s + 3002, c + 102, ACK, 0)),
    ]
}

/// A pcap file of raw IP with these segments, in microseconds.
pub fn raw(segments: &[(u32, Tcp)]) -> File {
    let mut file = File::pcap(RAW, false, false);
    for &(time_ms, segment) in segments {
        let data = segment.ipv4();
        file.record((time_ms / 1000, time_ms % 1000 * 1000), &data, data.len());
    }
    file
}

pub fn try_read(bytes: &[u8]) -> Result<Contents, CaptureError> {
    let mut capture = Capture::new(Cursor::new(bytes.to_vec()))?;
    while !capture.advance(Duration::from_secs(10))? {}
    Ok(capture.into_contents())
}

pub fn read(file: &File) -> Contents {
    try_read(&file.bytes).unwrap()
}

/// The only connection of a file.
pub fn only_row(file: &File) -> Row {
    let rows = read(file).rows;
    assert_eq!(rows.len(), 1, "{rows:?}");
    rows[0]
}

pub const MS: i64 = 1_000_000;
