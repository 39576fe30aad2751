//! The exported functions: pointers in, one guarded call each, a status out.
//!
//! # Safety
//!
//! All of them rely on what FMI 2.0 asks of a caller: an instance is NULL or came from
//! `fmi2Instantiate` and has not been freed, arrays have the length that is given with them, texts
//! end with a zero. Everything else is checked.

#![allow(
    non_snake_case,
    clippy::missing_safety_doc,
    reason = "names and contract are those of the standard"
)]

pub mod access;
pub mod lifecycle;
pub mod state;
pub mod step;

use crate::refusal::Refusal;
use std::ffi::{CStr, c_char};

/// An array of the caller to be read.
///
/// # Safety
///
/// `pointer` is NULL, or there are `length` values that nobody changes during the call.
pub(crate) unsafe fn slice<'a, T>(
    pointer: *const T,
    length: usize,
    argument: &'static str,
) -> Result<&'a [T], Refusal> {
    check(pointer, length, argument)?;
    if length == 0 {
        return Ok(&[]);
    }
    // SAFETY: not NULL, aligned and of a possible length; the rest is the caller's promise.
    Ok(unsafe { std::slice::from_raw_parts(pointer, length) })
}

/// An array of the caller to be written.
///
/// # Safety
///
/// `pointer` is NULL, or there are `length` values that nobody else uses during the call.
pub(crate) unsafe fn slice_mut<'a, T>(
    pointer: *mut T,
    length: usize,
    argument: &'static str,
) -> Result<&'a mut [T], Refusal> {
    check(pointer, length, argument)?;
    if length == 0 {
        return Ok(&mut []);
    }
    // SAFETY: not NULL, aligned and of a possible length; the rest is the caller's promise.
    Ok(unsafe { std::slice::from_raw_parts_mut(pointer, length) })
}

fn check<T>(pointer: *const T, length: usize, argument: &'static str) -> Result<(), Refusal> {
    let possible = length
        .checked_mul(size_of::<T>())
        .is_some_and(|bytes| isize::try_from(bytes).is_ok());
    if possible && (length == 0 || (!pointer.is_null() && pointer.is_aligned())) {
        Ok(())
    } else {
        Err(Refusal::BadPointer { argument })
    }
}

/// A place of the caller for one result.
///
/// # Safety
///
/// `pointer` is NULL, or nobody else uses the place during the call.
pub(crate) unsafe fn place<'a, T>(
    pointer: *mut T,
    argument: &'static str,
) -> Result<&'a mut T, Refusal> {
    // SAFETY: as promised by the caller.
    unsafe { slice_mut(pointer, 1, argument) }?
        .first_mut()
        .ok_or(Refusal::BadPointer { argument })
}

/// A text of the caller.
///
/// # Safety
///
/// `pointer` is NULL, or the text ends with a zero.
pub(crate) unsafe fn text(pointer: *const c_char) -> Option<String> {
    if pointer.is_null() {
        return None;
    }
    // SAFETY: not NULL; the rest is the caller's promise.
    let text = unsafe { CStr::from_ptr(pointer) };
    Some(text.to_string_lossy().into_owned())
}

/// An array of texts of the caller; a missing text is empty.
///
/// # Safety
///
/// As for [`slice`] and [`text`].
pub(crate) unsafe fn texts(
    pointer: *const *const c_char,
    count: usize,
) -> Result<Vec<String>, Refusal> {
    // SAFETY: as promised by the caller.
    let pointers = unsafe { slice(pointer, count, "the array of texts") }?;
    // SAFETY: as promised by the caller.
    let read = |&pointer: &*const c_char| unsafe { text(pointer) }.unwrap_or_default();
    Ok(pointers.iter().map(read).collect())
}
