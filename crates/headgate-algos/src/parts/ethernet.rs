//! Sizes of Ethernet.

/// A full frame without its check sequence, bytes: Linux counts it as a packet of the largest size.
pub const FRAME_BYTES: f64 = 1514.0;
