//! A law as a table of C functions: from numba, or from a shared library that C or Rust made.
//!
//! This is the one place that trusts code from outside. `headgate.h` says what that code promises.
#![allow(unsafe_code)] // calls through the pointers of the table; each call gives its reason

use std::ffi::c_void;

use headgate_model::control::{Ack, Congestion, Echo, Path, Rate, Window};

use super::{Event, ExternalController, State, Traits};

/// The version of the table that it fills: raised when a field of it, or of a record, changes its place.
pub const VERSION: u32 = 1;

/// Flags of [`Table`], as `headgate.h` names them.
const PER_ROUND: u32 = 1;
const KEEPS_WINDOW: u32 = 2;
const WANTS_RATE: u32 = 4;
const ECHO_LATCHED: u32 = 8;
const ECHO_ACCURATE: u32 = 16;
const FLAGS: u32 = 31;

/// A flow's state is copied with the flow: beyond this it is a mistake, bytes.
const MOST_STATE: u32 = 1 << 20;

type OnTime = unsafe extern "C" fn(*mut c_void, f64, *const Path, *mut Window) -> i32;
type OnRecord<R> = unsafe extern "C" fn(*mut c_void, *const R, *const Path, *mut Window) -> i32;

/// `headgate_law_v1`: what a compiled law exports. A function returns 0, or a number that ends the run.
#[repr(C)]
#[derive(Clone, Copy)]
struct Table {
    version: u32,
    size: u32,
    state_bytes: u32,
    flags: u32,
    /// Bytes that a flow begins with; null = zeros.
    initial: *const u8,
    on_start: Option<OnTime>,
    on_ack: Option<OnRecord<Ack>>,
    on_recovery_ack: Option<OnRecord<Ack>>,
    on_segment_lost: Option<OnRecord<Rate>>,
    on_congestion: Option<OnRecord<Congestion>>,
    on_recovered: Option<OnTime>,
}

/// A table that was read: functions, and the words a flow begins with.
pub struct Compiled {
    on_start: Option<OnTime>,
    on_ack: OnRecord<Ack>,
    on_recovery_ack: Option<OnRecord<Ack>>,
    on_segment_lost: Option<OnRecord<Rate>>,
    on_congestion: OnRecord<Congestion>,
    on_recovered: Option<OnTime>,
    traits: Traits,
    fresh: State,
}

impl Compiled {
    /// Reads a table.
    ///
    /// # Safety
    /// At least 8 bytes are readable there; if they name this version, a whole `headgate_law_v1` is.
    /// Its functions keep what `headgate.h` demands, and stay loaded as long as the process runs.
    pub unsafe fn read(table: *const c_void) -> Result<Self, String> {
        let head = table.cast::<u32>();
        if head.is_null() || !head.is_aligned() {
            return Err("its address is not that of a headgate_law_v1".to_owned());
        }
        // SAFETY: the caller's promise; alignment was checked
        let [version, size] = unsafe { head.cast::<[u32; 2]>().read() };
        check_head(version, size)?;
        // SAFETY: it names this version and size, so by the caller's promise it is all there
        let table = unsafe { head.cast::<Table>().read_unaligned() };
        let traits = traits(table.flags)?;
        // SAFETY: `initial` is null or has `state_bytes` bytes
        let fresh = unsafe { words(table.initial, table.state_bytes)? };
        Ok(Self {
            on_start: table.on_start,
            on_ack: table.on_ack.ok_or("it has no on_ack")?,
            on_recovery_ack: table.on_recovery_ack,
            on_segment_lost: table.on_segment_lost,
            on_congestion: table.on_congestion.ok_or("it has no on_congestion")?,
            on_recovered: table.on_recovered,
            traits,
            fresh,
        })
    }
}

fn check_head(version: u32, size: u32) -> Result<(), String> {
    if version != VERSION {
        return Err(format!("it has version {version} of headgate_law; this Headgate reads {VERSION}"));
    }
    let ours = size_of::<Table>();
    if size as usize != ours {
        return Err(format!("its table has {size} bytes; headgate_law_v1 has {ours}"));
    }
    Ok(())
}

fn traits(flags: u32) -> Result<Traits, String> {
    if flags & !FLAGS != 0 {
        return Err(format!("its flags are {flags:#x}; headgate.h knows {FLAGS:#x}"));
    }
    let echo = match (flags & ECHO_ACCURATE != 0, flags & ECHO_LATCHED != 0) {
        (true, _) => Echo::Accurate,
        (false, true) => Echo::Latched,
        (false, false) => Echo::None,
    };
    Ok(Traits {
        per_round: flags & PER_ROUND != 0,
        keeps_window: flags & KEEPS_WINDOW != 0,
        wants_rate: flags & WANTS_RATE != 0,
        echo,
    })
}

/// Bytes as aligned words, at least one.
///
/// # Safety
/// `from` is null or has so many bytes.
unsafe fn words(from: *const u8, bytes: u32) -> Result<State, String> {
    if bytes > MOST_STATE {
        return Err(format!("its state has {bytes} bytes; at most {MOST_STATE} are allowed"));
    }
    let mut words = vec![0u64; (bytes as usize).div_ceil(8).max(1)];
    if !from.is_null() {
        // SAFETY: both sides have the bytes, and the new words overlap nothing
        unsafe { from.copy_to_nonoverlapping(words.as_mut_ptr().cast::<u8>(), bytes as usize) };
    }
    Ok(words.into())
}

impl ExternalController for Compiled {
    fn traits(&self) -> Traits {
        self.traits
    }

    fn fresh(&self) -> Result<State, String> {
        Ok(self.fresh.clone())
    }

    #[inline]
    fn call(
        &self,
        event: &Event<'_>,
        state: &mut [u64],
        path: &Path,
        window: &mut Window,
    ) -> Result<(), String> {
        let state = state.as_mut_ptr().cast::<c_void>();
        // Copies: what a law writes there by mistake stays its own.
        let path = *path;
        // SAFETY: the table's promise; records are copies with the layout of the header, the state has
        // the size the table asked for, and nothing is kept beyond the call
        let status = unsafe {
            match *event {
                Event::Ack(ack) => (self.on_ack)(state, &{ *ack }, &path, window),
                Event::Congestion(event) => (self.on_congestion)(state, &{ *event }, &path, window),
                Event::Start(now_s) => self.on_start.map_or(0, |f| f(state, now_s, &path, window)),
                Event::Recovered(now_s) => self.on_recovered.map_or(0, |f| f(state, now_s, &path, window)),
                Event::RecoveryAck(ack) => {
                    self.on_recovery_ack.map_or(0, |f| f(state, &{ *ack }, &path, window))
                }
                Event::SegmentLost(sent) => {
                    self.on_segment_lost.map_or(0, |f| f(state, &{ *sent }, &path, window))
                }
            }
        };
        if status == 0 { Ok(()) } else { Err(format!("it returned {status}")) }
    }

    fn keep(&self, state: &[u64]) -> Result<Vec<u8>, String> {
        Ok(state.iter().flat_map(|word| word.to_le_bytes()).collect())
    }

    fn restore(&self, kept: &[u8]) -> Result<State, String> {
        if kept.len() != 8 * self.fresh.len() {
            return Err(format!(
                "its state has {} bytes where {} were kept",
                8 * self.fresh.len(),
                kept.len()
            ));
        }
        let word = |chunk: &[u8]| u64::from_le_bytes(chunk.try_into().expect("eight bytes"));
        Ok(kept.chunks_exact(8).map(word).collect())
    }
}
