//! What was counted, as named columns: facts only; names and ratios are made in Python.

use headgate_model::units::{Span, seconds};
use headgate_netsim::record::{
    FlowRow, FlowSample, NetworkSample, PAIRS, PeriodRow, PortRow, PortSample, Record, Status,
};
use headgate_netsim::transport::profile::ENDLESS;

use crate::periods;
use crate::table::{Builder, finite, seconds_of};
pub use crate::table::{Column, Table};

/// The tables of a run.
pub fn tables(record: &Record) -> Vec<Table> {
    vec![
        flows(&record.flows),
        ports(&record.ports),
        series_flows(&record.flow_samples),
        series_ports(&record.port_samples),
        network(&record.network_samples),
        responses(&record.periods, record.sources),
        periods::classes(&record.classes),
        periods::laws(&record.laws),
        periods::windows(&record.laws),
        periods::links(&record.links),
        periods::balance(&record.balance),
    ]
}

fn flows(rows: &[FlowRow]) -> Table {
    Builder::new("flows", rows)
        .count("traffic", |row| row.traffic.into())
        .count("law", |row| row.law.into())
        .count("source", |row| row.source.into())
        .count("receiver", |row| row.receiver.into())
        .figure("start_s", |row| seconds(row.start))
        .count("packets", |row| if row.size == ENDLESS { 0 } else { row.size.into() })
        .count("status", |row| status(row.status))
        .figure("fct_sender_s", |row| optional(row.fct_sender))
        .figure("fct_receiver_s", |row| optional(row.fct_receiver))
        .figure("established_s", |row| optional(row.established))
        .count("delivered_packets", |row| row.delivered.into())
        .count("delivered_total", |row| row.delivered_total.into())
        .figure("active_s", |row| seconds(row.active))
        .count("retransmissions", |row| row.repairs.retransmissions.into())
        .count("timeouts", |row| row.repairs.timeouts.into())
        .count("recoveries", |row| row.repairs.recoveries.into())
        .count("retransmissions_total", |row| row.repairs_total.retransmissions.into())
        .count("timeouts_total", |row| row.repairs_total.timeouts.into())
        .count("recoveries_total", |row| row.repairs_total.recoveries.into())
        .figure("min_rtt_s", |row| finite(row.min_rtt_s))
        .figure("mean_rtt_s", |row| finite(row.mean_rtt_s))
        .figure("mean_cwnd_packets", |row| finite(row.mean_cwnd))
        .build()
}

fn status(status: Status) -> u64 {
    match status {
        Status::Connecting => 0,
        Status::Running => 1,
        Status::Finished => 2,
        Status::Failed => 3,
        Status::Abandoned => 4,
    }
}

fn optional(span: Option<Span>) -> f64 {
    span.map_or(f64::NAN, seconds)
}

fn ports(rows: &[PortRow]) -> Table {
    let mut table = Builder::new("ports", rows)
        .count("arrivals", |row| row.tally.arrivals)
        .count("arrived_bytes", |row| row.tally.arrived_bytes)
        .count("drops", |row| row.tally.drops)
        .count("dropped_bytes", |row| row.tally.dropped_bytes)
        .count("lost", |row| row.tally.lost)
        .count("departures", |row| row.departures)
        .count("sent_bytes", |row| row.sent_bytes)
        .count("marks", |row| row.tally.marks)
        .figure("wait_sum_s", |row| seconds_of(row.tally.wait_ps))
        .count("max_queue_packets", |row| row.tally.max_queue)
        .figure("rate_bps", PortRow::mean_rate_bps)
        .figure("elapsed_s", |row| seconds(row.elapsed))
        .build();
    let link = Column::U64((0..rows.len() as u64).collect());
    table.columns.insert(0, ("link".to_owned(), link));
    table
}

fn series_flows(rows: &[FlowSample]) -> Table {
    Builder::new("series_flows", rows)
        .figure("t_s", |row| seconds(row.time))
        .count("flow", |row| row.flow.into())
        .figure("cwnd_packets", |row| row.cwnd)
        .figure("ssthresh_packets", |row| row.ssthresh)
        .figure("srtt_s", |row| row.srtt_s)
        .figure("pace", |row| row.pace)
        .figure("gauge", |row| row.gauge)
        .count("in_flight", |row| row.in_flight.into())
        .count("delivered_packets", |row| row.delivered.into())
        .build()
}

