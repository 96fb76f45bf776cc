//! An application's successive writes on one connection.

use headgate_model::chance::Stream;
use headgate_model::units::SECOND;
use headgate_tcp::context::DataSegment;
use headgate_tcp::{AfterIdle, ENDLESS, Flags, Profile};

use crate::host::{End, MS, Peer, RTT, rfc};

const PUSH: Flags = Flags::PUSH;

#[test]
fn rfc9293_3_9_1_the_last_segment_of_a_write_is_pushed_whenever_it_is_sent() {
    let mut peer = Peer::writing(3, rfc());
    peer.write(4);
    assert_eq!(peer.sent(), [0, 1, 2, 3, 4, 5, 6]);
    peer.wait_until_it_sends(); // a time-out: the first one again
    peer.ack(2);
    assert!(peer.sent().contains(&2));
    for segment in &peer.host.data {
        assert_eq!(segment.flags.has(PUSH), [2, 6].contains(&segment.seq), "{segment:?}");
    }
    let mut plain = Peer::open(3, rfc());
    plain.sent();
    assert!(plain.host.data.iter().all(|segment| !segment.flags.has(PUSH)));
}

#[test]
fn the_sender_knows_when_a_write_is_acknowledged_and_stays_open() {
    let mut peer = Peer::writing(3, rfc());
    peer.write(4);
    let ended: Vec<bool> = (1..=7).map(|next| peer.ack(next)).collect();
    assert_eq!(ended, [false, false, true, false, false, false, true]);
    peer.host.now += 10 * RTT;
    peer.write(2);
    peer.sent();
    assert!(!peer.ack(8) && peer.ack(9));
}

#[test]
fn what_is_written_before_the_handshake_ends_leaves_with_the_first_window() {
    let mut peer = Peer::connecting_to_write(1, rfc());
    peer.write(2);
    assert_eq!((peer.sent(), peer.host.syns[0].segments), (vec![], ENDLESS));
    peer.establish(RTT);
    assert_eq!(peer.sent(), [0, 1, 2]);
}

#[test]
fn the_timer_runs_only_while_something_is_outstanding() {
    let mut peer = Peer::writing(3, rfc());
    peer.ack_all();
    peer.wait_until(100 * SECOND);
    assert_eq!(peer.host.timeouts, 0);
    peer.write(1);
    assert_eq!(peer.wait_until_it_sends(), Some(101 * SECOND)); // the RTO of the RTTs before
}

#[test]
fn the_receiver_knows_when_a_write_has_arrived_in_whatever_order() {
    let mut end = End::of_writes(rfc());
    assert!(!end.receive(0, Flags::NONE));
    assert!(end.receive(1, PUSH));
    assert!(!end.receive(3, PUSH)); // 2 is missing
    assert!(!end.receive(5, PUSH));
    assert!(end.receive(2, Flags::NONE)); // two writes have ended below 4
    assert!(end.receive(4, Flags::NONE));
    assert_eq!(end.tcp.next, 6);
    assert!(!end.receive(6, Flags::NONE));
}

#[test]
fn rfc1122_4_2_3_2_the_last_segment_of_a_write_is_acknowledged_at_once() {
    let mut end = End::of_writes(rfc());
    end.receive(0, PUSH);
    assert_eq!(end.host.acks.len(), 1);
    end.receive(1, Flags::NONE);
    assert_eq!(end.host.acks.len(), 1); // this one waits
}

#[test]
fn rfc7323_5_5_a_time_stamp_from_before_an_idle_time_rejects_nothing() {
    // time stamps wrap after 2^32 * 65.536 ns; 10 ms before that, the one from before the idle time looks
    // younger
    const IDLE: u64 = (1 << (32 + 16)) - 10 * MS;
    let mut end = End::of_writes(rfc());
    let segment = |seq, now: u64, flags| DataSegment { seq, stamp: ((now - 20 * MS) >> 16) as u32, flags };
    for (seq, now) in [(0, SECOND), (1, SECOND + IDLE), (2, SECOND + 2 * IDLE)] {
        end.host.now = now;
        end.tcp.on_data(&segment(seq, now, PUSH), &mut end.host);
        let ack = end.host.acks.pop().expect("it is acknowledged at once");
        assert_eq!((ack.next, ack.stamp), (seq + 1, segment(seq, now, PUSH).stamp));
    }
}

