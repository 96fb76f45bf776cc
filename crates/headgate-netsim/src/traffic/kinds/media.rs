//! Real-time media: streams of frames at a rate that a rate controller adapts.
//!
//! Frames follow each other at a fixed time. Their sizes are uniformly distributed around the nominal size
//! (as with the option `-rand` of the SCReAM test tool). RFC 8593 lists further models of encoders.

use headgate_model::chance::Stream;
use headgate_model::check::{LONGEST_DELAY_S, LONGEST_RUN_S, PlanPath, Result};
use headgate_model::plan::{DeviceChoice, Place};
use headgate_model::units::{NEVER, SECOND};
use serde::Deserialize;

use crate::packets::foreign::SLOTS;
use crate::packets::index::FlowId;
use crate::packets::media::{MOST_ENTRIES, MOST_STREAMS};
use crate::traffic::builder::Builder;
use crate::traffic::check::Check;
use crate::traffic::flow_schedule::FlowSchedule;
use crate::traffic::kind::{Populate, TrafficKind, TrafficProcesses};
use crate::traffic::media_stream::{MediaFlow, MediaOptions};
use crate::traffic::pairs::{Pairs, check_pairs};
use crate::traffic::spec::TrafficSpec;

/// Allowed rates of streams, bit/s. A packet at the least rate takes less than a second.
const RATES_BPS: (f64, f64) = (10_000.0, 100e9);

/// Shortest time between two frames, picoseconds.
const SHORTEST_FRAME: u64 = SECOND / 100_000;

/// `count` streams, which start `stagger_ps` apart. They use the sources in turn, and the receivers at other
/// routers in turn. `law` and `transport` are unused.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Media {
    /// Name in the results.
    pub name: String,
    /// Unused.
    #[serde(rename = "law")]
    pub controller: u32,
    /// Unused.
    pub transport: u32,
    /// The rate controller.
    pub rate_controller: DeviceChoice,
    /// Number of streams.
    #[serde(rename = "streams")]
    pub count: u32,
    /// Places that send, used in turn.
    pub sources: Vec<Place>,
    /// Places that receive, used in turn.
    pub receivers: Vec<Place>,
    /// When the first stream starts, picoseconds.
    pub start_ps: u64,
    /// Time between the starts of two streams, picoseconds.
    #[serde(default)]
    pub stagger_ps: u64,
    /// From this time on, no frame is captured, picoseconds; absent = never.
    #[serde(default)]
    pub stop_ps: Option<u64>,
    /// Least target rate, bit/s.
    pub min_bps: f64,
    /// Greatest target rate, bit/s.
    pub max_bps: f64,
    /// Target rate of the first frame, bit/s.
    pub start_bps: f64,
    /// Time from one frame to the next, picoseconds.
    pub frame_ps: u64,
    /// Greatest relative deviation of a frame's size from its nominal size.
    pub size_deviation: f64,
    /// Number of frames from one key frame to the next; 0 = none after the first.
    pub key_every: u32,
    /// Size of a key frame as a multiple of the mean size.
    pub key_factor: f64,
    /// Time from a change of the target rate until frames have it, picoseconds.
    pub reaction_ps: u64,
    /// Size of a full packet with its headers, bytes.
    pub packet_bytes: u16,
    /// Headers of a packet, bytes.
    pub header_bytes: u16,
    /// Packets that are due within this time leave together, picoseconds.
    pub burst_ps: u64,
    /// A packet is lost if a packet that left so much later has arrived, picoseconds.
    pub reorder_ps: u64,
    /// Time after the capture of a frame from which on the frame is late, picoseconds.
    pub deadline_ps: u64,
    /// Longest time from an arrival until it is reported, picoseconds.
    pub report_ps: u64,
    /// Number of arrivals after which the receiver reports at once.
    pub report_packets: u32,
    /// Whether the receiver reports at once after the last packet of a frame.
    pub report_frames: bool,
}

impl TrafficKind for Media {
    fn name(&self) -> &str {
        &self.name
    }

    fn names(&self) -> u32 {
        self.count
    }

    fn rate_controller(&self) -> Option<&DeviceChoice> {
        Some(&self.rate_controller)
    }

    fn check(&self, check: &mut Check, at: &PlanPath) -> Result {
        check.controller_and_profile(self.controller, self.transport, at)?;
        at.count("streams", self.count.into(), (1, MOST_STREAMS.into()), "streams")?;
        self.check_rates(at)?;
        self.check_frames(at)?;
        self.check_packets(at)?;
        self.check_times(at)?;
        check_pairs(self.count, (&self.sources, &self.receivers), check, at)?;
        let pairs = Pairs::new(self.count, &self.sources, &self.receivers);
        (0..self.count).try_for_each(|n| {
            let (source, receiver) = pairs.get(n);
            check.add_stream(source.node, at)?;
            check.add_stream(receiver.node, at)
        })
    }
}

