//! The `softdock` program.
fn main() {}
