//! Patient of gentle.py in Rust.

use headgate::{Ack, Congestion, Controller, Path, Window};

const BETA: f64 = 0.7;
const PATIENCE_S: f64 = 5.0;

/// State of a flow.
#[derive(Clone, Copy)]
struct Patient {
    lost_s: f64,
}

impl Controller for Patient {
    fn on_ack(&mut self, ack: &Ack, _path: &Path, window: &mut Window) {
        if ack.cwnd_limited {
            let alpha = 3.0 * (1.0 - BETA) / (1.0 + BETA);
            let eagerness = 1.0 + (ack.now_s - self.lost_s) / PATIENCE_S;
            let left = window.slow_start(ack.acked);
            window.cwnd += alpha * eagerness * left / window.cwnd;
        }
    }

    fn on_congestion(&mut self, event: &Congestion, _path: &Path, window: &mut Window) {
        self.lost_s = event.now_s;
        window.ssthresh = (BETA * f64::from(event.in_flight)).max(2.0);
    }
}

headgate::export!(patient: Patient = Patient { lost_s: 0.0 });
