//! RFC 9002 and RFC 9000: packet numbers, loss detection, probe timeouts, recovery periods, pacing, and ECN.

use headgate_model::ecn::Ecn;
use headgate_model::units::Time;
use headgate_tcp::context::{AckSegment, Blocks, SynAck};
use headgate_tcp::quic::{AckRanges, Quic};
use headgate_tcp::{AfterIdle, ByteCounts, ENDLESS, Feedback, Flags, Phase, Profile};

use crate::host::{End, MS, Peer, RTT, rfc};

/// QUIC without pacing, so that each window leaves at once.
fn quic() -> Profile {
    Profile { quic: Some(Quic::default()), window_validation: true, after_idle: AfterIdle::Keep, ..rfc() }
}

/// A sender whose first ten packets have left at 100 ms. It is 200 ms now.
fn begun() -> Peer {
    Peer::open(ENDLESS, quic())
}

/// Delivers an ACK of ranges [from, to), the largest first, with an ACK delay.
fn ack_late(peer: &mut Peer, delay: Time, ranges: &[(u32, u32)]) -> bool {
    let mut blocks = Blocks::default();
    blocks.iter_mut().zip(&ranges[1..]).for_each(|(block, range)| *block = *range);
    let (from, to) = ranges[0];
    let ack = AckSegment {
        next: to,
        stamp: from,
        blocks: (ranges.len() > 1).then_some(blocks),
        flags: Flags::NONE,
    };
    peer.host.delay = delay;
    peer.tcp.on_ack(&ack, None, &mut peer.host)
}

fn ack(peer: &mut Peer, ranges: &[(u32, u32)]) -> bool {
    ack_late(peer, 0, ranges)
}

/// Returns the packets sent since the last call, each with its segment.
fn sent(peer: &mut Peer) -> Vec<(u32, u32)> {
    let from = peer.sent().len();
    let all = &peer.host.data;
    all[all.len() - from..].iter().map(|packet| (packet.seq, packet.stamp)).collect()
}

fn srtt_ms(peer: &Peer) -> f64 {
    (peer.tcp.rtt.path.srtt_s * 1e9).round() / 1e6
}

#[test]
fn section_5_1_only_a_new_largest_number_gives_a_sample() {
    let mut peer = begun();
    ack(&mut peer, &[(2, 4)]);
    assert_eq!(peer.tcp.stats.rtt_count, 1);
    peer.host.now += 20 * MS;
    ack(&mut peer, &[(0, 4)]); // 0 and 1 are new, but 3 is not
    assert_eq!(peer.tcp.stats.rtt_count, 1);
    ack(&mut peer, &[(0, 6)]);
    assert_eq!(peer.tcp.stats.rtt_count, 2);
}

#[test]
fn section_5_3_the_ack_delay_is_subtracted_down_to_the_least_rtt() {
    let mut peer = begun(); // the handshake gave 100 ms
    peer.host.now += 40 * MS;
    ack_late(&mut peer, 16 * MS, &[(0, 2)]); // 140 ms - 16 ms
    assert_eq!(srtt_ms(&peer), 103.0);
    ack_late(&mut peer, 60 * MS, &[(0, 4)]); // at most 25 ms, max_ack_delay: 115 ms
    assert_eq!(srtt_ms(&peer), 104.5);
}

#[test]
fn section_5_3_a_delay_that_would_undercut_the_least_rtt_is_ignored() {
    let mut peer = begun();
    peer.host.now += 8 * MS;
    ack_late(&mut peer, 16 * MS, &[(0, 2)]); // 108 - 16 is below 100
    assert_eq!(srtt_ms(&peer), 101.0);
}

#[test]
fn section_6_1_1_a_packet_three_below_the_largest_acknowledged_is_lost() {
    let mut peer = begun();
    sent(&mut peer);
    ack(&mut peer, &[(1, 3)]);
    assert_eq!((peer.tcp.phase, peer.tcp.flight()), (Phase::Open, 12)); // 2 grew the window by 2
    assert_eq!(sent(&mut peer), [(10, 10), (11, 11), (12, 12), (13, 13)]);
    ack(&mut peer, &[(1, 4)]);
    assert_eq!((peer.tcp.phase, peer.tcp.stats.recoveries), (Phase::Recovery, 1));
}

