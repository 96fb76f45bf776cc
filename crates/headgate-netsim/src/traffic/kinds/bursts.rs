//! Bursts on persistent connections: an application sends, pauses, and sends again on the same connection.
//!
//! In a *closed* loop, a pause begins when all of a burst is acknowledged. HTTP keep-alive is an example: the client
//! reads a response before it asks for the next one. In an *open* loop, bursts begin at times that do not depend on
//! the network. The segments of a live video are an example. A burst that begins before the last one has ended waits
//! behind it.

use headgate_model::chance::Stream;
use headgate_model::check::{LONGEST_RUN_S, PlanPath, Result};
use headgate_model::plan::{self, Place};
use headgate_model::units::{NEVER, Time};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

use crate::traffic::builder::Builder;
use crate::traffic::check::{Check, MOST_NAMES, check_size};
use crate::traffic::hosts::Home;
use crate::traffic::kind::{Kind, Populate, Populated};
use crate::traffic::opening::Opening;
use crate::traffic::pairs::{Pairs, check_pairs};
use crate::traffic::process::{Moment, Process, Turn, UnderWay};
use crate::traffic::size::{self, Size};
use crate::traffic::spec::Spec;
use crate::traffic::times::{Lasting, Times};

/// `count` connections, one each `stagger_ps`, each of which begins with a burst. Of several, the one numbered 3 is
/// called `name.3` in the results.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Bursts {
    pub name: String,
    pub count: u32,
    pub law: u32,
    pub transport: u32,
    pub sources: Vec<Place>,
    pub receivers: Vec<Place>,
    pub start_ps: u64,
    #[serde(default)]
    pub stagger_ps: u64,
    /// No burst begins from here on.
    pub stop_ps: u64,
    pub size: plan::Size,
    /// Time from the last ACK of a burst to the start of the next one.
    #[serde(default)]
    pub pause: Option<Times>,
    /// Time from the start of a burst to that of the next one, in place of `pause`.
    #[serde(default)]
    pub interval: Option<Times>,
    /// Bursts of a connection in all; absent = no limit.
    #[serde(default)]
    pub bursts: Option<u32>,
}

impl Kind for Bursts {
    fn name(&self) -> &str {
        &self.name
    }

    fn names(&self) -> u32 {
        self.count
    }

    fn is_single_flows(&self) -> bool {
        true
    }

    fn check(&self, check: &mut Check, at: &PlanPath) -> Result {
        check.law_and_profile(self.law, self.transport, at)?;
        at.count("count", self.count.into(), (1, MOST_NAMES), "connections")?;
        at.span("start_ps", self.start_ps, LONGEST_RUN_S)?;
        let last = self.stagger_ps.saturating_mul(u64::from(self.count) - 1).saturating_add(self.start_ps);
        at.span("stagger_ps", last, LONGEST_RUN_S)?;
        at.span("stop_ps", self.stop_ps, LONGEST_RUN_S)?;
        check_size(self.size, at)?;
        at.count("bursts", self.bursts.unwrap_or(1).into(), (1, u64::from(u32::MAX)), "bursts")?;
        self.check_times(at)?;
        check_pairs(self.count, (&self.sources, &self.receivers), check, at)
    }
}

impl Bursts {
    /// Bursts follow each other after a pause or at an interval; one that is always 0 would begin all at once.
    fn check_times(&self, at: &PlanPath) -> Result {
        let one = self.pause.is_some() != self.interval.is_some();
        at.ensure(one, "pause", || "either a pause or an interval is needed, and not both".to_owned())?;
        self.pause.map_or(Ok(()), |pause| pause.check("pause", at))?;
        self.interval.map_or(Ok(()), |interval| interval.check("interval", at))?;
        let begins_at_once = matches!(self.interval, Some(Times::Fixed { ps: 0 }));
        at.ensure(!begins_at_once, "interval.ps", || "0 s is not allowed; it must be above 0 s".to_owned())
    }
}

impl Populate for Bursts {
    type Process = Applications;

    fn populate(&self, first: u32, builder: &mut Builder) -> Populated<Applications> {
        let purpose = format!("bursts {}", self.name);
        let pairs = Pairs::new(self.count, &self.sources, &self.receivers);
        let mut processes = BTreeMap::new();
        for n in 0..self.count {
            let (source, receiver) = pairs.get(n);
            let ends = [source, receiver].map(|place| builder.add_host(place).nth(0));
            let process = processes.entry(source.node).or_insert_with(|| self.applications());
            process.connections.push(Connection {
                number: first + n,
                ends,
                start: self.start_ps + u64::from(n) * self.stagger_ps,
                begun: 0,
                stream: Stream::new(builder.context.seed, &purpose, u64::from(n)),
            });
            process.under_way.add();
        }
        let spec = Spec::new(first, self.law, self.transport);
        Populated { spec, processes: processes.into_iter().collect() }
    }
}

