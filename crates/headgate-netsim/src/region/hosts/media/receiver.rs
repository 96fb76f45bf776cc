//! The receiver of a stream: reports of arrivals (RFC 8888), and the frames that they complete.

use headgate_model::units::{NEVER, Time};
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

use super::MediaEndpoint;
use crate::packets::media::{MOST_ENTRIES, MediaFields, MediaReport, Reception, report_packet};
use crate::packets::packet::{CommonFields, Packet};
use crate::record::{MediaDelays, MediaReceived};
use crate::region::shard_state::ShardState;
use crate::time::timers::Purpose;
use crate::traffic::media_stream::MediaOptions;

/// Number of later frames whose arrival decides that a frame is lost.
const FRAMES_KEPT: usize = 64;

/// Packets before the range of a report whose arrivals are remembered, so that copies are recognised.
const PACKETS_KEPT: usize = 4096;

/// A frame of which packets may still arrive.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
struct Progress {
    arrived: u32,
    /// Number of its packets; 0 if none arrived.
    packets: u32,
}

impl Progress {
    fn is_complete(self) -> bool {
        self.packets > 0 && self.arrived >= self.packets
    }
}

/// The receiver of one stream.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct MediaReceiver {
    /// This end of the stream.
    pub endpoint: MediaEndpoint,
    /// Frames, packets and reports.
    pub options: MediaOptions,
    /// Counts since the start.
    pub counts: MediaReceived,
    /// Delays since the start.
    pub delays: MediaDelays,
    /// Arrivals from packet `first` on.
    arrivals: VecDeque<Option<Reception>>,
    first: u32,
    /// First packet of the next report: the first one after the last report but one.
    report_from: u32,
    /// First packet after the last report.
    reported: u32,
    /// Arrivals since the last report.
    unreported: u32,
    /// The timer of the next report; `NEVER` if none is set.
    timer_at: Time,
    /// Frames from number `first_frame` on.
    frames: VecDeque<Progress>,
    first_frame: u64,
}

impl MediaReceiver {
    /// A receiver that has received nothing.
    pub fn new(endpoint: MediaEndpoint, options: MediaOptions) -> Self {
        Self {
            endpoint,
            options,
            counts: MediaReceived::default(),
            delays: MediaDelays::default(),
            arrivals: VecDeque::new(),
            first: 0,
            report_from: 0,
            reported: 0,
            unreported: 0,
            timer_at: NEVER,
            frames: VecDeque::new(),
            first_frame: 0,
        }
    }

    /// A packet arrived, with these fields.
    pub fn on_packet<L>(&mut self, packet: &Packet, fields: &MediaFields, state: &mut ShardState<L>) {
        state.counters.segments_out += 1;
        state.counters.segments_marked += u64::from(packet.ecn().is_marked());
        let sequence = packet.seq().unwrap_or_default();
        let reception = Reception { at: state.now, ecn: packet.ecn() };
        if !self.note_arrival(sequence, reception) {
            return; // a copy
        }
        self.count(packet, fields, state.now);
        let completes = self.add_to_frame(fields, state.now);
        self.unreported += 1;
        let is_full = self.unreported >= self.options.report_packets;
        if is_full || (completes && self.options.report_frames) {
            self.report(state);
        } else if self.unreported == 1 {
            self.timer_at = state.now + self.options.report_every;
            self.endpoint.set_timer(Purpose::Report, self.timer_at, state);
        }
    }

    /// The timer of a report expired. An older timer than the one that is set does nothing.
    pub fn on_report_timer<L>(&mut self, at: Time, state: &mut ShardState<L>) {
        if at == self.timer_at && self.unreported > 0 {
            self.report(state);
        }
    }

    /// Returns the memory of the receiver, bytes.
    pub fn bytes(&self) -> usize {
        size_of::<Self>()
            + self.arrivals.capacity() * size_of::<Option<Reception>>()
            + self.frames.capacity() * size_of::<Progress>()
            + self.delays.packets.bytes()
            + self.delays.frames.bytes()
    }

    /// Records an arrival. Returns false for a packet that arrived before, or too long ago to know.
    fn note_arrival(&mut self, sequence: u32, reception: Reception) -> bool {
        let Some(at) = sequence.checked_sub(self.first) else { return false };
        let at = at as usize;
        if at >= self.arrivals.len() {
            self.arrivals.resize(at + 1, None);
        }
        self.arrivals[at].replace(reception).is_none()
    }

    fn count(&mut self, packet: &Packet, fields: &MediaFields, now: Time) {
        let delay = now - fields.sent.min(now);
        self.counts.packets_received += 1;
        self.counts.bytes_received += u64::from(packet.size);
        self.counts.packets_marked += u64::from(packet.ecn().is_marked());
        self.counts.packet_delay += u128::from(delay);
        self.delays.packets.add(delay);
    }

    /// Adds a packet to its frame. Returns whether the frame is complete with it.
    fn add_to_frame(&mut self, fields: &MediaFields, now: Time) -> bool {
        let Some(at) = fields.frame.checked_sub(self.first_frame) else { return false };
        if fields.frame_packets == 0 {
            return false; // padding
        }
        let at = at as usize;
        if at >= self.frames.len() {
            self.frames.resize(at + 1, Progress::default());
        }
        let frame = &mut self.frames[at];
        frame.packets = fields.frame_packets;
        frame.arrived += 1;
        let completes = frame.arrived == frame.packets;
        if completes {
            let delay = now - fields.captured.min(now);
            self.counts.frames_complete += 1;
            self.counts.frames_late += u64::from(delay > self.options.deadline);
            self.counts.frame_delay += u128::from(delay);
            self.delays.frames.add(delay);
        }
        while self.frames.len() > FRAMES_KEPT {
            let is_complete = self.frames.pop_front().is_some_and(Progress::is_complete);
            self.counts.frames_lost += u64::from(!is_complete);
            self.first_frame += 1;
        }
        completes
    }

    /// Sends a report of all packets since the last report but one: each is reported twice, because a report
    /// may be lost.
    fn report<L>(&mut self, state: &mut ShardState<L>) {
        let end = self.first + self.arrivals.len() as u32;
        let begin = self.report_from.max(end.saturating_sub(MOST_ENTRIES as u32));
        let packets = self.arrivals.range((begin - self.first) as usize..).copied().collect();
        let report = Box::new(MediaReport { begin, packets, sent: state.now });
        let MediaEndpoint { address, home, peer, peer_home, .. } = self.endpoint;
        let common = CommonFields {
            time: state.now,
            address: peer,
            host: peer_home.host,
            size: report.size_bytes(),
            generation: 0,
        };
        let mut packet = report_packet(common, address);
        state.side_table.attach_report(&mut packet, report);
        state.outbox.push((home.host, packet));
        self.counts.reports += 1;
        (self.report_from, self.reported) = (self.reported, end);
        (self.unreported, self.timer_at) = (0, NEVER);
        let old = ((self.report_from - self.first) as usize).saturating_sub(PACKETS_KEPT);
        self.arrivals.drain(..old);
        self.first += old as u32;
    }
}
