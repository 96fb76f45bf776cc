//! Probes: packets sent at several times the rate, whose arrivals show how much the path carries.
//!
//! Sources: libwebrtc `probe_controller.cc` (which rates), `bitrate_prober.cc` (packets of a probe),
//! `probe_bitrate_estimator.cc` (result).
//!
//! NOTE(libwebrtc `probe_controller.cc`): it also probes when the application sends less than it may, and
//! after such a time. Streams here follow the target, so that this never occurs.

use std::collections::VecDeque;

/// Rates of the first two probes, and of each further one, as factors of the rate.
const FIRST: [f64; 2] = [3.0, 6.0];
const FURTHER: f64 = 2.0;
/// Share of the rate of a probe that its result must exceed for a further one.
const SUCCESS: f64 = 0.7;
/// Factor of the rate that a probe may not exceed while losses limit the rate.
const MOST_WITH_LOSSES: f64 = 1.5;
/// Time after which a result is not awaited any more, seconds.
const PATIENCE_S: f64 = 1.0;
/// Least packets and time of a probe, seconds.
const PACKETS: f64 = 5.0;
const LENGTH_S: f64 = 0.015;
/// Share of packets and bytes that must have arrived for a result.
const ARRIVED: f64 = 0.8;
/// Longest time between the first and the last packet, seconds.
const LONGEST_S: f64 = 1.0;
/// Largest valid ratio of the rates of arriving and of sending.
const MOST_RATIO: f64 = 2.0;
/// Ratio of these rates below which the path was full, and the share of it that is then used.
const FULL_RATIO: f64 = 0.9;
const FULL_USE: f64 = 0.95;

/// The limit of a probe.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Permission {
    /// Nothing.
    Free,
    /// Losses limit the rate, which rises.
    Bounded,
    /// The delay changes, round trips are too long, or losses lower the rate.
    Forbidden,
}

/// The packets of a probe.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
struct Cluster {
    rate_bps: f64,
    /// Sequence numbers of its packets, the last one excluded.
    sequences: (u64, u64),
    sent_bytes: f64,
    arrivals: Option<Arrivals>,
}

/// The packets of a probe that arrived.
#[derive(Clone, Copy, Debug, serde::Serialize, serde::Deserialize)]
struct Arrivals {
    packets: f64,
    bytes: f64,
    sent_s: (f64, f64),
    arrived_s: (f64, f64),
    last_sent_bytes: f64,
    first_arrived_bytes: f64,
}

impl Cluster {
    fn least_bytes(&self) -> f64 {
        self.rate_bps * LENGTH_S / 8.0
    }

    fn is_complete(&self) -> bool {
        let packets = (self.sequences.1 - self.sequences.0) as f64;
        packets >= PACKETS && self.sent_bytes >= self.least_bytes()
    }

    fn take(&mut self, sent_s: f64, arrived_s: f64, bytes: f64) {
        let Some(known) = &mut self.arrivals else {
            self.arrivals = Some(Arrivals {
                packets: 1.0,
                bytes,
                sent_s: (sent_s, sent_s),
                arrived_s: (arrived_s, arrived_s),
                last_sent_bytes: bytes,
                first_arrived_bytes: bytes,
            });
            return;
        };
        if sent_s > known.sent_s.1 {
            known.last_sent_bytes = bytes;
        }
        if arrived_s < known.arrived_s.0 {
            known.first_arrived_bytes = bytes;
        }
        known.sent_s = (known.sent_s.0.min(sent_s), known.sent_s.1.max(sent_s));
        known.arrived_s = (known.arrived_s.0.min(arrived_s), known.arrived_s.1.max(arrived_s));
        known.packets += 1.0;
        known.bytes += bytes;
    }

