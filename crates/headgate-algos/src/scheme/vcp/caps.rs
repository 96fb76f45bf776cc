//! The tables of the released code, which limit increases by the window.

/// Largest increase by an ACK for windows of 1, 10, ... 10^7 packets at high load, packets (Xia's code,
/// release 0.1).
const ADDED: [f64; 8] = [0.1, 0.06, 0.04, 0.02, 0.01, 0.006, 0.004, 0.002];

/// Largest multiplicative increase in a period for these windows (Xia's code, release 0.1).
const XI: [f64; 8] = [1.0, 0.5, 0.2, 0.1, 0.064, 0.044, 0.032, 0.024];

/// Returns the largest increase by an ACK for this window, interpolated linearly between logarithms.
pub fn most_added(cwnd: f64) -> f64 {
    let (low, high, share) = around(&ADDED, cwnd);
    low * libm::pow(high / low, share)
}

/// Returns the largest xi for this window, interpolated linearly in the window's logarithm.
pub fn most_xi(cwnd: f64) -> f64 {
    let (low, high, share) = around(&XI, cwnd);
    low + share * (high - low)
}

/// Returns the entries below and above a window, and its position between them by its logarithm.
fn around(table: &[f64; 8], cwnd: f64) -> (f64, f64, f64) {
    let decade = libm::log10(cwnd).clamp(0.0, 7.0);
    let below = (decade as usize).min(6);
    (table[below], table[below + 1], decade - below as f64)
}
