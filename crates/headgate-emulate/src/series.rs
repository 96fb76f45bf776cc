//! Time series of flows of real packets, in intervals of 100 ms.

/// Length of an interval: 100 ms.
pub const INTERVAL: u64 = 100_000_000_000;

/// Largest number of flows with a series, the first ones, so that a flood of random ports does not fill the
/// memory.
pub const MOST: u32 = 1000;

/// The counters of a flow in one interval, numbered from 0 at the start of the run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sample {
    pub interval: u32,
    pub sent_bytes: u64,
    pub delivered_packets: u64,
    pub delivered_payload_bytes: u64,
    pub lost_packets: u64,
    /// Time from host to host of arrivals, ps: sum and largest.
    pub delay_sum: u64,
    pub delay_most: u64,
}

/// Samples of each flow in order of time. Intervals without packets are left out.
#[derive(Clone, Debug, Default)]
pub struct Series {
    flows: Vec<Vec<Sample>>,
}

impl Series {
    /// Returns the sample of a flow at a time, ps; `None` for flows without a series.
    pub fn at(&mut self, flow: u32, time: u64) -> Option<&mut Sample> {
        if flow >= MOST {
            return None;
        }
        if self.flows.len() <= flow as usize {
            self.flows.resize_with(flow as usize + 1, Vec::new);
        }
        let samples = &mut self.flows[flow as usize];
        let interval = (time / INTERVAL) as u32;
        // arrivals are known a little later than transmissions
        let after = samples.iter().rposition(|sample| sample.interval <= interval).map_or(0, |at| at + 1);
        if after > 0 && samples[after - 1].interval == interval {
            return samples.get_mut(after - 1);
        }
        samples.insert(after, Sample { interval, ..Sample::default() });
        samples.get_mut(after)
    }

    /// All samples, with the numbers of their flows.
    pub fn rows(&self) -> Vec<(u32, Sample)> {
        let of = |(flow, samples): (usize, &Vec<Sample>)| {
            samples.iter().map(move |&sample| (flow as u32, sample)).collect::<Vec<_>>()
        };
        self.flows.iter().enumerate().flat_map(of).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_flow_has_its_samples_in_order_of_time() {
        let mut series = Series::default();
        for (flow, time) in [(1, 0), (1, 2 * INTERVAL), (1, INTERVAL), (0, INTERVAL - 1), (1, INTERVAL + 7)] {
            series.at(flow, time).expect("a sample").sent_bytes += 10;
        }
        let seen: Vec<_> =
            series.rows().iter().map(|(flow, sample)| (*flow, sample.interval, sample.sent_bytes)).collect();
        assert_eq!(seen, [(0, 0, 10), (1, 0, 10), (1, 1, 20), (1, 2, 10)]);
        assert_eq!(series.at(MOST, 0), None);
    }
}
