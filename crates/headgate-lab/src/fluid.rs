//! Fluid models solved: an order in, columns out.

use headgate_fluid::batch;
use headgate_fluid::model::Model;
use headgate_fluid::models::{build, build_on, cards, of_links};
use headgate_fluid::network::Network;
use headgate_fluid::past::Between;
use headgate_fluid::solve::{Method, Solution, solve};
use headgate_fluid::summary::{CLASS, LINK, STATISTICS, Shown, show, statistics};
use headgate_model::params::Param;
use serde::Deserialize;

use crate::error::{Checked, Wrong};
use crate::tables::{Column, Table};

/// Rows that one run may show: what fits into memory many times over.
const MOST_ROWS: f64 = 1e8;

/// Which model is solved, how, and when it is looked at.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Order {
    pub model: String,
    pub method: How,
    pub duration_s: f64,
    pub every_s: f64,
    /// Looked at from here on.
    pub from_s: f64,
    /// None is the model's own network, or its default one.
    #[serde(default)]
    pub network: Option<Network>,
}

/// A method by its name.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum How {
    Adaptive { relative: f64, absolute: f64, most_s: Option<f64> },
    Euler { step_s: f64, rows: bool },
    Rk4 { step_s: f64, rows: bool },
}

/// One solved run.
#[derive(Debug)]
pub struct Run {
    /// `classes`, `links`, `lines` and `events`.
    pub tables: Vec<Table>,
    /// Steps, rejected ones, and slopes.
    pub cost: [u64; 3],
    pub packet_bytes: f64,
    /// Flows of each class.
    pub flows: Vec<f64>,
}

/// What each of many runs comes to.
#[derive(Debug)]
pub struct Sweep {
    /// One row a run; when it could not be solved further, all is NaN but the moment, `stopped_s`.
    pub table: Table,
}

impl Order {
    pub fn read(json: &str) -> Checked<Self> {
        let order: Self =
            serde_json::from_str(json).map_err(|error| Wrong::new("order", error.to_string()))?;
        order.check()?;
        Ok(order)
    }

    fn check(&self) -> Checked {
        self.index()?;
        positive("duration", self.duration_s)?;
        positive("every", self.every_s)?;
        if !(self.from_s >= 0.0 && self.from_s < self.duration_s) {
            return Err(Wrong::new("warmup", format!("is from 0 s to before {} s", self.duration_s)));
        }
        if self.duration_s / self.every_s > MOST_ROWS {
            return Err(Wrong::new("every", format!("gives more than {MOST_ROWS:e} rows")));
        }
        self.method.check(self.duration_s)?;
        self.network.as_ref().map_or(Ok(()), |network| self.check_network(network))
    }

    fn check_network(&self, network: &Network) -> Checked {
        let Some(of_links) = of_links(self.index()?) else {
            return Err(Wrong::new("network", format!("'{}' has one of its own; give none", self.model)));
        };
        if let Some((place, says)) = network.fault() {
            return Err(Wrong::new(place, says));
        }
        for (index, class) in network.classes.iter().enumerate() {
            self.check_set(&format!("network.classes[{index}]"), &class.set, |name| {
                !of_links.contains(&name)
            })?;
        }
        for (index, link) in network.links.iter().enumerate() {
            self.check_set(&format!("network.links[{index}]"), &link.set, |name| of_links.contains(&name))?;
        }
        Ok(())
    }

    /// Parameters that a class or a link has for itself.
    fn check_set(&self, place: &str, set: &[(usize, f64)], owns: impl Fn(&str) -> bool) -> Checked {
        for (index, value) in set {
            let Some(param) = self.params().get(*index) else {
                return Err(Wrong::new(place, format!("parameter {index} is none of '{}'", self.model)));
            };
            if !owns(param.name) {
                let other = if place.contains("links") { "classes" } else { "links" };
                return Err(Wrong::new(
                    format!("{place}.{}", param.name),
                    format!("is a parameter of {other}"),
                ));
            }
            within(param, *value)
                .map_err(|wrong| Wrong::new(format!("{place}.{}", wrong.place), wrong.says))?;
        }
        Ok(())
    }

