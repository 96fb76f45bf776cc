//! A network of a fluid model: classes of equal flows, links, and the paths of classes.

use serde::Deserialize;

use crate::model::LinkConstants;

/// Classes and links; each may override parameters of the model.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Network {
    pub classes: Vec<Flows>,
    pub links: Vec<Wire>,
    pub packet_bytes: f64,
}

/// A class of equal flows.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Flows {
    /// The number of flows; it may be fractional.
    pub flows: f64,
    /// Round trip without queues.
    pub rtt_s: f64,
    /// The links of the path, by their index.
    pub path: Vec<usize>,
    /// Parameters of this class: index and value.
    pub set: Vec<(usize, f64)>,
}

/// A link.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Wire {
    pub rate_packets_s: f64,
    /// `None` if there is no limit.
    pub buffer_packets: Option<f64>,
    pub delay_s: f64,
    /// Parameters of this link: index and value.
    pub set: Vec<(usize, f64)>,
}

/// 60 flows over 15 Mbit/s with packets of 500 bytes (Hollot, Misra, Towsley, Gong 2001).
impl Default for Network {
    fn default() -> Self {
        let wire = Wire { rate_packets_s: 3750.0, buffer_packets: Some(800.0), delay_s: 0.1, set: vec![] };
        let flows = Flows { flows: 60.0, rtt_s: 0.2, path: vec![0], set: vec![] };
        Self { classes: vec![flows], links: vec![wire], packet_bytes: 500.0 }
    }
}

impl Network {
    /// Returns the first error: its place, and what is allowed there.
    pub fn fault(&self) -> Option<(String, String)> {
        if self.classes.is_empty() || self.links.is_empty() {
            return Some(("network".into(), "must have at least one class and one link".into()));
        }
        if !above_zero(self.packet_bytes) {
            return fault("network.packet", "must be a size above zero", self.packet_bytes);
        }
        let classes = self.classes.iter().enumerate();
        let links = self.links.iter().enumerate();
        classes
            .filter_map(|(index, class)| class.fault(&format!("network.classes[{index}]"), self.links.len()))
            .chain(links.filter_map(|(index, link)| link.fault(&format!("network.links[{index}]"))))
            .next()
    }

    /// The constants of a link.
    pub fn link_constants(&self, link: usize) -> LinkConstants {
        let Wire { rate_packets_s, buffer_packets, delay_s, .. } = self.links[link];
        LinkConstants { rate_packets_s, buffer_packets: buffer_packets.unwrap_or(f64::INFINITY), delay_s }
    }

    /// The sum of the weights of all flows over each link, and the mean of their round trips without queues,
    /// weighted, if it carries any.
    pub fn traffic(&self, weight: impl Fn(usize) -> f64) -> Vec<(f64, Option<f64>)> {
        let routes = Routes::of(self);
        let (mut weights, mut rtts_s) = (vec![0.0; self.links.len()], vec![0.0; self.links.len()]);
        routes.arrivals(&weight, &mut weights);
        routes.arrivals(|class| weight(class) * self.classes[class].rtt_s, &mut rtts_s);
        let mean = |(weight, rtt_s): (f64, f64)| (weight, (weight > 0.0).then(|| rtt_s / weight));
        weights.into_iter().zip(rtts_s).map(mean).collect()
    }

    /// The round trip of a class at these queues of links.
    pub fn rtt_s(&self, class: usize, queues: &[f64]) -> f64 {
        let Flows { rtt_s, path, .. } = &self.classes[class];
        rtt_s + path.iter().map(|link| queues[*link] / self.links[*link].rate_packets_s).sum::<f64>()
    }
}

fn above_zero(value: f64) -> bool {
    value > 0.0 && value.is_finite()
}

fn fault(place: &str, message: &str, got: f64) -> Option<(String, String)> {
    Some((place.to_owned(), format!("{message}; got {got}")))
}

impl Flows {
    fn fault(&self, place: &str, links: usize) -> Option<(String, String)> {
        if !above_zero(self.flows) {
            return fault(&format!("{place}.flows"), "must be a number above zero", self.flows);
        }
        if !above_zero(self.rtt_s) {
            return fault(&format!("{place}.rtt"), "must be a time above zero", self.rtt_s);
        }
        let beyond = self.path.iter().any(|link| *link >= links);
        let twice = (1..self.path.len()).any(|index| self.path[index..].contains(&self.path[index - 1]));
        (self.path.is_empty() || beyond || twice)
            .then(|| (format!("{place}.path"), "must name at least one link, each once".to_owned()))
    }
}

