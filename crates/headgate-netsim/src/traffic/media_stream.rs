//! A stream of media, as the plan describes it.

use headgate_model::chance::Stream;
use headgate_model::media::MediaStream;
use headgate_model::units::{Span, Time, seconds};
use serde::{Deserialize, Serialize};

use crate::packets::address::HostLocation;
use crate::packets::index::FlowId;

/// The frames of a stream, their packets and the receiver's reports.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct MediaOptions {
    /// Least target rate, bit/s.
    pub min_bps: f64,
    /// Greatest target rate, bit/s.
    pub max_bps: f64,
    /// Target rate of the first frame, bit/s.
    pub start_bps: f64,
    /// Time from one frame to the next, picoseconds.
    pub frame: Span,
    /// Greatest relative deviation of a frame's size from its nominal size. Sizes are uniformly distributed.
    pub size_deviation: f64,
    /// Number of frames from one key frame to the next; 0 = none after the first.
    pub key_every: u32,
    /// Size of a key frame as a multiple of the nominal size. The other frames are smaller.
    pub key_factor: f64,
    /// Time from a change of the target rate until frames have it, picoseconds.
    pub reaction: Span,
    /// Size of a full packet with its headers, bytes.
    pub packet_bytes: u16,
    /// Headers of a packet, bytes.
    pub header_bytes: u16,
    /// Packets that are due within this time leave together, picoseconds.
    pub burst: Span,
    /// A packet is lost if a packet that left so much later has arrived, picoseconds.
    pub reorder: Span,
    /// Time after the capture of a frame from which on the frame is late, picoseconds.
    pub deadline: Span,
    /// Longest time from an arrival until it is reported, picoseconds.
    pub report_every: Span,
    /// Number of arrivals after which the receiver reports at once.
    pub report_packets: u32,
    /// Whether the receiver reports at once after the last packet of a frame.
    pub report_frames: bool,
    /// When the first frame is captured, picoseconds.
    pub start: Time,
    /// From this time on, no frame is captured, picoseconds.
    pub stop: Time,
}

impl MediaOptions {
    /// Returns the stream as a rate controller sees it.
    pub fn stream(&self) -> MediaStream {
        MediaStream {
            min_bps: self.min_bps,
            max_bps: self.max_bps,
            start_bps: self.start_bps,
            frame_s: seconds(self.frame),
            packet_bytes: f64::from(self.packet_bytes),
        }
    }

    /// Returns the nominal size of a frame relative to the mean size.
    pub fn relative_size(&self, frame: u64) -> f64 {
        match u64::from(self.key_every) {
            0 => 1.0,
            every if frame % every == 0 => self.key_factor,
            every => (every as f64 - self.key_factor) / (every as f64 - 1.0),
        }
    }

    /// Returns whether this is a key frame.
    pub fn is_key(&self, frame: u64) -> bool {
        frame.checked_rem(u64::from(self.key_every)).unwrap_or(frame) == 0
    }
}

/// A stream between two hosts.
#[derive(Clone, Debug)]
pub struct MediaFlow {
    /// Its id in the results.
    pub flow_id: FlowId,
    /// Random numbers of its frames.
    pub chance: Stream,
    /// Host of the sender.
    pub from: HostLocation,
    /// Host of the receiver.
    pub to: HostLocation,
    /// Frames, packets and reports.
    pub options: MediaOptions,
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// A stream of 25 frames/s at 2 Mbit/s.
    pub(crate) fn options() -> MediaOptions {
        MediaOptions {
            min_bps: 1e5,
            max_bps: 1e7,
            start_bps: 2e6,
            frame: 40_000_000_000,
            size_deviation: 0.0,
            key_every: 0,
            key_factor: 1.0,
            reaction: 0,
            packet_bytes: 1200,
            header_bytes: 40,
            burst: 0,
            reorder: 10_000_000_000,
            deadline: 150_000_000_000,
            report_every: 40_000_000_000,
            report_packets: 16,
            report_frames: true,
            start: 0,
            stop: Time::MAX,
        }
    }

    #[test]
    fn the_mean_size_does_not_depend_on_key_frames() {
        let options = MediaOptions { key_every: 10, key_factor: 4.0, ..options() };
        let sizes: Vec<f64> = (0..10).map(|frame| options.relative_size(frame)).collect();
        assert_eq!(sizes[0], 4.0);
        assert!((sizes.iter().sum::<f64>() - 10.0).abs() < 1e-12);
        assert!(options.is_key(20) && !options.is_key(21));
    }

    #[test]
    fn without_key_frames_all_sizes_are_equal() {
        assert!((0..50).all(|frame| options().relative_size(frame) == 1.0));
        assert!(options().is_key(0) && !options().is_key(1));
    }
}
