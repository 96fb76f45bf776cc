//! Models of routers that compute the rates of flows: their equilibria, fairness and oscillations.

mod common;

use common::{
    ADAPTIVE, Case, Chance, EXACT, assert_near, flows, index, large, levels, max_min, network, parking_lot,
    wire,
};
use headgate_fluid::network::{Flows, Network, Wire};
use headgate_fluid::solve::Method;
use headgate_fluid::summary::OutputColumns;

/// Gains with a phase margin (XCP's own, of `alpha` and `alpha^2 2^0.5`), with which both settle.
const STABLE: [(&str, f64); 2] = [("alpha", 0.4), ("beta", 0.226)];

fn three_round_trips() -> Network {
    let classes = vec![flows(5.0, 0.04, &[0]), flows(3.0, 0.1, &[0]), flows(2.0, 0.25, &[0])];
    network(classes, vec![wire(2000.0)])
}

/// One link, round trips of 40, 100 and 250 ms: each flow has C/N, the link is full, the queue is at its
/// target.
#[test]
fn on_one_link_all_flows_have_the_same_rate_and_the_queue_its_target() {
    for controller in ["rcp", "xcp"] {
        let changes = [&STABLE[..], &[("target_packets", 80.0)]].concat();
        let rest = Case::of(controller, &changes, &three_round_trips()).rest(&EXACT, 600.0);
        for rate in &rest.rates {
            assert_near(*rate, 200.0, 1e-6);
        }
        assert_near(rest.queues[0], 80.0, 1e-6);
        assert_near(rest.arrivals[0], 2000.0, 1e-6);
    }
}

/// The algorithms as published: no target of the queue.
#[test]
fn without_a_target_there_is_no_queue_at_rest() {
    for controller in ["rcp", "xcp"] {
        let rest = Case::of(controller, &STABLE, &three_round_trips()).rest(&EXACT, 600.0);
        for rate in &rest.rates {
            assert_near(*rate, 200.0, 1e-6);
        }
        assert!(rest.queues[0] < 1e-3, "{controller}: {:?}", rest.queues);
    }
}

/// With a target utilisation of 0.9 that is what arrives.
#[test]
fn rcp_rests_at_its_share_of_the_line() {
    let changes = [&STABLE[..], &[("gamma", 0.9)]].concat();
    let rest = Case::of("rcp", &changes, &three_round_trips()).rest(&EXACT, 600.0);
    assert_near(rest.rates[0], 180.0, 1e-6);
    assert_eq!(rest.queues[0], 0.0);
}

/// Prices of 3, 2 and 1 for 5, 3 and 2 flows: 2000 (3, 2, 1)/23.
#[test]
fn xcp_shares_by_prices() {
    let price = |class: Flows, price: f64| Flows { set: vec![(index("xcp", "price"), price)], ..class };
    let Network { classes, links, .. } = three_round_trips();
    let classes = classes.into_iter().zip([3.0, 2.0, 1.0]).map(|(class, own)| price(class, own)).collect();
    let rest = Case::of("xcp", &STABLE, &network(classes, links)).rest(&EXACT, 600.0);
    for (rate, price) in rest.rates.iter().zip([3.0, 2.0, 1.0]) {
        assert_near(*rate, 2000.0 * price / 23.0, 1e-6);
    }
}

/// Compares RCP's equilibrium with water-filling: parking lots of links of different rates, and a network of
/// 30 classes over 8 links.
#[test]
fn rcp_is_max_min_fair() {
    for net in [parking_lot(2), parking_lot(3), parking_lot(5), large(30, 8)] {
        let expected = max_min(&net, |link, _level| net.links[link].rate_packets_s);
        assert!(levels(&expected) >= 2 && (net.classes.len() < 30 || levels(&expected) >= 4));
        let rest = Case::of("rcp", &STABLE, &net).rest(&EXACT, 600.0);
        for (rate, expected) in rest.rates.iter().zip(&expected) {
            assert_near(*rate, *expected, 1e-6);
        }
    }
}

