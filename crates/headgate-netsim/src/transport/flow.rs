//! One flow: who asked for it, and what it counts.

use headgate_model::units::{Span, Time};
use serde::{Deserialize, Serialize};

use crate::traffic::{Home, Spec};

/// What one flow counts: first what every ACK touches, in one line of the cache.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
#[repr(C)]
pub struct FlowTally {
    pub rtt_sum_s: f64,
    pub cwnd_sum: f64,
    pub rtt_count: u32,
    pub acks: u32,
    /// Times that the window shrank, and by how many segments in all.
    pub decreases: u32,
    /// `una` at the end of warm-up.
    pub base: u32,
    pub fallen: f64,
    pub started: Time,
    pub established: Option<Span>,
    /// When the receiver had everything.
    pub received: Option<Span>,
    pub retransmissions: u32,
    pub timeouts: u32,
    pub recoveries: u32,
    /// Reductions on congestion marks.
    pub reductions: u32,
    /// What it had repaired at the end of warm-up.
    pub before: Repairs,
}

impl FlowTally {
    /// What was repaired from the start of the flow on.
    pub fn repairs(&self) -> Repairs {
        let Self { retransmissions, timeouts, recoveries, .. } = *self;
        Repairs { retransmissions, timeouts, recoveries }
    }

    /// Warm-up is over: what was delivered and repaired so far does not count.
    pub fn forget(&mut self, una: u32) {
        self.base = una;
        self.before = self.repairs();
    }
}

/// Segments sent again, time-outs, episodes of fast recovery.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Repairs {
    pub retransmissions: u32,
    pub timeouts: u32,
    pub recoveries: u32,
}

impl Repairs {
    pub fn since(self, before: Self) -> Self {
        Self {
            retransmissions: self.retransmissions - before.retransmissions,
            timeouts: self.timeouts - before.timeouts,
            recoveries: self.recoveries - before.recoveries,
        }
    }
}

/// Sources that are no Web users are numbered from here on.
pub const OTHERS: u32 = 1 << 31;

/// Who talks to whom, and for whom.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Opening {
    /// By which the results name it (see [`crate::shared::Shared::spec`]).
    pub number: u32,
    /// Index of the law among the plan's.
    pub law: u32,
    /// The source at its router: the Web user to wake when the flow ends, or another, from [`OTHERS`] on.
    pub owner: u32,
    pub host: u32,
    /// Router of the receiver, and its host there.
    pub destination: u32,
    pub receiver_host: u32,
    pub size: u32,
    /// Which kind of file it is, and whether both hosts have fast links: for the results.
    pub file: u8,
    pub fast: bool,
    /// The user will look whether it goes fast enough.
    pub impatient: bool,
}

impl Opening {
    /// A flow of a source that is no Web user, under the law of its kind of traffic.
    pub fn between(number: u32, spec: &Spec, source: u32, (from, to): (Home, Home), size: u32) -> Self {
        Self {
            number,
            law: spec.law,
            owner: OTHERS + source,
            host: from.host,
            destination: to.router,
            receiver_host: to.host,
            size,
            file: spec.file,
            fast: from.fast && to.fast,
            impatient: false,
        }
    }
}
