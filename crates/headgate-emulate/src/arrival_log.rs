//! The log of arrivals: the packets that enter the network, written to disk during the run.
//!
//! It starts with [`MAGIC`], followed by rows of [`ROW_BYTES`], little-endian: time in ps (8 B), sending
//! host, receiving host and flow (4 B each), size in bytes, and the ECN field (2 B each). If a run is
//! killed, the log contains what was written, possibly with a partial row at the end.
//!
//! A separate thread writes. The loop waits for the disk only if the thread is behind by `BLOCKS_UNDER_WAY`
//! blocks.

use std::fs::File;
use std::io::{self, Write};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::JoinHandle;

use headgate_lab::simulation::Arrival;

/// The first bytes of a log.
pub const MAGIC: &[u8; 8] = b"HGARRIV2";

pub const ROW_BYTES: usize = 24;

/// Largest number of rows in a block: 192 kB, which a link of 1 Gbit/s fills in a tenth of a second.
const BLOCK_ROWS: usize = 8192;

/// Longest time that a block waits for more rows: 1 s.
const LONGEST_WAIT: u64 = 1_000_000_000_000;

/// Largest number of blocks that wait for the disk: 25 MB.
const BLOCKS_UNDER_WAY: usize = 128;

/// A log that is being written.
#[derive(Debug)]
pub struct ArrivalLog {
    block: Vec<u8>,
    /// Time of the first row of the block, ps.
    begun: u64,
    blocks: SyncSender<Vec<u8>>,
    writer: JoinHandle<io::Result<()>>,
}

impl ArrivalLog {
    /// Creates a log at the start of a file.
    pub fn new(file: File) -> Self {
        let (blocks, received) = sync_channel(BLOCKS_UNDER_WAY);
        let writer = std::thread::spawn(move || write(file, &received));
        Self { block: Vec::new(), begun: 0, blocks, writer }
    }

    /// Adds a row. Returns false if the log failed; `finish` returns the error.
    #[must_use]
    pub fn add(&mut self, arrival: &Arrival) -> bool {
        if self.block.is_empty() {
            self.block.reserve(BLOCK_ROWS * ROW_BYTES);
            self.begun = arrival.0;
        }
        self.block.extend(row(arrival));
        self.block.len() < BLOCK_ROWS * ROW_BYTES || self.send()
    }

    /// Passes a block to the writer if it has waited long enough at `now`, ps.
    #[must_use]
    pub fn send_due(&mut self, now: u64) -> bool {
        self.block.is_empty() || now < self.begun.saturating_add(LONGEST_WAIT) || self.send()
    }

    fn send(&mut self) -> bool {
        self.blocks.send(std::mem::take(&mut self.block)).is_ok()
    }

    /// Writes the remaining rows.
    ///
    /// # Errors
    /// The error of the file, which may have occurred earlier.
    pub fn finish(mut self) -> io::Result<()> {
        self.send();
        drop(self.blocks);
        self.writer.join().unwrap_or_else(|_| Err(io::Error::other("its thread ended")))
    }
}

fn row((time, packet): &Arrival) -> [u8; ROW_BYTES] {
    let mut row = [0; ROW_BYTES];
    row[..8].copy_from_slice(&time.to_le_bytes());
    row[8..12].copy_from_slice(&packet.from.to_le_bytes());
    row[12..16].copy_from_slice(&packet.to.to_le_bytes());
    row[16..20].copy_from_slice(&packet.flow.to_le_bytes());
    row[20..22].copy_from_slice(&packet.size_bytes.to_le_bytes());
    row[22..].copy_from_slice(&u16::from(packet.ecn.bits()).to_le_bytes());
    row
}

fn write(mut file: File, blocks: &Receiver<Vec<u8>>) -> io::Result<()> {
    file.write_all(MAGIC)?;
    blocks.iter().try_for_each(|block| file.write_all(&block))
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Seek};

    use headgate_lab::ecn::Ecn;
    use headgate_lab::simulation::ForeignPacket;

    use super::*;

    fn arrival(n: u64) -> Arrival {
        let packet =
            ForeignPacket { id: n, from: 1, to: 2, flow: n as u32, size_bytes: 1500, ecn: Ecn::Ect0 };
        (n * 1_000_000, packet)
    }

    /// A log in a temporary file that no other test uses, and the file opened again for reading. Their
    /// offsets are separate: with a shared one, a reader that rewinds would move the writer.
    fn scratch(name: &str) -> (ArrivalLog, File) {
        let path = std::env::temp_dir().join(format!("headgate-{name}-{}", std::process::id()));
        let written = File::create_new(&path).expect("a file");
        let read = File::open(&path).expect("it was created");
        std::fs::remove_file(path).expect("it was there");
        (ArrivalLog::new(written), read)
    }

    fn text(file: &mut File) -> Vec<u8> {
        let mut bytes = Vec::new();
        file.rewind().and_then(|()| file.read_to_end(&mut bytes)).expect("it can be read");
        bytes
    }

    #[test]
    fn rows_are_as_they_are_described() {
        let (mut log, mut file) = scratch("rows");
        assert!(log.add(&arrival(7)));
        log.finish().expect("it is written");
        let bytes = text(&mut file);
        assert_eq!((&bytes[..8], bytes.len()), (&MAGIC[..], 8 + ROW_BYTES));
        assert_eq!(bytes[8..16], 7_000_000u64.to_le_bytes());
        assert_eq!(bytes[16..], [1, 0, 0, 0, 2, 0, 0, 0, 7, 0, 0, 0, 0xdc, 5, 0b10, 0]); // ECT(0), RFC 3168 §5
    }

    #[test]
    fn a_block_is_on_the_disk_when_it_is_full_or_a_second_old() {
        let (mut log, mut file) = scratch("blocks");
        let rows = BLOCK_ROWS as u64 + 5;
        assert!((0..rows).all(|n| log.add(&arrival(n))) && log.send_due(LONGEST_WAIT));
        let wait_for = |file: &mut File, size: usize| {
            for _ in 0..500 {
                if text(file).len() >= size {
                    break;
                }
                std::thread::sleep(std::time::Duration::from_millis(10));
            }
            assert_eq!(text(file).len(), size);
        };
        wait_for(&mut file, 8 + BLOCK_ROWS * ROW_BYTES);
        assert!(log.send_due(2 * LONGEST_WAIT));
        wait_for(&mut file, 8 + rows as usize * ROW_BYTES);
        log.finish().expect("it is written");
    }

    #[test]
    fn a_file_that_takes_nothing_is_an_error() {
        let full = File::options().write(true).open("/dev/full").expect("Linux has it");
        let mut log = ArrivalLog::new(full);
        for n in 0..(BLOCKS_UNDER_WAY * 2 * BLOCK_ROWS) as u64 {
            if !log.add(&arrival(n)) {
                break;
            }
        }
        assert_eq!(log.finish().expect_err("it is full").kind(), io::ErrorKind::StorageFull);
    }
}
