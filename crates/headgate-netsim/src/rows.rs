//! What is written down of a flow, or of a burst.

use headgate_model::control::ControllerRegistry;
use headgate_tcp::Repairs;

use crate::bursts::Transfer;
use crate::flow::Flow;
use crate::record::{FlowRow, Status};
use crate::shared::Shared;

/// The facts of one flow, or of a burst on its connection, as of now. What is given up has no completion time, even
/// where the receiver, whose region may be ahead by part of a window, has had the rest since.
pub fn row<L: ControllerRegistry>(
    flow: &Flow<L>,
    transfer: &Transfer,
    status: Status,
    router: u32,
    shared: &Shared<L>,
) -> FlowRow {
    let (sender, stats) = (&flow.tcp, &transfer.stats);
    let elapsed = shared.now - stats.started;
    let Repairs { retransmissions, timeouts, recoveries, undone, spurious_timeouts } =
        sender.stats.repairs().since(flow.before);
    FlowRow {
        traffic: flow.number,
        law: flow.law,
        key: flow.key,
        source: router,
        receiver: flow.peer.router,
        address: flow.end.address,
        start: stats.started,
        size: transfer.size,
        status,
        fct_sender: (status == Status::Finished).then_some(elapsed),
        fct_receiver: transfer.received.filter(|_| status != Status::Abandoned),
        established: stats.established,
        delivered: transfer.delivered(flow.base, sender.una),
        delivered_total: transfer.delivered(0, sender.una),
        active: shared.now - stats.started.max(shared.setup.warmup).min(shared.now),
        retransmissions,
        timeouts,
        recoveries,
        undone,
        spurious_timeouts,
        retransmissions_total: stats.retransmissions,
        timeouts_total: stats.timeouts,
        recoveries_total: stats.recoveries,
        undone_total: stats.undone,
        spurious_timeouts_total: stats.spurious_timeouts,
        min_rtt_s: sender.rtt.path.min_rtt_s,
        mean_rtt_s: stats.rtt_sum_s / f64::from(stats.rtt_count),
        mean_cwnd: stats.cwnd_sum / f64::from(stats.acks),
        burst: transfer.burst,
    }
}

/// A flow or a burst is over: it counts as failed, given up or completed.
pub fn count_finished<L>(row: &FlowRow, transfer: &Transfer, shared: &mut Shared<L>) {
    let of_key = &mut shared.flow_stats.all[row.key as usize];
    of_key.add(shared.now, row.delivered_total, &transfer.stats);
    of_key.end(row.status, row.size, row.fct_receiver);
    let counters = &mut shared.counters;
    counters.active -= 1;
    match row.status {
        Status::Failed => counters.connection_failures += 1,
        Status::Abandoned => counters.flows_abandoned += 1,
        _ => counters.flows_completed += 1,
    }
}
