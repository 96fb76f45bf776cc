//! The sender of a stream: encoder, queue, pacing, and the rate controller with what it learns from reports.

use headgate_model::media::{Feedback, Frame, PacketReport, RateController, Rates, SenderQueue, SentPacket};
use headgate_model::units::{NEVER, SECOND, Span, Time, picoseconds, seconds};
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

use super::MediaEndpoint;
use super::encoder::{Encoder, cut};
use super::loss::Outstanding;
use crate::packets::media::{MediaFields, MediaReport, media_packet};
use crate::packets::packet::CommonFields;
use crate::record::{Histogram, MediaSent};
use crate::region::shard_state::ShardState;
use crate::time::timers::Purpose;
use crate::traffic::media_stream::MediaOptions;

/// Time without a report after which packets in flight count no more: that of `ScreamV2Tx::isOkToTransmit`,
/// picoseconds.
const SILENCE: Span = SECOND / 2;

/// A packet in the queue.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Queued {
    frame: u64,
    /// Number of packets of the frame; 0 for padding, which belongs to none.
    frame_packets: u32,
    captured: Time,
    size: u16,
}

/// The sender of one stream.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct MediaSender<M> {
    /// This end of the stream.
    pub endpoint: MediaEndpoint,
    /// Frames, packets and reports.
    pub options: MediaOptions,
    /// The rate controller.
    pub controller: M,
    /// The outputs of the rate controller.
    pub rates: Rates,
    /// Counts since the start.
    pub counts: MediaSent,
    /// Times from capture to departure.
    pub waits: Histogram,
    encoder: Encoder,
    queue: VecDeque<Queued>,
    queue_bytes: u64,
    outstanding: Outstanding,
    /// When pacing allows the next packet, picoseconds.
    next_send: Time,
    /// The pacing timer that is set; `NEVER` if none is.
    timer_at: Time,
    /// When the last report arrived, picoseconds.
    last_report: Time,
    /// Memory for the news of a report.
    #[serde(skip)]
    news: Vec<PacketReport>,
}

impl<M: RateController> MediaSender<M> {
    /// A sender that has captured no frame.
    pub fn new(endpoint: MediaEndpoint, options: MediaOptions, encoder: Encoder, controller: M) -> Self {
        Self {
            endpoint,
            rates: Rates::starting_at(options.start_bps),
            options,
            controller,
            counts: MediaSent::default(),
            waits: Histogram::default(),
            encoder,
            queue: VecDeque::new(),
            queue_bytes: 0,
            outstanding: Outstanding::default(),
            next_send: 0,
            timer_at: NEVER,
            last_report: 0,
            news: Vec::new(),
        }
    }

    /// Captures a frame, and sets the timer for the next one.
    pub fn on_capture<L>(&mut self, state: &mut ShardState<L>) {
        let now = state.now;
        if self.encoder.next_frame == 0 {
            self.controller.on_start(&self.options.stream(), seconds(now), &mut self.rates);
            self.encoder.set_target(self.rates.target_bps, now, &self.options);
        }
        self.check_silence(now);
        self.discard_old(now);
        self.produce_frame(now);
        self.after_event(state);
        let next = now + self.options.frame;
        if next < self.options.stop {
            self.endpoint.set_timer(Purpose::Capture, next, state);
        }
    }

    /// The pacing timer expired. An older timer than the one that is set does nothing.
    pub fn on_pace<L>(&mut self, at: Time, state: &mut ShardState<L>) {
        if at == self.timer_at {
            self.timer_at = NEVER;
            self.send_due(state);
        }
    }

    /// A report arrived.
    pub fn on_report<L>(&mut self, report: &MediaReport, state: &mut ShardState<L>) {
        self.last_report = state.now;
        let in_flight_before_bytes = self.outstanding.in_flight_bytes() as f64;
        let mut news = std::mem::take(&mut self.news);
        self.outstanding.settle(report, self.options.reorder, &mut news);
        self.counts.packets_lost += news.iter().filter(|packet| packet.arrived_s.is_none()).count() as u64;
        let feedback = Feedback {
            sender: self.view(state.now),
            in_flight_before_bytes,
            reported_s: seconds(report.sent),
            packets: &news,
        };
        self.controller.on_feedback(&feedback, &mut self.rates);
        self.pad(state.now);
        news.clear();
        self.news = news;
        self.after_event(state);
    }

    /// The host has enough to send until a time.
    pub fn apply_backpressure(&mut self, until: Time) {
        self.next_send = self.next_send.max(until);
    }

    /// Returns the bytes in flight.
    pub fn in_flight_bytes(&self) -> u64 {
        self.outstanding.in_flight_bytes()
    }

    /// Returns the bytes in the queue.
    pub fn queue_bytes(&self) -> u64 {
        self.queue_bytes
    }

    /// Returns the memory of the sender, bytes.
    pub fn bytes(&self) -> usize {
        size_of::<Self>()
            + self.queue.capacity() * size_of::<Queued>()
            + self.news.capacity() * size_of::<PacketReport>()
            + self.outstanding.bytes()
            + self.encoder.bytes()
            + self.waits.bytes()
    }

