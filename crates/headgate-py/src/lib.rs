//! `headgate._native`: the laboratory as Python sees it. Binding only.

use pyo3::prelude::*;

/// The compiled engine: one plan in, columns of facts out.
#[pymodule]
mod _native {
    use std::collections::BTreeMap;

    use headgate_lab::error::Wrong;
    use headgate_lab::simulation;
    use headgate_lab::tables::{Column, Table};
    use numpy::{IntoPyArray, PyReadonlyArray1};
    use pyo3::exceptions::PyValueError;
    use pyo3::prelude::*;
    use pyo3::types::{PyBytes, PyDict};

    type Arrays<'py> = BTreeMap<String, PyReadonlyArray1<'py, u64>>;

    /// The version of the engine.
    #[pyfunction]
    fn version() -> &'static str {
        headgate_lab::VERSION
    }

    /// JSON list of the laws and their parameters.
    #[pyfunction]
    fn catalog() -> String {
        headgate_lab::catalog::catalog()
    }

    /// One run. Raises ValueError("place: sentence") if the plan is wrong.
    #[pyclass]
    struct Simulation(simulation::Simulation);

    #[pymethods]
    impl Simulation {
        #[new]
        fn new(py: Python<'_>, plan_json: &str, arrays: Arrays<'_>) -> PyResult<Self> {
            let lists = copied(&arrays);
            py.detach(|| simulation::Simulation::new(plan_json, &lists)).map(Self).map_err(refused)
        }

        /// Goes on from a snapshot of the same plan; ValueError if it is damaged or of another one.
        #[staticmethod]
        fn resume(py: Python<'_>, plan_json: &str, arrays: Arrays<'_>, snapshot: &[u8]) -> PyResult<Self> {
            let lists = copied(&arrays);
            py.detach(|| simulation::Simulation::resume(plan_json, &lists, snapshot))
                .map(Self)
                .map_err(refused)
        }

        /// Runs for about `wall_s` seconds without the GIL; True when the run is over.
        fn advance(&mut self, py: Python<'_>, wall_s: f64) -> bool {
            py.detach(|| self.0.advance(wall_s))
        }

        /// The state of the run as bytes.
        fn snapshot<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
            py.detach(|| self.0.snapshot()).map(|bytes| PyBytes::new(py, &bytes)).map_err(refused)
        }

        /// Tables as dicts of columns, and what belongs to the whole run.
        fn results<'py>(&mut self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
            let found = py.detach(|| self.0.results());
            let all = PyDict::new(py);
            for table in found.tables {
                all.set_item(table.name, columns(py, table)?)?;
            }
            all.set_item("digest", found.digest)?;
            all.set_item("packet_hops", found.packet_hops)?;
            all.set_item("lookahead_s", found.lookahead_s)?;
            Ok(all)
        }

        #[getter]
        fn time_s(&self) -> f64 {
            self.0.time_s()
        }

        #[getter]
        fn duration_s(&self) -> f64 {
            self.0.duration_s()
        }

        #[getter]
        fn packet_hops(&self) -> u64 {
            self.0.packet_hops()
        }

        #[getter]
        fn bytes(&self) -> usize {
            self.0.bytes()
        }
    }

    fn columns<'py>(py: Python<'py>, table: Table) -> PyResult<Bound<'py, PyDict>> {
        let all = PyDict::new(py);
        for (name, column) in table.columns {
            match column {
                Column::U64(values) => all.set_item(name, values.into_pyarray(py))?,
                Column::F64(values) => all.set_item(name, values.into_pyarray(py))?,
            }
        }
        Ok(all)
    }

    /// Copies, because Python may change an array while the run reads it.
    fn copied(arrays: &Arrays<'_>) -> BTreeMap<String, Vec<u64>> {
        arrays.iter().map(|(name, column)| (name.clone(), column.as_array().to_vec())).collect()
    }

    fn refused(wrong: Wrong) -> PyErr {
        PyValueError::new_err(wrong.to_string())
    }
}
