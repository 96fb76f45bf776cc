//! Detection of a full path in start-up: the bandwidth has not grown by a quarter for three round trips
//! (Linux `bbr_check_full_bw_reached`).

/// Growth with which start-up continues, and number of round trips without it after which it ends.
const GROWTH: f64 = 1.25;
const ROUNDS: u32 = 3;

#[derive(Clone, Copy, Debug, Default, serde::Serialize, serde::Deserialize)]
pub struct FullPipe {
    /// Whether the path was ever full.
    pub full: bool,
    /// Whether it is full since the count began.
    pub now: bool,
    /// Rate to exceed, and number of round trips that did not exceed it.
    bw: f64,
    rounds: u32,
}

impl FullPipe {
    /// Takes a sample that the sender did not limit; `counts` is true if a round trip has ended.
    pub fn take(&mut self, bw: f64, counts: bool) {
        if bw >= GROWTH * self.bw {
            (self.bw, self.rounds) = (bw, 0);
        } else if counts {
            self.rounds += 1;
            self.now = self.rounds >= ROUNDS;
            self.full |= self.now;
        }
    }

    /// Restarts the count with a rate to exceed; every rate exceeds 0.
    pub fn restart(&mut self, bw: f64) {
        (self.bw, self.rounds, self.now) = (bw, 0, false);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_rounds_without_a_quarter_more_fill_the_pipe() {
        let mut pipe = FullPipe::default();
        for (bw, full) in [(100.0, false), (125.0, false), (150.0, false), (156.0, false), (156.2, true)] {
            pipe.take(bw, true);
            assert_eq!(pipe.full, full, "{bw}"); // 156.25 would have been 25 % more than 125
        }
    }
}
