use headgate::{Ack, Congestion, Controller, Path, Window};

#[derive(Clone, Copy)]
struct Reno;

impl Controller for Reno {
    fn on_ack(&mut self, ack: &Ack, _path: &Path, window: &mut Window) {
        if !ack.cwnd_limited {
            return;
        }
        let left = if window.slow_starts() { window.slow_start(ack.acked) } else { ack.acked };
        if left > 0.0 {
            window.cwnd += left / window.cwnd;
        }
    }

    fn on_congestion(&mut self, event: &Congestion, _path: &Path, window: &mut Window) {
        window.ssthresh = (f64::from(event.in_flight) / 2.0).max(2.0);
    }
}

headgate::export!(reno: Reno = Reno);