    /// Obeys the outputs of the rate controller.
    fn after_event<L>(&mut self, state: &mut ShardState<L>) {
        debug_assert!(self.rates.is_sound(), "{:?}", self.rates);
        self.encoder.set_target(self.rates.target_bps, state.now, &self.options);
        self.send_due(state);
    }

    fn check_silence(&mut self, now: Time) {
        let Some(oldest) = self.outstanding.oldest() else { return };
        if now - oldest.max(self.last_report) > SILENCE {
            self.counts.packets_lost += self.outstanding.forget();
            self.controller.on_silence(&self.view(now), &mut self.rates);
            self.pad(now);
        }
    }

    /// Discards the queue if its oldest packet is too old.
    fn discard_old(&mut self, now: Time) {
        if self.view(now).queue_delay_s <= self.rates.discard_s {
            return;
        }
        let mut last = None;
        for packet in self.queue.drain(..).filter(|packet| packet.frame_packets > 0) {
            self.counts.frames_cut += u64::from(last != Some(packet.frame));
            last = Some(packet.frame);
        }
        self.queue_bytes = 0;
    }

    fn produce_frame(&mut self, now: Time) {
        let frame = self.encoder.next_frame;
        let size = self.encoder.capture(now, &self.options);
        let (frame_packets, last) = cut(size, &self.options);
        for n in 1..=frame_packets {
            let size = if n == frame_packets { last } else { self.options.packet_bytes };
            self.queue.push_back(Queued { frame, frame_packets, captured: now, size });
        }
        let full = u64::from(frame_packets - 1) * u64::from(self.options.packet_bytes);
        let bytes = full + u64::from(last);
        self.queue_bytes += bytes;
        self.counts.frames += 1;
        let target = self.rates.target_bps.clamp(self.options.min_bps, self.options.max_bps);
        self.counts.target_sum_bps += target as u64;
        let (sender, is_key) = (self.view(now), self.options.is_key(frame));
        let frame = Frame { sender, size_bytes: bytes as f64, is_key };
        self.controller.on_frame(&frame, &mut self.rates);
        self.pad(now);
    }

    /// Appends the padding that the rate controller asks for.
    fn pad(&mut self, now: Time) {
        let size = self.options.packet_bytes;
        let bytes = std::mem::take(&mut self.rates.padding_bytes);
        let frame = self.encoder.next_frame.saturating_sub(1);
        for _ in 0..(bytes / f64::from(size)).ceil() as u32 {
            self.queue.push_back(Queued { frame, frame_packets: 0, captured: now, size });
            self.queue_bytes += u64::from(size);
        }
    }

    /// Sends the packets that pacing and window allow, and sets the pacing timer.
    fn send_due<L>(&mut self, state: &mut ShardState<L>) {
        let now = state.now;
        while let Some(&packet) = self.queue.front() {
            if self.next_send > now + self.options.burst || !self.fits(packet.size) {
                break;
            }
            self.queue.pop_front();
            self.send(packet, state);
        }
        if self.queue.front().is_some_and(|packet| self.fits(packet.size)) {
            let due = self.next_send.saturating_sub(self.options.burst).max(now + 1);
            if due < self.timer_at {
                self.timer_at = due;
                self.endpoint.set_timer(Purpose::SendMedia, due, state);
            }
        }
    }

    /// Whether the window has room for a packet. One packet may always be in flight.
    fn fits(&self, size: u16) -> bool {
        let in_flight = self.outstanding.in_flight_bytes();
        in_flight == 0 || (in_flight + u64::from(size)) as f64 <= self.rates.window_bytes
    }

    fn send<L>(&mut self, queued: Queued, state: &mut ShardState<L>) {
        let Queued { frame, frame_packets, captured, size } = queued;
        let now = state.now;
        self.queue_bytes -= u64::from(size);
        let sequence = self.outstanding.send(now, size);
        self.counts.packets_sent += 1;
        self.counts.bytes_sent += u64::from(size);
        self.counts.queue_wait += u128::from(now - captured);
        self.waits.add(now - captured);
        let MediaEndpoint { address, home, peer, peer_home, .. } = self.endpoint;
        let common = CommonFields { time: now, address: peer, host: peer_home.host, size, generation: 0 };
        let mut packet = media_packet(common, sequence as u32, self.controller.codepoint(), address);
        let fields = MediaFields { frame, frame_packets, captured, sent: now };
        state.side_table.attach_new(&mut packet, fields.header());
        state.counters.segments_in += 1;
        state.outbox.push((home.host, packet));
        let sent = SentPacket { sender: self.view(now), sequence, size_bytes: f64::from(size) };
        self.controller.on_send(&sent, &mut self.rates);
        self.pad(now);
        let gap = picoseconds(f64::from(size) * 8.0 / self.rates.pacing_bps);
        self.next_send = self.next_send.max(now) + gap;
    }

    /// Returns the sender as its controller sees it.
    fn view(&self, now: Time) -> SenderQueue {
        SenderQueue {
            now_s: seconds(now),
            queue_bytes: self.queue_bytes as f64,
            queue_delay_s: self.queue.front().map_or(0.0, |packet| seconds(now - packet.captured)),
            in_flight_bytes: self.outstanding.in_flight_bytes() as f64,
        }
    }
}
