//! One of our laws without a machine around it, for events made by hand.

use headgate_algos::control::AnyLaw;
use headgate_model::control::Registry;

/// A law of the catalogue.
pub type Shipped = AnyLaw;

/// The law of that place in the catalogue; `values` are in the order of its parameters. Nothing if there
/// is no such law, or it has another number of parameters.
pub fn shipped(index: usize, values: &[f64]) -> Option<Shipped> {
    let card = AnyLaw::cards().get(index)?;
    (values.len() == card.params.len()).then(|| AnyLaw::build(index, values))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_law_has_its_place_and_its_parameters() {
        let card = AnyLaw::cards()[0];
        let values: Vec<f64> = card.params.iter().map(|param| param.default).collect();
        assert!(shipped(0, &values).is_some());
        assert!(shipped(0, &values[1..]).is_none());
        assert!(shipped(AnyLaw::cards().len(), &[]).is_none());
    }
}
