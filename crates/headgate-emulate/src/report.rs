//! Statistics of the loop: the lateness of packets, and the lag of the simulation.

use hdrhistogram::Histogram;

use crate::counters::Drops;

const PS_PER_SECOND: u64 = 1_000_000_000_000;
const PS_PER_NS: u64 = 1000;

/// Lateness from 1 ns to a minute, in three digits.
const LONGEST_NS: u64 = 60_000_000_000;

/// The statistics of one second of the run.
#[derive(Clone, Copy, Debug, Default)]
pub struct Second {
    pub read: u64,
    pub written: u64,
    pub lost: u64,
    /// Lateness, ps.
    pub late_sum: u64,
    pub late_most: u64,
    /// Largest lag of the simulation, ps.
    pub lag: u64,
}

#[derive(Clone, Debug)]
pub struct Report {
    pub seconds: Vec<Second>,
    /// Time from the due time of a packet to its writing, ns.
    pub lateness: Histogram<u64>,
    pub lost: u64,
    /// Packets that are neither IPv4 nor IPv6.
    pub malformed: u64,
    /// Packets to no host, or to a host without a route.
    pub unreachable: u64,
    /// Packets that a host's kernel did not accept.
    pub not_taken: u64,
    /// Packets that the kernel dropped at each host's device.
    pub drops: Vec<Drops>,
    /// Largest lag of the simulation, ps.
    pub longest_lag: u64,
    /// Whether the loop ran with real-time priority.
    pub real_time: bool,
}

impl Default for Report {
    fn default() -> Self {
        Self {
            seconds: Vec::new(),
            lateness: Histogram::new_with_bounds(1, LONGEST_NS, 3).expect("bounds"),
            lost: 0,
            malformed: 0,
            unreachable: 0,
            not_taken: 0,
            drops: Vec::new(),
            longest_lag: 0,
            real_time: false,
        }
    }
}

impl Report {
    /// Returns the statistics of the second that contains a time.
    pub fn second(&mut self, time: u64) -> &mut Second {
        let at = (time / PS_PER_SECOND) as usize;
        if self.seconds.len() <= at {
            self.seconds.resize(at + 1, Second::default());
        }
        &mut self.seconds[at]
    }

    /// Records a packet that was due and was written, or was not `taken` by the kernel.
    pub fn write(&mut self, due: u64, now: u64, taken: bool) {
        let late = now.saturating_sub(due);
        let second = self.second(due);
        second.written += u64::from(taken);
        second.late_sum += late;
        second.late_most = second.late_most.max(late);
        self.not_taken += u64::from(!taken);
        self.lateness.saturating_record((late / PS_PER_NS).max(1));
    }

    /// The lateness that this share of packets did not exceed, s; NaN if none was written.
    pub fn late_s(&self, share: f64) -> f64 {
        let late_ns = self.lateness.value_at_quantile(share) as f64;
        if self.lateness.is_empty() { f64::NAN } else { late_ns / 1e9 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lateness_has_its_quantiles() {
        let mut report = Report::default();
        assert!(report.late_s(0.5).is_nan());
        for n in 1..=1000 {
            report.write(PS_PER_SECOND, PS_PER_SECOND + n * 1_000_000, true); // n us
        }
        report.write(0, 5 * PS_PER_SECOND, false);
        for (share, late_s) in [(0.5, 500e-6), (0.99, 990e-6), (1.0, 5.0)] {
            assert!((report.late_s(share) / late_s - 1.0).abs() < 0.004, "{share}: {}", report.late_s(share));
        }
        assert_eq!((report.seconds[1].written, report.seconds[0].written, report.not_taken), (1000, 0, 1));
        assert_eq!(report.seconds[1].late_most, 1_000_000_000);
    }
}
