//! A capture that is read in slices of time.

use std::io::{self, ErrorKind, Read};
use std::time::{Duration, Instant};

use thiserror::Error;

use crate::connections::Connections;
use crate::contents::{Contents, MOST_ROWS};
use crate::kind::Kind;
use crate::packet;
use crate::rates::Share;
use crate::segment::Segment;
use crate::source::{Frame, Source};

/// Number of steps between two readings of the clock.
const STEPS: usize = 4096;

/// The reason why a capture cannot be read.
#[derive(Debug, Error)]
pub enum CaptureError {
    #[error("{0}")]
    Unreadable(#[from] io::Error),
    #[error(
        "has more than {MOST_ROWS} connections with data, for which memory is not meant; cut it by time: \
         editcap -i SECONDS FILE part.pcapng"
    )]
    TooMany,
}

/// A capture that is being read.
pub struct Capture {
    source: Source,
    connections: Connections,
    contents: Contents,
}

impl Capture {
    /// Opens a file.
    ///
    /// # Errors
    /// An error of the kind `InvalidData` describes the file if it is not a capture.
    pub fn new(file: impl Read + Send + 'static) -> Result<Self, CaptureError> {
        let source = Source::new(file)?;
        Ok(Self { source, connections: Connections::default(), contents: Contents::default() })
    }

    /// Reads for about this time. Returns true if everything is read.
    ///
    /// # Errors
    /// If the file cannot be read, or contains more connections than the limit.
    pub fn advance(&mut self, for_about: Duration) -> Result<bool, CaptureError> {
        let begin = Instant::now();
        while begin.elapsed() < for_about {
            for _ in 0..STEPS {
                match self.step() {
                    Ok(true) => return self.finish(),
                    Ok(false) => {}
                    Err(error) if error.kind() == ErrorKind::Interrupted => return Ok(false),
                    Err(error) => return Err(error.into()),
                }
            }
            self.check_room()?;
        }
        Ok(false)
    }

    /// Number of bytes of the file that were processed.
    pub fn consumed(&self) -> usize {
        self.source.consumed()
    }

    /// Returns the contents, once everything is read.
    pub fn into_contents(self) -> Contents {
        self.contents
    }

    fn step(&mut self) -> io::Result<bool> {
        let Self { source, connections, contents } = self;
        let over = source.step(|frame| take(&frame, connections, contents))?;
        contents.end = over.unwrap_or(contents.end);
        Ok(over.is_some())
    }

    fn finish(&mut self) -> Result<bool, CaptureError> {
        let Self { connections, contents, .. } = self;
        connections.finish(|ends, connection| contents.take(ends, connection));
        contents.forgotten = connections.forgotten;
        self.check_room()?;
        self.contents.sort();
        Ok(true)
    }

    fn check_room(&self) -> Result<(), CaptureError> {
        if self.contents.rows.len() > MOST_ROWS { Err(CaptureError::TooMany) } else { Ok(()) }
    }
}

fn take(frame: &Frame<'_>, connections: &mut Connections, contents: &mut Contents) {
    contents.snapped += u64::from((frame.data.len() as u64) < u64::from(frame.wire_bytes));
    let Some(time_ns) = frame.time_ns else {
        return contents.count(Kind::Timeless, frame.wire_bytes);
    };
    let (kind, segment) = packet::read(frame);
    contents.count(kind, frame.wire_bytes);
    contents.extend_to(time_ns);
    if kind == Kind::OtherLink {
        contents.note_link(frame.link);
    }
    let share = match segment {
        Some(segment) => take_segment(&segment, time_ns, frame.wire_bytes, connections, contents),
        None => Share::Other,
    };
    contents.rates.add(time_ns, share, frame.wire_bytes);
}

fn take_segment(
    segment: &Segment,
    time_ns: i64,
    wire_bytes: u32,
    connections: &mut Connections,
    contents: &mut Contents,
) -> Share {
    let (ends, side, connection) =
        connections.find(segment, time_ns, |ends, connection| contents.take(ends, connection));
    let fits = connection.take(segment, side, time_ns, wire_bytes);
    contents.strays += u64::from(!fits);
    if connection.client(&ends) == side { Share::ToServers } else { Share::ToClients }
}
