//! Sources that are on and off in turn. While one is on, it has always more to send.
//!
//! Nothing moves the times, no law and no congestion: under every law the same sources are on at the same moments.
//! Exponential times are those of the senders of Winstein and Balakrishnan 2013 (section 3.2); the sum of many
//! sources with Pareto times of a shape below 2 is self-similar (Willinger, Taqqu, Sherman, Wilson 1997).

use headgate_model::chance::Stream;
use headgate_model::check::{PlanPath, Result};
use headgate_model::plan::Pool;
use headgate_model::units::Time;
use headgate_tcp::ENDLESS;
use serde::{Deserialize, Serialize};

use crate::record::LONG_LIVED;
use crate::traffic::builder::Builder;
use crate::traffic::check::{Check, check_shape, check_span};
use crate::traffic::hosts::{Hosts, Receivers};
use crate::traffic::kind::{Kind, Populate, Populated};
use crate::traffic::opening::Opening;
use crate::traffic::process::{Moment, Process, Turn, UnderWay};
use crate::traffic::spec::Spec;
use crate::traffic::times::Lasting;

/// Mean times; exponential ones still end within 64 bits.
const MEANS_S: (f64, f64) = (1e-9, 100_000.0);

/// Each of the sources begins with a time off. Whenever it goes on it opens a connection to a random receiver,
/// which sends nothing new once the source is off. After `stop_ps` none is on.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OnOff {
    pub name: String,
    pub law: u32,
    pub transport: u32,
    pub sources: Vec<Pool>,
    pub receivers: Vec<Pool>,
    /// Mean times.
    pub on_s: f64,
    pub off_s: f64,
    /// Both are Pareto's, of this shape; absent = exponential.
    #[serde(default)]
    pub shape: Option<f64>,
    pub start_ps: u64,
    pub stop_ps: u64,
}

impl Kind for OnOff {
    fn name(&self) -> &str {
        &self.name
    }

    fn check(&self, check: &mut Check, at: &PlanPath) -> Result {
        check.law_and_profile(self.law, self.transport, at)?;
        at.number("on_s", self.on_s, MEANS_S, "s")?;
        at.number("off_s", self.off_s, MEANS_S, "s")?;
        self.shape.map_or(Ok(()), |shape| check_shape("shape", shape, at))?;
        check_span(self.start_ps, self.stop_ps, at)?;
        check.pools(&self.sources, &self.receivers, at)
    }
}

impl Populate for OnOff {
    type Process = Switches;

    fn populate(&self, first: u32, builder: &mut Builder) -> Populated<Switches> {
        let purpose = format!("on and off {}", self.name);
        let mut numbers = 0..;
        let pools = builder.add_pools(&self.sources);
        let process = |hosts: Hosts| {
            let stream = |number| Stream::new(builder.context.seed, &purpose, number);
            let switches = Switches {
                hosts,
                streams: numbers.by_ref().take(hosts.count as usize).map(stream).collect(),
                on: Lasting::with_mean(self.on_s, self.shape),
                off: Lasting::with_mean(self.off_s, self.shape),
                start: self.start_ps,
                stop: self.stop_ps,
                under_way: UnderWay::new(hosts.count),
            };
            (hosts.node, switches)
        };
        let processes = pools.into_iter().map(process).collect();
        let receivers = Receivers::new(builder.add_pools(&self.receivers));
        let plain = Spec::new(first, self.law, self.transport);
        Populated { spec: Spec { file: LONG_LIVED, receivers, ..plain }, processes }
    }
}

/// The sources of one pool of hosts. What one sent while it was on may still be under way when it goes on again.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Switches {
    hosts: Hosts,
    streams: Vec<Stream>,
    on: Lasting,
    off: Lasting,
    start: Time,
    stop: Time,
    under_way: UnderWay,
}

impl Switches {
    /// When a source that goes off now is on again, if it is.
    fn next_on(&mut self, source: u32, now: Time) -> Option<Time> {
        let time = now.saturating_add(self.off.draw(&mut self.streams[source as usize]));
        (time < self.stop).then_some(time)
    }
}

impl Process for Switches {
    fn sources(&self) -> u32 {
        self.under_way.sources()
    }

    fn start(&mut self, _spec: &Spec) -> Vec<(u32, Time)> {
        let (sources, start) = (self.sources(), self.start);
        (0..sources).filter_map(|source| Some((source, self.next_on(source, start)?))).collect()
    }

