//! The rows and samples of streams of media.

use headgate_model::control::ControllerRegistry;
use headgate_model::media::RateController;
use headgate_model::units::Time;
use serde::{Deserialize, Serialize};

use crate::record::{Histogram, MediaDelays, MediaReceived, MediaRow, MediaSample, MediaSent};
use crate::region::hosts::media::{MediaReceiver, MediaSender};
use crate::run::all_shards::AllShards;

/// The counts of a stream at the beginning of a period.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct StreamCounts {
    sent: MediaSent,
    waits: Histogram,
    received: MediaReceived,
    delays: MediaDelays,
}

impl StreamCounts {
    fn of<M: RateController>(sender: &MediaSender<M>, receiver: &MediaReceiver) -> Self {
        Self {
            sent: sender.counts.clone(),
            waits: sender.waits.clone(),
            received: receiver.counts.clone(),
            delays: receiver.delays.clone(),
        }
    }
}

/// Returns the counts of all streams.
pub fn count_streams<L: ControllerRegistry>(all_shards: &AllShards<'_, L>) -> Vec<StreamCounts> {
    all_shards.streams().map(|(sender, receiver)| StreamCounts::of(sender, receiver)).collect()
}

/// Returns the rows of the streams for a period that began with the counts `before`.
pub fn media_rows<L: ControllerRegistry>(
    period: u32,
    span: [Time; 2],
    before: &[StreamCounts],
    all_shards: &AllShards<'_, L>,
) -> Vec<MediaRow> {
    let row = |((sender, receiver), before)| media_row(period, span, sender, receiver, before);
    all_shards.streams().zip(before).map(row).collect()
}

fn media_row<M: RateController>(
    period: u32,
    [start, end]: [Time; 2],
    sender: &MediaSender<M>,
    receiver: &MediaReceiver,
    before: &StreamCounts,
) -> MediaRow {
    let packets = receiver.delays.packets.since(&before.delays.packets);
    let frames = receiver.delays.frames.since(&before.delays.frames);
    let waits = sender.waits.since(&before.waits);
    let endpoint = &sender.endpoint;
    let (from, to) = (start.max(sender.options.start), end.min(sender.options.stop));
    MediaRow {
        period,
        traffic: endpoint.flow_id.0,
        source: endpoint.home.router.0,
        receiver: endpoint.peer_home.router.0,
        active: to.saturating_sub(from),
        packet_delay_p95_s: packets.quantile_s(0.95),
        packet_delay_p99_s: packets.quantile_s(0.99),
        frame_delay_p95_s: frames.quantile_s(0.95),
        frame_delay_p99_s: frames.quantile_s(0.99),
        queue_wait_p95_s: waits.quantile_s(0.95),
        sent: sender.counts.since(&before.sent),
        received: receiver.counts.since(&before.received),
    }
}

/// Samples the streams that have begun.
pub fn media_samples<L: ControllerRegistry>(
    now: Time,
    all_shards: &AllShards<'_, L>,
) -> impl Iterator<Item = MediaSample> {
    let begun = move |(sender, _): &(&MediaSender<L::Media>, &MediaReceiver)| sender.options.start < now;
    all_shards.streams().filter(begun).map(move |(sender, receiver)| MediaSample {
        time: now,
        traffic: sender.endpoint.flow_id.0,
        target_bps: sender.rates.target_bps.clamp(sender.options.min_bps, sender.options.max_bps),
        pacing_bps: sender.rates.pacing_bps,
        window_bytes: sender.rates.window_bytes,
        in_flight_bytes: sender.in_flight_bytes(),
        queue_bytes: sender.queue_bytes(),
        gauge: sender.controller.gauge().map_or(f64::NAN, |(_, value)| value),
        sent_bytes: sender.counts.bytes_sent,
        received_bytes: receiver.counts.bytes_received,
        received_packets: receiver.counts.packets_received,
        packet_delay: receiver.counts.packet_delay,
        frames_lost: receiver.counts.frames_lost,
        frames_late: receiver.counts.frames_late,
    })
}
