//! VCP as a fluid: the theorem of its source, one claim after the other.

mod common;

use common::{Case, EXACT, assert_near, flows, index, large, levels, max_min, network, parking_lot, wire};
use headgate_fluid::network::Network;

/// Ten flows over 2000 packets/s; the round trips are the given ones.
fn one_link(rtts_s: [f64; 3]) -> Network {
    let counts = [5.0, 3.0, 2.0].into_iter().zip(rtts_s);
    network(counts.map(|(count, rtt_s)| flows(count, rtt_s, &[0])).collect(), vec![wire(2000.0)])
}

/// The theorem's conditions: one round trip, no scaling, and a target below the load that would queue.
const THEOREM: [(&str, f64); 2] = [("scaling", 1.0), ("gamma", 0.9)];

/// gamma C/N + alpha/(k T) = 180 + 1/(0.25 0.1) = 220 packets/s would queue; so alpha = 0.2: 188.
#[test]
fn on_one_link_with_one_round_trip_it_rests_where_the_theorem_says() {
    let changes = [&THEOREM[..], &[("alpha", 0.2)]].concat();
    let rest = Case::of("vcp", &changes, &one_link([0.1; 3])).rest(&EXACT, 900.0);
    rest.rates.iter().for_each(|rate| assert_near(*rate, 188.0, 1e-6));
    assert_eq!(rest.queues[0], 0.0);
}

/// Scaled to t = 0.2 s, round trips make no difference: 0.9 200 + 0.2/(0.25 0.2) = 184.
#[test]
fn scaled_it_is_fair_whatever_the_round_trips() {
    let changes = [("gamma", 0.9), ("alpha", 0.2)];
    let rest = Case::of("vcp", &changes, &one_link([0.04, 0.1, 0.25])).rest(&EXACT, 900.0);
    rest.rates.iter().for_each(|rate| assert_near(*rate, 184.0, 1e-6));
}

/// Not scaled, a flow has alpha rho/(k T (rho - 1)), and all of them gamma C rho: rho - 1 is the sum of n
/// alpha/(k T) over gamma C, so rates are proportional to 1/T.
#[test]
fn not_scaled_it_is_as_unfair_as_tcp() {
    let (rtts_s, counts) = ([0.05, 0.1, 0.2], [5.0, 3.0, 2.0]);
    let changes = [&THEOREM[..], &[("alpha", 0.1)]].concat();
    let rest = Case::of("vcp", &changes, &one_link(rtts_s)).rest(&EXACT, 900.0);
    let shares = rtts_s.map(|rtt_s| 0.1 / (0.25 * rtt_s));
    let over = shares.iter().zip(counts).map(|(share, count)| share * count).sum::<f64>() / 1800.0;
    for (rate, share) in rest.rates.iter().zip(shares) {
        assert_near(*rate, share * (1.0 + over) / over, 1e-6);
    }
}

/// alpha/(k t) = 20 packets/s for each of ten flows are more than 2 % of the link's rate: y = C, x = 200, rho
/// = x/(x - 20) = 1/0.9, and kappa q/t is the rest of rho: q = (0.98 2000/0.9 - 2000) 0.2/0.5.
#[test]
fn what_the_margin_does_not_take_waits() {
    let rest = Case::of("vcp", &[], &one_link([0.04, 0.1, 0.25])).rest(&EXACT, 900.0);
    rest.rates.iter().for_each(|rate| assert_near(*rate, 200.0, 1e-6));
    assert_near(rest.queues[0], (0.98 * 2000.0 / 0.9 - 2000.0) * 0.2 / 0.5, 1e-6);
}

/// The total that a link carries if the flows that it limits send at the rate `level`. Their rate is
/// `a rho/(rho - 1)` with a = alpha/(k t), so rho = level/(level - a), and gamma C rho arrives; C at most,
/// and then a queue makes up rho.
fn takes(net: &Network, gamma: f64, a: f64, link: usize, level: f64) -> f64 {
    let rate = net.links[link].rate_packets_s;
    if level <= a { rate } else { (gamma * rate * level / (level - a)).min(rate) }
}

/// Compared with water-filling: with queues (the defaults), and without.
#[test]
fn in_networks_it_is_max_min_fair() {
    for (gamma, alpha) in [(0.98, 1.0), (0.7, 0.1)] {
        for net in [parking_lot(2), parking_lot(5), large(30, 8)] {
            let expected = max_min(&net, |link, level| takes(&net, gamma, alpha / (0.25 * 0.2), link, level));
            assert!(levels(&expected) >= 2);
            let changes = [("gamma", gamma), ("alpha", alpha), ("least", 1e-3)];
            let rest = Case::of("vcp", &changes, &net).rest(&EXACT, 6000.0);
            for (rate, expected) in rest.rates.iter().zip(&expected) {
                assert_near(*rate, *expected, 1e-6);
            }
        }
    }
}

/// Numbers that are spread over 0 to 1.
fn spread(seed: usize, place: usize) -> f64 {
    ((seed as f64 + 0.5) * 0.618_034 + place as f64 * 0.754_878 + (seed * place) as f64 * 0.569_84).fract()
}

/// Windows from a thousandth of a packet to a thousand, twenty times for each k; with delay, and up to the
/// source's bound.
#[test]
fn up_to_the_bound_every_start_comes_to_the_one_rest() {
    for k in [0.05, 0.25, 0.5] {
        for seed in 0..20 {
            let mut net = one_link([0.04, 0.1, 0.25]);
            for (place, class) in net.classes.iter_mut().enumerate() {
                class.set =
                    vec![(index("vcp", "initial_window"), 10.0_f64.powf(6.0 * spread(seed, place) - 3.0))];
            }
            let changes = [("k", k), ("gamma", 0.8), ("alpha", 0.2), ("least", 1e-3)];
            let rest = Case::of("vcp", &changes, &net).rest(&EXACT, 900.0);
            let expected = 160.0 + 0.2 / (k * 0.2);
            rest.rates.iter().for_each(|rate| assert_near(*rate, expected, 1e-6));
        }
    }
}

/// The sum of flows follows y' = (k/t) (gamma C - y(t - T)) + N alpha/t^2: it oscillates from k T/t = pi/2. A
/// tenth below that a deviation decays; a tenth above it grows, until the bounds of rates hold it.
#[test]
fn beyond_the_limit_of_linear_theory_it_circles() {
    let limit = std::f64::consts::FRAC_PI_2 * 0.2 / 0.1;
    let swings = |k: f64| {
        let rest = 1000.0 + 0.2 / (k * 0.2);
        let net = network(vec![flows(10.0, 0.1, &[0])], vec![wire(20_000.0)]);
        let start = ("initial_window", 1.01 * rest * 0.1);
        let changes = [("k", k), ("gamma", 0.5), ("alpha", 0.2), start];
        let shown = Case::of("vcp", &changes, &net).run(&EXACT, 60.0, 0.05);
        let rates = &shown.classes[0][2];
        assert!(rates.iter().all(|rate| rate.is_finite() && *rate > 0.0));
        let swing = |rows: std::ops::Range<usize>| {
            rates[rows].iter().fold(0.0_f64, |most, rate| most.max((rate / rest - 1.0).abs()))
        };
        (swing(100..150) / swing(50..100), swing(1000..1200))
    };
    let (below, above) = (swings(0.9 * limit), swings(1.1 * limit));
    assert!(below.0 < 0.8 && below.1 < 1e-3, "{below:?}");
    assert!(above.0 > 1.25 && above.1 > 0.1, "{above:?}");
}
