//! User-defined algorithms and disciplines from Python.

use std::ffi::CStr;
use std::sync::Arc;

use headgate_lab::control::Echo;
use headgate_lab::plugin::compiled::{Compiled, ControllerFunctions, DisciplineFunctions, Functions};
use headgate_lab::plugin::{
    Call, CallArgs, DisciplineTraits, External, Fault, Interface, PluginError, Runtime, Traits, Trigger,
};
use headgate_lab::user_code::UserCode;
use pyo3::exceptions::{PyException, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyCapsule, PyCapsuleMethods, PyTuple};

use crate::arguments::{Arguments, ControllerArguments, DisciplineArguments};
use crate::plain::{Code, Plain, RaisedError};
use crate::records::{Ack, Backlog, Congestion, Decision, Packet, Path, Rate, Window};

pyo3::create_exception!(
    _native,
    OwnFaultError,
    PyException,
    "A user-defined algorithm or discipline failed; __cause__ is the exception that it raised, if any."
);

/// The functions for a class, as in [`Code`].
type Callables = (Py<PyAny>, Py<PyAny>, Py<PyAny>);

/// Prepared user-defined code: a Python class, or a table of compiled functions.
#[pyclass(frozen)]
pub struct OwnCode {
    name: String,
    kind: Kind,
    /// The object that keeps compiled functions in memory.
    _keeps: Option<Py<PyAny>>,
}

enum Kind {
    PlainController(Code, Traits),
    PlainDiscipline(Code, DisciplineTraits),
    Controller(Arc<Compiled<ControllerFunctions>>),
    Discipline(Arc<Compiled<DisciplineFunctions>>),
}

#[pymethods]
impl OwnCode {
    /// `code`: `make()` creates the object of each new flow, `dump(object)` serialises its state, and
    /// `load(bytes)` restores the object.
    #[staticmethod]
    #[pyo3(name = "cca", signature = (name, code, *, per_round, controls_cwnd_in_recovery, wants_rate, echo))]
    fn controller(
        name: String,
        code: Callables,
        per_round: bool,
        controls_cwnd_in_recovery: bool,
        wants_rate: bool,
        echo: &str,
    ) -> PyResult<Self> {
        let echo = match echo {
            "none" => Echo::None,
            "latched" => Echo::Latched,
            "accurate" => Echo::Accurate,
            _ => {
                return Err(PyValueError::new_err(format!(
                    "{echo:?} is not an echo; it must be none, latched or accurate"
                )));
            }
        };
        let traits = Traits { per_round, controls_cwnd_in_recovery, wants_rate, echo };
        Ok(Self { name, kind: Kind::PlainController(in_python(code), traits), _keeps: None })
    }

    /// As [`Self::controller`], with an object for each port. Raises ValueError if the tick period is
    /// invalid.
    #[staticmethod]
    #[pyo3(signature = (name, code, *, on_departure, on_tick, ranks, tick_s))]
    fn discipline(
        name: String,
        code: Callables,
        on_departure: bool,
        on_tick: bool,
        ranks: bool,
        tick_s: f64,
    ) -> PyResult<Self> {
        let traits = DisciplineTraits { on_departure, ranks, tick_s };
        let traits = traits.checked(on_tick).map_err(value_error)?;
        Ok(Self { name, kind: Kind::PlainDiscipline(in_python(code), traits), _keeps: None })
    }

    /// Read the table in a capsule, whose name states its kind; `keeps` keeps its functions in memory.
    #[staticmethod]
    fn compiled(name: String, table: &Bound<'_, PyCapsule>, keeps: Py<PyAny>) -> PyResult<Self> {
        let is_controller = table.is_valid_checked(Some(ControllerFunctions::NAME));
        let kind =
            if is_controller { Kind::Controller(read(table)?) } else { Kind::Discipline(read(table)?) };
        Ok(Self { name, kind, _keeps: Some(keeps) })
    }
}

fn value_error(error: PluginError) -> PyErr {
    PyValueError::new_err(error.to_string())
}

fn in_python((make, dump, load): Callables) -> Code {
    Code { make, dump, load }
}

/// Reads a table from a capsule of its name.
fn read<F: Functions>(table: &Bound<'_, PyCapsule>) -> PyResult<Arc<Compiled<F>>> {
    let name: &CStr = F::NAME;
    let table = table.pointer_checked(Some(name))?;
    #[allow(unsafe_code)] // the creator of a capsule of that name guarantees its contents
    let compiled = unsafe { Compiled::read(table.as_ptr()) };
    compiled.map(Arc::new).map_err(value_error)
}

