//! Properties of every algorithm, and the known closed forms.

mod asks;
mod bbr;
mod cake;
mod cards;
mod cnq_codel_af;
mod drive;
mod dualpi2;
mod dualpi2_picoquic;
mod dualpi2_slow;
mod fq_pie;
mod invariants;
mod line;
mod ports;
mod queues;
mod ranges;
mod rcp;
mod responses;
mod slow_starts;
mod vcp;
mod xcp;
