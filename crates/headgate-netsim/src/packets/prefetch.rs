//! Hints that load memory into the cache before the next events use it. They affect only the speed.

/// Cache lines that an event reads first of a record.
const LINES: usize = 4;
const LINE_BYTES: usize = 64;

/// Loads the first cache lines of `items[index]`. Does nothing if the index is out of range.
#[inline]
pub fn prefetch<T>(items: &[T], index: usize) {
    if let Some(item) = items.get(index) {
        for line in 0..size_of::<T>().div_ceil(LINE_BYTES).min(LINES) {
            fetch(std::ptr::from_ref(item).cast::<u8>().wrapping_add(line * LINE_BYTES));
        }
    }
}

/// Loads every cache line of `items`.
#[inline]
pub fn prefetch_all<T>(items: &[T]) {
    for line in 0..size_of_val(items).div_ceil(LINE_BYTES) {
        fetch(items.as_ptr().cast::<u8>().wrapping_add(line * LINE_BYTES));
    }
}

#[cfg(target_arch = "x86_64")]
#[inline]
#[allow(unsafe_code)] // A prefetch affects only the cache, and accepts any address.
fn fetch(address: *const u8) {
    use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
    unsafe { _mm_prefetch(address.cast::<i8>(), _MM_HINT_T0) }
}

#[cfg(not(target_arch = "x86_64"))]
#[inline]
fn fetch(_address: *const u8) {}