    /// Returns the result, bit/s, if enough has arrived.
    fn result_bps(&self) -> Option<f64> {
        let known = self.arrivals.as_ref()?;
        let enough =
            known.packets >= (ARRIVED * PACKETS).floor() && known.bytes >= ARRIVED * self.least_bytes();
        let sent_s = known.sent_s.1 - known.sent_s.0;
        let arrived_s = known.arrived_s.1 - known.arrived_s.0;
        let is_valid = |span_s: f64| span_s > 0.0 && span_s <= LONGEST_S;
        if !enough || !is_valid(sent_s) || !is_valid(arrived_s) {
            return None;
        }
        // the last packet is still being sent at the end of its time, and the first one arrived before it
        let sent_bps = 8.0 * (known.bytes - known.last_sent_bytes) / sent_s;
        let arrived_bps = 8.0 * (known.bytes - known.first_arrived_bytes) / arrived_s;
        if arrived_bps > MOST_RATIO * sent_bps {
            return None;
        }
        let is_full = arrived_bps < FULL_RATIO * sent_bps;
        Some(if is_full { FULL_USE * arrived_bps } else { arrived_bps.min(sent_bps) })
    }
}

/// The probes of a stream.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub struct Probes {
    most_bps: f64,
    /// Rates of probes to come, bit/s.
    planned: VecDeque<f64>,
    active: Option<Cluster>,
    /// Probes of which arrivals are awaited.
    sent: VecDeque<Cluster>,
    /// When probes were planned, seconds, and the rate above which a further one follows, bit/s.
    awaited: Option<(f64, f64)>,
}

impl Probes {
    /// Plans the first probes of a stream with a rate and a largest rate, bit/s.
    pub fn new(rate_bps: f64, most_bps: f64, now_s: f64) -> Self {
        let (planned, sent) = (VecDeque::new(), VecDeque::new());
        let mut probes = Self { most_bps, planned, active: None, sent, awaited: None };
        probes.plan(&FIRST.map(|factor| factor * rate_bps), most_bps, now_s);
        probes
    }

    /// Rate of the probe that is being sent, bit/s.
    pub fn rate_bps(&self) -> Option<f64> {
        self.active.as_ref().map(|cluster| cluster.rate_bps)
    }

    /// Begins the next probe, if one is planned and none is being sent, with the packet `next`. Returns the
    /// bytes of which it consists.
    pub fn begin(&mut self, next: u64, packet_bytes: f64) -> Option<f64> {
        if self.active.is_some() {
            return None;
        }
        let rate_bps = self.planned.pop_front()?;
        let cluster = Cluster { rate_bps, sequences: (next, next), sent_bytes: 0.0, arrivals: None };
        let bytes = cluster.least_bytes().max(PACKETS * packet_bytes);
        self.active = Some(cluster);
        Some(bytes)
    }

    /// A packet leaves. Returns whether a probe ends with it.
    pub fn on_send(&mut self, sequence: u64, bytes: f64) -> bool {
        let Some(cluster) = &mut self.active else {
            return false;
        };
        cluster.sequences.1 = sequence + 1;
        cluster.sent_bytes += bytes;
        let is_complete = cluster.is_complete();
        if is_complete {
            self.sent.extend(self.active.take());
        }
        is_complete
    }

    /// Takes a packet that arrived. Returns a result, bit/s, if the packet gives one.
    pub fn take(&mut self, sequence: u64, sent_s: f64, arrived_s: f64, bytes: f64) -> Option<f64> {
        let is_old = |cluster: &Cluster| {
            cluster.arrivals.is_some_and(|known| known.arrived_s.1 + PATIENCE_S < arrived_s)
        };
        self.sent.retain(|cluster| !is_old(cluster));
        let clusters = self.sent.iter_mut().chain(self.active.iter_mut());
        let contains =
            |cluster: &&mut Cluster| (cluster.sequences.0..cluster.sequences.1).contains(&sequence);
        let cluster = clusters.into_iter().find(contains)?;
        cluster.take(sent_s, arrived_s, bytes);
        cluster.result_bps()
    }

