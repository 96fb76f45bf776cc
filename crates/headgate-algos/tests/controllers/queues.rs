//! Delay-driven algorithms on one link, as a fluid: the queue at which they settle.

use crate::drive::{Flow, controller};

/// A link of `rate` packets/s whose RTT without a queue is `base_s`.
struct Link {
    rate: f64,
    base_s: f64,
}

impl Link {
    fn flow(&self, name: &str, values: &[(&str, f64)], cwnd: f64) -> Flow {
        Flow::new(controller(name, values), cwnd, f64::INFINITY, self.base_s)
    }

    fn queue(&self, windows: f64) -> f64 {
        windows - self.rate * self.base_s
    }

    /// Delivers a window of ACKs, of packets sent while the sum of all windows changed from `from` to `to`.
    fn round(&self, flow: &mut Flow, from: f64, to: f64) {
        let acks = flow.in_flight();
        for i in 0..acks {
            let windows = from + (to - from) * f64::from(i) / f64::from(acks);
            flow.ack(self.base_s.max(windows / self.rate));
        }
    }

    /// The queue of equal flows after `rounds` round trips.
    fn settle(&self, flows: usize, new: impl Fn() -> Flow, rounds: u32) -> f64 {
        let mut all: Vec<Flow> = (0..flows).map(|_| new()).collect();
        let mut sent = total(&all);
        for _ in 0..rounds {
            let now = total(&all);
            all.iter_mut().for_each(|flow| self.round(flow, sent, now));
            sent = now;
        }
        self.queue(total(&all))
    }

    /// The queues of one flow, one for each update. It steps at the start of a round; that round's ACKs still
    /// belong to the previous window, and the next round's all to the new one.
    fn updates(&self, cwnd: f64, values: &[(&str, f64)]) -> Vec<f64> {
        let paper = [&[("variant", 0.0), ("mi_threshold_s", 0.0)], values].concat();
        let mut flow = self.flow("fast", &paper, cwnd);
        let mut queues = vec![self.queue(cwnd)];
        for _ in 0..14 {
            let sent = flow.window.cwnd;
            self.round(&mut flow, sent, sent);
            queues.push(self.queue(flow.window.cwnd));
        }
        queues.dedup();
        queues
    }
}

fn total(flows: &[Flow]) -> f64 {
    flows.iter().map(|flow| flow.window.cwnd).sum()
}

#[test]
fn the_queue_holds_alpha_packets_of_each_flow() {
    // the fixed point is exact; after 200 rounds the initial state does not matter. ns-2's average of 256
    // samples lasts two rounds of the smallest window here, 60 packets + alpha.
    for variant in [0.0, 1.0] {
        for (flows, rate) in [(1, 20_000.0), (4, 20_000.0), (10, 12_000.0)] {
            let link = Link { rate, base_s: 0.05 };
            let queue = link.settle(flows, || link.flow("fast", &[("variant", variant)], 10.0), 200);
            let expected = 100.0 * flows as f64;
            assert!((queue / expected - 1.0).abs() < 0.01, "{flows} flows, {variant}: {queue}");
        }
    }
}

#[test]
fn the_error_shrinks_by_one_minus_gamma_at_each_update() {
    // While the RTT average is exact, w - 1100 halves, since base/rtt w = 1000. Samples are weighted by 3/w,
    // so that w of them leave e^-3 = 5 % of an RTT change. Then e" = e'/2 + k (e' - e) with k < 0.05/2, whose
    // root is between 0.45 and 0.5. The first ratio is exact, because no RTT has changed yet.
    let link = Link { rate: 500_000.0, base_s: 0.002 };
    for start in [1060.0, 1400.0] {
        let queues = link.updates(start, &[]);
        assert_eq!(queues.len(), 7);
        for pair in queues.windows(2) {
            let ratio = (pair[1] - 100.0) / (pair[0] - 100.0);
            assert!((0.45..=0.501).contains(&ratio), "{start}: {queues:?} {ratio}");
        }
    }
}

#[test]
fn the_full_rule_reaches_alpha_in_one_update() {
    // w = base/rtt w + alpha, and base/rtt w is the content of the link while it is busy. The first update is
    // exact. Later ones see an RTT average with e^-3 = 5 % of the previous step, of 300/1100: below 1.5 %,
    // and 20 times less at each.
    let link = Link { rate: 500_000.0, base_s: 0.002 };
    for start in [1060.0, 1400.0] {
        let queues = link.updates(start, &[("gamma", 1.0), ("update_rounds", 1.0)]);
        assert!((queues[1] - 100.0).abs() < 1e-6, "{start}: {queues:?}");
        let last = queues[queues.len() - 1];
        assert!((last - 100.0).abs() < 1e-3 * 1100.0, "{start}: {queues:?}");
    }
}

