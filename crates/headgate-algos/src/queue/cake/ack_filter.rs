//! The ACK filter: an ACK that a later one of the same connection replaces is dropped (Linux `sch_cake.c`).

use headgate_model::queue::AckFields;

use super::options::AckFilter;

/// Returns the place of the ACK that the last of `acks` replaces. Packets that are no ACK of its connection are
/// `None`. `On` keeps the ACK that precedes the last one.
pub(super) fn find(
    filter: AckFilter,
    acks: impl Iterator<Item = Option<AckFields>>,
    last: &AckFields,
) -> Option<usize> {
    let (mut eligible, mut found, mut count): (Option<(usize, bool)>, i32, usize) = (None, 0, 0);
    for (place, ack) in acks.enumerate() {
        count = place + 1;
        let Some(ack) = ack else { continue };
        if eligible.is_some_and(|(_, echo)| echo != ack.echo) {
            // without it, a change of the echo would be lost
            (eligible, found) = (None, found - 1);
        }
        if !replaces(last, &ack) {
            continue;
        }
        let (first, _) = *eligible.get_or_insert((place, ack.echo));
        if found > 0 {
            return Some(first);
        }
        found += 1;
    }
    let (place, echo) = eligible.filter(|_| filter == AckFilter::Aggressive)?;
    (place + 1 == count && echo == last.echo).then_some(place)
}

/// Whether an ACK contains all that an earlier one contains, and more.
fn replaces(later: &AckFields, earlier: &AckFields) -> bool {
    if earlier.number > later.number {
        return false;
    }
    match covers(later, earlier) {
        Coverage::Less => false,
        Coverage::Same => earlier.number < later.number,
        Coverage::More => true,
    }
}

/// The segments in the SACK blocks of an ACK, compared with those of an earlier one.
enum Coverage {
    Less,
    Same,
    More,
}

fn covers(later: &AckFields, earlier: &AckFields) -> Coverage {
    let blocks = |ack: &AckFields| ack.sacks.into_iter().filter(|&(from, to)| from < to);
    let size = |ack: &AckFields| blocks(ack).map(|(from, to)| u64::from(to - from)).sum::<u64>();
    // a block below the number reports a duplicate, which no other ACK does
    let is_covered = |(from, to): (u32, u32)| {
        from >= earlier.number && blocks(later).any(|block| block.0 <= from && to <= block.1)
    };
    if !blocks(earlier).all(is_covered) {
        return Coverage::Less;
    }
    if size(later) > size(earlier) { Coverage::More } else { Coverage::Same }
}
