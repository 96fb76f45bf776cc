//! Decides from a connection's history alone when a reduction is to be undone. It implements the rules of
//! Linux (`tcp_try_undo_*`, `tcp_process_loss`) a second time, over a plain list of segments.

use headgate_model::units::{SECOND, Time};
use headgate_tcp::context::{AckSegment, Event};
use headgate_tcp::{Phase, Profile};

/// Segments [from, to).
type Block = (u32, u32);

/// The state of a segment, as far as ACKs report it.
#[derive(Clone, Copy, Default)]
struct Segment {
    sacked: bool,
    lost: bool,
    /// Sent again, and since then neither acknowledged nor found lost.
    resent: bool,
    ever_resent: bool,
}

/// The sender as it was before an event.
#[derive(Clone, Copy, Debug)]
pub struct Before {
    pub phase: Phase,
    pub una: u32,
    pub next: u32,
    pub recoveries: u32,
}

#[derive(Default)]
pub struct Model {
    segments: Vec<Segment>,
    /// `high_seq`, `undo_marker`, `undo_retrans` (-1: none), `retrans_stamp`, `frto`.
    high: u32,
    marker: Option<u32>,
    undo_retrans: i64,
    retrans_stamp: Option<Time>,
    frto: bool,
    /// Whether the expected undo also clears the losses.
    unmarks: bool,
    /// Whether the first outstanding segment has timed out before.
    timed_out: bool,
    /// The end of a probe that repeated a segment.
    probe: Option<u32>,
    retransmissions: u32,
    duplicates: u32,
    knows_retransmissions: bool,
}

impl Model {
    pub fn new(segments: u32) -> Self {
        Self { segments: vec![Segment::default(); segments as usize], undo_retrans: -1, ..Self::default() }
    }

    /// Whether this ACK makes the sender undo its reduction.
    pub fn expects_undo(&mut self, ack: &AckSegment, before: Before, now: Time, profile: &Profile) -> bool {
        let (report, blocks) = split(ack);
        if let Some(report) = report.filter(|_| profile.dsack) {
            self.take_report(report, before.una);
        }
        let nothing_outstanding = ack.next == before.una && before.una == before.next;
        if ack.next < before.una || nothing_outstanding {
            return before.phase != Phase::Timeout && self.is_all_reported();
        }
        let newly = ack.next - before.una;
        self.timed_out &= newly == 0;
        let (original, sacked) = self.take_arrivals(before.una, ack.next, &blocks, before.next);
        self.probe = self.probe.filter(|&end| ack.next < end || (ack.next == end && newly > 0));
        let resent = self.segments[ack.next as usize..before.next as usize].iter().any(|s| s.resent);
        let delayed = self.marker.is_some() && self.is_delayed(ack.stamp, now, profile);
        let may_undo = self.is_all_reported() || delayed;
        let recovered = ack.next >= self.high;
        self.unmarks = !recovered && (before.phase == Phase::Timeout || (newly > 0 && delayed));
        match before.phase {
            Phase::Recovery if recovered => may_undo,
            Phase::Recovery if newly > 0 && delayed => !resent,
            Phase::Recovery | Phase::Open => self.is_all_reported(),
            Phase::Timeout => {
                let duplicate = sacked || (newly == 0 && report.is_none());
                (newly > 0 && may_undo)
                    || self.tests_spurious(original, duplicate, newly, ack.next, before.next)
                    || (recovered && may_undo)
            }
            _ => false,
        }
    }

    fn is_all_reported(&self) -> bool {
        self.marker.is_some() && self.undo_retrans == 0
    }

    /// `tcp_check_dsack`.
    fn take_report(&mut self, (from, to): (u32, u32), una: u32) {
        if !self.knows_retransmissions {
            return;
        }
        self.duplicates += to - from;
        if self.duplicates > self.retransmissions {
            return;
        }
        let was_resent = to <= una || self.segments[from as usize].ever_resent;
        if was_resent && self.undo_retrans > 0 && self.marker.is_some_and(|marker| to > marker) {
            self.undo_retrans = (self.undo_retrans - i64::from(to - from)).max(0);
        }
        self.probe = self.probe.filter(|&end| end != to);
    }

    /// Records arrivals. Returns whether a segment below `high` that was sent once is among them, and whether
    /// any is SACKed.
    fn take_arrivals(&mut self, una: u32, ack: u32, blocks: &[(u32, u32)], next: u32) -> (bool, bool) {
        let (mut original, mut sacked) = (false, false);
        for seq in una..ack {
            let segment = &mut self.segments[seq as usize];
            original |= !segment.sacked && !segment.ever_resent && seq < self.high;
            *segment = Segment { sacked: true, resent: false, ..*segment };
        }
        for seq in blocks.iter().flat_map(|&(from, to)| from.max(ack)..to.min(next)) {
            let segment = &mut self.segments[seq as usize];
            if !segment.sacked {
                original |= !segment.ever_resent && seq < self.high;
                sacked = true;
                *segment = Segment { sacked: true, resent: false, ..*segment };
            }
        }
        (original, sacked)
    }

