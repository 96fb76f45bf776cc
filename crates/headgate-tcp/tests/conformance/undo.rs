//! Undo of needless reductions: D-SACK (RFC 2883, RFC 3708), Eifel (RFC 3522, RFC 4015), F-RTO (RFC 5682),
//! and the reordering window that grows by D-SACK (RFC 8985 section 6.2). A window of ten leaves at 100 ms;
//! its ACKs arrive from 200 ms on.

use headgate_model::units::{SECOND, Time};
use headgate_tcp::context::AckSegment;
use headgate_tcp::{Flags, Phase, Profile};

use crate::host::{End, MS, Peer, RTT, rfc};

/// Undo by time stamps and D-SACK, without RACK and PRR.
fn undoing() -> Profile {
    Profile { dsack: true, undo: true, ..rfc() }
}

/// The same profile without time stamps: only D-SACK and F-RTO can detect needless reductions.
fn unstamped() -> Profile {
    Profile { timestamps: false, frto: true, ..undoing() }
}

fn rack() -> Profile {
    Profile { rack_tlp: true, limited_transmit: true, ..undoing() }
}

fn begun(profile: Profile) -> Peer {
    let mut peer = Peer::open(100, profile);
    peer.sent();
    peer
}

/// cwnd in whole segments, and the numbers of undone reductions and spurious time-outs.
fn outcome(peer: &Peer) -> (f64, u32, u32) {
    let stats = &peer.tcp.stats;
    (peer.tcp.window.cwnd.floor(), stats.undone, stats.spurious_timeouts)
}

#[test]
fn rfc2883_4_1_a_duplicate_below_the_ack_is_the_first_block() {
    let mut end = End::new(undoing(), Flags::NONE);
    end.take(&[0, 1, 2, 5]);
    assert_eq!(end.take(&[1])[0].blocks, Some([(1, 2), (5, 6), (0, 0)]));
}

#[test]
fn rfc2883_4_1_without_a_hole_it_is_the_only_block() {
    let mut end = End::new(undoing(), Flags::NONE);
    end.take(&[0, 1]);
    assert_eq!(end.take(&[0])[0].blocks, Some([(0, 1), (0, 0), (0, 0)]));
    assert_eq!(end.take(&[2, 3])[0].blocks, None); // it is reported once
}

#[test]
fn rfc2883_4_2_a_duplicate_above_the_ack_is_followed_by_its_block() {
    let mut end = End::new(undoing(), Flags::NONE);
    end.take(&[0, 2, 3, 6]);
    assert_eq!(end.take(&[3])[0].blocks, Some([(3, 4), (2, 4), (6, 7)]));
}

#[test]
fn rfc2883_reports_are_an_option() {
    let mut end = End::new(rfc(), Flags::NONE);
    end.take(&[0, 1]);
    assert_eq!(end.take(&[0])[0].blocks, None);
}

/// Segment 0 is late: 1 to 3 are SACKed, and 0 is sent again at 210 ms.
fn recovering(profile: Profile) -> Peer {
    let mut peer = begun(profile);
    peer.host.now = 210 * MS;
    peer.sack(0, &[(1, 4)]);
    assert_eq!((peer.sent()[0], peer.tcp.phase, peer.tcp.window.ssthresh), (0, Phase::Recovery, 5.0));
    peer
}

/// Delivers the ACK of the first transmission of a segment, which left at 100 ms.
fn ack_of_first(peer: &mut Peer, next: u32, at: Time) {
    peer.host.now = at;
    let stamp = peer.host.data[0].stamp;
    let ack = AckSegment { next, stamp, blocks: None, flags: Flags::NONE };
    peer.tcp.on_ack(&ack, None, &mut peer.host);
}

#[test]
fn rfc3522_an_older_time_stamp_than_the_retransmission_undoes_the_reduction() {
    let mut peer = recovering(undoing());
    ack_of_first(&mut peer, 4, 230 * MS);
    // the window is ten again, and the ACK of segments that were SACKed before increases it by four
    assert_eq!((peer.tcp.phase, outcome(&peer)), (Phase::Open, (14.0, 1, 0)));
    assert_eq!(peer.tcp.window.ssthresh, f64::INFINITY);
}

