//! Any bytes as a capture: they are read as far as they make sense, or refused.
#![no_main]

use std::io::Cursor;
use std::time::Duration;

use headgate_capture::Capture;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let Ok(mut capture) = Capture::new(Cursor::new(bytes.to_vec())) else { return };
    while !capture.advance(Duration::from_secs(1)).unwrap_or(true) {}
    let contents = capture.into_contents();
    let timed: u64 = contents.rates.spans.values().flatten().sum();
    assert!(timed <= contents.counts.iter().map(|count| count.bytes).sum());
});
