//! What Web users ask for beside their ordinary files, and when they give up.
//!
//! A user draws from one stream of its own: receiver, kind, size, think time. What a surge or a lack of
//! patience needs is drawn aside, so that neither changes anybody else's luck, nor a user's next thought.

use headgate_model::chance::Stream;
use headgate_model::plan;
use headgate_model::units::{Span, Time, seconds};
use serde::{Deserialize, Serialize};

use super::size::{self, Size};
use crate::cells::{NAMED, WEB_OBJECT};

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Habits {
    kinds: Vec<Kind>,
    pub patience: Option<Patience>,
    surge: Option<Surge>,
}

/// A kind of file, and the probability of it and all kinds before it.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Kind {
    upto: f64,
    file: u8,
    size: Size,
}

/// See [`plan::Patience`]; this one is part of a run's state.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Patience {
    share: f64,
    pub check: Span,
    floor_per_s: f64,
}

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Surge {
    from: Time,
    until: Time,
    file: u8,
    size: Size,
}

/// What a user asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wish {
    pub file: u8,
    pub size: u32,
    pub impatient: bool,
}

impl From<&plan::Web> for Habits {
    fn from(web: &plan::Web) -> Self {
        let mut upto = 0.0;
        let kind = |kind: &plan::Kind| {
            upto += kind.share;
            Kind { upto, file: NAMED + kind.file as u8, size: kind.size.into() }
        };
        let kinds = web.kinds.iter().map(kind).collect();
        let patience =
            |p: plan::Patience| Patience { share: p.share, check: p.check_ps, floor_per_s: p.floor_per_s };
        let surge = |s: &plan::Surge| Surge {
            from: s.from_ps,
            until: s.until_ps,
            file: NAMED + s.file as u8,
            size: s.size.into(),
        };
        Self { kinds, patience: web.patience.map(patience), surge: web.surge.as_ref().map(surge) }
    }
}

impl Habits {
    /// Draws a wish; `surges` says whether the user is one of those who take part in a surge.
    pub fn wish(&self, ordinary: Size, surges: bool, now: Time, stream: &mut Stream) -> Wish {
        let (mut file, kind) = self.kind(ordinary, stream);
        let mut size = size::draw(kind, stream);
        if let Some(surge) = self.surge.filter(|s| surges && (s.from..s.until).contains(&now)) {
            file = surge.file;
            size = size::draw(surge.size, &mut stream.aside("surge"));
        }
        let impatient = self.patience.is_some_and(|p| stream.aside("patience").chance(p.share));
        Wish { file, size, impatient }
    }

    fn kind(&self, ordinary: Size, stream: &mut Stream) -> (u8, Size) {
        if self.kinds.is_empty() {
            return (WEB_OBJECT, ordinary); // nothing to draw
        }
        let at = stream.open01();
        let kind = self.kinds.iter().find(|kind| at <= kind.upto);
        kind.map_or((WEB_OBJECT, ordinary), |kind| (kind.file, kind.size))
    }
}

impl Patience {
    /// Whether so many segments in that time are too few.
    pub fn is_over(&self, segments: u32, elapsed: Span) -> bool {
        f64::from(segments) < self.floor_per_s * seconds(elapsed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ORDINARY: Size = Size::Fixed { packets: 7.0 };

    fn habits(shares: &[f64], surge: Option<Surge>) -> Habits {
        let mut upto = 0.0;
        let kind = |(file, share): (u8, &f64)| {
            upto += share;
            Kind { upto, file, size: Size::Exponential { mean_packets: 1000.0 } }
        };
        Habits { kinds: (NAMED..).zip(shares).map(kind).collect(), patience: None, surge }
    }

    #[test]
    fn each_kind_has_its_share() {
        let (habits, mut stream) = (habits(&[0.2, 0.1], None), Stream::new(1, "user", 0));
        let n = 100_000;
        let files: Vec<u8> = (0..n).map(|_| habits.wish(ORDINARY, false, 0, &mut stream).file).collect();
        for (file, share) in [(WEB_OBJECT, 0.7), (NAMED, 0.2), (NAMED + 1, 0.1)] {
            let found = files.iter().filter(|&&f| f == file).count() as f64 / f64::from(n);
            assert!((found - share).abs() < 4.0 * (share * (1.0 - share) / f64::from(n)).sqrt());
        }
    }

    #[test]
    fn a_surge_has_its_time_and_its_people_and_changes_no_later_draw() {
        let surge = Surge { from: 10, until: 20, file: 9, size: Size::Fixed { packets: 1e6 } };
        let (with, without) = (habits(&[0.5], Some(surge)), habits(&[0.5], None));
        let (mut one, mut other) = (Stream::new(1, "user", 0), Stream::new(1, "user", 0));
        for (now, surges, file) in [(9, true, None), (10, true, Some(9)), (19, false, None), (20, true, None)]
        {
            let plain = without.wish(ORDINARY, surges, now, &mut other);
            let wish = with.wish(ORDINARY, surges, now, &mut one);
            assert_eq!(wish.file, file.unwrap_or(plain.file), "{now}");
            assert_eq!(wish.size, if file.is_some() { 1_000_000 } else { plain.size });
            assert_eq!(one, other);
        }
    }

    #[test]
    fn patience_has_a_floor() {
        let patience = Patience { share: 1.0, check: 1, floor_per_s: 10.0 };
        let second = headgate_model::units::SECOND;
        assert!(patience.is_over(19, 2 * second) && !patience.is_over(20, 2 * second));
    }
}
