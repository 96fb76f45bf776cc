//! A channel of our own: 10 Mbit/s, 10 ms each way, and it loses the segments that it is told to.

use headgate_algos::control::reno::Reno;
use headgate_model::units::{SECOND, Span, Time};
use headgate_tcp::context::*;
use headgate_tcp::{Profile, Receiver, Sender};
use std::collections::BTreeMap;

const DELAY: Span = SECOND / 100;
const SERVICE: Span = 1514 * 8 * (SECOND / 10_000_000);

enum Happens {
    Syn(Syn),
    SynAck,
    Data(DataSegment),
    Ack(AckSegment),
    Timer(Timer),
}

/// What is under way, by its time, in the order in which it was filed; and when the line is free.
#[derive(Default)]
struct Channel {
    profile: Profile,
    now: Time,
    events: BTreeMap<(Time, usize), Happens>,
    filed: usize,
    free: Time,
    sent: usize,
    lost: Vec<usize>,
}

impl Channel {
    fn file(&mut self, at: Time, what: Happens) {
        self.filed += 1;
        self.events.insert((at, self.filed), what);
    }
}

impl Context for Channel {
    fn now(&self) -> Time {
        self.now
    }

    fn profile(&self) -> &Profile {
        &self.profile
    }

    fn set_timer(&mut self, timer: Timer, at: Time) {
        self.file(at, Happens::Timer(timer));
    }
}

impl SenderContext for Channel {
    fn send_syn(&mut self, syn: Syn, _label: Option<CongestionHeader>) {
        self.file(self.now + DELAY, Happens::Syn(syn));
    }

    fn send_data(&mut self, segment: DataSegment, _label: Option<CongestionHeader>) {
        self.sent += 1;
        self.free = self.free.max(self.now) + SERVICE;
        if !self.lost.contains(&self.sent) {
            self.file(self.free + DELAY, Happens::Data(segment));
        }
    }

    fn exceed(&mut self, excess: Excess) {
        panic!("{excess}");
    }
}

impl ReceiverContext for Channel {
    fn send_ack(&mut self, ack: AckSegment) {
        self.file(self.now + DELAY, Happens::Ack(ack));
    }
}

/// Transfers so many segments, of which the channel loses those that it carries in these turns; gives the sender
/// as it ends, and the time at which the receiver had everything.
pub fn transfer(segments: u32, lost: Vec<usize>) -> (Sender<Reno>, Option<Time>) {
    let mut channel = Channel { lost, ..Channel::default() };
    let mut sender = Sender::new(segments, Reno, &channel.profile);
    let (mut receiver, mut received) = (None, None);
    sender.open(&mut channel);
    while let Some(((now, _), what)) = channel.events.pop_first() {
        channel.now = now;
        match (what, receiver.as_mut()) {
            (Happens::Syn(syn), _) => {
                receiver = Some(Receiver::new(syn.segments, syn.flags, &channel.profile));
                channel.file(now + DELAY, Happens::SynAck);
            }
            (Happens::SynAck, _) => sender.on_syn_ack(0, None, &mut channel),
            (Happens::Data(data), Some(end)) => {
                received = end.on_data(&data, &mut channel).then_some(now).or(received);
            }
            (Happens::Ack(ack), _) => {
                sender.on_ack(&ack, None, &mut channel);
            }
            (Happens::Timer(Timer::DelayedAck), Some(end)) => end.on_timer(now, &mut channel),
            (Happens::Timer(timer), _) => assert!(sender.on_timer(timer, now, &mut channel), "failed"),
            _ => unreachable!("a segment before its SYN"),
        }
    }
    (sender, received)
}
