//! The begin and end of flows in a host group.

use headgate_model::control::ControllerRegistry;
use headgate_model::units::{NEVER, Time};
use headgate_tcp::Phase;

use super::HostGroup;
use crate::packets::index::{Address, SourceIndex};
use crate::record::Status;
use crate::region::hosts::flow::{Flow, LINGER};
use crate::region::hosts::flow_rows::{count_finished, flow_row};
use crate::region::shard_state::ShardState;
use crate::time::timers::{Purpose, Timer};
use crate::traffic::process::SourceAction;

impl<L: ControllerRegistry> HostGroup<L> {
    /// The timer of a source expired: begins a flow, or a burst on the source's connection.
    pub(super) fn on_source(&mut self, source: SourceIndex, state: &mut ShardState<L>) {
        let action = self.sources.wake(source, state.now, &state.setup.specs, self.router);
        state.counters.transmitting += i64::from(self.sources.begin(action.flow.source));
        match self.persistent.get(&source).filter(|_| action.burst > 0) {
            Some(&slot) => self.write(slot, &action, state),
            None => self.open(&action, state),
        }
        if let Some(time) = action.next {
            self.set_source_timer(source, time, state);
        }
    }

    /// Begins a burst on a persistent connection.
    fn write(&mut self, slot: u32, action: &SourceAction, state: &mut ShardState<L>) {
        let flow = &mut self.flows[slot as usize];
        flow.write(action, state);
        if action.ends != NEVER {
            let (group, generation) = (self.router, flow.endpoint.generation);
            let (time, purpose) = (action.ends, Purpose::Stop);
            state.timers.push(Timer { time, group, purpose, id: slot, generation });
        }
    }

    /// Sets the timer of a source.
    fn set_source_timer(&self, source: SourceIndex, time: Time, state: &mut ShardState<L>) {
        let (group, purpose) = (self.router, Purpose::Source);
        state.timers.push(Timer { time, group, purpose, id: source.0, generation: 0 });
    }

    /// Opens a flow, or a persistent connection.
    fn open(&mut self, action: &SourceAction, state: &mut ShardState<L>) {
        let SourceAction { flow: flow_start, ends, burst, .. } = action;
        let slot = self.free_slot(state.now);
        let address = state.split.join(self.router, slot);
        let generation = self.flows.get(slot).map_or(0, |flow| flow.endpoint.generation.wrapping_add(1));
        let flow = Flow::open(action, address, generation, state);
        if slot == self.flows.len() {
            self.flows.push(flow);
        } else {
            self.flows[slot] = flow;
        }
        if *burst > 0 {
            self.persistent.insert(flow_start.source, slot as u32);
        }
        let patience = state.setup.spec(flow_start.flow_id).patience.filter(|_| flow_start.is_impatient);
        if let Some(trace) = state.setup.series_place(flow_start.flow_id) {
            state.series_addresses[trace as usize] = Some((state.now, address));
        }
        let (group, id) = (self.router, slot as u32);
        if *ends != NEVER {
            let purpose = Purpose::Stop;
            state.timers.push(Timer { time: *ends, group, purpose, id, generation });
        }
        if let (_, Some(time)) = state.setup.spec(flow_start.flow_id).pause_at(state.now) {
            state.timers.push(Timer { time, group, purpose: Purpose::Pause, id, generation });
        }
        if let Some(patience) = patience {
            let (time, purpose) = (state.now + patience.check, Purpose::CheckPatience);
            state.timers.push(Timer { time, group, purpose, id, generation });
        }
    }

    /// Abandons a flow that is too slow. A connection in its handshake is not abandoned: its SYNs are few.
    pub(super) fn check_patience(&mut self, timer: &Timer, state: &mut ShardState<L>) {
        let flow = &self.flows[timer.id as usize];
        let has_ended = flow.endpoint.generation != timer.generation || !flow.is_active();
        if has_ended || flow.tcp.phase == Phase::SynSent {
            return;
        }
        let patience = state.setup.spec(flow.flow_id).patience;
        let elapsed = timer.time - flow.tcp.stats.started;
        if patience.is_some_and(|patience| patience.is_over(flow.tcp.una, elapsed)) {
            self.finish(flow.endpoint.address, Status::Abandoned, state);
        }
    }

