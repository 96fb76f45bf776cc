//! Two endpoints of quinn-proto, the path between them, and a transfer from one to the other.

use bytes::BytesMut;
use quinn_proto::congestion::ControllerFactory;
use quinn_proto::{
    ClientConfig, Connection, ConnectionHandle, DatagramEvent, Dir, Endpoint, EndpointConfig, Event,
    ServerConfig, StreamEvent, StreamId, TransportConfig,
};
use rustls::RootCertStore;
use rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};
use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

pub const BYTES: usize = 10_000_000;
pub const RATE_BPS: f64 = 20e6;
pub const RTT: Duration = Duration::from_millis(40);

/// The longest wait in the queue: as much as the path holds.
const BUFFER: Duration = RTT;

/// How a transfer went.
#[derive(Debug)]
pub struct Transfer {
    pub seconds: f64,
    pub congestion_events: u64,
}

/// One side.
struct Side {
    address: SocketAddr,
    endpoint: Endpoint,
    connection: Option<(ConnectionHandle, Connection)>,
    stream: Option<StreamId>,
    /// Bytes that it has written or read.
    done: usize,
}

impl Side {
    fn new(port: u16, server: Option<Arc<ServerConfig>>) -> Self {
        let endpoint =
            Endpoint::new(Arc::new(EndpointConfig::default()), server, true, Some([port as u8; 32]));
        let address = SocketAddr::from(([127, 0, 0, 1], port));
        Self { address, endpoint, connection: None, stream: None, done: 0 }
    }

    /// A datagram arrived.
    fn take(&mut self, now: Instant, from: SocketAddr, datagram: &[u8]) {
        let mut reply = Vec::new();
        match self.endpoint.handle(now, from, None, None, BytesMut::from(datagram), &mut reply) {
            Some(DatagramEvent::NewConnection(incoming)) => {
                let accepted = self.endpoint.accept(incoming, now, &mut reply, None);
                self.connection = Some(accepted.unwrap_or_else(|error| panic!("{:?}", error.cause)));
            }
            Some(DatagramEvent::ConnectionEvent(_, event)) => self.connection().handle_event(event),
            _ => {}
        }
    }

    fn connection(&mut self) -> &mut Connection {
        &mut self.connection.as_mut().expect("it has begun").1
    }

    fn due(&mut self) -> Option<Instant> {
        self.connection.as_mut()?.1.poll_timeout()
    }

    fn settle(&mut self, now: Instant) {
        if self.due().is_some_and(|due| due <= now) {
            self.connection().handle_timeout(now);
        }
        let Some((handle, connection)) = &mut self.connection else { return };
        while let Some(event) = connection.poll_endpoint_events() {
            if let Some(event) = self.endpoint.handle_event(*handle, event) {
                connection.handle_event(event);
            }
        }
    }

    /// Writes as much as goes; the sender's part.
    fn write(&mut self) {
        let connection = &mut self.connection.as_mut().expect("it has begun").1;
        while let Some(event) = connection.poll() {
            match event {
                Event::Connected => self.stream = connection.streams().open(Dir::Uni),
                Event::ConnectionLost { reason } => panic!("{reason}"),
                _ => {}
            }
        }
        let Some(stream) = self.stream else { return };
        let zeros = [0; 65_536];
        while self.done < BYTES {
            let most = zeros.len().min(BYTES - self.done);
            let Ok(written) = connection.send_stream(stream).write(&zeros[..most]) else { return };
            self.done += written;
        }
        let _ = connection.send_stream(stream).finish(); // again and again, which is no harm
    }

    /// Reads what is there; the receiver's part.
    fn read(&mut self) {
        let Some((_, connection)) = &mut self.connection else { return };
        while let Some(event) = connection.poll() {
            if let Event::Stream(StreamEvent::Opened { dir }) = event {
                self.stream = connection.streams().accept(dir);
            }
        }
        let Some(stream) = self.stream else { return };
        let mut stream = connection.recv_stream(stream);
        let Ok(mut chunks) = stream.read(true) else { return };
        while let Ok(Some(chunk)) = chunks.next(usize::MAX) {
            self.done += chunk.bytes.len();
        }
        let _ = chunks.finalize();
    }
}