fn series_ports(rows: &[PortSample]) -> Table {
    Builder::new("series_ports", rows)
        .figure("t_s", |row| seconds(row.time))
        .count("link", |row| row.link.into())
        .count("queue_packets", |row| row.queue)
        .count("sent_bytes", |row| row.sent_bytes)
        .count("drops", |row| row.drops)
        .figure("gauge", |row| row.gauge)
        .build()
}

fn network(rows: &[NetworkSample]) -> Table {
    Builder::new("network", rows)
        .figure("t_s", |row| seconds(row.time))
        .count("active_flows", |row| row.active)
        .count("connecting", |row| row.connecting)
        .count("finished", |row| row.finished)
        .build()
}

fn responses(rows: &[PeriodRow], sources: u64) -> Table {
    let facts = Builder::new("responses", rows)
        .figure("start_s", |row| seconds(row.start))
        .figure("end_s", |row| seconds(row.end))
        .count("samples", |row| row.samples)
        .count("transmitting_sum", |row| row.transmitting_sum)
        .count("active_sum", |row| row.active_sum)
        .count("sources", |_| sources)
        .count("connecting_sum", |row| row.connecting_sum)
        .count("segments_in", |row| row.counters.segments_in)
        .count("segments_out", |row| row.counters.segments_out)
        .count("segments_dropped", |row| row.counters.segments_dropped)
        .count("flows_completed", |row| row.counters.flows_completed)
        .count("connection_failures", |row| row.counters.connection_failures)
        .count("flows_abandoned", |row| row.counters.flows_abandoned)
        .count("retransmissions", |row| row.counters.retransmissions)
        .figure("cwnd_sum", |row| row.cwnd_sum)
        .count("cwnd_increases", |row| row.counters.cwnd_increases)
        .count("duplicate_acks", |row| row.counters.duplicate_acks)
        .count("timeouts", |row| row.counters.timeouts)
        .figure("rtt_sum_s", |row| row.counters.rtt_sum_s.value())
        .count("rtt_count", |row| row.counters.rtt_count)
        .figure("wait_sum_s", |row| seconds_of(row.counters.wait_ps));
    PAIRS.into_iter().enumerate().fold(facts, of_pair).build()
}

fn of_pair<'a>(
    table: Builder<'a, PeriodRow>,
    (index, pair): (usize, &'static str),
) -> Builder<'a, PeriodRow> {
    table
        .count(format!("flows_{pair}"), |row| row.counters.pair_flows[index])
        .figure(format!("rate_sum_{pair}"), |row| row.counters.pair_rates[index].value())
}

#[cfg(test)]
mod tests {
    use super::*;
    use headgate_netsim::record::Repairs;

    fn column<'a>(table: &'a Table, name: &str) -> &'a Column {
        &table.columns.iter().find(|(known, _)| known == name).expect("a column").1
    }

    fn flow() -> FlowRow {
        FlowRow {
            traffic: 1,
            law: 2,
            cell: 0,
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
            repairs: Repairs::default(),
            repairs_total: Repairs::default(),
            min_rtt_s: f64::INFINITY,
            mean_rtt_s: f64::NAN,
            mean_cwnd: 1.5,
        }
    }

    #[test]
    fn what_a_flow_lacks_is_nan_and_an_endless_one_has_no_size() {
        let table = flows(&[flow()]);
        assert_eq!(column(&table, "packets"), &Column::U64(vec![0]));
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
            sources: 7,
            ..Record::default()
        };
        let tables = tables(&record);
        let names: Vec<_> = tables.iter().map(|table| table.name).collect();
        let first = ["flows", "ports", "series_flows", "series_ports", "network", "responses"];
        assert_eq!(names[..6], first);
        assert_eq!(names[6..], ["classes", "laws", "windows", "links", "balance"]);
        for (table, rows) in tables.iter().zip([1, 2, 0, 0, 0, 3, 0, 0, 0, 0, 1]) {
            for (name, column) in &table.columns {
                let found = match column {
                    Column::U64(values) => values.len(),
                    Column::F64(values) => values.len(),
                };
                assert_eq!(found, rows, "{name}");
            }
        }
        assert_eq!(column(&tables[1], "link"), &Column::U64(vec![0, 1]));
        assert_eq!(column(&tables[5], "sources"), &Column::U64(vec![7; 3]));
        assert_eq!(tables[5].columns.len(), 21 + 12);
    }
}
