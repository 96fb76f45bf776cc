//! How a connection begins, and what it and the routers say to each other by labels.

use headgate_model::control::Registry;
use headgate_model::feedback::Label;
use headgate_model::units::seconds;

use super::sender::Sender;
use super::state::Phase;
use crate::packet::Packet;
use crate::papers::NO_LABEL;
use crate::shared::Shared;

impl<L: Registry> Sender<L> {
    pub(super) fn send_syn(&mut self, shared: &mut Shared<L>) {
        self.ask(self.size, shared);
        let profile = self.profile(shared);
        let doublings = if profile.syn_backoff { self.backoff.min(16) } else { 0 };
        self.set_deadline(shared.now + (profile.syn_rto << doublings), shared);
    }

    /// A SYN for a flow of so many segments; of none, where only its label matters.
    pub(super) fn ask(&mut self, segments: u32, shared: &mut Shared<L>) {
        let (split, size) = (shared.split, self.profile(shared).syn_bytes);
        let mut packet = Packet {
            time: shared.now,
            flow: split.join(self.destination as usize, 0),
            host: self.receiver_host,
            a: segments,
            b: self.address,
            c: Packet::pack_origin(self.host, self.profile),
            size,
            head: self.syn_head(),
            generation: self.generation,
        };
        self.attach_label(&mut packet, shared);
        shared.out.push((self.host, packet));
    }

    /// The SYN was answered: data may flow.
    pub fn on_syn_ack(&mut self, packet: &Packet, shared: &mut Shared<L>) {
        if self.phase != Phase::Connecting {
            return self.on_probe_answer(shared);
        }
        self.phase = Phase::Open;
        self.receiver = packet.b;
        shared.counters.connecting -= 1;
        let elapsed = shared.now - self.tally.started;
        self.tally.established = Some(elapsed);
        if self.backoff == 0 {
            self.rtt.sample(elapsed, &shared.profiles[self.profile as usize]);
        } else {
            self.window.cwnd = 1.0; // a lost SYN is a sign of congestion (RFC 5681 §3.1)
        }
        self.backoff = 0;
        self.law.on_start(seconds(shared.now), &self.rtt.path, &mut self.window);
        self.read_label(shared);
        self.restart_timer(shared);
        self.pump(shared);
    }

    /// A question for a new pace came back.
    fn on_probe_answer(&mut self, shared: &mut Shared<L>) {
        if self.phase != Phase::Idle && shared.label != NO_LABEL {
            self.read_label(shared);
            self.pump(shared);
        }
    }

    /// A packet that leaves is labelled, if the law's scheme has it so.
    #[inline]
    pub(super) fn attach_label(&mut self, packet: &mut Packet, shared: &mut Shared<L>) {
        if let Some(scheme) = self.scheme {
            let words = self.law.label(&self.rtt.path, &self.window);
            shared.papers.attach(packet, Label { scheme, words });
        }
    }

    /// What the routers have answered.
    #[inline]
    pub(super) fn read_label(&mut self, shared: &mut Shared<L>) {
        if self.scheme.is_none() || shared.label == NO_LABEL {
            return;
        }
        let before = self.window.pace;
        let words = shared.papers.read(shared.label).words;
        self.law.on_label(&words, seconds(shared.now), &self.rtt.path, &mut self.window);
        self.change_pace(before);
    }
}
