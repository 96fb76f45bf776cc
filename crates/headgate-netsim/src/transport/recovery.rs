//! What a sender does when segments are missing: Reno (RFC 5681), NewReno (RFC 6582), SACK (RFC 6675),
//! proportional rate reduction (RFC 9937), limited transmit (RFC 3042).

use headgate_model::control::{Cause, Congestion, Path, Registry, Window};
use headgate_model::units::{Time, seconds};

use super::episode::Episode;
use super::journal::Journal;
use super::profile::Profile;
use super::scoreboard::{DUP_THRESH, Scoreboard};
use super::sender::Sender;
use super::state::Phase;
use crate::packet::{Head, NO_SACK, Packet};
use crate::shared::Shared;

/// Tells the journal, if there is one, what arrived.
struct Arrivals<'a> {
    journal: Option<&'a mut Journal>,
    now: Time,
}

impl Arrivals<'_> {
    fn note(&mut self, seq: u32) {
        if let Some(journal) = &mut self.journal {
            journal.deliver(seq, self.now);
        }
    }
}

/// Tells the law, if it follows every segment, what was lost.
pub(super) struct Losses<'a, L> {
    journal: Option<&'a mut Journal>,
    law: &'a mut L,
    path: &'a Path,
    window: &'a mut Window,
}

impl<L: Registry> Losses<'_, L> {
    pub(super) fn note(&mut self, seq: u32) {
        let sent = self.journal.as_mut().and_then(|journal| journal.lose(seq));
        if let Some(sent) = sent {
            self.law.on_segment_lost(&sent, self.path, self.window);
        }
    }
}

/// What one ACK in trouble brought.
#[derive(Clone, Copy)]
struct News {
    /// Segments the cumulative ACK moved over.
    newly: u32,
    /// Segments that arrived, as far as one can tell: newly acknowledged or SACKed.
    delivered: u32,
    flight: u32,
    rtt_s: f64,
    /// It echoes a congestion mark.
    marked: bool,
}

impl<L: Registry> Sender<L> {
    /// Duplicates, SACKs, and everything until nothing is missing any more.
    pub(super) fn on_troubled_ack(&mut self, packet: &Packet, shared: &mut Shared<L>) {
        let blocks = (packet.c != NO_SACK).then(|| shared.papers.sacks.take(packet.c));
        let cum = packet.a;
        if cum < self.una || (cum == self.una && self.una == self.next) {
            return; // an old ACK, or a duplicate with nothing outstanding
        }
        let (flight, newly) = (self.next - self.una, cum - self.una);
        let sack = self.profile(shared).sack;
        let episode = self.episode.get_or_insert_with(|| Box::new(Episode::new(self.una, self.next)));
        let blocks = blocks.filter(|_| sack).unwrap_or_default();
        let mut arrived = Arrivals { journal: self.journal.as_deref_mut(), now: shared.now };
        let mut delivered = episode.board.advance(cum, |seq| arrived.note(seq));
        delivered += episode.board.sack(blocks, |seq| arrived.note(seq));
        self.una = cum;
        if let Some(journal) = &mut self.journal {
            journal.advance(cum);
        }
        let rtt_s = self.count_ack(newly, packet.b, shared);
        self.settle_probe(newly, shared);
        let marked = packet.head.has(Head::ECHO);
        let news = News { newly, delivered, flight, rtt_s, marked };
        if newly > 0 && (sack || self.phase != Phase::Recovery) {
            self.restart_timer(shared);
        }
        let told = match self.phase {
            Phase::Open => self.in_disorder(news, shared),
            Phase::Recovery if sack => self.in_sack_recovery(news, shared),
            Phase::Recovery => self.in_plain_recovery(news, shared),
            _ => self.after_timeout(news, sack, shared),
        };
        if !told {
            self.watch(news, shared);
        }
        if news.marked {
            self.on_mark(shared);
        }
        self.forget_episode(shared);
    }

    /// Counts a duplicate, or takes the RTT sample of an ACK that moves on.
    fn count_ack(&mut self, newly: u32, echo: u32, shared: &mut Shared<L>) -> f64 {
        if newly == 0 {
            self.dupacks += 1;
            shared.counters.duplicate_acks += 1;
            self.sample_sacked(shared);
            return 0.0;
        }
        self.dupacks = 0;
        self.retried = false;
        self.sample_rtt(self.una, echo, shared)
    }

    /// Open, but segments are missing or were until now. True if the law has seen the ACK.
    fn in_disorder(&mut self, news: News, shared: &mut Shared<L>) -> bool {
        let Profile { sack, rack_tlp, .. } = *self.profile(shared);
        // Without SACK, duplicates up to the last recovery point may echo what was sent twice.
        let fresh = sack || self.recover == 0 || self.una > self.recover;
        let counts = !rack_tlp && fresh;
        if self.judge(shared) || (counts && self.dupacks as usize >= DUP_THRESH) {
            self.enter_recovery(news.delivered, shared);
            return false;
        }
        if news.newly > 0 {
            self.grow(news.newly, news.flight, news.rtt_s, news.marked, shared);
        }
        news.newly > 0
    }

