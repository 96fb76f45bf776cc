//! What RFCs state of one end alone, clause by clause: an end, a host that writes down what it does, and ACKs and
//! segments made by hand.

mod acks;
mod ecn;
mod host;
mod idle;
mod rack;
mod recovery;
mod timers;
mod undo;
mod windows;
mod writes;
