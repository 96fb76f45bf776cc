//! RTT samples for controllers and for the retransmission time-out, whose rules are in [`crate::rto`].

use headgate_model::control::Path;
use headgate_model::units::{SECOND, Span, Time, seconds};
use serde::{Deserialize, Serialize};

use crate::clock::to_tick;
use crate::context::{AckSegment, Context};
use crate::profile::Profile;
use crate::rto::{RtoState, Sample};

/// Time stamps count units of 2^16 ps (65.5 ns), so that 32 bits cover 281 s.
///
/// NOTE(RFC 7323 section 5.4): the RFC asks for a time-stamp clock with a tick of 1 ms to 1 s. A finer clock
/// measures every RTT exactly; [`Profile::timestamp_clock`] sets a coarser one for retransmissions.
const STAMP_SHIFT: u32 = 16;

/// Time-out of data after a retransmitted SYN (RFC 6298 section 5.7).
const FALLBACK_RTO: Span = 3 * SECOND;

/// The time stamp of a packet that leaves now.
#[inline]
pub fn stamp(now: Time) -> u32 {
    (now >> STAMP_SHIFT) as u32
}

/// Time since a time stamp was taken, in steps of 65.5 ns.
#[inline]
pub fn since(stamp_then: u32, now: Time) -> Span {
    u64::from(stamp(now).wrapping_sub(stamp_then)) << STAMP_SHIFT
}

/// The outstanding data of a connection: the first segment that is not acknowledged, and the next one to
/// send.
pub(crate) type Outstanding = (u32, u32);

/// RTT estimates of a connection, and its time-out (RFC 6298 section 2).
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Estimator {
    /// The estimates that a controller sees.
    pub path: Path,
    state: RtoState,
    /// The time-out without back-off, picoseconds.
    rto: Span,
    /// The current round trip ends when this segment is acknowledged.
    round_end: u32,
}

impl Estimator {
    /// Creates an estimator without samples.
    pub(crate) fn new(profile: &Profile) -> Self {
        let path =
            Path { srtt_s: 0.0, min_rtt_s: f64::INFINITY, segment_bytes: u32::from(profile.data_bytes) };
        Self { path, state: RtoState::new(profile.rto_rule), rto: profile.initial_rto, round_end: 0 }
    }

    /// Sets the initial time-out of RFC 6298 after a retransmitted SYN, which gives no sample.
    pub(crate) fn fall_back(&mut self) {
        self.rto = self.rto.max(FALLBACK_RTO);
    }

    /// Updates the smallest RTT by a round trip that is not a sample; returns it in seconds.
    pub(crate) fn note_min_rtt(&mut self, rtt: Span) -> f64 {
        let rtt_s = seconds(rtt);
        self.path.min_rtt_s = self.path.min_rtt_s.min(rtt_s);
        rtt_s
    }

    /// Takes a sample that ends now; returns it in seconds. Only the time-out and the smoothed RTT use the
    /// profile's clock. Agents of ns-2 that use RTTs for control time each packet exactly.
    #[inline(always)]
    pub(crate) fn sample(
        &mut self,
        rtt: Span,
        (una, next): Outstanding,
        now: Time,
        profile: &Profile,
    ) -> f64 {
        let exact_s = self.note_min_rtt(rtt);
        let rtt_s = seconds(to_tick(rtt, profile.clock));
        let srtt_s = self.path.srtt_s;
        let error_s = rtt_s - srtt_s;
        self.path.srtt_s = if srtt_s == 0.0 { rtt_s } else { srtt_s + error_s * 0.125 };
        let ends_round = srtt_s == 0.0 || una > self.round_end;
        if ends_round {
            self.round_end = next;
        }
        let sample = Sample { rtt, rtt_s, error_s, srtt_s: self.path.srtt_s, now, ends_round };
        if let Some(rto) = self.state.sample(&sample, profile) {
            self.rto = rto.clamp(profile.min_rto, profile.max_rto);
        }
        exact_s
    }

    /// Records that the timer expired `backoff` times in a row while `una` was outstanding.
    pub(crate) fn back_off(&mut self, backoff: u8, una: u32) {
        match &mut self.state {
            RtoState::Rfc6298(state) => {
                state.back_off();
                self.round_end = una.saturating_sub(1); // the next sample ends the back-off, so it counts
            }
            RtoState::Linux(_) => {}
            RtoState::Ns2(state) => state.back_off(backoff),
        }
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

/// The time stamp that an ACK echoes, as the time at which it was taken.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EchoedStamp {
    taken: Time,
    clock: Span,
}

impl EchoedStamp {
    /// Returns the echoed time stamp of an ACK, if the profile uses time stamps.
    #[inline]
    pub(crate) fn of(ack: &AckSegment, ctx: &impl Context) -> Option<Self> {
        ctx.profile().timestamps.then(|| Self::new(ack.stamp, ctx))
    }

    #[inline]
    pub(crate) fn new(echo: u32, ctx: &impl Context) -> Self {
        Self { taken: taken(echo, ctx.now()), clock: ctx.profile().timestamp_clock }
    }

    /// Whether the time stamp was taken before `time`, by the clock of time stamps.
    pub(crate) fn is_before(self, time: Time) -> bool {
        let clock = self.clock.max(1);
        self.taken / clock < whole_stamps(time) / clock
    }
}

/// The time at which a time stamp was taken, in steps of 65.5 ns.
#[inline]
pub(crate) fn taken(stamp_then: u32, now: Time) -> Time {
    whole_stamps(now).saturating_sub(since(stamp_then, now))
}

/// Rounds a time down to a unit of the time stamp.
#[inline]
fn whole_stamps(time: Time) -> Time {
    time >> STAMP_SHIFT << STAMP_SHIFT
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn controllers_see_exact_round_trips_beside_a_coarse_clock() {
        let profile = Profile { clock: SECOND / 100, rto_margin: 0, min_rto: 0, ..Profile::default() };
        let mut estimator = Estimator::new(&profile);
        assert_eq!(estimator.sample(SECOND * 104 / 1000, (0, 0), SECOND, &profile), 0.104);
        assert_eq!((estimator.path.min_rtt_s, estimator.path.srtt_s), (0.104, 0.1));
    }
}
