//! The function table of a queue discipline: `headgate_queue_v1`.

use std::ffi::{CStr, c_void};

use headgate_model::queue::{Backlog, Decision, Packet};

use super::Functions;
use crate::plugin::{DisciplineEvent, DisciplineTraits, Disciplines, PluginError};

/// The flag, as named in `headgate.h`.
const RANKS: u32 = 1;

type OnPacket = unsafe extern "C" fn(*mut c_void, *const Packet, *const Backlog, *mut Decision) -> i32;
type OnTime = unsafe extern "C" fn(*mut c_void, f64, *const Backlog, *mut Decision) -> i32;

/// The functions of a discipline, and its tick period.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct DisciplineFunctions {
    tick_s: f64,
    on_arrival: Option<OnPacket>,
    on_departure: Option<OnPacket>,
    on_tick: Option<OnTime>,
}

impl Functions for DisciplineFunctions {
    type Interface = Disciplines;
    const NAME: &'static CStr = c"headgate_queue_v1";
    const VERSION: u32 = 1 << 16 | 1;
    const FLAGS: u32 = 1;

    fn traits(&self, flags: u32) -> Result<DisciplineTraits, PluginError> {
        let Self { tick_s, on_arrival, on_departure, on_tick } = *self;
        on_arrival.or(on_departure).ok_or("it has neither on_arrival nor on_departure")?;
        DisciplineTraits { on_departure: on_departure.is_some(), ranks: flags & RANKS != 0, tick_s }
            .checked(on_tick.is_some())
    }

    #[inline]
    unsafe fn call(
        &self,
        event: &DisciplineEvent<'_>,
        state: *mut c_void,
        port: &Backlog,
        decision: &mut Decision,
    ) -> i32 {
        // SAFETY: the caller's promise; records are copies with the layout of the header, and nothing is kept
        // beyond the call
        unsafe {
            match *event {
                DisciplineEvent::Arrival(packet) => {
                    self.on_arrival.map_or(0, |f| f(state, &{ *packet }, port, decision))
                }
                DisciplineEvent::Departure(packet) => {
                    self.on_departure.map_or(0, |f| f(state, &{ *packet }, port, decision))
                }
                DisciplineEvent::Tick(now_s) => self.on_tick.map_or(0, |f| f(state, now_s, port, decision)),
            }
        }
    }
}
