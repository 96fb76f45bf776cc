//! What a window's size caps: the tables of the released code.

/// Most that an ACK adds to a window of 1, 10, ... 10^7 packets at high load, packets (Xia's code, release 0.1).
const ADDED: [f64; 8] = [0.1, 0.06, 0.04, 0.02, 0.01, 0.006, 0.004, 0.002];

/// The largest multiplicative increase in a period at these windows (Xia's code, release 0.1).
const XI: [f64; 8] = [1.0, 0.5, 0.2, 0.1, 0.064, 0.044, 0.032, 0.024];

/// Most that an ACK adds to this window: between the table's windows a straight line of logarithms.
pub fn most_added(cwnd: f64) -> f64 {
    let (low, high, share) = around(&ADDED, cwnd);
    low * libm::pow(high / low, share)
}

/// The largest xi of this window: between the table's windows linear in the window's logarithm.
pub fn most_xi(cwnd: f64) -> f64 {
    let (low, high, share) = around(&XI, cwnd);
    low + share * (high - low)
}

/// The entries below and above a window, and how far it is from the first to the second by its logarithm.
fn around(table: &[f64; 8], cwnd: f64) -> (f64, f64, f64) {
    let decade = libm::log10(cwnd).clamp(0.0, 7.0);
    let below = (decade as usize).min(6);
    (table[below], table[below + 1], decade - below as f64)
}
