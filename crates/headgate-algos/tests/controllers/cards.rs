//! Compares the registry with the files: every algorithm is one file, one line and one consistent card.

use std::collections::BTreeSet;
use std::path::PathBuf;

use headgate_algos::control::AnyController;
use headgate_algos::queue::AnyQueue;
use headgate_algos::scheme::AnyRouter;
use headgate_model::control::ControllerRegistry;
use headgate_model::feedback::Routers;
use headgate_model::params::{Card, Param};
use headgate_model::queue::Queues;

use crate::drive::defaults;

pub const HEADINGS: [&str; 5] = [
    "//! # Overview",
    "//! # The rule",
    "//! # Differences from the paper",
    "//! # When to use it",
    "//! # References",
];

/// The folders of algorithms and of the senders of schemes.
const FOLDERS: [&str; 2] = ["control", "scheme"];

fn folder(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("src").join(name)
}

fn stems() -> BTreeSet<String> {
    FOLDERS.into_iter().flat_map(stems_in).collect()
}

fn stems_in(name: &str) -> BTreeSet<String> {
    let files = std::fs::read_dir(folder(name)).expect("a folder of algorithms");
    let names = files.map(|file| file.expect("an entry").file_name().into_string().expect("UTF-8"));
    let stems = names.filter_map(|name| name.strip_suffix(".rs").map(String::from));
    stems.filter(|stem| stem != "mod").collect()
}

/// The file of an algorithm: its name, with `_` for characters that Rust does not allow in module names.
fn file(name: &str) -> PathBuf {
    let file = format!("{}.rs", name.replace('-', "_"));
    let mut places = FOLDERS.into_iter().map(|name| folder(name).join(&file));
    places.find(|place| place.exists()).expect("the algorithm's file")
}

fn names() -> Vec<String> {
    AnyController::cards().iter().map(|card| card.name.to_string()).collect()
}

#[test]
fn the_registry_is_sorted_and_matches_the_files() {
    let known: BTreeSet<_> = names().iter().map(|name| name.replace('-', "_")).collect();
    assert_eq!(known, stems());
    assert!(names().is_sorted(), "{:?}", names());
}

#[test]
fn no_name_or_alias_means_two_controllers() {
    let cards = AnyController::cards().iter();
    let all: Vec<_> = cards.flat_map(|card| card.aliases.iter().copied().chain([card.name])).collect();
    assert_eq!(all.iter().collect::<BTreeSet<_>>().len(), all.len(), "{all:?}");
}

#[test]
fn every_file_opens_with_the_headings_in_order() {
    for name in names() {
        let text = std::fs::read_to_string(file(&name)).expect("the algorithm's file");
        let found: Vec<_> = text.lines().filter(|line| line.starts_with("//! # ")).collect();
        assert_eq!(found, HEADINGS, "{name}.rs");
    }
}

#[test]
fn every_card_says_something() {
    for card in AnyController::cards() {
        assert!(
            ["loss", "delay", "hybrid", "model", "explicit", "none"].contains(&card.family),
            "{}: {}",
            card.name,
            card.family
        );
        assert!(!card.references.is_empty(), "{}", card.name);
        for text in [card.title, card.rule, card.response] {
            assert!(!text.is_empty(), "{}", card.name);
        }
    }
}

fn sound(param: &Param) -> bool {
    let ranged = param.low <= param.default && param.default <= param.high;
    ranged && !param.about.is_empty() && !param.source.is_empty()
}

#[test]
fn every_parameter_is_in_range_and_sourced() {
    for card in AnyController::cards() {
        for param in card.params {
            assert!(sound(param), "{}: {param:?}", card.name);
        }
    }
}

/// All parameters at their defaults, and each in turn at its bounds.
pub fn corners(index: usize) -> Vec<Vec<f64>> {
    corners_of(AnyController::cards()[index])
}

/// The same of a card.
pub fn corners_of(card: &Card) -> Vec<Vec<f64>> {
    let mut all = vec![defaults(card)];
    for (place, param) in card.params.iter().enumerate() {
        for bound in [param.low, param.high] {
            let mut values = defaults(card);
            values[place] = bound;
            all.push(values);
        }
    }
    all
}

#[test]
fn queues_and_routers_match_their_files_and_say_something() {
    let stems =
        |cards: &[&Card]| cards.iter().map(|card| card.name.replace('-', "_")).collect::<BTreeSet<_>>();
    assert_eq!(stems(AnyQueue::cards()), stems_in("queue"));
    assert_eq!(stems(AnyRouter::cards()), stems_in("scheme"));
    for card in AnyQueue::cards().iter().chain(AnyRouter::cards()) {
        assert!(
            !card.title.is_empty() && !card.rule.is_empty() && !card.references.is_empty(),
            "{}",
            card.name
        );
        assert!(card.params.iter().all(sound), "{}", card.name);
    }
    for (folder_name, name) in
        FOLDERS[1..].iter().chain(&["queue"]).flat_map(|f| stems_in(f).into_iter().map(move |n| (f, n)))
    {
        let text = std::fs::read_to_string(folder(folder_name).join(format!("{name}.rs"))).expect("a file");
        let found: Vec<_> = text.lines().filter(|line| line.starts_with("//! # ")).collect();
        assert_eq!(found, HEADINGS, "{name}.rs");
    }
}

#[test]
fn a_controller_is_small() {
    assert!(size_of::<AnyController>() <= 96, "{} bytes", size_of::<AnyController>());
}
