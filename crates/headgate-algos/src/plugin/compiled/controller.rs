//! The function table of a congestion control algorithm: `headgate_cca_v1`.

use std::ffi::{CStr, c_void};

use headgate_model::control::{Ack, Congestion, Echo, Path, Rate, Window};

use super::Functions;
use crate::plugin::{Controllers, Event, PluginError, Traits};

/// Flags, as named in `headgate.h`.
const PER_ROUND: u32 = 1;
const CONTROLS_CWND_IN_RECOVERY: u32 = 2;
const WANTS_RATE: u32 = 4;
const ECHO_LATCHED: u32 = 8;
const ECHO_ACCURATE: u32 = 16;

type OnTime = unsafe extern "C" fn(*mut c_void, f64, *const Path, *mut Window) -> i32;
type OnRecord<R> = unsafe extern "C" fn(*mut c_void, *const R, *const Path, *mut Window) -> i32;

/// The functions of an algorithm.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct ControllerFunctions {
    on_start: Option<OnTime>,
    on_ack: Option<OnRecord<Ack>>,
    on_recovery_ack: Option<OnRecord<Ack>>,
    on_segment_lost: Option<OnRecord<Rate>>,
    on_congestion: Option<OnRecord<Congestion>>,
    on_recovered: Option<OnTime>,
    on_undo: Option<OnTime>,
}

impl Functions for ControllerFunctions {
    type Interface = Controllers;
    const NAME: &'static CStr = c"headgate_cca_v1";
    const VERSION: u32 = 1;
    const FLAGS: u32 = 31;

    fn traits(&self, flags: u32) -> Result<Traits, PluginError> {
        self.on_ack.ok_or("it has no on_ack")?;
        self.on_congestion.ok_or("it has no on_congestion")?;
        let echo = match (flags & ECHO_ACCURATE != 0, flags & ECHO_LATCHED != 0) {
            (true, _) => Echo::Accurate,
            (false, true) => Echo::Latched,
            (false, false) => Echo::None,
        };
        Ok(Traits {
            per_round: flags & PER_ROUND != 0,
            controls_cwnd_in_recovery: flags & CONTROLS_CWND_IN_RECOVERY != 0,
            wants_rate: flags & WANTS_RATE != 0,
            echo,
        })
    }

    #[inline]
    unsafe fn call(&self, event: &Event<'_>, state: *mut c_void, path: &Path, window: &mut Window) -> i32 {
        // SAFETY: the caller's promise; records are copies with the layout of the header, and nothing is kept
        // beyond the call
        unsafe {
            match *event {
                Event::Ack(ack) => self.on_ack.map_or(0, |f| f(state, &{ *ack }, path, window)),
                Event::Congestion(event) => {
                    self.on_congestion.map_or(0, |f| f(state, &{ *event }, path, window))
                }
                Event::Start(now_s) => self.on_start.map_or(0, |f| f(state, now_s, path, window)),
                Event::Recovered(now_s) => self.on_recovered.map_or(0, |f| f(state, now_s, path, window)),
                Event::Undone(before) => self.on_undo.map_or(0, |f| f(state, before, path, window)),
                Event::RecoveryAck(ack) => {
                    self.on_recovery_ack.map_or(0, |f| f(state, &{ *ack }, path, window))
                }
                Event::SegmentLost(sent) => {
                    self.on_segment_lost.map_or(0, |f| f(state, &{ *sent }, path, window))
                }
            }
        }
    }
}
