//! Records and tables of `headgate.h` for a congestion control algorithm, or a queue discipline, in Rust. A
//! controller is a plain value, one for each flow:
//!
//! ```text
//! use headgate::{Ack, Congestion, Controller, Path, Window};
//!
//! #[derive(Clone, Copy)]
//! struct MyCca { last_s: f64 }
//!
//! impl Controller for MyCca { /* on_ack and on_congestion */ }
//!
//! headgate::export!(my_cca: MyCca = MyCca { last_s: 0.0 });
//! ```
//!
//! A discipline is one, too, for each port: `impl Discipline for MyQueue { .. }`, and
//! `headgate::export_queue!(myqueue: MyQueue = MyQueue { .. });`

// Controllers ------------------------------------------------------------------------------------------

/// Settings that a controller makes and the transport obeys.
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

    /// Slow start by `acked` segments, up to `ssthresh`; returns those that are left.
    pub fn slow_start(&mut self, acked: f64) -> f64 {
        let step = acked.min((self.ssthresh - self.cwnd).max(0.0));
        self.cwnd += step;
        acked - step
    }
}

/// State of the path, kept by the transport.
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

/// A delivery-rate sample; all zero unless the controller has [`WANTS_RATE`].
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

/// Contents of one acknowledgement.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Ack {
    pub now_s: f64,
    /// Segments that the controller may count.
    pub acked: f64,
    /// RTT sample, seconds; 0 when there is none.
    pub rtt_s: f64,
    /// Segments in flight before this ACK.
    pub in_flight: u32,
    /// A round trip has passed since the last such mark.
    pub round_start: bool,
    /// The window is what limits the flow; do not grow it otherwise.
    pub cwnd_limited: bool,
    /// Fast recovery is still repairing losses after this ACK.
    pub recovers: bool,
    /// The retransmission timer has expired, and what was outstanding then is not yet acknowledged.
    pub after_timeout: bool,
    /// Segments whose congestion mark was echoed.
    pub marked: f64,
    pub rate: Rate,
    /// Segments leave at a pace: the controller sets one, or the transport paces by itself.
    pub paced: bool,
}

/// `on_ack` once a round trip, with what its ACKs brought in all.
pub const PER_ROUND: u32 = 1;
/// Sets `cwnd` also while lost segments are repaired.
pub const CONTROLS_CWND_IN_RECOVERY: u32 = 2;
/// Needs `ack.rate` and `on_segment_lost`.
pub const WANTS_RATE: u32 = 4;
/// Needs ECN with the echo of RFC 3168, or of RFC 8257.
pub const ECHO_LATCHED: u32 = 8;
pub const ECHO_ACCURATE: u32 = 16;

/// A controller: a plain value that is copied for each flow.
pub trait Controller: Copy + Sync + 'static {
    const FLAGS: u32 = 0;

    fn on_start(&mut self, _now_s: f64, _path: &Path, _window: &mut Window) {}
    fn on_ack(&mut self, ack: &Ack, path: &Path, window: &mut Window);
    fn on_recovery_ack(&mut self, _ack: &Ack, _path: &Path, _window: &mut Window) {}
    fn on_segment_lost(&mut self, _sent: &Rate, _path: &Path, _window: &mut Window) {}
    fn on_congestion(&mut self, event: &Congestion, path: &Path, window: &mut Window);
    fn on_recovered(&mut self, _now_s: f64, _path: &Path, _window: &mut Window) {}
    fn on_undo(&mut self, _cwnd_before: f64, _path: &Path, _window: &mut Window) {}
}

pub const VERSION: u32 = 1;

/// `headgate_cca_v1`. The engine calls it with a separate state for each flow.
#[repr(C)]
pub struct ControllerV1<L: 'static> {
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
    on_undo: extern "C" fn(&mut L, f64, &Path, &mut Window) -> i32,
}

impl<L: Controller> ControllerV1<L> {
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
            on_undo: on_undo::<L>,
        }
    }
}

macro_rules! calls {
    ($Own:ident, $around:ty, $out:ty: $($name:ident($kind:ty)),+ $(,)?) => {
        $(extern "C" fn $name<O: $Own>(own: &mut O, given: $kind, around: &$around, out: &mut $out) -> i32 {
            own.$name(given, around, out);
            0
        })+
    };
}

calls! {
    Controller, Path, Window:
    on_start(f64),
    on_ack(&Ack),
    on_recovery_ack(&Ack),
    on_segment_lost(&Rate),
    on_congestion(&Congestion),
    on_recovered(f64),
    on_undo(f64),
}

/// Exports a controller under a name: `headgate::export!(my_cca: MyCca = MyCca { last_s: 0.0 });`
#[macro_export]
macro_rules! export {
    ($name:ident: $Controller:ty = $initial:expr) => {
        #[no_mangle]
        #[allow(non_upper_case_globals)]
        pub static $name: $crate::ControllerV1<$Controller> = {
            static INITIAL: $Controller = $initial;
            $crate::ControllerV1::new(&INITIAL)
        };
    };
}

// Queue disciplines -----------------------------------------------------------------------------

