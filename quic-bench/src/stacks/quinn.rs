//! quinn-proto.

use quinn_proto::EndpointConfig;
use quinn_proto::congestion::{BbrConfig, CubicConfig, NewRenoConfig};

use super::quinn_like::quinn_like;
use crate::stack::Stack;

quinn_like!(quinn_proto);

/// The stack `quinn`.
pub struct Quinn;

impl Stack for Quinn {
    fn name(&self) -> &'static str {
        "quinn"
    }

    fn controllers(&self) -> &'static [&'static str] {
        &["cubic", "reno", "bbr"]
    }

    fn connect(&self, connect: &Connect<'_>) -> Result<[Box<dyn Endpoint>; 2]> {
        match connect.controller {
            "reno" => pair(connect, Arc::new(NewRenoConfig::default())),
            "bbr" => pair(connect, Arc::new(BbrConfig::default())),
            _ => pair(connect, Arc::new(CubicConfig::default())),
        }
    }
}

fn make_endpoint(server: Option<Arc<ServerConfig>>, seed: [u8; 32]) -> Proto {
    Proto::new(Arc::new(EndpointConfig::default()), server, true, Some(seed))
}

fn handle(
    endpoint: &mut Proto,
    now: Instant,
    peer: SocketAddr,
    ecn: Option<EcnCodepoint>,
    bytes: BytesMut,
    reply: &mut Vec<u8>,
) -> Option<DatagramEvent> {
    endpoint.handle(now, peer, None, ecn, bytes, reply)
}

fn poll_transmit(
    connection: &mut Connection,
    now: Instant,
    bytes: &mut Vec<u8>,
) -> Option<Option<EcnCodepoint>> {
    connection.poll_transmit(now, 1, bytes).map(|transmit| transmit.ecn)
}

fn count(connection: &Connection) -> Stats {
    let path = connection.stats().path;
    Stats { sent: path.sent_packets, lost: path.lost_packets }
}
