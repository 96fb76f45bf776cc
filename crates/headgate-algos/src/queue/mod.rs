//! Queue disciplines. Each is one file and one line here.

/// Declares the modules and the registry from one sorted list of file stems.
macro_rules! queues {
    ($($stem:ident => $Name:ident),+ $(,)?) => {
        $(pub mod $stem;)+

        const CARDS: &[&Card] = &[$(&$stem::CARD,)+];

        #[derive(Clone, Copy)]
        enum Index { $($Name,)+ }

        /// Any of the disciplines, without indirection.
        #[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
        pub enum AnyQueue {
            $(#[doc = concat!("[`", stringify!($stem), "`]")] $Name($stem::$Name),)+
            /// A user-defined discipline. Its index among the run's user-defined disciplines follows those of
            /// all cards.
            Plugin(Box<PluginQueue>),
        }

        impl Queues for AnyQueue {
            fn cards() -> &'static [&'static Card] {
                CARDS
            }

            fn build(index: usize, values: &[f64], rate_bytes_s: f64) -> Self {
                $(if index == Index::$Name as usize {
                    return Self::$Name($stem::$Name::new($stem::Params::from_values(values), rate_bytes_s));
                })+
                Self::Plugin(Box::new(PluginQueue::unbound(index - CARDS.len(), values)))
            }
        }

        forward_to_variants!($($Name,)+ Plugin);
    };
}

/// Implements `Discipline` for the enum by forwarding each call to the variant. A method that is not
/// forwarded would silently do the default; the lint rejects it.
macro_rules! forward_to_variants {
    ($($Name:ident),+) => {
        #[deny(clippy::missing_trait_methods)]
        impl Discipline for AnyQueue {
            #[inline]
            fn admit(&mut self, arrival: &Arrival, port: &Backlog, chance: &mut Stream) -> Verdict {
                match self { $(Self::$Name(queue) => queue.admit(arrival, port, chance),)+ }
            }

            fn next_tick(&self) -> Time {
                match self { $(Self::$Name(queue) => queue.next_tick(),)+ }
            }

            fn on_tick(&mut self, port: &Backlog) {
                match self { $(Self::$Name(queue) => queue.on_tick(port),)+ }
            }

            fn pass_idle_ticks(&mut self, until: Time, idle: &Backlog) {
                match self { $(Self::$Name(queue) => queue.pass_idle_ticks(until, idle),)+ }
            }

            #[inline]
            fn reads_headers(&self) -> bool {
                match self { $(Self::$Name(queue) => queue.reads_headers(),)+ }
            }

            fn has_dequeue(&self) -> bool {
                match self { $(Self::$Name(queue) => queue.has_dequeue(),)+ }
            }

            fn enqueue(&mut self, packet: QueuedPacket, port: &Backlog, drops: &mut Vec<u32>) {
                match self { $(Self::$Name(queue) => queue.enqueue(packet, port, drops),)+ }
            }

            fn make_room(&mut self, port: &Backlog, drops: &mut Vec<u32>) -> bool {
                match self { $(Self::$Name(queue) => queue.make_room(port, drops),)+ }
            }

            fn dequeue(
                &mut self,
                port: &Backlog,
                drops: &mut Vec<u32>,
                chance: &mut Stream,
            ) -> Option<(u32, bool)> {
                match self { $(Self::$Name(queue) => queue.dequeue(port, drops, chance),)+ }
            }

            fn not_before(&self) -> Time {
                match self { $(Self::$Name(queue) => queue.not_before(),)+ }
            }

            fn gauge(&self) -> Option<(&'static str, f64)> {
                match self { $(Self::$Name(queue) => queue.gauge(),)+ }
            }

            fn two_queues(&self) -> Option<TwoQueues> {
                match self { $(Self::$Name(queue) => queue.two_queues(),)+ }
            }
        }
    };
}

use headgate_model::chance::Stream;
use headgate_model::params::Card;
use headgate_model::queue::{Arrival, Backlog, Discipline, QueuedPacket, Queues, TwoQueues, Verdict};
use headgate_model::units::Time;

use crate::plugin::PluginQueue;

queues! {
    ack_priority => AckPriority,
    ared => Ared,
    cake => Cake,
    cnq_codel_af => CnqCodelAf,
    codel => Codel,
    dualpi2 => DualPi2,
    fq_codel => FqCodel,
    fq_pie => FqPie,
    pi => Pi,
    pie => Pie,
    ps => Ps,
    red => Red,
    threshold => Threshold,
}
