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
pub use self::plan::{FileKind, LawShare, Patience, Surge, Web};
use self::user_model::{Request, UserModel};
use crate::record::WEB_OBJECT;
use crate::traffic::builder::Builder;
use crate::traffic::check::Check;
use crate::traffic::hosts::{Hosts, Receivers};
use crate::traffic::kind::{Kind, Populate, Populated};
use crate::traffic::opening::Opening;
use crate::traffic::process::{Moment, Process, Turn};
use crate::traffic::spec::{self, Spec};

/// Users who ask at once do not all ask at the same picosecond.
const FIRST_MOMENT_S: f64 = 0.1;

impl Kind for Web {
    fn name(&self) -> &str {
        &self.name
    }

    fn check(&self, check: &mut Check, at: &PlanPath) -> Result {
        check::check(self, check, at)
    }
}

impl Populate for Web {
    type Process = Users;

    fn populate(&self, first: u32, builder: &mut Builder) -> Populated<Users> {
        let mut number = 0;
        let pools = builder.add_pools(&self.sources);
        let (assignment, purpose) = (Assignment::new(&builder.context, self), format!("user {}", self.name));
        let user = |number: u64, node: u32| User {
            stream: Stream::new(builder.context.seed, &purpose, number),
            law: assignment.law(number, node),
            surges: assignment.surges(number, node),
        };
        let process = |pool: Hosts| {
            let users = (number..).take(pool.count as usize).map(|n| user(n, pool.node)).collect();
            number += u64::from(pool.count);
            let (at_once, think_s) = (self.at_once, self.think_s);
            (pool.node, Users { hosts: pool, at_once, think_s, model: UserModel::from(self), users })
        };
        let processes = pools.into_iter().map(process).collect();
        let receivers = Receivers::new(builder.add_pools(&self.receivers));
        let patience = self
            .patience
            .map(|patience| spec::Patience { check: patience.check_ps, floor_per_s: patience.floor_per_s });
        let plain = Spec::new(first, self.law, self.transport);
        Populated { spec: Spec { file: WEB_OBJECT, receivers, patience, ..plain }, processes }
    }
}

/// The users of one pool of hosts. Idle, each is a small record and a timer.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Users {
    hosts: Hosts,
    /// Share of the users who ask within the first moments; the others begin by thinking.
    at_once: f64,
    /// Mean thinking time, seconds.
    think_s: f64,
    model: UserModel,
    users: Vec<User>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct User {
    stream: Stream,
    /// Index of the user's law among the plan's.
    law: u32,
    /// One of those who take part in a surge.
    surges: bool,
}

impl Users {
    /// When a user who begins to think now will stop.
    fn think(&mut self, user: u32, now: Time) -> Time {
        now + picoseconds(self.users[user as usize].stream.exponential(self.think_s))
    }

    fn first_request(&mut self, user: u32) -> Time {
        let stream = &mut self.users[user as usize].stream;
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

    fn start(&mut self, _spec: &Spec) -> Vec<(u32, Time)> {
        (0..self.sources()).map(|user| (user, self.first_request(user))).collect()
    }

    fn wake(&mut self, source: u32, at: &Moment) -> Turn {
        let User { stream, law, surges } = &mut self.users[source as usize];
        let to = at.spec.receivers.draw(stream, at.router);
        let Request { file, size, impatient } = self.model.draw(*surges, at.now, stream);
        let plain = Opening::between(at.spec.first, at.spec, source, [self.hosts.nth(source), to], size);
        Turn::open(Opening { law: *law, file, impatient, ..plain }, None)
    }

    fn after(&mut self, source: u32, now: Time) -> Option<Time> {
        Some(self.think(source, now))
    }

    fn bytes(&self) -> usize {
        self.users.capacity() * size_of::<User>()
    }
}
