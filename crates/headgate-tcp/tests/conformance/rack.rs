//! RFC 8985: loss detection by time, and tail loss probes. A whole window leaves at 100 ms; its echoes arrive
//! from 200 ms on.

use headgate_model::units::SECOND;
use headgate_tcp::{Phase, Profile};

use crate::host::{MS, Peer, RTT, rfc};

fn rack() -> Profile {
    Profile { rack_tlp: true, limited_transmit: true, ..rfc() }
}

fn begun(segments: u32) -> Peer {
    let mut peer = Peer::open(segments, rack());
    peer.sent();
    peer
}

#[test]
fn rfc8985_6_2_an_overtaken_segment_is_lost_after_a_quarter_of_the_least_rtt() {
    let mut peer = begun(10);
    peer.sack(0, &[(1, 2)]);
    assert_eq!(peer.wait_until_it_sends(), Some(225 * MS)); // sent at 100 ms, an RTT, and 25 ms
    assert_eq!((peer.sent(), peer.tcp.phase), (vec![0], Phase::Recovery));
}

#[test]
fn rfc8985_6_2_it_is_not_lost_if_it_comes_within_that() {
    let mut peer = begun(10);
    peer.sack(0, &[(1, 2)]);
    peer.host.now += 10 * MS;
    peer.ack(2);
    peer.wait_until(Peer::FIRST_ACK + 30 * MS);
    assert_eq!((peer.sent(), peer.tcp.stats.recoveries), (vec![], 0));
}

#[test]
fn rfc8985_6_2_three_sacked_segments_need_no_patience() {
    let mut peer = begun(10);
    peer.sack(0, &[(1, 4)]);
    assert_eq!((peer.sent(), peer.tcp.phase), (vec![0], Phase::Recovery));
}

#[test]
fn rfc8985_6_2_what_was_sent_again_and_overtaken_is_lost_again() {
    let mut peer = begun(100);
    peer.sack(0, &[(1, 10)]); // 0 goes again at 200 ms, and new ones after it
    let sent = peer.sent();
    assert_eq!(sent[..2], [0, 10]);
    peer.host.now += RTT;
    peer.sack(0, &[(1, 11)]);
    assert!(peer.sent().contains(&0));
}

#[test]
fn rfc8985_7_2_a_probe_after_two_round_trips() {
    let mut peer = begun(10);
    peer.ack(2);
    let probe = peer.wait_until_it_sends().expect("a probe");
    assert!(probe.abs_diff(Peer::FIRST_ACK + 2 * RTT) < MS / 1000, "{probe}");
    assert_eq!((peer.sent(), peer.host.timeouts), (vec![9], 0)); // the last one, because there is nothing new
}

#[test]
fn rfc8985_7_2_a_lone_segment_has_a_delayed_ack_more() {
    let mut peer = begun(1);
    assert_eq!(peer.wait_until_it_sends(), Some(RTT + 2 * RTT + 200 * MS));
    assert_eq!(peer.host.timeouts, 0);
}

#[test]
fn rfc8985_7_2_it_is_no_later_than_the_timeout() {
    let mut peer = Peer::open(1, Profile { min_rto: 200 * MS, rto_margin: 200 * MS, ..rack() });
    peer.sent();
    assert_eq!(peer.wait_until_it_sends(), Some(RTT + 300 * MS)); // srtt + 200 ms, not twice srtt + 200 ms
    assert_eq!((peer.sent(), peer.host.timeouts), (vec![0], 0));
    assert_eq!(peer.wait_until_it_sends(), Some(RTT + 600 * MS));
    assert_eq!(peer.host.timeouts, 1);
}

#[test]
fn rfc8985_7_2_what_leaves_with_a_lone_segment_shortens_its_wait() {
    let mut peer = begun(10);
    assert_eq!(peer.wait_until_it_sends(), Some(RTT + 2 * RTT));
}

