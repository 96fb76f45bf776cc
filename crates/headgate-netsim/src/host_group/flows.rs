//! How the flows of a host group begin, are given up, stop, and end.

use headgate_model::control::ControllerRegistry;
use headgate_model::units::{NEVER, Time};
use headgate_tcp::Phase;

use super::HostGroup;
use crate::flow::{Flow, LINGER};
use crate::record::Status;
use crate::rows::{count_finished, row};
use crate::shared::Shared;
use crate::timers::{Purpose, Timer};
use crate::traffic::process::Turn;

impl<L: ControllerRegistry> HostGroup<L> {
    /// It is a source's turn: it begins a flow, or a burst on the connection that it has.
    pub(super) fn wake(&mut self, source: u32, shared: &mut Shared<L>) {
        let turn = self.sources.wake(source, shared.now, &shared.setup.specs, self.router);
        shared.counters.transmitting += i64::from(self.sources.begin(turn.opening.owner));
        match self.persistent.get(&source).filter(|_| turn.burst > 0) {
            Some(&slot) => self.flows[slot as usize].write(&turn, shared),
            None => self.open(&turn, shared),
        }
        if let Some(time) = turn.next {
            self.await_turn(source, time, shared);
        }
    }

    fn await_turn(&self, source: u32, time: Time, shared: &mut Shared<L>) {
        let (group, purpose) = (self.router, Purpose::Source);
        shared.timers.push(Timer { time, group, purpose, id: source, generation: 0 });
    }

    /// Begins a flow, or a connection for bursts.
    fn open(&mut self, turn: &Turn, shared: &mut Shared<L>) {
        let Turn { opening, ends, burst, .. } = turn;
        let slot = self.free_slot(shared.now);
        let address = shared.split.join(self.router as usize, slot);
        let generation = self.flows.get(slot).map_or(0, |flow| flow.end.generation.wrapping_add(1));
        let flow = Flow::open(turn, address, generation, shared);
        if slot == self.flows.len() {
            self.flows.push(flow);
        } else {
            self.flows[slot] = flow;
        }
        if *burst > 0 {
            self.persistent.insert(opening.owner, slot as u32);
        }
        let patience = shared.setup.spec(opening.number).patience.filter(|_| opening.impatient);
        if let Some(trace) = shared.setup.trace_of(opening.number) {
            shared.traced[trace as usize] = Some((shared.now, address));
        }
        let (group, id) = (self.router, slot as u32);
        if *ends != NEVER {
            let purpose = Purpose::Stop;
            shared.timers.push(Timer { time: *ends, group, purpose, id, generation });
        }
        if let Some(patience) = patience {
            let (time, purpose) = (shared.now + patience.check, Purpose::Look);
            shared.timers.push(Timer { time, group, purpose, id, generation });
        }
    }

    /// A connection that is still in its handshake is left to its SYNs: they are few.
    pub(super) fn on_look(&mut self, timer: &Timer, shared: &mut Shared<L>) {
        let flow = &self.flows[timer.id as usize];
        let gone = flow.end.generation != timer.generation || !flow.is_active();
        if gone || flow.tcp.phase == Phase::SynSent {
            return;
        }
        let patience = shared.setup.spec(flow.number).patience;
        let elapsed = timer.time - flow.tcp.stats.started;
        if patience.is_some_and(|patience| patience.is_over(flow.tcp.una, elapsed)) {
            self.finish(flow.end.address, Status::Abandoned, shared);
        }
    }

    pub(super) fn on_stop(&mut self, timer: &Timer, shared: &mut Shared<L>) {
        let flow = &mut self.flows[timer.id as usize];
        if flow.end.generation == timer.generation && flow.is_active() && flow.tcp.stop() {
            let address = flow.end.address;
            self.finish(address, Status::Finished, shared);
        }
    }

    /// A slot for a new sender: the one left last is still in the cache.
    fn free_slot(&mut self, now: Time) -> usize {
        if self.resting.front().is_some_and(|r| r.1 < now) {
            self.free_flows.extend(self.resting.pop_front().map(|r| r.0));
        }
        self.free_flows.pop().unwrap_or(self.flows.len() as u32) as usize
    }

    /// Gives a slot back. Before its generations begin again every receiver they had must be gone.
    fn vacate(&mut self, slot: usize, now: Time) {
        if self.flows[slot].end.generation == u8::MAX {
            self.resting.push_back((slot as u32, now + LINGER));
        } else {
            self.free_flows.push(slot as u32);
        }
    }

    /// A flow is over, or the bursts of a connection that have ended.
    pub(super) fn finish(&mut self, address: u32, status: Status, shared: &mut Shared<L>) {
        let slot = shared.split.slot(address);
        if self.flows[slot].bursts.is_some() {
            return self.finish_bursts(slot, status, shared);
        }
        self.record(slot, status, shared);
        self.close(slot, shared);
        self.let_go_on(slot, shared);
    }

    /// The bursts that are acknowledged are over, or all if the connection `failed`. It closes if no other will come.
    #[cold]
    fn finish_bursts(&mut self, slot: usize, status: Status, shared: &mut Shared<L>) {
        let failed = status == Status::Failed;
        while self.flows[slot].has_burst(failed) {
            self.record(slot, status, shared);
            self.flows[slot].end_burst();
            let waits = self.let_go_on(slot, shared);
            self.flows[slot].await_burst(waits);
        }
        if failed || self.flows[slot].is_used_up() {
            self.persistent.remove(&self.flows[slot].owner);
            self.close(slot, shared);
        }
    }

    /// Writes down what a flow has done, or the oldest of its bursts.
    fn record(&mut self, slot: usize, status: Status, shared: &mut Shared<L>) {
        let flow = &self.flows[slot];
        let Some(transfer) = flow.transfers().next() else { return };
        let row = row(flow, &transfer, status, self.router, shared);
        count_finished(&row, &transfer, shared);
        if shared.setup.keep_rows {
            shared.rows.push(row);
        }
    }

    fn close(&mut self, slot: usize, shared: &mut Shared<L>) {
        self.flows[slot].close(shared);
        self.vacate(slot, shared.now);
    }

    /// A flow or a burst is over: its source's next turn comes, if it has waited for that.
    fn let_go_on(&mut self, slot: usize, shared: &mut Shared<L>) -> bool {
        let owner = self.flows[slot].owner;
        shared.counters.transmitting -= i64::from(self.sources.end(owner));
        let next = self.sources.after(owner, shared.now);
        if let Some(time) = next {
            self.await_turn(owner, time, shared);
        }
        next.is_some()
    }
}
