//! Loss detection by time (RACK) and tail loss probes (TLP), RFC 8985.
//!
//! Paths here are FIFO and nothing is duplicated, so reordering is never seen: the reordering window
//! is a quarter of the least RTT, or nothing once three segments are SACKed or recovery has begun.

use headgate_model::control::{Cause, Registry};
use headgate_model::units::{SECOND, Span, picoseconds};

use super::journal::Overtaken;
use super::scoreboard::DUP_THRESH;
use super::sender::Sender;
use super::state::Alarm;
use super::state::Phase;
use crate::shared::Shared;

/// A lone segment's ACK may be delayed by this (WCDelAckT, RFC 8985 §7.2).
const WORST_DELAYED_ACK: Span = SECOND / 5;

impl<L: Registry> Sender<L> {
    /// Marks what is lost by now; true if there is anything new.
    pub(super) fn judge(&mut self, shared: &mut Shared<L>) -> bool {
        if !self.profile(shared).rack_tlp {
            let (board, mut losses) = self.board_and_losses();
            return board.judge(|seq| losses.note(seq));
        }
        let patience = self.patience();
        let mut news = false;
        loop {
            let (Some(journal), Some(episode)) = (&mut self.journal, &mut self.episode) else { return news };
            let board = &mut episode.board;
            match journal.overtaken(shared.now, patience, |seq| board.is_settled(seq)) {
                Overtaken::Lost(seq) => {
                    board.lose_again(seq);
                    self.board_and_losses().1.note(seq);
                    news = true;
                }
                Overtaken::Maybe(due) => {
                    self.set_alarm(Alarm::Reorder, due, shared);
                    return news;
                }
                Overtaken::None => return news,
            }
        }
    }

    /// The reordering window (RFC 8985 §6.2 step 4).
    fn patience(&mut self) -> Span {
        let recovers = self.phase != Phase::Open || self.board().sacked as usize >= DUP_THRESH;
        if recovers { 0 } else { self.min_rtt() / 4 }
    }

    pub(super) fn min_rtt(&self) -> Span {
        let min_rtt_s = self.rtt.path.min_rtt_s;
        if min_rtt_s.is_finite() { picoseconds(min_rtt_s) } else { 0 }
    }

    /// The reordering window of the oldest overtaken segment is over.
    pub(super) fn on_reorder_alarm(&mut self, shared: &mut Shared<L>) {
        self.restart_timer(shared);
        if self.episode.is_some() && self.judge(shared) && self.phase == Phase::Open {
            self.enter_recovery(0, shared);
        }
        self.pump(shared);
    }

    /// A duplicate is a sample of what it SACKs. While that was sent before the first outstanding segment was
    /// (again), that one still waits behind it, and the timer starts anew (as Linux, `tcp_clean_rtx_queue`).
    pub(super) fn sample_sacked(&mut self, shared: &mut Shared<L>) {
        let Some(journal) = self.journal.as_ref().filter(|_| self.profile(shared).rack_tlp) else { return };
        let Some(rtt) = journal.rtt() else { return };
        let behind = shared.now - rtt < journal.sent_at(self.una);
        self.take_sample(rtt, shared);
        if behind {
            self.restart_timer(shared);
        }
    }

    /// The first outstanding segment was sent again: from now on it is timed, unless the timer has something
    /// else to do first (as Linux, `tcp_xmit_retransmit_queue`).
    pub(super) fn time_anew(&mut self, shared: &mut Shared<L>) {
        if self.profile(shared).rack_tlp && self.alarm != Alarm::Reorder {
            self.restart_timer(shared);
        }
    }

    /// How long to wait before a probe, if one may be sent (RFC 8985 §7.2).
    pub(super) fn probe_timeout(&self, shared: &Shared<L>) -> Option<Span> {
        let srtt_s = self.rtt.path.srtt_s;
        let may = self.profile(shared).rack_tlp && self.probe.is_none() && srtt_s > 0.0;
        let calm = self.phase == Phase::Open && self.episode.is_none();
        let alone = if self.next - self.una == 1 { WORST_DELAYED_ACK } else { 0 };
        (may && calm).then(|| picoseconds(2.0 * srtt_s) + alone)
    }

    /// No ACK for two round trips: one more segment, new if there is one, to provoke an echo.
    pub(super) fn on_probe_alarm(&mut self, shared: &mut Shared<L>) {
        let new = self.send_new(shared);
        if !new {
            self.tally.retransmissions += 1;
            shared.counters.retransmissions += 1;
            self.transmit(self.next - 1, true, shared);
        }
        self.probe = Some((self.next, !new));
        self.restart_timer(shared);
    }

    /// What an ACK says about the probe (RFC 8985 §7.4.2): a repaired loss that went unseen is
    /// congestion all the same.
    pub(super) fn settle_probe(&mut self, newly: u32, shared: &Shared<L>) {
        let Some((end, repeated)) = self.probe.filter(|p| self.una >= p.0) else { return };
        let repaired = repeated && newly > 0 && self.una > end;
        if repaired || !repeated || newly == 0 {
            self.probe = None;
        }
        if repaired {
            let flight = self.flight_for_law(shared);
            self.tell_law(Cause::Loss, flight, shared);
            self.settle_window(shared.now);
        }
    }
}
