//! Flows of real packets: one direction of each connection, by addresses, protocol and ports.

use std::collections::HashMap;

use crate::packet::{FlowKey, PacketSummary};
use crate::series::{Sample, Series};

/// Largest number of flows. Later ones count as the last one, so that a flood of random ports does not fill
/// the memory.
const MOST: u32 = 1 << 20;

/// The counters of a flow. Times are picoseconds since the start.
#[derive(Clone, Copy, Debug)]
pub struct Flow {
    pub key: FlowKey,
    /// The hosts, by their numbers in the plan.
    pub from: u32,
    pub to: u32,
    /// Times at which the first and the last packet left their host, and at which the last one arrived.
    pub first: u64,
    pub last: u64,
    pub arrived: u64,
    pub packets: u64,
    pub bytes: u64,
    pub delivered_packets: u64,
    /// Payload bytes of TCP and UDP that arrived; retransmissions count again.
    pub delivered_payload_bytes: u64,
    pub lost_packets: u64,
    pub marked_packets: u64,
    /// Time from host to host in the simulated network: sum, smallest and largest.
    pub delay_sum: u128,
    pub delay_least: u64,
    pub delay_most: u64,
}

/// The flows of a run, in order of their start.
#[derive(Clone, Debug, Default)]
pub struct Flows {
    numbers: HashMap<FlowKey, u32>,
    pub all: Vec<Flow>,
    series: Series,
}

impl Flows {
    /// Records a packet that leaves its host. Returns the number of its flow.
    pub fn send(&mut self, seen: &PacketSummary, [from, to]: [u32; 2], time: u64) -> u32 {
        let number = self.number(&seen.key, [from, to], time);
        let flow = &mut self.all[number as usize];
        flow.last = time;
        flow.packets += 1;
        flow.bytes += u64::from(seen.size_bytes);
        if let Some(sample) = self.series.at(number, time) {
            sample.sent_bytes += u64::from(seen.size_bytes);
        }
        number
    }

    fn number(&mut self, key: &FlowKey, [from, to]: [u32; 2], time: u64) -> u32 {
        if let Some(&number) = self.numbers.get(key) {
            return number;
        }
        let number = self.all.len() as u32;
        if number == MOST {
            return MOST - 1;
        }
        self.numbers.insert(*key, number);
        self.all.push(Flow {
            key: *key,
            from,
            to,
            first: time,
            last: time,
            arrived: 0,
            packets: 0,
            bytes: 0,
            delivered_packets: 0,
            delivered_payload_bytes: 0,
            lost_packets: 0,
            marked_packets: 0,
            delay_sum: 0,
            delay_least: u64::MAX,
            delay_most: 0,
        });
        number
    }

    /// Records a packet that arrives after `delay`, possibly with a new mark.
    pub fn deliver(&mut self, number: u32, payload_bytes: u16, time: u64, delay: u64, newly_marked: bool) {
        let flow = &mut self.all[number as usize];
        flow.arrived = flow.arrived.max(time);
        flow.delivered_packets += 1;
        flow.delivered_payload_bytes += u64::from(payload_bytes);
        flow.marked_packets += u64::from(newly_marked);
        flow.delay_sum += u128::from(delay);
        flow.delay_least = flow.delay_least.min(delay);
        flow.delay_most = flow.delay_most.max(delay);
        if let Some(sample) = self.series.at(number, time) {
            sample.delivered_packets += 1;
            sample.delivered_payload_bytes += u64::from(payload_bytes);
            sample.delay_sum += delay;
            sample.delay_most = sample.delay_most.max(delay);
        }
    }

    /// Records a lost packet.
    pub fn lose(&mut self, number: u32, time: u64) {
        self.all[number as usize].lost_packets += 1;
        if let Some(sample) = self.series.at(number, time) {
            sample.lost_packets += 1;
        }
    }

    /// The time series of the first flows, with their numbers.
    pub fn samples(&self) -> Vec<(u32, Sample)> {
        self.series.rows()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(port: u16) -> PacketSummary {
        let [source, destination] = [[10, 72, 0, 1].into(), [10, 72, 0, 2].into()];
        let key = FlowKey { source, destination, protocol: 17, ports: [port, 443] };
        PacketSummary { key, size_bytes: 100, payload_bytes: 72, ecn: headgate_lab::ecn::Ecn::NotEct }
    }

    #[test]
    fn each_flow_is_counted_by_itself() {
        let mut flows = Flows::default();
        assert_eq!([7, 8, 7].map(|port| flows.send(&seen(port), [0, 1], 5)), [0, 1, 0]);
        flows.deliver(0, 72, 30, 25, true);
        flows.deliver(0, 72, 20, 15, false);
        flows.lose(1, 40);
        let [one, other] = [flows.all[0], flows.all[1]];
        assert_eq!((one.packets, one.bytes, one.delivered_packets, one.marked_packets), (2, 200, 2, 1));
        assert_eq!((one.arrived, one.delay_sum, one.delay_least, one.delay_most), (30, 40, 15, 25));
        assert_eq!((one.delivered_payload_bytes, other.packets, other.lost_packets), (144, 1, 1));
        let [(0, of_one), (1, of_other)] = flows.samples()[..] else { panic!("{:?}", flows.samples()) };
        assert_eq!((of_one.sent_bytes, of_one.delivered_packets, of_one.delay_sum), (200, 2, 40));
        assert_eq!((of_one.delivered_payload_bytes, of_one.delay_most, of_other.lost_packets), (144, 25, 1));
    }

    #[test]
    fn a_flood_of_ports_ends_in_one_flow() {
        let mut flows = Flows::default();
        let key = |n: u32| FlowKey { source: std::net::Ipv4Addr::from(n).into(), ..seen(1).key };
        for n in 0..MOST + 10 {
            flows.send(&PacketSummary { key: key(n), ..seen(1) }, [0, 1], u64::from(n));
        }
        assert_eq!((flows.all.len() as u32, flows.all[MOST as usize - 1].packets), (MOST, 11));
    }
}
