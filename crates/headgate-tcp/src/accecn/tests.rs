use headgate_model::chance::Stream;

use super::*;

const MSS: u32 = 1460;

fn counted(fields: &[Ecn]) -> MarkCounter {
    let mut counter = MarkCounter::default();
    fields.iter().for_each(|&ecn| counter.count(ecn, MSS));
    counter
}

#[test]
fn counts_begin_as_rfc_9768_section_3_2_1_says() {
    let mut counter = MarkCounter::default();
    assert_eq!(counter.report().to_ace(), 5);
    assert_eq!(ByteCounts::FIRST, ByteCounts { ect0: 1, ce: 0, ect1: 1 });
    assert_eq!(MarkDecoder::default().decode(Flags::ace(5), None, 1, MSS), 0);
}

#[test]
fn the_ace_field_wraps_after_eight() {
    let mut counter = MarkCounter::default();
    let fields: Vec<u8> = (0..9)
        .map(|_| {
            counter.count(Ecn::Ce, MSS);
            counter.report().to_ace()
        })
        .collect();
    assert_eq!(fields, [6, 7, 0, 1, 2, 3, 4, 5, 6]);
}

#[test]
fn examples_of_appendix_a_2_1() {
    // nine segments and two marks at least: two; ten segments: ten
    assert_eq!(assume_safest(2, 9), 2);
    assert_eq!(assume_safest(2, 10), 10);
    // RFC 9768 §3.2.2.5.2: the field is right if it exceeds the segments
    assert_eq!(assume_safest(3, 1), 3);
    assert_eq!((assume_safest(0, 7), assume_safest(0, 8), assume_safest(7, 7)), (0, 8, 7));
}

#[test]
fn the_example_of_appendix_a_1_wraps_the_bytes() {
    // s.ceb = 33,554,433 = 2 * 2^24 + 1, ECEB = 1461: 1460 more
    let mut decoder = MarkDecoder { ce_bytes: 33_554_433 % OPTION_RANGE, ..MarkDecoder::default() };
    let counts = ByteCounts { ect0: 1, ce: 1461, ect1: 1 };
    assert_eq!(decoder.take_bytes(counts, MSS), 1460);
    let mut near = ByteCounts { ce: OPTION_RANGE - 1, ..ByteCounts::FIRST };
    near.add(Ecn::Ce, 2);
    assert_eq!(near.ce, 1);
}

#[test]
fn the_first_mark_and_every_second_one_are_reported_at_once() {
    use Ecn::{Ce, Ect0};
    let due = |fields: &[Ecn]| counted(fields).is_due();
    assert!(!due(&[Ect0, Ect0]));
    assert!(due(&[Ect0, Ce])); // a change
    let mut counter = counted(&[Ce]);
    counter.report();
    counter.count(Ce, MSS);
    assert!(!counter.is_due()); // no change, one mark since the last ACK
    counter.count(Ce, MSS);
    assert!(counter.is_due()); // two marks
    counter.report();
    counter.count(Ect0, MSS);
    assert!(!counter.is_due()); // only changes to CE count
}

#[test]
fn the_option_leaves_out_what_never_changed() {
    use Ecn::{Ce, Ect0, Ect1, NotEct};
    let bytes = |fields: &[Ecn]| counted(fields).report_bytes().map(|counts| counts.option_bytes());
    assert_eq!((bytes(&[]), bytes(&[NotEct])), (None, None));
    assert_eq!((bytes(&[Ect0]), bytes(&[Ect1]), bytes(&[Ce])), (Some(5), Some(5), Some(8)));
    assert_eq!((bytes(&[Ect0, Ce]), bytes(&[Ect1, Ce]), bytes(&[Ect0, Ect1])), (Some(8), Some(8), Some(11)));
    assert_eq!(bytes(&[Ect0, NotEct]), Some(5)); // repeated by an ACK that changes nothing
}

/// The results of a run with lost ACKs.
#[derive(Default)]
struct Seen {
    /// Marks among the segments of ACKs that arrived, and what the sender decoded.
    marked: u32,
    decoded: u32,
    /// ACKs that left room for a doubt, and those that were decoded to more marks than there were.
    doubtful: u32,
    excessive: u32,
}

