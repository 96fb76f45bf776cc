//! The receiving end: reassembly, SACK blocks (RFC 2018), and delayed ACKs (RFC 5681 section 4.2).

use headgate_model::units::{NEVER, Time};
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

use crate::context::{AckSegment, Blocks, Context, DataSegment, ReceiverContext, Timer};
use crate::flags::Flags;
use crate::marks::Marks;
use crate::profile::Profile;
use crate::quic::ReceivedPackets;
use crate::rtt::{stamp, taken};

/// Segments above a hole, as disjoint ranges in order, and the most recent arrivals.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct OutOfOrder {
    ranges: VecDeque<(u32, u32)>,
    /// Whether one of the ranges contains the end of a write.
    pushed: bool,
    /// The ranges that grew most recently, latest first.
    recent: Blocks,
}

/// One connection's receiving end.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Receiver {
    /// Next segment expected.
    pub next: u32,
    /// Segments of the flow.
    pub size: u32,
    /// The time stamp to echo (TS.Recent, RFC 7323 section 4.3), and the one that PAWS compares with, which
    /// is that of the newest segment that reached the window.
    echo: u32,
    newest: u32,
    /// Segments received in order since the last ACK.
    unacked: u8,
    pub(crate) marks: Marks,
    /// Number of segments that will still be acknowledged at once.
    quick: u32,
    /// Whether a write has arrived completely and nothing after it. No older time stamp may then be compared
    /// with the next one, because time stamps wrap.
    is_idle: bool,
    /// Deadline of the delayed ACK, and the time for which its timer was set.
    ack_by: Time,
    ack_timer: Time,
    out_of_order: Option<Box<OutOfOrder>>,
    /// The packets of QUIC that have arrived.
    pub(crate) packets: Option<Box<ReceivedPackets>>,
}

/// The response to a data segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reply {
    Now,
    /// In order without a hole: the ACK may be delayed.
    MayWait,
    /// The last missing segment of the flow or of a write.
    Complete,
    /// The segment arrived before.
    Duplicate,
}

impl Receiver {
    /// Creates the receiver that answers a SYN for a flow of `size` segments.
    #[must_use]
    pub fn new(size: u32, syn: Flags, profile: &Profile) -> Self {
        Self {
            next: 0,
            size,
            echo: 0,
            newest: 0,
            unacked: 0,
            marks: Marks::asked(syn, profile),
            quick: profile.quick_acks,
            is_idle: false,
            ack_by: NEVER,
            ack_timer: NEVER,
            out_of_order: None,
            packets: profile.quic.is_some().then(Box::default),
        }
    }

    /// Handles a data segment. Returns true if it was the last one missing, of the flow or of a write.
    #[inline]
    pub fn on_data(&mut self, segment: &DataSegment, ctx: &mut impl ReceiverContext) -> bool {
        if self.packets.is_some() {
            return self.on_packet(segment, ctx);
        }
        if self.marks.take(segment.flags) && self.unacked > 0 {
            self.acknowledge(ctx);
        }
        self.marks.settle(segment.flags);
        ctx.keep_header();
        let now = stamp(ctx.now());
        if self.is_idle && segment.seq == self.next {
            (self.echo, self.newest, self.is_idle) = (segment.stamp, segment.stamp, false);
        }
        if self.is_older(segment, self.newest, now) && self.is_too_old(segment, ctx) {
            self.reject(segment.seq, ctx);
            return false;
        }
        self.update_echo(segment, now);
        if self.marks.is_accurate() && segment.seq >= self.next {
            self.marks.count(segment.flags, ctx.profile()); // older segments are not acceptable (RFC 9293 §3.10.7.4)
        }
        let reply = self.take(segment.seq, segment.flags.has(Flags::PUSH));
        let delay = ctx.profile().delayed_ack;
        match delay {
            Some(wait) if reply == Reply::MayWait && !self.acknowledges_now() && !self.marks.is_due() => {
                self.delay_ack(wait, ctx)
            }
            _ if reply == Reply::Duplicate && ctx.profile().dsack => self.report_duplicate(segment.seq, ctx),
            _ => self.acknowledge(ctx),
        }
        reply == Reply::Complete
    }

    #[inline]
    fn acknowledge(&mut self, ctx: &mut impl ReceiverContext) {
        self.acknowledge_with(self.blocks(), ctx);
    }

    #[inline]
    fn acknowledge_with(&mut self, blocks: Option<Blocks>, ctx: &mut impl ReceiverContext) {
        self.unacked = 0;
        let flags = self.marks.ack();
        let ack = AckSegment { next: self.next, stamp: self.echo, blocks, flags };
        if self.marks.is_accurate() {
            return self.send_accurate(ack, ctx);
        }
        ctx.send_ack(ack);
    }

