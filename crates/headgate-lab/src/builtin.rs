//! A built-in algorithm without a transport around it, for events made by hand.

use headgate_algos::control::AnyController;
use headgate_model::control::ControllerRegistry;

/// An algorithm of the catalogue.
pub type Builtin = AnyController;

/// Creates an algorithm by its index in the catalogue; `values` are in the order of its parameters. Returns
/// `None` if the index is invalid, or the number of values is wrong.
pub fn builtin(index: usize, values: &[f64]) -> Option<Builtin> {
    let card = AnyController::cards().get(index)?;
    (values.len() == card.params.len()).then(|| AnyController::build(index, values))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_controller_has_its_place_and_its_parameters() {
        let card = AnyController::cards()[0];
        let values: Vec<f64> = card.params.iter().map(|param| param.default).collect();
        assert!(builtin(0, &values).is_some());
        assert!(builtin(0, &values[1..]).is_none());
        assert!(builtin(AnyController::cards().len(), &[]).is_none());
    }
}