#[test]
fn a_pause_sends_nothing_new_and_the_flow_continues_where_it_stopped() {
    let mut peer = Peer::open(100, Profile { initial_window: 4.0, after_idle: AfterIdle::Rfc5681, ..rfc() });
    assert_eq!(peer.sent(), [0, 1, 2, 3]);
    peer.tcp.pause();
    assert!((1..=4).all(|next| {
        peer.ack(next);
        peer.sent().is_empty()
    }));
    assert!(peer.tcp.is_paused() && peer.tcp.total() == 100);
    peer.host.now += 10 * SECOND;
    assert_eq!(peer.host.timeouts, 0);
    // The window of 8 falls to the initial one (RFC 5681 section 4.1).
    assert_eq!(peer.tcp.window.cwnd, 8.0);
    peer.resume();
    assert_eq!((peer.sent(), peer.tcp.window.cwnd), (vec![4, 5, 6, 7], 4.0));
    assert!(!peer.tcp.is_paused());
}

#[test]
fn a_pause_repairs_what_was_lost() {
    let mut peer = Peer::open(100, Profile { initial_window: 4.0, ..rfc() });
    peer.sent();
    peer.tcp.pause();
    peer.wait_until_it_sends(); // a time-out
    assert_eq!(peer.sent(), [0]);
}

#[test]
fn a_write_that_stops_ends_with_the_segments_sent_so_far_and_another_follows() {
    let mut peer = Peer::writing(ENDLESS, Profile { initial_window: 4.0, ..rfc() });
    assert_eq!(peer.sent(), [0, 1, 2, 3]);
    assert!(!peer.tcp.stop());
    assert_eq!([1, 2, 3, 4].map(|next| peer.ack(next)), [false, false, false, true]);
    assert!(peer.tcp.stop());
    peer.write(2);
    assert_eq!(peer.sent(), [4, 5]);
    assert!(!peer.ack(5) && peer.ack(6));
}

#[test]
fn a_pause_after_the_last_segment_changes_nothing() {
    let mut peer = Peer::open(3, rfc());
    peer.tcp.pause();
    assert!(!peer.tcp.is_paused());
    assert!(!peer.ack(2) && peer.ack(3));
}

#[test]
fn a_short_pause_is_no_idle_time() {
    let mut peer = Peer::open(100, Profile { initial_window: 4.0, ..rfc() });
    peer.sent();
    peer.tcp.pause();
    peer.ack(2);
    peer.resume(); // two segments are outstanding
    assert_eq!(peer.tcp.window.cwnd, 6.0);
    assert_eq!(peer.sent(), [4, 5, 6, 7]);
}

/// With random writes, ACKs and losses: segments are sent in order, the end of each write is pushed, the
/// window stays between the initial window and its earlier value, and no more than the window leaves at once.
#[test]
fn random_writes_and_pauses_keep_the_window_within_its_bounds() {
    for (seed, after_idle) in
        [AfterIdle::Rfc5681, AfterIdle::Linux, AfterIdle::Keep].into_iter().cycle().take(60).enumerate()
    {
        let mut s = Stream::new(seed as u64, "writes", 0);
        let profile = Profile { after_idle, initial_window: 4.0, ..Profile::default() };
        let mut peer = Peer::writing(1 + s.below(50) as u32, profile);
        let mut ends = vec![peer.tcp.written()];
        for _ in 0..200 {
            let outstanding = u64::from(peer.tcp.next - peer.tcp.una);
            if outstanding > 0 && s.chance(0.6) {
                let una = peer.tcp.una;
                let next = una + 1 + s.below(outstanding) as u32;
                let ended = peer.ack(next);
                assert_eq!(ended, ends.iter().any(|&end| una < end && end <= next), "{seed}: {una} {next}");
                peer.host.now += s.below(2 * RTT);
                continue;
            }
            peer.wait_until(peer.host.now + s.below(SECOND));
            let (before, idle) = (peer.tcp.window, peer.tcp.una == peer.tcp.written());
            peer.sent();
            peer.write(1 + s.below(50) as u32);
            ends.push(peer.tcp.written());
            let after = peer.tcp.window;
            assert!(
                after.cwnd <= before.cwnd && after.cwnd >= before.cwnd.min(4.0),
                "{seed}: {before:?} {after:?}"
            );
            assert!(after.ssthresh >= before.ssthresh);
            assert!(after_idle != AfterIdle::Keep || after.cwnd == before.cwnd);
            assert!(!idle || peer.sent().len() as f64 <= before.cwnd);
        }
        let mut fresh = 0;
        for segment in &peer.host.data {
            assert!(segment.seq <= fresh, "{seed}: {segment:?}");
            fresh = fresh.max(segment.seq + 1);
            assert_eq!(segment.flags.has(PUSH), ends.contains(&(segment.seq + 1)), "{seed}: {segment:?}");
        }
    }
}
