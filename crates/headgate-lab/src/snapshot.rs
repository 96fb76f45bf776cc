//! The bytes of a stopped run: a head that says whose they are, then the engine's state.

use headgate_netsim::setup::Lists;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::error::{Checked, Wrong};

const MAGIC: &[u8; 8] = b"HEADGATE";

/// Raised when the head below changes; the state itself belongs to one version of the engine.
const FORMAT: u16 = 1;

#[derive(Serialize, Deserialize)]
struct Head {
    version: String,
    identity: u64,
    length: u64,
    checksum: u64,
}

/// What a run is, in 64 bits: its plan and arrays.
pub fn identity(plan_json: &str, lists: &Lists) -> u64 {
    let mut hash = Hash::default();
    hash.part(plan_json.as_bytes());
    for (name, column) in lists {
        hash.part(name.as_bytes());
        hash.number(column.len() as u64);
        column.iter().for_each(|&value| hash.number(value));
    }
    hash.0
}

pub fn write<S: Serialize>(identity: u64, state: &S) -> Checked<Vec<u8>> {
    let body = encoded(state)?;
    let version = crate::VERSION.to_owned();
    let head = Head { version, identity, length: body.len() as u64, checksum: checksum(&body) };
    let parts = [MAGIC.as_slice(), &FORMAT.to_le_bytes(), &encoded(&head)?, &body];
    Ok(parts.concat())
}

pub fn read<S: DeserializeOwned>(identity: u64, bytes: &[u8]) -> Checked<S> {
    let (head, body) = opened(bytes)?;
    let ours = crate::VERSION;
    ensure(head.version == ours, || {
        format!("it was written by version {} of Headgate; this is {ours}, which cannot go on", head.version)
    })?;
    ensure(head.identity == identity, || "it belongs to another plan".to_owned())?;
    ensure(body.len() as u64 == head.length, || {
        format!("it has {} bytes of state where {} were written", body.len(), head.length)
    })?;
    ensure(checksum(body) == head.checksum, || "its checksum does not fit its contents".to_owned())?;
    postcard::from_bytes(body).map_err(|error| refused(format!("its state cannot be read: {error}")))
}

fn opened(bytes: &[u8]) -> Checked<(Head, &[u8])> {
    let rest = bytes.strip_prefix(MAGIC).ok_or_else(|| refused("it is not a snapshot of Headgate"))?;
    let short = || refused("it is cut short");
    let (format, rest) = rest.split_first_chunk().ok_or_else(short)?;
    let format = u16::from_le_bytes(*format);
    ensure(format == FORMAT, || format!("it has format {format}; this version reads format {FORMAT}"))?;
    postcard::take_from_bytes(rest).map_err(|_| refused("its head is damaged or cut short"))
}

fn encoded<S: Serialize>(value: &S) -> Checked<Vec<u8>> {
    postcard::to_stdvec(value).map_err(|error| refused(format!("the state cannot be written: {error}")))
}

fn refused(says: impl Into<String>) -> Wrong {
    Wrong::new("snapshot", says)
}

fn ensure(good: bool, says: impl FnOnce() -> String) -> Checked {
    if good { Ok(()) } else { Err(refused(says())) }
}

fn checksum(bytes: &[u8]) -> u64 {
    let mut hash = Hash::default();
    hash.part(bytes);
    hash.0
}

/// FNV-1a over words of eight bytes: the same on every machine, and any one change shows.
struct Hash(u64);

impl Default for Hash {
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl Hash {
    /// The rotation carries changes of high bits down, where the product alone would leave them.
    fn number(&mut self, value: u64) {
        self.0 = (self.0 ^ value).wrapping_mul(0x0000_0100_0000_01b3).rotate_left(29);
    }

    /// Bytes and their number, so that neighbouring parts do not run together.
    fn part(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            self.number(u64::from_le_bytes(word));
        }
        self.number(bytes.len() as u64);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    type State = Vec<(u64, f64, Option<u32>)>;

    fn state() -> State {
        (0..100).map(|i| (i, i as f64 / 3.0, (i % 2 == 0).then_some(i as u32))).collect()
    }

    fn says(bytes: &[u8]) -> String {
        let wrong = read::<State>(7, bytes).unwrap_err();
        assert_eq!(wrong.place, "snapshot");
        wrong.says
    }

    #[test]
    fn what_was_written_is_read() {
        assert_eq!(read::<State>(7, &write(7, &state()).unwrap()).unwrap(), state());
    }

    #[test]
    fn another_plan_version_format_or_file_is_named() {
        let good = write(7, &state()).unwrap();
        assert!(read::<State>(8, &good).unwrap_err().says.contains("another plan"));
        assert!(says(b"").contains("not a snapshot"));
        assert!(says(b"nonsense").contains("not a snapshot"));
        let mut bytes = good.clone();
        bytes[8] = 9;
        assert!(says(&bytes).contains("format 9"));
        let mut bytes = good;
        bytes[11] = b'9'; // the first byte of the version, after its length
        assert!(says(&bytes).contains("written by version 9"));
    }

    #[test]
    fn every_cut_and_every_flipped_bit_is_found() {
        let good = write(7, &state()).unwrap();
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
        let lists = |name: &str, column: &[u64]| Lists::from([(name.to_owned(), column.to_vec())]);
        let base = identity("{}", &lists("a", &[1, 2]));
        assert_eq!(base, identity("{}", &lists("a", &[1, 2])));
        for other in [lists("b", &[1, 2]), lists("a", &[2, 1]), lists("a", &[1]), Lists::new()] {
            assert_ne!(base, identity("{}", &other));
        }
        assert_ne!(base, identity("{ }", &lists("a", &[1, 2])));
    }
}
