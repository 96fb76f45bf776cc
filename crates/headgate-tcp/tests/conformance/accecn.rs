//! RFC 9768: the handshake, the ACE field, the ACKs that marks trigger, and the AccECN option.

use headgate_algos::control::{dctcp, reno::Reno};
use headgate_model::control::Controller;
use headgate_model::ecn::Ecn;
use headgate_tcp::context::{AckSegment, SynAck};
use headgate_tcp::{ByteCounts, Feedback, Flags, Profile, Sender};

use crate::host::{End, Host, Peer, rfc};

fn accurate() -> Profile {
    Profile { ecn: true, ecn_feedback: Some(Feedback::Accurate), initial_window: 40.0, ..rfc() }
}

/// A sender of which 40 segments are in flight.
fn begun() -> Peer {
    Peer::open(1000, accurate())
}

/// Delivers an ACK with the ACE field of `marks` marked packets. Returns the marks of which the sender learns.
fn learn(peer: &mut Peer, next: u32, marks: u32) -> f64 {
    let before = peer.tcp.stats.marked;
    peer.ack_with(next, None, Flags::ace(((5 + marks) % 8) as u8));
    peer.tcp.stats.marked - before
}

/// Delivers the answer with AE, CWR and ECE as one number to the first SYN.
fn answered(profile: Profile, bits: u8) -> Peer {
    let mut peer = Peer::closed(1000, profile);
    peer.tcp.on_syn_ack(SynAck { tries: 0, flags: Flags::ace(bits) }, None, &mut peer.host);
    peer
}

/// Returns the ECN field of the first data segment, and the number of segments of the first flight.
fn first_flight(peer: &Peer) -> (Ecn, usize) {
    (peer.host.data[0].flags.ecn(), peer.host.data.len())
}

#[test]
fn section_3_1_1_a_syn_asks_by_all_three_flags() {
    assert_eq!(Peer::closed(1, accurate()).host.syns[0].flags, Flags::ace(0b111));
    let capable = Profile { ecn_control: true, ..accurate() };
    assert_eq!(Peer::closed(1, capable).host.syns[0].flags, Flags::ace(0b111).with_ecn(Ecn::Ect0));
}

#[test]
fn section_3_1_2_table_2_decides_what_the_client_uses() {
    // a server that feeds back Not-ECT (010) confirms the SYN; 011, 100 and 110 contradict it
    for (bits, field) in [(0b010, Ecn::Ect0), (0b011, Ecn::NotEct), (0b100, Ecn::NotEct)] {
        let peer = answered(accurate(), bits);
        assert!(peer.tcp.has_accurate_feedback());
        assert_eq!(first_flight(&peer), (field, 40), "{bits:03b}");
    }
    // a classic server, one without ECN, and a broken one that reflects the flags
    for (bits, field) in [(0b001, Ecn::Ect0), (0b000, Ecn::NotEct), (0b111, Ecn::NotEct)] {
        let peer = answered(accurate(), bits);
        assert!(!peer.tcp.has_accurate_feedback());
        assert_eq!(first_flight(&peer), (field, 40), "{bits:03b}");
    }
    // the reserved answer counts as accurate (section 3.1.3)
    assert!(answered(accurate(), 0b101).tcp.has_accurate_feedback());
}

#[test]
fn section_3_2_2_3_a_capable_syn_shows_whether_routers_change_the_field() {
    let flight = |bits| first_flight(&answered(Profile { ecn_control: true, ..accurate() }, bits));
    assert_eq!(flight(0b100), (Ecn::Ect0, 40)); // arrived as ECT(0)
    assert_eq!(flight(0b010), (Ecn::NotEct, 40)); // bleached
    assert_eq!(flight(0b110), (Ecn::Ect0, 1)); // marked: one segment
}

#[test]
fn section_3_1_4_1_a_request_is_repeated_once_and_then_left_out() {
    let mut peer = Peer::closed(1000, Profile { ecn_fallback: true, syn_tries: 7, ..accurate() });
    (0..3).for_each(|_| _ = peer.wait_until_it_sends().expect("a SYN that is sent again"));
    let bits: Vec<u8> = peer.host.syns.iter().map(|syn| syn.flags.to_ace()).collect();
    assert_eq!(bits, [0b111, 0b111, 0, 0]);
    // a late answer that grants it counts (section 3.1.5)
    peer.answer(1, peer.host.now + 1);
    assert!(peer.tcp.has_accurate_feedback());
}

#[test]
fn section_3_2_2_5_1_marks_trigger_acks() {
    use Ecn::{Ce, Ect0};
    let mut end = End::new(accurate(), Flags::ace(0b111));
    let fields = [Ect0, Ce, Ce, Ect0, Ce, Ce, Ce, Ect0];
    let mut left = Vec::new();
    for (seq, ecn) in (0..).zip(fields) {
        end.receive(seq, ecn.into());
        left.push(end.host.acks.drain(..).map(|ack| ack.flags.to_ace()).next());
    }
    // 0 waits; 1 is a change (6); 2 and 3 end as the second segment (7); 4 is a change (0); 5 and 6 are two
    // marks (2); 7 waits
    assert_eq!(left, [None, Some(6), None, Some(7), Some(0), None, Some(2), None]);
}

