//! Packets that entered an emulation, read from its results.

use std::collections::{BTreeMap, VecDeque};

use headgate_lab::ecn::Ecn;
use headgate_lab::simulation::{Arrival, ForeignPacket};
use numpy::PyReadonlyArray1;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// Reads arrivals from the columns of a table. Raises ValueError if columns are missing or of unequal length.
pub fn read_arrivals(columns: &BTreeMap<String, PyReadonlyArray1<'_, u64>>) -> PyResult<VecDeque<Arrival>> {
    let column = |name: &str| {
        let missing = || PyValueError::new_err(format!("arrivals: there is no column '{name}'"));
        Ok::<_, PyErr>(columns.get(name).ok_or_else(missing)?.as_array().to_vec())
    };
    let [time, from, to, flow] = [column("time_ps")?, column("from")?, column("to")?, column("flow")?];
    let [size, ecn] = [column("size_bytes")?, column("ecn")?];
    let arrival = |n: usize| {
        let packet = ForeignPacket {
            id: n as u64,
            from: from[n] as u32,
            to: to[n] as u32,
            flow: flow[n] as u32,
            size_bytes: size[n] as u16,
            ecn: Ecn::from_bits(ecn[n] as u8),
        };
        (time[n], packet)
    };
    if [&from, &to, &flow, &size, &ecn].iter().any(|column| column.len() != time.len()) {
        return Err(PyValueError::new_err("arrivals: the columns are not equally long"));
    }
    Ok((0..time.len()).map(arrival).collect())
}