    pub(super) fn enter_recovery(&mut self, delivered: u32, shared: &mut Shared<L>) {
        let flight = self.flight_for_law(shared);
        self.tell_law(Cause::Loss, flight, shared);
        self.phase = Phase::Recovery;
        self.tally.recoveries += 1;
        self.timed = None;
        self.recover = self.next;
        let profile = self.profile(shared);
        let (profile_sack, proportional) = (profile.sack, profile.sack && profile.prr);
        let before = if profile.whole_windows { flight } else { self.next - self.una };
        let episode = self.episode.as_mut().expect("losses are on the board");
        (episode.inflation, episode.partial) = (f64::from(self.dupacks), false);
        (episode.delivered, episode.sent, episode.flight) = (0, 0, before);
        if episode.board.lost == 0 {
            self.lose_first();
        }
        let law_decides = self.law.keeps_window();
        if !law_decides && proportional {
            self.reduce_proportionally(delivered, false);
        } else if !(law_decides && profile_sack) {
            self.window.cwnd = if law_decides { self.window.cwnd } else { self.window.ssthresh };
            self.resend(shared);
        }
        self.restart_timer(shared);
    }

    fn in_sack_recovery(&mut self, news: News, shared: &mut Shared<L>) -> bool {
        let lost = self.judge(shared);
        if self.una >= self.recover {
            self.leave_recovery(shared);
        } else if self.profile(shared).prr && !self.law.keeps_window() {
            self.reduce_proportionally(news.delivered, news.newly > 0 && !lost);
        }
        false
    }

    /// Without SACK: it ends when all is acknowledged that was outstanding (RFC 6582 §3.2), or at the first
    /// new ACK (Reno, RFC 5681 §3.2).
    fn in_plain_recovery(&mut self, news: News, shared: &mut Shared<L>) -> bool {
        let partial = self.una < self.recover && self.profile(shared).partial_acks;
        if news.newly == 0 {
            self.episode.as_mut().expect("recovery has a board").inflation += 1.0;
        } else if partial {
            self.on_partial_ack(news.newly, shared);
        } else {
            self.restart_timer(shared);
            self.leave_recovery(shared);
        }
        false
    }

    /// Deflates the window by what was acknowledged, adds back one, resends the next hole (RFC 6582 §3.2
    /// step 3). Only the first restarts the timer ("impatient"): a window that lost much ends in a time-out
    /// rather than in a round trip for each loss.
    fn on_partial_ack(&mut self, newly: u32, shared: &mut Shared<L>) {
        let episode = self.episode.as_mut().expect("recovery has a board");
        episode.inflation += 1.0 - f64::from(newly);
        let first = !std::mem::replace(&mut episode.partial, true);
        self.lose_first();
        self.resend(shared);
        if first {
            self.restart_timer(shared);
        }
    }

    fn leave_recovery(&mut self, shared: &mut Shared<L>) {
        self.phase = Phase::Open;
        self.settle_window(shared.now);
        self.round_end = self.next;
        if self.board().lost > 0 {
            self.enter_recovery(0, shared); // losses above the recovery point are a new event
        }
    }

    /// The window is what is in the network, and what may join it.
    fn reduce_proportionally(&mut self, delivered: u32, safe: bool) {
        let episode = self.episode.as_mut().expect("recovery has a board");
        episode.delivered += delivered;
        self.window.cwnd =
            f64::from(episode.board.pipe()) + episode.allowed(self.window.ssthresh, delivered, safe);
    }

    fn after_timeout(&mut self, news: News, sack: bool, shared: &mut Shared<L>) -> bool {
        self.judge(shared);
        if news.newly == 0 {
            return false;
        }
        if self.una >= self.recover {
            self.phase = Phase::Open;
        }
        // A jump over segments that had arrived before the time-out opens no window (RFC 3465 §2.3).
        let counted = if sack { news.delivered.max(1) } else { 1 };
        self.grow(counted, news.flight, news.rtt_s, news.marked, shared);
        true
    }

    /// Everything outstanding counts as lost (RFC 6675 §5.1).
    pub(super) fn lose_all(&mut self) {
        self.phase = Phase::Timeout;
        self.recover = self.next;
        let episode = self.episode.get_or_insert_with(|| Box::new(Episode::new(self.una, self.next)));
        episode.inflation = 0.0;
        let (board, mut losses) = self.board_and_losses();
        board.lose_all(|seq| losses.note(seq));
    }

    fn lose_first(&mut self) {
        let (board, mut losses) = self.board_and_losses();
        board.lose_first(|seq| losses.note(seq));
    }

