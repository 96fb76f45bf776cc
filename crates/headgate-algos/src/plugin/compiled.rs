//! Algorithms and disciplines as tables of C functions, from numba or from a shared library written in C or
//! Rust.
//!
//! This is the only module that trusts external code. `headgate.h` lists the guarantees of that code.
#![allow(unsafe_code)] // calls through the pointers of the table; each call states its reason

mod controller;
mod discipline;

use std::ffi::{CStr, c_void};

use super::{External, Interface, PluginError, State};
pub use controller::ControllerFunctions;
pub use discipline::DisciplineFunctions;

/// Largest state, bytes. A state is copied with its flow or port, so that a larger one is a mistake.
const MOST_STATE: u32 = 1 << 20;

/// A kind of table: the part after its head.
pub trait Functions: Copy + Send + Sync + 'static {
    /// The interface that the table implements.
    type Interface: Interface;
    /// The name of the table, and of a capsule that contains one.
    const NAME: &'static CStr;
    /// The number of the kind in the upper half, and the version of the table in the lower. The version
    /// increases when a field of the table, or of a record, moves.
    const VERSION: u32;
    /// All known flags.
    const FLAGS: u32;

    /// Returns the properties of the code, or an error if a function is missing.
    fn traits(&self, flags: u32) -> Result<<Self::Interface as Interface>::Traits, PluginError>;

    /// Calls the function for an event. Returns its status.
    ///
    /// # Safety
    /// The table's guarantees hold, and the size of the state is the one that the table requires.
    unsafe fn call(
        &self,
        event: &<Self::Interface as Interface>::Event<'_>,
        state: *mut c_void,
        around: &<Self::Interface as Interface>::Surroundings,
        out: &mut <Self::Interface as Interface>::Outputs,
    ) -> i32;
}

/// The exported table. A function returns 0, or a number that ends the run.
#[repr(C)]
#[derive(Clone, Copy)]
struct Table<F> {
    version: u32,
    size: u32,
    state_bytes: u32,
    flags: u32,
    /// The initial state; null = zeros.
    initial: *const u8,
    functions: F,
}

/// A table that was read: its functions, and the words of the initial state.
pub struct Compiled<F: Functions> {
    functions: F,
    traits: <F::Interface as Interface>::Traits,
    fresh: State,
}

impl<F: Functions> Compiled<F> {
    /// Reads a table.
    ///
    /// # Errors
    /// If the address, the version, the size or the flags are invalid, or a function is missing.
    ///
    /// # Safety
    /// At least 8 bytes are readable at `table`. If they name this version, a whole table of this kind is
    /// readable. Its functions keep the guarantees of `headgate.h`, and stay loaded until the process ends.
    pub unsafe fn read(table: *const c_void) -> Result<Self, PluginError> {
        let head = table.cast::<u32>();
        if head.is_null() || !head.is_aligned() {
            return Err(format!("its address is not that of a {}", name::<F>()).into());
        }
        // SAFETY: the caller's promise; alignment was checked
        let [version, size] = unsafe { head.cast::<[u32; 2]>().read() };
        check_head::<F>(version, size)?;
        // SAFETY: it names this version and size, so by the caller's promise it is all there
        let table = unsafe { head.cast::<Table<F>>().read_unaligned() };
        if table.flags & !F::FLAGS != 0 {
            return Err(format!("its flags are {:#x}; headgate.h knows {:#x}", table.flags, F::FLAGS).into());
        }
        let traits = table.functions.traits(table.flags)?;
        // SAFETY: `initial` is null or has `state_bytes` bytes
        let fresh = unsafe { words(table.initial, table.state_bytes)? };
        Ok(Self { functions: table.functions, traits, fresh })
    }
}

fn name<F: Functions>() -> &'static str {
    F::NAME.to_str().expect("a plain word")
}

fn check_head<F: Functions>(version: u32, size: u32) -> Result<(), PluginError> {
    let name = name::<F>();
    if version >> 16 != F::VERSION >> 16 {
        return Err(format!("it is another kind of table; a {name} is wanted here").into());
    }
    if version != F::VERSION {
        let (family, ours) = (name.trim_end_matches("_v1"), F::VERSION & 0xffff);
        return Err(
            format!("it has version {} of {family}; this Headgate reads {ours}", version & 0xffff).into()
        );
    }
    let ours = size_of::<Table<F>>();
    if size as usize != ours {
        return Err(format!("its table has {size} bytes; {name} has {ours}").into());
    }
    Ok(())
}

/// Copies bytes to aligned words, at least one.
///
/// # Safety
/// `from` is null or points to this number of bytes.
unsafe fn words(from: *const u8, bytes: u32) -> Result<State, PluginError> {
    if bytes > MOST_STATE {
        return Err(format!("its state has {bytes} bytes; at most {MOST_STATE} are allowed").into());
    }
    let mut words = vec![0u64; (bytes as usize).div_ceil(8).max(1)];
    if !from.is_null() {
        // SAFETY: both sides are that many bytes long, and the new words overlap nothing
        unsafe { from.copy_to_nonoverlapping(words.as_mut_ptr().cast::<u8>(), bytes as usize) };
    }
    Ok(words.into())
}

impl<F: Functions> External<F::Interface> for Compiled<F> {
    fn traits(&self) -> <F::Interface as Interface>::Traits {
        self.traits
    }

    fn initial_state(&self) -> Result<State, PluginError> {
        Ok(self.fresh.clone())
    }

    #[inline]
    fn call(
        &self,
        event: &<F::Interface as Interface>::Event<'_>,
        state: &mut [u64],
        around: &<F::Interface as Interface>::Surroundings,
        out: &mut <F::Interface as Interface>::Outputs,
    ) -> Result<(), PluginError> {
        // A copy, so that a write by mistake affects only the external code.
        let around = *around;
        // SAFETY: the table's promise; the state is as large as it requested
        let status = unsafe { self.functions.call(event, state.as_mut_ptr().cast::<c_void>(), &around, out) };
        if status == 0 { Ok(()) } else { Err(format!("it returned {status}").into()) }
    }

    fn keep(&self, state: &[u64]) -> Result<Vec<u8>, PluginError> {
        Ok(state.iter().flat_map(|word| word.to_le_bytes()).collect())
    }

    fn restore(&self, kept: &[u8]) -> Result<State, PluginError> {
        if kept.len() != 8 * self.fresh.len() {
            return Err(format!(
                "its state has {} bytes where {} were kept",
                8 * self.fresh.len(),
                kept.len()
            )
            .into());
        }
        let word = |chunk: &[u8]| u64::from_le_bytes(chunk.try_into().expect("eight bytes"));
        Ok(kept.chunks_exact(8).map(word).collect())
    }
}
