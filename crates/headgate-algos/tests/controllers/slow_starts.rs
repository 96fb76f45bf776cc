//! Every slow start with every algorithm that grows exponentially below `ssthresh`.

use std::collections::BTreeSet;
use std::path::PathBuf;

use headgate_algos::control::AnyController;
use headgate_algos::slow_start::AnySlowStart;
use headgate_model::control::ControllerRegistry;
use headgate_model::params::Card;

use crate::cards::{HEADINGS, corners_of};
use crate::drive::{Flow, Xorshift, controller, defaults};
use crate::invariants::{sound, step};

/// Algorithms whose slow start is replaceable.
fn starting() -> impl Iterator<Item = &'static Card> {
    let cards = AnyController::cards().iter().copied();
    cards.filter(|card| ["loss", "hybrid"].contains(&card.family))
}

fn index_of(name: &str) -> usize {
    AnySlowStart::cards().iter().position(|card| card.name == name).expect("a slow start")
}

/// Returns the window after random events.
fn walk(controller: AnyController, seed: u64, events: u32) -> Flow {
    let mut random = Xorshift(seed);
    let mut flow = Flow::new(controller, 10.0, f64::INFINITY, 0.01);
    for event in 0..events {
        step(&mut flow, &mut random);
        assert!(sound(&flow), "seed {seed}, event {event}: {:?} {:?}", flow.controller, flow.window);
    }
    flow
}

#[test]
fn the_window_stays_valid_with_any_slow_start() {
    for (index, card) in AnySlowStart::cards().iter().enumerate() {
        for values in corners_of(card) {
            for cca in starting() {
                for seed in 1..=4u64 {
                    let started = controller(cca.name, &[]).with_slow_start(index, &values);
                    walk(started, seed.wrapping_mul(0x9E37_79B9_7F4A_7C15), 1_000);
                }
            }
        }
    }
}

#[test]
fn classic_changes_nothing() {
    for cca in starting() {
        let started = controller(cca.name, &[]).with_slow_start(index_of("classic"), &[]);
        let [first, second] =
            [started, controller(cca.name, &[])].map(|controller| walk(controller, 77, 5_000).window);
        assert_eq!(first, second, "{}", cca.name);
    }
}

#[test]
fn the_slow_starts_of_cubic_are_those_of_the_registry() {
    for (word, name) in [(0.0, "hystart"), (1.0, "hystart++")] {
        for seed in 1..=20 {
            let own = controller("cubic", &[("slow_start", word)]);
            let values = defaults(AnySlowStart::cards()[index_of(name)]);
            let chosen = controller("cubic", &[("slow_start", 2.0)]).with_slow_start(index_of(name), &values);
            let [first, second] = [own, chosen].map(|controller| walk(controller, seed, 3_000).window);
            assert_eq!(first, second, "{name}, seed {seed}");
        }
    }
}

#[test]
fn the_same_acks_give_the_same_window() {
    for (index, card) in AnySlowStart::cards().iter().enumerate() {
        let [first, second] = [(); 2]
            .map(|()| walk(controller("reno", &[]).with_slow_start(index, &defaults(card)), 5, 3_000).window);
        assert_eq!(first, second, "{}", card.name);
    }
}

#[test]
fn the_registry_is_sorted_matches_the_files_and_says_something() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("src/slow_start");
    let names = std::fs::read_dir(&folder).expect("a folder").map(|entry| entry.expect("an entry").path());
    let files = names.filter(|path| path.extension().is_some_and(|end| end == "rs"));
    let stems: BTreeSet<String> = files
        .map(|path| path.file_stem().expect("a stem").to_string_lossy().into_owned())
        .filter(|stem| stem != "mod")
        .collect();
    let cards = AnySlowStart::cards();
    let stem = |card: &Card| card.name.replace("++", "_pp").replace('-', "_");
    assert_eq!(cards.iter().map(|card| stem(card)).collect::<BTreeSet<_>>(), stems);
    assert!(cards.iter().map(|card| card.name).is_sorted());
    for card in cards {
        let text = std::fs::read_to_string(folder.join(format!("{}.rs", stem(card)))).expect("its file");
        let found: Vec<_> = text.lines().filter(|line| line.starts_with("//! # ")).collect();
        assert_eq!(found, HEADINGS, "{}", card.name);
        assert!(!card.rule.is_empty() && !card.response.is_empty() && !card.references.is_empty());
        for param in card.params {
            let required = (card.name, param.name) == ("careful-resume", "saved_cwnd");
            assert_eq!(param.is_required(), required, "{param:?}: a default lies within its range");
        }
    }
}