    /// `tcp_packet_delayed`, with a clock of time stamps in milliseconds.
    fn is_delayed(&self, stamp: u32, now: Time, profile: &Profile) -> bool {
        const UNIT: Time = 1 << 16;
        let Some(resent_at) = self.retrans_stamp else { return true };
        let age = u64::from(((now / UNIT) as u32).wrapping_sub(stamp)) * UNIT;
        let millisecond = |time: Time| time / UNIT * UNIT / (SECOND / 1000);
        profile.timestamps && millisecond(now / UNIT * UNIT - age) < millisecond(resent_at)
    }

    /// F-RTO (`tcp_process_loss`).
    fn tests_spurious(&mut self, original: bool, duplicate: bool, newly: u32, una: u32, next: u32) -> bool {
        if !self.frto || original {
            return self.frto;
        }
        if next > self.high {
            self.frto = !duplicate;
        } else if newly > 0 && una < self.high {
            self.high = next;
            self.frto = next < self.segments.len() as u32; // there is something new to send
        }
        false
    }

    /// Records the sender's actions: its `events` in order, its state `before` them, and its state now.
    pub fn take_events(
        &mut self,
        events: &[Event],
        before: Before,
        now: Time,
        after: Before,
        profile: &Profile,
    ) {
        let timeout = events.contains(&Event::Timeout);
        for event in events {
            match *event {
                Event::Undone { .. } => self.forget_episode(),
                Event::Lost { seq } => self.lose(seq, profile.rack_tlp || timeout),
                _ => {}
            }
        }
        if timeout {
            self.begin_timeout(before, profile);
        } else if after.recoveries > before.recoveries {
            self.begin_episode(after.una, before.next, profile);
            self.high = before.next;
        }
        for event in events {
            if let Event::Sent { seq, again: true } = *event {
                let probes = before.phase == Phase::Open && after.phase == Phase::Open;
                self.resend(seq, probes, after, now, profile);
            }
        }
    }

    /// `tcp_undo_cwnd_reduction`.
    fn forget_episode(&mut self) {
        (self.marker, self.frto) = (None, false);
        if self.unmarks {
            self.segments.iter_mut().for_each(|segment| segment.lost = false);
        }
    }

    /// Records a lost segment. A retransmission that is found lost is no longer in the network; if duplicate
    /// ACKs are counted, only if it was lost before.
    fn lose(&mut self, seq: u32, again: bool) {
        let segment = &mut self.segments[seq as usize];
        segment.resent &= !(again || segment.lost);
        segment.lost = true;
    }

    /// `tcp_enter_loss`.
    fn begin_timeout(&mut self, before: Before, profile: &Profile) {
        let again = std::mem::replace(&mut self.timed_out, true);
        if !again && before.phase != Phase::Recovery {
            self.begin_episode(before.una, before.next, profile);
        }
        self.frto = profile.frto && (again || before.phase != Phase::Recovery);
        self.knows_retransmissions |= profile.frto;
        (self.high, self.probe) = (before.next, None);
    }

    /// `tcp_init_undo`.
    fn begin_episode(&mut self, una: u32, next: u32, profile: &Profile) {
        if !profile.undo {
            return;
        }
        self.knows_retransmissions = true;
        let resent = self.segments[una as usize..next as usize].iter().filter(|s| s.resent).count();
        if resent == 0 && !self.segments[una as usize].ever_resent {
            self.retrans_stamp = None;
        }
        let out = resent as i64 + i64::from(self.probe.is_some());
        (self.marker, self.undo_retrans) = (Some(una), if out > 0 { out } else { -1 });
    }

    fn resend(&mut self, seq: u32, probes: bool, after: Before, now: Time, profile: &Profile) {
        self.retransmissions += 1;
        self.knows_retransmissions |= profile.dsack || (profile.undo && !probes);
        let segment = &mut self.segments[seq as usize];
        segment.ever_resent = true;
        if probes {
            self.probe = Some(after.next);
            return;
        }
        segment.resent = true;
        if profile.undo || profile.dsack {
            self.retrans_stamp.get_or_insert(now);
            self.undo_retrans = self.undo_retrans.max(0) + 1;
        }
    }
}

/// Splits a D-SACK, the first block (RFC 2883 section 4), from the other blocks.
fn split(ack: &AckSegment) -> (Option<Block>, Vec<Block>) {
    let blocks: Vec<_> = ack.blocks.unwrap_or_default().into_iter().filter(|block| block.1 > 0).collect();
    match *blocks {
        [first, ..] if first.0 < ack.next => (Some(first), blocks[1..].to_vec()),
        [first, second, ..] if second.0 <= first.0 && first.1 <= second.1 => {
            (Some(first), blocks[1..].to_vec())
        }
        _ => (None, blocks),
    }
}
