//! What all endpoints of a run share: profiles, counters, and the tray for what they emit.

use headgate_model::units::Time;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

use crate::cells::Cells;
use crate::excess::Excess;
use crate::packet::{Packet, Split};
use crate::papers::{NO_LABEL, Papers};
use crate::port::served::Desk;
use crate::record::{Counters, FlowRow, pair};
use crate::timers::Timer;
use crate::traffic::Spec;
use crate::transport::flow::Opening;
use crate::transport::profile::Profile;

/// The world as an endpoint sees it while it handles one event.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Shared<L> {
    pub now: Time,
    pub warmup: Time,
    pub split: Split,
    pub profiles: Vec<Profile>,
    /// Fresh laws, one for each of the plan's choices; a connection clones its own.
    pub laws: Vec<L>,
    /// In the order of their first numbers.
    pub specs: Vec<Spec>,
    /// Class of each router, as an index into D, F, N; larger = none.
    pub classes: Vec<u8>,
    pub counters: Counters,
    /// What the flows that are over counted, by what they have in common.
    pub cells: Cells,
    /// What packets carry beside themselves.
    pub papers: Papers,
    /// The number of the label of the packet that a site handles, or `NO_LABEL`.
    pub label: u32,
    /// Packets leaving a port that holds packets, and when they arrive.
    pub leaving: Vec<(Time, Packet)>,
    pub keep_rows: bool,
    pub rows: Vec<FlowRow>,
    /// By the numbers of the flows that the series follow, their places there.
    pub follows: BTreeMap<u32, u32>,
    /// Addresses of those flows, once they have begun.
    pub traced: Vec<Option<u32>>,
    /// Packets leaving hosts of the site that handles the event: (host, packet).
    pub out: Vec<(u32, Packet)>,
    /// Senders whose host has enough to send, by their address, and until when.
    pub told_to_wait: Vec<(u32, Time)>,
    /// Timers set by the event.
    pub timers: Vec<Timer>,
    /// Senders whose receiver got the last segment, and their generation. Measurement only: no packet
    /// says it.
    pub completed: Vec<(u32, u8)>,
    /// Why the run cannot go on.
    pub excess: Option<Excess>,
}

impl<L> Shared<L> {
    /// What is known of the kind of traffic that a flow belongs to.
    pub fn spec(&self, number: u32) -> &Spec {
        &self.specs[self.specs.partition_point(|spec| spec.first <= number) - 1]
    }

    /// The place of a flow among those that the series follow.
    pub fn trace_of(&self, number: u32) -> Option<u32> {
        self.follows.get(&number).copied()
    }

    /// What a port that holds packets needs.
    pub fn desk(&mut self) -> Desk<'_> {
        Desk { counters: &mut self.counters, papers: &mut self.papers, leaving: &mut self.leaving }
    }

    /// Where the results count a flow of this address.
    pub fn cell_of(&self, opening: &Opening, address: u32) -> u32 {
        let class = |router: usize| self.classes[router];
        let pair = pair(class(self.split.site(address)), class(opening.destination as usize));
        self.cells.index(opening.file, pair, opening.fast, opening.law)
    }

    /// Takes the label in hand, if there is one.
    #[inline]
    pub fn take_label(&mut self) -> Option<u32> {
        let number = std::mem::replace(&mut self.label, NO_LABEL);
        (number != NO_LABEL).then_some(number)
    }
}
