//! How commands end: exit status 0 for a sound result, 1 for a computation that failed, 2 for what
//! other input would have avoided, 3 for a result that is suspect, 4 for a sound result that does not
//! meet a requirement.

use crate::output::{self, OutputError};
use crate::settings::SettingsError;
use anyhow::Result;
use leg_core::LegError;
use multibody::results::soundness::Soundness;
use softdock_docking::story::complaint;
use softdock_docking::{DockingError, Verdicts};
use softdock_fmi::import::ImportError;
use softdock_fmi::package::PackageError;
use softdock_platform::PlatformError;
use softdock_platform::unit::UnitError;
use softdock_study::StudyError;
use std::process::ExitCode;

/// Exit status when the input was fine but the computation failed.
pub const FAILED: u8 = 1;
/// Exit status when a result was computed that must not be used as it is.
pub const SUSPECT: u8 = 3;
/// Exit status when the result is sound but a requirement is not met.
pub const NOT_MET: u8 = 4;
/// Exit status when a signal stopped the run.
pub const STOPPED: u8 = 130;

/// What the help of commands that compute a result says about exit statuses.
pub const EXIT_STATUS: &str = "\
Exit status: 0 sound; 1 could not be computed; 2 wrong input; 3 suspect, see `soundness_reasons`;
4 sound, but a requirement is not met, see `requirements`; 130 stopped by Ctrl-C.";

/// The help of a command that computes a result: `text` and its exit statuses.
pub fn with_exit_status(text: &str) -> String {
    format!("{text}\n\n{EXIT_STATUS}")
}

/// Ends a command whose result is complete: a suspect one says why on standard error.
pub fn verdict(soundness: &Soundness) -> ExitCode {
    if !soundness.is_suspect() {
        return ExitCode::SUCCESS;
    }
    eprintln!("softdock: the result is {soundness}");
    ExitCode::from(SUSPECT)
}

/// Ends a command whose result is complete and has been judged by requirements: what a suspect result
/// says about them is worth nothing.
pub fn verdict_with(soundness: &Soundness, requirements: &Verdicts) -> ExitCode {
    if soundness.is_suspect() || requirements.all_met() {
        return verdict(soundness);
    }
    for violated in requirements.violated() {
        eprintln!("softdock: not met: {}", complaint(violated));
    }
    ExitCode::from(NOT_MET)
}

/// Input that is neither settings nor output: a table, a combination of arguments.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct BadInput(String);

impl BadInput {
    /// What is wrong with it.
    pub fn new(message: impl Into<String>) -> Self {
        Self(message.into())
    }
}

/// Refuses the value of an argument that is not finite and above zero.
pub fn positive(argument: &str, value: f64) -> Result<(), BadInput> {
    check(argument, value, value > 0.0, "> 0")
}

/// Refuses the value of an argument that is not above zero; it may be infinite.
pub fn above_zero(argument: &str, value: f64) -> Result<(), BadInput> {
    if value > 0.0 {
        return Ok(());
    }
    Err(BadInput(format!(
        "{argument} {value} is not allowed: it must be > 0"
    )))
}

/// Refuses the value of an argument that is not finite or below zero.
pub fn not_negative(argument: &str, value: f64) -> Result<(), BadInput> {
    check(argument, value, value >= 0.0, ">= 0")
}

fn check(argument: &str, value: f64, inside: bool, allowed: &str) -> Result<(), BadInput> {
    if inside && value.is_finite() {
        return Ok(());
    }
    Err(BadInput(format!(
        "{argument} {value} is not allowed: it must be {allowed} and finite"
    )))
}

/// Reports a computation that failed; errors of the input go on to the caller.
pub fn settle(done: Result<ExitCode>) -> Result<ExitCode> {
    done.or_else(|error| {
        if is_input(&error) {
            return Err(error);
        }
        output::print_error(&error);
        Ok(ExitCode::from(FAILED))
    })
}

/// True if other input would have avoided the error.
pub fn is_input(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| {
        cause.downcast_ref::<LegError>().is_some_and(leg_input)
            || cause
                .downcast_ref::<PlatformError>()
                .is_some_and(platform_input)
            || cause
                .downcast_ref::<DockingError>()
                .is_some_and(docking_input)
            || cause
                .downcast_ref::<ImportError>()
                .is_some_and(import_input)
            || cause
                .downcast_ref::<PackageError>()
                .is_some_and(package_input)
            || cause.downcast_ref::<StudyError>().is_some_and(study_input)
            || cause.is::<SettingsError>()
            || cause.is::<OutputError>()
            || cause.is::<BadInput>()
    })
}

fn leg_input(error: &LegError) -> bool {
    !matches!(error, LegError::Kernel(_) | LegError::Stalled { .. })
}

fn import_input(error: &ImportError) -> bool {
    !matches!(
        error,
        ImportError::Refused { .. }
            | ImportError::Discarded { .. }
            | ImportError::Ended { .. }
            | ImportError::NotFinite { .. }
    )
}

fn package_input(error: &PackageError) -> bool {
    !matches!(error, PackageError::Archive(_) | PackageError::Write(_))
}

fn platform_input(error: &PlatformError) -> bool {
    match error {
        PlatformError::Leg { cause, .. } => leg_input(cause),
        PlatformError::Singular { .. }
        | PlatformError::Diverged { .. }
        | PlatformError::Stalled { .. }
        | PlatformError::Unstable { .. }
        | PlatformError::LatchTorn { .. } => false,
        PlatformError::Unit { cause, .. } => {
            matches!(cause, UnitError::Refused { .. } | UnitError::Unable { .. })
        }
        _ => true,
    }
}

fn docking_input(error: &DockingError) -> bool {
    match error {
        DockingError::Platform(error) => platform_input(error),
        DockingError::Controller { .. } => false,
        _ => true,
    }
}

fn study_input(error: &StudyError) -> bool {
    !matches!(
        error,
        StudyError::DiskFull { .. }
            | StudyError::Damaged { .. }
            | StudyError::Locked { .. }
            | StudyError::Conflict { .. }
            | StudyError::Incomplete { .. }
            | StudyError::Threads { .. }
            | StudyError::Table { .. }
    )
}
