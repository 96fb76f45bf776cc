//! The models, one file and one line of this registry each.

/// Declares the modules and the registry from one sorted list of file stems; `on network` marks a model that
/// accepts any network.
macro_rules! models {
    ($($stem:ident => $Name:ident $(on $network:ident)?),+ $(,)?) => {
        $(pub mod $stem;)+

        const CARDS: &[&Card] = &[$(&$stem::CARD,)+];

        const OF_LINKS: &[Option<&[&str]>] = &[$(models!(@links $stem $($network)?),)+];

        #[derive(Clone, Copy)]
        enum Index { $($Name,)+ }

        /// Builds a model by its index in [`cards`] on a network. A model that defines its network ignores
        /// this one. `values` are in the order of its parameters.
        pub fn build_on(index: usize, values: &[f64], network: &Network) -> Box<dyn Model> {
            $(if index == Index::$Name as usize {
                return models!(@build $stem $Name (values, network) $($network)?);
            })+
            unreachable!("a model beyond the cards")
        }
    };
    (@links $stem:ident) => { None };
    (@links $stem:ident network) => { Some($stem::OF_LINKS) };
    (@build $stem:ident $Name:ident ($values:ident, $on:ident)) => {
        Box::new($stem::$Name::new($stem::Params::from_values($values)))
    };
    (@build $stem:ident $Name:ident ($values:ident, $on:ident) network) => {
        Box::new($stem::$Name::new($values, $on))
    };
}

use headgate_model::params::Card;

use crate::model::Model;
use crate::network::Network;

models! {
    fast => Fast on network,
    hstcp => Hstcp on network,
    misra_gong_towsley => MisraGongTowsley on network,
    rcp => Rcp on network,
    reno => Reno on network,
    scalable => Scalable on network,
    tcp_red => TcpRed,
    vcp => Vcp on network,
    vegas => Vegas on network,
    xcp => Xcp on network,
}

/// Builds a model on its own network, or on the default one.
pub fn build(index: usize, values: &[f64]) -> Box<dyn Model> {
    build_on(index, values, &Network::default())
}

/// Names of the parameters that belong to links, for a model that accepts any network.
pub fn of_links(index: usize) -> Option<&'static [&'static str]> {
    OF_LINKS[index]
}

/// Cards of all models, sorted by name.
pub fn cards() -> &'static [&'static Card] {
    CARDS
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::solve::{Method, solve};

    const HEADINGS: [&str; 5] = [
        "//! # Overview",
        "//! # The equations",
        "//! # Differences from the source",
        "//! # When to use it",
        "//! # References",
    ];

    #[test]
    fn each_model_is_a_file_with_its_name_and_its_five_headings() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src/models");
        let mut stems: Vec<String> = std::fs::read_dir(folder)
            .expect("the folder")
            .map(|entry| entry.expect("an entry").file_name().into_string().expect("a name"))
            .filter(|name| name != "mod.rs")
            .map(|name| name.trim_end_matches(".rs").replace('_', "-"))
            .collect();
        stems.sort();
        let names: Vec<&str> = cards().iter().map(|card| card.name).collect();
        assert_eq!(names, stems);
        for stem in stems {
            let path = format!("{folder}/{}.rs", stem.replace('-', "_"));
            let text = std::fs::read_to_string(&path).expect("the file");
            let places = HEADINGS.map(|heading| text.find(heading));
            assert!(places.iter().all(Option::is_some) && places.is_sorted(), "{path}");
        }
    }

    #[test]
    fn what_belongs_to_links_are_parameters() {
        for (index, card) in cards().iter().enumerate() {
            let known = |name: &&str| card.params.iter().any(|param| param.name == *name);
            assert!(of_links(index).unwrap_or_default().iter().all(known), "{}", card.name);
        }
    }

    #[test]
    fn each_model_runs_with_its_defaults_and_shows_finite_numbers() {
        for (index, card) in cards().iter().enumerate() {
            let values: Vec<f64> = card.params.iter().map(|param| param.default).collect();
            let model = build(index, &values);
            let method = Method::Adaptive { relative: 1e-4, absolute: 1e-7, most_s: f64::INFINITY };
            let solved = solve(&*model, &method, 10.0).expect(card.name);
            solved.sample(&*model, 0.1, |t_s, state| {
                assert!(state.iter().all(|value| value.is_finite()), "{} at {t_s} s", card.name);
                for class in (0..model.classes()).map(|index| model.class(state, index)) {
                    assert!(class.rtt_s > 0.0 && class.window_packets >= 0.0);
                }
                for link in (0..model.links()).map(|index| model.link(state, index)) {
                    assert!((0.0..=1.0).contains(&link.drop_probability) && link.queue_packets >= 0.0);
                }
            });
        }
    }
}