impl Bursts {
    fn applications(&self) -> Applications {
        Applications {
            connections: Vec::new(),
            size: self.size.into(),
            pause: self.pause.map(Lasting::from),
            interval: self.interval.map(Lasting::from),
            bursts: self.bursts.unwrap_or(u32::MAX),
            stop: self.stop_ps,
            under_way: UnderWay::default(),
        }
    }
}

/// The applications at one router, one for each connection.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Applications {
    connections: Vec<Connection>,
    size: Size,
    pause: Option<Lasting>,
    interval: Option<Lasting>,
    bursts: u32,
    stop: Time,
    under_way: UnderWay,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Connection {
    number: u32,
    ends: [Home; 2],
    start: Time,
    /// Bursts so far.
    begun: u32,
    stream: Stream,
}

impl Applications {
    /// When the next burst begins, if there is one: a time after `now`.
    fn next(&mut self, times: Option<Lasting>, source: u32, now: Time) -> Option<Time> {
        let connection = &mut self.connections[source as usize];
        if connection.begun >= self.bursts {
            return None;
        }
        let time = now.saturating_add(times?.draw(&mut connection.stream));
        (time < self.stop).then_some(time)
    }
}

impl Process for Applications {
    fn sources(&self) -> u32 {
        self.under_way.sources()
    }

    fn start(&mut self, _spec: &Spec) -> Vec<(u32, Time)> {
        let starts = (0..).zip(self.connections.iter().map(|connection| connection.start));
        starts.filter(|&(_, start)| start < self.stop).collect()
    }

    fn wake(&mut self, source: u32, at: &Moment) -> Turn {
        let connection = &mut self.connections[source as usize];
        connection.begun += 1;
        let size = size::draw(self.size, &mut connection.stream);
        let opening = Opening::between(connection.number, at.spec, source, connection.ends, size);
        let burst = connection.begun;
        let next = self.next(self.interval, source, at.now);
        Turn { opening, ends: NEVER, next, burst }
    }

    fn begin(&mut self, source: u32) -> bool {
        self.under_way.begin(source)
    }

    fn end(&mut self, source: u32) -> bool {
        self.under_way.end(source)
    }

    fn after(&mut self, source: u32, now: Time) -> Option<Time> {
        self.next(self.pause, source, now)
    }

    fn bytes(&self) -> usize {
        self.connections.capacity() * size_of::<Connection>() + self.under_way.bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use headgate_model::units::SECOND;

    const HOME: Home = Home { router: 0, host: 0, interface: 0 };

    fn applications(pause: Option<Lasting>, interval: Option<Lasting>) -> Applications {
        let connection = Connection {
            number: 5,
            ends: [HOME; 2],
            start: SECOND,
            begun: 0,
            stream: Stream::new(1, "x", 0),
        };
        let mut under_way = UnderWay::default();
        under_way.add();
        Applications {
            connections: vec![connection],
            size: Size::Fixed { packets: 10.0 },
            pause,
            interval,
            bursts: 3,
            stop: 10 * SECOND,
            under_way,
        }
    }

    fn wake(applications: &mut Applications, now: Time) -> (u32, u32, Option<Time>) {
        let turn = applications.wake(0, &Moment { now, router: 0, spec: &Spec::new(5, 0, 0) });
        (turn.opening.number, turn.burst, turn.next)
    }

    #[test]
    fn in_an_open_loop_bursts_begin_at_equal_intervals() {
        let mut video = applications(None, Some(Lasting::Fixed { ps: 2 * SECOND }));
        assert_eq!(video.start(&Spec::new(5, 0, 0)), [(0, SECOND)]);
        assert_eq!(wake(&mut video, SECOND), (5, 1, Some(3 * SECOND)));
        assert_eq!(video.after(0, 2 * SECOND), None); // the end of a burst begins none
        assert_eq!(wake(&mut video, 3 * SECOND), (5, 2, Some(5 * SECOND)));
        assert_eq!(wake(&mut video, 5 * SECOND), (5, 3, None)); // three in all
    }

    #[test]
    fn in_a_closed_loop_a_pause_begins_when_a_burst_ends() {
        let mut web = applications(Some(Lasting::Fixed { ps: 4 * SECOND }), None);
        assert_eq!(wake(&mut web, SECOND), (5, 1, None));
        assert_eq!(web.after(0, 2 * SECOND), Some(6 * SECOND));
        assert_eq!(wake(&mut web, 6 * SECOND), (5, 2, None));
        assert_eq!(web.after(0, 6 * SECOND), None); // it would begin when no burst does any more
    }
}
