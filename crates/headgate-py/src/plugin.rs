//! Users' own laws and disciplines on their way from Python into a run.

use std::ffi::CStr;
use std::sync::Arc;

use headgate_lab::control::Echo;
use headgate_lab::own::Own;
use headgate_lab::plugin::compiled::{Compiled, DisciplineFunctions, Functions, LawFunctions};
use headgate_lab::plugin::{
    Call, DisciplineTraits, External, Fault, Given, Happened, Interface, Runtime, Traits,
};
use pyo3::exceptions::{PyException, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyCapsule, PyCapsuleMethods, PyTuple};

use crate::arguments::{Arguments, DisciplineArguments, LawArguments};
use crate::plain::{Code, Plain, Raised};
use crate::records::{Ack, Backlog, Congestion, Decision, Packet, Path, Rate, Window};

pyo3::create_exception!(
    _native,
    OwnFaultError,
    PyException,
    "A law or discipline of the user's own failed; __cause__ is the exception that it raised, if any."
);

/// What Python does for a class, as [`Code`] has it.
type Callables = (Py<PyAny>, Py<PyAny>, Py<PyAny>);

/// A user's own law or discipline, made ready: a Python class, or a table of compiled functions.
#[pyclass(frozen)]
pub struct OwnCode {
    name: String,
    kind: Kind,
    /// What keeps compiled functions in memory.
    _keeps: Option<Py<PyAny>>,
}

enum Kind {
    PlainLaw(Code, Traits),
    PlainDiscipline(Code, DisciplineTraits),
    Law(Arc<Compiled<LawFunctions>>),
    Discipline(Arc<Compiled<DisciplineFunctions>>),
}

#[pymethods]
impl OwnCode {
    /// `code`: `make()` gives the object of each new flow, `dump(object)` its state as bytes, and
    /// `load(bytes)` the object again.
    #[staticmethod]
    #[pyo3(signature = (name, code, *, per_round, keeps_window, wants_rate, echo))]
    fn law(
        name: String,
        code: Callables,
        per_round: bool,
        keeps_window: bool,
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
        let traits = Traits { per_round, keeps_window, wants_rate, echo };
        Ok(Self { name, kind: Kind::PlainLaw(in_python(code), traits), _keeps: None })
    }

    /// As [`Self::law`], with an object for each port; ValueError if the time between ticks is not right.
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
        let traits = traits.checked(on_tick).map_err(PyValueError::new_err)?;
        Ok(Self { name, kind: Kind::PlainDiscipline(in_python(code), traits), _keeps: None })
    }

    /// The table in a capsule, whose name says which kind it is; `keeps` holds its functions in memory.
    #[staticmethod]
    fn compiled(name: String, table: &Bound<'_, PyCapsule>, keeps: Py<PyAny>) -> PyResult<Self> {
        let is_law = table.is_valid_checked(Some(LawFunctions::NAME));
        let kind = if is_law { Kind::Law(read(table)?) } else { Kind::Discipline(read(table)?) };
        Ok(Self { name, kind, _keeps: Some(keeps) })
    }
}

fn in_python((make, dump, load): Callables) -> Code {
    Code { make, dump, load }
}

/// Reads a table out of a capsule of its name.
fn read<F: Functions>(table: &Bound<'_, PyCapsule>) -> PyResult<Arc<Compiled<F>>> {
    let name: &CStr = F::NAME;
    let table = table.pointer_checked(Some(name))?;
    #[allow(unsafe_code)] // who made a capsule of that name vouches for what is in it
    let compiled = unsafe { Compiled::read(table.as_ptr()) };
    compiled.map(Arc::new).map_err(PyValueError::new_err)
}

/// The own laws and disciplines of one run.
pub struct OwnAtWork {
    own: Own,
    raised: Vec<Arc<Raised>>,
    _keeps: Vec<Py<OwnCode>>,
}

