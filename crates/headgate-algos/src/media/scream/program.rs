//! The points in which the program of October 2024 differs from the draft (`ScreamV2Tx.cpp` and
//! `ScreamV2TxStream.cpp` of EricssonResearch/scream at 76a298a).

use headgate_model::media::{Frame, MediaStream, Rates};

use super::{GAIN_DOWN, GAIN_UP, MIN_PACE_BPS, MIN_REF_WND, PACKET_OVERHEAD, Scream, Variant};

/// Gain of the share of marks (`kL4sG`).
const ALPHA_GAIN: f64 = 1.0 / 32.0;
/// Share of marks at the start.
const FIRST_ALPHA: f64 = 0.1;
/// Longest time between two reactions, seconds (1966 units of 2^-16 s).
pub(super) const REACT_EVERY_S: f64 = 1966.0 / 65_536.0;
/// Growth per round trip long after a congestion (`multiplicativeIncreaseFactor`).
const GROWTH: f64 = 0.05;
/// Time after a congestion until growth is fully multiplicative, seconds (`postCongestionDelay`).
const POST_CONGESTION_S: f64 = 4.0;
/// Bytes in flight that growth allows (`bytesInFlightHeadroom`), and the send window (`kCwndOverhead`), as
/// multiples.
const FLIGHT_HEADROOM: f64 = 2.0;
const WINDOW_OVERHEAD: f64 = 1.5;
/// Greatest factor of the pacing headroom for large frames (`adaptivePaceHeadroom`).
const MOST_ADAPTIVE: f64 = 1.5;
/// Smallest nominal frame for which pacing adapts, bytes.
const LEAST_FRAME: f64 = 500.0;
/// Time without a congestion after which the window is inflated, seconds, and the reaction to it.
const LONG_S: f64 = 5.0;
const LONG_BACKOFF: f64 = 0.25;
/// Number of windows of a congestion whose median counts (`kCwndIHistSize`).
const WINDOWS: usize = 9;
/// Bins of relative frame sizes and their range (`kRelFrameSizeHistBins`, `kRelFrameSizeHistRange` - 1),
/// their decay, the percentile, and the frames before it counts.
const BINS: usize = 50;
const RANGE: f64 = 2.0;
const DECAY: f64 = 1.0 / 1024.0;
const PERCENTILE: f64 = 0.75;
const FIRST_FRAMES: u32 = 50;

impl Variant {
    /// Returns the share of marks at the start.
    pub(super) fn first_alpha(self) -> f64 {
        if self == Self::Of2024 { FIRST_ALPHA } else { 0.0 }
    }

    /// Returns the mean share of marks with a new one.
    pub(super) fn mean_share(self, alpha: f64, share: f64) -> f64 {
        match self {
            Self::Of2024 => ALPHA_GAIN * share + (1.0 - ALPHA_GAIN) * alpha,
            Self::Draft if share >= alpha => GAIN_UP.mul_add(share - alpha, alpha),
            Self::Draft => (1.0 - GAIN_DOWN) * alpha,
        }
    }
}

/// The frame sizes and the windows of congestions that the program remembers.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub(super) struct Memory {
    bins: Vec<f64>,
    frames: u32,
    /// High percentile of relative frame sizes (`relFrameSizeHigh`).
    pub high_size: f64,
    /// Factor of the pacing rate for a large frame (`adaptivePacingRateScale`).
    pub pacing: f64,
    windows: Vec<f64>,
}

impl Default for Memory {
    fn default() -> Self {
        let bins = std::iter::once(1.0).chain(std::iter::repeat_n(0.0, BINS - 1)).collect();
        Self { bins, frames: 0, high_size: 1.0, pacing: 1.0, windows: Vec::new() }
    }
}

impl Memory {
    /// Notes a frame, whose size at the target rate is `nominal`.
    pub fn add_frame(&mut self, frame: &Frame, nominal: f64) {
        self.frames += 1;
        let size = frame.sender.queue_bytes.max(frame.size_bytes);
        let is_large = nominal > LEAST_FRAME;
        self.pacing = if is_large { (size / nominal).clamp(1.0, MOST_ADAPTIVE) } else { 1.0 };
        if frame.size_bytes <= nominal {
            return;
        }
        let bin = (frame.size_bytes - nominal) / (nominal * RANGE) * BINS as f64;
        self.bins[(bin as usize).min(BINS - 1)] += 1.0;
        self.bins.iter_mut().for_each(|count| *count *= 1.0 - DECAY);
        if self.frames > FIRST_FRAMES {
            self.high_size = 1.0 + self.high_bin() as f64 * RANGE / BINS as f64;
        }
    }

    fn high_bin(&self) -> usize {
        let most = self.bins.iter().sum::<f64>() * PERCENTILE;
        let (mut sum, mut bin) = (self.bins[0], 1);
        while sum < most && bin < BINS {
            sum += self.bins[bin];
            bin += 1;
        }
        bin - 1
    }