#[test]
fn section_3_2_3_the_option_counts_payload_by_codepoint() {
    let mut end = End::new(Profile { delayed_ack: None, ..accurate() }, Flags::ace(0b111));
    for (seq, ecn) in (0..).zip([Ecn::Ect0, Ecn::Ce, Ecn::NotEct, Ecn::Ect1]) {
        end.receive(seq, ecn.into());
    }
    assert_eq!(end.host.acks.len(), 4);
    let bytes = u32::from(accurate().payload_bytes);
    let counts =
        |ect0, ce, ect1| ByteCounts { ect0: 1 + ect0 * bytes, ce: ce * bytes, ect1: 1 + ect1 * bytes };
    // the Not-ECT segment changes no count, but its ACK repeats the option
    assert_eq!(end.host.options, [counts(1, 0, 0), counts(1, 1, 0), counts(1, 1, 0), counts(1, 1, 1)]);
}

#[test]
fn segments_that_arrived_before_are_not_counted_below_the_window() {
    let mut end = End::new(Profile { delayed_ack: None, ..accurate() }, Flags::ace(0b111));
    [0, 0, 1].into_iter().for_each(|seq| _ = end.receive(seq, Flags::CE));
    let fields: Vec<u8> = end.host.acks.iter().map(|ack| ack.flags.to_ace()).collect();
    assert_eq!(fields, [6, 6, 7]);
}

#[test]
fn appendix_a_1_a_superseded_ack_reports_nothing() {
    let mut peer = begun();
    assert_eq!(learn(&mut peer, 4, 2), 2.0);
    assert_eq!(learn(&mut peer, 2, 1), 0.0);
    assert_eq!(learn(&mut peer, 5, 2), 0.0);
}

#[test]
fn appendix_a_2_1_a_long_jump_is_read_as_the_safest_case() {
    let mut peer = begun();
    assert_eq!(learn(&mut peer, 9, 2), 2.0); // nine segments: 2, not 10
    assert_eq!(learn(&mut peer, 19, 4), 10.0); // ten segments: 2 or 10
    assert_eq!(learn(&mut peer, 27, 4), 8.0); // eight segments: 0 or 8
    assert_eq!(learn(&mut peer, 34, 4), 0.0); // seven segments
}

#[test]
fn appendix_a_2_2_the_option_resolves_the_doubt() {
    let mut peer = begun();
    let bytes = u32::from(accurate().payload_bytes);
    peer.host.option = Some(ByteCounts { ect0: 1 + 8 * bytes, ce: 2 * bytes, ect1: 1 });
    assert_eq!(learn(&mut peer, 10, 2), 2.0);
    peer.host.option = Some(ByteCounts { ect0: 1 + 8 * bytes, ce: 12 * bytes, ect1: 1 });
    assert_eq!(learn(&mut peer, 20, 12), 10.0);
}

#[test]
fn section_3_2_2_5_2_more_marks_than_segments_count_as_segments() {
    // three marks of which two were on duplicates
    assert_eq!(learn(&mut begun(), 1, 3), 1.0);
}

#[test]
fn marks_shrink_the_window_once_for_one_window_of_data() {
    let mut peer = begun();
    let cwnd = peer.tcp.window.cwnd;
    learn(&mut peer, 1, 1);
    learn(&mut peer, 2, 2);
    assert_eq!(peer.tcp.stats.reductions, 1);
    assert!(peer.tcp.window.cwnd < 0.6 * cwnd);
    assert!(!peer.host.data.iter().any(|segment| segment.flags.has(Flags::REDUCED))); // section 3.2.2
}

/// Returns how much the window grows on an ACK of four segments of which `marked` are marked, after a first
/// mark has reduced it, times the window.
fn growth(controller: impl Controller, marked: u8) -> f64 {
    let mut host = Host::default();
    host.profile = Profile { window_validation: false, ..accurate() };
    let mut tcp = Sender::new(1000, controller, &host.profile);
    tcp.open(&mut host);
    tcp.on_syn_ack(SynAck { tries: 0, flags: Flags::ace(0b010) }, None, &mut host);
    let mut ack = |next, marks| {
        host.now += 1_000_000_000;
        let before = tcp.window.cwnd;
        let ack = AckSegment { next, stamp: 0, blocks: None, flags: Flags::ace((5 + marks) % 8) };
        tcp.on_ack(&ack, None, &mut host);
        (tcp.window.cwnd - before) * before
    };
    ack(4, 1);
    ack(8, 1 + marked)
}

#[test]
fn unmarked_segments_of_a_partly_marked_ack_count_for_algorithms_that_ask_for_the_number_of_marks() {
    let near = |got: f64, expected: f64| assert!((got - expected).abs() < 1e-9, "{got}, not {expected}");
    let dctcp = || dctcp::Dctcp::new(dctcp::Params::default());
    for marked in 0..=4 {
        near(growth(dctcp(), marked), 4.0 - f64::from(marked));
        near(growth(Reno, marked), if marked == 0 { 4.0 } else { 0.0 }); // RFC 3168 section 6.1.2
    }
}
