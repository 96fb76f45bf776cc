//! The sources behind one router: Web users, arrival processes, and a list of flows.

use headgate_model::chance::Stream;
use headgate_model::units::{Time, picoseconds};
use serde::{Deserialize, Serialize};

use super::habits::Wish;
use super::hosts::Hosts;
use super::opening::{OTHERS, Opening};
use super::size;
use super::spec::Spec;
use crate::timers::{Purpose, Timer};

/// Thinks, fetches a file, and thinks again. Idle users are this small record and a timer.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct User {
    pub stream: Stream,
    pub spec: u32,
    pub host: u32,
    /// Index of the user's law among the plan's.
    pub law: u32,
    pub fast: bool,
    /// One of those who take part in a surge.
    pub surges: bool,
}

/// A Poisson process of new flows, one for each pool of sources.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Arrivals {
    pub stream: Stream,
    pub spec: u32,
    pub hosts: Hosts,
    /// The number of the first host as a source.
    pub source: u32,
    /// Mean time between flows, seconds.
    pub gap_s: f64,
}

/// A flow whose start is known.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Listed {
    pub start: Time,
    pub opening: Opening,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Sources {
    pub users: Vec<User>,
    /// Flows under way of each source that is no Web user.
    pub others: Vec<u32>,
    pub arrivals: Vec<Arrivals>,
    /// In order of start.
    pub list: Vec<Listed>,
    /// How many of the list have begun.
    begun: usize,
}

impl Sources {
    /// What a user who has stopped thinking asks for.
    pub fn request(&mut self, user: u32, now: Time, specs: &[Spec], own: u32) -> Opening {
        let User { stream, spec, host, law, fast, surges } = &mut self.users[user as usize];
        let kind = &specs[*spec as usize];
        let to = kind.receivers.draw(stream, own);
        let Wish { file, size, impatient } = kind.habits.wish(kind.size, *surges, now, stream);
        Opening {
            number: kind.first,
            law: *law,
            owner: user,
            host: *host,
            destination: to.router,
            receiver_host: to.host,
            size,
            file,
            fast: *fast && to.fast,
            impatient,
        }
    }

    /// When a user who begins to think now will stop.
    pub fn think(&mut self, user: u32, now: Time, specs: &[Spec], own: u32) -> Timer {
        let User { stream, spec, .. } = &mut self.users[user as usize];
        let time = now + picoseconds(stream.exponential(specs[*spec as usize].think_s));
        Timer { time, site: own, purpose: Purpose::Think, id: user, generation: 0 }
    }

    /// The flow that an arrival process starts now.
    pub fn arrive(&mut self, process: u32, specs: &[Spec], own: u32) -> Opening {
        let Arrivals { stream, spec, hosts, source, .. } = &mut self.arrivals[process as usize];
        let kind = &specs[*spec as usize];
        let host = stream.below(u64::from(hosts.count)) as u32;
        let to = kind.receivers.draw(stream, own);
        let size = size::draw(kind.size, stream);
        Opening::between(kind.first, kind, *source + host, (hosts.nth(host), to), size)
    }

    /// The next arrival of a process, unless it has stopped by then.
    pub fn next_arrival(&mut self, process: u32, now: Time, specs: &[Spec], own: u32) -> Option<Timer> {
        let Arrivals { stream, spec, gap_s, .. } = &mut self.arrivals[process as usize];
        let time = now.saturating_add(picoseconds(stream.exponential(*gap_s)));
        let timer = Timer { time, site: own, purpose: Purpose::Arrival, id: process, generation: 0 };
        (time <= specs[*spec as usize].stop).then_some(timer)
    }

    /// The next flow of the list, if it begins now.
    pub fn next_listed(&mut self, now: Time) -> Option<Opening> {
        let listed = self.list.get(self.begun).filter(|l| l.start <= now)?;
        self.begun += 1;
        Some(listed.opening)
    }

    /// When the list goes on.
    pub fn list_timer(&self, own: u32) -> Option<Timer> {
        let time = self.list.get(self.begun)?.start;
        Some(Timer { time, site: own, purpose: Purpose::Listed, id: 0, generation: 0 })
    }

    /// So many more sources that are no Web users; the number of the first.
    pub fn admit(&mut self, count: u32) -> u32 {
        let first = self.others.len();
        self.others.resize(first + count as usize, 0);
        first as u32
    }

    /// A flow of a source begins; whether it is its only one. A Web user has one at a time.
    pub fn begin(&mut self, owner: u32) -> bool {
        let Some(other) = owner.checked_sub(OTHERS) else { return true };
        let flows = &mut self.others[other as usize];
        *flows += 1;
        *flows == 1
    }

    /// A flow of a source is over; whether it was its only one.
    pub fn end(&mut self, owner: u32) -> bool {
        let Some(other) = owner.checked_sub(OTHERS) else { return true };
        let flows = &mut self.others[other as usize];
        *flows -= 1;
        *flows == 0
    }

    pub fn bytes(&self) -> usize {
        self.users.capacity() * size_of::<User>()
            + self.others.capacity() * size_of::<u32>()
            + self.arrivals.capacity() * size_of::<Arrivals>()
            + self.list.capacity() * size_of::<Listed>()
    }
}