#[test]
fn rfc8985_7_2_it_waits_for_what_was_sent_last() {
    let paced = Profile { pacing: Some((1.0, 1.0)), ..rack() };
    let mut peer = Peer::closed(10, paced);
    peer.establish(RTT); // a segment leaves every 10 ms
    peer.wait_until(RTT + 90 * MS);
    assert_eq!(peer.sent().len(), 10);
    assert_eq!(peer.wait_until_it_sends(), Some(RTT + 90 * MS + 2 * RTT));
    assert_eq!(peer.sent(), [9]);
}

#[test]
fn rfc8985_7_2_but_not_beyond_the_timeout_of_the_first() {
    let short = Profile { min_rto: 250 * MS, pacing: Some((0.5, 0.5)), ..rack() };
    let mut peer = Peer::closed(10, short);
    peer.establish(RTT); // a segment leaves every 20 ms
    peer.wait_until(RTT + 180 * MS);
    peer.sent();
    assert_eq!(peer.wait_until_it_sends(), Some(RTT + 300 * MS));
    assert_eq!((peer.sent(), peer.host.timeouts), (vec![9], 0));
}

#[test]
fn rfc8985_7_2_a_second_without_a_sample() {
    let mut peer = Peer::closed(10, rack());
    peer.wait_until_it_sends(); // the SYN again, at 1 s
    peer.establish(SECOND + RTT);
    peer.sent();
    assert_eq!(peer.wait_until_it_sends(), Some(2 * SECOND + RTT));
    assert_eq!(peer.host.timeouts, 0);
}

#[test]
fn rfc8985_7_3_a_probe_is_new_data_where_there_are_some() {
    let mut peer = begun(100);
    peer.wait_until_it_sends();
    assert_eq!(peer.sent(), [10]);
}

#[test]
fn rfc8985_7_3_one_probe_and_then_the_timeout() {
    let mut peer = begun(10);
    let probe = peer.wait_until_it_sends().expect("a probe");
    assert_eq!(peer.wait_until_it_sends(), Some(probe + SECOND));
    assert_eq!(peer.host.timeouts, 1);
}

#[test]
fn rfc8985_7_4_a_loss_that_the_probe_repaired_is_congestion() {
    let mut peer = Peer::open(100, Profile { receive_window: 10, ..rack() });
    peer.sent();
    peer.wait_until_it_sends();
    assert_eq!(peer.sent(), [9]); // the receiver's window leaves nothing new
    peer.host.now += RTT;
    peer.ack(10);
    assert!(peer.tcp.window.ssthresh.is_infinite()); // it may have been the first that is acknowledged
    peer.host.now += RTT;
    peer.ack(11);
    assert!(peer.tcp.window.ssthresh.is_finite()); // without an echo of the second it was the only one
}

#[test]
fn rfc8985_7_4_a_recovery_answers_the_loss_that_the_probe_found() {
    let mut peer = Peer::open(100, Profile { receive_window: 10, ..rack() });
    peer.sent();
    peer.wait_until_it_sends(); // segment 9 again: the receiver has nothing else yet
    peer.host.now += RTT;
    peer.sack(0, &[(9, 10)]);
    assert_eq!((peer.tcp.phase, peer.tcp.stats.recoveries), (Phase::Recovery, 1));
    let reduced = peer.tcp.window.ssthresh;
    peer.host.now += RTT;
    peer.ack(10);
    peer.host.now += RTT;
    peer.ack(11); // without an echo of the probe; the recovery has reduced the window for its loss
    assert_eq!((peer.tcp.window.ssthresh, peer.tcp.phase), (reduced, Phase::Open));
}

#[test]
fn rfc8985_7_without_probes_a_tail_times_out() {
    let mut peer = Peer::open(1, Profile { tail_probe: false, min_rto: 200 * MS, rto_margin: 0, ..rack() });
    peer.sent();
    assert_eq!(peer.wait_until_it_sends(), Some(RTT + 300 * MS));
    assert_eq!((peer.sent(), peer.host.timeouts), (vec![0], 1));
}
