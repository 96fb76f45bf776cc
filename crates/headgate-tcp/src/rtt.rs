//! The RTT estimator and the retransmission time-out (RFC 6298).

use headgate_model::control::Path;
use headgate_model::units::{SECOND, Span, Time, seconds};
use serde::{Deserialize, Serialize};

use crate::context::{AckSegment, Context};
use crate::profile::Profile;

/// Time stamps count 2^16 ps (65.5 ns), so that they fit 32 bits for 281 s.
const STAMP_SHIFT: u32 = 16;

/// Time-out of data after a SYN that had to be sent again (RFC 6298 §5.7).
const FALLBACK_RTO: Span = 3 * SECOND;

/// The time stamp a data packet carries.
#[inline]
pub fn stamp(now: Time) -> u32 {
    (now >> STAMP_SHIFT) as u32
}

/// Time since a stamp was taken, to 65.5 ns.
#[inline]
pub fn since(stamp_then: u32, now: Time) -> Span {
    u64::from(stamp(now).wrapping_sub(stamp_then)) << STAMP_SHIFT
}

/// Round trips of a connection, and the time-out that they give (RFC 6298 §2).
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Estimator {
    /// What its controller is told of the path.
    pub path: Path,
    rttvar_s: f64,
    /// The time-out without back-off.
    rto: Span,
}

impl Estimator {
    /// Before the first sample.
    pub(crate) fn new(profile: &Profile) -> Self {
        let path =
            Path { srtt_s: 0.0, min_rtt_s: f64::INFINITY, segment_bytes: u32::from(profile.data_bytes) };
        Self { path, rttvar_s: 0.0, rto: profile.initial_rto }
    }

    /// There is no sample, as the SYN was sent again: the time-out of data is the old, careful one.
    pub(crate) fn fall_back(&mut self) {
        self.rto = self.rto.max(FALLBACK_RTO);
    }

    /// Takes a round trip that may be the least, but is no sample; returns it as [`Self::sample`] does.
    pub(crate) fn see(&mut self, rtt: Span, profile: &Profile) -> f64 {
        let rtt_s = seconds(tick(rtt, profile.clock));
        self.path.min_rtt_s = self.path.min_rtt_s.min(rtt_s);
        rtt_s
    }

    /// Takes a sample; returns it in seconds, rounded to the profile's clock.
    #[inline]
    pub(crate) fn sample(&mut self, rtt: Span, profile: &Profile) -> f64 {
        let rtt_s = self.see(rtt, profile);
        let path = &mut self.path;
        if path.srtt_s == 0.0 {
            path.srtt_s = rtt_s;
            self.rttvar_s = rtt_s / 2.0;
        } else {
            self.rttvar_s += ((path.srtt_s - rtt_s).abs() - self.rttvar_s) * 0.25;
            path.srtt_s += (rtt_s - path.srtt_s) * 0.125;
        }
        let margin_s = (4.0 * self.rttvar_s).max(seconds(profile.clock.max(profile.rto_margin)));
        self.rto =
            (((path.srtt_s + margin_s) * SECOND as f64) as Span).clamp(profile.min_rto, profile.max_rto);
        rtt_s
    }

    /// The time-out after `backoff` expiries in a row.
    #[inline]
    pub(crate) fn rto(&self, backoff: u8, profile: &Profile) -> Span {
        if backoff == 0 {
            return self.rto;
        }
        self.rto.saturating_mul(1 << backoff.min(16)).min(profile.max_rto)
    }
}

/// A time stamp that an ACK echoes, as the time at which it was taken.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Echoed {
    taken: Time,
    clock: Span,
}

impl Echoed {
    /// Of an ACK, if it echoes one.
    #[inline]
    pub(crate) fn of(ack: &AckSegment, ctx: &impl Context) -> Option<Self> {
        ctx.profile().timestamps.then(|| Self::new(ack.stamp, ctx))
    }

    #[inline]
    pub(crate) fn new(echo: u32, ctx: &impl Context) -> Self {
        let taken = whole_stamps(ctx.now()).saturating_sub(since(echo, ctx.now()));
        Self { taken, clock: ctx.profile().timestamp_clock }
    }

    /// Whether it was taken before `time`, by the clock of time stamps.
    pub(crate) fn is_before(self, time: Time) -> bool {
        let clock = self.clock.max(1);
        self.taken / clock < whole_stamps(time) / clock
    }
}

/// A time rounded down to what a time stamp counts.
#[inline]
fn whole_stamps(time: Time) -> Time {
    time >> STAMP_SHIFT << STAMP_SHIFT
}

/// An RTT that ends now, as the difference of two readings of a coarse clock, at least one tick.
pub fn by_stamps(rtt: Span, now: Time, clock: Span) -> Span {
    if clock == 0 {
        return rtt;
    }
    (now / clock - now.saturating_sub(rtt) / clock).max(1) * clock
}

/// Rounds to the nearest tick of a coarse clock, at least one.
#[inline]
fn tick(span: Span, clock: Span) -> Span {
    if clock == 0 {
        return span;
    }
    ((span + clock / 2) / clock).max(1) * clock
}

#[cfg(test)]
mod tests {
    use super::*;

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
