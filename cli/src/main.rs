//! The `softdock` program.

use std::process::ExitCode;

fn main() -> ExitCode {
    softdock::main()
}
