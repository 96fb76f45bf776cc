//! RFC 6298: the time-out, its bounds, its back-off, and the valid samples.

use headgate_model::units::{SECOND, Span, Time};
use headgate_tcp::context::AckSegment;
use headgate_tcp::{Flags, Profile, RtoRule, SynRetry};

use crate::host::{MS, Peer, RTT, rfc};

/// Bounds that do not change the formula's result.
fn free() -> Profile {
    Profile { min_rto: MS, ..rfc() }
}

/// Returns the next time-out as a span.
fn timeout_after(peer: &mut Peer, from: Time) -> Span {
    peer.wait_until_it_sends().expect("something is outstanding") - from
}

/// Time stamps measure an RTT to 65.5 ns; the variance term makes that four times as much.
fn close(found: Span, expected: Span) -> bool {
    found.abs_diff(expected) < 1_000_000
}

#[test]
fn rfc6298_2_1_one_second_before_any_sample() {
    let mut peer = Peer::closed(10, free());
    assert_eq!(peer.wait_until_it_sends(), Some(SECOND)); // the SYN
    peer.establish(SECOND + RTT); // to which of the two SYNs is not known: no sample (§3)
    assert_eq!(timeout_after(&mut peer, SECOND + RTT), 3 * SECOND); // §5.7
    peer.host.now = 5 * SECOND;
    peer.ack(1); // for the segment sent again at 4.1 s
    assert!(close(timeout_after(&mut peer, 5 * SECOND), 2_700 * MS)); // the first sample's, R + 4 R/2
}

#[test]
fn rfc6298_2_2_the_first_sample() {
    let mut peer = Peer::open(10, free());
    assert_eq!(timeout_after(&mut peer, RTT), 300 * MS); // R + 4 R/2
}

#[test]
fn rfc6298_2_3_the_second_sample() {
    let mut peer = Peer::open(10, free());
    peer.host.now = 300 * MS; // the segment left at 100 ms: R' is 200 ms
    peer.ack(1);
    // RTTVAR = 3/4 50 + 1/4 100 = 62.5; SRTT = 7/8 100 + 1/8 200 = 112.5; 112.5 + 4 * 62.5
    let found = timeout_after(&mut peer, 300 * MS);
    assert!(close(found, 362_500_000_000), "{found}");
}

#[test]
fn rfc7323_g_the_samples_of_one_round_trip_count_as_one() {
    let mut peer = Peer::open(10, free());
    peer.host.now = 300 * MS;
    for next in 1..=9 {
        peer.ack(next);
    } // R' is 200 ms in each
    let found = timeout_after(&mut peer, 300 * MS);
    assert!(close(found, 362_500_000_000), "{found}"); // as after the first
}

/// Returns the time-out after many round trips of 100 ms with one segment each.
fn steady(profile: Profile) -> Span {
    let mut peer = Peer::open(100, Profile { initial_window: 1.0, receive_window: 1, ..profile });
    for next in 1..100 {
        peer.host.now = Peer::FIRST_ACK + u64::from(next - 1) * RTT;
        peer.ack(next);
    }
    let now = peer.host.now;
    timeout_after(&mut peer, now)
}

#[test]
fn a_steady_rtt_leaves_the_margin_of_each_rule() {
    let rule = |rto_rule, rto_margin| steady(Profile { rto_rule, rto_margin, ..free() });
    assert!(close(rule(RtoRule::Rfc6298, 0), RTT));
    assert!(close(rule(RtoRule::Rfc6298, 200 * MS), 300 * MS));
    assert!(close(rule(RtoRule::Linux, 200 * MS), 300 * MS));
    assert_eq!(rule(RtoRule::Ns2 { tick: 10 * MS }, 0), 130 * MS);
}

#[test]
fn rfc6298_2_4_one_second_at_least() {
    let mut peer = Peer::open(10, rfc());
    assert_eq!(timeout_after(&mut peer, RTT), SECOND);
}

#[test]
fn rfc6298_2_5_an_upper_bound_of_a_minute() {
    let mut peer = Peer::open(10, rfc());
    let times: Vec<Time> = (0..9).filter_map(|_| peer.wait_until_it_sends()).collect();
    assert_eq!(times[8] - times[7], 60 * SECOND);
}

#[test]
fn rfc6298_5_5_each_timeout_doubles_the_next() {
    let mut peer = Peer::open(10, free());
    let times: Vec<Time> = (0..4).filter_map(|_| peer.wait_until_it_sends()).collect();
    // 300, 600, 1200 and 2400 ms in turn
    assert_eq!(times, [400 * MS, 1000 * MS, 2200 * MS, 4600 * MS]);
}

