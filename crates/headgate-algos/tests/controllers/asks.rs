//! Requirements of algorithms on the transport, and their gauges.

use headgate_algos::control::AnyController;
use headgate_algos::queue::AnyQueue;
use headgate_algos::scheme::AnyRouter;
use headgate_model::chance::Stream;
use headgate_model::control::{Controller, ControllerRegistry, Echo};
use headgate_model::feedback::{Feedback, Routers};
use headgate_model::params::Card;
use headgate_model::queue::{Discipline, Queues};

use crate::drive::{controller, defaults};

/// Whether an algorithm controls the window during recovery, whether it needs delivery rates, how marks are
/// echoed to it, and the name of its gauge.
type Asks = (bool, bool, Echo, Option<&'static str>);

const fn gauge(name: &'static str) -> Asks {
    (false, false, Echo::None, Some(name))
}

const PLAIN: Asks = (false, false, Echo::None, None);

/// The inputs that the rules of each algorithm require. Only the other suites test an algorithm that is not
/// in this list.
const ASKS: &[(&str, Asks)] = &[
    ("bbr", (true, true, Echo::None, Some("bandwidth"))),
    ("bbr3", (true, true, Echo::None, Some("bandwidth"))),
    ("bic", gauge("w_max")),
    ("constant", (true, false, Echo::None, Some("rtt_s"))),
    ("copa", (true, false, Echo::None, Some("delta"))),
    ("ctcp", gauge("dwnd")),
    ("cubic", gauge("w_max")),
    ("dctcp", (false, false, Echo::Accurate, Some("alpha"))),
    ("fast", PLAIN),
    ("fast-at", gauge("alpha")),
    ("hstcp", PLAIN),
    ("htcp", gauge("beta")),
    ("illinois", gauge("alpha")),
    ("ledbat", PLAIN),
    ("ledbat-pp", gauge("gain")),
    ("prague", (true, false, Echo::Accurate, Some("alpha"))),
    ("rcp", PLAIN),
    ("reno", PLAIN),
    ("scalable", PLAIN),
    ("vcp", PLAIN),
    ("vegas", PLAIN),
    ("vivace", (true, true, Echo::None, Some("rate"))),
    ("westwood", gauge("bandwidth")),
    ("xcp", PLAIN),
    ("yeah", PLAIN),
];

/// The gauges of disciplines and routers, in the same way.
const QUEUE_GAUGES: &[(&str, Option<&str>)] = &[
    ("ack-priority", Some("ACKs")),
    ("ared", Some("max_p")),
    ("cnq-codel-af", Some("active flows")),
    ("codel", Some("drops in a row")),
    ("dualpi2", Some("probability")),
    ("fq-codel", Some("busy queues")),
    ("fq-pie", Some("busy queues")),
    ("pi", Some("probability")),
    ("pie", Some("probability")),
    ("ps", Some("busy flows")),
    ("red", Some("mean queue")),
    ("threshold", None),
];
const ROUTER_GAUGES: &[(&str, &str)] = &[("rcp", "rate"), ("vcp", "load"), ("xcp", "change")];

/// The algorithms that do not slow down for congestion marks.
const IGNORE_MARKS: [&str; 3] = ["bbr", "constant", "vivace"];

#[test]
fn algorithms_answer_marks_unless_their_sources_ignore_them() {
    for (name, _) in ASKS {
        assert_eq!(controller(name, &[]).answers_marks(), !IGNORE_MARKS.contains(name), "{name}");
    }
    assert!(!controller("copa", &[("competes", 1.0)]).answers_marks()); // "no"
}

#[test]
fn algorithms_require_what_their_rules_need() {
    for (name, expected) in ASKS {
        let controller = controller(name, &[]);
        let gauge = controller.gauge().map(|(name, _)| name);
        let asked =
            (controller.controls_cwnd_in_recovery(), controller.wants_rate(), controller.echo(), gauge);
        assert_eq!(asked, *expected, "{name}");
    }
}

fn position(cards: &[&Card], name: &str) -> usize {
    cards.iter().position(|card| card.name == name).expect("a registered name")
}

#[test]
fn disciplines_and_routers_show_what_they_decide_by() {
    for (name, expected) in QUEUE_GAUGES {
        let index = position(AnyQueue::cards(), name);
        let queue = AnyQueue::build(index, &defaults(AnyQueue::cards()[index]), 1e6);
        assert_eq!(queue.gauge().map(|(name, _)| name), *expected, "{name}");
    }
    for (name, expected) in ROUTER_GAUGES {
        let index = position(AnyRouter::cards(), name);
        let values = defaults(AnyRouter::cards()[index]);
        let router = AnyRouter::build(index, &values, 1e6, Stream::new(1, "router", 0));
        assert_eq!(router.gauge().map(|(name, _)| name), Some(*expected), "{name}");
    }
}

#[test]
fn every_gauge_of_the_registries_has_a_name() {
    let controllers = AnyController::cards().iter().map(|card| controller(card.name, &[]).gauge());
    let queues = AnyQueue::cards()
        .iter()
        .enumerate()
        .map(|(index, card)| AnyQueue::build(index, &defaults(card), 1e6).gauge());
    assert!(controllers.chain(queues).flatten().all(|(name, _)| !name.is_empty()));
}

#[test]
fn a_sender_speaks_to_the_routers_of_its_scheme() {
    let router = |index, card| AnyRouter::build(index, &defaults(card), 1e6, Stream::new(1, "router", 0));
    for controller in AnyController::cards() {
        let place = AnyRouter::cards().iter().position(|card| card.name == controller.name);
        let scheme = place.map(|index| router(index, AnyRouter::cards()[index]).scheme());
        assert_eq!(crate::drive::controller(controller.name, &[]).scheme(), scheme, "{}", controller.name);
    }
}
