//! The interface supports many classes over many links: a model of the family of Misra, Gong, Towsley 2000.

use headgate_fluid::model::{Model, Now};
use headgate_fluid::past::Past;
use headgate_fluid::solve::{Method, solve};

/// The decay rate of RED's averages, 1/s; its thresholds, packets; its greatest probability between them.
const FORGETS: f64 = 1.0;
const BAND: (f64, f64) = (20.0, 400.0);
const MOST: f64 = 0.1;
const HYSTERESIS: f64 = 1e-9;

/// State: a window per class, then a queue per link, then its average.
struct Many {
    flows: Vec<f64>,
    rtts_s: Vec<f64>,
    routes: Vec<Vec<usize>>,
    rates: Vec<f64>,
}

impl Many {
    fn queue(&self, link: usize) -> usize {
        self.flows.len() + link
    }

    fn mean(&self, link: usize) -> usize {
        self.flows.len() + self.rates.len() + link
    }

    fn rtt_s(&self, class: usize, value: impl Fn(usize) -> f64) -> f64 {
        let waits = self.routes[class].iter().map(|link| value(self.queue(*link)) / self.rates[*link]);
        self.rtts_s[class] + waits.sum::<f64>()
    }

    fn p(&self, class: usize, value: impl Fn(usize) -> f64) -> f64 {
        let at = |link: &usize| {
            let over = (value(self.mean(*link)) - BAND.0) / (BAND.1 - BAND.0);
            MOST * over.clamp(0.0, 1.0)
        };
        self.routes[class].iter().map(at).sum()
    }

    fn arrivals(&self, state: &[f64], arrivals: &mut [f64]) {
        arrivals.fill(0.0);
        for class in 0..self.flows.len() {
            let rate = self.flows[class] * state[class] / self.rtt_s(class, |index| state[index]);
            for link in &self.routes[class] {
                arrivals[*link] += rate;
            }
        }
    }
}

impl Model for Many {
    fn dimension(&self) -> usize {
        self.flows.len() + 2 * self.rates.len()
    }
    fn before(&self, _t_s: f64, index: usize) -> f64 {
        if index < self.flows.len() { 1.0 } else { 0.0 }
    }
    fn lags(&self) -> usize {
        self.flows.len()
    }
    fn switches(&self) -> usize {
        self.rates.len()
    }
    fn gaps(&self, now: &Now<'_>, _past: &mut Past<'_>, gaps: &mut [f64]) {
        let mut arrivals = vec![0.0; self.rates.len()];
        self.arrivals(now.state, &mut arrivals);
        for (link, gap) in gaps.iter_mut().enumerate() {
            let growing = arrivals[link] / self.rates[link] - 1.0;
            *gap = if now.sides[link] { now.state[self.queue(link)] } else { growing - HYSTERESIS };
        }
    }
    fn slope(&self, now: &Now<'_>, past: &mut Past<'_>, slope: &mut [f64]) {
        for (class, own) in slope[..self.flows.len()].iter_mut().enumerate() {
            let sent = past.sent(class, now.t_s, &|moment| self.rtt_s(class, |index| moment.value(index)));
            let rate = sent.value(class) / self.rtt_s(class, |index| sent.value(index));
            let p = self.p(class, |index| sent.value(index));
            let window = now.state[class];
            *own = rate * ((1.0 - p) / window - window / 2.0 * p);
        }
        let (queues, means) = slope[self.flows.len()..].split_at_mut(self.rates.len());
        self.arrivals(now.state, queues);
        for link in 0..self.rates.len() {
            queues[link] = if now.sides[link] { queues[link] - self.rates[link] } else { 0.0 };
            means[link] = FORGETS * (now.state[self.queue(link)] - now.state[self.mean(link)]);
        }
    }
    fn confine(&self, state: &mut [f64]) {
        state[self.flows.len()..].iter_mut().for_each(|value| *value = value.max(0.0));
    }
}

fn adaptive(relative: f64) -> Method {
    Method::Adaptive { relative, absolute: 1e-3 * relative, most_s: f64::INFINITY }
}

fn at_end(model: &Many, relative: f64, end_s: f64) -> Vec<f64> {
    let mut last = Vec::new();
    solve(model, &adaptive(relative), end_s).expect("a solution").sample(model, end_s, |_, state| {
        last = state.to_vec();
    });
    last
}

/// A number of classes over a chain of links, each over one to three of them.
fn chain(classes: usize, links: usize) -> Many {
    let route = |class: usize| (class % links..(class % links + 1 + class % 3).min(links)).collect();
    Many {
        flows: vec![10.0; classes],
        rtts_s: (0..classes).map(|class| 0.02 + 0.0018 * class as f64).collect(),
        routes: (0..classes).map(route).collect(),
        rates: vec![10_000.0; links],
    }
}

#[test]
fn equal_classes_are_one_class_of_all_their_flows() {
    let network = |classes: usize| Many {
        flows: vec![60.0 / classes as f64; classes],
        rtts_s: vec![0.1; classes],
        routes: vec![vec![0]; classes],
        rates: vec![3000.0],
    };
    let (one, many) = (at_end(&network(1), 1e-8, 30.0), at_end(&network(12), 1e-8, 30.0));
    for value in &many[..12] {
        assert!((value / one[0] - 1.0).abs() < 1e-6, "{one:?} {many:?}");
    }
    assert!((many[12] / one[1] - 1.0).abs() < 1e-6);
}

#[test]
fn a_tolerance_of_a_thousandth_is_kept_by_a_hundred_classes_over_twenty_links() {
    let model = chain(100, 20);
    let (rough, fine) = (at_end(&model, 1e-4, 100.0), at_end(&model, 1e-7, 100.0));
    for (index, (rough, fine)) in rough.iter().zip(&fine).enumerate() {
        assert!((rough - fine).abs() <= 1e-3 * (fine.abs() + 1.0), "{index}: {rough} beside {fine}");
    }
}