#[test]
fn rfc6298_5_4_the_earliest_segment_is_repeated() {
    let mut peer = Peer::open(10, free());
    peer.ack(3);
    peer.sent();
    peer.wait_until_it_sends();
    assert_eq!(peer.sent(), [3]);
}

#[test]
fn rfc6298_5_3_an_ack_of_new_data_restarts_the_timer() {
    let mut peer = Peer::open(10, rfc());
    peer.ack(1);
    assert_eq!(timeout_after(&mut peer, Peer::FIRST_ACK), SECOND);
}

#[test]
fn rfc6298_5_3_a_duplicate_does_not() {
    let mut peer = Peer::open(10, rfc());
    peer.ack(0);
    assert_eq!(timeout_after(&mut peer, RTT), SECOND);
}

#[test]
fn rfc6298_5_2_it_stops_when_nothing_is_outstanding() {
    let mut peer = Peer::open(10, rfc());
    peer.ack(10);
    assert_eq!((peer.wait_until_it_sends(), peer.host.timeouts), (None, 0));
}

#[test]
fn rfc6298_3_what_was_sent_again_is_no_sample() {
    let mut peer = Peer::open(10, Profile { timestamps: false, ..free() });
    peer.wait_until_it_sends(); // at 400 ms
    peer.host.now = 500 * MS;
    peer.ack(1);
    assert_eq!(peer.tcp.stats.rtt_count, 0);
    assert_eq!(timeout_after(&mut peer, 500 * MS), 600 * MS); // and the back-off stays (§5)
}

#[test]
fn rfc6298_3_the_sample_that_ends_a_backoff_gives_the_next_timeout() {
    let mut peer = Peer::open(10, free());
    peer.ack(1); // a sample of 100 ms; the round trip lasts until all ten are acknowledged
    peer.wait_until_it_sends();
    let sent = peer.host.now;
    peer.host.now += 180 * MS;
    peer.ack(2); // for the retransmission
    assert_eq!(peer.tcp.stats.rtt_count, 2);
    // SRTT 100 + 80/8; RTTVAR 37.5 * 3/4 + 80/4
    let found = timeout_after(&mut peer, sent + 180 * MS);
    assert!(close(found, 302_500_000_000), "{found}");
}

#[test]
fn rfc4015_3_2_a_round_trip_longer_than_the_timeout_counts_as_the_first() {
    let mut peer = Peer::open(10, free());
    let first = peer.host.data[0].stamp;
    peer.wait_until_it_sends(); // at 400 ms
    peer.host.now = 500 * MS;
    let ack = AckSegment { next: 1, stamp: first, blocks: None, flags: Flags::NONE };
    peer.tcp.on_ack(&ack, None, &mut peer.host); // for the segment that left at 100 ms: R' is 400 ms
    assert!(close(timeout_after(&mut peer, 500 * MS), 1200 * MS));
}

#[test]
fn rfc6298_3_with_time_stamps_it_is_one() {
    let mut peer = Peer::open(10, free());
    peer.wait_until_it_sends();
    peer.host.now = 500 * MS;
    peer.ack(1);
    assert_eq!(peer.tcp.stats.rtt_count, 1);
    assert!((peer.tcp.stats.rtt_sum_s - 0.1).abs() < 1e-6);
}

/// A connection of a Linux sender whose SYN was sent `syns` times; the SYN number `answered` is answered
/// after a round trip.
fn established_by(syns: usize, answered: usize) -> Peer {
    let mut peer = Peer::closed(100, Profile { syn_retry: SynRetry::Linux, ..free() });
    (1..syns).for_each(|_| assert!(peer.wait_until_it_sends().is_some()));
    let left = [0, 1, 3, 7][answered] * SECOND;
    peer.answer(answered, left.max([0, 1, 3, 7][syns - 1] * SECOND) + RTT);
    peer
}

#[test]
fn linux_keeps_the_first_window_after_one_retransmission_of_the_syn() {
    let windows = [(1, 0), (2, 0), (2, 1), (3, 2), (3, 1), (3, 0), (4, 3)]
        .map(|(syns, answered)| established_by(syns, answered).tcp.window.cwnd);
    assert_eq!(windows, [10.0, 10.0, 10.0, 1.0, 1.0, 10.0, 1.0]); // an answer to the first shows that none was lost
}

#[test]
fn linux_times_the_syn_that_was_answered() {
    let srtt_s = |syns, answered| established_by(syns, answered).tcp.rtt.path.srtt_s;
    assert_eq!([srtt_s(2, 1), srtt_s(2, 0), srtt_s(3, 0), srtt_s(3, 2)], [0.1, 1.1, 3.1, 0.1]);
}
