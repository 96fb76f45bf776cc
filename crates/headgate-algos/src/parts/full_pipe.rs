//! Whether start-up has filled the path: the bandwidth has not grown by a quarter for three round trips
//! (Linux's `bbr_check_full_bw_reached`).

/// Growth with which start-up continues, and round trips without it after which it ends.
const GROWTH: f64 = 1.25;
const ROUNDS: u32 = 3;

#[derive(Clone, Copy, Debug, Default, serde::Serialize, serde::Deserialize)]
pub struct FullPipe {
    /// The path has been full.
    pub full: bool,
    /// It has been since the count began.
    pub now: bool,
    /// Rate to beat, and round trips in which it was not.
    bw: f64,
    rounds: u32,
}

impl FullPipe {
    /// A sample that the sender did not limit; `counts`: a round trip is over.
    pub fn take(&mut self, bw: f64, counts: bool) {
        if bw >= GROWTH * self.bw {
            (self.bw, self.rounds) = (bw, 0);
        } else if counts {
            self.rounds += 1;
            self.now = self.rounds >= ROUNDS;
            self.full |= self.now;
        }
    }

    /// The count begins anew with a rate to beat; everything beats 0.
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
            assert_eq!(pipe.full, full, "{bw}"); // 156.25 would have been a quarter more than 125
        }
    }
}
