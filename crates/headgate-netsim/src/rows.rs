//! What is written down of a flow.

use headgate_model::control::Registry;

use crate::record::{FlowRow, FlowTally, Repairs, Status};
use crate::shared::Shared;
use crate::transport::sender::Sender;

/// The facts of one flow as of now. What is given up has no completion time, even where the receiver, whose
/// region may be ahead by part of a window, has had the rest since.
pub fn row<L: Registry>(sender: &Sender<L>, status: Status, router: u32, shared: &Shared<L>) -> FlowRow {
    let tally = &sender.tally;
    let elapsed = shared.now - tally.started;
    let Repairs { retransmissions, timeouts, recoveries } = tally.repairs().since(tally.before);
    FlowRow {
        traffic: sender.number,
        law: sender.law_index,
        key: sender.key,
        source: router,
        receiver: sender.destination,
        address: sender.address,
        start: tally.started,
        size: sender.size,
        status,
        fct_sender: (status == Status::Finished).then_some(elapsed),
        fct_receiver: tally.received.filter(|_| status != Status::Abandoned),
        established: tally.established,
        delivered: sender.una - tally.base,
        delivered_total: sender.una,
        active: shared.now - tally.started.max(shared.setup.warmup).min(shared.now),
        retransmissions,
        timeouts,
        recoveries,
        retransmissions_total: tally.retransmissions,
        timeouts_total: tally.timeouts,
        recoveries_total: tally.recoveries,
        min_rtt_s: sender.rtt.path.min_rtt_s,
        mean_rtt_s: tally.rtt_sum_s / f64::from(tally.rtt_count),
        mean_cwnd: tally.cwnd_sum / f64::from(tally.acks),
    }
}

/// A flow is over: it counts as failed, given up or completed.
pub fn count_finished<L>(row: &FlowRow, tally: &FlowTally, shared: &mut Shared<L>) {
    let stats = &mut shared.flow_stats.all[row.key as usize];
    stats.add(shared.now, row.delivered_total, tally);
    stats.end(row.status, row.size, row.fct_receiver);
    let counters = &mut shared.counters;
    match row.status {
        Status::Failed => counters.connection_failures += 1,
        Status::Abandoned => counters.flows_abandoned += 1,
        _ => counters.flows_completed += 1,
    }
}
