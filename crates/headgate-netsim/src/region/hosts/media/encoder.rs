//! The encoder of a stream: the size of each frame, at the target rate of some time ago.

use headgate_model::chance::Stream;
use headgate_model::units::{Time, seconds};
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

use crate::traffic::media_stream::MediaOptions;

/// An encoder, which follows its target rate after a delay.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Encoder {
    /// The target rate of the next frame, bit/s.
    rate_bps: f64,
    /// Later target rates, and the times from which on they apply.
    coming: VecDeque<(Time, f64)>,
    stream: Stream,
    /// Number of the next frame.
    pub next_frame: u64,
}

impl Encoder {
    /// An encoder that has produced no frame.
    pub fn new(options: &MediaOptions, stream: Stream) -> Self {
        Self { rate_bps: options.start_bps, coming: VecDeque::new(), stream, next_frame: 0 }
    }

    /// Sets the target rate.
    pub fn set_target(&mut self, target_bps: f64, now: Time, options: &MediaOptions) {
        let target = target_bps.clamp(options.min_bps, options.max_bps);
        let latest = self.coming.back().map_or(self.rate_bps, |&(_, rate)| rate);
        if target != latest {
            self.coming.push_back((now + options.reaction, target));
        }
    }

    /// Captures a frame. Returns its size with the headers of its packets, bytes.
    pub fn capture(&mut self, now: Time, options: &MediaOptions) -> f64 {
        while let Some(&(from, rate)) = self.coming.front() {
            if from > now {
                break;
            }
            self.rate_bps = rate;
            self.coming.pop_front();
        }
        let mut factor = options.relative_size(self.next_frame);
        if options.size_deviation > 0.0 {
            factor *= 1.0 + options.size_deviation * (2.0 * self.stream.open01() - 1.0);
        }
        self.next_frame += 1;
        factor * self.rate_bps * seconds(options.frame) / 8.0
    }

    /// Returns the memory of the encoder without the struct itself, bytes.
    pub fn bytes(&self) -> usize {
        self.coming.capacity() * size_of::<(Time, f64)>()
    }
}

/// Cuts a frame into packets. Returns their number and the size of the last one, bytes. The others are full.
pub fn cut(frame_bytes: f64, options: &MediaOptions) -> (u32, u16) {
    let full = f64::from(options.packet_bytes);
    let packets = (frame_bytes / full).ceil().max(1.0);
    let last = (frame_bytes - (packets - 1.0) * full).round();
    (packets as u32, (last as u16).max(options.header_bytes + 1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::traffic::media_stream::tests::options;

    #[test]
    fn a_frame_has_the_target_rate_of_a_reaction_time_ago() {
        let options = MediaOptions { reaction: 100, ..options() };
        let mut encoder = Encoder::new(&options, Stream::new(1, "media", 0));
        encoder.set_target(4e6, 50, &options);
        assert_eq!(encoder.capture(149, &options), 10_000.0); // 2 Mbit/s * 40 ms / 8
        assert_eq!(encoder.capture(150, &options), 20_000.0);
        encoder.set_target(4e9, 200, &options);
        assert_eq!(encoder.capture(300, &options), 50_000.0); // limited to 10 Mbit/s
    }

    #[test]
    fn sizes_deviate_uniformly_around_the_target() {
        let options = MediaOptions { size_deviation: 0.5, ..options() };
        let mut encoder = Encoder::new(&options, Stream::new(1, "media", 0));
        let sizes: Vec<f64> = (0..10_000).map(|_| encoder.capture(0, &options)).collect();
        assert!(sizes.iter().all(|size| (5_000.0..=15_000.0).contains(size)));
        let mean = sizes.iter().sum::<f64>() / 1e4;
        assert!((mean - 10_000.0).abs() < 116.0); // four standard errors of 10000/12^0.5/100
    }

    #[test]
    fn packets_of_a_frame_are_full_but_the_last() {
        assert_eq!(cut(10_000.0, &options()), (9, 400));
        assert_eq!(cut(1_200.0, &options()), (1, 1200));
        assert_eq!(cut(0.0, &options()), (1, 41));
        assert_eq!(cut(1_210.0, &options()), (2, 41)); // no packet is only headers
    }
}
