//! RFC 5681 section 3.1: the initial window, slow start, congestion avoidance, and the window after a
//! time-out.

use headgate_tcp::Profile;

use crate::host::{MS, Peer, rfc};

#[test]
fn rfc5681_3_1_the_first_window_and_no_more() {
    let mut peer = Peer::open(100, Profile { initial_window: 3.0, ..rfc() });
    assert_eq!(peer.sent(), [0, 1, 2]);
}

#[test]
fn rfc5681_3_1_after_a_lost_syn_one_segment() {
    let mut peer = Peer::closed(100, rfc());
    peer.wait_until_it_sends();
    assert_eq!(peer.host.syns.len(), 2);
    peer.establish(1100 * MS);
    assert_eq!(peer.sent(), [0]);
}

#[test]
fn rfc5681_3_1_slow_start_adds_a_segment_for_each_acknowledged() {
    let mut peer = Peer::open(100, Profile { initial_window: 4.0, ..rfc() });
    peer.ack(2);
    assert_eq!(peer.tcp.window.cwnd, 6.0);
    peer.ack(4);
    assert_eq!((peer.tcp.window.cwnd, peer.sent().len()), (8.0, 4 + 8));
}

#[test]
fn rfc5681_3_1_congestion_avoidance_adds_a_segment_a_round_trip() {
    let profile = Profile { initial_window: 4.0, initial_ssthresh: 4.0, whole_windows: true, ..rfc() };
    let mut peer = Peer::open(100, profile);
    for next in 1..=3 {
        peer.ack(next);
        assert_eq!(peer.tcp.window.cwnd, 4.0);
    }
    peer.ack(4);
    assert_eq!(peer.tcp.window.cwnd, 5.0);
}

#[test]
fn rfc5681_3_1_a_timeout_leaves_half_the_flight_as_threshold_and_one_segment() {
    let mut peer = Peer::open(100, rfc());
    peer.sent();
    peer.wait_until_it_sends();
    assert_eq!((peer.tcp.window.ssthresh, peer.tcp.window.cwnd), (5.0, 1.0)); // max(10 / 2, 2)
    assert_eq!(peer.sent(), [0]);
}

#[test]
fn rfc5681_3_1_a_threshold_is_two_segments_at_least() {
    let mut peer = Peer::open(2, rfc());
    peer.wait_until_it_sends();
    assert_eq!(peer.tcp.window.ssthresh, 2.0);
}

#[test]
fn rfc5681_3_1_the_threshold_stays_while_the_same_segment_times_out_again() {
    let mut peer = Peer::open(100, rfc());
    for _ in 0..3 {
        peer.wait_until_it_sends();
        assert_eq!(peer.tcp.window.ssthresh, 5.0);
    }
    assert_eq!(peer.host.timeouts, 3);
}

#[test]
fn the_end_of_the_first_slow_start_is_recorded_with_its_window() {
    let mut peer = Peer::open(100, Profile { initial_window: 2.0, initial_ssthresh: 4.0, ..rfc() });
    peer.ack(1);
    assert_eq!(peer.tcp.stats.slow_start_exit(), None);
    peer.ack(2);
    let exit = peer.tcp.stats.slow_start_exit().expect("at the threshold");
    // 2 segments were sent, then 2 for the first ACK, and a window follows
    assert_eq!((exit.cwnd, exit.until, exit.resent), (4.0, 4 + 4, 0));
    peer.ack(3);
    assert_eq!(peer.tcp.stats.slow_start_exit(), Some(exit));
}

#[test]
fn a_time_out_in_slow_start_counts_its_retransmissions() {
    let mut peer = Peer::open(100, rfc());
    peer.wait_until_it_sends();
    let exit = peer.tcp.stats.slow_start_exit().expect("a time-out");
    assert_eq!((exit.cwnd, exit.until, exit.resent), (10.0, 20, 1));
}

#[test]
fn rfc7661_a_window_that_is_not_used_does_not_grow() {
    let profile = Profile { initial_window: 40.0, window_validation: true, ..rfc() };
    let mut peer = Peer::open(10, profile);
    peer.ack(4);
    assert_eq!(peer.tcp.window.cwnd, 40.0);
}
