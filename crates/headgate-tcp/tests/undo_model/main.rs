//! Compares the sender's undo with a slow model of the connection's history, over channels that delay, lose,
//! duplicate and reorder.

mod model;
#[path = "../../examples/channel/timeline.rs"]
mod timeline;

use headgate_algos::control::reno::Reno;
use headgate_model::units::{SECOND, Span, Time};
use headgate_tcp::context::*;
use headgate_tcp::{Phase, Profile, Receiver, Sender};

use model::{Before, Model};
use timeline::Timeline;

const MS: Span = SECOND / 1000;
const SEGMENTS: u32 = 400;

enum Happens {
    SynAck,
    Data(DataSegment),
    Ack(AckSegment),
    Timer(Timer),
}

/// A random generator (xorshift).
struct Chance(u64);

impl Chance {
    fn below(&mut self, n: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % n
    }

    fn one_in(&mut self, n: u64) -> bool {
        self.below(n) == 0
    }
}

/// A path of 20 ms each way. One segment in `late` is late by up to three round trips, one in `lost` is lost,
/// one in `doubled` arrives twice. Occasionally all segments are late for a while.
struct Channel {
    profile: Profile,
    line: Timeline<Happens>,
    chance: Chance,
    observed: Vec<Event>,
    odds: [u64; 3],
    spike: (Time, Span),
}

impl Channel {
    /// Returns the arrival time of a packet that leaves now; `None` if it is lost.
    fn arrival(&mut self) -> Option<Time> {
        let [late, lost, _] = self.odds;
        if self.chance.one_in(lost) {
            return None;
        }
        let extra = if self.chance.one_in(late) { self.chance.below(120) } else { 0 };
        let (from, length) = self.spike;
        let spike = if self.line.now >= from && self.line.now < from + length { length } else { 0 };
        Some(self.line.now + (20 + extra) * MS + spike)
    }
}

impl Context for Channel {
    fn now(&self) -> Time {
        self.line.now
    }

    fn profile(&self) -> &Profile {
        &self.profile
    }

    fn set_timer(&mut self, timer: Timer, at: Time) {
        self.line.file(at, Happens::Timer(timer));
    }
}

impl SenderContext for Channel {
    fn send_syn(&mut self, _syn: Syn, _header: Option<CongestionHeader>) {
        self.line.file(self.line.now + 40 * MS, Happens::SynAck);
    }

    fn send_data(&mut self, segment: DataSegment, _header: Option<CongestionHeader>) {
        let copies = 1 + u64::from(self.chance.one_in(self.odds[2]));
        for _ in 0..copies {
            if let Some(at) = self.arrival() {
                self.line.file(at, Happens::Data(segment));
            }
        }
    }

    fn observe(&mut self, event: Event) {
        self.observed.push(event);
    }

    fn limit_exceeded(&mut self, excess: LimitExceeded) {
        panic!("{excess}");
    }
}

impl ReceiverContext for Channel {
    fn send_ack(&mut self, ack: AckSegment) {
        if let Some(at) = self.arrival() {
            self.line.file(at, Happens::Ack(ack));
        }
    }
}

/// Draws random options and probabilities.
fn draw(seed: u64) -> Channel {
    let mut chance = Chance(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    for _ in 0..4 {
        chance.below(2);
    }
    let profile = Profile {
        receive_window: 40,
        rack_tlp: chance.one_in(2),
        prr: chance.one_in(2),
        dsack: !chance.one_in(4),
        undo: !chance.one_in(8),
        frto: chance.one_in(2),
        timestamps: !chance.one_in(3),
        ..Profile::default()
    };
    let profile = Profile { frto: profile.frto && profile.undo, ..profile };
    let odds = [5 + chance.below(60), 20 + chance.below(400), 20 + chance.below(400)];
    let spike = ((100 + chance.below(600)) * MS, chance.below(900) * MS);
    Channel { profile, line: Timeline::default(), chance, observed: Vec::new(), odds, spike }
}

fn state(sender: &Sender<Reno>) -> Before {
    Before { phase: sender.phase, una: sender.una, next: sender.next, recoveries: sender.stats.recoveries }
}

/// Runs a connection beside the model. Returns the numbers of undone reductions in fast recovery and of
/// undone time-outs.
fn compare(seed: u64) -> (u32, u32) {
    let mut channel = draw(seed);
    let mut sender = Sender::new(SEGMENTS, Reno, &channel.profile);
    let mut receiver = Receiver::new(SEGMENTS, headgate_tcp::Flags::NONE, &channel.profile);
    let mut model = Model::new(SEGMENTS);
    let (mut recoveries, mut timeouts) = (0, 0);
    sender.open(&mut channel);
    while let Some(what) = channel.line.next() {
        let now = channel.line.now;
        let before = state(&sender);
        let mut expected = false;
        match what {
            Happens::SynAck if before.phase == Phase::SynSent => {
                sender.on_syn_ack(SynAck::default(), None, &mut channel)
            }
            Happens::SynAck => {}
            Happens::Data(data) => drop(receiver.on_data(&data, &mut channel)),
            Happens::Ack(ack) => {
                expected = model.expects_undo(&ack, before, now, &channel.profile);
                if sender.on_ack(&ack, None, &mut channel) {
                    break;
                }
            }
            Happens::Timer(Timer::DelayedAck) => receiver.on_timer(now, &mut channel),
            Happens::Timer(timer) => assert!(sender.on_timer(timer, now, &mut channel)),
        }
        let events = std::mem::take(&mut channel.observed);
        let undone: Vec<bool> = events
            .iter()
            .filter_map(|event| if let Event::Undone { timeout } = event { Some(*timeout) } else { None })
            .collect();
        assert_eq!(!undone.is_empty(), expected, "seed {seed}, at {now} ps: {before:?}");
        recoveries += undone.iter().filter(|timeout| !**timeout).count() as u32;
        timeouts += undone.iter().filter(|timeout| **timeout).count() as u32;
        model.take_events(&events, before, now, state(&sender), &channel.profile);
    }
    assert_eq!(sender.una, SEGMENTS, "seed {seed}");
    (recoveries, timeouts)
}

#[test]
fn a_sender_undoes_what_its_history_says_and_nothing_else() {
    let (mut recoveries, mut timeouts) = (0, 0);
    for seed in 1..=2000 {
        let (of_recoveries, of_timeouts) = compare(seed);
        recoveries += of_recoveries;
        timeouts += of_timeouts;
    }
    assert!(recoveries > 500 && timeouts > 100, "{recoveries} and {timeouts}: the channel tests too little");
}