/// A port; the packet that is decided on is not counted.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Backlog {
    pub now_s: f64,
    /// Packets that wait, the one in service not counted.
    pub packets: f64,
    /// Packets here, the one in service included.
    pub present: f64,
    /// Still to be sent, the rest of the one in service included.
    pub bytes: f64,
    /// Of packets that wait; 0 at a port that holds none, as with neither [`Discipline::DEPARTURES`] nor ranks.
    pub held_bytes: f64,
    /// Time until all that is here has left, seconds.
    pub wait_s: f64,
    /// How long the line has been idle, seconds; 0 while it sends.
    pub idle_s: f64,
    pub rate_bytes_s: f64,
}

/// A packet that arrives, or is the next to leave.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Packet {
    /// Names its connection and direction.
    pub flow: u64,
    /// How long it has waited, seconds; 0 when it arrives.
    pub wait_s: f64,
    /// The rank that it was given when it arrived.
    pub rank: f64,
    /// With its headers.
    pub size_bytes: u32,
    /// It may be marked: its ECN field is not 0 (RFC 3168).
    pub capable: bool,
    /// Its ECN field: 0 Not-ECT, 1 ECT(1), 2 ECT(0), 3 CE.
    pub ecn: u32,
}

/// Fates of a packet.
pub mod verdict {
    pub const KEEP: u32 = 0;
    /// Only a packet that is capable may be marked.
    pub const MARK: u32 = 1;
    pub const DROP: u32 = 2;
}

/// Random numbers that lie ready for one decision.
pub const DRAWS: usize = 4;

/// Decision of a discipline about a packet.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Decision {
    /// One of [`verdict`].
    pub verdict: u32,
    /// How many of the random numbers were taken.
    pub drawn: u32,
    /// Of an arrival: less goes first, equal ranks in the order of arrival.
    pub rank: f64,
    pub draws: [f64; DRAWS],
}

impl Decision {
    /// A random number, uniform in (0, 1]; more than [`DRAWS`] for one packet are an error.
    pub fn draw(&mut self) -> f64 {
        let drawn = self.drawn as usize;
        self.drawn += 1;
        if drawn < DRAWS { self.draws[drawn] } else { 1.0 }
    }
}

/// Sets [`Decision::rank`]; packets leave in that order.
pub const RANKS: u32 = 1;

/// A discipline: a plain value that is copied for each port.
pub trait Discipline: Copy + Sync + 'static {
    const FLAGS: u32 = 0;
    /// Whether [`Self::on_departure`] is called; then ports hold packets.
    const DEPARTURES: bool = false;
    /// Time between two calls of [`Self::on_tick`], seconds; 0 = none.
    const TICK_S: f64 = 0.0;

    fn on_arrival(&mut self, _packet: &Packet, _port: &Backlog, _decision: &mut Decision) {}
    fn on_departure(&mut self, _packet: &Packet, _port: &Backlog, _decision: &mut Decision) {}
    fn on_tick(&mut self, _now_s: f64, _port: &Backlog, _decision: &mut Decision) {}
}

pub const QUEUE_VERSION: u32 = 1 << 16 | 1;

type Deciding<D> = extern "C" fn(&mut D, &Packet, &Backlog, &mut Decision) -> i32;
type Ticking<D> = extern "C" fn(&mut D, f64, &Backlog, &mut Decision) -> i32;

/// `headgate_queue_v1`. The engine calls it with a separate state for each port.
#[repr(C)]
pub struct QueueV1<D: 'static> {
    version: u32,
    size: u32,
    state_bytes: u32,
    flags: u32,
    initial: &'static D,
    tick_s: f64,
    on_arrival: Deciding<D>,
    on_departure: Option<Deciding<D>>,
    on_tick: Option<Ticking<D>>,
}

impl<D: Discipline> QueueV1<D> {
    pub const fn new(initial: &'static D) -> Self {
        assert!(align_of::<D>() <= 8, "a state is aligned to 8 bytes");
        Self {
            version: QUEUE_VERSION,
            size: size_of::<Self>() as u32,
            state_bytes: size_of::<D>() as u32,
            flags: D::FLAGS,
            initial,
            tick_s: D::TICK_S,
            on_arrival: on_arrival::<D>,
            on_departure: if D::DEPARTURES { Some(on_departure::<D>) } else { None },
            on_tick: if D::TICK_S > 0.0 { Some(on_tick::<D>) } else { None },
        }
    }
}

calls! {
    Discipline, Backlog, Decision:
    on_arrival(&Packet),
    on_departure(&Packet),
    on_tick(f64),
}

/// Exports a discipline under a name: `headgate::export_queue!(myqueue: MyQueue = MyQueue { .. });`
#[macro_export]
macro_rules! export_queue {
    ($name:ident: $Queue:ty = $initial:expr) => {
        #[no_mangle]
        #[allow(non_upper_case_globals)]
        pub static $name: $crate::QueueV1<$Queue> = {
            static INITIAL: $Queue = $initial;
            $crate::QueueV1::new(&INITIAL)
        };
    };
}
