//! How the flows of a site begin, are given up, stop, and end.

use headgate_model::control::Registry;
use headgate_model::units::{NEVER, Time};

use super::Site;
use crate::record::Status;
use crate::rows::{count_finished, row};
use crate::shared::Shared;
use crate::timers::{Purpose, Timer};
use crate::traffic::Opening;
use crate::transport::sender::{LINGER, Sender};
use crate::transport::state::Phase;

impl<L: Registry> Site<L> {
    /// It is a source's turn: it may begin a flow.
    pub(super) fn wake(&mut self, source: u32, shared: &mut Shared<L>) {
        let turn = self.sources.wake(source, shared.now, &shared.setup.specs, self.router);
        if let Some(opening) = turn.opening {
            self.open(&opening, turn.ends, shared);
        }
        if let Some(time) = turn.next {
            self.await_turn(source, time, shared);
        }
    }

    fn await_turn(&self, source: u32, time: Time, shared: &mut Shared<L>) {
        let (site, purpose) = (self.router, Purpose::Source);
        shared.timers.push(Timer { time, site, purpose, id: source, generation: 0 });
    }

    /// Begins a flow that sends nothing new from `ends` on.
    fn open(&mut self, opening: &Opening, ends: Time, shared: &mut Shared<L>) {
        shared.counters.transmitting += i64::from(self.sources.begin(opening.owner));
        let slot = self.free_slot(shared.now);
        let address = shared.split.join(self.router as usize, slot);
        let generation = self.senders.get(slot).map_or(0, |s| s.generation.wrapping_add(1));
        let sender = Sender::open(opening, address, generation, shared);
        if slot == self.senders.len() {
            self.senders.push(sender);
        } else {
            self.senders[slot] = sender;
        }
        let patience = shared.setup.spec(opening.number).patience.filter(|_| opening.impatient);
        if let Some(trace) = shared.setup.trace_of(opening.number) {
            shared.traced[trace as usize] = Some((shared.now, address));
        }
        let (site, id) = (self.router, slot as u32);
        if ends != NEVER {
            let purpose = Purpose::Stop;
            shared.timers.push(Timer { time: ends, site, purpose, id, generation });
        }
        if let Some(patience) = patience {
            let (time, purpose) = (shared.now + patience.check, Purpose::Look);
            shared.timers.push(Timer { time, site, purpose, id, generation });
        }
    }

    /// A connection that is still in its handshake is left to its SYNs: they are few.
    pub(super) fn on_look(&mut self, timer: &Timer, shared: &mut Shared<L>) {
        let sender = &self.senders[timer.id as usize];
        let gone = sender.generation != timer.generation || sender.phase == Phase::Idle;
        if gone || sender.phase == Phase::Connecting {
            return;
        }
        let patience = shared.setup.spec(sender.number).patience;
        let elapsed = timer.time - sender.tally.started;
        if patience.is_some_and(|patience| patience.is_over(sender.una, elapsed)) {
            self.finish(sender.address, Status::Abandoned, shared);
        }
    }

    pub(super) fn on_stop(&mut self, timer: &Timer, shared: &mut Shared<L>) {
        let sender = &mut self.senders[timer.id as usize];
        if sender.generation == timer.generation && sender.phase != Phase::Idle && sender.stop() {
            let address = sender.address;
            self.finish(address, Status::Finished, shared);
        }
    }

    /// A slot for a new sender: the one left last is still in the cache.
    fn free_slot(&mut self, now: Time) -> usize {
        if self.resting.front().is_some_and(|r| r.1 < now) {
            self.free_senders.extend(self.resting.pop_front().map(|r| r.0));
        }
        self.free_senders.pop().unwrap_or(self.senders.len() as u32) as usize
    }

    /// Gives a slot back. Before its generations begin again every receiver they had must be gone.
    fn vacate(&mut self, slot: usize, now: Time) {
        if self.senders[slot].generation == u8::MAX {
            self.resting.push_back((slot as u32, now + LINGER));
        } else {
            self.free_senders.push(slot as u32);
        }
    }

    /// A flow is over: its row, its counts, and its user's next thought.
    pub(super) fn finish(&mut self, address: u32, status: Status, shared: &mut Shared<L>) {
        let slot = shared.split.slot(address);
        let sender = &mut self.senders[slot];
        let row = row(sender, status, self.router, shared);
        count_finished(&row, &sender.tally, shared);
        if shared.setup.keep_rows {
            shared.rows.push(row);
        }
        sender.close(shared);
        let owner = sender.owner;
        self.vacate(slot, shared.now);
        shared.counters.transmitting -= i64::from(self.sources.end(owner));
        if let Some(time) = self.sources.after(owner, shared.now) {
            self.await_turn(owner, time, shared);
        }
    }
}
