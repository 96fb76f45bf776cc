//! Congestion-control laws: one file and one word here for each.

/// Declares the modules and the registry from one sorted list of file stems.
macro_rules! laws {
    ($($stem:ident => $Name:ident),+ $(,)?) => {
        $(pub mod $stem;)+

        const CARDS: &[&Card] = &[$(&$stem::CARD,)+];

        #[derive(Clone, Copy)]
        enum Index { $($Name,)+ }

        impl Registry for AnyLaw {
            fn cards() -> &'static [&'static Card] {
                CARDS
            }

            fn build(index: usize, values: &[f64]) -> Self {
                $(if index == Index::$Name as usize {
                    return Self::$Name($stem::$Name::new($stem::Params::from_values(values)));
                })+
                Self::Own(Box::new(Own::unbound(index - CARDS.len())))
            }
        }

        any_law! {
            $($Name($stem::$Name),)+
            /// A user's own; its index is that among the run's own laws, after all cards.
            Own(Box<Own>),
        }
    };
}

/// The enum, and the calls that it hands on.
macro_rules! any_law {
    ($($(#[$about:meta])* $Name:ident($Law:ty)),+ $(,)?) => {
        /// Any of the laws, without a pointer: the machine is compiled for this type.
        #[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
        pub enum AnyLaw { $($(#[$about])* $Name($Law),)+ }

        impl Law for AnyLaw {
            fn on_start(&mut self, now_s: f64, path: &Path, window: &mut Window) {
                match self { $(Self::$Name(law) => law.on_start(now_s, path, window),)+ }
            }

            #[inline]
            fn on_ack(&mut self, ack: &Ack, path: &Path, window: &mut Window) {
                match self { $(Self::$Name(law) => law.on_ack(ack, path, window),)+ }
            }

            fn on_segment_lost(&mut self, sent: &Rate, path: &Path, window: &mut Window) {
                match self { $(Self::$Name(law) => law.on_segment_lost(sent, path, window),)+ }
            }

            fn on_congestion(&mut self, event: &Congestion, path: &Path, window: &mut Window) {
                match self { $(Self::$Name(law) => law.on_congestion(event, path, window),)+ }
            }

            fn on_recovery_ack(&mut self, ack: &Ack, path: &Path, window: &mut Window) {
                match self { $(Self::$Name(law) => law.on_recovery_ack(ack, path, window),)+ }
            }

            fn on_recovered(&mut self, now_s: f64, path: &Path, window: &mut Window) {
                match self { $(Self::$Name(law) => law.on_recovered(now_s, path, window),)+ }
            }

            fn keeps_window(&self) -> bool {
                match self { $(Self::$Name(law) => law.keeps_window(),)+ }
            }

            fn echo(&self) -> Echo {
                match self { $(Self::$Name(law) => law.echo(),)+ }
            }

            fn wants_rate(&self) -> bool {
                match self { $(Self::$Name(law) => law.wants_rate(),)+ }
            }

            fn gauge(&self) -> Option<(&'static str, f64)> {
                match self { $(Self::$Name(law) => law.gauge(),)+ }
            }
        }
    };
}

use headgate_model::control::{Ack, Congestion, Echo, Law, Path, Rate, Registry, Window};
use headgate_model::params::Card;

use crate::own::Own;

laws! {
    bbr => Bbr,
    bbr3 => Bbr3,
    bic => Bic,
    ctcp => Ctcp,
    cubic => Cubic,
    dctcp => Dctcp,
    fast => Fast,
    fast_at => FastAt,
    hstcp => Hstcp,
    htcp => Htcp,
    illinois => Illinois,
    ledbat => Ledbat,
    reno => Reno,
    scalable => Scalable,
    vegas => Vegas,
    westwood => Westwood,
    yeah => Yeah,
}
