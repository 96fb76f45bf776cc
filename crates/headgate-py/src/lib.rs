//! `headgate._native`: the Python bindings of the laboratory.

mod arguments;
mod arrivals;
mod builtin;
mod capture;
#[cfg(target_os = "linux")]
mod emulate;
mod fluid;
mod plain;
mod plugin;
mod records;
mod routes;

use headgate_lab::check::PlanError;
use headgate_lab::simulation::{LimitExceeded, Results, seconds};
use headgate_lab::tables::{Column, Table};
use numpy::IntoPyArray;
use pyo3::exceptions::{PyException, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;

fn arrays<'py>(py: Python<'py>, table: Table) -> PyResult<Bound<'py, PyDict>> {
    let all = PyDict::new(py);
    for (name, column) in table.columns {
        match column {
            Column::U64(values) => all.set_item(name, signed(values).into_pyarray(py))?,
            Column::F64(values) => all.set_item(name, values.into_pyarray(py))?,
        }
    }
    Ok(all)
}

/// Counts as NumPy's signed numbers, so that a difference of two counts may be negative: unsigned numbers
/// would wrap around. No count reaches 2^63.
fn signed(counts: Vec<u64>) -> Vec<i64> {
    counts.into_iter().map(|count| count as i64).collect()
}

pyo3::create_exception!(
    _native,
    ExcessError,
    PyException,
    "An algorithm or the whole network exceeded a limit of the engine; the run cannot go on."
);

/// Converts an exceeded limit to a Python exception: the indices of traffic and algorithm if a flow caused
/// it, the time, the sentence.
fn exceeded(excess: LimitExceeded) -> PyErr {
    let LimitExceeded { sender, at, limit } = excess;
    ExcessError::new_err((sender, seconds(at), limit.to_string()))
}

