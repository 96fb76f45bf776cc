//! Solutions of fluid models as tables.

use headgate_fluid::batch;
use headgate_fluid::model::{LinkConstants, Model};
use headgate_fluid::network::Network;
use headgate_fluid::solve::{Solution, solve};
use headgate_fluid::summary::{CLASS, LINK, STATISTICS, output_columns, period_s, statistics};
use headgate_model::check::{PlanError, Result};

use super::request::SolveRequest;
use crate::tables::{Column, Table};

/// One solved run.
#[derive(Debug)]
pub struct Run {
    /// `classes`, `links`, `lines` and `events`.
    pub tables: Vec<Table>,
    /// Numbers of steps, of rejected steps, and of slopes.
    pub cost: [u64; 3],
    pub packet_bytes: f64,
    /// Number of flows of each class.
    pub flows: Vec<f64>,
}

/// The statistics of many runs.
#[derive(Debug)]
pub struct Sweep {
    /// One row per run. If a run could not be solved to its end, everything except its time `stopped_s` is
    /// NaN.
    pub table: Table,
}

/// Solves one run.
pub fn run(order: &SolveRequest, values: &[f64]) -> Result<Run> {
    let model = order.build(values)?;
    let solution = solve(&*model, &order.method.method(), order.duration_s)
        .map_err(|stuck| PlanError::new(format!("{} at {} s", order.model, stuck.t_s), stuck.message))?;
    let shown = output_columns(&*model, &solution, order.every_s, order.from_s);
    let classes = stacked("classes", "class", &CLASS, &shown.t_s, &shown.classes);
    let links = stacked("links", "link", &LINK, &shown.t_s, &shown.links);
    let cost = solution.cost;
    Ok(Run {
        tables: vec![classes, links, lines(&*model), events(&solution)],
        cost: [cost.steps, cost.rejected, cost.slopes],
        packet_bytes: model.packet_bytes(),
        flows: (0..model.classes()).map(|index| model.flows(index)).collect(),
    })
}

/// The equilibrium rate of a flow of each class at the price of its path, and its integral.
pub fn demand(order: &SolveRequest, values: &[f64], prices: &[f64]) -> Result<Table> {
    let model = order.build(values)?;
    if prices.len() != model.classes() {
        return Err(PlanError::new(
            "prices",
            format!("must be one number per class, {} in all", model.classes()),
        ));
    }
    let found = prices.iter().enumerate().map(|(class, price)| model.demand(class, *price));
    let Some(found) = found.collect::<Option<Vec<_>>>() else {
        return Err(PlanError::new("model", format!("'{}' has no utility", order.model)));
    };
    let rates = found.iter().map(|demand| demand.rate_packets_s).collect();
    let integrals = found.iter().map(|demand| demand.integral).collect();
    let columns = [("rate_packets_s", rates), ("integral", integrals)];
    let columns = columns.map(|(name, column)| (name.to_owned(), Column::F64(column)));
    Ok(Table { name: "demand", columns: columns.into() })
}

/// The equilibrium shares at given levels: `shares` of classes, and the load of `links` at a level each.
pub fn levels(order: &SolveRequest, values: &[f64], levels: &[f64]) -> Result<[Table; 2]> {
    let model = order.build(values)?;
    if levels.len() != model.links() {
        return Err(PlanError::new(
            "levels",
            format!("must be one number per link, {} in all", model.links()),
        ));
    }
    let Some(shares) = (0..model.classes()).map(|class| model.share(class)).collect::<Option<Vec<_>>>()
    else {
        return Err(PlanError::new(
            "model",
            format!("'{}' does not share by levels in equilibrium", order.model),
        ));
    };
    let takes = levels.iter().enumerate().map(|(link, level)| model.takes(link, *level));
    let column = |name: &str, values: Vec<f64>| (name.to_owned(), Column::F64(values));
    let weights = shares.iter().map(|share| share.weight).collect();
    let least = shares.iter().map(|share| share.least_packets_s).collect();
    Ok([
        Table { name: "shares", columns: vec![column("weight", weights), column("least_packets_s", least)] },
        Table { name: "links", columns: vec![column("takes_packets_s", takes.collect())] },
    ])
}

