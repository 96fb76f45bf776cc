//! Groups of packets that were sent or that arrived together, and the change of the delay between groups.
//!
//! Sources: draft-ietf-rmcat-gcc-02 sections 5.1 and 5.2; libwebrtc `inter_arrival_delta.cc`.
//!
//! NOTE(libwebrtc `inter_arrival_delta.cc`): it also starts again if the arrival clock jumps by 3 s. Clocks
//! do not jump here.

/// Packets sent within this time form a group, seconds (draft section 5.6: `burst_time`).
const GROUP_S: f64 = 0.005;
/// Longest gap between arrivals within a burst, seconds (draft section 5.2).
const BURST_GAP_S: f64 = 0.005;
/// Longest burst, seconds (`kMaxBurstDuration`).
const LONGEST_BURST_S: f64 = 0.100;
/// Times that differ by less are equal, seconds: rounding must not decide about packets that are sent and
/// received at equal gaps.
pub const TIE_S: f64 = 1e-9;
/// Groups in the wrong order after which everything is forgotten (`kReorderedResetThreshold`).
const MOST_REORDERED: u32 = 3;

/// Times of a group, seconds.
#[derive(Clone, Copy, Debug, serde::Serialize, serde::Deserialize)]
struct Group {
    first_sent_s: f64,
    last_sent_s: f64,
    first_arrived_s: f64,
    last_arrived_s: f64,
}

impl Group {
    fn of(sent_s: f64, arrived_s: f64) -> Self {
        Self {
            first_sent_s: sent_s,
            last_sent_s: sent_s,
            first_arrived_s: arrived_s,
            last_arrived_s: arrived_s,
        }
    }

    /// Whether a packet left later than the group, and not in a burst that the network delivers at once.
    fn ends_before(&self, sent_s: f64, arrived_s: f64) -> bool {
        !self.bursts_with(sent_s, arrived_s) && sent_s - self.first_sent_s > GROUP_S + TIE_S
    }

    fn bursts_with(&self, sent_s: f64, arrived_s: f64) -> bool {
        let sent_gap_s = sent_s - self.last_sent_s;
        let arrival_gap_s = arrived_s - self.last_arrived_s;
        sent_gap_s == 0.0
            || arrival_gap_s < sent_gap_s - TIE_S
                && arrival_gap_s <= BURST_GAP_S + TIE_S
                && arrived_s - self.first_arrived_s < LONGEST_BURST_S
    }
}

/// Time between the ends of two consecutive groups, milliseconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gap {
    /// At the sender: `T(i) - T(i-1)`.
    pub sent_ms: f64,
    /// At the receiver: `t(i) - t(i-1)`.
    pub arrived_ms: f64,
}

impl Gap {
    /// Change of the delay, milliseconds: `d(i)`.
    pub fn change_ms(&self) -> f64 {
        self.arrived_ms - self.sent_ms
    }
}

/// The last two groups.
#[derive(Clone, Debug, Default, serde::Serialize, serde::Deserialize)]
pub struct Arrivals {
    current: Option<Group>,
    previous: Option<Group>,
    reordered: u32,
}

impl Arrivals {
    /// Takes a packet that arrived. Returns the gap between the last two groups if it begins another group.
    pub fn take(&mut self, sent_s: f64, arrived_s: f64) -> Option<Gap> {
        let Some(mut group) = self.current else {
            self.current = Some(Group::of(sent_s, arrived_s));
            return None;
        };
        if sent_s < group.first_sent_s {
            return None; // an older packet
        }
        if !group.ends_before(sent_s, arrived_s) {
            group.last_sent_s = group.last_sent_s.max(sent_s);
            group.last_arrived_s = arrived_s;
            self.current = Some(group);
            return None;
        }
        self.begin(group, Group::of(sent_s, arrived_s))
    }

