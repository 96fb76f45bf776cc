//! RED of copies.py in Rust.

use headgate::{Backlog, Decision, Discipline, Packet, verdict};

const LOW: f64 = 3.0;
const HIGH: f64 = 12.0;
const TOP: f64 = 0.1;
const WEIGHT: f64 = 0.5;
const MEAN_BYTES: f64 = 1500.0;

#[derive(Clone, Copy)]
struct Red {
    mean: f64,
    count: f64,
    above: bool,
}

impl Red {
    fn average(&mut self, port: &Backlog) {
        let missed = (port.rate_bytes_s / MEAN_BYTES * port.idle_s).floor();
        if missed > 0.0 {
            self.mean *= (1.0 - WEIGHT).powf(missed);
        }
        self.mean += WEIGHT * (port.packets - self.mean);
    }

    fn base(&self) -> f64 {
        let over = self.mean - HIGH;
        let p = if over >= 0.0 {
            TOP + (1.0 - TOP) * over / HIGH
        } else {
            TOP * (self.mean - LOW) / (HIGH - LOW)
        };
        p.min(1.0)
    }

    fn spaced(&self, base: f64) -> f64 {
        match self.count * base {
            seen if seen < 1.0 => 0.0,
            seen if seen < 2.0 => base / (2.0 - seen),
            _ => 1.0,
        }
    }
}

impl Discipline for Red {
    fn on_arrival(&mut self, _packet: &Packet, port: &Backlog, decision: &mut Decision) {
        self.average(port);
        self.count += 1.0;
        let was_above = self.above;
        self.above = self.mean >= LOW && port.packets > 1.0;
        if self.above && !was_above {
            self.count = 1.0;
        }
        if self.above && was_above && decision.draw() <= self.spaced(self.base()) {
            self.count = 0.0;
            decision.verdict = verdict::DROP;
        }
    }
}

headgate::export_queue!(red: Red = Red { mean: 0.0, count: 0.0, above: false });
