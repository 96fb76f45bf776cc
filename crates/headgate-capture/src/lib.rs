//! TCP connections in captures: reads pcap and pcapng files as a stream, and counts what each connection
//! carried.
//!
//! [`Capture`] reads a file in slices. [`Contents`] are the connections that carried data, one [`Row`] each,
//! and the packets and bytes of each [`Kind`]. Formats: draft-ietf-opsawg-pcap, draft-ietf-opsawg-pcapng;
//! link types: tcpdump's list. Packets are classified by their headers (RFC 791, 8200, 9293). Payloads are
//! never read, so that a capture may be cut to headers.
//!
//! Any file is read as far as it is valid. Memory is bounded by [`connections::MOST_OPEN`] and
//! [`contents::MOST_ROWS`].

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

pub use capture::{Capture, CaptureError};
pub use connection::Row;
pub use contents::Contents;
pub use kind::Kind;