/// The total that a link of XCP carries in equilibrium if the flows that it limits send at the rate `level`.
/// With N flows and arrivals y below C: its offer to them is 0, (F + h)/N = level h/y with h = gamma y/d - F
/// and F = alpha (C - y)/d, so gamma y^2 - N level ((gamma + alpha) y - alpha C) = 0, and the lower root; at
/// level = C/N it is C, at any level more than alpha C/(alpha + gamma).
fn xcp_takes(net: &Network, link: usize, level: f64) -> f64 {
    let passing = net.classes.iter().filter(|class| class.path.contains(&link));
    let (rate, all) = (net.links[link].rate_packets_s, passing.map(|class| class.flows).sum::<f64>());
    let (gamma, alpha, sum) = (0.1, 0.4, (all * level).max(rate));
    let half = sum * (gamma + alpha) / 2.0;
    (half - (half * half - gamma * sum * alpha * rate).sqrt()) / gamma
}

/// The same water-filling with what links carry (Low, Andrew, Wydrowski 2005): not max-min fair for their
/// rates, but never below 80 % of any that limits a flow, alpha/(alpha + gamma).
#[test]
fn xcp_is_max_min_fair_for_what_links_take() {
    for net in [parking_lot(2), parking_lot(3), parking_lot(5), large(30, 8)] {
        let expected = max_min(&net, |link, level| xcp_takes(&net, link, level));
        let ideal = max_min(&net, |link, _level| net.links[link].rate_packets_s);
        let changes = [&STABLE[..], &[("least", 1e-3)]].concat();
        let rest = Case::of("xcp", &changes, &net).rest(&EXACT, 900.0);
        for (class, rate) in rest.rates.iter().enumerate() {
            assert_near(*rate, expected[class], 1e-6);
        }
        let apart = rest.rates.iter().zip(&ideal).map(|(rate, ideal)| (rate / ideal - 1.0).abs());
        assert!(apart.fold(0.0, f64::max) > 0.01, "not max-min fair: the flows over many links have less");
    }
}

/// Initial rates and windows far below and far above the equilibrium.
#[test]
fn from_any_start_they_come_to_the_same_rates() {
    for start in [1e-6, 1e-3, 0.1, 1.0] {
        let changes = [&STABLE[..], &[("start", start)]].concat();
        let rest = Case::of("rcp", &changes, &three_round_trips()).rest(&EXACT, 900.0);
        rest.rates.iter().for_each(|rate| assert_near(*rate, 200.0, 1e-6));
    }
    for windows in [[1.0, 1.0, 1.0], [1.0, 100.0, 1e4], [1e3, 1.0, 1.0], [1e-3, 500.0, 1e-3]] {
        let Network { mut classes, links, .. } = three_round_trips();
        for (class, window) in classes.iter_mut().zip(windows) {
            class.set = vec![(index("xcp", "initial_window"), window)];
        }
        let rest = Case::of("xcp", &STABLE, &network(classes, links)).rest(&EXACT, 900.0);
        rest.rates.iter().for_each(|rate| assert_near(*rate, 200.0, 1e-6));
    }
}

/// G(s) = (alpha s + beta) e^-s/s^2 in units of d crosses at w = ((alpha^2 + (alpha^4 + 4
/// beta^2)^0.5)/2)^0.5, and is stable if w < atan(alpha w/beta): with alpha = 0.4 up to beta = 0.3412. A
/// tenth on either side, with a queue that never empties, a small deviation from equilibrium decays, or
/// grows.
#[test]
fn with_a_queue_that_never_empties_they_circle_from_where_linear_theory_says() {
    for (controller, start) in [("rcp", ("start", 0.101)), ("xcp", ("initial_window", 20.2))] {
        let swings = |beta: f64| {
            let net = network(vec![flows(10.0, 0.1, &[0])], vec![wire(2000.0)]);
            let changes = [("alpha", 0.4), ("beta", beta), ("target_packets", 1e4), start];
            let shown = Case::of(controller, &changes, &net).queued(1e4).run(&EXACT, 20.0, 0.05);
            let swing = |rows: std::ops::Range<usize>| {
                let rates = &shown.classes[0][2][rows];
                rates.iter().fold(0.0_f64, |most, rate| most.max((rate / 200.0 - 1.0).abs()))
            };
            swing(300..400) / swing(100..200)
        };
        assert!(swings(0.9 * 0.3412) < 0.8, "{controller}: {}", swings(0.9 * 0.3412));
        assert!(swings(1.1 * 0.3412) > 1.25, "{controller}: {}", swings(1.1 * 0.3412));
    }
}

