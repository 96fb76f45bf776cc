//! What a law of congestion control in Rust is written with: the records and the table of
//! `headgate.h`. A law is a plain value, one for each flow:
//!
//! ```text
//! use headgate::{Ack, Congestion, Law, Path, Window};
//!
//! #[derive(Clone, Copy)]
//! struct MyLaw { last_s: f64 }
//!
//! impl Law for MyLaw { /* on_ack and on_congestion */ }
//!
//! headgate::export!(mylaw: MyLaw = MyLaw { last_s: 0.0 });
//! ```

/// What a law sets and the transport obeys.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Window {
    /// Congestion window, segments; 1 or more.
    pub cwnd: f64,
    /// Slow-start threshold, segments; infinite until something sets it.
    pub ssthresh: f64,
    /// Segments/s; infinite = unpaced.
    pub pace: f64,
}

impl Window {
    pub fn slow_starts(&self) -> bool {
        self.cwnd < self.ssthresh
    }

    /// Slow start by so many segments, up to `ssthresh`; gives those that are left.
    pub fn slow_start(&mut self, acked: f64) -> f64 {
        let step = acked.min((self.ssthresh - self.cwnd).max(0.0));
        self.cwnd += step;
        acked - step
    }
}

/// What is known of the path, kept by the transport.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Path {
    /// Smoothed RTT (RFC 6298), seconds; 0 before the first sample.
    pub srtt_s: f64,
    /// Smallest RTT of the connection, seconds; infinite before the first sample.
    pub min_rtt_s: f64,
    pub segment_bytes: u32,
}

pub const LOSS: u32 = 0;
pub const TIMEOUT: u32 = 1;
pub const MARK: u32 = 2;

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Congestion {
    /// [`LOSS`], [`TIMEOUT`] or [`MARK`].
    pub cause: u32,
    pub now_s: f64,
    /// RFC 5681's FlightSize.
    pub in_flight: u32,
}

/// A delivery-rate sample; all zero unless the law has [`WANTS_RATE`].
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Rate {
    /// Segments/s; 0 when there is no sample.
    pub per_s: f64,
    pub interval_s: f64,
    /// Segments delivered in all, and by this ACK.
    pub delivered: f64,
    pub newly: f64,
    /// `delivered` when the sampled segment was sent.
    pub prior: f64,
    /// Segments in flight when it was sent, itself included.
    pub then_in_flight: f64,
    /// Segments found lost in all, since the sampled segment was sent, and since the ACK before.
    pub lost: f64,
    pub lost_since: f64,
    pub newly_lost: f64,
    /// Segments in flight after this ACK.
    pub in_flight: f64,
    /// RTT of the newest segment that was sent only once, or by time stamps of one sent again, seconds;
    /// 0 when there is none.
    pub rtt_s: f64,
    /// Time until pacing lets the next segment go, seconds.
    pub wait_s: f64,
    /// There was nothing to send when the sampled segment was sent.
    pub app_limited: bool,
}

/// What one acknowledgement brought.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Ack {
    pub now_s: f64,
    /// Segments that the law may count.
    pub acked: f64,
    /// RTT sample, seconds; 0 when there is none.
    pub rtt_s: f64,
    /// Segments in flight before this ACK.
    pub in_flight: u32,
    /// A round trip has passed since the last such mark.
    pub round_start: bool,
    /// The window is what limits the flow; do not grow it otherwise.
    pub cwnd_limited: bool,
    /// Losses are still being repaired after this ACK, by fast recovery or after a time-out.
    pub recovers: bool,
    pub after_timeout: bool,
    /// Segments whose congestion mark was echoed.
    pub marked: f64,
    pub rate: Rate,
}

/// `on_ack` once a round trip, with what its ACKs brought in all.
pub const PER_ROUND: u32 = 1;
/// Sets `cwnd` also while lost segments are repaired.
pub const KEEPS_WINDOW: u32 = 2;
/// Needs `ack.rate` and `on_segment_lost`.
pub const WANTS_RATE: u32 = 4;
/// Needs ECN with the echo of RFC 3168, or of RFC 8257.
pub const ECHO_LATCHED: u32 = 8;
pub const ECHO_ACCURATE: u32 = 16;

/// A law: a plain value that each flow has a copy of.
pub trait Law: Copy + Sync + 'static {
    const FLAGS: u32 = 0;

    fn on_start(&mut self, _now_s: f64, _path: &Path, _window: &mut Window) {}
    fn on_ack(&mut self, ack: &Ack, path: &Path, window: &mut Window);
    fn on_recovery_ack(&mut self, _ack: &Ack, _path: &Path, _window: &mut Window) {}
    fn on_segment_lost(&mut self, _sent: &Rate, _path: &Path, _window: &mut Window) {}
    fn on_congestion(&mut self, event: &Congestion, path: &Path, window: &mut Window);
    fn on_recovered(&mut self, _now_s: f64, _path: &Path, _window: &mut Window) {}
}

pub const VERSION: u32 = 1;

/// `headgate_law_v1`. The engine calls it with a state of its own for each flow.
#[repr(C)]
pub struct LawV1<L: 'static> {
    version: u32,
    size: u32,
    state_bytes: u32,
    flags: u32,
    initial: &'static L,
    on_start: extern "C" fn(&mut L, f64, &Path, &mut Window) -> i32,
    on_ack: extern "C" fn(&mut L, &Ack, &Path, &mut Window) -> i32,
    on_recovery_ack: extern "C" fn(&mut L, &Ack, &Path, &mut Window) -> i32,
    on_segment_lost: extern "C" fn(&mut L, &Rate, &Path, &mut Window) -> i32,
    on_congestion: extern "C" fn(&mut L, &Congestion, &Path, &mut Window) -> i32,
    on_recovered: extern "C" fn(&mut L, f64, &Path, &mut Window) -> i32,
}

impl<L: Law> LawV1<L> {
    pub const fn new(initial: &'static L) -> Self {
        assert!(align_of::<L>() <= 8, "a state is aligned to 8 bytes");
        Self {
            version: VERSION,
            size: size_of::<Self>() as u32,
            state_bytes: size_of::<L>() as u32,
            flags: L::FLAGS,
            initial,
            on_start: on_start::<L>,
            on_ack: on_ack::<L>,
            on_recovery_ack: on_recovery_ack::<L>,
            on_segment_lost: on_segment_lost::<L>,
            on_congestion: on_congestion::<L>,
            on_recovered: on_recovered::<L>,
        }
    }
}

macro_rules! calls {
    ($($name:ident($kind:ty)),+ $(,)?) => {
        $(extern "C" fn $name<L: Law>(law: &mut L, given: $kind, path: &Path, window: &mut Window) -> i32 {
            law.$name(given, path, window);
            0
        })+
    };
}

calls! {
    on_start(f64),
    on_ack(&Ack),
    on_recovery_ack(&Ack),
    on_segment_lost(&Rate),
    on_congestion(&Congestion),
    on_recovered(f64),
}

/// Exports a law under a name: `headgate::export!(mylaw: MyLaw = MyLaw { last_s: 0.0 });`
#[macro_export]
macro_rules! export {
    ($name:ident: $Law:ty = $initial:expr) => {
        #[no_mangle]
        #[allow(non_upper_case_globals)]
        pub static $name: $crate::LawV1<$Law> = {
            static INITIAL: $Law = $initial;
            $crate::LawV1::new(&INITIAL)
        };
    };
}
