//! Fast retransmit and recovery: RFC 5681 section 3.2, RFC 3042, RFC 6582, RFC 6675, RFC 9937. The first
//! window is ten segments; the tests decide which segments are lost.

use headgate_tcp::{Phase, Profile};

use crate::host::{Peer, newreno, rfc};

/// Delivers duplicate ACKs. Returns the segments that each one allows.
fn duplicates(peer: &mut Peer, next: u32, count: usize) -> Vec<Vec<u32>> {
    let one = |_| {
        peer.ack(next);
        peer.sent()
    };
    (0..count).map(one).collect()
}

fn begun(profile: Profile) -> Peer {
    let mut peer = Peer::open(100, profile);
    peer.sent();
    peer
}

#[test]
fn rfc5681_3_2_the_third_duplicate_is_a_loss() {
    let mut peer = begun(newreno());
    assert_eq!(duplicates(&mut peer, 0, 3), [vec![], vec![], vec![0]]);
    assert_eq!((peer.tcp.phase, peer.tcp.window.ssthresh), (Phase::Recovery, 5.0));
}

#[test]
fn rfc5681_3_2_each_further_duplicate_inflates_the_window_by_one() {
    let mut peer = begun(newreno());
    duplicates(&mut peer, 0, 3);
    // 5 + 3 segments are allowed and 10 are outstanding: the third further duplicate allows one
    assert_eq!(duplicates(&mut peer, 0, 4), [vec![], vec![], vec![10], vec![11]]);
}

#[test]
fn rfc5681_3_2_the_ack_of_all_deflates_it_to_the_threshold() {
    let mut peer = begun(newreno());
    duplicates(&mut peer, 0, 9);
    peer.ack(10);
    assert_eq!((peer.tcp.phase, peer.tcp.window.cwnd), (Phase::Open, 5.0));
}

#[test]
fn rfc5681_3_2_without_newreno_a_partial_ack_ends_recovery() {
    let mut peer = begun(Profile { partial_acks: false, ..newreno() });
    duplicates(&mut peer, 0, 3);
    peer.ack(4);
    assert_eq!((peer.tcp.phase, peer.sent().contains(&4)), (Phase::Open, false));
}

#[test]
fn rfc3042_the_first_two_duplicates_let_a_new_segment_go_each() {
    let mut peer = begun(Profile { limited_transmit: true, ..newreno() });
    assert_eq!(duplicates(&mut peer, 0, 3), [vec![10], vec![11], vec![0]]);
    assert_eq!(peer.tcp.window.ssthresh, 5.0); // without those two (RFC 5681 §3.2 step 1)
}

#[test]
fn rfc6582_3_2_a_partial_ack_repeats_the_next_hole_and_deflates_the_window() {
    let mut peer = begun(newreno());
    duplicates(&mut peer, 0, 7); // 0 is lost, and 4 is
    assert_eq!(peer.tcp.window.cwnd, 5.0);
    peer.sent();
    peer.ack(4);
    // 5 + 7 inflated, less 4, and one back: 9 are allowed and 4 to 11, which are 8, are outstanding: one new
    // segment beside the hole
    assert_eq!((peer.sent(), peer.tcp.phase), (vec![4, 12], Phase::Recovery));
    peer.ack(12);
    assert_eq!((peer.tcp.phase, peer.tcp.window.cwnd), (Phase::Open, 5.0));
}

#[test]
fn rfc6582_3_2_duplicates_up_to_the_recovery_point_begin_no_second_recovery() {
    let mut peer = begun(newreno());
    duplicates(&mut peer, 0, 3);
    peer.ack(10); // covers all up to recover, and no more
    duplicates(&mut peer, 10, 4);
    assert_eq!(peer.tcp.stats.recoveries, 1);
    peer.ack(11);
    duplicates(&mut peer, 11, 3);
    assert_eq!(peer.tcp.stats.recoveries, 2);
}

#[test]
fn rfc6582_4_after_a_timeout_neither_do_they() {
    let mut peer = begun(newreno());
    peer.wait_until_it_sends();
    peer.sent();
    assert_eq!((duplicates(&mut peer, 0, 3).concat(), peer.tcp.stats.recoveries), (vec![], 0));
}

#[test]
fn rfc6675_4_a_hole_is_lost_below_three_sacked_segments() {
    let mut peer = begun(rfc());
    peer.sack(0, &[(2, 4)]);
    assert_eq!(peer.tcp.phase, Phase::Open);
    peer.sack(0, &[(2, 5)]);
    assert_eq!(peer.tcp.phase, Phase::Recovery);
    assert_eq!(peer.sent(), [0]); // and 1 must wait for the pipe
}

