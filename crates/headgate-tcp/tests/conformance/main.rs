//! Conformance of one end to RFCs, clause by clause. A host records its output; ACKs and segments are made by
//! hand.

mod accecn;
mod acks;
mod ecn;
mod host;
mod idle;
mod quic;
mod rack;
mod recovery;
mod timers;
mod undo;
mod windows;
mod writes;
