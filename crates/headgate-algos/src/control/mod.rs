//! Congestion-control laws: one file and one word here for each.

/// Declares the modules and the registry from one sorted list of file stems.
macro_rules! laws {
    ($($stem:ident => $Name:ident),+ $(,)?) => {
        $(pub mod $stem;)+

        const CARDS: &[&Card] = &[$(&$stem::CARD,)+];

        #[derive(Clone, Copy)]
        enum Index { $($Name,)+ }

        fn build_law(index: usize, values: &[f64]) -> AnyLaw {
            $(if index == Index::$Name as usize {
                return AnyLaw::$Name($stem::$Name::new($stem::Params::from_values(values)));
            })+
            unreachable!("not a law of this folder")
        }

        /// Any of the laws, without a pointer: the machine is compiled for this type.
        #[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
        pub enum AnyLaw {
            $($Name($stem::$Name),)+
            /// The sender of a scheme whose routers speak.
            Scheme(AnySender),
            /// A user's own; its index is that among the run's own laws, after all cards.
            Own(Box<Own>),
        }

        hand_on!(AnyLaw: $($Name,)+ Scheme, Own);
    };
}

/// An enum of laws is a law: each call goes to the one that it is.
macro_rules! hand_on {
    ($Any:ident: $($Name:ident),+) => {
        impl Law for $Any {
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

            fn scheme(&self) -> Option<u8> {
                match self { $(Self::$Name(law) => law.scheme(),)+ }
            }

            fn label(&mut self, path: &Path, window: &Window) -> Words {
                match self { $(Self::$Name(law) => law.label(path, window),)+ }
            }

            fn on_label(&mut self, label: &Words, now_s: f64, path: &Path, window: &mut Window) {
                match self { $(Self::$Name(law) => law.on_label(label, now_s, path, window),)+ }
            }

            fn gauge(&self) -> Option<(&'static str, f64)> {
                match self { $(Self::$Name(law) => law.gauge(),)+ }
            }
        }
    };
}
pub(crate) use hand_on;

use headgate_model::control::{Ack, Congestion, Echo, Law, Path, Rate, Registry, Window};
use headgate_model::feedback::Words;
use headgate_model::params::Card;
use std::sync::LazyLock;

use crate::own::Own;
use crate::queue::AnyQueue;
use crate::scheme::{self, AnyRouter, AnySender};

/// Cards of the laws of this folder and of the schemes' senders, by name.
static ALL: LazyLock<Vec<&'static Card>> = LazyLock::new(|| {
    let mut all: Vec<_> = CARDS.iter().chain(scheme::SENDERS).copied().collect();
    all.sort_by_key(|card| card.name);
    all
});

impl Registry for AnyLaw {
    type Queue = AnyQueue;
    type Router = AnyRouter;

    fn cards() -> &'static [&'static Card] {
        &ALL
    }

    fn build(index: usize, values: &[f64]) -> Self {
        let Some(card) = ALL.get(index) else { return Self::Own(Box::new(Own::unbound(index - ALL.len()))) };
        let is_it = |other: &&Card| other.name == card.name;
        match CARDS.iter().position(is_it) {
            Some(at) => build_law(at, values),
            None => {
                let at = scheme::SENDERS.iter().position(is_it).expect("one of the two lists");
                Self::Scheme(AnySender::build(at, values))
            }
        }
    }
}

laws! {
    bbr => Bbr,
    bbr3 => Bbr3,
    bic => Bic,
    constant => Constant,
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