#[test]
fn section_6_1_2_a_packet_is_lost_after_nine_eighths_of_an_rtt() {
    let mut peer = begun();
    ack(&mut peer, &[(1, 2)]);
    sent(&mut peer);
    // sent at 100 ms: due 112.5 ms later
    peer.wait_until(212_499 * MS / 1000);
    assert_eq!(peer.tcp.phase, Phase::Open);
    peer.wait_until(212_500 * MS / 1000);
    assert_eq!((peer.tcp.phase, peer.tcp.stats.timeouts), (Phase::Recovery, 0));
}

#[test]
fn section_6_2_1_a_probe_timeout_follows_the_last_transmission() {
    let mut peer = begun();
    // srtt 100, rttvar 50: 100 + 200 + 25 = 325 ms after 100 ms
    assert_eq!(peer.wait_until_it_sends(), Some(425 * MS));
    assert_eq!((peer.tcp.stats.timeouts, peer.tcp.phase), (1, Phase::Open));
    // the timeout doubles, from the probes on
    assert_eq!(peer.wait_until_it_sends(), Some((425 + 650) * MS));
    assert_eq!(peer.wait_until_it_sends(), Some((425 + 650 + 1300) * MS));
}

#[test]
fn section_6_2_4_two_probes_carry_new_data_first() {
    let mut peer = begun();
    sent(&mut peer);
    peer.wait_until_it_sends();
    assert_eq!(sent(&mut peer), [(10, 10), (11, 11)]);
    assert_eq!((peer.tcp.window.cwnd, peer.tcp.flight()), (10.0, 12)); // section 7.5: beyond the window
}

#[test]
fn section_6_2_4_without_new_data_the_oldest_packets_are_repeated() {
    let mut peer = Peer::open(5, quic());
    sent(&mut peer);
    peer.wait_until_it_sends();
    assert_eq!(sent(&mut peer), [(5, 0), (6, 1)]);
    peer.wait_until_it_sends();
    assert_eq!(sent(&mut peer), [(7, 2), (8, 3)]);
    assert!(!ack(&mut peer, &[(5, 8)]));
    assert_eq!(peer.tcp.una, 3);
    // 0 to 2 are lost by now, but their segments have arrived
    assert!(sent(&mut peer).iter().all(|&(_, segment)| segment > 2));
}

#[test]
fn section_6_2_1_an_ack_ends_the_back_off() {
    let mut peer = begun();
    peer.wait_until_it_sends();
    peer.wait_until_it_sends();
    let probed = peer.host.now;
    peer.host.now += RTT;
    ack(&mut peer, &[(0, 2)]);
    // a sample of 1075 ms: 221.875 + 4 * 281.25 + 25, once
    assert_eq!(peer.wait_until_it_sends(), Some(probed + 1_371_875 * MS / 1000));
}

#[test]
fn section_7_2_the_initial_window_is_ten_packets() {
    assert_eq!(sent(&mut begun()).len(), 10);
}

#[test]
fn section_7_3_1_slow_start_adds_what_is_acknowledged() {
    let mut peer = begun();
    ack(&mut peer, &[(0, 7)]);
    assert_eq!(peer.tcp.window.cwnd, 17.0);
}

#[test]
fn section_7_3_2_a_recovery_period_reduces_the_window_once() {
    let mut peer = begun();
    sent(&mut peer);
    ack(&mut peer, &[(3, 4)]); // 0 is lost
    assert_eq!((peer.tcp.window.cwnd, peer.tcp.window.ssthresh), (5.0, 5.0));
    ack(&mut peer, &[(6, 8), (3, 4)]); // 1, 2, 4 are lost, all sent before
    assert_eq!((peer.tcp.window.cwnd, peer.tcp.stats.recoveries), (5.0, 1));
    // five may be in flight: 5, 8 and 9 are, and two lost segments leave in new packets
    assert_eq!(sent(&mut peer), [(10, 0), (11, 1)]);
    peer.host.now += RTT;
    ack(&mut peer, &[(6, 10), (3, 4)]);
    assert_eq!(peer.tcp.phase, Phase::Recovery); // none was sent since it began
    ack(&mut peer, &[(6, 11), (3, 4)]);
    assert_eq!((peer.tcp.phase, peer.tcp.window.cwnd), (Phase::Open, 5.2)); // avoidance: 1/5
}