/// Lets a receiver acknowledge every `thinning`-th segment at most (change- and increment-triggered ACKs come
/// sooner), loses ACKs, and checks each ACK against the truth.
fn run(seed: u64, marking: f64, loss: f64, thinning: u32, with_option: bool) -> Seen {
    let mut chance = Stream::new(seed, "accecn", 0);
    let (mut counter, mut decoder, mut seen) =
        (MarkCounter::default(), MarkDecoder::default(), Seen::default());
    let (mut unacked, mut newly, mut marks) = (0, 0, 0);
    for _ in 0..20_000 {
        let ecn = if chance.chance(marking) { Ecn::Ce } else { Ecn::Ect1 };
        counter.count(ecn, MSS);
        unacked += 1;
        (newly, marks) = (newly + 1, marks + u32::from(ecn.is_marked()));
        if unacked < thinning && !(thinning <= 2 && counter.is_due()) {
            continue;
        }
        unacked = 0;
        let (field, option) = (counter.report(), counter.report_bytes().filter(|_| with_option));
        if chance.chance(loss) {
            continue;
        }
        let decoded = decoder.decode(field, option, newly, MSS);
        assert_eq!(decoded % ACE_RANGE, marks % ACE_RANGE, "the field never gets out of step");
        assert!(decoded >= marks && decoded <= newly, "{decoded} of {newly}, {marks} marked");
        if newly < ACE_RANGE || with_option {
            assert_eq!(decoded, marks, "{newly} segments: no doubt");
        }
        seen.doubtful += u32::from(newly >= ACE_RANGE);
        seen.excessive += u32::from(decoded > marks);
        seen.marked += marks;
        seen.decoded += decoded;
        (newly, marks) = (0, 0);
    }
    seen
}

#[test]
fn without_doubt_the_count_is_exact_and_never_too_small() {
    for seed in 0..40 {
        let marking = [0.0, 0.02, 0.3, 0.9, 1.0][seed as usize % 5];
        let loss = [0.0, 0.2, 0.8][seed as usize % 3];
        for (thinning, with_option) in [(1, false), (2, false), (2, true), (16, false), (16, true)] {
            let seen = run(seed, marking, loss, thinning, with_option);
            assert!(seen.decoded >= seen.marked);
            if with_option || seen.doubtful == 0 {
                assert_eq!(seen.decoded, seen.marked);
            }
        }
    }
}

#[test]
fn thinned_acks_are_read_as_the_safest_case() {
    // 16 segments per ACK, one in fifty marked: the field is mostly 0 or 1 more, and 16 - (16 - d) % 8 is 8 or
    // 16 too many
    let thinned = run(1, 0.02, 0.0, 16, false);
    assert!(thinned.excessive == thinned.doubtful && thinned.doubtful == 20_000 / 16);
    assert!(thinned.decoded > 10 * thinned.marked);
    let with_option = run(1, 0.02, 0.0, 16, true);
    assert_eq!(with_option.decoded, with_option.marked);
}

#[test]
fn an_option_after_acks_without_one_counts_nothing_twice() {
    let (mut counter, mut decoder) = (MarkCounter::default(), MarkDecoder::default());
    for _ in 0..3 {
        counter.count(Ecn::Ce, MSS);
    }
    assert_eq!(decoder.decode(counter.report(), None, 3, MSS), 3);
    // nine more segments, of which one is marked: by the field 1 or 9
    counter.count(Ecn::Ce, MSS);
    (0..8).for_each(|_| counter.count(Ecn::Ect0, MSS));
    let (field, counts) = (counter.report(), counter.report_bytes());
    assert_eq!(counts.map(|counts| counts.ce), Some(4 * MSS));
    assert_eq!(decoder.decode(field, counts, 9, MSS), 1);
}

#[test]
fn a_superseded_ack_changes_nothing() {
    let mut decoder = MarkDecoder::default();
    assert_eq!(decoder.decode(Flags::ace(7), None, 2, MSS), 2);
    let before = decoder;
    assert_eq!(decoder.decode(Flags::ace(6), None, 0, MSS), 0);
    assert_eq!(decoder, before);
}
