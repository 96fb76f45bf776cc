//! Asking the cache for what the next events will touch. Changes no result, only the time it takes.

/// Lines of a record that an event reads first.
const LINES: usize = 4;
const LINE_BYTES: usize = 64;

/// Fetches the first lines of `items[index]`; an index out of range asks for nothing.
#[inline]
pub fn prefetch<T>(items: &[T], index: usize) {
    if let Some(item) = items.get(index) {
        for line in 0..size_of::<T>().div_ceil(LINE_BYTES).min(LINES) {
            fetch(std::ptr::from_ref(item).cast::<u8>().wrapping_add(line * LINE_BYTES));
        }
    }
}

/// Asks for every cache line of `items`.
#[inline]
pub fn prefetch_all<T>(items: &[T]) {
    for line in 0..size_of_val(items).div_ceil(LINE_BYTES) {
        fetch(items.as_ptr().cast::<u8>().wrapping_add(line * LINE_BYTES));
    }
}

#[cfg(target_arch = "x86_64")]
#[inline]
#[allow(unsafe_code)] // a prefetch has no effect but on the cache; any address is allowed
fn fetch(address: *const u8) {
    use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
    unsafe { _mm_prefetch(address.cast::<i8>(), _MM_HINT_T0) }
}

#[cfg(not(target_arch = "x86_64"))]
#[inline]
fn fetch(_address: *const u8) {}
