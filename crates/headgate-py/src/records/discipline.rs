//! The records of a queue discipline.

use headgate_lab::queue;
use pyo3::prelude::*;

use super::record;

record! { queue, "headgate.plugin",
    /// A port.
    Backlog {
        now_s: f64 = 0.0,
        packets: f64 = 0.0,
        present: f64 = 0.0,
        bytes: f64 = 0.0,
        held_bytes: f64 = 0.0,
        wait_s: f64 = 0.0,
        idle_s: f64 = 0.0,
        rate_bytes_s: f64 = 1.25e6,
    }
}

record! { queue, "headgate.plugin",
    /// A packet that arrives, or is the next to leave.
    Packet {
        flow: u64 = 0,
        wait_s: f64 = 0.0,
        rank: f64 = 0.0,
        size_bytes: u32 = 1500,
        capable: bool = true,
        ecn: u32 = 2,
    }
}

/// A discipline's decision on a packet.
#[pyclass(module = "headgate.plugin")]
pub struct Decision(pub queue::Decision);

#[pymethods]
impl Decision {
    #[new]
    #[pyo3(signature = (draws = [0.5; queue::DRAWS]))]
    fn new(draws: queue::Draws) -> Self {
        Self(queue::Decision { draws, ..queue::Decision::default() })
    }

    #[getter]
    fn verdict(&self) -> u32 {
        self.0.verdict
    }

    #[setter]
    fn set_verdict(&mut self, verdict: u32) {
        self.0.verdict = verdict;
    }

    #[getter]
    fn rank(&self) -> f64 {
        self.0.rank
    }

    #[setter]
    fn set_rank(&mut self, rank: f64) {
        self.0.rank = rank;
    }

    /// Number of random numbers that were used.
    #[getter]
    fn drawn(&self) -> u32 {
        self.0.drawn
    }

    /// A random number, uniform in (0, 1].
    fn draw(&mut self) -> f64 {
        self.0.draw()
    }

    fn __repr__(&self) -> String {
        format!("{:?}", self.0)
    }
}
