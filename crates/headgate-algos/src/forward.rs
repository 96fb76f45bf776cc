//! Enums of algorithms that implement `Controller`. A method that is not forwarded would silently do the
//! default; the lint rejects it.

/// Implements `Controller` for an enum by forwarding each call to the variant.
macro_rules! forward_to_variants {
    ($Any:ident: $($Name:ident),+) => {
        const _: () = {
            use headgate_model::control::{Ack, Congestion, Echo, Controller, Path, Rate, Restart, Window};
            use headgate_model::ecn::Ecn;
            use headgate_model::feedback::Words;

            #[deny(clippy::missing_trait_methods)]
            impl Controller for $Any {
                fn on_feedback(&mut self, granted: Echo) {
                    match self { $(Self::$Name(controller) => controller.on_feedback(granted),)+ }
                }

                fn on_quic(&mut self) {
                    match self { $(Self::$Name(controller) => controller.on_quic(),)+ }
                }

                fn on_start(&mut self, now_s: f64, path: &Path, window: &mut Window) {
                    match self { $(Self::$Name(controller) => controller.on_start(now_s, path, window),)+ }
                }

                #[inline]
                fn on_ack(&mut self, ack: &Ack, path: &Path, window: &mut Window) {
                    match self { $(Self::$Name(controller) => controller.on_ack(ack, path, window),)+ }
                }

                fn on_segment_lost(&mut self, sent: &Rate, path: &Path, window: &mut Window) {
                    match self { $(Self::$Name(controller) => controller.on_segment_lost(sent, path, window),)+ }
                }

                fn on_congestion(&mut self, event: &Congestion, path: &Path, window: &mut Window) {
                    match self { $(Self::$Name(controller) => controller.on_congestion(event, path, window),)+ }
                }

                fn on_recovery_ack(&mut self, ack: &Ack, path: &Path, window: &mut Window) {
                    match self { $(Self::$Name(controller) => controller.on_recovery_ack(ack, path, window),)+ }
                }

                fn on_recovered(&mut self, now_s: f64, path: &Path, window: &mut Window) {
                    match self { $(Self::$Name(controller) => controller.on_recovered(now_s, path, window),)+ }
                }

                fn on_undo(&mut self, before: f64, path: &Path, window: &mut Window) {
                    match self { $(Self::$Name(controller) => controller.on_undo(before, path, window),)+ }
                }

                fn on_restart(&mut self, restart: &Restart, path: &Path, window: &mut Window) {
                    match self { $(Self::$Name(controller) => controller.on_restart(restart, path, window),)+ }
                }

                fn controls_cwnd_in_recovery(&self) -> bool {
                    match self { $(Self::$Name(controller) => controller.controls_cwnd_in_recovery(),)+ }
                }

                fn echo(&self) -> Echo {
                    match self { $(Self::$Name(controller) => controller.echo(),)+ }
                }

                fn answers_marks(&self) -> bool {
                    match self { $(Self::$Name(controller) => controller.answers_marks(),)+ }
                }

                fn codepoint(&self) -> Ecn {
                    match self { $(Self::$Name(controller) => controller.codepoint(),)+ }
                }

                fn wants_rate(&self) -> bool {
                    match self { $(Self::$Name(controller) => controller.wants_rate(),)+ }
                }

                fn scheme(&self) -> Option<u8> {
                    match self { $(Self::$Name(controller) => controller.scheme(),)+ }
                }

                fn header(&mut self, path: &Path, window: &Window) -> Words {
                    match self { $(Self::$Name(controller) => controller.header(path, window),)+ }
                }

                fn on_header(&mut self, header: &Words, now_s: f64, path: &Path, window: &mut Window) {
                    match self { $(Self::$Name(controller) => controller.on_header(header, now_s, path, window),)+ }
                }

                fn gauge(&self) -> Option<(&'static str, f64)> {
                    match self { $(Self::$Name(controller) => controller.gauge(),)+ }
                }
            }
        };
    };
}
pub(crate) use forward_to_variants;
