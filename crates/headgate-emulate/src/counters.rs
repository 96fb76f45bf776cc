//! The kernel's counters of a host's device: packets that it dropped in either direction.

use std::fs::File;
use std::io::{self, Read, Seek};

use crate::tun::NAME;

/// Packets that a device dropped since its creation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Drops {
    /// Packets that the host sent, and that found no space in the queue which the loop reads.
    pub unread: u64,
    /// Packets that the loop wrote, and that the host's kernel did not accept.
    pub untaken: u64,
}

/// Reads the counters from `/proc/net/dev` of the host's network namespace. They are zero if the device does
/// not exist, as when another kernel owns the card.
///
/// # Errors
/// If the file cannot be read.
pub fn read(file: &mut File) -> io::Result<Drops> {
    let mut text = String::new();
    file.rewind()?;
    file.read_to_string(&mut text)?;
    Ok(parse(&text).unwrap_or_default())
}

/// A line contains the name, eight counters of received and eight of sent packets; the fourth of each are
/// drops.
fn parse(text: &str) -> Option<Drops> {
    let line = text.lines().find_map(|line| line.trim_start().strip_prefix(NAME)?.strip_prefix(':'))?;
    let mut numbers = line.split_whitespace().map(str::parse);
    let untaken = numbers.nth(3)?.ok()?;
    let unread = numbers.nth(7)?.ok()?;
    Some(Drops { unread, untaken })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn drops_are_the_fourth_number_of_each_way() {
        let text = "Inter-|   Receive                                                |  Transmit\n \
                    face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop\n    \
                    lo:       0       0    0   10    0     0          0         0        0       0    0   20    0     0       0          0\n\
                    headgate:     168       2    0    3    0     0          0         0      216       3    0   45    0     0       0          0\n";
        assert_eq!(parse(text), Some(Drops { unread: 45, untaken: 3 }));
        for other in
            ["", "headgate: 1 2 3", "headgate2: 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1", "headgate: a b c d"]
        {
            assert_eq!(parse(other), None, "{other}");
        }
    }
}
