//! Routes between routers, as packets take them.

use headgate_lab::routes::{RouteLink, RouteStep, ShortestPaths, mutual_groups};
use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1};
use pyo3::prelude::*;

/// The routers of a network and the links between them.
#[pyclass]
pub struct Routes {
    nodes: usize,
    links: Vec<RouteLink>,
    trees: ShortestPaths,
}

type Loads<'py> = (Bound<'py, PyArray1<f64>>, f64);

#[pymethods]
impl Routes {
    /// For each link: its start, its end, and its delay.
    #[new]
    fn new(
        nodes: usize,
        from: PyReadonlyArray1<'_, u32>,
        to: PyReadonlyArray1<'_, u32>,
        delay_ps: PyReadonlyArray1<'_, u64>,
    ) -> PyResult<Self> {
        let ends = from.as_slice()?.iter().zip(to.as_slice()?);
        let way = |((&from, &to), &delay_ps): ((&u32, &u32), &u64)| RouteLink { from, to, delay_ps };
        let links: Vec<RouteLink> = ends.zip(delay_ps.as_slice()?).map(way).collect();
        let trees = ShortestPaths::new(nodes, links.iter().copied());
        Ok(Self { nodes, links, trees })
    }

    /// Delay of the route from one router to another; None if there is none.
    fn delay_ps(&mut self, source: usize, receiver: usize) -> Option<u64> {
        self.trees.find_towards(receiver).get(source).and_then(RouteStep::delay_ps)
    }

    /// Load of each link and mean delay of the routes, if every source sends to every receiver elsewhere with
    /// the product of their weights; None if a route is missing.
    fn loads<'py>(
        &mut self,
        py: Python<'py>,
        sources: PyReadonlyArray1<'_, f64>,
        receivers: PyReadonlyArray1<'_, f64>,
    ) -> PyResult<Option<Loads<'py>>> {
        let found = self.trees.link_loads(sources.as_slice()?, receivers.as_slice()?);
        Ok(found.map(|(share, delay_ps)| (share.into_pyarray(py), delay_ps)))
    }

    /// The links of a path from a source to a receiver that contains no serving link, if there is one.
    fn unserved(&mut self, sources: Vec<u32>, receivers: Vec<u32>, serving: Vec<bool>) -> Option<Vec<u32>> {
        self.trees.find_unserved_route(&sources, &receivers, &serving)
    }

    /// Numbers of the groups of routers that can reach each other.
    fn groups(&self) -> Vec<u32> {
        mutual_groups(self.nodes, &self.links)
    }
}