    /// Sends an ACK with the AccECN option if it fits.
    #[cold]
    fn send_accurate(&mut self, mut ack: AckSegment, ctx: &mut impl ReceiverContext) {
        let used = |blocks: Blocks| blocks.iter().filter(|block| block.1 > block.0).count() as u8;
        match self.marks.option(ack.blocks.map_or(0, used), ctx.profile()) {
            None => ctx.send_ack(ack),
            Some((counts, fitting)) => {
                if let Some(blocks) = &mut ack.blocks {
                    blocks.iter_mut().skip(fitting.into()).for_each(|block| *block = (0, 0));
                }
                ctx.send_ack_with_counts(ack, counts);
            }
        }
    }

    /// Acknowledges a duplicate by a D-SACK as the first block, before the block that contains it, if any,
    /// and the other blocks (RFC 2883 section 4).
    #[cold]
    fn report_duplicate(&mut self, seq: u32, ctx: &mut impl ReceiverContext) {
        let [second, third, _] = self.blocks().unwrap_or_default();
        self.acknowledge_with(Some([(seq, seq + 1), second, third]), ctx);
    }

    /// Sets the delayed-ACK timer unless it already runs.
    fn delay_ack(&mut self, wait: Time, ctx: &mut impl Context) {
        self.ack_by = ctx.now() + wait;
        if self.ack_timer == NEVER {
            self.arm(ctx);
        }
    }

    fn arm(&mut self, ctx: &mut impl Context) {
        self.ack_timer = self.ack_by;
        ctx.set_timer(Timer::DelayedAck, self.ack_by);
    }

    /// Handles the expiry of the delayed-ACK timer.
    pub fn on_timer(&mut self, at: Time, ctx: &mut impl ReceiverContext) {
        if at != self.ack_timer {
            return;
        }
        self.ack_timer = NEVER;
        if self.unacked == 0 {
            return;
        }
        if self.ack_by > at {
            self.arm(ctx);
        } else if self.packets.is_some() {
            self.acknowledge_packets(ctx);
        } else {
            self.acknowledge(ctx);
        }
    }

    /// Notes that a packet of QUIC waits for an ACK, at most for `wait`.
    pub(crate) fn note_unacked(&mut self, wait: Time, ctx: &mut impl Context) {
        self.unacked = 1;
        self.delay_ack(wait, ctx);
    }

    /// Notes that all packets of QUIC are acknowledged.
    pub(crate) fn note_acked(&mut self) {
        self.unacked = 0;
    }

    /// Number of segments that have arrived, each counted once, including those above a hole.
    pub fn arrived(&self) -> u32 {
        let out_of_order = self.out_of_order.iter().flat_map(|out_of_order| &out_of_order.ranges);
        self.next + out_of_order.map(|range| range.1 - range.0).sum::<u32>()
    }

    /// Closes the connection. Afterwards the receiver only answers arriving segments.
    pub fn close(&mut self) {
        (self.next, self.size, self.unacked, self.quick) = (0, 0, 0, 0);
        (self.ack_by, self.ack_timer, self.out_of_order) = (NEVER, NEVER, None);
        self.packets = None;
    }

    /// Whether a segment's time stamp is older than another. Their ages at `now` are compared, because time
    /// stamps wrap.
    #[inline]
    fn is_older(&self, segment: &DataSegment, kept: u32, now: u32) -> bool {
        self.next > 0 && now.wrapping_sub(segment.stamp) > now.wrapping_sub(kept)
    }

    /// Keeps the time stamp of a segment at or below the last ACK sent, unless it is older (RFC 7323 section
    /// 4.3). PAWS ignores a segment that ends below that ACK, because it lies outside the window (section 5.3
    /// R2; Linux `tcp_sequence`).
    #[inline]
    fn update_echo(&mut self, segment: &DataSegment, now: u32) {
        let last_ack = self.next - u32::from(self.unacked);
        if segment.seq > last_ack || self.is_older(segment, self.echo, now) {
            return;
        }
        self.echo = segment.stamp;
        if segment.seq + 1 >= last_ack {
            self.newest = segment.stamp;
        }
    }

    /// Whether PAWS rejects a segment with an older time stamp (RFC 7323 section 5.3 R1).
    ///
    /// NOTE(RFC 7323 section 5.3): with a coarse clock, a time stamp may be one tick older, as in Linux
    /// (`TCP_PAWS_WINDOW`).
    #[cold]
    fn is_too_old(&self, segment: &DataSegment, ctx: &impl Context) -> bool {
        let clock = ctx.profile().timestamp_clock;
        let tick = |stamp: u32| taken(stamp, ctx.now()) / clock.max(1);
        ctx.profile().timestamps && tick(self.newest) > tick(segment.stamp) + u64::from(clock > 0)
    }

    /// Rejects a segment. It is acknowledged like a duplicate.
    #[cold]
    fn reject(&mut self, seq: u32, ctx: &mut impl ReceiverContext) {
        if seq < self.next && ctx.profile().dsack {
            self.report_duplicate(seq, ctx);
        } else {
            self.acknowledge(ctx);
        }
    }

