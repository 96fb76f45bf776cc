//! A stack under test in simulated time, without sockets: the datagrams of two quinn-proto endpoints cross a simulated
//! bottleneck beside 100 simulated CUBIC flows.
//!
//! The link carries 202 Mbit/s (2 Mbit/s for each of 101 flows) over 40 ms with a buffer of half a BDP. 10 MB therefore
//! take about 40 s, and between 20 and 80 s with twice or half the fair share.

mod pair;

use headgate_algos::control::AnyController;
use headgate_model::control::ControllerRegistry;
use headgate_model::ecn::Ecn;
use headgate_netsim::devices::{PortDevices, ResolvedDevice, ResolvedDevices};
use headgate_netsim::packets::foreign::ForeignPacket;
use headgate_netsim::run::engine::Engine;
use quinn_proto::EcnCodepoint;
use quinn_proto::congestion::CubicConfig;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use pair::{Datagram, Path, Transfer, configure, transfer};

const PLAN: &str = include_str!("simulated.json");
const IP_AND_UDP: usize = 28;

struct Bottleneck {
    begun: Instant,
    engine: Engine<AnyController>,
    under_way: BTreeMap<u64, Datagram>,
    sent: u64,
}

impl Path for Bottleneck {
    fn carry(&mut self, _now: Instant, datagram: Datagram) {
        let (to, size_bytes) = (datagram.to as u32, (datagram.bytes.len() + IP_AND_UDP) as u16);
        let ecn = datagram.ecn.map_or(Ecn::NotEct, |codepoint| Ecn::from_bits(codepoint as u8));
        let packet = ForeignPacket { id: self.sent, from: 1 - to, to, flow: to, size_bytes, ecn };
        self.engine.inject(self.engine.now(), &packet).expect("a host");
        self.under_way.insert(self.sent, datagram);
        self.sent += 1;
    }

    fn wait(&mut self, due: Option<Instant>) -> (Instant, Vec<Datagram>) {
        loop {
            let over = self.engine.advance_to(self.engine.now() + self.engine.lookahead(), &mut || true);
            assert!(!over, "the plan is too short");
            let outcomes = self.engine.take_outcomes();
            outcomes.lost.iter().for_each(|loss| drop(self.under_way.remove(&loss.id)));
            let arrived: Vec<Datagram> = outcomes
                .delivered
                .iter()
                .map(|it| {
                    let datagram = self.under_way.remove(&it.id).expect("it is under way");
                    Datagram { ecn: EcnCodepoint::from_bits(it.ecn.bits()), ..datagram }
                })
                .collect();
            let now = self.begun + Duration::from_nanos(self.engine.now() / 1000);
            if !arrived.is_empty() || due.is_some_and(|due| due <= now) {
                return (now, arrived);
            }
        }
    }
}

/// A transfer, and the digest of the simulated flows beside it.
fn run() -> (Transfer, u64) {
    let plan = serde_json::from_str(PLAN).expect("a plan");
    let index = AnyController::cards().iter().position(|card| card.name == "cubic").expect("it is there");
    let values = AnyController::cards()[index].params.iter().map(|param| param.default).collect();
    let choices = ResolvedDevices {
        controllers: vec![ResolvedDevice { index, values }],
        ports: vec![PortDevices::default(), PortDevices::default()],
    };
    let (begun, engine) = (Instant::now(), Engine::new(&plan, &choices, &Default::default()));
    let mut path = Bottleneck { begun, engine, under_way: BTreeMap::new(), sent: 0 };
    let done = transfer(begun, &configure(Arc::new(CubicConfig::default())), &mut path);
    (done, path.engine.digest())
}

#[test]
fn a_quic_transfer_gets_its_share_beside_100_flows_again_and_again_and_sooner_than_in_life() {
    let begun = Instant::now();
    let (one, other) = (run(), run());
    assert!((20.0..80.0).contains(&one.0.seconds) && one.0.congestion_events > 0, "{one:?}");
    assert_eq!(one, other, "the same bits");
    assert!(begun.elapsed().as_secs_f64() < one.0.seconds + other.0.seconds);
}