#[test]
fn section_7_3_2_a_loss_of_a_packet_of_the_recovery_period_begins_another() {
    let mut peer = begun();
    ack(&mut peer, &[(3, 10)]); // 0 to 2 are lost; the window is 5, and 10 to 14 leave
    peer.host.now += RTT;
    ack(&mut peer, &[(13, 15), (3, 10)]); // 10 and 11 are lost
    assert_eq!((peer.tcp.stats.recoveries, peer.tcp.window.cwnd), (2, 2.5));
}

#[test]
fn section_7_6_losses_over_three_timeouts_collapse_the_window() {
    let mut peer = begun();
    (0..2).for_each(|_| _ = peer.wait_until_it_sends()); // probes at 425 and 1075 ms
    peer.host.now += RTT;
    ack(&mut peer, &[(13, 14)]); // 0 to 11 are lost, sent from 100 to 425 ms
    assert_eq!((peer.tcp.window.cwnd, peer.tcp.window.ssthresh), (5.0, 5.0));
    let mut peer = begun();
    (0..3).for_each(|_| _ = peer.wait_until_it_sends()); // and 2375 ms
    peer.host.now += RTT;
    // 0 to 13 are lost, sent from 100 to 1075 ms. The sample of 100 ms leaves 3 * (100 + 4 * 37.5 + 25) = 825 ms.
    ack(&mut peer, &[(15, 16)]);
    // B.8: the window is two packets; B.5: the packet that was acknowledged adds one in slow start
    assert_eq!((peer.tcp.window.cwnd, peer.tcp.window.ssthresh), (3.0, 5.0));
    assert_eq!(peer.tcp.phase, Phase::Timeout);
    peer.host.now += RTT;
    let next = peer.host.data.last().map_or(0, |packet| packet.seq + 1);
    ack(&mut peer, &[(14, next)]);
    assert_eq!(peer.tcp.phase, Phase::Open);
}

#[test]
fn section_7_6_2_a_packet_that_arrived_between_interrupts_persistent_congestion() {
    let mut peer = begun();
    (0..3).for_each(|_| _ = peer.wait_until_it_sends());
    peer.host.now += RTT;
    ack(&mut peer, &[(15, 16), (11, 12)]); // 0 to 10 from 100 to 425 ms, then 12 and 13 at 1075 ms
    assert_eq!(peer.tcp.window.cwnd, 5.0);
}

#[test]
fn section_7_7_a_paced_sender_sends_a_burst_and_then_at_five_quarters_of_the_window() {
    let profile = Profile { pacing: Some((1.25, 1.25)), ..quic() };
    let mut peer = Peer::open(ENDLESS, profile);
    assert_eq!(sent(&mut peer).len(), 10);
    // the bucket is full again after 80 ms
    ack(&mut peer, &[(0, 10)]);
    assert_eq!(sent(&mut peer).len(), 10);
    // a window of 20 in 100 ms, at 5/4: one each 4 ms
    for packet in 1..5 {
        assert_eq!(peer.wait_until_it_sends(), Some((200 + 4 * packet) * MS));
        assert_eq!(sent(&mut peer).len(), 1);
    }
}

#[test]
fn section_7_8_a_window_that_is_not_used_does_not_grow() {
    let mut peer = Peer::writing(4, quic());
    peer.host.now = Peer::FIRST_ACK;
    ack(&mut peer, &[(0, 4)]);
    assert_eq!(peer.tcp.window.cwnd, 10.0);
}

#[test]
fn rfc_9000_section_12_3_no_packet_number_is_used_twice() {
    let mut peer = begun();
    ack(&mut peer, &[(5, 10)]);
    peer.host.now += RTT;
    peer.wait_until_it_sends();
    let numbers: Vec<u32> = peer.host.data.iter().map(|packet| packet.seq).collect();
    assert_eq!(numbers, (0..numbers.len() as u32).collect::<Vec<_>>());
    let again: Vec<u32> = peer.host.data[10..].iter().map(|packet| packet.stamp).take(5).collect();
    assert_eq!(again, [0, 1, 2, 3, 4]); // their segments leave in new packets
}

