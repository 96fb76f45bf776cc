//! Schemes of router feedback: the header, the router, and the sender. Each is one file and one line here.

/// Declares the modules and the registry from one sorted list of file stems. Each file contains the function
/// `fold` and the modules `sender` and `router`, each with `CARD`, `Params` and a type of that name.
macro_rules! schemes {
    ($($stem:ident => $Name:ident),+ $(,)?) => {
        $(pub mod $stem;)+

        /// Cards of the senders.
        pub const SENDERS: &[&Card] = &[$(&$stem::sender::CARD,)+];
        const ROUTERS: &[&Card] = &[$(&$stem::router::CARD,)+];

        /// The number of each scheme, which its sender reports.
        #[derive(Clone, Copy)]
        enum Index { $($Name,)+ }

        /// The sender of any scheme.
        #[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
        pub enum AnySender {
            $(#[doc = concat!("[`", stringify!($stem), "`]")] $Name($stem::sender::Sender),)+
        }

        /// The router of any scheme.
        #[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
        pub enum AnyRouter {
            $(#[doc = concat!("[`", stringify!($stem), "`]")] $Name($stem::router::Router),)+
        }

        impl AnySender {
            /// Creates a sender by its index in [`SENDERS`]; `values` are in the order of the card's
            /// parameters.
            pub fn build(index: usize, values: &[f64]) -> Self {
                $(if index == Index::$Name as usize {
                    let params = $stem::sender::Params::from_values(values);
                    return Self::$Name($stem::sender::Sender::new(params));
                })+
                unreachable!("a scheme beyond the cards")
            }
        }

        forward_to_variants!(AnySender: $($Name),+);

        impl Routers for AnyRouter {
            fn cards() -> &'static [&'static Card] {
                ROUTERS
            }

            fn build(index: usize, values: &[f64], rate_bytes_s: f64, chance: Stream) -> Self {
                $(if index == Index::$Name as usize {
                    let params = $stem::router::Params::from_values(values);
                    return Self::$Name($stem::router::Router::new(params, rate_bytes_s, chance));
                })+
                unreachable!("a scheme beyond the cards")
            }

            fn scheme(&self) -> u8 {
                match self { $(Self::$Name(_) => Index::$Name as u8,)+ }
            }

            fn fold(scheme: u8, older: &Words, newer: &Words) -> Words {
                $(if scheme == Index::$Name as u8 {
                    return $stem::fold(older, newer);
                })+
                *newer
            }
        }

        #[deny(clippy::missing_trait_methods)]
        impl Feedback for AnyRouter {
            fn on_arrival(&mut self, packet: &PassingPacket, header: Option<&Words>, port: &Backlog) {
                match self { $(Self::$Name(router) => router.on_arrival(packet, header, port),)+ }
            }

            fn on_departure(&mut self, packet: &PassingPacket, header: Option<&mut Words>, port: &Backlog) {
                match self { $(Self::$Name(router) => router.on_departure(packet, header, port),)+ }
            }

            fn next_tick(&self) -> Time {
                match self { $(Self::$Name(router) => router.next_tick(),)+ }
            }

            fn on_tick(&mut self, port: &Backlog) {
                match self { $(Self::$Name(router) => router.on_tick(port),)+ }
            }

            fn gauge(&self) -> Option<(&'static str, f64)> {
                match self { $(Self::$Name(router) => router.gauge(),)+ }
            }
        }
    };
}

use headgate_model::chance::Stream;
use headgate_model::feedback::{Feedback, PassingPacket, Routers, Words};
use headgate_model::params::Card;
use headgate_model::queue::Backlog;
use headgate_model::units::Time;

use crate::forward::forward_to_variants;

schemes! {
    rcp => Rcp,
    vcp => Vcp,
    xcp => Xcp,
}