    pub(super) fn board_and_losses(&mut self) -> (&mut Scoreboard, Losses<'_, L>) {
        let episode = self.episode.as_mut().expect("trouble has a board");
        let (journal, window) = (self.journal.as_deref_mut(), &mut self.window);
        (&mut episode.board, Losses { journal, law: &mut self.law, path: &self.rtt.path, window })
    }

    pub(super) fn tell_law(&mut self, cause: Cause, in_flight: u32, shared: &Shared<L>) {
        let event = Congestion { cause, now_s: seconds(shared.now), in_flight };
        let before = self.window.cwnd;
        self.law.on_congestion(&event, &self.rtt.path, &mut self.window);
        self.grown = 0.0;
        if self.profile(shared).whole_windows {
            self.window.ssthresh = self.window.ssthresh.floor();
        }
        if cause != Cause::Timeout {
            let goal = if self.law.keeps_window() { self.window.cwnd } else { self.window.ssthresh };
            self.note_fall(before, goal);
        }
    }

    /// Congestion is over: the window is what the law made of it.
    pub(super) fn settle_window(&mut self, now: Time) {
        if !self.law.keeps_window() {
            self.window.cwnd = self.window.ssthresh;
        }
        self.law.on_recovered(seconds(now), &self.rtt.path, &mut self.window);
    }

    /// Lets the law see an ACK that opens no window.
    fn watch(&mut self, news: News, shared: &Shared<L>) {
        let delivered = f64::from(news.delivered);
        let mut ack = self.describe(delivered, news.flight, news.rtt_s, shared);
        ack.marked = if news.marked { delivered } else { 0.0 };
        self.law.on_recovery_ack(&ack, &self.rtt.path, &mut self.window);
    }

    pub(super) fn board(&mut self) -> &mut Scoreboard {
        &mut self.episode.as_mut().expect("trouble has a board").board
    }

    /// Drops the board once nothing is missing.
    fn forget_episode(&mut self, shared: &mut Shared<L>) {
        let Some(episode) = &self.episode else { return };
        let clean = episode.board.sacked == 0 && episode.board.lost == 0;
        if self.phase == Phase::Open && clean && self.dupacks == 0 {
            self.episode = None;
            self.restart_timer(shared); // a probe may be due from now on
        }
    }

    pub(super) fn troubled_flight(&self, episode: &Episode, sack: bool) -> u32 {
        if sack || self.phase == Phase::Timeout { episode.board.pipe() } else { self.next - self.una }
    }

    pub(super) fn troubled_allowance(&self, episode: &Episode, profile: &Profile) -> u32 {
        let window = self.window.cwnd;
        match self.phase {
            // Each SACK lowers the pipe by one: that is limited transmit, where it is allowed.
            Phase::Open if profile.sack && profile.limited_transmit => window as u32,
            Phase::Open if profile.sack => (window as u32).saturating_sub(episode.board.sacked),
            Phase::Open if profile.limited_transmit => (window as u32).saturating_add(self.dupacks.min(2)),
            Phase::Recovery if !profile.sack => (window + episode.inflation) as u32,
            _ => window as u32,
        }
    }

    /// Sends the next lost segment again, if there is one.
    pub(super) fn resend(&mut self, shared: &mut Shared<L>) -> bool {
        let seq = self.board().resend();
        self.send_again(seq, shared)
    }

    /// With nothing else to send, a hole that is not yet judged lost (RFC 6675 §4, NextSeg rule 3).
    pub(super) fn rescue(&mut self, shared: &mut Shared<L>) -> bool {
        if self.phase != Phase::Recovery || !self.profile(shared).sack {
            return false;
        }
        let seq = self.board().rescue();
        self.send_again(seq, shared)
    }

    fn send_again(&mut self, seq: Option<u32>, shared: &mut Shared<L>) -> bool {
        let (Some(seq), Some(episode)) = (seq, &mut self.episode) else { return false };
        episode.sent += 1;
        self.tally.retransmissions += 1;
        shared.counters.retransmissions += 1;
        self.transmit(seq, true, shared);
        if seq == self.una {
            self.time_anew(shared);
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_recovery_below_its_target_grows_only_on_safe_acks() {
        // of 100 segments 50 are lost and 10 arrived: 40 are in the network, where 90 may be
        let mut episode = Episode::new(0, 100);
        (0..50).for_each(|seq| episode.board.lose_again(seq));
        episode.board.sack([(50, 60), (0, 0), (0, 0)], drop);
        (episode.flight, episode.delivered, episode.sent) = (100, 10, 10);
        assert_eq!((episode.board.pipe(), episode.allowed(90.0, 2, false)), (40, 2.0));
        assert_eq!(episode.allowed(90.0, 2, true), 3.0);
        // above the target: 12 delivered let ceil(12 * 0.3) = 4 leave in all
        (episode.delivered, episode.sent) = (12, 3);
        assert_eq!((episode.allowed(30.0, 2, false), episode.allowed(30.0, 2, true)), (1.0, 1.0));
    }
}
