//! noq-proto, which has BBRv3.

use noq_proto::congestion::{Bbr3Config, CubicConfig, NewRenoConfig};
use noq_proto::{EndpointConfig, FourTuple};
use std::num::NonZeroUsize;

use super::quinn_like::quinn_like;
use crate::stack::Stack;

quinn_like!(noq_proto);

/// The stack `noq`.
pub struct Noq;

impl Stack for Noq {
    fn name(&self) -> &'static str {
        "noq"
    }

    fn controllers(&self) -> &'static [&'static str] {
        &["cubic", "reno", "bbr3"]
    }

    fn connect(&self, connect: &Connect<'_>) -> Result<[Box<dyn Endpoint>; 2]> {
        match connect.controller {
            "reno" => pair(connect, Arc::new(NewRenoConfig::default())),
            "bbr3" => pair(connect, Arc::new(Bbr3Config::default())),
            _ => pair(connect, Arc::new(CubicConfig::default())),
        }
    }
}

fn make_endpoint(server: Option<Arc<ServerConfig>>, seed: [u8; 32]) -> Proto {
    let mut config = EndpointConfig::default();
    config.rng_seed(Some(seed));
    Proto::new(Arc::new(config), server, true)
}

fn handle(
    endpoint: &mut Proto,
    now: Instant,
    peer: SocketAddr,
    ecn: Option<EcnCodepoint>,
    bytes: BytesMut,
    reply: &mut Vec<u8>,
) -> Option<DatagramEvent> {
    endpoint.handle(now, FourTuple::from_remote(peer), ecn, bytes, reply)
}

fn poll_transmit(
    connection: &mut Connection,
    now: Instant,
    bytes: &mut Vec<u8>,
) -> Option<Option<EcnCodepoint>> {
    connection.poll_transmit(now, NonZeroUsize::MIN, bytes).map(|transmit| transmit.ecn)
}

fn count(connection: &mut Connection) -> Stats {
    let stats = connection.stats();
    Stats { sent: stats.sent_packets, lost: stats.lost_packets }
}
