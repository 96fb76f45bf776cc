//! quiche of Cloudflare. It needs cmake and libclang to build.
//!
//! quiche does no I/O, but it reads the clock itself. While the bench calls it, `clock_gettime` of this
//! program gives the simulated time (`simulated_clock.rs`). It does not support ECN. It skips packet numbers
//! at random, without a seed.

use boring::pkey::PKey;
use boring::ssl::{SslContextBuilder, SslMethod};
use boring::x509::X509;
use quiche::{Config, Connection, ConnectionId, RecvInfo};
use std::net::SocketAddr;
use std::time::{Duration, Instant};

use super::certificate::certificate;
use super::simulated_clock::at;
use crate::error::{Error, Result};
use crate::stack::{Connect, Datagram, Ecn, Endpoint, Stack, Stats};

/// The stack `quiche`.
pub struct Quiche;

/// The first stream of a client in one direction (RFC 9000 section 2.1).
const STREAM: u64 = 2;

impl Stack for Quiche {
    fn name(&self) -> &'static str {
        "quiche"
    }

    fn controllers(&self) -> &'static [&'static str] {
        &["cubic", "reno", "bbr2"]
    }

    fn connect(&self, connect: &Connect<'_>) -> Result<[Box<dyn Endpoint>; 2]> {
        let refuse = |error: &dyn std::fmt::Display| Error::new("", format!("the stack refuses: {error}"));
        let mut config = configure(connect).map_err(|error| refuse(&error))?;
        let addresses = [1, 2].map(|port| SocketAddr::from(([127, 0, 0, 1], port)));
        let ids = [1u8, 2].map(|end| id(connect.seed, end));
        let [client, server] = addresses;
        at(Duration::ZERO, || {
            let epoch = Instant::now();
            let first = quiche::connect(Some("localhost"), &ids[0], client, server, &mut config);
            let second = quiche::accept(&ids[1], None, server, client, &mut config);
            let side = |connection, local, peer| Side {
                connection,
                local,
                peer,
                begun: connect.now,
                epoch,
                last: connect.now,
                paced: None,
                error: None,
                payload: connect.datagram_bytes.into(),
            };
            Ok([
                Box::new(side(first.map_err(|error| refuse(&error))?, client, server)) as Box<dyn Endpoint>,
                Box::new(side(second.map_err(|error| refuse(&error))?, server, client)),
            ])
        })
    }
}

fn id(seed: u64, end: u8) -> ConnectionId<'static> {
    let mut bytes = vec![end; 16];
    bytes[..8].copy_from_slice(&seed.to_le_bytes());
    ConnectionId::from_vec(bytes)
}

fn configure(connect: &Connect<'_>) -> std::result::Result<Config, String> {
    let text = |error: &dyn std::fmt::Display| error.to_string();
    let made = certificate()?;
    let mut tls = SslContextBuilder::new(SslMethod::tls()).map_err(|error| text(&error))?;
    let chain = X509::from_der(&made.chain[0]).map_err(|error| text(&error))?;
    let key = PKey::private_key_from_pkcs8(&first_version(made.key().secret_der()))
        .map_err(|error| text(&error))?;
    tls.set_certificate(&chain).map_err(|error| text(&error))?;
    tls.set_private_key(&key).map_err(|error| text(&error))?;
    tls.set_sigalgs_list("ed25519").map_err(|error| text(&error))?;
    let refused = |error: quiche::Error| error.to_string();
    let mut config = Config::with_boring_ssl_ctx_builder(quiche::PROTOCOL_VERSION, tls).map_err(refused)?;
    config.verify_peer(false);
    config.set_application_protos(&[b"bench"]).map_err(refused)?;
    config.set_cc_algorithm_name(connect.controller).map_err(refused)?;
    config.grease(false);
    config.discover_pmtu(false);
    config.set_max_send_udp_payload_size(connect.datagram_bytes.into());
    config.set_max_recv_udp_payload_size(connect.datagram_bytes.into());
    config.set_initial_max_data(connect.window_bytes);
    config.set_initial_max_stream_data_uni(connect.window_bytes);
    config.set_max_connection_window(connect.window_bytes);
    config.set_max_stream_window(connect.window_bytes);
    config.set_initial_max_streams_uni(1);
    Ok(config)
}

