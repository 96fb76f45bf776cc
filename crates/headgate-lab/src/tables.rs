//! The counts of a run as named columns. They contain facts only; Python adds names and ratios.

use std::collections::BTreeMap;

use headgate_model::column;
use headgate_netsim::record::{
    Balance, ClassRow, Connection, ControllerRow, Event, FlowKeys, FlowRow, FlowSample, LinkRow, MediaRow,
    MediaSample, NetworkSample, PeriodRow, PortRow, PortSample, Record,
};

use crate::periods::{PairRow, WindowRow, pairs, windows};
use crate::table::Sheet;
pub use crate::table::{Column, Meaning, Table};

/// The tables of a run.
pub fn tables(record: &Record) -> Vec<Table> {
    sheets(record).into_iter().map(|sheet| sheet.table).collect()
}

/// Returns the samples and events since the last call, as tables of the same names.
pub fn updates(
    (flows, ports, network): (&[FlowSample], &[PortSample], &[NetworkSample]),
    events: &[Event],
) -> Vec<Table> {
    let sheets = [
        Sheet::fill("series_flows", FlowSample::columns(), flows),
        Sheet::fill("series_ports", PortSample::columns(), ports),
        Sheet::fill("network", NetworkSample::columns(), network),
        Sheet::fill("events", Event::columns(), events),
    ];
    sheets.into_iter().map(|sheet| sheet.table).collect()
}

/// Events of a trace.
pub fn events(rows: &[Event]) -> Table {
    Sheet::fill("events", Event::columns(), rows).table
}

/// Connections of a trace.
pub fn connections(rows: &[Connection]) -> Table {
    Sheet::fill("connections", Connection::columns(), rows).table
}

/// The names of classes, by the column that contains their numbers.
pub fn labels(record: &Record) -> [(&'static str, &[String]); 2] {
    [("class", &record.keys.pairs), ("interface", &record.keys.interfaces)]
}

/// The definitions of the visible columns of each table.
pub fn meanings() -> BTreeMap<&'static str, Vec<Meaning>> {
    let traced = [
        Sheet::fill("events", Event::columns(), &[]),
        Sheet::fill("connections", Connection::columns(), &[]),
    ];
    let sheets = sheets(&Record::default()).into_iter().chain(traced);
    sheets.map(|sheet| (sheet.table.name, sheet.meanings)).collect()
}

fn sheets(record: &Record) -> Vec<Sheet> {
    vec![
        Sheet::fill("flows", flows(&record.keys), &record.flows),
        Sheet::fill("ports", PortRow::columns(), &record.ports),
        Sheet::fill("series_flows", FlowSample::columns(), &record.flow_samples),
        Sheet::fill("series_ports", PortSample::columns(), &record.port_samples),
        Sheet::fill("network", NetworkSample::columns(), &record.network_samples),
        Sheet::fill("responses", PeriodRow::columns(), &record.periods),
        Sheet::fill("classes", ClassRow::columns(), &record.classes),
        Sheet::fill("pairs", PairRow::columns(), &pairs(&record.classes)),
        Sheet::fill("ccas", ControllerRow::columns(), &record.controllers),
        Sheet::fill("windows", WindowRow::columns(), &windows(&record.controllers)),
        Sheet::fill("links", links(), &record.links),
        Sheet::fill("media", MediaRow::columns(), &record.media),
        Sheet::fill("media_samples", MediaSample::columns(), &record.media_samples),
        Sheet::fill("balance", Balance::columns(), std::slice::from_ref(&record.balance)),
    ]
}

fn flows(keys: &FlowKeys) -> Vec<column::Column<FlowRow>> {
    let keys = keys.clone();
    let pair = move |row: &FlowRow| u64::from(keys.key(row.key).pair);
    let says = "Number of the pair of classes.";
    FlowRow::columns()
        .into_iter()
        .chain([column::Column::new("pair", "", says, column::HIDDEN, pair)])
        .collect()
}

/// The columns of links. The largest queue is known since the start of the counts, not for a period.
fn links() -> Vec<column::Column<LinkRow>> {
    LinkRow::columns().into_iter().filter(|column| column.name != "max_queue_packets").collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    use headgate_netsim::plan::Plan;
    use headgate_netsim::record::Status;
    use headgate_tcp::ENDLESS;

    fn column<'a>(table: &'a Table, name: &str) -> &'a Column {
        &table.columns.iter().find(|(known, _)| known == name).expect("a column").1
    }

    fn flow() -> FlowRow {
        FlowRow {
            traffic: 1,
            controller: 2,
            key: 0,
            source: 0,
            receiver: 1,
            address: 0,
            start: 500_000_000_000,
            size: ENDLESS,
            status: Status::Running,
            fct_sender: None,
            fct_receiver: Some(2_000_000_000_000),
            established: None,
            delivered: 3,
            delivered_total: 4,
            active: 0,
            retransmissions: 0,
            timeouts: 0,
            recoveries: 0,
            undone: 0,
            spurious_timeouts: 0,
            retransmissions_total: 0,
            timeouts_total: 0,
            recoveries_total: 0,
            undone_total: 0,
            spurious_timeouts_total: 0,
            marked_total: 0.0,
            min_rtt_s: f64::INFINITY,
            mean_rtt_s: f64::NAN,
            mean_cwnd: 1.5,
            slow_start: None,
            slow_start_cwnd: f64::NAN,
            slow_start_resent: 0,
            burst: 0,
        }
    }

    #[test]
    fn what_a_flow_lacks_is_nan_and_an_endless_one_has_no_size() {
        let table = Sheet::fill("flows", FlowRow::columns(), &[flow()]).table;
        assert_eq!(column(&table, "size_packets"), &Column::U64(vec![0]));
        assert_eq!(column(&table, "status"), &Column::U64(vec![1]));
        assert_eq!(column(&table, "start_s"), &Column::F64(vec![0.5]));
        assert_eq!(column(&table, "fct_receiver_s"), &Column::F64(vec![2.0]));
        for name in ["fct_sender_s", "established_s", "min_rtt_s", "mean_rtt_s"] {
            assert!(matches!(column(&table, name), Column::F64(v) if v[0].is_nan()), "{name}");
        }
    }

    #[test]
    fn columns_have_a_value_for_each_row() {
        let record = Record {
            flows: vec![flow()],
            ports: vec![PortRow::default(); 2],
            periods: vec![PeriodRow::default(); 3],
            keys: serde_json::from_value::<Plan>(crate::sample::plan()).expect("a plan").flow_keys(),
            ..Record::default()
        };
        let rows = |table: &Table| match table.name {
            "flows" | "balance" => 1,
            "ports" => 2,
            "responses" => 3,
            _ => 0,
        };
        for table in tables(&record) {
            for (name, column) in &table.columns {
                let found = match column {
                    Column::U64(values) => values.len(),
                    Column::F64(values) => values.len(),
                };
                assert_eq!(found, rows(&table), "{}.{name}", table.name);
            }
        }
    }

    #[test]
    fn what_users_read_has_a_definition_and_is_in_its_table_once() {
        for (table, meanings) in meanings() {
            let names: BTreeSet<_> = meanings.iter().map(|meaning| meaning.name).collect();
            assert_eq!(names.len(), meanings.len(), "{table}");
            for Meaning { name, unit, definition } in meanings {
                assert!(
                    !unit.is_empty() && definition.len() > 5 && definition.ends_with('.'),
                    "{table}.{name}"
                );
            }
        }
    }
}
