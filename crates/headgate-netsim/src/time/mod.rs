//! Simulated time: windows, the calendar of packets in flight, and timers.
//!
//! Time is cut into windows that are no longer than the lookahead. The packets of a window are sorted as
//! one batch, so there is no event queue. Timers are kept separately, in one queue for each region.

pub mod batch;
pub mod calendar;
pub mod intra_window;
pub mod key_sort;
pub mod timer_queue;
pub mod timers;
pub mod windows;
