//! The interface of a stack under test: two traits without I/O and without a clock.

use std::time::Instant;

use crate::error::Result;

/// The ECN field of an IP packet (RFC 3168 section 5).
pub use headgate_model::ecn::Ecn;

/// The payload of a UDP datagram, and the ECN field of its IP packet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Datagram {
    /// The payload.
    pub bytes: Vec<u8>,
    /// The ECN field.
    pub ecn: Ecn,
}

/// Counts of a sending endpoint since its start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    /// Packets sent.
    pub sent: u64,
    /// Packets declared lost, whose data the stack sends again.
    pub lost: u64,
}

/// One end of one connection. The bench calls it in simulated time: `now` never falls.
///
/// The bench calls `write` (of the client) or `read` (of the server) after each datagram and timeout, and
/// then `poll_transmit` until it returns `None`.
pub trait Endpoint {
    /// Returns the next datagram that may leave now, if any. Pacing is a timeout.
    fn poll_transmit(&mut self, now: Instant) -> Option<Datagram>;

    /// Receives a datagram.
    fn handle_datagram(&mut self, now: Instant, datagram: Datagram);

    /// Returns when [`Self::handle_timeout`] must be called, if no datagram arrives before.
    fn next_timeout(&mut self) -> Option<Instant>;

    /// Handles the timers that are due.
    fn handle_timeout(&mut self, now: Instant);

    /// Writes up to `bytes` zeros to the only stream, and returns how many it accepted. `is_last`: the stream
    /// ends after these.
    fn write(&mut self, bytes: u64, is_last: bool) -> u64;

    /// Reads all data that arrived in order, and returns how many bytes these are.
    fn read(&mut self) -> u64;

    /// Returns the counts of the sender.
    fn stats(&mut self) -> Stats;

    /// Returns the error that closed the connection, if one did.
    fn error(&self) -> Option<String> {
        None
    }
}

/// The settings of a connection.
#[derive(Clone, Debug)]
pub struct Connect<'a> {
    /// The controller of the sending client, one of [`Stack::controllers`].
    pub controller: &'a str,
    /// The time at which the client begins.
    pub now: Instant,
    /// Bytes of a full UDP payload. MTU discovery is off.
    pub datagram_bytes: u16,
    /// Bytes that flow control and the send buffer allow at least, so that neither limits the rate.
    pub window_bytes: u64,
    /// Seed of the random numbers of this connection.
    pub seed: u64,
}

/// A stack under test.
pub trait Stack: Sync {
    /// The name in scenarios.
    fn name(&self) -> &'static str;

    /// The names of its controllers in scenarios.
    fn controllers(&self) -> &'static [&'static str];

    /// Makes a client, which sends, and a server.
    ///
    /// # Errors
    /// If the stack refuses the configuration.
    fn connect(&self, connect: &Connect<'_>) -> Result<[Box<dyn Endpoint>; 2]>;
}
