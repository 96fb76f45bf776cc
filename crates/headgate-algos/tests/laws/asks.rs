//! What laws ask of the transport, and what they show.

use headgate_algos::control::AnyController;
use headgate_algos::queue::AnyQueue;
use headgate_algos::scheme::AnyRouter;
use headgate_model::chance::Stream;
use headgate_model::control::{Controller, ControllerRegistry, Echo};
use headgate_model::feedback::{Feedback, Routers};
use headgate_model::queue::{Discipline, Queues};

use crate::drive::{defaults, law};

/// Whether it sets the window during a repair too, whether it needs rates, how marks are to come back; and
/// the name of what it shows.
type Asks = (bool, bool, Echo, Option<&'static str>);

fn asks(name: &str) -> Asks {
    let plain = |shows| (false, false, Echo::None, Some(shows));
    match name {
        "bbr" | "bbr3" => (true, true, Echo::None, Some("bandwidth")),
        "bic" | "cubic" => plain("w_max"),
        "constant" => (true, false, Echo::None, Some("rtt_s")),
        "ctcp" => plain("dwnd"),
        "dctcp" => (false, false, Echo::Accurate, Some("alpha")),
        "fast-at" | "illinois" => plain("alpha"),
        "htcp" => plain("beta"),
        "westwood" => plain("bandwidth"),
        _ => (false, false, Echo::None, None),
    }
}

#[test]
fn laws_ask_for_what_their_rules_need() {
    for card in AnyController::cards() {
        let law = law(card.name, &[]);
        let asked = (
            law.controls_cwnd_in_recovery(),
            law.wants_rate(),
            law.echo(),
            law.gauge().map(|(name, _)| name),
        );
        assert_eq!(asked, asks(card.name), "{}", card.name);
    }
}

#[test]
fn disciplines_and_routers_show_what_they_decide_by() {
    let queues = AnyQueue::cards().iter().enumerate().map(|(index, card)| {
        let queue = AnyQueue::build(index, &defaults(card), 1e6);
        (card.name, queue.gauge().map(|(name, _)| name))
    });
    let routers = AnyRouter::cards().iter().enumerate().map(|(index, card)| {
        let router = AnyRouter::build(index, &defaults(card), 1e6, Stream::new(1, "router", 0));
        (card.name, router.gauge().map(|(name, _)| name))
    });
    let shown = [
        ("ack-priority", Some("ACKs")),
        ("ared", Some("max_p")),
        ("codel", Some("drops in a row")),
        ("fq-codel", Some("busy queues")),
        ("pi", Some("probability")),
        ("pie", Some("probability")),
        ("ps", Some("busy flows")),
        ("red", Some("mean queue")),
        ("threshold", None),
        ("rcp", Some("rate")),
        ("vcp", Some("load")),
        ("xcp", Some("change")),
    ];
    assert_eq!(queues.chain(routers).collect::<Vec<_>>(), shown);
}

#[test]
fn a_sender_speaks_to_the_routers_of_its_scheme() {
    let router = |index, card| AnyRouter::build(index, &defaults(card), 1e6, Stream::new(1, "router", 0));
    for law in AnyController::cards() {
        let place = AnyRouter::cards().iter().position(|card| card.name == law.name);
        let scheme = place.map(|index| router(index, AnyRouter::cards()[index]).scheme());
        assert_eq!(crate::drive::law(law.name, &[]).scheme(), scheme, "{}", law.name);
    }
}