#[test]
fn rfc_9000_section_13_3_a_segment_whose_packet_arrives_late_is_not_sent_again() {
    let mut peer = begun();
    sent(&mut peer);
    ack(&mut peer, &[(3, 4)]); // 0 is lost; the window of 5 is full
    ack(&mut peer, &[(3, 4), (0, 1)]);
    assert_eq!(peer.tcp.una, 1);
    ack(&mut peer, &[(3, 10), (0, 1)]); // 1 and 2 are lost
    assert_eq!(sent(&mut peer)[..3], [(10, 1), (11, 2), (12, 10)]);
}

#[test]
fn a_flow_ends_with_the_ack_of_its_last_missing_segment() {
    let mut peer = Peer::open(8, quic());
    assert!(!ack(&mut peer, &[(5, 8), (0, 4)]));
    assert!(!ack(&mut peer, &[(5, 8), (0, 4)]));
    peer.wait_until(213 * MS); // by time
    peer.host.now += RTT;
    assert!(ack(&mut peer, &[(8, 9)]));
}

#[test]
fn section_6_2_2_a_lost_first_packet_reduces_no_window() {
    let mut profile = quic();
    profile.syn_rto = 999 * MS; // kInitialRtt: 333 + 4 * 166.5
    let mut peer = Peer::closed(ENDLESS, profile);
    assert_eq!(peer.wait_until_it_sends(), Some(999 * MS));
    assert_eq!(peer.wait_until_it_sends(), Some(3 * 999 * MS));
    peer.establish(3 * 999 * MS + RTT);
    assert_eq!((sent(&mut peer).len(), srtt_ms(&peer)), (10, 100.0)); // the number identifies the answered one
}

fn with_ecn() -> Profile {
    Profile { ecn: true, ..quic() }
}

/// Acknowledges packets below `next` with these counts.
fn report(peer: &mut Peer, next: u32, counts: Option<(u32, u32)>) {
    peer.host.option = counts.map(|(ect0, ce)| ByteCounts { ect0, ce, ect1: 0 });
    ack(peer, &[(0, next)]);
}

#[test]
fn section_7_1_a_mark_begins_a_recovery_period() {
    let mut peer = Peer::open(ENDLESS, with_ecn());
    assert!(peer.host.data.iter().all(|packet| packet.flags.ecn() == Ecn::Ect0));
    report(&mut peer, 2, Some((1, 1)));
    assert_eq!((peer.tcp.window.cwnd, peer.tcp.stats.reductions, peer.tcp.stats.marked), (5.0, 1, 1.0));
    report(&mut peer, 6, Some((4, 2))); // sent before it began
    assert_eq!((peer.tcp.window.cwnd, peer.tcp.stats.reductions, peer.tcp.stats.marked), (5.0, 1, 2.0));
}

#[test]
fn rfc_9000_section_13_4_2_counts_that_contradict_what_was_sent_disable_ecn() {
    for counts in [None, Some((1, 0))] {
        let mut peer = Peer::open(ENDLESS, with_ecn());
        report(&mut peer, 2, counts);
        assert!(!peer.tcp.is_capable_of_ecn());
        assert_eq!(peer.host.data.last().map(|packet| packet.flags.ecn()), Some(Ecn::NotEct));
    }
}

#[test]
fn rfc_9000_section_13_4_1_repeated_segments_are_capable_too() {
    let mut peer = Peer::open(ENDLESS, with_ecn());
    peer.host.option = Some(ByteCounts { ect0: 7, ce: 0, ect1: 0 });
    ack(&mut peer, &[(3, 10)]);
    assert_eq!(peer.host.data[10].stamp, 0);
    assert_eq!(peer.host.data[10].flags.ecn(), Ecn::Ect0);
}

/// Delivers packets that carry the segments of the same numbers. Returns the ranges of each ACK.
fn receive(end: &mut End, packets: &[(u32, Flags)]) -> Vec<Vec<(u32, u32)>> {
    for &(number, flags) in packets {
        end.receive_packet(number, number, flags);
    }
    let acks = std::mem::take(&mut end.host.acks);
    acks.iter().map(|ack| AckRanges::of(ack).iter().collect()).collect()
}

fn plain(numbers: &[u32]) -> Vec<(u32, Flags)> {
    numbers.iter().map(|&number| (number, Flags::NONE)).collect()
}

