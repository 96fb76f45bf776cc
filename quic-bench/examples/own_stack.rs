//! A user-defined stack in the bench: its adapter is the code below `impl Endpoint`.
//!
//! The stack here is a toy of 60 lines: numbered datagrams, an acknowledgement of each, and a window with
//! additive increase and multiplicative decrease. Replace [`Client`] and [`Server`] by the two ends of your
//! stack.
//!
//! `cargo run --release --example own_stack -- run scenarios/own-stack.toml`

use quic_bench::{Connect, Datagram, Ecn, Endpoint, Result, Stack, Stats};
use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

const TIMEOUT: Duration = Duration::from_millis(500);

/// The sending end: at most `window` datagrams without an acknowledgement.
struct Client {
    window: f64,
    datagram_bytes: u64,
    /// Bytes in datagrams that have not been sent.
    waiting: u64,
    next: u64,
    in_flight: BTreeMap<u64, (Instant, u64)>,
    /// Numbers below this were sent before the last decrease.
    recovery_end: u64,
    stats: Stats,
}

impl Client {
    fn lose(&mut self, number: u64) {
        if let Some((_, bytes)) = self.in_flight.remove(&number) {
            self.waiting += bytes; // they leave again under a new number
            self.stats.lost += 1;
            if number >= self.recovery_end {
                self.window = (self.window / 2.0).max(2.0);
                self.recovery_end = self.next;
            }
        }
    }
}

/// The receiving end. It counts the bytes of each number once.
#[derive(Default)]
struct Server {
    seen: BTreeSet<u64>,
    unread: u64,
    acknowledgements: Vec<u64>,
}

fn number(bytes: &[u8]) -> u64 {
    bytes.first_chunk().map_or(0, |number| u64::from_be_bytes(*number))
}

impl Endpoint for Client {
    fn poll_transmit(&mut self, now: Instant) -> Option<Datagram> {
        if self.waiting == 0 || self.in_flight.len() as f64 >= self.window {
            return None;
        }
        let payload = self.waiting.min(self.datagram_bytes - 8);
        let mut bytes = self.next.to_be_bytes().to_vec();
        bytes.resize(8 + payload as usize, 0);
        self.in_flight.insert(self.next, (now, payload));
        self.waiting -= payload;
        self.next += 1;
        self.stats.sent += 1;
        Some(Datagram { bytes, ecn: Ecn::NotEct })
    }

    fn handle_datagram(&mut self, _now: Instant, datagram: Datagram) {
        let acknowledged = number(&datagram.bytes);
        if self.in_flight.remove(&acknowledged).is_some() {
            self.window += 1.0 / self.window;
        }
        let lost: Vec<u64> =
            self.in_flight.range(..acknowledged.saturating_sub(3)).map(|(n, _)| *n).collect();
        lost.into_iter().for_each(|number| self.lose(number));
    }

    fn next_timeout(&mut self) -> Option<Instant> {
        self.in_flight.first_key_value().map(|(_, (sent, _))| *sent + TIMEOUT)
    }

    fn handle_timeout(&mut self, now: Instant) {
        let oldest = self.in_flight.first_key_value().map(|(number, (sent, _))| (*number, *sent));
        if let Some((number, _)) = oldest.filter(|(_, sent)| *sent + TIMEOUT <= now) {
            self.lose(number);
        }
    }

    /// Accepts what one window can carry, so that an endless transfer needs no memory.
    fn write(&mut self, bytes: u64, _is_last: bool) -> u64 {
        let room = (self.window * self.datagram_bytes as f64) as u64;
        let accepted = bytes.min(room.saturating_sub(self.waiting));
        self.waiting += accepted;
        accepted
    }

    fn read(&mut self) -> u64 {
        0
    }

    fn stats(&mut self) -> Stats {
        self.stats
    }
}

impl Endpoint for Server {
    fn poll_transmit(&mut self, _now: Instant) -> Option<Datagram> {
        let number = self.acknowledgements.pop()?;
        Some(Datagram { bytes: number.to_be_bytes().to_vec(), ecn: Ecn::NotEct })
    }

    fn handle_datagram(&mut self, _now: Instant, datagram: Datagram) {
        let number = number(&datagram.bytes);
        if self.seen.insert(number) {
            self.unread += datagram.bytes.len() as u64 - 8;
        }
        self.acknowledgements.push(number);
    }

    fn next_timeout(&mut self) -> Option<Instant> {
        None
    }

    fn handle_timeout(&mut self, _now: Instant) {}

    fn write(&mut self, _bytes: u64, _is_last: bool) -> u64 {
        0
    }

    fn read(&mut self) -> u64 {
        std::mem::take(&mut self.unread)
    }

    fn stats(&mut self) -> Stats {
        Stats::default()
    }
}

/// The stack, as scenarios name it.
pub struct Toy;

impl Stack for Toy {
    fn name(&self) -> &'static str {
        "toy"
    }

    fn controllers(&self) -> &'static [&'static str] {
        &["aimd"]
    }

    fn connect(&self, connect: &Connect<'_>) -> Result<[Box<dyn Endpoint>; 2]> {
        let client = Client {
            window: 10.0,
            datagram_bytes: connect.datagram_bytes.into(),
            waiting: 0,
            next: 0,
            in_flight: BTreeMap::new(),
            recovery_end: 0,
            stats: Stats::default(),
        };
        Ok([Box::new(client), Box::new(Server::default())])
    }
}

/// The bench with this stack beside those that come with it.
#[cfg_attr(test, allow(dead_code))]
fn main() -> std::process::ExitCode {
    let mut stacks = quic_bench::stacks::shipped();
    stacks.push(&Toy);
    quic_bench::cli::main_with(&stacks)
}
