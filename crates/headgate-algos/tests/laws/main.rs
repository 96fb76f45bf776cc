//! What every law must keep, whatever its rules; and the closed forms of those that have one.

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