#[test]
fn a_class_in_two_halves_is_the_same_class() {
    for controller in ["rcp", "vcp", "xcp"] {
        let of = |parts: &[f64]| {
            let mut classes: Vec<Flows> = parts.iter().map(|part| flows(*part, 0.1, &[0])).collect();
            classes.push(flows(3.0, 0.05, &[0]));
            Case::of(controller, &[], &network(classes, vec![wire(1000.0)])).run(&EXACT, 20.0, 0.1)
        };
        let (whole, halves) = (of(&[4.0]), of(&[2.0, 2.0]));
        for (row, rate) in whole.classes[0][2].iter().enumerate() {
            assert_near(halves.classes[1][2][row], *rate, 1e-5);
        }
    }
}

/// Random networks, with gains that settle and gains that oscillate; columns are sampled every 50 ms.
#[test]
fn whatever_the_network_queues_stay_in_their_buffers_and_rates_are_finite() {
    for seed in 0..40 {
        for (controller, names) in
            [("rcp", ["alpha", "beta"]), ("vcp", ["k", "kappa"]), ("xcp", ["alpha", "beta"])]
        {
            let mut chance = Chance::new(seed);
            let changes = names.map(|name| (name, chance.between(0.01, 2.0)));
            let net = chance.network();
            stays_within(&net, &Case::of(controller, &changes, &net).run(&ADAPTIVE, 5.0, 0.05));
        }
    }
}

fn stays_within(net: &Network, shown: &OutputColumns) {
    for (link, wire) in shown.links.iter().zip(&net.links) {
        let most = wire.buffer_packets.unwrap_or(f64::MAX);
        assert!(link[0].iter().all(|queue| (0.0..=most).contains(queue)));
        assert!(link[3].iter().all(|arrivals| arrivals.is_finite() && *arrivals >= 0.0));
    }
    for class in &shown.classes {
        assert!(class[2].iter().all(|rate| rate.is_finite() && *rate > 0.0));
    }
}

#[test]
fn halving_the_tolerance_changes_no_rest() {
    let aimed = [&STABLE[..], &[("target_packets", 80.0)]].concat();
    for (controller, changes) in [("rcp", &aimed[..]), ("vcp", &[]), ("xcp", &aimed[..])] {
        let of = |relative: f64| {
            let method = Method::Adaptive { relative, absolute: 1e-3 * relative, most_s: f64::INFINITY };
            Case::of(controller, changes, &three_round_trips()).rest(&method, 600.0)
        };
        let (one, two) = (of(1e-6), of(5e-7));
        for (one, two) in one.rates.iter().zip(&two.rates) {
            assert_near(*one, *two, 1e-6);
        }
    }
}

/// The solution bends at the least rates of paths and at sign changes of the desired change. Errors are below
/// fifty tolerances, as in `order.rs`, of the greatest rate of the class.
#[test]
fn errors_stay_below_fifty_tolerances_across_all_bends() {
    for controller in ["rcp", "vcp", "xcp"] {
        let of = |relative: f64| {
            let method = Method::Adaptive { relative, absolute: 1e-3 * relative, most_s: f64::INFINITY };
            Case::of(controller, &[], &parking_lot(3)).run(&method, 20.0, 0.05)
        };
        let exact = of(1e-11);
        for relative in [1e-4, 1e-6, 1e-8] {
            let found = of(relative);
            for (found, exact) in found.classes.iter().zip(&exact.classes) {
                let most = exact[2].iter().copied().fold(0.0, f64::max);
                let apart = found[2].iter().zip(&exact[2]).map(|(one, two)| (one - two).abs() / most);
                let worst = apart.fold(0.0, f64::max);
                assert!(worst < 50.0 * relative, "{controller} at {relative}: {worst}");
            }
        }
    }
}

/// For every model that accepts any network: the excess over the rate is not kept.
#[test]
fn a_buffer_of_nothing_has_no_queue() {
    for controller in ["misra-gong-towsley", "fast", "vegas", "reno", "rcp", "vcp", "xcp"] {
        let none = Wire { buffer_packets: Some(0.0), ..wire(1000.0) };
        let net = network(vec![flows(3.0, 0.1, &[0]), flows(1.0, 0.04, &[0])], vec![none]);
        let shown = Case::of(controller, &[], &net).run(&ADAPTIVE, 50.0, 0.1);
        assert!(shown.links[0][0].iter().all(|queue| *queue == 0.0), "{controller}");
        assert!(shown.classes[0][2].iter().all(|rate| rate.is_finite() && *rate > 0.0), "{controller}");
    }
}
