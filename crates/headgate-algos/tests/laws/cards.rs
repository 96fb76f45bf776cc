//! The registry against the files: every law is one file, one line and one honest card.

use std::collections::BTreeSet;
use std::path::PathBuf;

use headgate_algos::control::AnyLaw;
use headgate_model::control::Registry;
use headgate_model::params::Param;

use crate::drive::defaults;

const HEADINGS: [&str; 5] = [
    "//! # What it does",
    "//! # The law",
    "//! # Where it differs from the paper",
    "//! # When to use it",
    "//! # References",
];

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("src/control")
}

fn stems() -> BTreeSet<String> {
    let files = std::fs::read_dir(folder()).expect("the laws' folder");
    let names = files.map(|file| file.expect("an entry").file_name().into_string().expect("UTF-8"));
    let stems = names.filter_map(|name| name.strip_suffix(".rs").map(String::from));
    stems.filter(|stem| stem != "mod").collect()
}

/// Where a law is: its name, with `_` for what Rust does not have in the names of modules.
fn file(name: &str) -> PathBuf {
    folder().join(format!("{}.rs", name.replace('-', "_")))
}

fn names() -> Vec<String> {
    AnyLaw::cards().iter().map(|card| card.name.to_string()).collect()
}

#[test]
fn the_registry_is_sorted_and_matches_the_files() {
    let known: BTreeSet<_> = names().iter().map(|name| name.replace('-', "_")).collect();
    assert_eq!(known, stems());
    assert!(names().is_sorted(), "{:?}", names());
}

#[test]
fn no_name_or_alias_means_two_laws() {
    let cards = AnyLaw::cards().iter();
    let all: Vec<_> = cards.flat_map(|card| card.aliases.iter().copied().chain([card.name])).collect();
    assert_eq!(all.iter().collect::<BTreeSet<_>>().len(), all.len(), "{all:?}");
}

#[test]
fn every_file_opens_with_the_headings_in_order() {
    for name in names() {
        let text = std::fs::read_to_string(file(&name)).expect("the law's file");
        let found: Vec<_> = text.lines().filter(|line| line.starts_with("//! # ")).collect();
        assert_eq!(found, HEADINGS, "{name}.rs");
    }
}

#[test]
fn every_card_says_something() {
    for card in AnyLaw::cards() {
        assert!(
            ["loss", "delay", "hybrid", "model"].contains(&card.family),
            "{}: {}",
            card.name,
            card.family
        );
        assert!(!card.references.is_empty(), "{}", card.name);
        for text in [card.title, card.law, card.response] {
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
    for card in AnyLaw::cards() {
        for param in card.params {
            assert!(sound(param), "{}: {param:?}", card.name);
        }
    }
}

/// All parameters at their defaults, and each in turn at its bounds.
pub fn corners(index: usize) -> Vec<Vec<f64>> {
    let card = AnyLaw::cards()[index];
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
fn a_law_is_small() {
    assert!(size_of::<AnyLaw>() <= 96, "{} bytes", size_of::<AnyLaw>());
}
