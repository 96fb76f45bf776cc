//! Two endpoints of quinn-proto, paths between them, and a transfer from one to the other, all in virtual time.

use bytes::BytesMut;
use quinn_proto::congestion::ControllerFactory;
use quinn_proto::{
    ClientConfig, Connection, ConnectionHandle, DatagramEvent, Dir, EcnCodepoint, Endpoint, EndpointConfig,
    Event, ServerConfig, StreamEvent, StreamId, TransportConfig, VarInt,
};
use rcgen::{CertificateParams, KeyPair, PKCS_ED25519};
use rustls::RootCertStore;
use rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Instant;

pub const BYTES: usize = 10_000_000;

/// A datagram for one of the two sides.
#[derive(Debug)]
pub struct Datagram {
    pub to: usize,
    pub bytes: Vec<u8>,
    pub ecn: Option<EcnCodepoint>,
}

/// The path between the two sides.
pub trait Path {
    /// Sends a datagram.
    fn carry(&mut self, now: Instant, datagram: Datagram);

    /// Advances to the next arrival, or to `due` if that is sooner. Returns the time, and the datagram that arrives.
    fn wait(&mut self, due: Option<Instant>) -> (Instant, Vec<Datagram>);
}

/// The result of a transfer.
#[derive(Debug, PartialEq)]
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
    /// Bytes written or read.
    done: usize,
    /// Bytes to write in all.
    size: usize,
}

impl Side {
    fn new(port: u16, server: Option<Arc<ServerConfig>>, size: usize) -> Self {
        let endpoint =
            Endpoint::new(Arc::new(EndpointConfig::default()), server, true, Some([port as u8; 32]));
        let address = SocketAddr::from(([127, 0, 0, 1], port));
        Self { address, endpoint, connection: None, stream: None, done: 0, size }
    }

    /// Receives a datagram.
    fn take(&mut self, now: Instant, from: SocketAddr, datagram: &Datagram) {
        let (mut reply, bytes) = (Vec::new(), BytesMut::from(&datagram.bytes[..]));
        match self.endpoint.handle(now, from, None, datagram.ecn, bytes, &mut reply) {
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

    /// Writes as much as the stream accepts (sender).
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
        while self.done < self.size {
            let most = zeros.len().min(self.size - self.done);
            let Ok(written) = connection.send_stream(stream).write(&zeros[..most]) else { return };
            self.done += written;
        }
        let _ = connection.send_stream(stream).finish(); // repeated calls are harmless
    }

    /// Reads all available data (receiver).
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

/// Transfers [`BYTES`] over a path under a controller.
pub fn transfer(begun: Instant, configured: &Configurations, path: &mut impl Path) -> Transfer {
    transfer_of(BYTES, begun, configured, path)
}

/// Transfers `size` bytes.
pub fn transfer_of(
    size: usize,
    begun: Instant,
    configured: &Configurations,
    path: &mut impl Path,
) -> Transfer {
    let (client, server) = configured.clone();
    let mut sides = [Side::new(1, None, size), Side::new(2, Some(server), size)];
    let connection = sides[0].endpoint.connect(begun, client, sides[1].address, "localhost");
    sides[0].connection = Some(connection.expect("a connection"));
    let mut now = begun;
    while sides[1].done < size {
        sides[0].write();
        sides[1].read();
        send_all(now, &mut sides, path);
        let arrived;
        (now, arrived) = path.wait(sides.iter_mut().filter_map(Side::due).min());
        for datagram in arrived {
            let from = sides[1 - datagram.to].address;
            sides[datagram.to].take(now, from, &datagram);
        }
        sides.iter_mut().for_each(|side| side.settle(now));
    }
    let congestion_events = sides[0].connection().stats().path.congestion_events;
    Transfer { seconds: now.duration_since(begun).as_secs_f64(), congestion_events }
}

fn send_all(now: Instant, sides: &mut [Side; 2], path: &mut impl Path) {
    for (from, side) in sides.iter_mut().enumerate() {
        let Some((_, connection)) = &mut side.connection else { continue };
        let mut bytes = Vec::new();
        while let Some(transmit) = connection.poll_transmit(now, 1, &mut bytes) {
            let bytes = std::mem::take(&mut bytes);
            path.carry(now, Datagram { to: 1 - from, bytes, ecn: transmit.ecn });
        }
    }
}

pub type Configurations = (ClientConfig, Arc<ServerConfig>);

/// A server with a self-signed certificate, and a client that trusts it and uses a controller.
///
/// All signatures are of one length, so two transfers use packets of the same sizes.
pub fn configure(factory: Arc<dyn ControllerFactory + Send + Sync>) -> Configurations {
    configure_path(factory, false)
}

/// The same; if `is_plain`, packets keep the size of 1200 bytes, and flow control never limits.
pub fn configure_path(factory: Arc<dyn ControllerFactory + Send + Sync>, is_plain: bool) -> Configurations {
    let signing = KeyPair::generate_for(&PKCS_ED25519).expect("a key");
    let named = CertificateParams::new(["localhost".into()]).expect("a name");
    let certificate = named.self_signed(&signing).expect("a certificate").der().clone();
    let key = PrivateKeyDer::from(PrivatePkcs8KeyDer::from(signing.serialize_der()));
    let mut roots = RootCertStore::empty();
    roots.add(certificate.clone()).expect("a root");
    let mut server = ServerConfig::with_single_cert(vec![certificate], key).expect("a server");
    let mut client = ClientConfig::with_root_certificates(Arc::new(roots)).expect("a client");
    let mut transport = TransportConfig::default();
    transport.congestion_controller_factory(factory);
    if is_plain {
        transport.mtu_discovery_config(None).send_window(u64::MAX);
        let mut receiving = TransportConfig::default();
        receiving.stream_receive_window(VarInt::MAX).receive_window(VarInt::MAX);
        server.transport_config(Arc::new(receiving));
    }
    client.transport_config(Arc::new(transport));
    (client, Arc::new(server))
}
