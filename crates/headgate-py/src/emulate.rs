//! Real packets in a run: hosts, the real-time loop, and its results. Linux only.

use std::collections::BTreeMap;
use std::fs::File;
use std::os::fd::{AsRawFd, OwnedFd, RawFd};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use headgate_emulate::counters::Drops;
use headgate_emulate::device::{card_address, make_card};
use headgate_emulate::enter::{self, Entry};
use headgate_emulate::flows::Flow;
use headgate_emulate::hosts::{HostOptions, Hosts};
use headgate_emulate::live::{Live, Settings};
use headgate_emulate::report::Second;
use headgate_emulate::series::{INTERVAL, Sample};
use headgate_emulate::tun;
use headgate_lab::simulation::Simulation;
use numpy::{Element, IntoPyArray, PyReadonlyArray1};
use pyo3::exceptions::{PyOSError, PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::plugin::{OwnCode, RunningPlugins};

/// A column of a table: its name, and the function that reads a row's cell.
type Column<T, V> = (&'static str, fn(&T) -> V);

/// Adds columns to a table.
fn put<T, V: Element>(table: &Bound<'_, PyDict>, rows: &[T], columns: &[Column<T, V>]) -> PyResult<()> {
    columns.iter().try_for_each(|(name, of)| {
        let values: Vec<V> = rows.iter().map(of).collect();
        table.set_item(name, values.into_pyarray(table.py()))
    })
}

/// The number of a flow, and its sample of an interval.
type Row = (u32, Sample);

/// Seconds in a picosecond.
const PS: f64 = 1e-12;

/// The hosts of a real-time run, and its loop.
#[pyclass(frozen)]
pub struct Emulation {
    live: Mutex<Live>,
    hosts: Mutex<Option<Hosts>>,
    /// Ends of Ethernet cards for other kernels.
    cards: Mutex<Vec<OwnedFd>>,
    stop: AtomicBool,
    _plugins: RunningPlugins,
}

fn locked<T>(of: &Mutex<T>) -> MutexGuard<'_, T> {
    of.lock().unwrap_or_else(PoisonError::into_inner)
}

#[pymethods]
impl Emulation {
    /// Create hosts with an MTU, which exist as long as the thread that created them. The third item of
    /// `wanted` is whether a link duplicates packets. `files` are the replacement of /etc/hosts, the log of
    /// packets that enter the network, and one log per device, or none. Raises ValueError("place: sentence")
    /// if the plan is invalid, and OSError if the kernel allows no hosts.
    #[new]
    fn new(
        py: Python<'_>,
        plan_json: &str,
        arrays: BTreeMap<String, PyReadonlyArray1<'_, u64>>,
        own: Vec<Py<OwnCode>>,
        wanted: (u32, u32, bool),
        files: (PathBuf, PathBuf, Vec<PathBuf>),
    ) -> PyResult<Self> {
        let ((hosts, mtu, duplicates), (names, arrivals, captures)) = (wanted, files);
        let lists = arrays.iter().map(|(name, column)| (name.clone(), column.as_array().to_vec())).collect();
        let plugins = RunningPlugins::new(py, own)?;
        if plugins.need_the_gil() {
            return Err(PyValueError::new_err(
                "traffic: user-defined algorithms that are plain Python are too slow for real time",
            ));
        }
        let run = Simulation::new(plan_json, &lists, plugins.user_code()).map_err(crate::refused)?;
        let arrivals = Some(File::create(arrivals)?);
        let captures = captures.iter().map(File::create).collect::<Result<_, _>>()?;
        let mut made = Hosts::new(&HostOptions { hosts, mtu, names: Some(names) })
            .map_err(|error| PyOSError::new_err(error.to_string()))?;
        let (devices, counters) = made.take_devices();
        let settings = Settings { devices, counters, mtu, arrivals, captures, duplicates };
        let live = Mutex::new(Live::new(run, settings));
        Ok(Self {
            live,
            hosts: Mutex::new(Some(made)),
            cards: Mutex::default(),
            stop: AtomicBool::new(false),
            _plugins: plugins,
        })
    }

    /// Return the addresses of a host: IPv4, IPv6.
    #[staticmethod]
    fn addresses(host: u32) -> (String, String) {
        let (four, six) = tun::addresses(host);
        (four.to_string(), six.to_string())
    }

    /// Return the arguments of [`enter_host`]: descriptors, which are open as long as the hosts exist.
    fn entry(&self, host: usize) -> PyResult<(RawFd, RawFd, RawFd, RawFd)> {
        let hosts = locked(&self.hosts);
        let hosts = hosts.as_ref().ok_or_else(|| PyRuntimeError::new_err("the hosts are gone"))?;
        let net =
            hosts.nets.get(host).ok_or_else(|| PyValueError::new_err(format!("there is no host {host}")))?;
        Ok((hosts.user.as_raw_fd(), hosts.pids.as_raw_fd(), hosts.mounts.as_raw_fd(), net.as_raw_fd()))
    }

    /// Replace a host's TUN device, before the run, by an Ethernet card for another kernel. Return that
    /// kernel's socket, open as long as this object, and the link address. Raises OSError if it cannot be
    /// created.
    fn insert_card(&self, host: usize) -> PyResult<(RawFd, String)> {
        let (device, end) = make_card().map_err(|error| PyOSError::new_err(error as i32))?;
        locked(&self.live).replace_device(host, device);
        let fd = end.as_raw_fd();
        locked(&self.cards).push(end);
        Ok((fd, card_address()))
    }

    /// Run in real time until the simulation ends or `stop` is called. Raises RuntimeError if it cannot
    /// continue.
    fn run(&self, py: Python<'_>) -> PyResult<()> {
        py.detach(|| locked(&self.live).run(&self.stop))
            .map_err(|error| PyRuntimeError::new_err(error.to_string()))
    }

    /// End the run at once.
    fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }

    /// End the hosts and all programs in them.
    fn close(&self, py: Python<'_>) {
        py.detach(|| drop(locked(&self.hosts).take()));
    }

    /// Return the tables of the run, as for a simulation.
    fn results<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        crate::results(py, locked(&self.live).simulation().results())
    }

    /// Return the time at which the run ended, ps.
    #[getter]
    fn ended_ps(&self) -> u64 {
        locked(&self.live).simulation().now()
    }

    /// Return one row per flow of real packets; addresses are strings.
    fn flows<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let live = locked(&self.live);
        let (all, columns) = (&live.flows.all, PyDict::new(py));
        let texts = |of: fn(&Flow) -> String| all.iter().map(of).collect::<Vec<_>>();
        columns.set_item("source", texts(|flow| flow.key.source.to_string()))?;
        columns.set_item("destination", texts(|flow| flow.key.destination.to_string()))?;
        let numbers: [Column<Flow, u64>; 11] = [
            ("from", |flow| flow.from.into()),
            ("to", |flow| flow.to.into()),
            ("protocol", |flow| flow.key.protocol.into()),
            ("source_port", |flow| flow.key.ports[0].into()),
            ("destination_port", |flow| flow.key.ports[1].into()),
            ("sent_packets", |flow| flow.packets),
            ("sent_bytes", |flow| flow.bytes),
            ("delivered_packets", |flow| flow.delivered_packets),
            ("delivered_payload_bytes", |flow| flow.delivered_payload_bytes),
            ("lost_packets", |flow| flow.lost_packets),
            ("marked_packets", |flow| flow.marked_packets),
        ];
        put(&columns, all, &numbers)?;
        let times: [Column<Flow, f64>; 6] =
            [
                ("start_s", |flow| flow.first as f64 * PS),
                ("last_sent_s", |flow| flow.last as f64 * PS),
                ("last_arrival_s", |flow| {
                    if flow.delivered_packets > 0 { flow.arrived as f64 * PS } else { f64::NAN }
                }),
                ("mean_delay_s", |flow| flow.delay_sum as f64 * PS / flow.delivered_packets as f64),
                ("min_delay_s", |flow| {
                    if flow.delivered_packets > 0 { flow.delay_least as f64 * PS } else { f64::NAN }
                }),
                ("max_delay_s", |flow| {
                    if flow.delivered_packets > 0 { flow.delay_most as f64 * PS } else { f64::NAN }
                }),
            ];
        put(&columns, all, &times)?;
        Ok(columns)
    }

    /// Return one row per flow and interval in which it was active, and `interval_s`, the length of an
    /// interval.
    fn series<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let (rows, columns) = (locked(&self.live).flows.samples(), PyDict::new(py));
        let counts: [Column<Row, u64>; 5] = [
            ("flow", |row| row.0.into()),
            ("sent_bytes", |row| row.1.sent_bytes),
            ("delivered_packets", |row| row.1.delivered_packets),
            ("delivered_payload_bytes", |row| row.1.delivered_payload_bytes),
            ("lost_packets", |row| row.1.lost_packets),
        ];
        put(&columns, &rows, &counts)?;
        let times: [Column<Row, f64>; 4] = [
            ("t_s", |row| f64::from(row.1.interval) * INTERVAL as f64 * PS),
            ("interval_s", |_| INTERVAL as f64 * PS),
            ("mean_delay_s", |row| row.1.delay_sum as f64 * PS / row.1.delivered_packets as f64),
            ("max_delay_s", |row| {
                if row.1.delivered_packets > 0 { row.1.delay_most as f64 * PS } else { f64::NAN }
            }),
        ];
        put(&columns, &rows, &times)?;
        Ok(columns)
    }

    /// Return statistics of the loop: counts and lateness of the whole run, and `seconds` as columns.
    fn report<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let live = locked(&self.live);
        let (report, all) = (&live.report, PyDict::new(py));
        let counts = [
            ("read", report.seconds.iter().map(|second| second.read).sum()),
            ("written", report.lateness.len() - report.not_taken),
            ("lost", report.lost),
            ("under_way", live.under_way() as u64),
            ("malformed", report.malformed),
            ("unreachable", report.unreachable),
            ("not_taken", report.not_taken),
        ];
        counts.into_iter().try_for_each(|(name, count)| all.set_item(name, count))?;
        for (name, share) in [("p50", 0.5), ("p99", 0.99), ("p99_9", 0.999), ("max", 1.0)] {
            all.set_item(format!("lateness_{name}_s"), report.late_s(share))?;
        }
        let drops = |of: fn(&Drops) -> u64| report.drops.iter().map(of).collect::<Vec<_>>();
        all.set_item("unread", drops(|drops| drops.unread))?;
        all.set_item("untaken", drops(|drops| drops.untaken))?;
        all.set_item("longest_lag_s", report.longest_lag as f64 * PS)?;
        all.set_item("real_time_priority", report.real_time)?;
        let seconds = PyDict::new(py);
        let of_seconds: [Column<Second, f64>; 6] = [
            ("read_packets", |second| second.read as f64),
            ("written_packets", |second| second.written as f64),
            ("lost_packets", |second| second.lost as f64),
            ("mean_lateness_s", |second| second.late_sum as f64 * PS / second.written as f64),
            ("max_lateness_s", |second| second.late_most as f64 * PS),
            ("max_lag_s", |second| second.lag as f64 * PS),
        ];
        put(&seconds, &report.seconds, &of_seconds)?;
        all.set_item("seconds", seconds)?;
        let lateness = report.lateness.iter_recorded();
        let (at, counts): (Vec<f64>, Vec<u64>) =
            lateness.map(|step| (step.value_iterated_to() as f64 / 1e9, step.count_at_value())).unzip();
        all.set_item("lateness_s", at.into_pyarray(py))?;
        all.set_item("lateness_packets", counts.into_pyarray(py))?;
        Ok(all)
    }
}

/// Enter a host between fork and exec, with the result of [`Emulation::entry`]. Raises OSError if that fails.
#[pyfunction]
pub fn enter_host(user: RawFd, pids: RawFd, mounts: RawFd, net: RawFd) -> PyResult<()> {
    enter::enter(Entry { user, pids, mounts, net }).map_err(|error| PyOSError::new_err(error as i32))
}
