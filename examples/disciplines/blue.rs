//! Blue of blue.py in Rust.

use headgate::{Backlog, Decision, Discipline, Packet, verdict};

const LIMIT_PACKETS: f64 = 50.0;
const FREEZE_S: f64 = 0.1;

/// State of a port.
#[derive(Clone, Copy)]
struct Blue {
    probability: f64,
    changed_s: f64,
}

impl Blue {
    fn change(&mut self, by: f64, now_s: f64) {
        if now_s - self.changed_s >= FREEZE_S {
            self.probability = (self.probability + by).clamp(0.0, 1.0);
            self.changed_s = now_s;
        }
    }
}

impl Discipline for Blue {
    fn on_arrival(&mut self, packet: &Packet, port: &Backlog, decision: &mut Decision) {
        if port.packets > LIMIT_PACKETS {
            self.change(0.02, port.now_s);
        } else if port.idle_s > 0.0 {
            self.change(-0.002, port.now_s);
        }
        if decision.draw() <= self.probability {
            decision.verdict = if packet.capable { verdict::MARK } else { verdict::DROP };
        }
    }
}

headgate::export_queue!(blue: Blue = Blue { probability: 0.0, changed_s: 0.0 });
