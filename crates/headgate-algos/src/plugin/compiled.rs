//! A law or a discipline as a table of C functions: from numba, or from a shared library that C or Rust made.
//!
//! This is the one place that trusts code from outside. `headgate.h` says what that code promises.
#![allow(unsafe_code)] // calls through the pointers of the table; each call gives its reason

mod discipline;
mod law;

use std::ffi::{CStr, c_void};

use super::{External, Interface, State};
pub use discipline::DisciplineFunctions;
pub use law::LawFunctions;

/// A state is copied with its flow or port: beyond this it is a mistake, bytes.
const MOST_STATE: u32 = 1 << 20;

/// A kind of table: what follows its head.
pub trait Functions: Copy + Send + Sync + 'static {
    /// What is called.
    type Interface: Interface;
    /// The name of the table, and of a capsule that holds one.
    const NAME: &'static CStr;
    /// The number of the kind in the upper half, and the version of the table that is filled in the lower:
    /// raised when a field of it, or of a record, changes its place.
    const VERSION: u32;
    /// All flags that there are.
    const FLAGS: u32;

    /// What it is, apart from its rules; says what is missing.
    fn traits(&self, flags: u32) -> Result<<Self::Interface as Interface>::Traits, String>;

    /// Calls what is meant by an event; gives its status.
    ///
    /// # Safety
    /// The table's promise holds, and the state has the size that it asked for.
    unsafe fn call(
        &self,
        event: &<Self::Interface as Interface>::Event<'_>,
        state: *mut c_void,
        around: &<Self::Interface as Interface>::Around,
        out: &mut <Self::Interface as Interface>::Out,
    ) -> i32;
}

/// What compiled code exports. A function returns 0, or a number that ends the run.
#[repr(C)]
#[derive(Clone, Copy)]
struct Table<F> {
    version: u32,
    size: u32,
    state_bytes: u32,
    flags: u32,
    /// The first state; null = zeros.
    initial: *const u8,
    functions: F,
}

/// A table that was read: functions, and the words that a state begins with.
pub struct Compiled<F: Functions> {
    functions: F,
    traits: <F::Interface as Interface>::Traits,
    fresh: State,
}

impl<F: Functions> Compiled<F> {
    /// Reads a table.
    ///
    /// # Safety
    /// At least 8 bytes are readable there; if they name this version, a whole table of this kind is.
    /// Its functions keep what `headgate.h` demands, and stay loaded as long as the process runs.
    pub unsafe fn read(table: *const c_void) -> Result<Self, String> {
        let head = table.cast::<u32>();
        if head.is_null() || !head.is_aligned() {
            return Err(format!("its address is not that of a {}", name::<F>()));
        }
        // SAFETY: the caller's promise; alignment was checked
        let [version, size] = unsafe { head.cast::<[u32; 2]>().read() };
        check_head::<F>(version, size)?;
        // SAFETY: it names this version and size, so by the caller's promise it is all there
        let table = unsafe { head.cast::<Table<F>>().read_unaligned() };
        if table.flags & !F::FLAGS != 0 {
            return Err(format!("its flags are {:#x}; headgate.h knows {:#x}", table.flags, F::FLAGS));
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

fn check_head<F: Functions>(version: u32, size: u32) -> Result<(), String> {
    let name = name::<F>();
    if version >> 16 != F::VERSION >> 16 {
        return Err(format!("it is another kind of table; a {name} is wanted here"));
    }
    if version != F::VERSION {
        let (family, ours) = (name.trim_end_matches("_v1"), F::VERSION & 0xffff);
        return Err(format!("it has version {} of {family}; this Headgate reads {ours}", version & 0xffff));
    }
    let ours = size_of::<Table<F>>();
    if size as usize != ours {
        return Err(format!("its table has {size} bytes; {name} has {ours}"));
    }
    Ok(())
}

/// Bytes as aligned words, at least one.
///
/// # Safety
/// `from` is null or has this number of bytes.
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

impl<F: Functions> External<F::Interface> for Compiled<F> {
    fn traits(&self) -> <F::Interface as Interface>::Traits {
        self.traits
    }

    fn fresh(&self) -> Result<State, String> {
        Ok(self.fresh.clone())
    }

    #[inline]
    fn call(
        &self,
        event: &<F::Interface as Interface>::Event<'_>,
        state: &mut [u64],
        around: &<F::Interface as Interface>::Around,
        out: &mut <F::Interface as Interface>::Out,
    ) -> Result<(), String> {
        // A copy: what is written there by mistake stays with the external code.
        let around = *around;
        // SAFETY: the table's promise; the state has the size that it asked for
        let status = unsafe { self.functions.call(event, state.as_mut_ptr().cast::<c_void>(), &around, out) };
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
