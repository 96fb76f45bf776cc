//! Rate controllers of real-time media. Each is one file and one line here.

/// Declares the modules and the registry from one sorted list of file stems.
macro_rules! rate_controllers {
    ($($stem:ident => $Name:ident),+ $(,)?) => {
        $(pub mod $stem;)+

        const CARDS: &[&Card] = &[$(&$stem::CARD,)+];

        #[derive(Clone, Copy)]
        enum Index { $($Name,)+ }

        /// Any of the rate controllers, without indirection. Their sizes differ, but streams are few.
        #[allow(clippy::large_enum_variant)]
        #[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
        pub enum AnyRateController {
            $(#[doc = concat!("[`", stringify!($stem), "`]")] $Name($stem::$Name),)+
        }

        impl RateControllers for AnyRateController {
            fn cards() -> &'static [&'static Card] {
                CARDS
            }

            fn build(index: usize, values: &[f64]) -> Self {
                $(if index == Index::$Name as usize {
                    return Self::$Name($stem::$Name::new($stem::Params::from_values(values)));
                })+
                unreachable!("a rate controller beyond the cards")
            }
        }

        #[deny(clippy::missing_trait_methods)]
        impl RateController for AnyRateController {
            fn on_start(&mut self, stream: &MediaStream, now_s: f64, rates: &mut Rates) {
                match self { $(Self::$Name(controller) => controller.on_start(stream, now_s, rates),)+ }
            }

            fn on_frame(&mut self, frame: &Frame, rates: &mut Rates) {
                match self { $(Self::$Name(controller) => controller.on_frame(frame, rates),)+ }
            }

            fn on_send(&mut self, packet: &SentPacket, rates: &mut Rates) {
                match self { $(Self::$Name(controller) => controller.on_send(packet, rates),)+ }
            }

            fn on_feedback(&mut self, feedback: &Feedback, rates: &mut Rates) {
                match self { $(Self::$Name(controller) => controller.on_feedback(feedback, rates),)+ }
            }

            fn on_silence(&mut self, sender: &SenderQueue, rates: &mut Rates) {
                match self { $(Self::$Name(controller) => controller.on_silence(sender, rates),)+ }
            }

            fn codepoint(&self) -> Ecn {
                match self { $(Self::$Name(controller) => controller.codepoint(),)+ }
            }

            fn gauge(&self) -> Option<(&'static str, f64)> {
                match self { $(Self::$Name(controller) => controller.gauge(),)+ }
            }
        }
    };
}

use headgate_model::ecn::Ecn;
use headgate_model::media::{
    Feedback, Frame, MediaStream, RateController, RateControllers, Rates, SenderQueue, SentPacket,
};
use headgate_model::params::Card;

rate_controllers! {
    fixed_rate => FixedRate,
    gcc => Gcc,
    scream => Scream,
}
