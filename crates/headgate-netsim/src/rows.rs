//! What is written down of a flow.

use headgate_model::control::Registry;
use headgate_model::units::seconds;

use crate::record::{FlowRow, Status, pair};
use crate::shared::Shared;
use crate::transport::sender::Sender;

/// The facts of one flow as of now.
pub fn row<L: Registry>(sender: &Sender<L>, status: Status, router: u32, shared: &Shared<L>) -> FlowRow {
    let tally = &sender.tally;
    let elapsed = shared.now - tally.started;
    FlowRow {
        traffic: sender.spec,
        law: sender.law_index,
        source: router,
        receiver: sender.destination,
        address: sender.address,
        start: tally.started,
        size: sender.size,
        status,
        fct_sender: (status == Status::Finished).then_some(elapsed),
        fct_receiver: tally.received,
        established: tally.established,
        delivered: sender.una - tally.base,
        delivered_total: sender.una,
        active: shared.now - tally.started.max(shared.warmup).min(shared.now),
        retransmissions: tally.retransmissions,
        timeouts: tally.timeouts,
        recoveries: tally.recoveries,
        min_rtt_s: sender.rtt.path.min_rtt_s,
        mean_rtt_s: tally.rtt_sum_s / f64::from(tally.rtt_count),
        mean_cwnd: tally.cwnd_sum / f64::from(tally.acks),
    }
}

/// A flow is over: it counts as failed, or as completed between its classes of routers.
pub fn count_finished<L>(row: &FlowRow, shared: &mut Shared<L>) {
    let counters = &mut shared.counters;
    if row.status == Status::Failed {
        counters.connection_failures += 1;
        return;
    }
    counters.flows_completed += 1;
    let classes = [row.source, row.receiver].map(|node| shared.classes[node as usize]);
    let Some(pair) = pair(classes[0], classes[1]) else { return };
    if let Some(fct) = row.fct_receiver {
        counters.pair_flows[pair] += 1;
        counters.pair_rates[pair] += f64::from(row.size) / seconds(fct);
    }
}