#[test]
fn rfc3522_the_time_stamp_of_the_retransmission_undoes_nothing() {
    let mut peer = recovering(undoing());
    peer.host.now = 310 * MS;
    let stamp = peer.host.data.last().map_or(0, |segment| segment.stamp);
    let ack = AckSegment { next: 4, stamp, blocks: None, flags: Flags::NONE };
    peer.tcp.on_ack(&ack, None, &mut peer.host);
    assert_eq!((peer.tcp.phase, peer.tcp.stats.undone), (Phase::Recovery, 0));
}

#[test]
fn rfc3522_undo_is_an_option() {
    let mut peer = recovering(Profile { undo: false, ..undoing() });
    ack_of_first(&mut peer, 4, 230 * MS);
    assert_eq!((peer.tcp.phase, peer.tcp.stats.undone), (Phase::Recovery, 0));
}

#[test]
fn rfc3708_a_duplicate_of_every_retransmission_undoes_the_reduction() {
    let mut peer = recovering(unstamped());
    peer.host.now = 230 * MS;
    peer.ack(10); // all has arrived: recovery ends with half the window
    assert_eq!((peer.tcp.phase, outcome(&peer)), (Phase::Open, (5.0, 0, 0)));
    peer.host.now = 310 * MS;
    peer.sack(10, &[(0, 1)]); // the retransmission was a duplicate
    assert_eq!(outcome(&peer), (10.0, 1, 0));
}

#[test]
fn rfc3708_a_retransmission_that_is_not_reported_keeps_it() {
    let mut peer = begun(unstamped());
    peer.host.now = 210 * MS;
    (5..8).for_each(|end| peer.sack(0, &[(2, end)])); // 0 and 1 are lost
    assert_eq!(peer.sent()[..2], [0, 1]);
    peer.host.now = 230 * MS;
    peer.ack(10);
    peer.sack(10, &[(0, 1)]);
    assert_eq!(peer.tcp.stats.undone, 0);
    peer.sack(10, &[(1, 2)]);
    assert_eq!(peer.tcp.stats.undone, 1);
}

#[test]
fn rfc3708_more_duplicates_than_retransmissions_are_the_networks() {
    let mut peer = recovering(unstamped());
    peer.host.now = 230 * MS;
    peer.sack(4, &[(2, 3)]); // the network has doubled a segment that was sent once
    peer.ack(10);
    peer.sack(10, &[(0, 1)]);
    assert_eq!(peer.tcp.stats.undone, 0);
}

#[test]
fn rfc3168_a_reduction_that_a_mark_proves_is_not_undone() {
    let mut peer = begun(Profile { ecn: true, ..undoing() });
    peer.host.now = 210 * MS;
    peer.ack_with(0, Some([(1, 4), (0, 0), (0, 0)]), Flags::ECHO);
    ack_of_first(&mut peer, 4, 230 * MS);
    assert_eq!(peer.tcp.stats.undone, 0);
    assert_eq!(peer.tcp.window.ssthresh, 5.0);
}

/// A window of ten whose ACKs are late: the timer expired at 1.1 s, and 0 was sent again.
fn timed_out(profile: Profile) -> Peer {
    let mut peer = begun(profile);
    assert_eq!(peer.wait_until_it_sends(), Some(RTT + SECOND));
    assert_eq!((peer.sent(), peer.tcp.phase, peer.tcp.window.cwnd), (vec![0], Phase::Timeout, 1.0));
    peer
}

#[test]
fn rfc4015_a_spurious_timeout_costs_one_retransmission() {
    let mut peer = timed_out(undoing());
    ack_of_first(&mut peer, 2, 1110 * MS);
    assert_eq!((peer.tcp.phase, outcome(&peer)), (Phase::Open, (12.0, 1, 1)));
    assert_eq!(peer.sent(), [10, 11, 12, 13]); // nothing else is sent again
}

