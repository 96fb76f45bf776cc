//! Fluid models for Python.

use headgate_lab::fluid::{SolveRequest, demand, equilibrium, levels, linearise, read_networks, run, sweep};
use numpy::{IntoPyArray, PyArrayMethods, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::{arrays, refused};

/// Solve one run. Return `classes`, `links`, `lines`, `events`, `cost` (steps, rejected steps, slopes),
/// `packet_bytes`, and `flows` of each class.
#[pyfunction]
pub fn fluid_run<'py>(
    py: Python<'py>,
    order_json: &str,
    values: PyReadonlyArray1<'py, f64>,
) -> PyResult<Bound<'py, PyDict>> {
    let values = values.as_array().to_vec();
    let found = py.detach(|| run(&SolveRequest::read(order_json)?, &values)).map_err(refused)?;
    let all = PyDict::new(py);
    for table in found.tables {
        all.set_item(table.name, arrays(py, table)?)?;
    }
    all.set_item("cost", found.cost)?;
    all.set_item("packet_bytes", found.packet_bytes)?;
    all.set_item("flows", found.flows.into_pyarray(py))?;
    Ok(all)
}

/// Return the equilibrium `shares` of classes at given levels, and the load of `links` at a level each.
#[pyfunction]
pub fn fluid_levels<'py>(
    py: Python<'py>,
    order_json: &str,
    values: PyReadonlyArray1<'py, f64>,
    each: PyReadonlyArray1<'py, f64>,
) -> PyResult<Bound<'py, PyDict>> {
    let (values, each) = (values.as_array().to_vec(), each.as_array().to_vec());
    let order = SolveRequest::read(order_json).map_err(refused)?;
    let all = PyDict::new(py);
    for table in levels(&order, &values, &each).map_err(refused)? {
        all.set_item(table.name, arrays(py, table)?)?;
    }
    Ok(all)
}

/// Solve many runs, one row of values each. Return the statistics of their columns. `networks_json` is a list
/// with the network of each run, or empty.
#[pyfunction]
pub fn fluid_sweep<'py>(
    py: Python<'py>,
    order_json: &str,
    values: PyReadonlyArray2<'py, f64>,
    networks_json: &str,
    workers: usize,
) -> PyResult<Bound<'py, PyDict>> {
    let values: Vec<f64> = values.as_array().iter().copied().collect();
    let all = || sweep(&SolveRequest::read(order_json)?, &values, &read_networks(networks_json)?, workers);
    let found = py.detach(all).map_err(refused)?;
    arrays(py, found.table)
}

/// Return the equilibrium rate of a flow of each class at the price of its path, `rate_packets_s`, and its
/// `integral`.
#[pyfunction]
pub fn fluid_demand<'py>(
    py: Python<'py>,
    order_json: &str,
    values: PyReadonlyArray1<'py, f64>,
    prices: PyReadonlyArray1<'py, f64>,
) -> PyResult<Bound<'py, PyDict>> {
    let (values, prices) = (values.as_array().to_vec(), prices.as_array().to_vec());
    let order = SolveRequest::read(order_json).map_err(refused)?;
    arrays(py, demand(&order, &values, &prices).map_err(refused)?)
}

/// Return the approximate equilibrium of a model: its mean `state` over the second half of the run, and the
/// `sides` of its switches there, one row after each change.
#[pyfunction]
pub fn fluid_settled<'py>(
    py: Python<'py>,
    order_json: &str,
    values: PyReadonlyArray1<'py, f64>,
) -> PyResult<Bound<'py, PyDict>> {
    let values = values.as_array().to_vec();
    let found = py.detach(|| equilibrium(&SolveRequest::read(order_json)?, &values)).map_err(refused)?;
    let all = PyDict::new(py);
    all.set_item("state", found.state.into_pyarray(py))?;
    all.set_item("sides", found.sides)?;
    Ok(all)
}

/// Linearise a model at a state. Return `slope`, `gaps`, the derivatives by the current state (`now`) and by
/// the state at each lag (`then`), `delays_s`, and the curvature there (`bend`).
#[pyfunction]
pub fn fluid_near<'py>(
    py: Python<'py>,
    order_json: &str,
    values: PyReadonlyArray1<'py, f64>,
    state: PyReadonlyArray1<'py, f64>,
    sides: Vec<bool>,
) -> PyResult<Bound<'py, PyDict>> {
    let (values, state) = (values.as_array().to_vec(), state.as_array().to_vec());
    let order = SolveRequest::read(order_json).map_err(refused)?;
    let found = linearise(&order, &values, &state, &sides).map_err(refused)?;
    let square = |matrix: Vec<f64>| matrix.into_pyarray(py).reshape([found.dimension; 2]);
    let all = PyDict::new(py);
    all.set_item("now", square(found.linear.now)?)?;
    all.set_item("then", found.linear.then.into_iter().map(square).collect::<PyResult<Vec<_>>>()?)?;
    all.set_item("delays_s", found.linear.delays_s.into_pyarray(py))?;
    all.set_item("slope", found.linear.slope.into_pyarray(py))?;
    all.set_item("gaps", found.linear.gaps.into_pyarray(py))?;
    all.set_item("bend", found.linear.bend)?;
    Ok(all)
}
