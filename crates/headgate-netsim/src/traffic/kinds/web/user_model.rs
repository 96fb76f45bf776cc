//! The requests of Web users.
//!
//! Each user draws from a separate stream of random numbers, for receiver, kind, size and thinking time.
//! Surges and patience use substreams, so that they change no other random number.

use headgate_model::chance::Stream;
use headgate_model::units::Time;
use serde::{Deserialize, Serialize};

use super::plan::{self, Web};
use crate::record::{NAMED, WEB_OBJECT};
use crate::traffic::size::{self, Size};

/// The distribution of requests.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct UserModel {
    ordinary: Size,
    kinds: Vec<FileChoice>,
    /// Probability that a request is of an impatient user.
    impatient: Option<f64>,
    surge: Option<Surge>,
}

/// A kind of file, and the probability of it and all kinds before it.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct FileChoice {
    upto: f64,
    file: u8,
    size: Size,
}

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Surge {
    from: Time,
    until: Time,
    file: u8,
    size: Size,
}

/// A request of a user.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Request {
    /// Kind of file.
    pub file: u8,
    /// Size in packets.
    pub size: u32,
    /// The user will check the progress.
    pub is_impatient: bool,
}

impl From<&Web> for UserModel {
    fn from(web: &Web) -> Self {
        let mut upto = 0.0;
        let kind = |kind: &plan::FileKind| {
            upto += kind.share;
            FileChoice { upto, file: NAMED + kind.file as u8, size: kind.size.into() }
        };
        let surge = |s: &plan::Surge| Surge {
            from: s.from_ps,
            until: s.until_ps,
            file: NAMED + s.file as u8,
            size: s.size.into(),
        };
        Self {
            ordinary: web.size.into(),
            kinds: web.kinds.iter().map(kind).collect(),
            impatient: web.patience.map(|patience| patience.share),
            surge: web.surge.as_ref().map(surge),
        }
    }
}

impl UserModel {
    /// Draws a request. `joins_surge` says whether the user takes part in a surge.
    pub fn draw(&self, joins_surge: bool, now: Time, stream: &mut Stream) -> Request {
        let (mut file, kind) = self.kind(stream);
        let mut size = size::draw(kind, stream);
        if let Some(surge) = self.surge.filter(|s| joins_surge && (s.from..s.until).contains(&now)) {
            file = surge.file;
            size = size::draw(surge.size, &mut stream.aside("surge"));
        }
        let is_impatient = self.impatient.is_some_and(|share| stream.aside("patience").chance(share));
        Request { file, size, is_impatient }
    }

    fn kind(&self, stream: &mut Stream) -> (u8, Size) {
        let ordinary = (WEB_OBJECT, self.ordinary);
        if self.kinds.is_empty() {
            return ordinary; // nothing to draw
        }
        let at = stream.open01();
        let kind = self.kinds.iter().find(|kind| at <= kind.upto);
        kind.map_or(ordinary, |kind| (kind.file, kind.size))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ORDINARY: Size = Size::Fixed { packets: 7.0 };

    fn model(shares: &[f64], surge: Option<Surge>) -> UserModel {
        let mut upto = 0.0;
        let kind = |(file, share): (u8, &f64)| {
            upto += share;
            FileChoice { upto, file, size: Size::Exponential { mean_packets: 1000.0 } }
        };
        let kinds = (NAMED..).zip(shares).map(kind).collect();
        UserModel { ordinary: ORDINARY, kinds, impatient: None, surge }
    }

    #[test]
    fn each_kind_has_its_share() {
        let (model, mut stream) = (model(&[0.2, 0.1], None), Stream::new(1, "user", 0));
        let n = 100_000;
        let files: Vec<u8> = (0..n).map(|_| model.draw(false, 0, &mut stream).file).collect();
        for (file, share) in [(WEB_OBJECT, 0.7), (NAMED, 0.2), (NAMED + 1, 0.1)] {
            let found = files.iter().filter(|&&f| f == file).count() as f64 / f64::from(n);
            assert!((found - share).abs() < 4.0 * (share * (1.0 - share) / f64::from(n)).sqrt());
        }
    }

    #[test]
    fn a_surge_affects_only_its_time_and_users_and_no_later_draw() {
        let surge = Surge { from: 10, until: 20, file: 9, size: Size::Fixed { packets: 1e6 } };
        let (with, without) = (model(&[0.5], Some(surge)), model(&[0.5], None));
        let (mut one, mut other) = (Stream::new(1, "user", 0), Stream::new(1, "user", 0));
        for (now, joins_surge, file) in
            [(9, true, None), (10, true, Some(9)), (19, false, None), (20, true, None)]
        {
            let plain = without.draw(joins_surge, now, &mut other);
            let request = with.draw(joins_surge, now, &mut one);
            assert_eq!(request.file, file.unwrap_or(plain.file), "{now}");
            assert_eq!(request.size, if file.is_some() { 1_000_000 } else { plain.size });
            assert_eq!(one, other);
        }
    }
}
