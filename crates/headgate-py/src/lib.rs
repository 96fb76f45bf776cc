//! `headgate._native`: the laboratory as Python sees it. Binding only.

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

use headgate_lab::check::Wrong;
use headgate_lab::simulation::{Excess, Results, seconds};
use headgate_lab::tables::{Column, Table};
use numpy::IntoPyArray;
use pyo3::exceptions::{PyException, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;

fn arrays<'py>(py: Python<'py>, table: Table) -> PyResult<Bound<'py, PyDict>> {
    let all = PyDict::new(py);
    for (name, column) in table.columns {
        match column {
            Column::U64(values) => all.set_item(name, values.into_pyarray(py))?,
            Column::F64(values) => all.set_item(name, values.into_pyarray(py))?,
        }
    }
    Ok(all)
}

pyo3::create_exception!(
    _native,
    ExcessError,
    PyException,
    "A law or the whole network exceeded a limit of the engine; the run cannot go on."
);

/// An excess as Python's exception: the indices of traffic and law if one flow asked, the time, the sentence.
fn exceeded(excess: Excess) -> PyErr {
    let Excess { sender, at, asked } = excess;
    ExcessError::new_err((sender, seconds(at), asked.to_string()))
}

/// Tables as dicts of columns, and what belongs to the whole run.
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

fn refused(wrong: Wrong) -> PyErr {
    PyValueError::new_err(wrong.to_string())
}

/// The compiled engine: one plan in, columns of facts out.
#[pymodule]
mod _native {
    use std::collections::{BTreeMap, BTreeSet, VecDeque};
    use std::fs::OpenOptions;
    use std::path::PathBuf;

    use crate::arrivals::read_arrivals;
    use crate::plugin::OwnAtWork;
    use crate::{arrays, exceeded, refused, results};
    use headgate_lab::check::Checked;
    use headgate_lab::own::Own;
    use headgate_lab::simulation;
    use headgate_lab::tables;
    use headgate_lab::trace_log::{self, Connection, Event, Row};
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

    /// The `p` quantile of Student's t distribution with so many degrees of freedom.
    #[pyfunction]
    fn student_quantile(p: f64, freedom: f64) -> PyResult<f64> {
        Ok(student(freedom)?.inverse_cdf(p))
    }

    /// The probability that Student's t with so many degrees of freedom exceeds `t`.
    #[pyfunction]
    fn student_tail(t: f64, freedom: f64) -> PyResult<f64> {
        Ok(student(freedom)?.sf(t))
    }

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

    /// JSON list of the records that laws and disciplines meet, with their fields and where they lie.
    #[pyfunction]
    fn layout() -> String {
        headgate_lab::catalog::layout()
    }

    /// JSON of what the columns of each table mean, but for those that no user reads.
    #[pyfunction]
    fn columns() -> String {
        headgate_lab::catalog::columns()
    }

    /// Bytes of the longest row of a trace's log of events.
    #[pyfunction]
    fn most_event_bytes() -> usize {
        Event::MOST_BYTES
    }

    /// What numbers stand for in the columns of events, by column.
    #[pyfunction]
    fn event_labels() -> BTreeMap<&'static str, &'static [&'static str]> {
        simulation::Simulation::event_labels()
    }