impl Wire {
    fn fault(&self, place: &str) -> Option<(String, String)> {
        if !above_zero(self.rate_packets_s) {
            return fault(&format!("{place}.rate"), "must be a rate above zero", self.rate_packets_s);
        }
        if let Some(buffer) = self.buffer_packets.filter(|buffer| buffer.is_nan() || *buffer < 0.0) {
            return fault(&format!("{place}.buffer"), "must be a buffer of zero packets or more", buffer);
        }
        let told = self.delay_s >= 0.0 && self.delay_s.is_finite();
        if told {
            None
        } else {
            fault(&format!("{place}.delay"), "must be a time of zero or more", self.delay_s)
        }
    }
}

/// The values of a class or link: the model's, with its own changes.
pub fn own_values(values: &[f64], set: &[(usize, f64)]) -> Vec<f64> {
    let mut own = values.to_vec();
    for (index, value) in set {
        own[*index] = *value;
    }
    own
}

/// Relative hysteresis of a switch at which a slope only bends: a quantity that stays at it would otherwise
/// cross it repeatedly by rounding.
const BAND: f64 = 1e-9;

/// The hysteresis to add to a gap of the order of one, by its side.
pub fn band(side: bool) -> f64 {
    if side { BAND } else { -BAND }
}

/// The paths of all classes, one after the other, and the number of flows of each class.
#[derive(Clone, Debug, PartialEq)]
pub struct Routes {
    flows: Vec<f64>,
    starts: Vec<usize>,
    links: Vec<usize>,
}

impl Routes {
    pub fn of(network: &Network) -> Self {
        let mut starts = vec![0];
        let mut links = Vec::new();
        for class in &network.classes {
            links.extend_from_slice(&class.path);
            starts.push(links.len());
        }
        Self { flows: network.classes.iter().map(|class| class.flows).collect(), starts, links }
    }

    /// The links of a class.
    pub fn path(&self, class: usize) -> &[usize] {
        &self.links[self.starts[class]..self.starts[class + 1]]
    }

    /// The least feedback on a path.
    pub fn least(&self, class: usize, feedback: impl Fn(usize) -> f64) -> f64 {
        self.path(class).iter().map(|link| feedback(*link)).fold(f64::INFINITY, f64::min)
    }

    /// Places at which the least feedback of a path may change from one link to another: each link of a path
    /// but the first.
    pub fn joints(&self) -> usize {
        self.links.len() - self.flows.len()
    }

    /// A gap function for each joint. A joint is on its side while its link's feedback is less than that of
    /// all before it.
    pub fn joint_gaps(&self, feedback: impl Fn(usize, usize) -> f64, sides: &[bool], gaps: &mut [f64]) {
        let mut joint = 0;
        for class in 0..self.flows.len() {
            let path = self.path(class);
            let mut least = feedback(class, path[0]);
            for link in &path[1..] {
                let said = feedback(class, *link);
                gaps[joint] = least - said + band(sides[joint]) * said.abs().max(1.0);
                (least, joint) = (least.min(said), joint + 1);
            }
        }
    }

    /// The arrivals at one link if each flow of a class sends at this rate.
    pub fn arrival(&self, link: usize, rate: impl Fn(usize) -> f64) -> f64 {
        let passes = |class: &usize| self.path(*class).contains(&link);
        (0..self.flows.len()).filter(passes).map(|class| self.flows[class] * rate(class)).sum()
    }

