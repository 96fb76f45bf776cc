//! The records of a congestion control algorithm.

use headgate_lab::control;
use pyo3::exceptions::PyValueError;
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
        rate: Sample = Sample(control::Rate::default()),
        paced: bool = false,
    }
}

record! { control, "headgate.plugin",
    /// A congestion event.
    Congestion { cause: Cause = Cause(control::Cause::Loss), now_s: f64 = 0.0, in_flight: u32 = 10 }
}

/// The delivery rate of an ACK. Its interval is NaN if the engine took no sample.
pub struct Sample(control::Rate);

impl Sample {
    /// The record of an algorithm without `wants_rate`. Reading it raises an exception.
    pub fn missing() -> control::Rate {
        control::Rate { interval_s: f64::NAN, ..control::Rate::default() }
    }

    /// Raises ValueError if the engine took no sample.
    pub fn require(rate: &control::Rate) -> PyResult<()> {
        if rate.interval_s.is_nan() {
            let says = "ack.rate is not measured; set wants_rate = True on the class";
            return Err(PyValueError::new_err(says));
        }
        Ok(())
    }
}

impl From<control::Rate> for Sample {
    fn from(rate: control::Rate) -> Self {
        Self(rate)
    }
}

impl From<Sample> for control::Rate {
    fn from(sample: Sample) -> Self {
        sample.0
    }
}

impl<'py> FromPyObject<'_, 'py> for Sample {
    type Error = PyErr;

    fn extract(given: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        Ok(Self(given.cast::<Rate>()?.borrow().0))
    }
}

impl<'py> IntoPyObject<'py> for Sample {
    type Target = Rate;
    type Output = Bound<'py, Rate>;
    type Error = PyErr;

    fn into_pyobject(self, py: Python<'py>) -> PyResult<Self::Output> {
        Self::require(&self.0)?;
        Bound::new(py, Rate(self.0))
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
        all.get(number).copied().map(Self).ok_or_else(|| PyValueError::new_err(says))
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
pub struct Window {
    pub values: control::Window,
    /// The windows before and after slow start in this record, if it used up all segments.
    grown: Option<(f64, f64)>,
}

impl From<control::Window> for Window {
    fn from(values: control::Window) -> Self {
        Self { values, grown: None }
    }
}

#[pymethods]
impl Window {
    #[new]
    #[pyo3(signature = (cwnd = 10.0, ssthresh = f64::INFINITY, pace = f64::INFINITY))]
    fn new(cwnd: f64, ssthresh: f64, pace: f64) -> Self {
        control::Window { cwnd, ssthresh, pace }.into()
    }

    #[getter]
    fn cwnd(&self) -> f64 {
        self.values.cwnd
    }

    #[setter]
    fn set_cwnd(&mut self, cwnd: f64) {
        self.values.cwnd = cwnd;
    }

    #[getter]
    fn ssthresh(&self) -> f64 {
        self.values.ssthresh
    }

    #[setter]
    fn set_ssthresh(&mut self, ssthresh: f64) {
        self.values.ssthresh = ssthresh;
    }

    #[getter]
    fn pace(&self) -> f64 {
        self.values.pace
    }

    #[setter]
    fn set_pace(&mut self, pace: f64) {
        self.values.pace = pace;
    }

    /// Whether the window is below `ssthresh`.
    fn slow_starts(&self) -> bool {
        self.values.slow_starts()
    }

    /// Slow start by `acked` segments, up to `ssthresh`. Return the segments that remain.
    ///
    /// It changes `cwnd`: write `left = window.slow_start(acked)` first. `window.cwnd += ...` reads
    /// `cwnd` before a call on its right side, and so loses the growth.
    fn slow_start(&mut self, acked: f64) -> f64 {
        let before = self.values.cwnd;
        let left = self.values.slow_start(acked);
        if left == 0.0 && self.values.cwnd > before {
            let first = self.grown.map_or(before, |(first, _)| first);
            self.grown = Some((first, self.values.cwnd));
        }
        left
    }

    /// The windows before and after slow start in this record, if it used up all segments.
    #[getter]
    fn _grown(&self) -> Option<(f64, f64)> {
        self.grown
    }

    fn __repr__(&self) -> String {
        format!("{:?}", self.values)
    }
}
