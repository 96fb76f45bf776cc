//! A law that is a plain Python class: one object a flow, called through the interpreter.

use std::sync::{Mutex, MutexGuard, PoisonError};

use headgate_lab::control;
use headgate_lab::plugin::{Event, ExternalController, State, Traits};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyTuple};

use crate::records::{Ack, Congestion, Path, Rate, Window};

/// The class at work in one run.
pub struct Plain {
    code: Code,
    traits: Traits,
    records: Records,
    flows: Mutex<Flows>,
    raised: Mutex<Option<PyErr>>,
}

/// What Python does for the class: `make()` gives the object of a flow, `dump(object)` its state as
/// bytes, `load(bytes)` the object again.
pub struct Code {
    pub make: Py<PyAny>,
    pub dump: Py<PyAny>,
    pub load: Py<PyAny>,
}

impl Code {
    pub fn clone_ref(&self, py: Python<'_>) -> Self {
        let Self { make, dump, load } = self;
        Self { make: make.clone_ref(py), dump: dump.clone_ref(py), load: load.clone_ref(py) }
    }
}

/// The records of every call, and the tuples they are handed over in.
struct Records {
    ack: Py<Ack>,
    event: Py<Congestion>,
    sent: Py<Rate>,
    path: Py<Path>,
    window: Py<Window>,
    on_ack: Py<PyTuple>,
    on_congestion: Py<PyTuple>,
    on_segment_lost: Py<PyTuple>,
}

/// One flow's object and its bound methods.
struct Flow {
    object: Py<PyAny>,
    on_ack: Py<PyAny>,
    on_congestion: Py<PyAny>,
    on_start: Option<Py<PyAny>>,
    on_recovered: Option<Py<PyAny>>,
    on_recovery_ack: Option<Py<PyAny>>,
    on_segment_lost: Option<Py<PyAny>>,
}

#[derive(Default)]
struct Flows {
    all: Vec<Option<Flow>>,
    free: Vec<usize>,
}

impl Plain {
    pub fn new(py: Python<'_>, code: Code, traits: Traits) -> PyResult<Self> {
        let records = Records::new(py)?;
        Ok(Self { code, traits, records, flows: Mutex::default(), raised: Mutex::default() })
    }

    /// The exception that ended the run, if one did.
    pub fn raised(&self) -> Option<PyErr> {
        locked(&self.raised).take()
    }

    fn settle(&self, py: Python<'_>, object: Py<PyAny>) -> PyResult<State> {
        let flow = Flow::new(py, object)?;
        let mut flows = locked(&self.flows);
        let index = flows.free.pop().unwrap_or(flows.all.len());
        if index == flows.all.len() {
            flows.all.push(Some(flow));
        } else {
            flows.all[index] = Some(flow);
        }
        Ok([index as u64].into())
    }

    /// Keeps the exception, for its traceback.
    fn told<T>(&self, result: PyResult<T>) -> Result<T, String> {
        result.map_err(|error| {
            let says = error.to_string();
            *locked(&self.raised) = Some(error);
            says
        })
    }

    fn of<T>(&self, state: &[u64], pick: impl FnOnce(&Flow) -> Option<T>) -> Option<T> {
        locked(&self.flows).all[state[0] as usize].as_ref().and_then(pick)
    }

    fn run(&self, py: Python<'_>, event: &Event<'_>, state: &[u64]) -> PyResult<()> {
        let r = &self.records;
        let method =
            |pick: fn(&Flow) -> Option<&Py<PyAny>>| self.of(state, |f| pick(f).map(|m| m.clone_ref(py)));
        let timed = |now_s: f64| (now_s, &r.path, &r.window);
        match *event {
            Event::Ack(ack) => {
                r.ack.bind(py).borrow_mut().0 = *ack;
                called(py, method(|f| Some(&f.on_ack)), &r.on_ack)
            }
            Event::RecoveryAck(ack) => {
                r.ack.bind(py).borrow_mut().0 = *ack;
                called(py, method(|f| f.on_recovery_ack.as_ref()), &r.on_ack)
            }
            Event::Congestion(event) => {
                r.event.bind(py).borrow_mut().0 = *event;
                called(py, method(|f| Some(&f.on_congestion)), &r.on_congestion)
            }
            Event::SegmentLost(sent) => {
                r.sent.bind(py).borrow_mut().0 = *sent;
                called(py, method(|f| f.on_segment_lost.as_ref()), &r.on_segment_lost)
            }
            Event::Start(now_s) => {
                method(|f| f.on_start.as_ref()).map_or(Ok(()), |m| m.call1(py, timed(now_s)).map(drop))
            }
            Event::Recovered(now_s) => {
                method(|f| f.on_recovered.as_ref()).map_or(Ok(()), |m| m.call1(py, timed(now_s)).map(drop))
            }
        }
    }
}