impl OwnAtWork {
    /// Laws and disciplines, each in the order of the plan.
    pub fn new(py: Python<'_>, codes: Vec<Py<OwnCode>>) -> PyResult<Self> {
        let mut new = Self { own: Own::default(), raised: Vec::new(), _keeps: Vec::new() };
        for code in &codes {
            new.add(py, code.get())?;
        }
        Ok(Self { _keeps: codes, ..new })
    }

    fn add(&mut self, py: Python<'_>, OwnCode { name, kind, .. }: &OwnCode) -> PyResult<()> {
        match kind {
            Kind::PlainLaw(code, traits) => {
                let external = self.plain::<LawArguments>(py, code, *traits)?;
                self.own.laws.push(with_runtime(name, external));
            }
            Kind::PlainDiscipline(code, traits) => {
                let external = self.plain::<DisciplineArguments>(py, code, *traits)?;
                self.own.disciplines.push(with_runtime(name, external));
            }
            Kind::Law(law) => self.own.laws.push(with_runtime(name, law.clone())),
            Kind::Discipline(queue) => self.own.disciplines.push(with_runtime(name, queue.clone())),
        }
        Ok(())
    }

    fn plain<A: Arguments>(
        &mut self,
        py: Python<'_>,
        code: &Code,
        traits: <A::Interface as Interface>::Traits,
    ) -> PyResult<Arc<Plain<A>>> {
        let raised = Arc::new(Raised::default());
        self.raised.push(raised.clone());
        Ok(Arc::new(Plain::new(py, code.clone_ref(py), traits, raised)?))
    }

    pub fn own(&self) -> Own {
        self.own.clone()
    }

    /// Whether some of it is a Python class that is called as such.
    pub fn need_the_gil(&self) -> bool {
        !self.raised.is_empty()
    }

    /// Works without the interpreter's lock, unless a class needs it at every call.
    pub fn detached<T: Send>(&self, py: Python<'_>, work: impl FnOnce() -> T + Send) -> T {
        if self.need_the_gil() { work() } else { py.detach(work) }
    }

    /// What Python hears of a fault: name, place, sentence, and the call; the exception, if one was raised, is
    /// its cause.
    pub fn fault(&self, py: Python<'_>, fault: &Fault) -> PyErr {
        let Fault { name, place, says, call } = fault.clone();
        let call = call.and_then(|call| seen(py, call).ok());
        let error = OwnFaultError::new_err((name, place, says, call.map(Bound::unbind)));
        error.set_cause(py, self.raised.iter().find_map(|raised| raised.take()));
        error
    }
}

fn with_runtime<I: Interface>(name: &str, external: Arc<impl External<I> + 'static>) -> Arc<Runtime<I>> {
    Arc::new(Runtime::new(name.to_owned(), external))
}

/// A call as Python can make it: callback, its arguments, and the state's bytes.
fn seen(py: Python<'_>, call: Call) -> PyResult<Bound<'_, PyTuple>> {
    let arguments = match call.given {
        Given::Law(first, path, window) => {
            (happened(py, first)?, Path(path), Window(window)).into_pyobject(py)?
        }
        Given::Discipline(first, port, decision) => {
            (happened(py, first)?, Backlog(port), Decision(decision)).into_pyobject(py)?
        }
    };
    (call.callback, arguments, PyBytes::new(py, &call.state)).into_pyobject(py)
}

fn happened(py: Python<'_>, first: Happened) -> PyResult<Bound<'_, PyAny>> {
    Ok(match first {
        Happened::Number(number) => number.into_pyobject(py)?.into_any(),
        Happened::Ack(ack) => Bound::new(py, Ack(ack))?.into_any(),
        Happened::Rate(sent) => Bound::new(py, Rate(sent))?.into_any(),
        Happened::Congestion(event) => Bound::new(py, Congestion(event))?.into_any(),
        Happened::Packet(packet) => Bound::new(py, Packet(packet))?.into_any(),
    })
}
