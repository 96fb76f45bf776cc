//! TCP connections of captures: pcap and pcapng files are read as a stream, and what each connection carried is
//! counted.
//!
//! [`Capture`] reads a file in slices. [`Contents`] are the connections that carried data, one [`Row`] each, and
//! how many packets and bytes were of which [`Kind`]. Formats: draft-ietf-opsawg-pcap, draft-ietf-opsawg-pcapng;
//! link types: tcpdump's list. What a packet is, its headers say (RFC 791, 8200, 9293); its payload is never looked at,
//! so a capture may be cut to headers.
//!
//! Whatever the bytes of a file are, it is read as far as it makes sense, and memory has a bound: see
//! [`connections::MOST_OPEN`] and [`contents::MOST_ROWS`].

pub mod capture;
pub mod connection;
pub mod connections;
pub mod contents;
pub mod half;
pub mod ip;
pub mod kind;
pub mod packet;
pub mod rates;
pub mod segment;
pub mod source;

pub use capture::{Capture, Refused};
pub use connection::Row;
pub use contents::Contents;
pub use kind::Kind;
