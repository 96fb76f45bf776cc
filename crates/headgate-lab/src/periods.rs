//! Tables whose rows belong to a measurement period, and what must add up at the end of a run.

use headgate_model::units::seconds;
use headgate_netsim::record::{BUCKETS, ClassRow, LawRow, LinkRow};
use headgate_netsim::record::{Balance, PAIRS};

use crate::table::{Builder, Table, finite, seconds_of};

pub fn classes(rows: &[ClassRow]) -> Table {
    Builder::new("classes", rows)
        .count("period", |row| row.period.into())
        .count("file", |row| row.sort.file.into())
        .count("pair", |row| row.sort.pair.unwrap_or(PAIRS.len()) as u64)
        .count("fast", |row| row.sort.fast.into())
        .count("law", |row| row.sort.law.into())
        .count("started", |row| row.cell.started)
        .count("completed", |row| row.cell.completed)
        .count("failed", |row| row.cell.failed)
        .count("abandoned", |row| row.cell.abandoned)
        .count("timed", |row| row.cell.timed)
        .count("timed_packets", |row| row.cell.timed_segments)
        .figure("fct_sum_s", |row| row.cell.fct_sum_s.value())
        .figure("rate_sum", |row| row.cell.rate_sum.value())
        .figure("active_s", |row| seconds_of(row.cell.active_ps))
        .count("delivered_packets", |row| row.cell.delivered)
        .count("retransmissions", |row| row.cell.retransmissions)
        .count("timeouts", |row| row.cell.timeouts)
        .count("decreases", |row| row.cell.decreases)
        .figure("fallen_packets", |row| row.cell.fallen.value())
        .figure("rtt_sum_s", |row| row.cell.rtt_sum_s.value())
        .count("rtt_count", |row| row.cell.rtt_count)
        .build()
}

pub fn laws(rows: &[LawRow]) -> Table {
    Builder::new("laws", rows)
        .count("period", |row| row.period.into())
        .count("law", |row| row.law.into())
        .count("samples", |row| row.samples)
        .count("active_sum", |row| row.active_sum)
        .count("connecting_sum", |row| row.connecting_sum)
        .figure("cwnd_sum", |row| row.cwnd_sum)
        .count("seen", |row| row.seen)
        .figure("mean", |row| if row.seen > 0 { row.mean } else { f64::NAN })
        .figure("variance", |row| if row.seen > 1 { row.squares / (row.seen - 1) as f64 } else { f64::NAN })
        .figure("least", |row| finite(row.least))
        .figure("greatest", |row| if row.seen > 0 { row.greatest } else { f64::NAN })
        .build()
}

/// A row for each bucket that was ever seen.
pub fn windows(rows: &[LawRow]) -> Table {
    let buckets = |row: &LawRow| {
        let (period, law) = (row.period, row.law);
        let seen = (0..BUCKETS).map(|at| (at, row.buckets[at])).filter(|&(_, count)| count > 0);
        seen.map(|(at, count)| (period, law, at, count)).collect::<Vec<_>>()
    };
    let rows: Vec<_> = rows.iter().flat_map(buckets).collect();
    Builder::new("windows", &rows)
        .count("period", |row| row.0.into())
        .count("law", |row| row.1.into())
        .count("bucket", |row| row.2 as u64)
        .count("count", |row| row.3)
        .build()
}

pub fn links(rows: &[LinkRow]) -> Table {
    Builder::new("links", rows)
        .count("period", |row| row.period.into())
        .count("link", |row| row.link.into())
        .count("arrivals", |row| row.arrivals)
        .count("drops", |row| row.drops)
        .count("departures", |row| row.departures)
        .count("sent_bytes", |row| row.sent_bytes)
        .figure("capacity_bits", |row| seconds_of(row.capacity))
        .figure("wait_sum_s", |row| seconds_of(row.wait_ps))
        .figure("elapsed_s", |row| seconds(row.elapsed))
        .count("samples", |row| row.samples)
        .count("queue_sum", |row| row.queue_sum)
        .count("queue_max", |row| row.queue_max)
        .build()
}

pub fn balance(balance: &Balance) -> Table {
    Builder::new("balance", std::slice::from_ref(balance))
        .count("segments_in", |row| row.counters.segments_in)
        .count("segments_out", |row| row.counters.segments_out)
        .count("segments_dropped", |row| row.counters.segments_dropped)
        .count("under_way", |row| row.under_way)
        .count("flows_started", |row| row.counters.flows_started)
        .count("flows_completed", |row| row.counters.flows_completed)
        .count("connection_failures", |row| row.counters.connection_failures)
        .count("flows_abandoned", |row| row.counters.flows_abandoned)
        .count("active", |row| row.counters.active as u64)
        .build()
}
