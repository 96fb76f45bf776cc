//! The rows of flows and bursts in the results.

use headgate_model::control::ControllerRegistry;
use headgate_tcp::Repairs;

use crate::packets::index::RouterIndex;
use crate::record::{FlowRow, Status};
use crate::region::hosts::burst_queue::Transfer;
use crate::region::hosts::flow::Flow;
use crate::region::shard_state::ShardState;

/// Returns the row of a flow or burst, as of now. For an abandoned flow the completion time is missing,
/// even if the receiver, whose region may be ahead by part of a window, has received the rest since.
pub fn flow_row<L: ControllerRegistry>(
    flow: &Flow<L>,
    transfer: &Transfer,
    status: Status,
    router: RouterIndex,
    state: &ShardState<L>,
) -> FlowRow {
    let (sender, stats) = (&flow.tcp, &transfer.stats);
    let elapsed = state.now - stats.started;
    // A flow that ends within the warm-up has delivered and repaired nothing after it.
    let (baseline_delivered, baseline_repairs) = if state.now <= state.setup.warmup {
        (sender.una, sender.stats.repairs())
    } else {
        (flow.baseline_delivered, flow.baseline_repairs)
    };
    let Repairs { retransmissions, timeouts, recoveries, undone, spurious_timeouts } =
        sender.stats.repairs().since(baseline_repairs);
    FlowRow {
        traffic: flow.flow_id.0,
        controller: flow.controller,
        key: flow.key,
        source: router.0,
        receiver: flow.peer.router.0,
        address: flow.endpoint.address.0,
        start: stats.started,
        size: transfer.size,
        status,
        fct_sender: (status == Status::Finished).then_some(elapsed),
        fct_receiver: transfer.received.filter(|_| status != Status::Abandoned),
        established: stats.established,
        delivered: transfer.delivered(baseline_delivered, sender.una),
        delivered_total: transfer.delivered(0, sender.una),
        active: state.now - stats.started.max(state.setup.warmup).min(state.now),
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
        marked_total: stats.marked,
        min_rtt_s: sender.rtt.path.min_rtt_s,
        mean_rtt_s: stats.rtt_sum_s / f64::from(stats.rtt_count),
        mean_cwnd: stats.cwnd_sum / f64::from(stats.acks),
        slow_start: stats.slow_start_exit().map(|exit| exit.after),
        slow_start_cwnd: stats.slow_start_exit().map_or(f64::NAN, |exit| exit.cwnd),
        slow_start_resent: stats.exit.resent,
        burst: transfer.burst,
    }
}

/// Counts a flow or burst that ended as failed, abandoned or completed.
pub fn count_finished<L>(row: &FlowRow, transfer: &Transfer, state: &mut ShardState<L>) {
    let of_key = &mut state.flow_stats.all[row.key as usize];
    of_key.add(state.now, row.delivered_total, &transfer.stats);
    of_key.end(row.status, row.size, row.fct_receiver);
    let counters = &mut state.counters;
    counters.active -= 1;
    match row.status {
        Status::Failed => counters.connection_failures += 1,
        Status::Abandoned => counters.flows_abandoned += 1,
        _ => counters.flows_completed += 1,
    }
}
