//! Congestion control algorithms, slow starts, queue disciplines, router schemes, impairments and rate
//! controllers of media. Each is one file and one line of its folder's registry. User-defined ones are
//! external code ([`plugin`]).
//!
//! An algorithm is called by hand as by a transport: an event comes in, and the algorithm sets the window.
//!
//! ```
//! use headgate_algos::control::reno::Reno;
//! use headgate_model::control::{Ack, Cause, Congestion, Controller, Path, Window};
//!
//! let path = Path { srtt_s: 0.1, min_rtt_s: 0.1, segment_bytes: 1514 };
//! let mut window = Window { cwnd: 10.0, ssthresh: f64::INFINITY, pace: f64::INFINITY };
//! let ack = Ack { acked: 10.0, rtt_s: 0.1, in_flight: 10, cwnd_limited: true, ..Ack::default() };
//! Reno.on_ack(&ack, &path, &mut window);
//! assert_eq!(window.cwnd, 20.0); // slow start (RFC 5681 §3.1)
//!
//! let loss = Congestion { cause: Cause::Loss, now_s: 0.3, in_flight: 20 };
//! Reno.on_congestion(&loss, &path, &mut window);
//! assert_eq!(window.ssthresh, 10.0); // half the flight (RFC 5681, equation 4)
//! ```
//!
//! By name, with all parameters at their defaults:
//!
//! ```
//! use headgate_algos::control::AnyController;
//! use headgate_model::control::ControllerRegistry;
//!
//! let index = AnyController::cards().iter().position(|card| card.name == "cubic").expect("it is there");
//! let values: Vec<f64> = AnyController::cards()[index].params.iter().map(|param| param.default).collect();
//! assert!(matches!(AnyController::build(index, &values), AnyController::Cubic(_)));
//! ```

#![warn(missing_docs)]

pub mod control;
mod forward;
pub mod impairment;
pub mod media;
mod parts;
pub mod plugin;
pub mod queue;
mod round;
pub mod scheme;
pub mod slow_start;
pub mod started;

#[cfg(test)]
mod trial;
