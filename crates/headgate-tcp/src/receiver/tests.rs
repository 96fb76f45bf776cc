use super::*;

fn receiver(size: u32) -> Receiver {
    Receiver::new(size, Flags::NONE, &Profile::default())
}

#[test]
fn holes_are_reported_most_recent_first() {
    let mut r = receiver(100);
    assert_eq!(r.take(0, false), Reply::MayWait);
    for seq in [2, 3, 6, 9] {
        assert_eq!(r.take(seq, false), Reply::Now);
    }
    assert_eq!(r.blocks(), Some([(9, 10), (6, 7), (2, 4)]));
    r.take(4, false);
    assert_eq!(r.blocks(), Some([(2, 5), (9, 10), (6, 7)]));
    assert_eq!(r.take(1, false), Reply::Now); // fills a hole: 5 is next
    assert_eq!((r.next, r.blocks()), (5, Some([(9, 10), (6, 7), (0, 0)])));
    for seq in [5, 7, 8] {
        r.take(seq, false);
    }
    assert_eq!((r.next, r.blocks()), (10, None));
}

#[test]
fn the_last_missing_segment_completes() {
    let mut r = receiver(3);
    assert_eq!(r.take(0, false), Reply::MayWait);
    assert_eq!(r.take(2, false), Reply::Now);
    assert_eq!(r.take(1, false), Reply::Complete);
}

#[test]
fn a_duplicate_is_told_from_a_segment_that_is_new() {
    let mut r = receiver(10);
    let replies: Vec<Reply> = [0, 2, 4, 2, 0, 3, 4].into_iter().map(|seq| r.take(seq, false)).collect();
    use Reply::{Duplicate, MayWait, Now};
    assert_eq!(replies, [MayWait, Now, Now, Duplicate, Duplicate, Now, Duplicate]);
}

#[test]
fn every_order_of_arrival_ends_complete() {
    let mut x = 12_345u64;
    for _ in 0..500 {
        let n = 40;
        let mut r = receiver(n);
        let mut left: Vec<u32> = (0..n).collect();
        while let Some(last) = left.len().checked_sub(1) {
            x = x.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let seq = left.swap_remove((x >> 33) as usize % (last + 1));
            let reply = r.take(seq, false);
            assert_eq!(reply == Reply::Complete, left.is_empty());
            let first_missing = left.iter().min().copied().unwrap_or(n);
            assert_eq!(r.next, first_missing);
        }
    }
}