#[test]
fn rfc_9000_section_13_2_2_every_second_packet_is_acknowledged() {
    let mut end = End::new(quic(), Flags::NONE);
    assert_eq!(receive(&mut end, &plain(&[0, 1, 2, 3])), [[(0, 2)], [(0, 4)]]);
}

#[test]
fn rfc_9000_section_13_2_1_a_packet_out_of_order_is_acknowledged_at_once() {
    let mut end = End::new(quic(), Flags::NONE);
    let acks = receive(&mut end, &plain(&[0, 1, 3, 2]));
    assert_eq!(acks, [vec![(0, 2)], vec![(3, 4), (0, 2)], vec![(0, 4)]]);
}

#[test]
fn rfc_9000_section_13_2_1_an_ack_waits_at_most_for_max_ack_delay() {
    let mut end = End::new(quic(), Flags::NONE);
    end.host.now = 7 * MS;
    receive(&mut end, &plain(&[0]));
    assert_eq!(end.wait_until_it_answers(), Some(32 * MS));
    assert_eq!(end.host.delays, [25 * MS]); // the ACK reports it
}

#[test]
fn rfc_9000_section_13_2_1_a_marked_packet_is_acknowledged_at_once() {
    let mut end = End::new(with_ecn(), Feedback::Accurate.request());
    assert_eq!(receive(&mut end, &[(0, Flags::CE)]), [[(0, 1)]]);
    receive(&mut end, &[(1, Flags::ECT0), (1, Flags::ECT0), (2, Flags::CE)]);
    let last = end.host.options.last().copied();
    assert_eq!(last, Some(ByteCounts { ect0: 1, ce: 2, ect1: 0 })); // duplicates do not count (section 13.4.1)
}

#[test]
fn rfc_9000_section_13_2_3_an_ack_contains_the_four_largest_ranges() {
    let mut end = End::new(quic(), Flags::NONE);
    let acks = receive(&mut end, &plain(&[0, 2, 4, 6, 8]));
    assert_eq!(acks.last(), Some(&vec![(8, 9), (6, 7), (4, 5), (2, 3)]));
}

#[test]
fn a_flow_is_complete_when_each_segment_has_arrived_in_some_packet() {
    let mut end = End::new(quic(), Flags::NONE);
    let last = End::SEGMENTS - 1;
    (0..last).for_each(|number| assert!(!end.receive_packet(number, number, Flags::NONE)));
    assert!(!end.receive_packet(last, 3, Flags::NONE)); // a segment that was sent twice
    assert!(end.receive_packet(last + 5, last, Flags::NONE));
}

#[test]
fn ack_frequency_section_6_2_thresholds_delay_acks() {
    let settings = Quic { ack_every: 5, ack_reordering: 3, ..Quic::default() };
    let mut end = End::new(Profile { quic: Some(settings), ..quic() }, Flags::NONE);
    let acks = receive(&mut end, &plain(&[0, 1, 2, 3, 4, 6, 7, 8]));
    assert_eq!(acks, [vec![(0, 5)], vec![(6, 9), (0, 5)]]); // 5 is three below 8
}

#[test]
fn the_answer_to_the_first_packet_is_not_limited() {
    let mut peer = Peer::closed(3, quic());
    peer.host.now = RTT;
    peer.tcp.on_syn_ack(SynAck::default(), None, &mut peer.host);
    assert_eq!(sent(&mut peer), [(0, 0), (1, 1), (2, 2)]);
}

#[test]
fn section_6_2_1_a_timeout_that_has_passed_expires_at_once() {
    // 8 is overtaken, and its loss by time is far away. Its ACK, two seconds later, gives no RTT sample. The
    // probe timeout after the packets that left at 200 ms has then passed.
    let late = Quic { packet_threshold: 1000, time_threshold: 100.0, ..Quic::default() };
    let mut peer = Peer::open(12, Profile { quic: Some(late), ..quic() });
    ack(&mut peer, &[(9, 10), (0, 8)]);
    let now = peer.host.now + 2000 * MS;
    peer.wait_until(now);
    assert_eq!(peer.tcp.stats.timeouts, 0);
    ack(&mut peer, &[(8, 10)]);
    peer.wait_until(now);
    assert_eq!((peer.host.now, peer.tcp.stats.timeouts), (now, 1));
}