#[test]
fn rfc6675_5_the_pipe_lets_segments_go() {
    let mut peer = begun(rfc());
    peer.sack(0, &[(1, 4)]);
    assert_eq!((peer.sent(), peer.tcp.flight()), (vec![0], 7)); // 10, minus 3 that arrived and 1 lost, plus 1 sent again
    peer.sack(0, &[(1, 6)]);
    assert_eq!((peer.sent(), peer.tcp.flight()), (vec![], 5)); // equal to the window
    peer.sack(0, &[(1, 7)]);
    assert_eq!((peer.sent(), peer.tcp.flight()), (vec![10], 5));
}

#[test]
fn rfc6675_4_lost_segments_go_before_new_ones() {
    let mut peer = begun(rfc());
    peer.sack(0, &[(5, 10)]); // 0 to 4 are lost, nothing is in the network
    assert_eq!(peer.sent(), [0, 1, 2, 3, 4]);
    peer.ack(1);
    assert_eq!(peer.sent(), [10]);
}

#[test]
fn rfc6675_4_a_hole_that_is_not_lost_is_repeated_where_nothing_else_is_left() {
    let mut peer = Peer::open(10, rfc());
    peer.sent();
    peer.sack(0, &[(1, 4)]);
    peer.sack(0, &[(8, 10), (1, 4)]); // two are above 4 to 7
    assert_eq!((peer.sent(), peer.tcp.flight()), (vec![0], 5));
    peer.sack(4, &[(8, 10)]);
    // rule 3 of NextSeg: 4 to 7 are in the network, and one more fills the window
    assert_eq!((peer.sent(), peer.tcp.flight()), (vec![4], 5));
    peer.sack(5, &[(8, 10)]); // three remain, and two may be sent
    assert_eq!((peer.sent(), peer.tcp.flight()), (vec![5, 6], 5));
    peer.ack(10);
    assert_eq!((peer.sent(), peer.tcp.phase), (vec![], Phase::Open));
}

#[test]
fn rfc6675_5_losses_within_one_window_reduce_it_once() {
    let mut peer = begun(rfc());
    peer.sack(0, &[(1, 4)]);
    peer.sack(0, &[(5, 9), (1, 4)]); // 4 is lost too
    assert_eq!((peer.tcp.window.ssthresh, peer.tcp.stats.recoveries), (5.0, 1));
    peer.ack(10);
    assert_eq!((peer.tcp.phase, peer.tcp.window.cwnd), (Phase::Open, 5.0));
}

#[test]
fn rfc9937_6_what_arrives_lets_its_share_go() {
    let mut peer = begun(Profile { prr: true, ..rfc() });
    peer.sack(0, &[(1, 4)]); // 3 of 10 arrived, of which 5 may stay: ceil(3 * 5 / 10) may be sent
    assert_eq!(peer.sent(), [0, 10]);
    peer.sack(0, &[(1, 5)]); // ceil(4 * 5 / 10), already sent
    assert_eq!(peer.sent(), []);
    peer.sack(0, &[(1, 6)]); // ceil(5 * 5 / 10)
    assert_eq!(peer.sent(), [11]);
}

#[test]
fn where_acks_alone_are_counted_what_is_lost_stays_in_flight() {
    let mut peer = begun(Profile { pipe_by_acks: true, ..rfc() });
    // 0 to 4 are lost; one ACK of ten reveals the loss, and 4 more must arrive until 5 are in flight
    peer.sack(0, &[(5, 10)]);
    assert_eq!(peer.sent(), [0]);
    for sacked in [(5, 10), (5, 10), (5, 10)] {
        peer.sack(0, &[sacked]);
        assert_eq!(peer.sent(), []);
    }
    peer.ack(1); // the repair advances, which counts twice
    assert_eq!(peer.sent(), [1]);
}

#[test]
fn rfc2018_8_a_timeout_may_forget_what_was_sacked() {
    for (forgets_sacks, again) in [(false, vec![0, 1]), (true, vec![0, 1, 2])] {
        let mut peer = Peer::open(4, Profile { initial_window: 4.0, forgets_sacks, ..rfc() });
        peer.sent();
        peer.sack(0, &[(2, 3)]);
        peer.wait_until_it_sends();
        let mut seen = peer.sent();
        peer.ack(1); // for the first segment, sent again
        seen.extend(peer.sent());
        seen.truncate(again.len());
        assert_eq!(seen, again);
    }
}
