//! The receiver's ACKs: RFC 5681 section 4.2, RFC 2018, RFC 7323 section 4.3.

use headgate_model::units::SECOND;
use headgate_tcp::context::AckSegment;
use headgate_tcp::{Flags, Profile};

use crate::host::{End, MS, rfc};

fn end() -> End {
    End::new(rfc(), Flags::NONE)
}

fn numbers(acks: &[AckSegment]) -> Vec<u32> {
    acks.iter().map(|ack| ack.next).collect()
}

#[test]
fn rfc5681_4_2_every_second_segment_is_acknowledged() {
    assert_eq!(numbers(&end().take(&[0, 1, 2, 3, 4])), [2, 4]);
}

#[test]
fn rfc5681_4_2_an_ack_waits_half_a_second_at_most() {
    let mut end = end();
    assert_eq!(end.take(&[0]), []);
    let answered = end.wait_until_it_answers().expect("a delayed ACK");
    assert_eq!(answered, 40 * MS);
    assert!(answered <= SECOND / 2 && end.host.acks[0].next == 1);
}

#[test]
fn rfc5681_4_2_the_wait_is_that_of_the_segment_in_hand() {
    let mut end = end();
    end.take(&[0]);
    end.host.now = 10 * MS;
    assert_eq!(end.take(&[1]).len(), 1);
    end.host.now = 30 * MS;
    end.take(&[2]);
    assert_eq!(end.wait_until_it_answers(), Some(70 * MS));
}

#[test]
fn rfc5681_4_2_what_is_out_of_order_is_acknowledged_at_once() {
    assert_eq!(numbers(&end().take(&[0, 1, 3, 4, 5])), [2, 2, 2, 2]);
}

#[test]
fn rfc5681_4_2_what_fills_a_hole_is_acknowledged_at_once() {
    let mut end = end();
    end.take(&[0, 1, 3, 5]);
    assert_eq!(numbers(&end.take(&[2])), [4]);
    assert_eq!(numbers(&end.take(&[4])), [6]);
}

#[test]
fn rfc5681_4_2_a_segment_that_is_there_already_is_acknowledged_at_once() {
    let mut end = end();
    end.take(&[0, 1]);
    assert_eq!(numbers(&end.take(&[0])), [2]);
}

#[test]
fn rfc5681_4_2_acks_need_not_be_delayed() {
    let mut end = End::new(Profile { delayed_ack: None, ..rfc() }, Flags::NONE);
    assert_eq!(numbers(&end.take(&[0, 1, 2])), [1, 2, 3]);
}

#[test]
fn rfc2018_4_the_first_block_is_the_latest_and_there_are_three() {
    let mut end = end();
    let acks = end.take(&[0, 1, 3, 5, 7, 9]);
    assert_eq!(acks[4].blocks, Some([(9, 10), (7, 8), (5, 6)]));
    assert_eq!(end.take(&[4])[0].blocks, Some([(3, 6), (9, 10), (7, 8)]));
}

#[test]
fn rfc7323_4_3_a_delayed_ack_echoes_the_earlier_segment() {
    assert_eq!(End::echoed(&end().take(&[0, 1, 2, 3])), [0, 2]);
}

#[test]
fn rfc7323_4_3_beside_a_hole_the_last_in_order_is_echoed() {
    // 0 is echoed with 1's ACK; 2 arrived in order, so all later ACKs echo it while the hole exists
    let mut end = end();
    assert_eq!(End::echoed(&end.take(&[0, 1, 2])), [0]);
    assert_eq!(End::echoed(&end.take(&[4, 5])), [2, 2]);
}

#[test]
fn rfc7323_4_3_what_fills_a_hole_is_echoed() {
    let mut end = end();
    end.take(&[0, 1, 3, 4]);
    assert_eq!(End::echoed(&end.take(&[2])), [2]);
}

#[test]
fn rfc7323_4_3_the_ack_of_a_duplicate_echoes_the_duplicate() {
    let mut end = end();
    end.take(&[0, 1]);
    end.receive_sent_at(0, 50, Flags::NONE); // its ACK was lost: it was sent again
    assert_eq!(End::echoed(&end.host.acks), [50]);
}

#[test]
fn rfc7323_4_3_a_segment_above_the_last_ack_is_not_echoed() {
    let mut end = end();
    end.take(&[0, 1, 3]);
    end.receive_sent_at(3, 60, Flags::NONE); // a duplicate above the hole
    assert_eq!(End::echoed(&end.host.acks), [0]);
}

#[test]
fn rfc7323_4_3_an_older_time_stamp_does_not_replace_a_newer_one() {
    let mut end = end();
    end.take(&[0, 1]);
    end.receive_sent_at(1, 50, Flags::NONE);
    end.receive_sent_at(0, 40, Flags::NONE); // overtaken by the other
    assert_eq!(End::echoed(&end.host.acks), [50, 50]);
}

/// Whether a late segment is accepted. Segment 1 is lost and sent again when the clock of time stamps shows
/// 20 ms more; segment 5 left 10 ms before and arrives afterwards.
fn takes_a_late_segment(profile: Profile) -> bool {
    let mut end = End::new(profile, Flags::NONE);
    let ticks = |ms: u32| ms * 15_259; // 65.536 ns each
    end.host.now = 100 * MS;
    for (seq, sent_ms) in [(0, 0), (2, 0), (3, 0), (4, 0), (1, 20), (5, 10), (6, 30)] {
        end.receive_sent_at(seq, ticks(sent_ms), Flags::NONE);
    }
    end.host.acks.last().is_some_and(|ack| ack.next == 7)
}

#[test]
fn rfc7323_5_3_an_older_segment_than_the_last_one_in_order_is_not_taken() {
    assert!(!takes_a_late_segment(rfc()));
    assert!(!takes_a_late_segment(Profile { timestamp_clock: 0, ..rfc() }));
    assert!(takes_a_late_segment(Profile { timestamps: false, ..rfc() }));
    assert!(takes_a_late_segment(Profile { timestamp_clock: 10 * MS, ..rfc() })); // one tick back
}

#[test]
fn rfc7323_5_3_a_duplicate_below_the_window_makes_no_segment_too_old() {
    let mut end = end();
    end.host.now = 100 * MS;
    end.take(&[0, 1]);
    end.receive_sent_at(0, 20 * 15_259, Flags::NONE); // sent again 20 ms later
    end.receive_sent_at(2, 10 * 15_259, Flags::NONE);
    end.receive_sent_at(3, 30 * 15_259, Flags::NONE);
    assert_eq!(numbers(&end.host.acks), [2, 4]);
}