#[test]
fn rfc5682_3_1_segments_that_were_sent_once_show_a_spurious_timeout() {
    let mut peer = timed_out(unstamped());
    peer.host.now = 1110 * MS;
    peer.ack(1); // of 0 or of its retransmission: two new segments (step 2b)
    assert_eq!((peer.sent(), peer.tcp.phase), (vec![10, 11], Phase::Timeout));
    peer.host.now = 1120 * MS;
    peer.ack(2); // 1 was sent once (step 3b)
    assert_eq!((peer.tcp.phase, outcome(&peer)), (Phase::Open, (11.0, 1, 1)));
}

#[test]
fn rfc5682_3_1_a_duplicate_after_new_segments_shows_a_loss() {
    let mut peer = timed_out(unstamped());
    peer.host.now = 1110 * MS;
    peer.ack(1);
    peer.sent();
    peer.host.now = 1210 * MS;
    peer.sack(1, &[(10, 11)]); // step 3a: only the new segments arrived
    peer.host.now = 1220 * MS;
    peer.sack(1, &[(10, 12)]);
    assert_eq!(
        (peer.sent(), peer.tcp.phase, peer.tcp.stats.spurious_timeouts),
        (vec![1, 2], Phase::Timeout, 0)
    );
}

#[test]
fn rfc5682_without_new_data_it_does_as_ever() {
    let mut peer = Peer::open(10, unstamped());
    peer.sent();
    peer.wait_until_it_sends();
    peer.sent();
    peer.ack(1);
    assert_eq!(peer.sent(), [1, 2]);
}

#[test]
fn rfc8985_6_2_the_reordering_window_grows_by_duplicates() {
    let mut peer = begun(rack());
    peer.host.now = 201 * MS;
    peer.sack(0, &[(1, 4)]); // 0 is sent again at once
    assert_eq!(peer.sent()[0], 0);
    ack_of_first(&mut peer, 4, 211 * MS); // it was late by 10 ms
    assert_eq!(peer.tcp.stats.undone, 1);
    peer.host.now = 301 * MS;
    peer.sack(4, &[(0, 1)]); // and the retransmission a duplicate
    peer.host.now = 302 * MS;
    peer.ack(5); // with the next ACK the window is half the least RTT
    peer.sent();
    peer.host.now = 303 * MS;
    peer.sack(5, &[(6, 10)]);
    // 5 left at 100 ms, as did 9, whose round trip took 203 ms
    assert_eq!(peer.wait_until_it_sends(), Some(303 * MS + RTT / 2));
}

#[test]
fn rfc8985_7_4_a_probe_that_was_a_duplicate_shows_no_loss() {
    let mut peer = Peer::open(100, Profile { receive_window: 10, ..rack() });
    peer.sent();
    peer.wait_until_it_sends();
    assert_eq!(peer.sent(), [9]);
    peer.host.now += RTT;
    peer.ack(10);
    peer.sack(10, &[(9, 10)]);
    peer.host.now += RTT;
    peer.ack(11);
    assert_eq!(peer.tcp.window.ssthresh, f64::INFINITY);
}

#[test]
fn a_mark_shrinks_the_window_over_a_round_trip() {
    let profile = Profile {
        ecn: true,
        prr: true,
        delayed_ack: None,
        initial_window: 20.0,
        whole_windows: true,
        ..rfc()
    };
    let mut peer = Peer::open(1000, profile);
    peer.sent();
    let mut sent = Vec::new();
    for acked in 1..=20 {
        peer.ack_with(acked, None, Flags::NONE.with(Flags::ECHO, acked == 1));
        sent.push(peer.sent().len());
    }
    // ten of the twenty segments that are in flight are replaced, evenly
    assert_eq!((sent.iter().sum::<usize>(), sent.iter().max()), (10, Some(&1)));
    assert_eq!((peer.tcp.phase, peer.tcp.flight()), (Phase::Reducing, 10));
    peer.host.now += RTT;
    peer.ack(21);
    assert_eq!((peer.tcp.phase, peer.tcp.window.ssthresh), (Phase::Open, 10.0));
    assert_eq!(peer.tcp.window.cwnd, 10.0);
}
