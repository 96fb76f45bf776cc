//! Fluid models as Python sees them.

use headgate_lab::fluid::{Order, demand, run, sweep};
use numpy::{IntoPyArray, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::{columns, refused};

/// One run: `classes`, `links`, `lines`, `events`, `cost` (steps, rejected, slopes),
/// `packet_bytes` and `flows` of each class.
#[pyfunction]
pub fn fluid_run<'py>(
    py: Python<'py>,
    order_json: &str,
    values: PyReadonlyArray1<'py, f64>,
) -> PyResult<Bound<'py, PyDict>> {
    let values = values.as_array().to_vec();
    let found = py.detach(|| run(&Order::read(order_json)?, &values)).map_err(refused)?;
    let all = PyDict::new(py);
    for table in found.tables {
        all.set_item(table.name, columns(py, table)?)?;
    }
    all.set_item("cost", found.cost)?;
    all.set_item("packet_bytes", found.packet_bytes)?;
    all.set_item("flows", found.flows.into_pyarray(py))?;
    Ok(all)
}

/// Many runs, one row of values each: the statistics of what they show.
#[pyfunction]
pub fn fluid_sweep<'py>(
    py: Python<'py>,
    order_json: &str,
    values: PyReadonlyArray2<'py, f64>,
    workers: usize,
) -> PyResult<Bound<'py, PyDict>> {
    let values: Vec<f64> = values.as_array().iter().copied().collect();
    let found = py.detach(|| sweep(&Order::read(order_json)?, &values, workers)).map_err(refused)?;
    columns(py, found.table)
}

/// What a flow of each class sends at rest at the price of its path, `rate_packets_s`, and its `integral`.
#[pyfunction]
pub fn fluid_demand<'py>(
    py: Python<'py>,
    order_json: &str,
    values: PyReadonlyArray1<'py, f64>,
    prices: PyReadonlyArray1<'py, f64>,
) -> PyResult<Bound<'py, PyDict>> {
    let (values, prices) = (values.as_array().to_vec(), prices.as_array().to_vec());
    let order = Order::read(order_json).map_err(refused)?;
    columns(py, demand(&order, &values, &prices).map_err(refused)?)
}
