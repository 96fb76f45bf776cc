//! User-defined code as a plain Python class: one object per flow or port, called through the interpreter.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use headgate_lab::plugin::{External, Interface, PluginError, State};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::arguments::Arguments;

/// The longest text of a value in a message, in characters.
const LONGEST: usize = 60;

/// The class of one run and its objects.
pub struct Plain<A: Arguments> {
    code: Code,
    traits: <A::Interface as Interface>::Traits,
    arguments: A,
    objects: Mutex<Objects>,
    raised: Arc<RaisedError>,
}

/// The exception that ended a run.
#[derive(Default)]
pub struct RaisedError(Mutex<Option<PyErr>>);

impl RaisedError {
    pub fn take(&self) -> Option<PyErr> {
        locked(&self.0).take()
    }
}

/// The Python functions for the class: `make()` creates the object of a flow or a port, `dump(object)`
/// serialises its state, and `load(bytes)` restores the object.
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

/// An object and its bound methods, by their numbers.
struct Object {
    object: Py<PyAny>,
    methods: Vec<Option<Py<PyAny>>>,
}

#[derive(Default)]
struct Objects {
    all: Vec<Option<Object>>,
    free: Vec<usize>,
}

impl<A: Arguments> Plain<A> {
    pub fn new(
        py: Python<'_>,
        code: Code,
        traits: <A::Interface as Interface>::Traits,
        raised: Arc<RaisedError>,
    ) -> PyResult<Self> {
        Ok(Self { code, traits, arguments: A::new(py, &traits)?, objects: Mutex::default(), raised })
    }

    fn settle(&self, py: Python<'_>, object: Py<PyAny>) -> PyResult<State> {
        let object = Object::new(py, object, A::CALLBACKS)?;
        let mut objects = locked(&self.objects);
        let index = objects.free.pop().unwrap_or(objects.all.len());
        if index == objects.all.len() {
            objects.all.push(Some(object));
        } else {
            objects.all[index] = Some(object);
        }
        Ok([index as u64].into())
    }

    /// Keeps the exception for its traceback.
    fn keep_exception<T>(&self, result: PyResult<T>) -> Result<T, PluginError> {
        result.map_err(|error| {
            let message = PluginError::from(error.to_string());
            *locked(&self.raised.0) = Some(error);
            message
        })
    }

    fn of<T>(&self, state: &[u64], pick: impl FnOnce(&Object) -> Option<T>) -> Option<T> {
        locked(&self.objects).all[state[0] as usize].as_ref().and_then(pick)
    }
}

/// Describes a value that a callback returned, which nothing reads.
#[cold]
fn useless<A: Arguments>(py: Python<'_>, callback: usize, returned: &Py<PyAny>) -> PluginError {
    let shown = returned.bind(py).repr().map_or_else(|_| "a value".to_owned(), |text| text.to_string());
    let (shown, sets) = (shown.chars().take(LONGEST).collect::<String>(), A::SETS);
    format!("{} returned {shown}; set {sets} instead", A::CALLBACKS[callback]).into()
}

/// Locks a mutex. Data under these locks is always consistent, so that a panic elsewhere does not matter.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Object {
    fn new(py: Python<'_>, object: Py<PyAny>, callbacks: &[&str]) -> PyResult<Self> {
        let method = |name: &&str| Ok(object.bind(py).getattr_opt(*name)?.map(Bound::unbind));
        let methods: PyResult<Vec<_>> = callbacks.iter().map(method).collect();
        Ok(Self { methods: methods?, object })
    }
}

impl<A: Arguments> External<A::Interface> for Plain<A> {
    fn traits(&self) -> <A::Interface as Interface>::Traits {
        self.traits
    }

    fn initial_state(&self) -> Result<State, PluginError> {
        Python::attach(|py| {
            let made = self.code.make.call0(py).and_then(|object| self.settle(py, object));
            self.keep_exception(made)
        })
    }

    fn call(
        &self,
        event: &<A::Interface as Interface>::Event<'_>,
        state: &mut [u64],
        around: &<A::Interface as Interface>::Surroundings,
        out: &mut <A::Interface as Interface>::Outputs,
    ) -> Result<(), PluginError> {
        Python::attach(|py| {
            let of = |object: &Object| object.methods[A::number(event)].as_ref().map(|m| m.clone_ref(py));
            let Some(method) = self.of(state, of) else { return Ok(()) };
            let arguments = self.arguments.fill(py, event, around, out);
            let returned = arguments.and_then(|all| method.call1(py, all));
            *out = self.arguments.read(py);
            let returned = self.keep_exception(returned)?;
            if returned.is_none(py) { Ok(()) } else { Err(useless::<A>(py, A::number(event), &returned)) }
        })
    }

    fn keep(&self, state: &[u64]) -> Result<Vec<u8>, PluginError> {
        Python::attach(|py| {
            let of = |object: &Object| Some(object.object.clone_ref(py));
            let object = self.of(state, of).ok_or("it has no object")?;
            let dumped = self.code.dump.call1(py, (object,));
            let bytes = dumped.and_then(|dumped| dumped.extract::<Vec<u8>>(py));
            bytes.map_err(|error| error.value(py).to_string().into())
        })
    }

    fn restore(&self, kept: &[u8]) -> Result<State, PluginError> {
        Python::attach(|py| {
            let loaded = self.code.load.call1(py, (PyBytes::new(py, kept),));
            let settled = loaded.and_then(|object| self.settle(py, object));
            settled.map_err(|error| {
                let noun = <A::Interface as Interface>::NOUN;
                format!("an own {noun}'s state cannot be read ({error})").into()
            })
        })
    }

    fn release(&self, state: &[u64]) {
        let mut objects = locked(&self.objects);
        let index = state[0] as usize;
        let gone = objects.all[index].take();
        objects.free.push(index);
        drop(objects);
        drop(gone); // runs the object's destructor, which may take any time
    }
}