    fn wake(&mut self, source: u32, at: &Moment) -> Turn {
        let stream = &mut self.streams[source as usize];
        let to = at.spec.receivers.draw(stream, at.router);
        let off = at.now.saturating_add(self.on.draw(stream));
        let ends = [self.hosts.nth(source), to];
        let opening = Opening::between(at.spec.first, at.spec, source, ends, ENDLESS);
        Turn { ends: off.min(self.stop), ..Turn::open(opening, self.next_on(source, off)) }
    }

    fn begin(&mut self, source: u32) -> bool {
        self.under_way.begin(source)
    }

    fn end(&mut self, source: u32) -> bool {
        self.under_way.end(source)
    }

    fn bytes(&self) -> usize {
        self.streams.capacity() * size_of::<Stream>() + self.under_way.bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use headgate_model::units::{SECOND, picoseconds, seconds};

    const STOP: Time = 200_000 * SECOND;

    fn switches(shape: Option<f64>) -> Switches {
        Switches {
            hosts: Hosts { node: 0, first: 0, count: 2, interface: 0 },
            streams: (0..2).map(|n| Stream::new(1, "on and off test", n)).collect(),
            on: Lasting::with_mean(2.0, shape),
            off: Lasting::with_mean(6.0, shape),
            start: SECOND,
            stop: STOP,
            under_way: UnderWay::new(2),
        }
    }

    fn spec() -> Spec {
        let receivers = Receivers::new(vec![Hosts { node: 1, first: 0, count: 3, interface: 0 }]);
        Spec { file: LONG_LIVED, receivers, ..Spec::new(7, 0, 0) }
    }

    /// All times at which a source is on.
    fn times(switches: &mut Switches, source: u32) -> Vec<(Time, Time)> {
        let (spec, mut times) = (spec(), Vec::new());
        let mut next = switches.start(&spec).into_iter().find(|turn| turn.0 == source).map(|turn| turn.1);
        while let Some(now) = next {
            let turn = switches.wake(source, &Moment { now, router: 0, spec: &spec });
            times.push((now, turn.ends));
            next = turn.next;
        }
        times
    }

    #[test]
    fn a_source_is_on_for_the_share_of_time_that_the_means_say() {
        for shape in [None, Some(2.5)] {
            let times = times(&mut switches(shape), 1);
            // 200,000 s of cycles of 8 s. Both times have a deviation of at most their mean, so a cycle has one
            // of at most (2² + 6²)^0.5 = 6.3 s, the number of cycles one of 6.3 / 8 * 25,000^0.5 = 125.
            assert!((times.len() as f64 - 25_000.0).abs() < 500.0, "{}", times.len());
            let on_s: f64 = times.iter().map(|&(on, off)| seconds(off - on)).sum();
            // one cycle's part has a deviation of at most 2 s: 2 / 158 of the mean time on
            assert!((on_s / times.len() as f64 - 2.0).abs() < 0.05, "{on_s}");
        }
    }

    #[test]
    fn times_on_follow_each_other_and_end_with_the_traffic() {
        let times = times(&mut Switches { stop: 100 * SECOND, ..switches(None) }, 0);
        assert!(times[0].0 >= SECOND && times.last().unwrap().1 <= 100 * SECOND);
        assert!(times.iter().all(|(on, off)| on <= off));
        assert!(times.windows(2).all(|pair| pair[0].1 <= pair[1].0));
    }

    #[test]
    fn a_pareto_time_has_its_least() {
        // shape 2.5: the least is 3/5 of the mean
        let times = times(&mut switches(Some(2.5)), 0);
        let whole = times.iter().filter(|&&(_, off)| off < STOP);
        assert!(whole.clone().all(|(on, off)| off - on >= picoseconds(1.2)));
        assert!(whole.clone().any(|(on, off)| off - on < picoseconds(1.21)));
    }

    #[test]
    fn sources_are_on_apart_from_each_other() {
        let mut both = switches(None);
        let alone = times(&mut switches(None), 0);
        let other = times(&mut both, 1);
        assert_ne!(alone, other);
        // what one has drawn moves nothing of the other
        let spec = spec();
        let turn = switches(None).start(&spec)[0].1;
        assert_eq!(turn, alone[0].0);
    }
}