    /// Notes the window of a congestion. Returns the median of the last ones.
    pub fn inflection(&mut self, ref_wnd: f64) -> f64 {
        if self.windows.is_empty() {
            self.windows = vec![ref_wnd; WINDOWS];
        }
        self.windows.remove(0);
        self.windows.push(ref_wnd);
        let mut sorted = self.windows.clone();
        sorted.sort_by(f64::total_cmp);
        sorted[WINDOWS / 2]
    }
}

impl Scream {
    /// Reduces the window at a mark.
    pub(super) fn reduce_at_mark_2024(&mut self, now_s: f64) {
        let is_long = self.detector.since_reaction_s(now_s) > LONG_S;
        let mut backoff = self.detector.alpha / 2.0 * (1.0 - self.ratio()).max(0.5);
        if self.detector.queueing_s < self.params.delay_target_s / 4.0 {
            backoff *= self.detector.scale.max(0.25);
        }
        if is_long {
            self.ref_wnd = self.ref_wnd.min(self.max_flight[1]);
            backoff = backoff.max(LONG_BACKOFF);
            self.detector.alpha = self.detector.alpha.max(LONG_BACKOFF);
        }
        self.ref_wnd = (self.ref_wnd * (1.0 - backoff)).max(MIN_REF_WND);
    }

    /// Increases the window.
    pub(super) fn increase_2024(&mut self, bytes: f64, now_s: f64, is_at_most: bool) {
        let scale = self.detector.scale;
        let post_congestion = (self.detector.since_congestion_s(now_s) / POST_CONGESTION_S).clamp(0.0, 1.0);
        let extra = GROWTH * self.ref_wnd / self.packet_bytes();
        let increment = bytes
            * self.ratio()
            * (self.srtt_s / self.params.virtual_rtt_s).min(1.0)
            * scale.max(0.25)
            * (1.0 - self.ratio()).max(0.5)
            * (1.0 + extra * post_congestion * scale);
        let allowed = self.packet_bytes() + self.max_flight[0].max(self.max_flight[1]) * FLIGHT_HEADROOM;
        if self.ref_wnd + increment <= allowed && !is_at_most {
            self.ref_wnd += increment;
        }
    }

    /// Sets target rate, pacing rate and send window.
    pub(super) fn set_rates_2024(&self, stream: &MediaStream, rates: &mut Rates) {
        let small = 1.0 - (self.ratio() - 0.1).clamp(0.0, 0.2);
        let payload = stream.packet_bytes / (stream.packet_bytes + PACKET_OVERHEAD);
        let rtt_s = (self.srtt_s + 0.001).clamp(0.001, 0.2);
        let target = small * payload / self.memory.high_size * 8.0 * self.ref_wnd / rtt_s;
        rates.target_bps = target.clamp(stream.min_bps, stream.max_bps);
        let pacing_bps = rates.target_bps * self.params.pacing_headroom * self.memory.pacing;
        rates.pacing_bps = pacing_bps.max(MIN_PACE_BPS);
        rates.window_bytes = self.ref_wnd * WINDOW_OVERHEAD * self.memory.high_size + stream.packet_bytes;
        rates.discard_s = self.params.discard_s;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use headgate_model::media::SenderQueue;

    fn frame(size_bytes: f64) -> Frame {
        Frame { sender: SenderQueue::default(), size_bytes, is_key: false }
    }

    #[test]
    fn the_share_of_marks_moves_by_a_32nd() {
        assert_eq!(Variant::Of2024.first_alpha(), 0.1);
        assert!((Variant::Of2024.mean_share(0.1, 0.42) - 0.11).abs() < 1e-12);
        assert!((Variant::Of2024.mean_share(0.32, 0.0) - 0.31).abs() < 1e-12);
    }

    #[test]
    fn frames_of_half_more_leave_half_faster_and_lower_the_target() {
        let mut memory = Memory::default();
        memory.add_frame(&frame(15_000.0), 10_000.0);
        assert_eq!((memory.pacing, memory.high_size), (1.5, 1.0)); // not before 50 frames
        memory.add_frame(&frame(30_000.0), 10_000.0);
        assert_eq!(memory.pacing, 1.5);
        (0..2000).for_each(|_| memory.add_frame(&frame(14_900.0), 10_000.0));
        assert!((memory.high_size - 1.48).abs() < 1e-12); // 49 % above lies in the bin from 48 %
    }

    #[test]
    fn the_inflection_point_is_the_median_of_nine_windows() {
        let mut memory = Memory::default();
        assert_eq!(memory.inflection(100.0), 100.0);
        let found: Vec<f64> = (0..6).map(|_| memory.inflection(50.0)).collect();
        assert_eq!(found, [100.0, 100.0, 100.0, 100.0, 50.0, 50.0]);
    }
}