fn called(py: Python<'_>, method: Option<Py<PyAny>>, arguments: &Py<PyTuple>) -> PyResult<()> {
    method.map_or(Ok(()), |method| method.call1(py, arguments.bind(py)).map(drop))
}

/// Nothing is left half done under a lock, so that a panic elsewhere does not matter.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Records {
    fn new(py: Python<'_>) -> PyResult<Self> {
        let event = control::Congestion { cause: control::Cause::Loss, now_s: 0.0, in_flight: 0 };
        let path = control::Path { srtt_s: 0.0, min_rtt_s: f64::INFINITY, segment_bytes: 0 };
        let window = control::Window { cwnd: 1.0, ssthresh: f64::INFINITY, pace: f64::INFINITY };
        let ack = Py::new(py, Ack(control::Ack::default()))?;
        let event = Py::new(py, Congestion(event))?;
        let sent = Py::new(py, Rate(control::Rate::default()))?;
        let (path, window) = (Py::new(py, Path(path))?, Py::new(py, Window(window))?);
        Ok(Self {
            on_ack: (&ack, &path, &window).into_pyobject(py)?.unbind(),
            on_congestion: (&event, &path, &window).into_pyobject(py)?.unbind(),
            on_segment_lost: (&sent, &path, &window).into_pyobject(py)?.unbind(),
            ack,
            event,
            sent,
            path,
            window,
        })
    }
}

impl Flow {
    fn new(py: Python<'_>, object: Py<PyAny>) -> PyResult<Self> {
        let optional = |name: &str| Ok::<_, PyErr>(object.bind(py).getattr_opt(name)?.map(Bound::unbind));
        Ok(Self {
            on_ack: object.getattr(py, "on_ack")?,
            on_congestion: object.getattr(py, "on_congestion")?,
            on_start: optional("on_start")?,
            on_recovered: optional("on_recovered")?,
            on_recovery_ack: optional("on_recovery_ack")?,
            on_segment_lost: optional("on_segment_lost")?,
            object,
        })
    }
}

impl ExternalController for Plain {
    fn traits(&self) -> Traits {
        self.traits
    }

    fn fresh(&self) -> Result<State, String> {
        Python::attach(|py| {
            let made = self.code.make.call0(py).and_then(|object| self.settle(py, object));
            self.told(made)
        })
    }

    fn call(
        &self,
        event: &Event<'_>,
        state: &mut [u64],
        path: &control::Path,
        window: &mut control::Window,
    ) -> Result<(), String> {
        Python::attach(|py| {
            let records = &self.records;
            records.path.bind(py).borrow_mut().0 = *path;
            records.window.bind(py).borrow_mut().0 = *window;
            let done = self.run(py, event, state);
            *window = records.window.bind(py).borrow().0;
            self.told(done)
        })
    }

    fn keep(&self, state: &[u64]) -> Result<Vec<u8>, String> {
        Python::attach(|py| {
            let object = self.of(state, |flow| Some(flow.object.clone_ref(py))).ok_or("it has no object")?;
            let dumped = self.code.dump.call1(py, (object,));
            let bytes = dumped.and_then(|dumped| dumped.extract::<Vec<u8>>(py));
            bytes.map_err(|error| error.value(py).to_string())
        })
    }

    fn restore(&self, kept: &[u8]) -> Result<State, String> {
        Python::attach(|py| {
            let loaded = self.code.load.call1(py, (PyBytes::new(py, kept),));
            let settled = loaded.and_then(|object| self.settle(py, object));
            settled.map_err(|error| format!("an own law's state cannot be read ({error})"))
        })
    }

    fn release(&self, state: &[u64]) {
        let mut flows = locked(&self.flows);
        let index = state[0] as usize;
        let gone = flows.all[index].take();
        flows.free.push(index);
        drop(flows);
        drop(gone); // runs the object's own end, which may take any time
    }
}