    fn index(&self) -> Checked<usize> {
        let found = cards().iter().position(|card| card.name == self.model);
        found.ok_or_else(|| Wrong::new("model", format!("'{}' is not a fluid model", self.model)))
    }

    fn params(&self) -> &'static [Param] {
        self.index().map_or(&[], |index| cards()[index].params)
    }

    fn build(&self, values: &[f64]) -> Checked<Box<dyn Model>> {
        let params = self.params();
        if values.len() != params.len() {
            return Err(Wrong::new("values", format!("are {}, one a parameter", params.len())));
        }
        for (param, value) in params.iter().zip(values) {
            within(param, *value)?;
        }
        let index = self.index()?;
        Ok(match &self.network {
            Some(network) => build_on(index, values, network),
            None => build(index, values),
        })
    }

    fn show(&self, model: &dyn Model, solution: &Solution) -> Shown {
        show(model, solution, self.every_s, self.from_s)
    }
}

impl How {
    fn check(self, duration_s: f64) -> Checked {
        match self {
            Self::Adaptive { relative, absolute, most_s } => {
                // Below, rounding is larger than what is asked for.
                if !((1e-13..=0.1).contains(&relative) && absolute > 0.0) {
                    return Err(Wrong::new(
                        "tolerance",
                        format!("is a number from 1e-13 to 0.1; got {relative}"),
                    ));
                }
                most_s.map_or(Ok(()), |most_s| positive("longest", most_s))
            }
            Self::Euler { step_s, .. } | Self::Rk4 { step_s, .. } => {
                positive("step", step_s)?;
                if duration_s / step_s > MOST_ROWS {
                    return Err(Wrong::new("step", format!("gives more than {MOST_ROWS:e} steps")));
                }
                Ok(())
            }
        }
    }

    fn method(self) -> Method {
        let between = |rows| if rows { Between::Rows } else { Between::Smooth };
        match self {
            Self::Adaptive { relative, absolute, most_s } => {
                Method::Adaptive { relative, absolute, most_s: most_s.unwrap_or(f64::INFINITY) }
            }
            Self::Euler { step_s, rows } => Method::Euler { step_s, between: between(rows) },
            Self::Rk4 { step_s, rows } => Method::Rk4 { step_s, between: between(rows) },
        }
    }
}

fn within(param: &Param, value: f64) -> Checked {
    if value >= param.low && value <= param.high {
        return Ok(());
    }
    let Param { name, low, high, unit, .. } = param;
    Err(Wrong::new(*name, format!("is a number from {low} to {high} {unit}; got {value}")))
}

fn positive(place: &str, value: f64) -> Checked {
    if value > 0.0 && value.is_finite() {
        return Ok(());
    }
    Err(Wrong::new(place, format!("is a time above zero; got {value} s")))
}

