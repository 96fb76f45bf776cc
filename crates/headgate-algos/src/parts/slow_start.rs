//! The kinds of slow start: the standard one, and two that stop before a queue overflows.

use headgate_model::control::{Ack, Path, Window};

use super::hystart::HyStart;
use super::hystart_pp::HyStartPlusPlus;

/// The growth of the window below `ssthresh`.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub enum SlowStart {
    HyStart(HyStart),
    PlusPlus(HyStartPlusPlus),
    Standard,
}

impl SlowStart {
    /// Starts a connection.
    pub fn start(&mut self, now_s: f64) {
        if let Self::HyStart(hystart) = self {
            *hystart = HyStart::new(now_s);
        }
    }

    /// Restarts slow start after a time-out. HyStart applies again, as in Linux; HyStart++ applies to the
    /// first slow start only (RFC 9406 §4.3).
    pub fn restart(&mut self, now_s: f64) {
        match self {
            Self::HyStart(hystart) => *hystart = HyStart::new(now_s),
            Self::PlusPlus(hystart) => hystart.stop(),
            Self::Standard => {}
        }
    }

    /// Ends slow start for another reason: a loss or a mark.
    pub fn stop(&mut self) {
        if let Self::PlusPlus(hystart) = self {
            hystart.stop();
        }
    }

    /// Takes an ACK below `ssthresh` and the smallest RTT of data. Sets `ssthresh` to the window if slow
    /// start should end.
    pub fn watch(&mut self, ack: &Ack, base_rtt_s: f64, path: &Path, window: &mut Window) {
        let ends = match self {
            Self::HyStart(hystart) => hystart.ends(ack, base_rtt_s, path, window),
            Self::PlusPlus(hystart) => hystart.ends(ack),
            Self::Standard => false,
        };
        if ends {
            window.ssthresh = window.cwnd;
        }
    }

    /// Grows the window. Returns the acknowledged segments that remain for congestion avoidance.
    pub fn grow(&self, ack: &Ack, window: &mut Window) -> f64 {
        let step = match self {
            Self::PlusPlus(hystart) => hystart.step(ack),
            _ => ack.acked,
        };
        let left = window.slow_start(step);
        if step > 0.0 { left * ack.acked / step } else { left }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trial::{PATH, ack, acked, starting};

    #[test]
    fn standard_slow_start_only_doubles() {
        let (mut start, mut window) = (SlowStart::Standard, starting(64.0));
        for i in 0..64 {
            let ack = Ack { round_start: i == 0, ..ack(10.0) };
            start.watch(&ack, 0.1, &PATH, &mut window);
            assert_eq!(start.grow(&ack, &mut window), 0.0);
        }
        assert_eq!((window.cwnd, window.ssthresh), (128.0, f64::INFINITY));
    }

    #[test]
    fn what_slow_start_leaves_is_counted_in_segments() {
        let mut window = Window { ssthresh: 65.0, ..starting(64.0) };
        assert_eq!(SlowStart::HyStart(HyStart::default()).grow(&acked(3.0), &mut window), 2.0);
        let mut cautious = HyStartPlusPlus::default();
        cautious.slow_down(0.1);
        let mut window = Window { ssthresh: 64.5, ..starting(64.0) };
        // 4 segments grow it by 1; the half segment of room used 2 of them
        assert_eq!(SlowStart::PlusPlus(cautious).grow(&acked(4.0), &mut window), 2.0);
    }
}
