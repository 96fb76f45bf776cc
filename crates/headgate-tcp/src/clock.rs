//! Rounding of times to coarse clocks.

use headgate_model::units::{Span, Time};

/// Returns an RTT that ends now as the difference of two readings of a coarse clock, at least one tick. All
/// times are picoseconds; a `clock` of 0 is exact.
pub fn by_stamps(rtt: Span, now: Time, clock: Span) -> Span {
    if clock == 0 {
        return rtt;
    }
    (now / clock - now.saturating_sub(rtt) / clock).max(1) * clock
}

/// Rounds a span to the nearest tick of a coarse clock, at least one tick.
#[inline]
pub(crate) fn to_tick(span: Span, clock: Span) -> Span {
    if clock == 0 {
        return span;
    }
    ((span + clock / 2) / clock).max(1) * clock
}

#[cfg(test)]
mod tests {
    use super::*;
    use headgate_model::units::SECOND;

    #[test]
    fn stamps_tell_an_rtt_in_ticks_more_or_less_by_where_it_begins() {
        const MS: Span = SECOND / 1000;
        let rtt = 40 * MS + MS * 6 / 10;
        assert_eq!(by_stamps(rtt, 100 * MS + MS * 7 / 10, MS), 40 * MS); // 60.1 to 100.7
        assert_eq!(by_stamps(rtt, 100 * MS + MS * 5 / 10, MS), 41 * MS); // 59.9 to 100.5
        assert_eq!(by_stamps(MS / 10, 100 * MS + MS / 2, MS), MS);
        assert_eq!(by_stamps(rtt, 100 * MS, 0), rtt);
    }
}