/// Converts results to dicts of columns, and the values of the whole run.
fn results(py: Python<'_>, found: Results) -> PyResult<Bound<'_, PyDict>> {
    let all = PyDict::new(py);
    for table in found.tables {
        all.set_item(table.name, arrays(py, table)?)?;
    }
    all.set_item("labels", found.labels)?;
    all.set_item("digest", found.digest)?;
    all.set_item("packet_hops", found.packet_hops)?;
    all.set_item("lookahead_s", found.lookahead_s)?;
    Ok(all)
}

fn refused(wrong: PlanError) -> PyErr {
    PyValueError::new_err(wrong.to_string())
}

/// The compiled engine: a plan in, columns of results out.
#[pymodule]
mod _native {
    use std::collections::{BTreeMap, BTreeSet, VecDeque};
    use std::fs::OpenOptions;
    use std::path::PathBuf;

    use crate::arrivals::read_arrivals;
    use crate::plugin::RunningPlugins;
    use crate::{arrays, exceeded, refused, results};
    use headgate_lab::check::Result;
    use headgate_lab::simulation;
    use headgate_lab::tables;
    use headgate_lab::trace_log::{self, Connection, Event, Row};
    use headgate_lab::user_code::UserCode;
    use headgate_lab::validate::validate;
    use numpy::PyReadonlyArray1;
    use pyo3::exceptions::PyValueError;
    use pyo3::prelude::*;
    use pyo3::types::{PyBytes, PyDict};
    use statrs::distribution::{ContinuousCDF, StudentsT};

    #[pymodule_export]
    use crate::ExcessError;
    #[pymodule_export]
    use crate::builtin::Builtin;
    #[pymodule_export]
    use crate::capture::Capture;
    #[cfg(target_os = "linux")]
    #[pymodule_export]
    use crate::emulate::{Emulation, enter_host};
    #[pymodule_export]
    use crate::fluid::{fluid_demand, fluid_levels, fluid_near, fluid_run, fluid_settled, fluid_sweep};
    #[pymodule_export]
    use crate::plugin::{OwnCode, OwnFaultError};
    #[pymodule_export]
    use crate::records::{Ack, Backlog, Congestion, Decision, Packet, Path, Rate, Window};
    #[pymodule_export]
    use crate::routes::Routes;

    type Arrays<'py> = BTreeMap<String, PyReadonlyArray1<'py, u64>>;

    fn student(freedom: f64) -> PyResult<StudentsT> {
        StudentsT::new(0.0, 1.0, freedom).map_err(|e| PyValueError::new_err(e.to_string()))
    }

    /// The `p` quantile of Student's t distribution with `freedom` degrees of freedom.
    #[pyfunction]
    fn student_quantile(p: f64, freedom: f64) -> PyResult<f64> {
        Ok(student(freedom)?.inverse_cdf(p))
    }

    /// The probability that Student's t with `freedom` degrees of freedom exceeds `t`.
    #[pyfunction]
    fn student_tail(t: f64, freedom: f64) -> PyResult<f64> {
        Ok(student(freedom)?.sf(t))
    }

    /// The version of the engine.
    #[pyfunction]
    fn version() -> &'static str {
        headgate_lab::VERSION
    }

    /// JSON list of the congestion control algorithms and their parameters.
    #[pyfunction]
    fn catalog() -> String {
        headgate_lab::catalog::catalog()
    }

    /// JSON list of the queue disciplines and routers, each with its kind.
    #[pyfunction]
    fn devices() -> String {
        headgate_lab::catalog::devices()
    }

    /// JSON list of the fluid models and their parameters.
    #[pyfunction]
    fn models() -> String {
        headgate_lab::catalog::models()
    }

    /// JSON list of the records that algorithms and disciplines receive, with their fields and offsets.
    #[pyfunction]
    fn layout() -> String {
        headgate_lab::catalog::layout()
    }

    /// JSON of the definitions of the visible columns of each table.
    #[pyfunction]
    fn columns() -> String {
        headgate_lab::catalog::columns()
    }

    /// Size of the longest row of a trace's log of events, bytes.
    #[pyfunction]
    fn most_event_bytes() -> usize {
        Event::MOST_BYTES
    }

    /// The labels of numbers in the columns of events, by column.
    #[pyfunction]
    fn event_labels() -> BTreeMap<&'static str, &'static [&'static str]> {
        simulation::Simulation::event_labels()
    }

    /// Read up to `most` events of a trace's log. Return a dict of columns, and the bytes read. Raises
    /// ValueError if these are not rows.
    #[pyfunction]
    fn read_events<'py>(py: Python<'py>, log: &[u8], most: usize) -> PyResult<(Bound<'py, PyDict>, usize)> {
        let (rows, used) = trace_log::read::<Event>(log, most).ok_or_else(no_rows)?;
        Ok((arrays(py, tables::events(&rows))?, used))
    }

    /// Read the connections of a trace's log as a dict of columns. Raises ValueError if these are not rows.
    #[pyfunction]
    fn read_connections<'py>(py: Python<'py>, log: &[u8]) -> PyResult<Bound<'py, PyDict>> {
        let (rows, _) = trace_log::read::<Connection>(log, usize::MAX).ok_or_else(no_rows)?;
        arrays(py, tables::connections(&rows))
    }

    fn no_rows() -> PyErr {
        PyValueError::new_err("the trace's log has rows that are none")
    }

    /// Raises ValueError("place: sentence") if the plan is invalid.
    #[pyfunction]
    fn check_plan(py: Python<'_>, plan_json: &str, arrays: Arrays<'_>) -> PyResult<()> {
        let lists = copied(&arrays);
        py.detach(|| validate(plan_json, &lists)).map(drop).map_err(refused)
    }

    /// One run. Raises ValueError("place: sentence") if the plan is invalid.
    #[pyclass]
    struct Simulation {
        run: simulation::Simulation,
        plugins: RunningPlugins,
        arrivals: VecDeque<simulation::Arrival>,
        ends_ps: u64,
    }

    #[pymethods]
    impl Simulation {
        /// `own` is the user-defined code of the plan, in its order.
        #[new]
        #[pyo3(signature = (plan_json, arrays, own = Vec::new()))]
        fn new(py: Python<'_>, plan_json: &str, arrays: Arrays<'_>, own: Vec<Py<OwnCode>>) -> PyResult<Self> {
            let lists = copied(&arrays);
            Self::bound(py, own, |own| simulation::Simulation::new(plan_json, &lists, own))
        }

        /// Resume from a snapshot of the same plan, which starts at offset `place` of a file. Raises OSError
        /// if it cannot be read, and ValueError if it is damaged or of another plan.
        #[staticmethod]
        #[pyo3(signature = (plan_json, arrays, file, place, own = Vec::new()))]
        fn resume(
            py: Python<'_>,
            plan_json: &str,
            arrays: Arrays<'_>,
            file: PathBuf,
            place: usize,
            own: Vec<Py<OwnCode>>,
        ) -> PyResult<Self> {
            let lists = copied(&arrays);
            let bytes = std::fs::read(file)?;
            let state = bytes.get(place..).unwrap_or_default();
            Self::bound(py, own, |own| simulation::Simulation::resume(plan_json, &lists, own, state))
        }

        /// Limit the number of packets in flight. A run that needs more ends with an ExcessError.
        fn limit(&mut self, packets: usize) {
            self.run.limit(packets);
        }

        /// Set the number of threads; results do not depend on it. It stays 1 if user-defined code is a plain
        /// Python class, because only one thread at a time may run it.
        fn use_threads(&mut self, threads: usize) {
            self.run.use_threads(if self.plugins.need_the_gil() { 1 } else { threads });
        }

        /// Run for about `wall_s` seconds, and no window that ends after `until_ps` of simulated time. Return
        /// True if the run has ended. The GIL is released unless user-defined code is a plain Python class.
        /// Raises OwnFaultError if user-defined code fails, and ExcessError if an algorithm or the network
        /// exceeds a limit of the engine.
        #[pyo3(signature = (wall_s, until_ps = None))]
        fn advance(&mut self, py: Python<'_>, wall_s: f64, until_ps: Option<u64>) -> PyResult<bool> {
            let Self { run, plugins, .. } = self;
            let over = plugins.detached(py, || run.advance_until(wall_s, until_ps.unwrap_or(u64::MAX)));
            if let Some(fault) = run.fault() {
                return Err(plugins.fault(py, fault));
            }
            run.excess().map_or(Ok(over), |excess| Err(exceeded(excess)))
        }

        /// Append the state of the run to a file. Raises OSError if it cannot be written, and ValueError if
        /// the state cannot be serialised.
        fn snapshot(&self, py: Python<'_>, file: PathBuf) -> PyResult<()> {
            let mut file = OpenOptions::new().append(true).create(true).open(file)?;
            self.plugins.detached(py, || self.run.snapshot(&mut file)).map_err(refused)??;
            Ok(file.sync_all()?)
        }

        /// Record the events of these flows, and of all packets at these links, by their numbers in the plan,
        /// from now on. Results do not depend on it.
        fn follow(&mut self, flows: BTreeSet<u32>, links: BTreeSet<u32>) {
            self.run.follow(flows, links);
        }

        /// Return the samples and events since the last call, by table, as dicts of columns.
        fn take_updates<'py>(&mut self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
            let found = py.detach(|| self.run.take_updates());
            let all = PyDict::new(py);
            for table in found {
                all.set_item(table.name, arrays(py, table)?)?;
            }
            all.set_item("labels", simulation::Simulation::event_labels())?;
            Ok(all)
        }

        /// Return up to `most` events since the last call, and the connections whose first event is among
        /// them: rows of a log, the number of events, and the time of the first event beyond `most`.
        fn take_trace<'py>(
            &mut self,
            py: Python<'py>,
            most: usize,
        ) -> (Bound<'py, PyBytes>, Bound<'py, PyBytes>, usize, Option<u64>) {
            let log = py.detach(|| self.run.take_trace(most));
            (PyBytes::new(py, &log.events), PyBytes::new(py, &log.connections), log.count, log.ended)
        }

        /// Return tables as dicts of columns, and the values of the whole run.
        fn results<'py>(&mut self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
            let found = py.detach(|| self.run.results());
            results(py, found)
        }

        /// Set the external packets of a stored emulation for `replay`, and the time at which it ended, ps.
        /// Raises ValueError if columns are missing or of unequal length.
        fn expect(&mut self, arrivals: Arrays<'_>, ends_ps: u64) -> PyResult<()> {
            (self.arrivals, self.ends_ps) = (read_arrivals(&arrivals)?, ends_ps);
            Ok(())
        }

        /// As `advance`, for about `sim_ps` of simulated time, with the packets of `expect`. Raises
        /// ValueError if one of them cannot be injected.
        fn replay(&mut self, py: Python<'_>, sim_ps: u64) -> PyResult<bool> {
            let Self { run, plugins, arrivals, ends_ps } = self;
            let until = run.now().saturating_add(sim_ps).min(*ends_ps);
            let over = plugins.detached(py, || {
                let over = run.advance_with(arrivals, until)?;
                run.take_outcomes();
                if !over && until == *ends_ps {
                    run.end_at(until);
                    return run.advance_with(arrivals, u64::MAX);
                }
                Ok(over)
            });
            if let Some(fault) = run.fault() {
                return Err(plugins.fault(py, fault));
            }
            if let Some(excess) = run.excess() {
                return Err(exceeded(excess));
            }
            over.map_err(|refused: simulation::InjectError| {
                PyValueError::new_err(format!("arrivals: {refused}"))
            })
        }

        #[getter]
        fn time_s(&self) -> f64 {
            self.run.time_s()
        }

        #[getter]
        fn duration_s(&self) -> f64 {
            self.run.duration_s()
        }

        #[getter]
        fn packet_hops(&self) -> u64 {
            self.run.packet_hops()
        }

        #[getter]
        fn bytes(&self) -> usize {
            self.run.bytes()
        }
    }

    impl Simulation {
        fn bound(
            py: Python<'_>,
            own: Vec<Py<OwnCode>>,
            make: impl FnOnce(UserCode) -> Result<simulation::Simulation> + Send,
        ) -> PyResult<Self> {
            let plugins = RunningPlugins::new(py, own)?;
            let given = plugins.user_code();
            let run = plugins.detached(py, || make(given)).map_err(refused)?;
            Ok(Self { run, plugins, arrivals: VecDeque::new(), ends_ps: u64::MAX })
        }
    }

    /// Copies the arrays, because Python may change them while the run reads them.
    fn copied(arrays: &Arrays<'_>) -> BTreeMap<String, Vec<u64>> {
        arrays.iter().map(|(name, column)| (name.clone(), column.as_array().to_vec())).collect()
    }
}
