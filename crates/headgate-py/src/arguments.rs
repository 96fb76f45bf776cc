//! The records of every call of user-defined code, and the tuples in which they are passed.

use headgate_lab::plugin::{
    Controllers, DisciplineEvent, DisciplineTraits, Disciplines, Event, Interface, Traits,
};
use headgate_lab::{control, queue};
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::records::{Ack, Backlog, Congestion, Decision, Packet, Path, Rate, Sample, Window};

/// The calling convention of a kind of user-defined code.
pub trait Arguments: Sized + Send + Sync {
    type Interface: Interface;
    /// The names of the callbacks, by the number of an event.
    const CALLBACKS: &'static [&'static str];

    /// The value that a call sets, for messages.
    const SETS: &'static str;

    fn new(py: Python<'_>, traits: &<Self::Interface as Interface>::Traits) -> PyResult<Self>;

    fn number(event: &<Self::Interface as Interface>::Event<'_>) -> usize;

    /// Writes the arguments of a call into the records, and returns these in order.
    fn fill<'py>(
        &self,
        py: Python<'py>,
        event: &<Self::Interface as Interface>::Event<'_>,
        around: &<Self::Interface as Interface>::Surroundings,
        out: &<Self::Interface as Interface>::Outputs,
    ) -> PyResult<Bound<'py, PyTuple>>;

    /// Returns the values that the call has set.
    fn read(&self, py: Python<'_>) -> <Self::Interface as Interface>::Outputs;
}

/// The arguments of an algorithm.
pub struct ControllerArguments {
    ack: Py<Ack>,
    event: Py<Congestion>,
    sent: Py<Rate>,
    path: Py<Path>,
    window: Py<Window>,
    wants_rate: bool,
    on_ack: Py<PyTuple>,
    on_congestion: Py<PyTuple>,
    on_segment_lost: Py<PyTuple>,
}

impl Arguments for ControllerArguments {
    type Interface = Controllers;
    const CALLBACKS: &'static [&'static str] = &[
        "on_ack",
        "on_recovery_ack",
        "on_congestion",
        "on_segment_lost",
        "on_start",
        "on_recovered",
        "on_undo",
    ];

    const SETS: &'static str = "window.cwnd";

    fn new(py: Python<'_>, traits: &Traits) -> PyResult<Self> {
        let event = control::Congestion { cause: control::Cause::Loss, now_s: 0.0, in_flight: 0 };
        let path = control::Path { srtt_s: 0.0, min_rtt_s: f64::INFINITY, segment_bytes: 0 };
        let window = control::Window { cwnd: 1.0, ssthresh: f64::INFINITY, pace: f64::INFINITY };
        let ack = Py::new(py, Ack(control::Ack::default()))?;
        let event = Py::new(py, Congestion(event))?;
        let sent = Py::new(py, Rate(control::Rate::default()))?;
        let (path, window) = (Py::new(py, Path(path))?, Py::new(py, Window::from(window))?);
        Ok(Self {
            on_ack: (&ack, &path, &window).into_pyobject(py)?.unbind(),
            on_congestion: (&event, &path, &window).into_pyobject(py)?.unbind(),
            on_segment_lost: (&sent, &path, &window).into_pyobject(py)?.unbind(),
            ack,
            event,
            sent,
            path,
            window,
            wants_rate: traits.wants_rate,
        })
    }

    fn number(event: &Event<'_>) -> usize {
        match event {
            Event::Ack(_) => 0,
            Event::RecoveryAck(_) => 1,
            Event::Congestion(_) => 2,
            Event::SegmentLost(_) => 3,
            Event::Start(_) => 4,
            Event::Recovered(_) => 5,
            Event::Undone(_) => 6,
        }
    }

    fn fill<'py>(
        &self,
        py: Python<'py>,
        event: &Event<'_>,
        path: &control::Path,
        window: &control::Window,
    ) -> PyResult<Bound<'py, PyTuple>> {
        self.path.bind(py).borrow_mut().0 = *path;
        self.window.bind(py).borrow_mut().values = *window;
        let all = match *event {
            Event::Ack(ack) | Event::RecoveryAck(ack) => {
                let record = &mut self.ack.bind(py).borrow_mut().0;
                *record = *ack;
                if !self.wants_rate {
                    record.rate = Sample::missing();
                }
                &self.on_ack
            }
            Event::Congestion(event) => {
                self.event.bind(py).borrow_mut().0 = *event;
                &self.on_congestion
            }
            Event::SegmentLost(sent) => {
                self.sent.bind(py).borrow_mut().0 = *sent;
                &self.on_segment_lost
            }
            Event::Start(number) | Event::Recovered(number) | Event::Undone(number) => {
                return (number, &self.path, &self.window).into_pyobject(py);
            }
        };
        Ok(all.bind(py).clone())
    }

    fn read(&self, py: Python<'_>) -> control::Window {
        self.window.bind(py).borrow().values
    }
}

/// The arguments of a discipline.
pub struct DisciplineArguments {
    packet: Py<Packet>,
    port: Py<Backlog>,
    decision: Py<Decision>,
    of_a_packet: Py<PyTuple>,
}

impl Arguments for DisciplineArguments {
    type Interface = Disciplines;
    const CALLBACKS: &'static [&'static str] = &["on_arrival", "on_departure", "on_tick"];

    const SETS: &'static str = "decision.verdict";

    fn new(py: Python<'_>, _: &DisciplineTraits) -> PyResult<Self> {
        let packet = Py::new(py, Packet(queue::Packet::default()))?;
        let port = Py::new(py, Backlog(queue::Backlog::default()))?;
        let decision = Py::new(py, Decision(queue::Decision::default()))?;
        let of_a_packet = (&packet, &port, &decision).into_pyobject(py)?.unbind();
        Ok(Self { packet, port, decision, of_a_packet })
    }

    fn number(event: &DisciplineEvent<'_>) -> usize {
        match event {
            DisciplineEvent::Arrival(_) => 0,
            DisciplineEvent::Departure(_) => 1,
            DisciplineEvent::Tick(_) => 2,
        }
    }

    fn fill<'py>(
        &self,
        py: Python<'py>,
        event: &DisciplineEvent<'_>,
        port: &queue::Backlog,
        decision: &queue::Decision,
    ) -> PyResult<Bound<'py, PyTuple>> {
        self.port.bind(py).borrow_mut().0 = *port;
        self.decision.bind(py).borrow_mut().0 = *decision;
        match *event {
            DisciplineEvent::Arrival(packet) | DisciplineEvent::Departure(packet) => {
                self.packet.bind(py).borrow_mut().0 = *packet;
                Ok(self.of_a_packet.bind(py).clone())
            }
            DisciplineEvent::Tick(now_s) => (now_s, &self.port, &self.decision).into_pyobject(py),
        }
    }

    fn read(&self, py: Python<'_>) -> queue::Decision {
        self.decision.bind(py).borrow().0
    }
}
