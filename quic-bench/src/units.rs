//! Quantities such as "50 Mbit/s" and "20 ms", with the units of Headgate's scenarios.

use crate::error::{Error, Result, list};

/// Picoseconds in a second.
pub const SECOND: u64 = headgate_model::units::SECOND;

/// The units of a kind of quantity, and words for messages.
struct Kind {
    what: &'static str,
    example: &'static str,
    units: &'static [(&'static str, f64)],
    most: f64,
}

const RATE: Kind = Kind {
    what: "a rate",
    example: "50 Mbit/s",
    units: &[
        ("bit/s", 1.0),
        ("kbit/s", 1e3),
        ("Mbit/s", 1e6),
        ("Gbit/s", 1e9),
        ("bps", 1.0),
        ("kbps", 1e3),
        ("Mbps", 1e6),
        ("Gbps", 1e9),
    ],
    most: 1e12,
};

const TIME: Kind = Kind {
    what: "a time",
    example: "20 ms",
    units: &[("us", 1e6), ("ms", 1e9), ("s", 1e12), ("min", 60e12)],
    most: 86_400e12,
};

const SIZE: Kind = Kind {
    what: "a size",
    example: "10 MB",
    units: &[
        ("B", 1.0),
        ("kB", 1e3),
        ("MB", 1e6),
        ("GB", 1e9),
        ("KiB", 1024.0),
        ("MiB", 1_048_576.0),
        ("GiB", 1_073_741_824.0),
    ],
    most: 1e12,
};

/// Reads a rate, "50 Mbit/s", as bit/s. It must be above zero.
///
/// # Errors
/// If the text is no rate above zero and at most 1 Tbit/s.
pub fn parse_rate(text: &str) -> Result<u64> {
    let rate = quantity(text, &RATE)?;
    if rate < 1.0 {
        return Err(Error::new("", format!("'{text}' is not allowed; a rate is at least '1 bit/s'")));
    }
    Ok(rate.round() as u64)
}

/// Reads a time, "20 ms", as picoseconds.
///
/// # Errors
/// If the text is no time from 0 to a day.
pub fn parse_time(text: &str) -> Result<u64> {
    Ok(quantity(text, &TIME)?.round() as u64)
}

/// Reads a size, "10 MB", as bytes.
///
/// # Errors
/// If the text is no size from 0 to 1 TB.
pub fn parse_size(text: &str) -> Result<u64> {
    Ok(quantity(text, &SIZE)?.round() as u64)
}

/// Splits "50 Mbit/s" into the number and the unit.
pub(crate) fn split(text: &str) -> Option<(f64, &str)> {
    let text = text.trim();
    let end = text.find(|c: char| !(c.is_ascii_digit() || ".+-_".contains(c))).unwrap_or(text.len());
    let number: f64 = text[..end].replace('_', "").parse().ok()?;
    number.is_finite().then(|| (number, text[end..].trim()))
}

fn quantity(text: &str, kind: &Kind) -> Result<f64> {
    let refuse = |why: String| Err(Error::new("", format!("'{text}' is not allowed; {why}")));
    let Some((number, unit)) = split(text) else {
        return refuse(format!("write {} such as '{}'", kind.what, kind.example));
    };
    let Some((_, scale)) = kind.units.iter().find(|(name, _)| *name == unit) else {
        let units = list(kind.units.iter().map(|(name, _)| *name));
        return refuse(format!("the units of {} are {units}; an example is '{}'", kind.what, kind.example));
    };
    let value = number * scale;
    if !(0.0..=kind.most).contains(&value) {
        return refuse(format!("{} is from 0 to {:e} {}", kind.what, kind.most / scale, unit));
    }
    Ok(value)
}

/// The capacity of a queue.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Buffer {
    /// Packets.
    Packets(u64),
    /// Bytes.
    Bytes(u64),
    /// Time at the rate of the link, picoseconds.
    Time(u64),
    /// A multiple of the bandwidth-delay product.
    Bdp(f64),
    /// No limit.
    Infinite,
}

/// Reads a buffer: "100 packets", "1 MB", "50 ms", "0.5 BDP" or "infinite".
///
/// # Errors
/// If the text is none of these.
pub fn parse_buffer(text: &str) -> Result<Buffer> {
    if text.trim() == "infinite" {
        return Ok(Buffer::Infinite);
    }
    match split(text) {
        Some((number, "packets" | "packet")) if (1.0..=1e9).contains(&number) => {
            Ok(Buffer::Packets(number.round() as u64))
        }
        Some((number, "BDP")) if number > 0.0 && number <= 1e6 => Ok(Buffer::Bdp(number)),
        Some((_, unit)) if SIZE.units.iter().any(|(name, _)| *name == unit) => {
            Ok(Buffer::Bytes(parse_size(text)?))
        }
        Some((_, unit)) if TIME.units.iter().any(|(name, _)| *name == unit) => {
            Ok(Buffer::Time(parse_time(text)?))
        }
        _ => Err(Error::new(
            "",
            format!("'{text}' is not allowed; write '100 packets', '1 MB', '50 ms', '1 BDP' or 'infinite'"),
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantities_have_units() {
        assert_eq!(parse_rate("50 Mbit/s"), Ok(50_000_000));
        assert_eq!(parse_rate("2.5Mbps"), Ok(2_500_000));
        assert_eq!(parse_time("20 ms"), Ok(20_000_000_000));
        assert_eq!(parse_size("10 MB"), Ok(10_000_000));
        assert_eq!(parse_buffer("1 BDP"), Ok(Buffer::Bdp(1.0)));
        assert_eq!(parse_buffer("50 ms"), Ok(Buffer::Time(50_000_000_000)));
        assert_eq!(parse_buffer("100 packets"), Ok(Buffer::Packets(100)));
    }

    #[test]
    fn errors_contain_the_value_and_what_is_allowed() {
        for (text, allowed) in
            [("50", "'Mbit/s'"), ("fast", "'50 Mbit/s'"), ("50 ms", "'Mbit/s'"), ("0 bit/s", "at least")]
        {
            let message = parse_rate(text).unwrap_err().message;
            assert!(message.contains(&format!("'{text}'")) && message.contains(allowed), "{message}");
        }
        for text in ["", "nan s", "inf s", "-1 s", "1e400 s", "9e9 min", "1 h"] {
            assert!(parse_time(text).is_err(), "{text}");
        }
        for text in ["0 packets", "1 foot", "-1 BDP", "0 BDP"] {
            assert!(parse_buffer(text).is_err(), "{text}");
        }
    }
}
