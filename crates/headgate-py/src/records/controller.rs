//! The records of a congestion control algorithm.

use headgate_lab::control;
use pyo3::prelude::*;

use super::record;

record! { control, "headgate.plugin",
    /// The transport's estimates of the path.
    Path { srtt_s: f64 = 0.1, min_rtt_s: f64 = 0.1, segment_bytes: u32 = 1500 }
}

record! { control, "headgate.plugin",
    /// A delivery-rate sample; all zero unless the algorithm sets `wants_rate`.
    Rate {
        per_s: f64 = 0.0,
        interval_s: f64 = 0.0,
        delivered: f64 = 0.0,
        newly: f64 = 0.0,
        prior: f64 = 0.0,
        then_in_flight: f64 = 0.0,
        lost: f64 = 0.0,
        lost_since: f64 = 0.0,
        newly_lost: f64 = 0.0,
        in_flight: f64 = 0.0,
        rtt_s: f64 = 0.0,
        wait_s: f64 = 0.0,
        app_limited: bool = false,
    }
}

record! { control, "headgate.plugin",
    /// The content of one acknowledgement.
    Ack {
        now_s: f64 = 0.0,
        acked: f64 = 1.0,
        rtt_s: f64 = 0.1,
        in_flight: u32 = 10,
        round_start: bool = false,
        cwnd_limited: bool = true,
        recovers: bool = false,
        after_timeout: bool = false,
        marked: f64 = 0.0,
        rate: Rate = Rate(control::Rate::default()),
        paced: bool = false,
    }
}

record! { control, "headgate.plugin",
    /// A congestion event.
    Congestion { cause: Cause = Cause(control::Cause::Loss), now_s: f64 = 0.0, in_flight: u32 = 10 }
}

impl From<control::Rate> for Rate {
    fn from(rate: control::Rate) -> Self {
        Self(rate)
    }
}

impl From<Rate> for control::Rate {
    fn from(rate: Rate) -> Self {
        rate.0
    }
}

impl<'py> FromPyObject<'_, 'py> for Rate {
    type Error = PyErr;

    fn extract(given: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        Ok(Self(given.cast::<Self>()?.borrow().0))
    }
}

/// A cause as a number in Python: `LOSS`, `TIMEOUT`, `MARK`.
pub struct Cause(control::Cause);

impl From<control::Cause> for Cause {
    fn from(cause: control::Cause) -> Self {
        Self(cause)
    }
}

impl From<Cause> for control::Cause {
    fn from(cause: Cause) -> Self {
        cause.0
    }
}

impl<'py> FromPyObject<'_, 'py> for Cause {
    type Error = PyErr;

    fn extract(given: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        let all = [control::Cause::Loss, control::Cause::Timeout, control::Cause::Mark];
        let number = given.extract::<usize>()?;
        let says = "a cause is LOSS, TIMEOUT or MARK";
        all.get(number).copied().map(Self).ok_or_else(|| pyo3::exceptions::PyValueError::new_err(says))
    }
}

impl<'py> IntoPyObject<'py> for Cause {
    type Target = pyo3::types::PyInt;
    type Output = Bound<'py, Self::Target>;
    type Error = std::convert::Infallible;

    fn into_pyobject(self, py: Python<'py>) -> Result<Self::Output, Self::Error> {
        (self.0 as u32).into_pyobject(py)
    }
}

/// The output of a congestion control algorithm, which the transport obeys.
#[pyclass(module = "headgate.plugin")]
pub struct Window(pub control::Window);

#[pymethods]
impl Window {
    #[new]
    #[pyo3(signature = (cwnd = 10.0, ssthresh = f64::INFINITY, pace = f64::INFINITY))]
    fn new(cwnd: f64, ssthresh: f64, pace: f64) -> Self {
        Self(control::Window { cwnd, ssthresh, pace })
    }

    #[getter]
    fn cwnd(&self) -> f64 {
        self.0.cwnd
    }

    #[setter]
    fn set_cwnd(&mut self, cwnd: f64) {
        self.0.cwnd = cwnd;
    }

    #[getter]
    fn ssthresh(&self) -> f64 {
        self.0.ssthresh
    }

    #[setter]
    fn set_ssthresh(&mut self, ssthresh: f64) {
        self.0.ssthresh = ssthresh;
    }

    #[getter]
    fn pace(&self) -> f64 {
        self.0.pace
    }

    #[setter]
    fn set_pace(&mut self, pace: f64) {
        self.0.pace = pace;
    }

    /// Whether the window is below `ssthresh`.
    fn slow_starts(&self) -> bool {
        self.0.slow_starts()
    }

    /// Slow start by `acked` segments, up to `ssthresh`. Return the segments that remain.
    fn slow_start(&mut self, acked: f64) -> f64 {
        self.0.slow_start(acked)
    }

    fn __repr__(&self) -> String {
        format!("{:?}", self.0)
    }
}
