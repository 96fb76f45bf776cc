//! Users' own laws on their way from Python into a run.

use std::ffi::CStr;
use std::sync::Arc;

use headgate_lab::control::Echo;
use headgate_lab::plugin::compiled::Compiled;
use headgate_lab::plugin::{Call, ExternalController, ExternalRuntime, Fault, Given, Traits};
use pyo3::exceptions::{PyException, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyCapsule, PyCapsuleMethods, PyTuple};

use crate::plain::{Code, Plain};
use crate::records::{Ack, Congestion, Path, Rate, Window};

pyo3::create_exception!(
    _native,
    LawFaultError,
    PyException,
    "An own law cannot go on; __cause__ tells more."
);

/// The name of a capsule that holds a `headgate_law_v1`.
const TABLE: &CStr = c"headgate_law_v1";

/// A user's own law, made ready: a Python class, or a table of compiled functions.
#[pyclass(frozen)]
pub struct OwnLaw {
    name: String,
    kind: Kind,
}

enum Kind {
    Plain {
        code: Code,
        traits: Traits,
    },
    /// The object keeps the functions in memory.
    Compiled {
        law: Arc<Compiled>,
        _keeps: Py<PyAny>,
    },
}

#[pymethods]
impl OwnLaw {
    /// `code`: `make()` gives the object of each new flow, `dump(object)` its state as bytes, and
    /// `load(bytes)` the object again.
    #[staticmethod]
    #[pyo3(signature = (name, code, *, per_round, keeps_window, wants_rate, echo))]
    fn plain(
        name: String,
        code: (Py<PyAny>, Py<PyAny>, Py<PyAny>),
        per_round: bool,
        keeps_window: bool,
        wants_rate: bool,
        echo: &str,
    ) -> PyResult<Self> {
        let echo = match echo {
            "none" => Echo::None,
            "latched" => Echo::Latched,
            "accurate" => Echo::Accurate,
            _ => return Err(PyValueError::new_err(format!("{echo:?} is no echo"))),
        };
        let traits = Traits { per_round, keeps_window, wants_rate, echo };
        let (make, dump, load) = code;
        Ok(Self { name, kind: Kind::Plain { code: Code { make, dump, load }, traits } })
    }

    /// The `headgate_law_v1` in a capsule of that name; `keeps` holds its functions in memory.
    #[staticmethod]
    fn compiled(name: String, table: &Bound<'_, PyCapsule>, keeps: Py<PyAny>) -> PyResult<Self> {
        let table = table.pointer_checked(Some(TABLE))?;
        #[allow(unsafe_code)] // who made a capsule of that name vouches for what is in it
        let law = unsafe { Compiled::read(table.as_ptr()) }.map_err(PyValueError::new_err)?;
        Ok(Self { name, kind: Kind::Compiled { law: Arc::new(law), _keeps: keeps } })
    }
}

/// The own laws of one run.
pub struct OwnLaws {
    hosts: Vec<Arc<ExternalRuntime>>,
    plain: Vec<Arc<Plain>>,
    _keeps: Vec<Py<OwnLaw>>,
}

impl OwnLaws {
    pub fn at_work(py: Python<'_>, laws: Vec<Py<OwnLaw>>) -> PyResult<Self> {
        let (mut hosts, mut plain) = (Vec::new(), Vec::new());
        for law in &laws {
            let OwnLaw { name, kind } = law.get();
            let guest: Arc<dyn ExternalController> = match kind {
                Kind::Plain { code, traits } => {
                    let law = Arc::new(Plain::new(py, code.clone_ref(py), *traits)?);
                    plain.push(Arc::clone(&law));
                    law
                }
                Kind::Compiled { law, .. } => Arc::clone(law) as Arc<dyn ExternalController>,
            };
            hosts.push(Arc::new(ExternalRuntime::new(name.clone(), guest)));
        }
        Ok(Self { hosts, plain, _keeps: laws })
    }

    pub fn hosts(&self) -> Vec<Arc<ExternalRuntime>> {
        self.hosts.clone()
    }

    /// Whether a law is a Python class that is called as such.
    pub fn need_the_gil(&self) -> bool {
        !self.plain.is_empty()
    }

    /// Works without the interpreter's lock, unless a law needs it at every ACK.
    pub fn detached<T: Send>(&self, py: Python<'_>, work: impl FnOnce() -> T + Send) -> T {
        if self.need_the_gil() { work() } else { py.detach(work) }
    }

    /// What Python hears of a fault: law, place, sentence, and the call; the exception, if the law
    /// raised one, is its cause.
    pub fn fault(&self, py: Python<'_>, fault: &Fault) -> PyErr {
        let Fault { law, place, says, call } = fault.clone();
        let call = call.and_then(|call| seen(py, call).ok());
        let error = LawFaultError::new_err((law, place, says, call.map(Bound::unbind)));
        error.set_cause(py, self.plain.iter().find_map(|law| law.raised()));
        error
    }
}

/// A call as Python can make it: callback, what it was given, path, window, and the state's bytes.
fn seen(py: Python<'_>, call: Call) -> PyResult<Bound<'_, PyTuple>> {
    let given = match call.given {
        Given::Time(now_s) => now_s.into_pyobject(py)?.into_any(),
        Given::Ack(ack) => Bound::new(py, Ack(ack))?.into_any(),
        Given::Rate(sent) => Bound::new(py, Rate(sent))?.into_any(),
        Given::Congestion(event) => Bound::new(py, Congestion(event))?.into_any(),
    };
    let state = PyBytes::new(py, &call.state);
    (call.callback, given, Path(call.path), Window(call.window), state).into_pyobject(py)
}
