//! Captures, read in slices: columns of their connections, and counts.

use std::collections::HashMap;
use std::fs::File;
use std::io::ErrorKind;
use std::net::IpAddr;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use headgate_capture::kind::Count;
use headgate_capture::source::End;
use headgate_capture::{CaptureError, Contents, Kind, Row, capture};
use numpy::IntoPyArray;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// A capture that is being read.
#[pyclass]
pub struct Capture {
    /// `None` once its contents are taken.
    reading: Mutex<Option<capture::Capture>>,
}

#[pymethods]
impl Capture {
    /// Open a file. Raises OSError if it cannot be read, and ValueError with its kind if it is not a capture.
    #[new]
    fn new(py: Python<'_>, file: PathBuf) -> PyResult<Self> {
        let begun = py.detach(|| capture::Capture::new(File::open(file)?));
        Ok(Self { reading: Mutex::new(Some(begun.map_err(refused)?)) })
    }

    /// Read for about `wall_s` seconds without the GIL. Return True if everything is read. Raises OSError if
    /// the file cannot be read, and ValueError if it contains more than the limits allow.
    fn advance(&self, py: Python<'_>, wall_s: f64) -> PyResult<bool> {
        py.detach(|| {
            let mut reading = self.reading.lock().unwrap_or_else(PoisonError::into_inner);
            let slice = Duration::from_secs_f64(wall_s.clamp(0.001, 3600.0));
            reading.as_mut().map_or(Ok(true), |capture| capture.advance(slice))
        })
        .map_err(refused)
    }

    /// Number of bytes of the file that were processed.
    #[getter]
    fn consumed(&self) -> usize {
        let reading = self.reading.lock().unwrap_or_else(PoisonError::into_inner);
        reading.as_ref().map_or(0, capture::Capture::consumed)
    }

    /// Return the contents once everything is read: columns of connections, and counts. Only once.
    fn take_contents<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let reading = self.reading.lock().unwrap_or_else(PoisonError::into_inner).take();
        let contents = reading.map(capture::Capture::into_contents).unwrap_or_default();
        let all = PyDict::new(py);
        all.set_item("connections", columns(py, &contents)?)?;
        all.set_item("counts", counts(py, &contents)?)?;
        all.set_item("idle_connections", contents.idle.0)?;
        all.set_item("idle", pair(&contents.idle.1))?;
        all.set_item("strays", contents.strays)?;
        all.set_item("forgotten", contents.forgotten)?;
        all.set_item("snapped", contents.snapped)?;
        all.set_item("other_links", contents.other_links.clone())?;
        all.set_item("span_ns", contents.span_ns)?;
        all.set_item("steps_back", contents.steps_back)?;
        all.set_item("cut", contents.end == End::Cut)?;
        all.set_item("damaged_at", if let End::Damaged(at) = contents.end { Some(at) } else { None })?;
        all.set_item("rates", rates(py, &contents)?)?;
        Ok(all)
    }
}

fn refused(error: CaptureError) -> PyErr {
    match error {
        CaptureError::Unreadable(error) if error.kind() != ErrorKind::InvalidData => error.into(),
        other => PyValueError::new_err(other.to_string()),
    }
}

fn pair(count: &Count) -> (u64, u64) {
    (count.packets, count.bytes)
}

fn counts<'py>(py: Python<'py>, contents: &Contents) -> PyResult<Bound<'py, PyDict>> {
    let all = PyDict::new(py);
    for ((_, name), count) in Kind::ALL.iter().zip(&contents.counts) {
        all.set_item(name, pair(count))?;
    }
    Ok(all)
}

/// Intervals of time: their width; their numbers since 1970; bytes to clients, to servers, and of other
/// packets.
fn rates<'py>(py: Python<'py>, contents: &Contents) -> PyResult<Bound<'py, PyDict>> {
    let all = PyDict::new(py);
    let spans = &contents.rates.spans;
    all.set_item("width_ns", contents.rates.width_ns)?;
    all.set_item("number", spans.keys().copied().collect::<Vec<i64>>().into_pyarray(py))?;
    for (place, name) in ["to_clients", "to_servers", "other"].into_iter().enumerate() {
        all.set_item(name, spans.values().map(|bytes| bytes[place]).collect::<Vec<u64>>().into_pyarray(py))?;
    }
    Ok(all)
}

/// Columns of numbers, by name.
type Figures<'a> = [(&'a str, &'a dyn Fn(&Row) -> Option<f64>)];
type Counts<'a> = [(&'a str, fn(&Row) -> u64)];

/// One row per connection. Times are in seconds since the first packet; NaN if unknown.
fn columns<'py>(py: Python<'py>, contents: &Contents) -> PyResult<Bound<'py, PyDict>> {
    let (rows, begin_ns) = (&contents.rows, contents.span_ns.map_or(0, |(first, _)| first));
    let all = PyDict::new(py);
    let since = |time_ns: i64| time_ns.saturating_sub(begin_ns) as f64 / 1e9;
    let times: &Figures = &[
        ("first_s", &|row| Some(since(row.first_ns))),
        ("last_s", &|row| Some(since(row.last_ns))),
        ("rtt_s", &|row| row.rtt_ns.map(|rtt_ns| rtt_ns as f64 / 1e9)),
        ("client_start_s", &|row| row.start_ns[0].map(since)),
        ("server_start_s", &|row| row.start_ns[1].map(since)),
    ];
    for (name, of) in times {
        all.set_item(
            name,
            rows.iter().map(|row| of(row).unwrap_or(f64::NAN)).collect::<Vec<_>>().into_pyarray(py),
        )?;
    }
    let counts: &Counts = &[
        ("client_port", |row| row.client.1.into()),
        ("server_port", |row| row.server.1.into()),
        ("client_bytes", |row| row.bytes[0]),
        ("server_bytes", |row| row.bytes[1]),
        ("client_packets", |row| row.counts[0].packets),
        ("server_packets", |row| row.counts[1].packets),
        ("client_wire_bytes", |row| row.counts[0].bytes),
        ("server_wire_bytes", |row| row.counts[1].bytes),
        ("has_syn", |row| row.has_syn.into()),
        ("has_fin", |row| row.has_fin.into()),
        ("has_rst", |row| row.has_rst.into()),
    ];
    for (name, of) in counts {
        all.set_item(name, rows.iter().map(of).collect::<Vec<u64>>().into_pyarray(py))?;
    }
    add_addresses(py, rows, &all)?;
    Ok(all)
}

/// Add the addresses. There are few compared with connections, so that each is stored once, and rows contain
/// indices.
fn add_addresses(py: Python<'_>, rows: &[Row], all: &Bound<'_, PyDict>) -> PyResult<()> {
    let mut numbers = HashMap::<IpAddr, u32>::new();
    let mut words = Vec::new();
    let mut number = |address: IpAddr| {
        *numbers.entry(address).or_insert_with(|| {
            words.push(address.to_string());
            words.len() as u32 - 1
        })
    };
    let clients: Vec<u32> = rows.iter().map(|row| number(row.client.0)).collect();
    let servers: Vec<u32> = rows.iter().map(|row| number(row.server.0)).collect();
    all.set_item("client", clients.into_pyarray(py))?;
    all.set_item("server", servers.into_pyarray(py))?;
    all.set_item("addresses", words)
}
