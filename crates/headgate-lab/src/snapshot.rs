//! The bytes of a stopped run: a header that identifies the run, the engine's state, and its length and
//! checksum. They are written as a stream, so that the state of a large run is never twice in memory.

use std::io::{self, BufWriter, Write};

use headgate_model::check::{PlanError, Result};
use headgate_netsim::devices::Arrays;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

const MAGIC: &[u8; 8] = b"HEADGATE";

/// The format; increased when the header below or the layout of the state changes.
const FORMAT: u16 = 14;

/// Size of the length and the checksum, bytes.
const TAIL: usize = 16;

/// Size of the write buffer, bytes.
const GATHERED: usize = 1 << 20;

#[derive(Serialize, Deserialize)]
struct Head {
    version: String,
    identity: u64,
}

/// The 64-bit identity of a run: a hash of its plan and arrays.
pub fn identity(plan_json: &str, lists: &Arrays) -> u64 {
    let mut hash = Hash::default();
    hash.part(plan_json.as_bytes());
    for (name, column) in lists {
        hash.part(name.as_bytes());
        hash.number(column.len() as u64);
        column.iter().for_each(|&value| hash.number(value));
    }
    hash.0
}

/// Writes a state.
///
/// # Errors
/// The inner result is the file's error; the outer one is that of the state.
pub fn write<S: Serialize>(identity: u64, state: &S, file: &mut impl Write) -> Result<io::Result<()>> {
    let head = encoded(&Head { version: crate::VERSION.to_owned(), identity })?;
    let start = [MAGIC.as_slice(), &FORMAT.to_le_bytes(), &head].concat();
    if let Err(error) = file.write_all(&start) {
        return Ok(Err(error));
    }
    let mut body = BufWriter::with_capacity(GATHERED, ChecksumWriter::new(file));
    let encoded = postcard::to_io(state, &mut body).map(drop).map_err(unwritable);
    match body.into_inner() {
        Ok(summing) => encoded.map(|()| summing.end()),
        Err(failed) => Ok(Err(failed.into_error())),
    }
}

pub fn read<S: DeserializeOwned>(identity: u64, bytes: &[u8]) -> Result<S> {
    let (head, rest) = opened(bytes)?;
    let ours = crate::VERSION;
    ensure(head.version == ours, || {
        format!(
            "it was written by version {} of Headgate; this version, {ours}, cannot resume it",
            head.version
        )
    })?;
    ensure(head.identity == identity, || "it is of another plan".to_owned())?;
    let (body, tail) = rest.split_last_chunk::<TAIL>().ok_or_else(|| refused("it is cut short"))?;
    let (length, sum) = tail.split_at(TAIL / 2);
    let (length, sum) = (number(length), number(sum));
    ensure(body.len() as u64 == length && checksum(body) == sum, || {
        format!("its {} bytes of state do not match its length and checksum", body.len())
    })?;
    postcard::from_bytes(body).map_err(|error| refused(format!("its state cannot be read: {error}")))
}

fn opened(bytes: &[u8]) -> Result<(Head, &[u8])> {
    let rest = bytes.strip_prefix(MAGIC).ok_or_else(|| refused("it is not a snapshot of Headgate"))?;
    let short = || refused("it is cut short");
    let (format, rest) = rest.split_first_chunk().ok_or_else(short)?;
    let format = u16::from_le_bytes(*format);
    ensure(format == FORMAT, || format!("it has format {format}; this version reads format {FORMAT}"))?;
    postcard::take_from_bytes(rest).map_err(|_| refused("its head is damaged or cut short"))
}

fn encoded<S: Serialize>(value: &S) -> Result<Vec<u8>> {
    postcard::to_stdvec(value).map_err(unwritable)
}

fn unwritable(error: postcard::Error) -> PlanError {
    refused(format!("the state cannot be written: {error}"))
}

fn number(bytes: &[u8]) -> u64 {
    u64::from_le_bytes(bytes.try_into().expect("eight bytes"))
}

fn refused(says: impl Into<String>) -> PlanError {
    PlanError::new("snapshot", says)
}

fn ensure(good: bool, says: impl FnOnce() -> String) -> Result {
    if good { Ok(()) } else { Err(refused(says())) }
}

fn checksum(bytes: &[u8]) -> u64 {
    let mut hash = Hash::default();
    hash.part(bytes);
    hash.0
}

/// A writer that counts and hashes its bytes, as [`checksum`] does for the whole.
struct ChecksumWriter<'a, W> {
    file: &'a mut W,
    hash: Hash,
    length: u64,
    /// Bytes that do not fill a word yet.
    rest: Vec<u8>,
}

impl<'a, W: Write> ChecksumWriter<'a, W> {
    fn new(file: &'a mut W) -> Self {
        Self { file, hash: Hash::default(), length: 0, rest: Vec::new() }
    }