/// Concatenates the columns of several tables.
fn stacked<const N: usize>(
    name: &'static str,
    of: &str,
    names: &[&str; N],
    t_s: &[f64],
    parts: &[[Vec<f64>; N]],
) -> Table {
    let each = |index: usize| parts.iter().flat_map(|part| part[index].iter().copied()).collect();
    let which = (0..parts.len() as u64).flat_map(|part| std::iter::repeat_n(part, t_s.len())).collect();
    let times = parts.iter().flat_map(|_| t_s.iter().copied()).collect();
    let mut columns = vec![(of.to_owned(), Column::U64(which)), ("t_s".to_owned(), Column::F64(times))];
    columns.extend((0..N).map(|index| (names[index].to_owned(), Column::F64(each(index)))));
    Table { name, columns }
}

fn lines(model: &dyn Model) -> Table {
    let lines: Vec<_> = (0..model.links()).map(|index| model.link_constants(index)).collect();
    let column = |name: &str, value: fn(&LinkConstants) -> f64| {
        (name.to_owned(), Column::F64(lines.iter().map(value).collect()))
    };
    let columns = vec![
        column("rate_packets_s", |line| line.rate_packets_s),
        column("buffer_packets", |line| line.buffer_packets),
        column("delay_s", |line| line.delay_s),
    ];
    Table { name: "lines", columns }
}

fn events(solution: &Solution) -> Table {
    let times = solution.events.iter().map(|(t_s, _)| *t_s).collect();
    let which = solution.events.iter().map(|(_, index)| *index as u64).collect();
    let columns = vec![("t_s".to_owned(), Column::F64(times)), ("switch".to_owned(), Column::U64(which))];
    Table { name: "events", columns }
}

/// Solves many runs, whose `values` are concatenated, on a number of workers, which does not affect the
/// result. Each run may use its own network; without any, all use that of the request.
pub fn sweep(order: &SolveRequest, values: &[f64], networks: &[Network], workers: usize) -> Result<Sweep> {
    let width = order.params().len();
    if values.len() % width != 0 {
        return Err(PlanError::new("values", format!("must be {width} numbers per run, one per parameter")));
    }
    let runs = values.len() / width;
    if !networks.is_empty() && networks.len() != runs {
        return Err(PlanError::new("networks", format!("must be one per run, {runs} in all, or none")));
    }
    let each = values.chunks_exact(width).enumerate().map(|(run, own)| match networks.get(run) {
        Some(network) => order.build_varied(own, network),
        None => order.build(own),
    });
    let models: Vec<_> = each.collect::<Result<_>>()?;
    let found = batch::map(models.len(), workers, |index| summarised(order, &*models[index]));
    let Some(first) = models.first() else {
        return Ok(Sweep { table: Table { name: "sweep", columns: Vec::new() } });
    };
    let names = ["stopped_s".to_owned()].into_iter().chain(names(&**first));
    let column = |index: usize| Column::F64(found.iter().map(|row| row[index]).collect());
    let columns = names.enumerate().map(|(index, name)| (name, column(index))).collect();
    Ok(Sweep { table: Table { name: "sweep", columns } })
}

/// The time at which the run stopped (NaN at the end), then the statistics of every column.
fn summarised(order: &SolveRequest, model: &dyn Model) -> Vec<f64> {
    match solve(model, &order.method.method(), order.duration_s) {
        Err(stuck) => {
            let width = STATISTICS.len() * (CLASS.len() * model.classes() + LINK.len() * model.links());
            [stuck.t_s].into_iter().chain(std::iter::repeat_n(f64::NAN, width)).collect()
        }
        Ok(solution) => {
            let shown = output_columns(model, &solution, order.every_s, order.from_s);
            let columns = shown.classes.iter().flatten().chain(shown.links.iter().flatten());
            let each =
                |column: &Vec<f64>| statistics(column).into_iter().chain([period_s(&shown.t_s, column)]);
            [f64::NAN].into_iter().chain(columns.flat_map(each)).collect()
        }
    }
}

/// Names of the statistics. With more than one class or link, each is prefixed by its number.
fn names(model: &dyn Model) -> impl Iterator<Item = String> {
    let of = |what: &'static str, count: usize, columns: &'static [&'static str]| {
        let before = move |index| if count > 1 { format!("{what}_{index}_") } else { String::new() };
        (0..count).flat_map(move |index| {
            columns.iter().flat_map(move |column| {
                STATISTICS.iter().map(move |statistic| format!("{}{column}_{statistic}", before(index)))
            })
        })
    };
    of("class", model.classes(), &CLASS).chain(of("link", model.links(), &LINK))
}

#[cfg(test)]
mod tests {
    use super::super::request::tests::ORDER;
    use super::*;
    use headgate_fluid::models::cards;