/// Datagrams under way, by the time of their arrival and the order in which they left; and when the line is free.
struct Link {
    under_way: BTreeMap<(Instant, usize), (usize, Vec<u8>)>,
    sent: usize,
    free: Instant,
}

impl Link {
    /// A datagram leaves for a side: for the receiver over the line, back at once.
    fn carry(&mut self, now: Instant, to: usize, datagram: Vec<u8>) {
        let waits = self.free.saturating_duration_since(now);
        if to == 1 && waits > BUFFER {
            return;
        }
        let service =
            Duration::from_secs_f64(if to == 1 { datagram.len() as f64 * 8.0 / RATE_BPS } else { 0.0 });
        let left = now + if to == 1 { waits + service } else { service };
        if to == 1 {
            self.free = left;
        }
        self.sent += 1;
        self.under_way.insert((left + RTT / 2, self.sent), (to, datagram));
    }
}

/// Transfers [`BYTES`] under a controller.
pub fn transfer(factory: Arc<dyn ControllerFactory + Send + Sync>) -> Transfer {
    let (client, server) = configurations(factory);
    let begun = Instant::now();
    let mut sides = [Side::new(1, None), Side::new(2, Some(server))];
    let connection = sides[0].endpoint.connect(begun, client, sides[1].address, "localhost");
    sides[0].connection = Some(connection.expect("a connection"));
    let mut link = Link { under_way: BTreeMap::new(), sent: 0, free: begun };
    let mut now = begun;
    while sides[1].done < BYTES {
        sides[0].write();
        sides[1].read();
        send_all(now, &mut sides, &mut link);
        now = next(&mut sides, &link).expect("something happens");
        while let Some(entry) = link.under_way.first_entry().filter(|entry| entry.key().0 <= now) {
            let (to, datagram) = entry.remove();
            let from = sides[1 - to].address;
            sides[to].take(now, from, &datagram);
        }
        sides.iter_mut().for_each(|side| side.settle(now));
    }
    let congestion_events = sides[0].connection().stats().path.congestion_events;
    Transfer { seconds: now.duration_since(begun).as_secs_f64(), congestion_events }
}

fn send_all(now: Instant, sides: &mut [Side; 2], link: &mut Link) {
    for (from, side) in sides.iter_mut().enumerate() {
        let Some((_, connection)) = &mut side.connection else { continue };
        let mut datagram = Vec::new();
        while connection.poll_transmit(now, 1, &mut datagram).is_some() {
            link.carry(now, 1 - from, std::mem::take(&mut datagram));
        }
    }
}

/// When something happens next.
fn next(sides: &mut [Side; 2], link: &Link) -> Option<Instant> {
    let arrival = link.under_way.first_key_value().map(|((at, _), _)| *at);
    sides.iter_mut().filter_map(Side::due).chain(arrival).min()
}

/// A server with a certificate of its own, and a client that trusts it and obeys a controller.
fn configurations(factory: Arc<dyn ControllerFactory + Send + Sync>) -> (ClientConfig, Arc<ServerConfig>) {
    let made = rcgen::generate_simple_self_signed(vec!["localhost".into()]).expect("a certificate");
    let key = PrivateKeyDer::from(PrivatePkcs8KeyDer::from(made.signing_key.serialize_der()));
    let certificate = made.cert.der().clone();
    let mut roots = RootCertStore::empty();
    roots.add(certificate.clone()).expect("a root");
    let server = ServerConfig::with_single_cert(vec![certificate], key).expect("a server");
    let mut client = ClientConfig::with_root_certificates(Arc::new(roots)).expect("a client");
    let mut transport = TransportConfig::default();
    transport.congestion_controller_factory(factory);
    client.transport_config(Arc::new(transport));
    (client, Arc::new(server))
}
