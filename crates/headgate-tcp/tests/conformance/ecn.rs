//! RFC 3168: ECN-capable packets, the echo of a mark, and the frequency of reductions.

use headgate_tcp::{Flags, Profile};

use crate::host::{End, Peer, rfc};

fn begun() -> Peer {
    Peer::open(100, Profile { ecn: true, ..rfc() })
}

#[test]
fn rfc3168_6_1_1_the_handshake_asks_for_it() {
    let capable = |ecn| Peer::closed(1, Profile { ecn, ..rfc() }).host.syns[0].flags.has(Flags::CAPABLE);
    assert_eq!((capable(true), capable(false)), (true, false));
}

#[test]
fn rfc3168_6_1_2_marks_shrink_the_window_once_for_one_window_of_data() {
    let mut peer = begun();
    peer.ack_with(1, None, Flags::ECHO);
    assert_eq!(peer.tcp.window.ssthresh, 4.5); // half of the nine that are outstanding after it
    for next in 2..=10 {
        peer.ack_with(next, None, Flags::ECHO);
    }
    assert_eq!((peer.tcp.stats.reductions, peer.tcp.window.cwnd), (1, 4.5));
    let end = peer.tcp.next;
    peer.ack_with(end, None, Flags::ECHO);
    assert_eq!(peer.tcp.stats.reductions, 2); // data sent after the first answer are marked again
}

#[test]
fn rfc3168_6_1_2_the_next_new_segment_tells_of_it_once() {
    let mut peer = begun();
    peer.ack_with(1, None, Flags::ECHO);
    peer.ack(10);
    let told: Vec<bool> =
        peer.host.data[10..].iter().map(|segment| segment.flags.has(Flags::REDUCED)).collect();
    assert_eq!(told, [true, false, false, false, false, false]); // a window of 4.5 + 9/4.5
}

#[test]
fn rfc3168_6_1_5_what_is_sent_again_is_not_capable() {
    let mut peer = begun();
    peer.sack(0, &[(1, 4)]);
    let (first, again) = (peer.host.data[0], peer.host.data[10]);
    assert_eq!((first.seq, again.seq), (0, 0));
    assert_eq!((first.flags.has(Flags::CAPABLE), again.flags.has(Flags::CAPABLE)), (true, false));
}

#[test]
fn rfc3168_6_1_3_a_mark_is_echoed_until_the_sender_has_reduced() {
    let mut end = End::new(Profile { delayed_ack: None, ..rfc() }, Flags::CAPABLE);
    let marked = Flags::CAPABLE.with(Flags::MARKED, true);
    let reduced = Flags::CAPABLE.with(Flags::REDUCED, true);
    for (seq, flags) in
        [(0, Flags::CAPABLE), (1, marked), (2, Flags::CAPABLE), (3, reduced), (4, Flags::CAPABLE)]
    {
        end.receive(seq, flags);
    }
    let echoes: Vec<bool> = end.host.acks.iter().map(|ack| ack.echoes_mark()).collect();
    assert_eq!(echoes, [false, true, true, false, false]);
}