/// Solves one run.
pub fn run(order: &Order, values: &[f64]) -> Checked<Run> {
    let model = order.build(values)?;
    let solution = solve(&*model, &order.method.method(), order.duration_s)
        .map_err(|stuck| Wrong::new(format!("{} at {} s", order.model, stuck.t_s), stuck.says))?;
    let shown = order.show(&*model, &solution);
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

/// What a flow of each class sends at rest at the price of its path, and the integral of that.
pub fn demand(order: &Order, values: &[f64], prices: &[f64]) -> Checked<Table> {
    let model = order.build(values)?;
    if prices.len() != model.classes() {
        return Err(Wrong::new("prices", format!("are {}, one a class", model.classes())));
    }
    let found = prices.iter().enumerate().map(|(class, price)| model.demand(class, *price));
    let Some(found) = found.collect::<Option<Vec<_>>>() else {
        return Err(Wrong::new("model", format!("'{}' has no utility", order.model)));
    };
    let rates = found.iter().map(|demand| demand.rate_packets_s).collect();
    let integrals = found.iter().map(|demand| demand.integral).collect();
    let columns = [("rate_packets_s", rates), ("integral", integrals)];
    let columns = columns.map(|(name, column)| (name.to_owned(), Column::F64(column)));
    Ok(Table { name: "demand", columns: columns.into() })
}

/// Columns of several under one another.
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
    let lines: Vec<_> = (0..model.links()).map(|index| model.line(index)).collect();
    let column = |name: &str, value: fn(&headgate_fluid::model::Line) -> f64| {
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

/// Solves many runs, `values` one after the other, on so many workers: the same result for any number.
pub fn sweep(order: &Order, values: &[f64], workers: usize) -> Checked<Sweep> {
    let width = order.params().len();
    if values.len() % width != 0 {
        return Err(Wrong::new("values", format!("are {width} a run, one a parameter")));
    }
    let models: Vec<_> = values.chunks_exact(width).map(|own| order.build(own)).collect::<Checked<_>>()?;
    let found = batch::map(models.len(), workers, |index| summarised(order, &*models[index]));
    let Some(first) = models.first() else {
        return Ok(Sweep { table: Table { name: "sweep", columns: Vec::new() } });
    };
    let names = ["stopped_s".to_owned()].into_iter().chain(names(&**first));
    let column = |index: usize| Column::F64(found.iter().map(|row| row[index]).collect());
    let columns = names.enumerate().map(|(index, name)| (name, column(index))).collect();
    Ok(Sweep { table: Table { name: "sweep", columns } })
}

/// Where it stopped (NaN at the end), then the statistics of every column.
fn summarised(order: &Order, model: &dyn Model) -> Vec<f64> {
    match solve(model, &order.method.method(), order.duration_s) {
        Err(stuck) => {
            let width = STATISTICS.len() * (CLASS.len() * model.classes() + LINK.len() * model.links());
            [stuck.t_s].into_iter().chain(std::iter::repeat_n(f64::NAN, width)).collect()
        }
        Ok(solution) => {
            let shown = order.show(model, &solution);
            let columns = shown.classes.iter().flatten().chain(shown.links.iter().flatten());
            [f64::NAN].into_iter().chain(columns.flat_map(|column| statistics(column))).collect()
        }
    }
}

/// Names of the statistics; with more than one class or link each has its number before it.
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
    use super::*;

    const ORDER: &str = r#"{"model": "tcp-red", "method": {"kind": "adaptive", "relative": 1e-6,
        "absolute": 1e-9, "most_s": null}, "duration_s": 10, "every_s": 0.5, "from_s": 0}"#;

    fn defaults() -> Vec<f64> {
        let card = cards().iter().find(|card| card.name == "tcp-red").expect("the card");
        card.params.iter().map(|param| param.default).collect()
    }

    fn refusal(from: &str, to: &str) -> String {
        Order::read(&ORDER.replace(from, to)).expect_err("a refusal").to_string()
    }

    #[test]
    fn a_run_gives_a_row_a_moment_for_each_class_and_link() {
        let order = Order::read(ORDER).expect("an order");
        let run = run(&order, &defaults()).expect("a run");
        let lengths = run.tables.iter().take(2).map(|table| match &table.columns[1].1 {
            Column::F64(values) => values.len(),
            Column::U64(_) => 0,
        });
        assert_eq!(lengths.collect::<Vec<_>>(), [21, 21]);
    }

    #[test]
    fn a_sweep_is_the_same_for_any_number_of_workers_and_each_row_is_its_run() {
        let order = Order::read(ORDER).expect("an order");
        let mut values = Vec::new();
        for rate in 20..40 {
            let mut own = defaults();
            own[2] = f64::from(rate);
            values.extend(own);
        }
        let tables = [1, 3].map(|workers| sweep(&order, &values, workers).expect("runs").table);
        assert_eq!(format!("{:?}", tables[0]), format!("{:?}", tables[1]));
        assert_eq!(tables[0].columns.len(), 1 + 7 * STATISTICS.len());
        let alone = sweep(&order, &values[..defaults().len()], 1).expect("a run").table;
        for ((_, many), (_, one)) in tables[0].columns.iter().zip(&alone.columns).skip(1) {
            let (Column::F64(many), Column::F64(one)) = (many, one) else { panic!("numbers") };
            assert_eq!(many[0].to_bits(), one[0].to_bits());
        }
    }

    #[test]
    fn a_wrong_order_is_one_sentence_with_its_place() {
        assert_eq!(refusal("tcp-red", "tcp-blue"), "model: 'tcp-blue' is not a fluid model");
        assert_eq!(
            refusal("\"duration_s\": 10", "\"duration_s\": 0"),
            "duration: is a time above zero; got 0 s"
        );
        assert_eq!(refusal("\"from_s\": 0", "\"from_s\": 10"), "warmup: is from 0 s to before 10 s");
        assert_eq!(refusal("1e-6", "1"), "tolerance: is a number from 1e-13 to 0.1; got 1");
        assert_eq!(refusal("\"every_s\": 0.5", "\"every_s\": 1e-9"), "every: gives more than 1e8 rows");
        let order = Order::read(ORDER).expect("an order");
        let mut values = defaults();
        values[0] = 0.0;
        let wrong = run(&order, &values).expect_err("a refusal").to_string();
        assert_eq!(wrong, "initial_window: is a number from 1 to 1000000 packets; got 0");
    }

    #[test]
    fn demand_is_asked_for_each_class() {
        let order = Order::read(&ORDER.replace("tcp-red", "fast")).expect("an order");
        let values: Vec<f64> = order.params().iter().map(|param| param.default).collect();
        let found = demand(&order, &values, &[0.5]).expect("a demand");
        let Column::F64(rates) = &found.columns[0].1 else { panic!("numbers") };
        assert_eq!(rates, &[200.0]); // alpha/q = 100/0.5
        let wrong = demand(&order, &values, &[]).expect_err("a refusal").to_string();
        assert_eq!(wrong, "prices: are 1, one a class");
        let none = demand(&Order::read(ORDER).expect("an order"), &defaults(), &[0.5]);
        assert_eq!(none.expect_err("a refusal").to_string(), "model: 'tcp-red' has no utility");
    }

    #[test]
    fn a_wrong_network_is_one_sentence_with_its_place() {
        let network = r#""from_s": 0, "network": {"packet_bytes": 1500,
            "classes": [{"flows": 2, "rtt_s": 0.1, "path": [0], "set": []}],
            "links": [{"rate_packets_s": 100, "buffer_packets": null, "delay_s": 0, "set": []}]}"#;
        let told = |from: &str, to: &str| {
            let text = ORDER.replace("\"from_s\": 0", network).replace(from, to);
            Order::read(&text.replace("tcp-red", "misra-gong-towsley"))
                .map(|_| ())
                .map_err(|wrong| wrong.to_string())
        };
        assert_eq!(told("", ""), Ok(()));
        let refused = |from: &str, to: &str| told(from, to).expect_err("a refusal");
        assert_eq!(refused("[0]", "[1]"), "network.classes[0].path: names one link at least, each once");
        // Parameters 0 and 3 are `initial_window` and `min_packets`.
        let set = |value: &str| format!("\"path\": [0], \"set\": [{value}]");
        let of_links = refused("\"path\": [0], \"set\": []", &set("[3, 5]"));
        assert_eq!(of_links, "network.classes[0].min_packets: is a parameter of links");
        let beyond = refused("\"path\": [0], \"set\": []", &set("[0, 0]"));
        assert_eq!(
            beyond,
            "network.classes[0].initial_window: is a number from 0.001 to 1000000000 packets; got 0"
        );
        let own = Order::read(&ORDER.replace("\"from_s\": 0", network)).expect_err("a refusal").to_string();
        assert_eq!(own, "network: 'tcp-red' has one of its own; give none");
    }
}