    fn begin(&mut self, ended: Group, next: Group) -> Option<Gap> {
        let gap = self.previous.map(|previous| Gap {
            sent_ms: 1e3 * (ended.last_sent_s - previous.last_sent_s),
            arrived_ms: 1e3 * (ended.last_arrived_s - previous.last_arrived_s),
        });
        if gap.is_some_and(|gap| gap.arrived_ms < 0.0) {
            self.reordered += 1;
            if self.reordered >= MOST_REORDERED {
                *self = Self::default();
            }
            return None;
        }
        *self = Self { current: Some(next), previous: Some(ended), reordered: 0 };
        gap
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The gaps that packets (sent, arrived), in milliseconds, give.
    fn gaps(packets: &[(f64, f64)]) -> Vec<Gap> {
        let mut arrivals = Arrivals::default();
        packets.iter().filter_map(|&(sent, arrived)| arrivals.take(sent / 1e3, arrived / 1e3)).collect()
    }

    fn is_near(gap: Gap, sent_ms: f64, arrived_ms: f64) -> bool {
        (gap.sent_ms - sent_ms).abs() < 1e-9 && (gap.arrived_ms - arrived_ms).abs() < 1e-9
    }

    #[test]
    fn a_gap_is_known_when_the_group_after_it_begins() {
        // groups at 0, 20 and 40 ms; their last packets leave at 4, 24 and arrive at 55, 80
        let packets = [(0.0, 50.0), (4.0, 55.0), (20.0, 72.0), (24.0, 80.0), (40.0, 95.0), (60.0, 115.0)];
        let gaps = gaps(&packets);
        assert_eq!(gaps.len(), 2);
        assert!(is_near(gaps[0], 20.0, 25.0), "{gaps:?}");
        assert!((gaps[0].change_ms() - 5.0).abs() < 1e-9);
        assert!(is_near(gaps[1], 16.0, 15.0), "{gaps:?}");
    }

    #[test]
    fn packets_that_an_outage_delivers_at_once_are_one_group() {
        // sent every 10 ms, held until 200 ms, delivered 1 ms apart: the delay falls and gaps are below 5 ms
        let held = [(0.0, 50.0), (10.0, 60.0), (20.0, 200.0), (30.0, 201.0), (40.0, 202.0)];
        assert!(gaps(&held).len() == 1); // of the group that ended at 10 ms
        let mut then = held.to_vec();
        then.extend([(400.0, 450.0), (410.0, 460.0)]);
        let gaps = gaps(&then);
        assert!(is_near(gaps[1], 30.0, 142.0), "{gaps:?}"); // 10 -> 40 ms, 60 -> 202 ms
    }

    #[test]
    fn equal_gaps_make_no_burst() {
        // 3 ms apart at both ends, at times that are no binary fractions: every second packet begins a group
        let packets: Vec<(f64, f64)> =
            (0..3000).map(|n| (3.0 * f64::from(n), 3.0 * f64::from(n) + 40.1)).collect();
        assert_eq!(gaps(&packets).len(), 1498); // (3000 - 1) / 2 groups end, and the first gives no gap
    }

    #[test]
    fn packets_older_than_the_group_are_ignored() {
        let ordered = [(0.0, 50.0), (20.0, 70.0), (40.0, 90.0), (60.0, 110.0)];
        let mut late = ordered.to_vec();
        late.insert(3, (5.0, 95.0));
        assert_eq!(gaps(&ordered), gaps(&late));
    }

    #[test]
    fn a_group_that_ends_before_its_predecessor_three_times_forgets_everything() {
        // the first group ends at 500 ms, and a late packet lets the second one end at 70 ms
        let mut arrivals = Arrivals::default();
        for (sent_s, arrived_s) in [(0.0, 0.5), (0.01, 0.51), (0.012, 0.07)] {
            arrivals.take(sent_s, arrived_s);
        }
        assert!(arrivals.previous.is_some());
        for (sent_s, arrived_s) in [(0.02, 0.08), (0.03, 0.09), (0.04, 0.10)] {
            assert!(arrivals.current.is_some());
            assert_eq!(arrivals.take(sent_s, arrived_s), None);
        }
        assert!(arrivals.current.is_none());
    }
}