#[test]
fn the_tuned_queue_follows_the_rate_of_each_flow() {
    // 8, 20 and 200 packets at 1000, 5000 and 50 000 packets/s: each within its thresholds. Two flows share
    // the last link at 25 000 each. 400 rounds are 200 updates; samples are weighted by at least 1/256, so
    // that the average covers 40 of its time constants at the smallest window, 30 packets.
    for (flows, rate, alpha) in [(1, 1_000.0, 8.0), (1, 5_000.0, 20.0), (2, 50_000.0, 200.0)] {
        let link = Link { rate, base_s: 0.05 };
        let queue = link.settle(flows, || link.flow("fast-at", &[], 10.0), 400);
        let expected = alpha * flows as f64;
        assert!((queue / expected - 1.0).abs() < 0.01, "{rate}: {queue}");
    }
}

#[test]
fn vegas_keeps_from_alpha_to_beta_packets_of_each_flow() {
    // A window with diff queued packets is constant while alpha <= diff <= beta in whole packets: from 2 to
    // below 5 for linux, which truncates, and from 0.5 to 3.5 for ns2, which rounds. linux divides by the
    // base RTT: diff is then the queue times 1 + queue/BDP, 2.5 % for 5 of 200. A flow moves by one packet
    // per round: 200 rounds are twice the distance of 100.
    for (variant, least, most) in [(0.0, 2.0 / 1.025, 5.0), (1.0, 0.5, 3.5)] {
        for (flows, cwnd) in [(1, 100.0), (1, 300.0), (4, 100.0), (4, 300.0)] {
            let link = Link { rate: 4_000.0 * flows as f64, base_s: 0.05 };
            let new = || {
                let mut flow =
                    Flow::new(controller("vegas", &[("variant", variant)]), cwnd, 2.0, link.base_s);
                flow.ack(link.base_s);
                flow
            };
            let each = link.settle(flows, new, 200) / flows as f64;
            assert!((least..=most).contains(&each), "{variant}, {flows} from {cwnd}: {each}");
        }
    }
}

#[test]
fn ledbat_keeps_the_queue_at_its_target() {
    // dw = (target - q)/target per round for each flow: target * rate packets over the number of flows is the
    // time constant in rounds. 1000 rounds are ten of them, which leaves e^-10. Whole packets in flight are
    // an error of one in 100.
    let link = Link { rate: 1_000.0, base_s: 0.05 };
    for flows in [1, 2, 5] {
        for target_s in [0.1, 0.025] {
            let new = || Flow::new(controller("ledbat", &[("target_s", target_s)]), 5.0, 2.0, link.base_s);
            let queue = link.settle(flows, new, 1_000);
            assert!((queue - target_s * link.rate).abs() < 1.0, "{flows} flows, {target_s}: {queue}");
        }
    }
}

#[test]
fn yeah_empties_a_queue_of_more_than_eighty_packets() {
    // It gains 1 % per round, 9 packets, sees the queue a round late, and removes all of it: never far above
    // 80, and below the path's 800 only for the time of the return.
    let link = Link { rate: 8_000.0, base_s: 0.1 };
    let mut flow = Flow::new(controller("yeah", &[("phi", 1.0)]), 700.0, 2.0, link.base_s);
    let mut sent = flow.window.cwnd;
    let queues: Vec<f64> = (0..500)
        .map(|_| {
            let now = flow.window.cwnd;
            link.round(&mut flow, sent, now);
            sent = now;
            link.queue(flow.window.cwnd)
        })
        .skip(100)
        .collect();
    let most = queues.iter().copied().fold(0.0, f64::max);
    assert!((70.0..=80.0 + 3.0 * 9.0).contains(&most), "{most}");
}

#[test]
fn ledbat_pp_keeps_the_queue_near_its_target() {
    // Without slowdowns. It gains 1/3 per round (base 50 ms, 2 60/50 rounded up) below the target and sees the
    // queue a round late, so that each flow exceeds it by at most two gains. Above, a round takes
    // w (q/target - 1): windows of 110 packets in all and a queue of 60 lose 1.8 times the excess, so that it
    // falls below the target by as much as it exceeded it.
    let link = Link { rate: 1_000.0, base_s: 0.05 };
    for flows in [1, 2, 5] {
        let new = || Flow::new(controller("ledbat-pp", &[("apart", 0.0)]), 5.0, 2.0, link.base_s);
        let queue = link.settle(flows, new, 1_000);
        let swing = 2.0 * flows as f64 / 3.0 + 1.0;
        assert!((queue - 60.0).abs() < swing, "{flows} flows: {queue}");
    }
}