/// Converts an Ed25519 key of PKCS #8 version 2 (RFC 5958), which BoringSSL does not read, to version 1 (RFC
/// 8410 section 7): without the public key.
fn first_version(key: &[u8]) -> Vec<u8> {
    const HEAD: [u8; 16] = [0x30, 0x2e, 2, 1, 0, 0x30, 5, 6, 3, 0x2b, 0x65, 0x70, 4, 0x22, 4, 0x20];
    let private = key.get(16..48).unwrap_or_default();
    [&HEAD, private].concat()
}

/// One end.
struct Side {
    connection: Connection,
    local: SocketAddr,
    peer: SocketAddr,
    /// Instant of the bench at which the connection began, and the same instant of the simulated clock.
    begun: Instant,
    epoch: Instant,
    /// Instant of the last call.
    last: Instant,
    /// A datagram that the pacer releases later.
    paced: Option<(Instant, Vec<u8>)>,
    error: Option<String>,
    payload: usize,
}

impl Side {
    /// Calls the stack at an instant of the bench.
    fn at<T>(&mut self, now: Instant, call: impl FnOnce(&mut Connection) -> T) -> T {
        self.last = now;
        at(now.saturating_duration_since(self.begun), || call(&mut self.connection))
    }

    /// Converts an instant of the simulated clock.
    fn instant(&self, time: Instant) -> Instant {
        self.begun + time.saturating_duration_since(self.epoch)
    }
}

impl Endpoint for Side {
    fn poll_transmit(&mut self, now: Instant) -> Option<Datagram> {
        if self.paced.is_none() {
            let mut bytes = vec![0; self.payload];
            match self.at(now, |connection| connection.send(&mut bytes)) {
                Ok((length, info)) => {
                    bytes.truncate(length);
                    self.paced = Some((self.instant(info.at), bytes));
                }
                Err(quiche::Error::Done) => {}
                Err(error) => self.error = Some(error.to_string()),
            }
        }
        let (_, bytes) = self.paced.take_if(|(release, _)| *release <= now)?;
        Some(Datagram { bytes, ecn: Ecn::NotEct })
    }

    fn handle_datagram(&mut self, now: Instant, mut datagram: Datagram) {
        let info = RecvInfo { from: self.peer, to: self.local };
        match self.at(now, |connection| connection.recv(&mut datagram.bytes, info)) {
            Ok(_) | Err(quiche::Error::Done) => {}
            Err(error) => self.error = Some(error.to_string()),
        }
    }

    fn next_timeout(&mut self) -> Option<Instant> {
        let release = self.paced.as_ref().map(|(release, _)| *release);
        let timer = self.connection.timeout_instant().map(|time| self.instant(time));
        release.into_iter().chain(timer).min()
    }

    fn handle_timeout(&mut self, now: Instant) {
        self.at(now, Connection::on_timeout);
    }

    fn write(&mut self, bytes: u64, is_last: bool) -> u64 {
        self.at(self.last, |connection| write(connection, bytes, is_last))
    }

    fn read(&mut self) -> u64 {
        self.at(self.last, read)
    }

    fn stats(&mut self) -> Stats {
        let stats = self.connection.stats();
        Stats { sent: stats.sent as u64, lost: stats.lost as u64 }
    }

    fn error(&self) -> Option<String> {
        self.error.clone()
    }
}

fn write(connection: &mut Connection, bytes: u64, is_last: bool) -> u64 {
    static ZEROS: [u8; 65_536] = [0; 65_536];
    let mut done = 0;
    while connection.is_established() && done < bytes {
        let most = ZEROS.len().min((bytes - done) as usize);
        let ends = is_last && done + most as u64 == bytes;
        match connection.stream_send(STREAM, &ZEROS[..most], ends) {
            Ok(written) if written > 0 => done += written as u64,
            _ => break,
        }
    }
    done
}

fn read(connection: &mut Connection) -> u64 {
    let (mut buffer, mut done) = ([0; 65_536], 0);
    while let Ok((read, _)) = connection.stream_recv(STREAM, &mut buffer) {
        done += read as u64;
    }
    done
}
