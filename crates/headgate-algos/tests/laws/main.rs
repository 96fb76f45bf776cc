//! Properties that every algorithm must have, and closed forms for the algorithms that have one.

mod asks;
mod bbr;
mod cards;
mod drive;
mod invariants;
mod ports;
mod queues;
mod ranges;
mod rcp;
mod responses;
mod vcp;
mod xcp;