impl Media {
    fn check_rates(&self, at: &PlanPath) -> Result {
        at.number("min_bps", self.min_bps, RATES_BPS, "bit/s")?;
        at.number("max_bps", self.max_bps, (self.min_bps, RATES_BPS.1), "bit/s")?;
        at.number("start_bps", self.start_bps, (self.min_bps, self.max_bps), "bit/s")
    }

    fn check_frames(&self, at: &PlanPath) -> Result {
        at.count("frame_ps", self.frame_ps, (SHORTEST_FRAME, 10 * SECOND), "ps")?;
        at.number("size_deviation", self.size_deviation, (0.0, 1.0), "")?;
        at.ensure(self.key_every != 1, "key_every", || {
            "each frame would be a key frame; every second one can be, or 0 for none".to_owned()
        })?;
        let most = if self.key_every == 0 { 1.0 } else { f64::from(self.key_every) };
        at.number("key_factor", self.key_factor, (1.0, most), "")
    }

    fn check_packets(&self, at: &PlanPath) -> Result {
        at.count("packet_bytes", self.packet_bytes.into(), (64, 65_000), "bytes")?;
        let most = u64::from(self.packet_bytes) - 1;
        at.count("header_bytes", self.header_bytes.into(), (0, most), "bytes")?;
        at.count("report_packets", self.report_packets.into(), (1, MOST_ENTRIES as u64 / 2), "packets")
    }

    fn check_times(&self, at: &PlanPath) -> Result {
        at.span("start_ps", self.start_ps, LONGEST_RUN_S)?;
        let last = self.stagger_ps.saturating_mul(u64::from(self.count) - 1).saturating_add(self.start_ps);
        at.span("stagger_ps", last, LONGEST_RUN_S)?;
        if let Some(stop_ps) = self.stop_ps {
            at.span("stop_ps", stop_ps, LONGEST_RUN_S)?;
            at.ensure(last < stop_ps, "stop_ps", || "a stream must stop after it starts".to_owned())?;
        }
        at.span("reaction_ps", self.reaction_ps, LONGEST_DELAY_S)?;
        at.span("burst_ps", self.burst_ps, LONGEST_DELAY_S)?;
        at.span("reorder_ps", self.reorder_ps, LONGEST_DELAY_S)?;
        at.span("deadline_ps", self.deadline_ps, LONGEST_DELAY_S)?;
        at.positive_span("report_ps", self.report_ps, LONGEST_DELAY_S)
    }

    /// Returns the options of a stream, by its number.
    fn options(&self, n: u32) -> MediaOptions {
        MediaOptions {
            min_bps: self.min_bps,
            max_bps: self.max_bps,
            start_bps: self.start_bps,
            frame: self.frame_ps,
            size_deviation: self.size_deviation,
            key_every: self.key_every,
            key_factor: self.key_factor,
            reaction: self.reaction_ps,
            packet_bytes: self.packet_bytes,
            header_bytes: self.header_bytes,
            burst: self.burst_ps,
            reorder: self.reorder_ps,
            deadline: self.deadline_ps,
            report_every: self.report_ps,
            report_packets: self.report_packets,
            report_frames: self.report_frames,
            start: self.start_ps + u64::from(n) * self.stagger_ps,
            stop: self.stop_ps.unwrap_or(NEVER),
        }
    }
}

impl Populate for Media {
    type Process = FlowSchedule;

    fn populate(&self, first: FlowId, builder: &mut Builder) -> TrafficProcesses<FlowSchedule> {
        let pairs = Pairs::new(self.count, &self.sources, &self.receivers);
        let purpose = format!("media {}", self.name);
        for n in 0..self.count {
            let (source, receiver) = pairs.get(n);
            let [from, to] = [source, receiver].map(|place| builder.add_host(place).nth(0));
            builder.media.push(MediaFlow {
                flow_id: FlowId(first.0 + n),
                chance: Stream::new(builder.context.seed, &purpose, n.into()),
                from,
                to,
                options: self.options(n),
            });
        }
        TrafficProcesses {
            spec: TrafficSpec::new(first, self.controller, self.transport),
            processes: Vec::new(),
        }
    }
}

const _: () = assert!(2 * MOST_STREAMS + SLOTS < 1 << 16); // the fewest slots of a router