    /// The arrivals at each link if each flow of a class sends at this rate.
    pub fn arrivals(&self, rate: impl Fn(usize) -> f64, arrivals: &mut [f64]) {
        arrivals.fill(0.0);
        for (class, flows) in self.flows.iter().enumerate() {
            let sent = flows * rate(class);
            for link in self.path(class) {
                arrivals[*link] += sent;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Class 0 passes both links, classes 1 and 2 one each.
    fn parking_lot() -> Network {
        let Network { classes, links, packet_bytes } = Network::default();
        let class = |flows, path: &[usize]| Flows { flows, path: path.to_vec(), ..classes[0].clone() };
        let classes = vec![class(1.0, &[0, 1]), class(2.0, &[0]), class(3.0, &[1])];
        Network { classes, links: vec![links[0].clone(); 2], packet_bytes }
    }

    #[test]
    fn what_arrives_is_what_the_classes_of_a_link_send_together() {
        let mut arrivals = [9.0; 2];
        Routes::of(&parking_lot()).arrivals(|class| [1.0, 10.0, 100.0][class], &mut arrivals);
        assert_eq!(arrivals, [1.0 + 2.0 * 10.0, 1.0 + 3.0 * 100.0]);
        let one = |link| Routes::of(&parking_lot()).arrival(link, |class| [1.0, 10.0, 100.0][class]);
        assert_eq!([one(0), one(1)], arrivals);
    }

    /// The feedback of the links to class 0 is 5 and 3, so the second counts; at a tie a side does not
    /// change.
    #[test]
    fn the_least_of_a_path_counts_and_its_changes_are_gaps() {
        let routes = Routes::of(&parking_lot());
        assert_eq!(routes.least(0, |link| [5.0, 3.0][link]), 3.0);
        assert_eq!(routes.joints(), 1);
        let gap = |says: [f64; 2], side: bool| {
            let mut gaps = [0.0];
            routes.joint_gaps(|_, link| says[link], &[side], &mut gaps);
            gaps[0]
        };
        assert!(gap([5.0, 3.0], false) > 1.0 && gap([3.0, 5.0], true) < -1.0);
        assert!(gap([4.0, 4.0], true) > 0.0 && gap([4.0, 4.0], false) < 0.0);
    }

    /// Class 0 is 1 flow at 0.3 s; class 1 is 2 flows at 0.2 s over the first link; a third link carries no
    /// flow.
    #[test]
    fn traffic_of_a_link_is_its_flows_and_the_mean_of_their_round_trips() {
        let mut network = parking_lot();
        network.classes[0].rtt_s = 0.3;
        network.links.push(network.links[0].clone());
        let traffic = network.traffic(|_| 1.0);
        assert_eq!((traffic[0].0, traffic[1].0, traffic[2]), (3.0, 4.0, (0.0, None)));
        assert!((traffic[0].1.expect("flows") - 0.7 / 3.0).abs() < 1e-15);
        assert!((network.rtt_s(0, &[375.0, 750.0, 1.0]) - (0.3 + 0.1 + 0.2)).abs() < 1e-15);
    }

    #[test]
    fn what_is_wrong_is_told_with_its_place() {
        assert_eq!(parking_lot().fault(), None);
        let told = |change: fn(&mut Network)| {
            let mut network = parking_lot();
            change(&mut network);
            let (place, message) = network.fault().expect("a fault");
            format!("{place}: {message}")
        };
        let path = "network.classes[1].path: must name at least one link, each once";
        assert_eq!(told(|network| network.classes[1].path = vec![2]), path);
        assert_eq!(told(|network| network.classes[1].path = vec![0, 0]), path);
        assert_eq!(told(|network| network.classes[1].path = vec![]), path);
        let flows = told(|network| network.classes[2].flows = 0.0);
        assert_eq!(flows, "network.classes[2].flows: must be a number above zero; got 0");
        let rtt = told(|network| network.classes[0].rtt_s = f64::INFINITY);
        assert_eq!(rtt, "network.classes[0].rtt: must be a time above zero; got inf");
        let rate = told(|network| network.links[1].rate_packets_s = -1.0);
        assert_eq!(rate, "network.links[1].rate: must be a rate above zero; got -1");
        let buffer = told(|network| network.links[0].buffer_packets = Some(-1.0));
        assert_eq!(buffer, "network.links[0].buffer: must be a buffer of zero packets or more; got -1");
        let delay = told(|network| network.links[0].delay_s = -1.0);
        assert_eq!(delay, "network.links[0].delay: must be a time of zero or more; got -1");
        let none = told(|network| network.links.clear());
        assert_eq!(none, "network: must have at least one class and one link");
        assert_eq!(
            told(|network| network.packet_bytes = 0.0),
            "network.packet: must be a size above zero; got 0"
        );
    }

    #[test]
    fn a_class_has_the_values_of_the_model_with_its_own_changes() {
        assert_eq!(own_values(&[1.0, 2.0, 3.0], &[(1, 9.0)]), [1.0, 9.0, 3.0]);
    }
}