    fn note(&mut self, mut bytes: &[u8]) {
        self.length += bytes.len() as u64;
        if !self.rest.is_empty() {
            let missing = (WORD - self.rest.len()).min(bytes.len());
            self.rest.extend_from_slice(&bytes[..missing]);
            bytes = &bytes[missing..];
            if self.rest.len() < WORD {
                return;
            }
            self.hash.words(&self.rest);
            self.rest.clear();
        }
        let (words, rest) = bytes.split_at(bytes.len() / WORD * WORD);
        self.hash.words(words);
        self.rest.extend_from_slice(rest);
    }

    /// Writes length and checksum.
    fn end(mut self) -> io::Result<()> {
        self.hash.words(&self.rest);
        self.hash.number(self.length);
        self.file.write_all(&self.length.to_le_bytes())?;
        self.file.write_all(&self.hash.0.to_le_bytes())?;
        self.file.flush()
    }
}

impl<W: Write> Write for ChecksumWriter<'_, W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.file.write(bytes)?;
        self.note(&bytes[..written]);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

const WORD: usize = 8;

/// FNV-1a over words of eight bytes: equal on every machine, and sensitive to any single change.
struct Hash(u64);

impl Default for Hash {
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl Hash {
    /// Adds a number. The rotation carries changes of high bits down, which the product alone would not.
    fn number(&mut self, value: u64) {
        self.0 = (self.0 ^ value).wrapping_mul(0x0000_0100_0000_01b3).rotate_left(29);
    }

    /// Adds bytes and their number, so that adjacent parts are distinct.
    fn part(&mut self, bytes: &[u8]) {
        self.words(bytes);
        self.number(bytes.len() as u64);
    }

    /// Adds bytes by words; the last word may be short.
    fn words(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(WORD) {
            let mut word = [0; WORD];
            word[..chunk.len()].copy_from_slice(chunk);
            self.number(u64::from_le_bytes(word));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    type State = Vec<(u64, f64, Option<u32>)>;

    fn state() -> State {
        (0..100).map(|i| (i, i as f64 / 3.0, (i % 2 == 0).then_some(i as u32))).collect()
    }

    fn written(state: &State) -> Vec<u8> {
        let mut bytes = Vec::new();
        write(7, state, &mut bytes).unwrap().unwrap();
        bytes
    }

    /// A writer that accepts a few bytes at a time, up to a limit.
    struct Small(Vec<u8>, usize);

    impl Write for Small {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            let take = bytes.len().min(3);
            if self.0.len() + take > self.1 {
                return Err(io::Error::from(io::ErrorKind::StorageFull));
            }
            self.0.extend_from_slice(&bytes[..take]);
            Ok(take)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_file_that_takes_little_at_a_time_holds_the_same() {
        let mut small = Small(Vec::new(), usize::MAX);
        write(7, &state(), &mut small).unwrap().unwrap();
        assert_eq!(small.0, written(&state()));
    }

    #[test]
    fn a_full_disk_is_told_wherever_it_fills_up() {
        for room in 0..written(&state()).len() {
            let error = write(7, &state(), &mut Small(Vec::new(), room)).unwrap().unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::StorageFull, "room for {room}");
        }
    }

    fn says(bytes: &[u8]) -> String {
        let wrong = read::<State>(7, bytes).unwrap_err();
        assert_eq!(wrong.place, "snapshot");
        wrong.message
    }

    #[test]
    fn what_was_written_is_read() {
        assert_eq!(read::<State>(7, &written(&state())).unwrap(), state());
    }

    #[test]
    fn another_plan_version_format_or_file_is_named() {
        let good = written(&state());
        assert!(read::<State>(8, &good).unwrap_err().message.contains("another plan"));
        assert!(says(b"").contains("not a snapshot"));
        assert!(says(b"nonsense").contains("not a snapshot"));
        let mut bytes = good.clone();
        bytes[8] = FORMAT as u8 + 1;
        assert!(says(&bytes).contains(&format!("it has format {}", FORMAT + 1)));
        let mut bytes = good;
        bytes[11] = b'9'; // the first byte of the version, after its length
        assert!(says(&bytes).contains("written by version 9"));
    }

    #[test]
    fn every_cut_and_every_flipped_bit_is_found() {
        let good = written(&state());
        for length in 0..good.len() {
            says(&good[..length]);
        }
        for place in 0..good.len() {
            let mut bytes = good.clone();
            bytes[place] ^= 1 << (place % 8);
            says(&bytes);
        }
        says(&[good.as_slice(), b"more"].concat());
    }

    #[test]
    fn the_identity_depends_on_every_part() {
        let lists = |name: &str, column: &[u64]| Arrays::from([(name.to_owned(), column.to_vec())]);
        let base = identity("{}", &lists("a", &[1, 2]));
        assert_eq!(base, identity("{}", &lists("a", &[1, 2])));
        for other in [lists("b", &[1, 2]), lists("a", &[2, 1]), lists("a", &[1]), Arrays::new()] {
            assert_ne!(base, identity("{}", &other));
        }
        assert_ne!(base, identity("{ }", &lists("a", &[1, 2])));
    }
}
