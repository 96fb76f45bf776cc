//! Detection of flows that their window limits (Linux `tcp_cwnd_validate` and `tcp_is_cwnd_limited`).
//!
//! NOTE(RFC 7661 section 4): the RFC measures pipeACK over several round trips. Linux, and this module,
//! compare the flight with the window once per window of data.

use headgate_model::control::Window;
use serde::{Deserialize, Serialize};

/// A flow's use of its window during the current window of data.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Usage {
    /// Whether the window was full at least once.
    full: bool,
    /// The most segments that were outstanding, if the window was never full.
    most: u32,
    /// The window of data ends when this segment is acknowledged.
    end: u32,
}

impl Usage {
    /// Records the state after the sender has sent what it may: whether the window is `full`, and the
    /// outstanding segments.
    #[inline]
    pub fn note(&mut self, full: bool, una: u32, next: u32) {
        let outstanding = next - una;
        if full || una >= self.end || (!self.full && outstanding > self.most) {
            *self = Self { full, most: outstanding, end: next };
        }
    }

    /// Whether the window may grow: it was full, or in slow start it is less than twice the outstanding
    /// segments.
    #[inline]
    pub fn is_limited_by(&self, window: &Window) -> bool {
        self.full || (window.slow_starts() && window.cwnd < 2.0 * f64::from(self.most))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn window(cwnd: f64, ssthresh: f64) -> Window {
        Window { cwnd, ssthresh, pace: f64::INFINITY }
    }

    #[test]
    fn a_window_twice_what_was_outstanding_is_not_the_limit_in_slow_start() {
        let mut usage = Usage::default();
        usage.note(false, 0, 11);
        assert!(usage.is_limited_by(&window(21.0, f64::INFINITY)));
        assert!(!usage.is_limited_by(&window(22.0, f64::INFINITY)));
        assert!(!usage.is_limited_by(&window(12.0, 10.0)));
    }

    #[test]
    fn a_window_that_was_full_counts_until_its_data_are_acknowledged() {
        let mut usage = Usage::default();
        usage.note(true, 0, 20);
        usage.note(false, 10, 25); // less is outstanding, within the same window of data
        assert!(usage.is_limited_by(&window(20.0, 10.0)));
        usage.note(false, 20, 35);
        assert!(!usage.is_limited_by(&window(20.0, 10.0)));
        usage.note(false, 22, 41);
        assert!(usage.is_limited_by(&window(37.0, f64::INFINITY))); // 19 were outstanding
    }
}