    /// The first events of a trace's log, `most` of them at most, as a dict of columns, and the bytes that they take.
    /// Raises ValueError if these are no rows.
    #[pyfunction]
    fn read_events<'py>(py: Python<'py>, log: &[u8], most: usize) -> PyResult<(Bound<'py, PyDict>, usize)> {
        let (rows, used) = trace_log::read::<Event>(log, most).ok_or_else(no_rows)?;
        Ok((arrays(py, tables::events(&rows))?, used))
    }

    /// The connections of a trace's log, as a dict of columns. Raises ValueError if they are no rows.
    #[pyfunction]
    fn read_connections<'py>(py: Python<'py>, log: &[u8]) -> PyResult<Bound<'py, PyDict>> {
        let (rows, _) = trace_log::read::<Connection>(log, usize::MAX).ok_or_else(no_rows)?;
        arrays(py, tables::connections(&rows))
    }

    fn no_rows() -> PyErr {
        PyValueError::new_err("the trace's log has rows that are none")
    }

    /// Raises ValueError("place: sentence") if the plan is wrong.
    #[pyfunction]
    fn check_plan(py: Python<'_>, plan_json: &str, arrays: Arrays<'_>) -> PyResult<()> {
        let lists = copied(&arrays);
        py.detach(|| validate(plan_json, &lists)).map(drop).map_err(refused)
    }

    /// One run. Raises ValueError("place: sentence") if the plan is wrong.
    #[pyclass]
    struct Simulation {
        run: simulation::Simulation,
        own: OwnAtWork,
        arrivals: VecDeque<simulation::Arrival>,
        ends_ps: u64,
    }

    #[pymethods]
    impl Simulation {
        /// `own` are the plan's own laws and disciplines, in its order.
        #[new]
        #[pyo3(signature = (plan_json, arrays, own = Vec::new()))]
        fn new(py: Python<'_>, plan_json: &str, arrays: Arrays<'_>, own: Vec<Py<OwnCode>>) -> PyResult<Self> {
            let lists = copied(&arrays);
            Self::bound(py, own, |own| simulation::Simulation::new(plan_json, &lists, own))
        }

        /// Goes on from a snapshot of the same plan, which begins at a place in a file; OSError if it
        /// cannot be read, ValueError if it is damaged or of another plan.
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

        /// No more packets than this may be under way: a run that needs more ends with an ExcessError.
        fn limit(&mut self, packets: usize) {
            self.run.limit(packets);
        }

        /// Runs on so many threads from now on; results do not depend on it. On one, whatever is asked for,
        /// where own code is a plain Python class: only one thread at a time may run it.
        fn use_threads(&mut self, threads: usize) {
            self.run.use_threads(if self.own.need_the_gil() { 1 } else { threads });
        }

        /// Runs for about `wall_s` seconds; True when the run is over. Without the GIL, unless a law or
        /// a discipline is a plain Python class. Raises OwnFaultError if own code fails, ExcessError if a law or the
        /// network exceeds a limit of the engine.
        fn advance(&mut self, py: Python<'_>, wall_s: f64) -> PyResult<bool> {
            let Self { run, own, .. } = self;
            let over = own.detached(py, || run.advance(wall_s));
            if let Some(fault) = run.fault() {
                return Err(own.fault(py, fault));
            }
            run.excess().map_or(Ok(over), |excess| Err(exceeded(excess)))
        }

        /// Writes the state of the run at the end of a file. OSError if the file cannot take it,
        /// ValueError if the state cannot be told.
        fn snapshot(&self, py: Python<'_>, file: PathBuf) -> PyResult<()> {
            let mut file = OpenOptions::new().append(true).create(true).open(file)?;
            self.own.detached(py, || self.run.snapshot(&mut file)).map_err(refused)??;
            Ok(file.sync_all()?)
        }

        /// Notes events of these flows, and of all packets at these links, from now on: by their numbers in the
        /// plan. Results do not depend on it.
        fn follow(&mut self, flows: BTreeSet<u32>, links: BTreeSet<u32>) {
            self.run.follow(flows, links);
        }

        /// Samples and events since the last call, by table, as dicts of columns.
        fn take_updates<'py>(&mut self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
            let found = py.detach(|| self.run.take_updates());
            let all = PyDict::new(py);
            for table in found {
                all.set_item(table.name, arrays(py, table)?)?;
            }
            all.set_item("labels", simulation::Simulation::event_labels())?;
            Ok(all)
        }

        /// Events since the last call, `most` of them at most, and the connections that have their first one among
        /// them: rows of a log, how many events they are, and when the first one happened that is beyond them.
        fn take_trace<'py>(
            &mut self,
            py: Python<'py>,
            most: usize,
        ) -> (Bound<'py, PyBytes>, Bound<'py, PyBytes>, usize, Option<u64>) {
            let log = py.detach(|| self.run.take_trace(most));
            (PyBytes::new(py, &log.events), PyBytes::new(py, &log.connections), log.count, log.ended)
        }

        /// Tables as dicts of columns, and what belongs to the whole run.
        fn results<'py>(&mut self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
            let found = py.detach(|| self.run.results());
            results(py, found)
        }

        /// Packets that come from outside, as an emulation stored them, and when that ended, ps; for `replay`. ValueError if
        /// the columns are not whole.
        fn expect(&mut self, arrivals: Arrays<'_>, ends_ps: u64) -> PyResult<()> {
            (self.arrivals, self.ends_ps) = (read_arrivals(&arrivals)?, ends_ps);
            Ok(())
        }

        /// As `advance`, for about `sim_ps` of simulated time, with the packets that `expect` was given. ValueError if one of
        /// them cannot come.
        fn replay(&mut self, py: Python<'_>, sim_ps: u64) -> PyResult<bool> {
            let Self { run, own, arrivals, ends_ps } = self;
            let until = run.now().saturating_add(sim_ps).min(*ends_ps);
            let over = own.detached(py, || {
                let over = run.advance_with(arrivals, until)?;
                run.take_outcomes();
                if !over && until == *ends_ps {
                    run.end_at(until);
                    return run.advance_with(arrivals, u64::MAX);
                }
                Ok(over)
            });
            if let Some(fault) = run.fault() {
                return Err(own.fault(py, fault));
            }
            if let Some(excess) = run.excess() {
                return Err(exceeded(excess));
            }
            over.map_err(|refused: simulation::Refused| PyValueError::new_err(format!("arrivals: {refused}")))
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
            make: impl FnOnce(Own) -> Checked<simulation::Simulation> + Send,
        ) -> PyResult<Self> {
            let own = OwnAtWork::new(py, own)?;
            let given = own.own();
            let run = own.detached(py, || make(given)).map_err(refused)?;
            Ok(Self { run, own, arrivals: VecDeque::new(), ends_ps: u64::MAX })
        }
    }

    /// Copies, because Python may change an array while the run reads it.
    fn copied(arrays: &Arrays<'_>) -> BTreeMap<String, Vec<u64>> {
        arrays.iter().map(|(name, column)| (name.clone(), column.as_array().to_vec())).collect()
    }
}
