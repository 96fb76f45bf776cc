//! Slow starts: rules for the window until the first sign of congestion. Each is one file and one line here.
//!
//! An algorithm that grows exponentially below `ssthresh` can use any of them ([`crate::started`]). `classic`
//! is the growth of the algorithm itself.

/// Declares the modules and the registry from one sorted list of file stems.
macro_rules! slow_starts {
    ($($stem:ident => $Name:ident),+ $(,)?) => {
        $(pub mod $stem;)+

        const CARDS: &[&Card] = &[$(&$stem::CARD,)+];

        #[derive(Clone, Copy)]
        enum Index { $($Name,)+ }

        /// Any of the slow starts, without indirection.
        #[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
        pub enum AnySlowStart {
            $(#[doc = concat!("[`", stringify!($stem), "`]")] $Name($stem::$Name),)+
        }

        impl AnySlowStart {
            /// Cards of all slow starts, sorted by name.
            pub fn cards() -> &'static [&'static Card] {
                CARDS
            }

            /// Creates a slow start by its index in [`Self::cards`]; `values` are in the order of the card's
            /// parameters.
            pub fn build(index: usize, values: &[f64]) -> Self {
                $(if index == Index::$Name as usize {
                    return Self::$Name($stem::$Name::new($stem::Params::from_values(values)));
                })+
                unreachable!("a slow start beyond the cards")
            }
        }

        #[deny(clippy::missing_trait_methods)]
        impl SlowStart for AnySlowStart {
            fn on_start(&mut self, now_s: f64, path: &Path, window: &mut Window) {
                match self { $(Self::$Name(start) => start.on_start(now_s, path, window),)+ }
            }

            fn on_ack(&mut self, ack: &Ack, base_rtt_s: f64, path: &Path, window: &mut Window) {
                match self { $(Self::$Name(start) => start.on_ack(ack, base_rtt_s, path, window),)+ }
            }

            fn growth(&self, ack: &Ack) -> f64 {
                match self { $(Self::$Name(start) => start.growth(ack),)+ }
            }

            fn on_exit(&mut self, window: &mut Window) {
                match self { $(Self::$Name(start) => start.on_exit(window),)+ }
            }

            fn on_congestion(&mut self, event: &Congestion, window: &mut Window) {
                match self { $(Self::$Name(start) => start.on_congestion(event, window),)+ }
            }

            fn on_repair(&mut self, ack: &Ack, window: &mut Window) {
                match self { $(Self::$Name(start) => start.on_repair(ack, window),)+ }
            }

            fn on_recovered(&mut self, window: &mut Window) {
                match self { $(Self::$Name(start) => start.on_recovered(window),)+ }
            }

            fn on_undo(&mut self) {
                match self { $(Self::$Name(start) => start.on_undo(),)+ }
            }

            fn controls_cwnd_in_recovery(&self) -> bool {
                match self { $(Self::$Name(start) => start.controls_cwnd_in_recovery(),)+ }
            }

            fn wants_rate(&self) -> bool {
                match self { $(Self::$Name(start) => start.wants_rate(),)+ }
            }

            fn grow(&self, ack: &Ack, window: &mut Window) -> f64 {
                match self { $(Self::$Name(start) => start.grow(ack, window),)+ }
            }
        }
    };
}

use headgate_model::control::{Ack, Congestion, Path, Window};
use headgate_model::params::Card;

/// A slow start. It sees the ACKs below `ssthresh`, and ends by lowering `ssthresh` to the window.
pub trait SlowStart: Clone {
    /// The connection is established. The window contains the profile's initial values.
    fn on_start(&mut self, _now_s: f64, _path: &Path, _window: &mut Window) {}

    /// An ACK arrived below `ssthresh`, before the window grows. `base_rtt_s` is the smallest RTT of data in
    /// seconds; 0 before the first sample.
    fn on_ack(&mut self, ack: &Ack, base_rtt_s: f64, path: &Path, window: &mut Window);

    /// Returns the segments by which the window grows for this ACK.
    fn growth(&self, ack: &Ack) -> f64 {
        ack.acked
    }

    /// The window has reached `ssthresh` without congestion.
    fn on_exit(&mut self, _window: &mut Window) {}

    /// Congestion occurred, and the algorithm has set `ssthresh`; `cwnd` is the window before it.
    fn on_congestion(&mut self, _event: &Congestion, _window: &mut Window) {}

    /// An ACK arrived in a recovery during which this slow start sets the window.
    fn on_repair(&mut self, _ack: &Ack, _window: &mut Window) {}

    /// A recovery ended during which this slow start set the window.
    fn on_recovered(&mut self, _window: &mut Window) {}

    /// The last reduction was needless, and the window was restored.
    fn on_undo(&mut self) {}

    /// Whether it sets the window during this recovery, instead of the transport.
    fn controls_cwnd_in_recovery(&self) -> bool {
        false
    }

    /// Whether it uses [`Ack::rate`].
    fn wants_rate(&self) -> bool {
        false
    }

    /// Grows the window. Returns the acknowledged segments that remain for congestion avoidance.
    fn grow(&self, ack: &Ack, window: &mut Window) -> f64 {
        let step = self.growth(ack);
        let left = window.slow_start(step);
        if step > 0.0 { left * ack.acked / step } else { 0.0 }
    }
}

slow_starts! {
    careful_resume => CarefulResume,
    classic => Classic,
    hystart => HyStart,
    hystart_pp => HyStartPlusPlus,
    rapid_start => RapidStart,
    search => Search,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trial::{PATH, ack, acked, starting};

    #[test]
    fn classic_slow_start_only_doubles() {
        let (mut start, mut window) = (classic::Classic, starting(64.0));
        for i in 0..64 {
            let ack = Ack { round_start: i == 0, ..ack(10.0) };
            start.on_ack(&ack, 0.1, &PATH, &mut window);
            assert_eq!(start.grow(&ack, &mut window), 0.0);
        }
        assert_eq!((window.cwnd, window.ssthresh), (128.0, f64::INFINITY));
    }

    #[test]
    fn what_slow_start_leaves_is_counted_in_segments() {
        let mut window = Window { ssthresh: 65.0, ..starting(64.0) };
        assert_eq!(hystart::HyStart::default().grow(&acked(3.0), &mut window), 2.0);
        let mut cautious = hystart_pp::HyStartPlusPlus::default();
        cautious.slow_down(0.1);
        let mut window = Window { ssthresh: 64.5, ..starting(64.0) };
        // 4 segments grow it by 1; the half segment of room used 2 of them
        assert_eq!(cautious.grow(&acked(4.0), &mut window), 2.0);
    }
}
