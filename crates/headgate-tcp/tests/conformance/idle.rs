//! RFC 5681 section 4.1, RFC 2861 and Linux: the window after an application had nothing to send.

use headgate_model::units::Span;
use headgate_tcp::{AfterIdle, Profile};

use crate::host::{MS, Peer, RTT, rfc};

/// The time-out of [`rfc`] and of every profile here, because all RTTs are equal.
const RTO: Span = 1000 * MS;

fn profile(after_idle: AfterIdle) -> Profile {
    Profile { initial_window: 4.0, initial_ssthresh: 40.0, after_idle, rto_margin: 0, ..rfc() }
}

/// A sender with a window of 40 that has sent nothing for `idle`.
fn idle_for(idle: Span, profile: Profile) -> Peer {
    let mut peer = Peer::writing(36, profile);
    peer.ack_all();
    assert_eq!((peer.tcp.window.cwnd, peer.tcp.window.ssthresh), (40.0, 40.0)); // 4 + 36 acknowledged
    peer.host.now += idle - RTT; // the last ACK came an RTT after the last transmission
    peer.sent();
    peer
}

/// Returns the window and the threshold after an idle time, and the segments that leave at once.
fn after(idle: Span, after_idle: AfterIdle) -> (f64, f64, usize) {
    let mut peer = idle_for(idle, profile(after_idle));
    peer.write(100);
    (peer.tcp.window.cwnd, peer.tcp.window.ssthresh, peer.sent().len())
}

#[test]
fn rfc5681_4_1_after_more_than_a_timeout_the_window_is_the_initial_one() {
    assert_eq!(after(RTO, AfterIdle::Rfc5681), (40.0, 40.0, 40));
    assert_eq!(after(RTO + 1, AfterIdle::Rfc5681), (4.0, 40.0, 4));
    assert_eq!(after(100 * RTO, AfterIdle::Rfc5681), (4.0, 40.0, 4));
}

#[test]
fn rfc5681_4_1_a_window_that_is_smaller_stays() {
    let mut peer = idle_for(2 * RTO, profile(AfterIdle::Rfc5681));
    peer.tcp.window.cwnd = 3.0;
    peer.write(100);
    assert_eq!((peer.tcp.window.cwnd, peer.sent().len()), (3.0, 3));
}

#[test]
fn rfc2861_the_window_halves_for_each_timeout_down_to_the_initial_one() {
    let windows = [(1, 40.0), (2, 20.0), (3, 10.0), (4, 5.0), (5, 4.0), (500, 4.0)];
    for (timeouts, window) in windows {
        // a time-out at the end of the idle time counts only once it has passed
        let (cwnd, ssthresh, sent) = after(timeouts * RTO, AfterIdle::Linux);
        assert_eq!((cwnd, ssthresh, sent), (window, 40.0, window as usize), "{timeouts}");
    }
    assert_eq!(after(2 * RTO + 1, AfterIdle::Linux).0, 10.0);
}

#[test]
fn rfc2861_the_threshold_keeps_three_quarters_of_the_window() {
    for (whole, cwnd, ssthresh, left) in [(false, 57.0, 42.75, 14.25), (true, 57.0, 42.0, 14.0)] {
        let mut peer = idle_for(2 * RTO + 1, Profile { whole_windows: whole, ..profile(AfterIdle::Linux) });
        peer.tcp.window.cwnd = cwnd; // 28 + 14 in whole segments; two halves: 14
        peer.write(100);
        assert_eq!((peer.tcp.window.ssthresh, peer.tcp.window.cwnd), (ssthresh, left));
    }
}

#[test]
fn rfc7661_4_4_3_the_window_is_kept_for_five_minutes_and_then_halved() {
    const FIVE_MINUTES: Span = 300_000 * MS;
    let windows = [
        (RTO + 1, 40.0),
        (FIVE_MINUTES - 1, 40.0),
        (FIVE_MINUTES, 20.0),
        (2 * FIVE_MINUTES, 10.0),
        (100 * FIVE_MINUTES, 4.0),
    ];
    for (idle, window) in windows {
        // 40 segments, whose three quarters are below the threshold of 40
        assert_eq!(after(idle, AfterIdle::Rfc7661), (window, 40.0, window as usize), "{idle}");
    }
    let mut peer = idle_for(FIVE_MINUTES, profile(AfterIdle::Rfc7661));
    peer.tcp.window.cwnd = 80.0;
    peer.write(100);
    assert_eq!((peer.tcp.window.ssthresh, peer.tcp.window.cwnd), (60.0, 40.0));
}

#[test]
fn ns2_begins_again_with_one_segment() {
    assert_eq!(after(RTO, AfterIdle::Ns2), (40.0, 40.0, 40));
    assert_eq!(after(RTO + 1, AfterIdle::Ns2), (1.0, 40.0, 1));
}

#[test]
fn a_window_that_is_kept_leaves_at_once() {
    assert_eq!(after(100 * RTO, AfterIdle::Keep), (40.0, 40.0, 40));
}

#[test]
fn what_waits_behind_an_earlier_write_is_no_restart() {
    let mut peer = Peer::writing(36, profile(AfterIdle::Rfc5681));
    peer.host.now += 100 * RTO; // no ACK has come
    peer.write(100);
    assert_eq!(peer.tcp.window.cwnd, 4.0);
    assert_eq!(peer.sent(), [0, 1, 2, 3]); // the window is full
}
