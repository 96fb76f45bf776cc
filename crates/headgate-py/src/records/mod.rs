//! The records of user-defined code, for Python. One object of each kind serves every call of a run.

mod controller;
mod discipline;

/// A read-only record: its fields with defaults, for trials by hand.
macro_rules! record {
    ($of:ident, $module:literal, $(#[$about:meta])* $Name:ident { $($field:ident: $kind:ty = $default:expr),+ $(,)? }) => {
        $(#[$about])*
        #[pyclass(module = $module)]
        pub struct $Name(pub $of::$Name);

        #[pymethods]
        impl $Name {
            #[new]
            #[pyo3(signature = (*, $($field = $default),+))]
            #[allow(clippy::too_many_arguments)] // one per field, all by name
            fn new($($field: $kind),+) -> Self {
                Self($of::$Name { $($field: $field.into()),+ })
            }

            $(#[getter]
            fn $field(&self) -> $kind {
                self.0.$field.into()
            })+

            fn __repr__(&self) -> String {
                format!("{:?}", self.0)
            }
        }
    };
}
use record;

pub use controller::{Ack, Congestion, Path, Rate, Sample, Window};
pub use discipline::{Backlog, Decision, Packet};