    /// A flow sends nothing new from now on, or nothing new of its last burst.
    pub(super) fn on_stop(&mut self, timer: &Timer, state: &mut ShardState<L>) {
        let flow = &mut self.flows[timer.id as usize];
        if flow.endpoint.generation == timer.generation && flow.is_active() && flow.stop() {
            let address = flow.endpoint.address;
            self.finish(address, Status::Finished, state);
        }
    }

    /// The application of a flow pauses or continues.
    pub(super) fn on_pause(&mut self, timer: &Timer, state: &mut ShardState<L>) {
        let flow = &mut self.flows[timer.id as usize];
        if flow.endpoint.generation != timer.generation || !flow.is_open() {
            return;
        }
        let (is_paused, changes) = state.setup.spec(flow.flow_id).pause_at(timer.time);
        flow.set_paused(is_paused, state);
        if let Some(time) = changes {
            state.timers.push(Timer { time, ..*timer });
        }
    }

    /// Returns a slot for a new sender. The slot freed last is still in the cache.
    fn free_slot(&mut self, now: Time) -> usize {
        if self.quarantine.front().is_some_and(|r| r.1 < now) {
            self.free_flows.extend(self.quarantine.pop_front().map(|r| r.0));
        }
        self.free_flows.pop().unwrap_or(self.flows.len() as u32) as usize
    }

    /// Frees a slot. If its generations are used up, it first waits until all their receivers are released.
    fn release_slot(&mut self, slot: usize, now: Time) {
        if self.flows[slot].endpoint.generation == u8::MAX {
            self.quarantine.push_back((slot as u32, now + LINGER));
        } else {
            self.free_flows.push(slot as u32);
        }
    }

    /// A flow ended, or bursts of a connection.
    pub(super) fn finish(&mut self, address: Address, status: Status, state: &mut ShardState<L>) {
        let slot = state.split.slot(address);
        if status == Status::Finished && self.flows[slot].tcp.is_paused() {
            return;
        }
        if self.flows[slot].bursts.is_some() {
            return self.finish_bursts(slot, status, state);
        }
        self.record(slot, status, state);
        self.close(slot, state);
        self.end_transfer(slot, state);
    }

    /// Ends the acknowledged bursts, or all if the connection failed. Closes the connection if it expects
    /// no other burst.
    #[cold]
    fn finish_bursts(&mut self, slot: usize, status: Status, state: &mut ShardState<L>) {
        let failed = status == Status::Failed;
        while self.flows[slot].has_ended_burst(failed) {
            self.record(slot, status, state);
            self.flows[slot].end_burst();
            let is_expected = self.end_transfer(slot, state);
            self.flows[slot].expect_burst(is_expected);
        }
        if failed || self.flows[slot].is_exhausted() {
            self.persistent.remove(&self.flows[slot].source);
            self.close(slot, state);
        }
    }

    /// Records a flow, or the oldest of its bursts.
    fn record(&mut self, slot: usize, status: Status, state: &mut ShardState<L>) {
        let flow = &self.flows[slot];
        let Some(transfer) = flow.transfers().next() else { return };
        let row = flow_row(flow, &transfer, status, self.router, state);
        count_finished(&row, &transfer, state);
        if state.setup.keep_rows {
            state.flow_rows.push(row);
        }
    }

    fn close(&mut self, slot: usize, state: &mut ShardState<L>) {
        self.flows[slot].close(state);
        self.release_slot(slot, state.now);
    }

    /// Tells the source that a flow or burst ended. Returns whether the source had waited for that and now
    /// begins another.
    fn end_transfer(&mut self, slot: usize, state: &mut ShardState<L>) -> bool {
        let owner = self.flows[slot].source;
        state.counters.transmitting -= i64::from(self.sources.end(owner));
        let next = self.sources.next_after_flow(owner, state.now);
        if let Some(time) = next {
            self.set_source_timer(owner, time, state);
        }
        next.is_some()
    }
}
