//! Web users: they think, fetch a file from a random receiver, and think again.

mod assignment;
mod check;
mod plan;
mod user_model;

use headgate_model::chance::Stream;
use headgate_model::check::{PlanPath, Result};
use headgate_model::units::{Time, picoseconds};
use serde::{Deserialize, Serialize};

use self::assignment::Assignment;
pub use self::plan::{FileKind, Patience, Surge, Web};
use self::user_model::{Request, UserModel};
use crate::packets::index::{FlowId, SourceIndex};
use crate::record::WEB_OBJECT;
use crate::traffic::builder::Builder;
use crate::traffic::check::Check;
use crate::traffic::flow_start::FlowStart;
use crate::traffic::hosts::{HostPool, Receivers};
use crate::traffic::kind::{Populate, TrafficKind, TrafficProcesses};
use crate::traffic::mix::Mix;
use crate::traffic::process::{Process, SourceAction, TimerContext};
use crate::traffic::spec::{self, TrafficSpec};

/// Users who fetch at once start at random times within this, seconds.
const FIRST_MOMENT_S: f64 = 0.1;

impl TrafficKind for Web {
    fn name(&self) -> &str {
        &self.name
    }

    fn check(&self, check: &mut Check, at: &PlanPath) -> Result {
        check::check(self, check, at)
    }
}

impl Populate for Web {
    type Process = Users;

    fn populate(&self, first: FlowId, builder: &mut Builder) -> TrafficProcesses<Users> {
        let mut number = 0;
        let pools = builder.add_pools(&self.sources);
        let receivers = builder.add_pools(&self.receivers);
        let (assignment, purpose) = (Assignment::new(&builder.context, self), format!("user {}", self.name));
        let mix = Mix::new(&builder.context, &self.name, &self.controllers, self.controller);
        let user = |number: u64, node: u32| User {
            stream: Stream::new(builder.context.seed, &purpose, number),
            controller: mix.draw(number, node),
            joins_surge: assignment.joins_surge(number, node),
        };
        let process = |(n, pool): (usize, HostPool)| {
            let users = (number..).take(pool.count as usize).map(|n| user(n, pool.router.0)).collect();
            number += u64::from(pool.count);
            let (at_once, think_s) = (self.at_once, self.think_s);
            let receivers = self.receivers_of.get(n).map(|&of| Receivers::new(vec![receivers[of as usize]]));
            let model = UserModel::from(self);
            (pool.router, Users { hosts: pool, receivers, at_once, think_s, model, users })
        };
        let processes = pools.into_iter().enumerate().map(process).collect();
        let receivers = Receivers::new(receivers);
        let patience = self
            .patience
            .map(|patience| spec::Patience { check: patience.check_ps, floor_per_s: patience.floor_per_s });
        let plain = TrafficSpec::new(first, self.controller, self.transport);
        TrafficProcesses { spec: TrafficSpec { file: WEB_OBJECT, receivers, patience, ..plain }, processes }
    }
}

/// The users of one pool of hosts. An idle user is only a small record and a timer.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Users {
    hosts: HostPool,
    /// The receivers of these users; `None` = those of all users of the item.
    receivers: Option<Receivers>,
    /// Share of the users who fetch at once. The others begin by thinking.
    at_once: f64,
    /// Mean thinking time, seconds.
    think_s: f64,
    model: UserModel,
    users: Vec<User>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct User {
    stream: Stream,
    /// Congestion control algorithm, in the order of the plan.
    controller: u32,
    /// Whether the user takes part in a surge.
    joins_surge: bool,
}

impl Users {
    /// Returns when a user who begins to think at `now` stops.
    fn think(&mut self, user: SourceIndex, now: Time) -> Time {
        now + picoseconds(self.users[user.index()].stream.exponential(self.think_s))
    }

    fn first_request(&mut self, user: SourceIndex) -> Time {
        let stream = &mut self.users[user.index()].stream;
        if self.at_once > 0.0 && stream.chance(self.at_once) {
            return picoseconds(FIRST_MOMENT_S * stream.open01());
        }
        self.think(user, 0)
    }
}

impl Process for Users {
    fn sources(&self) -> u32 {
        self.users.len() as u32
    }

    fn start(&mut self, _spec: &TrafficSpec) -> Vec<(SourceIndex, Time)> {
        (0..self.sources()).map(SourceIndex).map(|user| (user, self.first_request(user))).collect()
    }

    fn wake(&mut self, source: SourceIndex, at: &TimerContext) -> SourceAction {
        let User { stream, controller, joins_surge } = &mut self.users[source.index()];
        let to = self.receivers.as_ref().unwrap_or(&at.spec.receivers).draw(stream, at.router);
        let Request { file, size, is_impatient } = self.model.draw(*joins_surge, at.now, stream);
        let plain = FlowStart::between(at.spec.first, at.spec, source, [self.hosts.nth(source.0), to], size);
        SourceAction::open(FlowStart { controller: *controller, file, is_impatient, ..plain }, None)
    }

    fn next_after_flow(&mut self, source: SourceIndex, now: Time) -> Option<Time> {
        Some(self.think(source, now))
    }

    fn bytes(&self) -> usize {
        self.users.capacity() * size_of::<User>()
    }
}