/// The user-defined code of one run.
pub struct RunningPlugins {
    user_code: UserCode,
    raised: Vec<Arc<RaisedError>>,
    _keeps: Vec<Py<OwnCode>>,
}

impl RunningPlugins {
    /// Creates it from algorithms and disciplines, each in the order of the plan.
    pub fn new(py: Python<'_>, codes: Vec<Py<OwnCode>>) -> PyResult<Self> {
        let mut new = Self { user_code: UserCode::default(), raised: Vec::new(), _keeps: Vec::new() };
        for code in &codes {
            new.add(py, code.get())?;
        }
        Ok(Self { _keeps: codes, ..new })
    }

    fn add(&mut self, py: Python<'_>, OwnCode { name, kind, .. }: &OwnCode) -> PyResult<()> {
        match kind {
            Kind::PlainController(code, traits) => {
                let external = self.plain::<ControllerArguments>(py, code, *traits)?;
                self.user_code.controllers.push(with_runtime(name, external));
            }
            Kind::PlainDiscipline(code, traits) => {
                let external = self.plain::<DisciplineArguments>(py, code, *traits)?;
                self.user_code.disciplines.push(with_runtime(name, external));
            }
            Kind::Controller(controller) => {
                self.user_code.controllers.push(with_runtime(name, controller.clone()))
            }
            Kind::Discipline(queue) => self.user_code.disciplines.push(with_runtime(name, queue.clone())),
        }
        Ok(())
    }

    fn plain<A: Arguments>(
        &mut self,
        py: Python<'_>,
        code: &Code,
        traits: <A::Interface as Interface>::Traits,
    ) -> PyResult<Arc<Plain<A>>> {
        let raised = Arc::new(RaisedError::default());
        self.raised.push(raised.clone());
        Ok(Arc::new(Plain::new(py, code.clone_ref(py), traits, raised)?))
    }

    pub fn user_code(&self) -> UserCode {
        self.user_code.clone()
    }

    /// Whether some of the code is a plain Python class, which is called with the GIL.
    pub fn need_the_gil(&self) -> bool {
        !self.raised.is_empty()
    }

    /// Runs `work` without the GIL, unless a class needs it at every call.
    pub fn detached<T: Send>(&self, py: Python<'_>, work: impl FnOnce() -> T + Send) -> T {
        if self.need_the_gil() { work() } else { py.detach(work) }
    }

    /// Converts a fault to a Python exception: name, place, sentence, and the call. The exception of the
    /// user's code, if any, is its cause.
    pub fn fault(&self, py: Python<'_>, fault: &Fault) -> PyErr {
        let Fault { name, place, message, call } = fault.clone();
        let call = call.and_then(|call| python_call(py, call).ok());
        let error = OwnFaultError::new_err((name, place, message, call.map(Bound::unbind)));
        error.set_cause(py, self.raised.iter().find_map(|raised| raised.take()));
        error
    }
}

fn with_runtime<I: Interface>(name: &str, external: Arc<impl External<I> + 'static>) -> Arc<Runtime<I>> {
    Arc::new(Runtime::new(name.to_owned(), external))
}

/// Converts a call for Python: the callback, its arguments, and the state's bytes.
fn python_call(py: Python<'_>, call: Call) -> PyResult<Bound<'_, PyTuple>> {
    let arguments = match call.args {
        CallArgs::Controller(first, path, window) => {
            (trigger(py, first)?, Path(path), Window::from(window)).into_pyobject(py)?
        }
        CallArgs::Discipline(first, port, decision) => {
            (trigger(py, first)?, Backlog(port), Decision(decision)).into_pyobject(py)?
        }
    };
    (call.callback, arguments, PyBytes::new(py, &call.state)).into_pyobject(py)
}

fn trigger(py: Python<'_>, first: Trigger) -> PyResult<Bound<'_, PyAny>> {
    Ok(match first {
        Trigger::Number(number) => number.into_pyobject(py)?.into_any(),
        Trigger::Ack(ack) => Bound::new(py, Ack(ack))?.into_any(),
        Trigger::Rate(sent) => Bound::new(py, Rate(sent))?.into_any(),
        Trigger::Congestion(event) => Bound::new(py, Congestion(event))?.into_any(),
        Trigger::Packet(packet) => Bound::new(py, Packet(packet))?.into_any(),
    })
}
