//! Impairments of links. Each is one file and one line here.

/// Declares the modules and the registry from one sorted list of file stems.
macro_rules! impairments {
    ($($stem:ident => $Name:ident),+ $(,)?) => {
        $(pub mod $stem;)+

        const CARDS: &[&Card] = &[$(&$stem::CARD,)+];

        #[derive(Clone, Copy)]
        enum Index { $($Name,)+ }

        /// Any of the impairments, without indirection.
        #[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
        pub enum AnyImpairment {
            $(#[doc = concat!("[`", stringify!($stem), "`]")] $Name($stem::$Name),)+
        }

        impl Impairments for AnyImpairment {
            fn cards() -> &'static [&'static Card] {
                CARDS
            }

            fn build(index: usize, values: &[f64]) -> Self {
                $(if index == Index::$Name as usize {
                    return Self::$Name($stem::$Name::new($stem::Params::from_values(values)));
                })+
                unreachable!("an impairment beyond the cards")
            }

            fn acts_at_once(index: usize) -> bool {
                [$($stem::$Name::ACTS_AT_ONCE,)+][index]
            }
        }

        impl Impairment for AnyImpairment {
            fn pass(&mut self, packet: &PassingPacket, now: Time, chance: &mut Stream) -> Option<Passage> {
                match self { $(Self::$Name(impairment) => impairment.pass(packet, now, chance),)+ }
            }
        }
    };
}

use headgate_model::chance::Stream;
use headgate_model::feedback::PassingPacket;
use headgate_model::impairment::{Impairment, Impairments, Passage};
use headgate_model::params::Card;
use headgate_model::units::Time;

impairments! {
    bernoulli => Bernoulli,
    duplicate => Duplicate,
    ecn_bleach => EcnBleach,
    ecn_mangle => EcnMangle,
    gilbert_elliott => GilbertElliott,
    jitter => Jitter,
    policer => Policer,
    reorder => Reorder,
}
