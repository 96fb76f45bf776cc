//! The whole range of every parameter: algorithms with hostile ACKs, disciplines and routers at hostile
//! ports.

use headgate_algos::control::AnyController;
use headgate_model::control::{
    Ack, Cause, Congestion, Controller, ControllerRegistry, Echo, Path, Rate, Window,
};
use headgate_model::params::Param;

use crate::drive::Xorshift;

/// Number of sets of values for each card, and of events for each set.
const SETS: u64 = 100;
const EVENTS: u32 = 400;

impl Xorshift {
    pub fn chance(&mut self, share: f64) -> bool {
        self.uniform() < share
    }

    pub fn below(&mut self, most: u64) -> u64 {
        self.next() % most
    }

    /// Returns a number between two bounds above 0; each order of magnitude is equally likely.
    pub fn log_uniform(&mut self, low: f64, high: f64) -> f64 {
        (low * (high / low).powf(self.uniform())).clamp(low, high)
    }

    pub fn one_of<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.below(all.len() as u64) as usize]
    }
}

/// A seed that differs strongly from its neighbours'.
pub fn seed(of: usize, set: u64) -> u64 {
    (of as u64 * 1_000_003 + set + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15)
}

/// A value that a user may set: often a bound.
fn value(param: &Param, random: &mut Xorshift) -> f64 {
    if !param.choices.is_empty() {
        return random.below(param.choices.len() as u64) as f64;
    }
    let least = param.low.max(param.high * 1e-12);
    match random.below(6) {
        0 => param.low,
        1 => param.high,
        2 => param.default,
        3 => random.log_uniform(least, param.high),
        4 => (param.low + (param.high - param.low) * random.uniform()).clamp(param.low, param.high),
        _ => random.log_uniform(least, (least * 1e3).min(param.high)),
    }
}

/// Values for a table, some of them defaults.
pub fn any_values(table: &[Param], random: &mut Xorshift) -> Vec<f64> {
    let kept = random.one_of(&[0.0, 0.5, 0.9]);
    table.iter().map(|param| if random.chance(kept) { param.default } else { value(param, random) }).collect()
}

/// A sender in a network with arbitrary behaviour.
struct Hostile {
    controller: AnyController,
    window: Window,
    path: Path,
    now_s: f64,
    delivered: f64,
    lost: f64,
    /// Bounds of RTTs, seconds.
    rtts: (f64, f64),
}

impl Hostile {
    fn new(controller: AnyController, random: &mut Xorshift) -> Self {
        let first = random.log_uniform(1e-7, 100.0);
        let rtts = (first, first * random.one_of(&[1.0, 1.001, 2.0, 1e3]));
        let segment_bytes = random.one_of(&[2, 41, 1500, 65_535]);
        let ssthresh = random.one_of(&[1.0, 2.0, 100.0, f64::INFINITY]);
        let cwnd = random.one_of(&[1.0, 2.0, 10.0, 1e5]);
        let mut sender = Self {
            controller,
            window: Window { cwnd, ssthresh, pace: f64::INFINITY },
            path: Path { srtt_s: first, min_rtt_s: first, segment_bytes },
            now_s: random.one_of(&[0.0, 1e-9, 5.0, 1e6]),
            delivered: 0.0,
            lost: 0.0,
            rtts,
        };
        if sender.controller.scheme().is_some() {
            sender
                .controller
                .header(&Path { srtt_s: 0.0, min_rtt_s: f64::INFINITY, segment_bytes }, &sender.window);
        }
        sender.controller.on_start(sender.now_s, &sender.path, &mut sender.window);
        sender
    }

    fn step(&mut self, random: &mut Xorshift) {
        self.now_s += self.path.srtt_s * random.one_of(&[0.0, 1e-6, 0.1, 1.0, 100.0]);
        match random.below(40) {
            0 => self.suffer(Cause::Timeout, random),
            1 | 2 => self.suffer(Cause::Loss, random),
            3 => self.suffer(Cause::Mark, random),
            4 => self.ack(true, random),
            _ => self.ack(false, random),
        }
        if self.controller.scheme().is_some() {
            self.hear(random);
        }
    }

    /// Segments in flight: the window, unless something else is the limit.
    fn in_flight(&self, random: &mut Xorshift) -> u32 {
        let whole = self.window.cwnd.min(1e9) as u32;
        if random.chance(0.2) { random.below(u64::from(whole) + 2) as u32 } else { whole }
    }

