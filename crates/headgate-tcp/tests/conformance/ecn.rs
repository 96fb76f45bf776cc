//! RFC 3168: ECN-capable packets, the echo of a mark, and the frequency of reductions.

use headgate_algos::control::prague::{Params, Prague};
use headgate_model::control::Controller;
use headgate_model::ecn::Ecn;
use headgate_tcp::context::SynAck;
use headgate_tcp::{Feedback, Flags, Profile, Sender};

use crate::host::{End, Host, Peer, rfc};

fn begun() -> Peer {
    Peer::open(100, Profile { ecn: true, ..rfc() })
}

#[test]
fn rfc3168_6_1_1_the_handshake_asks_for_it() {
    let capable =
        |ecn| Peer::closed(1, Profile { ecn, ..rfc() }).host.syns[0].flags == Feedback::Classic.request();
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
    assert_eq!((first.flags.ecn(), again.flags.ecn()), (Ecn::Ect0, Ecn::NotEct));
}

#[test]
fn rfc3168_6_1_3_a_mark_is_echoed_until_the_sender_has_reduced() {
    let mut end = End::new(Profile { delayed_ack: None, ..rfc() }, Feedback::Classic.request());
    let reduced = Flags::ECT0.with(Flags::REDUCED, true);
    for (seq, flags) in (0..).zip([Flags::ECT0, Flags::CE, Flags::ECT0, reduced, Flags::ECT0]) {
        end.receive(seq, flags);
    }
    let echoes: Vec<bool> = end.host.acks.iter().map(|ack| ack.echoes_mark()).collect();
    assert_eq!(echoes, [false, true, true, false, false]);
}

/// Returns the ECN field of the first data segment, if the receiver supports this feedback.
fn field_if_granted(profile: Profile, granted: Feedback) -> Ecn {
    let mut peer = Peer::closed(1, profile);
    peer.tcp.on_syn_ack(SynAck { tries: 0, flags: granted.grant(Ecn::NotEct) }, None, &mut peer.host);
    peer.host.data[0].flags.ecn()
}

#[test]
fn rfc3168_6_1_1_1_data_are_not_capable_unless_the_receiver_agrees() {
    let asking = || Profile { ecn: true, ..rfc() };
    assert_eq!(field_if_granted(asking(), Feedback::None), Ecn::NotEct);
    assert_eq!(field_if_granted(asking(), Feedback::Classic), Ecn::Ect0);
    assert_eq!(field_if_granted(rfc(), Feedback::Classic), Ecn::NotEct); // it was not asked for
}

#[test]
fn rfc9331_4_1_data_carry_the_codepoint_of_the_profile() {
    for ecn in [Ecn::Ect0, Ecn::Ect1] {
        let profile = Profile { ecn: true, ecn_codepoint: Some(ecn), ..rfc() };
        assert_eq!(field_if_granted(profile, Feedback::Classic), ecn);
    }
}

#[test]
fn rfc9331_4_2_a_sender_of_l4s_without_exact_feedback_sends_no_ect1() {
    use Feedback::{Accurate, Classic, Exact};
    let (not, low) = (Ecn::NotEct, Ecn::Ect1);
    for (asked, granted, field) in [
        (Exact, Feedback::None, not),
        (Exact, Classic, not),
        (Exact, Exact, low),
        (Accurate, Feedback::None, not),
        (Accurate, Classic, not),
        (Accurate, Accurate, low),
    ] {
        let mut host = Host::default();
        host.profile = Profile { ecn: true, ecn_feedback: Some(asked), ..rfc() };
        let mut tcp = Sender::new(1, Prague::new(Params::default()), &host.profile);
        tcp.open(&mut host);
        tcp.on_syn_ack(SynAck { tries: 0, flags: granted.grant(Ecn::NotEct) }, None, &mut host);
        assert_eq!(host.data[0].flags.ecn(), field);
        // it is Reno then, and the transport moves its window in recovery
        assert_eq!(tcp.controller.controls_cwnd_in_recovery(), field == Ecn::Ect1);
    }
}

#[test]
fn rfc3168_6_1_1_1_a_syn_that_is_sent_again_may_ask_for_none() {
    for (ecn_fallback, again) in [(false, Feedback::Classic), (true, Feedback::None)] {
        let mut peer = Peer::closed(1, Profile { ecn: true, ecn_fallback, ..rfc() });
        peer.wait_until_it_sends().expect("a SYN that is sent again");
        let asked: Vec<Feedback> = peer.host.syns.iter().map(|syn| Feedback::requested(syn.flags)).collect();
        assert_eq!(asked, [Feedback::Classic, again]);
        // the answer to the first SYN grants ECN, but a SYN without a request has left (RFC 3168 §6.1.1)
        peer.answer(0, peer.host.now + 1);
        assert_eq!(peer.host.data[0].flags.ecn().is_capable(), !ecn_fallback);
    }
}

#[test]
fn rfc8311_4_3_retransmissions_are_capable_by_choice() {
    let mut peer = Peer::open(100, Profile { ecn: true, ecn_control: true, ..rfc() });
    peer.sack(0, &[(1, 4)]);
    assert_eq!((peer.host.data[10].seq, peer.host.data[10].flags.ecn()), (0, Ecn::Ect0));
}