    /// Takes segment `seq`; `pushed` is true if it is the last one of a write.
    #[inline]
    pub(crate) fn take(&mut self, seq: u32, pushed: bool) -> Reply {
        if seq != self.next {
            return self.on_out_of_order(seq, pushed);
        }
        self.next += 1;
        let hole = self.out_of_order.is_some();
        let ends_write = (hole && self.absorb()) | pushed;
        if ends_write {
            self.is_idle = self.out_of_order.is_none();
        }
        if self.next >= self.size || ends_write {
            Reply::Complete
        } else if hole {
            Reply::Now
        } else {
            Reply::MayWait
        }
    }

    /// Merges the first range if it is now contiguous. Returns true if a write may have ended in it.
    fn absorb(&mut self) -> bool {
        let Some(out_of_order) = &mut self.out_of_order else { return false };
        let pushed = out_of_order.pushed;
        if let Some(&range) = out_of_order.ranges.front().filter(|range| range.0 == self.next) {
            self.next = range.1;
            out_of_order.ranges.pop_front();
            out_of_order.forget(range);
        }
        if out_of_order.ranges.is_empty() {
            self.out_of_order = None;
        }
        pushed
    }

    fn on_out_of_order(&mut self, seq: u32, pushed: bool) -> Reply {
        if seq < self.next {
            return Reply::Duplicate;
        }
        let out_of_order = self.out_of_order.get_or_insert_default();
        out_of_order.pushed |= pushed;
        if out_of_order.insert(seq) { Reply::Now } else { Reply::Duplicate }
    }

    /// Whether an ACK that may be delayed leaves at once: for the first segments, and for every second
    /// segment.
    #[inline]
    fn acknowledges_now(&mut self) -> bool {
        self.unacked += 1;
        let quick = self.quick > 0;
        self.quick -= u32::from(quick);
        quick || self.unacked >= 2
    }

    /// Returns the blocks of an ACK that leaves now; `None` if nothing is missing.
    #[inline]
    fn blocks(&self) -> Option<Blocks> {
        self.out_of_order.as_deref().map(|out_of_order| out_of_order.recent)
    }

    /// Heap memory of the receiver, bytes.
    pub fn extra_bytes(&self) -> usize {
        let ranges = |a: &OutOfOrder| size_of::<OutOfOrder>() + a.ranges.capacity() * 8;
        self.out_of_order.as_deref().map_or(0, ranges)
            + self.marks.extra_bytes()
            + self.packets.as_deref().map_or(0, ReceivedPackets::bytes)
    }
}

impl OutOfOrder {
    /// Inserts segment `seq`. Returns false if it arrived before.
    fn insert(&mut self, seq: u32) -> bool {
        let at = self.position(seq);
        let joins_left = at > 0 && self.ranges[at - 1].1 >= seq;
        let joins_right = self.ranges.get(at).is_some_and(|r| r.0 == seq + 1);
        let is_new = !(joins_left && self.ranges[at - 1].1 > seq);
        let range = match (joins_left, joins_right) {
            (true, _) if !is_new => self.ranges[at - 1],
            (true, true) => {
                self.ranges[at - 1].1 = self.ranges[at].1;
                self.ranges.remove(at);
                self.ranges[at - 1]
            }
            (true, false) => {
                self.ranges[at - 1].1 = seq + 1;
                self.ranges[at - 1]
            }
            (false, true) => {
                self.ranges[at].0 = seq;
                self.ranges[at]
            }
            (false, false) => {
                self.ranges.insert(at, (seq, seq + 1));
                (seq, seq + 1)
            }
        };
        self.report(range);
        is_new
    }

    /// Index of the first range that begins above `seq`. Most arrivals are at the end.
    fn position(&self, seq: u32) -> usize {
        match self.ranges.back() {
            Some(last) if last.0 <= seq => self.ranges.len(),
            _ => self.ranges.partition_point(|r| r.0 <= seq),
        }
    }

    /// Moves a range to the front of the recent ones, and removes the ranges that it has absorbed.
    #[inline]
    fn report(&mut self, range: (u32, u32)) {
        let before = self.recent;
        if before[0] == (range.0, range.1 - 1) {
            self.recent[0] = range; // the same again, one segment longer
            return;
        }
        self.recent = [range, (0, 0), (0, 0)];
        let others = before.into_iter().filter(|other| other.1 <= range.0 || range.1 <= other.0);
        for (place, other) in self.recent[1..].iter_mut().zip(others.filter(|other| other.1 > 0)) {
            *place = other;
        }
    }

    /// Removes a range that was delivered.
    fn forget(&mut self, range: (u32, u32)) {
        self.recent = self.recent.map(|other| if other == range { (0, 0) } else { other });
        self.recent.sort_by_key(|other| other.1 == 0);
    }
}

#[cfg(test)]
mod tests;
