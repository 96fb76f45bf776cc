//! The ports of a region that act at departures.

use headgate_model::control::ControllerRegistry;
use headgate_model::units::{NEVER, Span, Time};
use serde::{Deserialize, Serialize};

use super::{Region, STRIDE};
use crate::packets::index::{LinkIndex, NodeIndex, PortIndex, RouterIndex};
use crate::port::Port;
use crate::region::fabric::NextHop;
use crate::region::shard_state::Workspace;
use crate::time::timers::{Purpose, Timer};

/// A port that acts at departures.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(super) struct HoldingPort {
    pub(super) port: PortIndex,
    /// Its packets arrive within the window in which they leave, so each departure needs a timer.
    is_short: bool,
    /// The departure for which a timer was set last.
    timer_at: Time,
}

impl<L: ControllerRegistry> Region<L> {
    /// Adds the port of a link from one of the routers.
    pub fn add_port(&mut self, link: LinkIndex, end: NodeIndex, port: Port<L>, delay: Span, lookahead: Span) {
        let number = PortIndex::from_index(self.fabric.ports.len());
        let holds = !matches!(port, Port::Analytic(_));
        self.holder_of.push(holds.then_some(self.holding_ports.len() as u32));
        self.holding_ports.extend(holds.then_some(HoldingPort {
            port: number,
            is_short: delay < lookahead,
            timer_at: NEVER,
        }));
        self.fabric.add_port(link, end, port);
    }

    /// Returns when a port next acts at a departure, or `NEVER`.
    #[inline]
    pub fn next_departure(&self) -> Time {
        let departures = self.holding_ports.iter().map(|holder| self.fabric.next_departure(holder.port));
        departures.min().unwrap_or(NEVER)
    }

    /// Processes the departures before `until` that no timer has processed, at most a stride at each port.
    /// Returns true if none is left.
    pub(super) fn run_departures(&mut self, until: Time, workspace: &mut Workspace<L>) -> bool {
        let mut over = true;
        for at in 0..self.holding_ports.len() {
            let port = self.holding_ports[at].port;
            over &= self.fabric.catch_up_in_part(port, until, STRIDE, &mut workspace.state);
            self.flush_port(port, workspace);
        }
        over
    }

    /// Files the packets that left a port, and sets the timer for its next departure.
    pub(super) fn flush_port(&mut self, port: PortIndex, workspace: &mut Workspace<L>) {
        let end = self.fabric.far_end(port);
        let mut leaving = std::mem::take(&mut workspace.state.outgoing);
        for (time, packet) in leaving.drain(..) {
            self.send(NextHop::Node(end, time), &packet, workspace);
        }
        workspace.state.outgoing = leaving;
        self.set_departure_timer(port);
    }

    /// Sets a timer for the next departure at a port of a short link.
    #[inline]
    fn set_departure_timer(&mut self, port: PortIndex) {
        let Some(holder) = self.holder_of[port.index()] else { return };
        let holder = &mut self.holding_ports[holder as usize];
        if !holder.is_short {
            return;
        }
        let next = self.fabric.next_departure(port);
        if next != holder.timer_at && next != NEVER {
            holder.timer_at = next;
            let timer = Timer {
                time: next,
                group: RouterIndex(0),
                purpose: Purpose::Depart,
                id: port.0,
                generation: 0,
            };
            self.timers.set(timer);
        }
    }
}
