//! Keeps the library loadable on old systems.
//!
//! A library needs the glibc whose versions of functions it was linked with, which are those of
//! the system it was built on. The few functions of the Rust standard library and of the leg that
//! glibc has given new versions since 2.18 are defined here, local to the library, and passed on:
//! to the old version where there is one (`pthread_*`), to the system call where that
//! does the same (`stat64`, `gettid` and their kin, through `syscall`, which sets `errno`).

use core::arch::global_asm;

/// Passes a function on to the version of glibc 2.2.5.
macro_rules! old_version {
    ($name:literal) => {
        global_asm!(
            concat!(".symver softdock_old_", $name, ", ", $name, "@GLIBC_2.2.5"),
            concat!(".globl ", $name),
            concat!(".hidden ", $name),
            concat!(".type ", $name, ", @function"),
            concat!($name, ":"),
            concat!("jmp softdock_old_", $name, "@PLT"),
            concat!(".size ", $name, ", . - ", $name),
        );
    };
}

/// Makes a function the system call of this number. The arguments move up by one place.
macro_rules! system_call {
    ($name:literal, $number:literal) => {
        global_asm!(
            concat!(".globl ", $name),
            concat!(".hidden ", $name),
            concat!(".type ", $name, ", @function"),
            concat!($name, ":"),
            "mov r9, r8",
            "mov r8, rcx",
            "mov rcx, rdx",
            "mov rdx, rsi",
            "mov rsi, rdi",
            concat!("mov edi, ", $number),
            "xor eax, eax",
            "jmp syscall@PLT",
            concat!(".size ", $name, ", . - ", $name),
        );
    };
}

old_version!("pthread_key_create");
old_version!("pthread_key_delete");
old_version!("pthread_setspecific");
// On x86-64 the kernel's structure is that of glibc.
system_call!("stat64", 4);
system_call!("fstat64", 5);
system_call!("gettid", 186);
system_call!("getrandom", 318);
system_call!("statx", 332);
