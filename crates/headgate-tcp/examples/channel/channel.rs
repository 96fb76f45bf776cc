//! A custom channel: 10 Mbit/s, 10 ms each way, which loses given segments.

use headgate_algos::control::reno::Reno;
use headgate_model::units::{SECOND, Span, Time};
use headgate_tcp::context::*;
use headgate_tcp::{Profile, Receiver, Sender};

#[path = "timeline.rs"]
mod timeline;
use timeline::Timeline;

const DELAY: Span = SECOND / 100;
const SERVICE: Span = 1514 * 8 * (SECOND / 10_000_000);

enum Happens {
    Syn(Syn),
    SynAck(SynAck),
    Data(DataSegment),
    Ack(AckSegment),
    Timer(Timer),
}

/// The packets in flight, and the time at which the line becomes free.
#[derive(Default)]
struct Channel {
    profile: Profile,
    line: Timeline<Happens>,
    free: Time,
    sent: usize,
    lost: Vec<usize>,
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
    fn send_syn(&mut self, syn: Syn, _label: Option<CongestionHeader>) {
        self.line.file(self.line.now + DELAY, Happens::Syn(syn));
    }

    fn send_data(&mut self, segment: DataSegment, _label: Option<CongestionHeader>) {
        self.sent += 1;
        self.free = self.free.max(self.line.now) + SERVICE;
        if !self.lost.contains(&self.sent) {
            self.line.file(self.free + DELAY, Happens::Data(segment));
        }
    }

    fn limit_exceeded(&mut self, excess: LimitExceeded) {
        panic!("{excess}");
    }
}

impl ReceiverContext for Channel {
    fn send_ack(&mut self, ack: AckSegment) {
        self.line.file(self.line.now + DELAY, Happens::Ack(ack));
    }
}

/// Transfers `segments` segments; the channel loses the segments with these transmission numbers. Returns the
/// sender in its final state, and the time at which the receiver had everything.
pub fn transfer(segments: u32, lost: Vec<usize>) -> (Sender<Reno>, Option<Time>) {
    let mut channel = Channel { lost, ..Channel::default() };
    let mut sender = Sender::new(segments, Reno, &channel.profile);
    let (mut receiver, mut received) = (None, None);
    sender.open(&mut channel);
    while let Some(what) = channel.line.next() {
        let now = channel.line.now;
        match (what, receiver.as_mut()) {
            (Happens::Syn(syn), _) => {
                let mut end = Receiver::new(syn.segments, syn.flags, &channel.profile);
                channel.line.file(now + DELAY, Happens::SynAck(end.answer(&syn, &channel.profile)));
                receiver = Some(end);
            }
            (Happens::SynAck(answer), _) => sender.on_syn_ack(answer, None, &mut channel),
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