    fn defaults() -> Vec<f64> {
        let card = cards().iter().find(|card| card.name == "tcp-red").expect("the card");
        card.params.iter().map(|param| param.default).collect()
    }

    #[test]
    fn a_run_gives_a_row_a_moment_for_each_class_and_link() {
        let order = SolveRequest::read(ORDER).expect("an order");
        let run = run(&order, &defaults()).expect("a run");
        let lengths = run.tables.iter().take(2).map(|table| match &table.columns[1].1 {
            Column::F64(values) => values.len(),
            Column::U64(_) => 0,
        });
        assert_eq!(lengths.collect::<Vec<_>>(), [21, 21]);
    }

    #[test]
    fn a_sweep_is_the_same_for_any_number_of_workers_and_each_row_is_its_run() {
        let order = SolveRequest::read(ORDER).expect("an order");
        let mut values = Vec::new();
        for rate in 20..40 {
            let mut own = defaults();
            own[2] = f64::from(rate);
            values.extend(own);
        }
        let tables = [1, 3].map(|workers| sweep(&order, &values, &[], workers).expect("runs").table);
        assert_eq!(format!("{:?}", tables[0]), format!("{:?}", tables[1]));
        assert_eq!(tables[0].columns.len(), 1 + 7 * STATISTICS.len());
        let alone = sweep(&order, &values[..defaults().len()], &[], 1).expect("a run").table;
        for ((_, many), (_, one)) in tables[0].columns.iter().zip(&alone.columns).skip(1) {
            let (Column::F64(many), Column::F64(one)) = (many, one) else { panic!("numbers") };
            assert_eq!(many[0].to_bits(), one[0].to_bits());
        }
    }

    #[test]
    fn each_run_of_a_sweep_may_have_a_network_of_its_own() {
        let network = |flows: f64| {
            let mut network = Network::default();
            network.classes[0].flows = flows;
            network
        };
        let order = |flows| {
            let mut order = SolveRequest::read(&ORDER.replace("tcp-red", "fast")).expect("an order");
            order.network = Some(network(flows));
            order
        };
        let one: Vec<f64> = order(1.0).params().iter().map(|param| param.default).collect();
        let both = [one.clone(), one.clone()].concat();
        let many = sweep(&order(1.0), &both, &[network(2.0), network(5.0)], 2).expect("runs").table;
        for (run, flows) in [2.0, 5.0].into_iter().enumerate() {
            let alone = sweep(&order(flows), &one, &[], 1).expect("a run").table;
            for ((_, many), (_, alone)) in many.columns.iter().zip(&alone.columns) {
                let (Column::F64(many), Column::F64(alone)) = (many, alone) else { panic!("numbers") };
                assert_eq!(many[run].to_bits(), alone[0].to_bits());
            }
        }
        let wrong =
            |networks: &[Network]| sweep(&order(1.0), &both, networks, 1).expect_err("a refusal").to_string();
        assert_eq!(wrong(&[network(2.0)]), "networks: must be one per run, 2 in all, or none");
        let mut more = network(2.0);
        more.links.push(more.links[0].clone());
        assert_eq!(
            wrong(&[more.clone(), more]),
            "networks: must have as many classes and links as the order's"
        );
        let none = wrong(&[network(0.0), network(1.0)]);
        assert_eq!(none, "network.classes[0].flows: must be a number above zero; got 0");
    }

    #[test]
    fn demand_is_asked_for_each_class() {
        let order = SolveRequest::read(&ORDER.replace("tcp-red", "fast")).expect("an order");
        let values: Vec<f64> = order.params().iter().map(|param| param.default).collect();
        let found = demand(&order, &values, &[0.5]).expect("a demand");
        let Column::F64(rates) = &found.columns[0].1 else { panic!("numbers") };
        assert_eq!(rates, &[200.0]); // alpha/q = 100/0.5
        let wrong = demand(&order, &values, &[]).expect_err("a refusal").to_string();
        assert_eq!(wrong, "prices: must be one number per class, 1 in all");
        let none = demand(&SolveRequest::read(ORDER).expect("an order"), &defaults(), &[0.5]);
        assert_eq!(none.expect_err("a refusal").to_string(), "model: 'tcp-red' has no utility");
    }

    #[test]
    fn a_wrong_value_is_one_sentence_with_its_place() {
        let order = SolveRequest::read(ORDER).expect("an order");
        let mut values = defaults();
        values[0] = 0.0;
        let wrong = run(&order, &values).expect_err("a refusal").to_string();
        assert_eq!(wrong, "initial_window: must be a number from 1 to 1000000 packets; got 0");
    }
}
