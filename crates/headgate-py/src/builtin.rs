//! Built-in algorithms as Python objects with the callbacks of a user-defined algorithm, for events made by
//! hand.

use headgate_lab::builtin;
use headgate_lab::control::{Controller, Restart};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::records::{Ack, Congestion, Path, Rate, Sample, Window};

/// An algorithm of the catalogue with the callbacks of a user-defined one.
#[pyclass(module = "headgate.plugin", unsendable)]
pub struct Builtin(builtin::Builtin);

#[pymethods]
impl Builtin {
    /// Create an algorithm by its index in the catalogue; `values` are in the order of its parameters.
    #[new]
    fn new(index: usize, values: Vec<f64>) -> PyResult<Self> {
        let controller = builtin::builtin(index, &values);
        controller.map(Self).ok_or_else(|| {
            PyValueError::new_err("there is no algorithm of this index with this number of parameters")
        })
    }

    fn on_start(&mut self, now_s: f64, path: &Path, window: &mut Window) {
        self.0.on_start(now_s, &path.0, &mut window.values);
    }

    fn on_ack(&mut self, ack: &Ack, path: &Path, window: &mut Window) -> PyResult<()> {
        self.require_rate(ack)?;
        self.0.on_ack(&ack.0, &path.0, &mut window.values);
        Ok(())
    }

    fn on_recovery_ack(&mut self, ack: &Ack, path: &Path, window: &mut Window) -> PyResult<()> {
        self.require_rate(ack)?;
        self.0.on_recovery_ack(&ack.0, &path.0, &mut window.values);
        Ok(())
    }

    fn on_segment_lost(&mut self, sent: &Rate, path: &Path, window: &mut Window) {
        self.0.on_segment_lost(&sent.0, &path.0, &mut window.values);
    }

    fn on_congestion(&mut self, event: &Congestion, path: &Path, window: &mut Window) {
        self.0.on_congestion(&event.0, &path.0, &mut window.values);
    }

    fn on_recovered(&mut self, now_s: f64, path: &Path, window: &mut Window) {
        self.0.on_recovered(now_s, &path.0, &mut window.values);
    }

    fn on_undo(&mut self, cwnd_before: f64, path: &Path, window: &mut Window) {
        self.0.on_undo(cwnd_before, &path.0, &mut window.values);
    }

    /// Send again `idle_s` after the last transmission; `delivered` segments were delivered until then.
    fn on_restart(&mut self, now_s: f64, idle_s: f64, delivered: f64, path: &Path, window: &mut Window) {
        self.0.on_restart(&Restart { now_s, idle_s, delivered }, &path.0, &mut window.values);
    }

    /// The gauge of the algorithm, in its own unit; NaN if it provides none.
    #[getter]
    fn gauge(&self) -> f64 {
        self.0.gauge().map_or(f64::NAN, |(_, value)| value)
    }
}

impl Builtin {
    /// Raises ValueError if the algorithm needs a delivery rate that the engine did not measure.
    fn require_rate(&self, ack: &Ack) -> PyResult<()> {
        if self.0.wants_rate() { Sample::require(&ack.0.rate) } else { Ok(()) }
    }
}