    /// Plans a further probe if the rate shows that the path carries more, bit/s.
    pub fn follow(&mut self, rate_bps: f64, permission: Permission, now_s: f64) {
        let Some((planned_s, enough_bps)) = self.awaited else {
            return;
        };
        if now_s - planned_s > PATIENCE_S {
            self.awaited = None;
        } else if rate_bps > enough_bps && permission != Permission::Forbidden {
            let bounded_bps =
                if permission == Permission::Bounded { MOST_WITH_LOSSES * rate_bps } else { f64::INFINITY };
            self.plan(&[FURTHER * rate_bps], self.most_bps.min(bounded_bps), now_s);
        }
    }

    fn plan(&mut self, rates_bps: &[f64], most_bps: f64, now_s: f64) {
        self.planned.extend(rates_bps.iter().map(|rate_bps| rate_bps.min(most_bps)));
        let last_bps = rates_bps.iter().fold(0.0f64, |most, rate_bps| most.max(*rate_bps));
        self.awaited = (last_bps < most_bps).then_some((now_s, SUCCESS * last_bps));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sends a probe of 1200-byte packets at its rate through a link, and returns the last result, bit/s.
    fn send(probes: &mut Probes, first: u64, link_bps: f64) -> (u64, Option<f64>) {
        probes.begin(first, 1200.0).expect("planned");
        let gap_s = 9600.0 / probes.rate_bps().expect("begun");
        let (mut sequence, mut sent_s, mut free_s, mut result) = (first, 0.0, 0.0f64, None);
        loop {
            let is_last = probes.on_send(sequence, 1200.0);
            free_s = free_s.max(sent_s) + 9600.0 / link_bps;
            result = probes.take(sequence, sent_s, free_s, 1200.0).or(result);
            (sequence, sent_s) = (sequence + 1, sent_s + gap_s);
            if is_last {
                return (sequence, result);
            }
        }
    }

    #[test]
    fn the_first_probes_have_three_and_six_times_the_rate() {
        let mut probes = Probes::new(300e3, 10e6, 0.0);
        let (next, first) = send(&mut probes, 0, 10e6);
        let (_, second) = send(&mut probes, next, 10e6);
        assert!((first.expect("arrived") - 900e3).abs() < 1.0);
        assert!((second.expect("arrived") - 1800e3).abs() < 1.0);
        assert_eq!(probes.begin(99, 1200.0), None);
    }

    #[test]
    fn a_probe_has_five_packets_and_fifteen_milliseconds() {
        let count = |rate_bps| send(&mut Probes::new(rate_bps / 3.0, 1e9, 0.0), 0, 1e9).0;
        assert_eq!(count(900e3), 5);
        assert_eq!(count(9.6e6), 15); // 18,000 bytes
    }

    #[test]
    fn a_full_path_gives_a_little_less_than_it_carries() {
        let (_, result) = send(&mut Probes::new(1e6, 10e6, 0.0), 0, 2e6);
        assert!((result.expect("arrived") - 0.95 * 2e6).abs() < 1.0);
    }

    #[test]
    fn a_rate_above_seven_tenths_is_followed_by_twice_the_rate() {
        let plans = |rate_bps, permission, now_s| {
            let mut probes = Probes::new(300e3, 10e6, 0.0);
            probes.planned.clear();
            probes.follow(rate_bps, permission, now_s);
            probes.planned.front().copied()
        };
        assert_eq!(plans(1.25e6, Permission::Free, 0.5), None); // 0.7 * 1.8 Mbit/s = 1.26
        assert_eq!(plans(1.27e6, Permission::Free, 0.5), Some(2.54e6));
        assert_eq!(plans(1.27e6, Permission::Bounded, 0.5), Some(1.5 * 1.27e6));
        assert_eq!(plans(1.27e6, Permission::Forbidden, 0.5), None);
        assert_eq!(plans(1.27e6, Permission::Free, 1.1), None);
    }

    #[test]
    fn the_largest_rate_ends_the_series() {
        let mut probes = Probes::new(1e6, 4e6, 0.0);
        assert_eq!(probes.planned, [3e6, 4e6]);
        probes.planned.clear();
        probes.follow(3.9e6, Permission::Free, 0.5);
        assert!(probes.planned.is_empty());
    }
}