    fn ack(&mut self, repairs: bool, random: &mut Xorshift) {
        let (in_flight, acked) = (self.in_flight(random), random.one_of(&[1.0, 1.0, 2.0, 100.0, 1e5]));
        let rtt_s = if random.chance(0.1) { 0.0 } else { random.log_uniform(self.rtts.0, self.rtts.1) };
        if rtt_s > 0.0 {
            self.path.srtt_s += (rtt_s - self.path.srtt_s) / 8.0;
            self.path.min_rtt_s = self.path.min_rtt_s.min(rtt_s);
        }
        let ack = Ack {
            now_s: self.now_s,
            acked,
            rtt_s,
            in_flight,
            round_start: random.chance(0.3),
            cwnd_limited: random.chance(0.9),
            recovers: repairs && random.chance(0.5),
            after_timeout: random.chance(0.05),
            marked: if self.controller.echo() == Echo::Accurate && random.chance(0.2) { acked } else { 0.0 },
            rate: self.rate(acked, in_flight, rtt_s, random),
            paced: self.window.pace < f64::INFINITY || random.chance(0.1),
        };
        if repairs {
            self.controller.on_recovery_ack(&ack, &self.path, &mut self.window);
        } else {
            self.controller.on_ack(&ack, &self.path, &mut self.window);
        }
    }

    fn rate(&mut self, newly: f64, in_flight: u32, rtt_s: f64, random: &mut Xorshift) -> Rate {
        self.delivered += newly;
        let then_in_flight = f64::from(in_flight).max(1.0);
        let interval_s = rtt_s.max(1e-7);
        let newly_lost = if random.chance(0.1) { random.one_of(&[1.0, 100.0]) } else { 0.0 };
        self.lost += newly_lost;
        Rate {
            per_s: if random.chance(0.1) { 0.0 } else { then_in_flight / interval_s },
            interval_s,
            delivered: self.delivered,
            newly,
            prior: (self.delivered - then_in_flight).max(0.0),
            then_in_flight,
            lost: self.lost,
            lost_since: newly_lost,
            newly_lost,
            in_flight: (f64::from(in_flight) - newly).max(0.0),
            rtt_s,
            wait_s: if random.chance(0.5) { 0.0 } else { rtt_s },
            app_limited: random.chance(0.2),
        }
    }

    fn suffer(&mut self, cause: Cause, random: &mut Xorshift) {
        let in_flight = self.in_flight(random);
        if cause == Cause::Timeout {
            self.window.cwnd = 1.0;
        }
        if cause != Cause::Mark && self.controller.wants_rate() {
            let sent = self.rate(0.0, in_flight, 0.0, random);
            self.controller.on_segment_lost(&sent, &self.path, &mut self.window);
        }
        let event = Congestion { cause, now_s: self.now_s, in_flight };
        self.controller.on_congestion(&event, &self.path, &mut self.window);
        if cause != Cause::Timeout {
            if !self.controller.controls_cwnd_in_recovery() {
                self.window.cwnd = self.window.ssthresh;
            }
            self.controller.on_recovered(self.now_s, &self.path, &mut self.window);
        }
    }

    /// Returns a header with the words of one router or none. Routers are tested separately.
    fn hear(&mut self, random: &mut Xorshift) {
        let mut words = self.controller.header(&self.path, &self.window);
        assert!(words.iter().all(|word| !word.is_nan()), "{words:?} of {:?}", self.controller);
        if random.chance(0.9) {
            crate::ports::write_any(self.controller.scheme().expect("a scheme"), &mut words, random);
        }
        self.controller.on_header(&words, self.now_s, &self.path, &mut self.window);
    }

    /// The conditions on which the transport relies.
    fn is_sound(&self) -> bool {
        let Window { cwnd, ssthresh, pace } = self.window;
        let shown = self.controller.gauge().is_none_or(|(_, value)| !value.is_infinite());
        cwnd.is_finite() && cwnd >= 1.0 && ssthresh >= 1.0 && pace > 0.0 && shown
    }
}

/// Returns the first fault with a set of values, if any.
fn fault(index: usize, set: u64) -> Option<String> {
    let mut random = Xorshift(seed(index, set));
    let values = any_values(AnyController::cards()[index].params, &mut random);
    let mut sender = Hostile::new(AnyController::build(index, &values), &mut random);
    for event in 0..EVENTS {
        let before = sender.window;
        sender.step(&mut random);
        if !sender.is_sound() {
            let Hostile { controller, window, .. } = sender;
            return Some(format!(
                "set {set} {values:?}, event {event}: {before:?} -> {window:?}, {controller:?}"
            ));
        }
    }
    None
}

#[test]
fn no_controller_leaves_its_bounds_within_the_ranges_of_its_parameters() {
    let first = |index| (0..SETS).find_map(|set| fault(index, set));
    let all: Vec<_> = (0..AnyController::cards().len()).filter_map(first).collect();
    assert!(all.is_empty(), "{}", all.join("\n"));
}
