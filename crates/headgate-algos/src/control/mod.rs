//! Congestion control algorithms. Each is one file and one line here.

/// Declares the modules and the registry from one sorted list of file stems.
macro_rules! controllers {
    ($($stem:ident => $Name:ident),+ $(,)?) => {
        $(pub mod $stem;)+

        const CARDS: &[&Card] = &[$(&$stem::CARD,)+];

        #[derive(Clone, Copy)]
        enum Index { $($Name,)+ }

        fn build_controller(index: usize, values: &[f64]) -> AnyController {
            $(if index == Index::$Name as usize {
                return AnyController::$Name($stem::$Name::new($stem::Params::from_values(values)));
            })+
            unreachable!("not an algorithm of this folder")
        }

        /// Any of the algorithms, without indirection. The transport is compiled for this type.
        #[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
        pub enum AnyController {
            $(#[doc = concat!("[`", stringify!($stem), "`]")] $Name($stem::$Name),)+
            /// The sender of a scheme of router feedback.
            Scheme(AnySender),
            /// An algorithm with another slow start than its own.
            Started(Box<Started<AnyController>>),
            /// A user-defined algorithm. Its index among the run's user-defined algorithms follows those of
            /// all cards.
            Plugin(Box<Plugin>),
        }

        forward_to_variants!(AnyController: $($Name,)+ Scheme, Started, Plugin);
    };
}

use headgate_model::control::ControllerRegistry;
use headgate_model::params::Card;
use std::sync::LazyLock;

use crate::forward::forward_to_variants;
use crate::impairment::AnyImpairment;
use crate::media::AnyRateController;
use crate::plugin::Plugin;
use crate::queue::AnyQueue;
use crate::scheme::{self, AnyRouter, AnySender};
use crate::slow_start::AnySlowStart;
use crate::started::Started;

/// Cards of the algorithms of this folder and of the schemes' senders, by name.
static ALL: LazyLock<Vec<&'static Card>> = LazyLock::new(|| {
    let mut all: Vec<_> = CARDS.iter().chain(scheme::SENDERS).copied().collect();
    all.sort_by_key(|card| card.name);
    all
});

impl AnyController {
    /// The user-defined algorithm, if it is one, with any slow start.
    pub fn plugin_mut(&mut self) -> Option<&mut Plugin> {
        match self {
            Self::Plugin(plugin) => Some(plugin),
            Self::Started(started) => started.controller_mut().plugin_mut(),
            _ => None,
        }
    }
}

impl ControllerRegistry for AnyController {
    type Queue = AnyQueue;
    type Router = AnyRouter;
    type Impairment = AnyImpairment;
    type Media = AnyRateController;

    fn cards() -> &'static [&'static Card] {
        &ALL
    }

    fn build(index: usize, values: &[f64]) -> Self {
        let Some(card) = ALL.get(index) else {
            return Self::Plugin(Box::new(Plugin::unbound(index - ALL.len())));
        };
        let is_it = |other: &&Card| other.name == card.name;
        match CARDS.iter().position(is_it) {
            Some(at) => build_controller(at, values),
            None => {
                let at = scheme::SENDERS.iter().position(is_it).expect("one of the two lists");
                Self::Scheme(AnySender::build(at, values))
            }
        }
    }

    fn slow_starts() -> &'static [&'static Card] {
        AnySlowStart::cards()
    }

    fn with_slow_start(self, index: usize, values: &[f64]) -> Self {
        Self::Started(Box::new(Started::new(self, AnySlowStart::build(index, values))))
    }
}

controllers! {
    bbr => Bbr,
    bbr3 => Bbr3,
    bic => Bic,
    constant => Constant,
    copa => Copa,
    ctcp => Ctcp,
    cubic => Cubic,
    dctcp => Dctcp,
    fast => Fast,
    fast_at => FastAt,
    hstcp => Hstcp,
    htcp => Htcp,
    illinois => Illinois,
    ledbat => Ledbat,
    ledbat_pp => LedbatPp,
    prague => Prague,
    reno => Reno,
    scalable => Scalable,
    vegas => Vegas,
    vivace => Vivace,
    westwood => Westwood,
    yeah => Yeah,
}
