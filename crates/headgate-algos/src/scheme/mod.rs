//! Schemes whose routers speak: what packets say to them, the router, and the sender. One file and one
//! word here for each.

/// Declares the modules and the registry from one sorted list of file stems. Each file has the modules
/// `sender` and `router`, each with `CARD`, `Params` and a type of that name, and `fold`.
macro_rules! schemes {
    ($($stem:ident => $Name:ident),+ $(,)?) => {
        $(pub mod $stem;)+

        /// Cards of the senders.
        pub const SENDERS: &[&Card] = &[$(&$stem::sender::CARD,)+];
        const ROUTERS: &[&Card] = &[$(&$stem::router::CARD,)+];

        /// The number of each scheme.
        #[derive(Clone, Copy)]
        enum Index { $($Name,)+ }

        /// The sender of any scheme.
        #[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
        pub enum AnySender { $($Name($stem::sender::Sender),)+ }

        /// The router of any scheme.
        #[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
        pub enum AnyRouter { $($Name($stem::router::Router),)+ }

        impl AnySender {
            pub fn build(index: usize, values: &[f64]) -> Self {
                $(if index == Index::$Name as usize {
                    let params = $stem::sender::Params::from_values(values);
                    return Self::$Name($stem::sender::Sender::new(params));
                })+
                unreachable!("a scheme beyond the cards")
            }
        }

        impl Law for AnySender {
            fn on_start(&mut self, now_s: f64, path: &Path, window: &mut Window) {
                match self { $(Self::$Name(law) => law.on_start(now_s, path, window),)+ }
            }

            fn on_ack(&mut self, ack: &Ack, path: &Path, window: &mut Window) {
                match self { $(Self::$Name(law) => law.on_ack(ack, path, window),)+ }
            }

            fn on_recovery_ack(&mut self, ack: &Ack, path: &Path, window: &mut Window) {
                match self { $(Self::$Name(law) => law.on_recovery_ack(ack, path, window),)+ }
            }

            fn on_congestion(&mut self, event: &Congestion, path: &Path, window: &mut Window) {
                match self { $(Self::$Name(law) => law.on_congestion(event, path, window),)+ }
            }

            fn on_recovered(&mut self, now_s: f64, path: &Path, window: &mut Window) {
                match self { $(Self::$Name(law) => law.on_recovered(now_s, path, window),)+ }
            }

            fn keeps_window(&self) -> bool {
                match self { $(Self::$Name(law) => law.keeps_window(),)+ }
            }

            fn scheme(&self) -> Option<u8> {
                Some(match self { $(Self::$Name(_) => Index::$Name as u8,)+ })
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

        impl Feedback for AnyRouter {
            fn on_arrival(&mut self, packet: &Passing, label: Option<&Words>, port: &Backlog) {
                match self { $(Self::$Name(router) => router.on_arrival(packet, label, port),)+ }
            }

            fn on_departure(&mut self, packet: &Passing, label: Option<&mut Words>, port: &Backlog) {
                match self { $(Self::$Name(router) => router.on_departure(packet, label, port),)+ }
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
use headgate_model::control::{Ack, Congestion, Law, Path, Window};
use headgate_model::feedback::{Feedback, Passing, Routers, Words};
use headgate_model::params::Card;
use headgate_model::queue::Backlog;
use headgate_model::units::Time;

schemes! {
    rcp => Rcp,
    vcp => Vcp,
    xcp => Xcp,
}
