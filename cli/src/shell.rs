//! `softdock completions` and `softdock man`: what a shell and a manual know of the commands.

use crate::Arguments as Program;
use crate::output;
use anyhow::Result;
use clap::{Args, CommandFactory};
use clap_complete::Shell;
use std::path::PathBuf;
use std::process::ExitCode;

/// What the help says below the options.
const MORE: &str = "\
Examples:
  softdock completions bash > ~/.local/share/bash-completion/completions/softdock
  softdock completions zsh > ~/.zfunc/_softdock
  softdock completions fish > ~/.config/fish/completions/softdock.fish";

/// Arguments of `softdock completions`.
#[derive(Debug, Args)]
#[command(after_help = MORE)]
pub struct CompletionArguments {
    /// The shell
    shell: Shell,
}

/// Arguments of `softdock man`.
#[derive(Debug, Args)]
pub struct ManArguments {
    /// Folder for the pages, one for each command; made if missing
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
}

/// Prints what completes commands and options.
pub fn completions(arguments: &CompletionArguments) -> Result<ExitCode> {
    let mut text = Vec::new();
    clap_complete::generate(
        arguments.shell,
        &mut Program::command(),
        "softdock",
        &mut text,
    );
    output::say(&String::from_utf8_lossy(&text))?;
    Ok(ExitCode::SUCCESS)
}

/// Writes the manual.
pub fn man(arguments: &ManArguments) -> Result<ExitCode> {
    output::probe(&arguments.out.join("softdock.1"))?;
    let failed = |cause| output::OutputError {
        path: arguments.out.clone(),
        cause,
    };
    clap_mangen::generate_to(Program::command(), &arguments.out).map_err(failed)?;
    let page = arguments.out.join("softdock.1");
    output::tell(&format!(
        "wrote the manual; read it with: man {}",
        page.display()
    ))?;
    Ok(ExitCode::SUCCESS)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn every_command_is_completed_and_has_a_page() {
        Program::command().debug_assert();
        let mut text = Vec::new();
        clap_complete::generate(Shell::Bash, &mut Program::command(), "softdock", &mut text);
        let text = String::from_utf8(text).unwrap();
        let folder = tempfile::tempdir().unwrap();
        clap_mangen::generate_to(Program::command(), folder.path()).unwrap();
        for command in Program::command().get_subcommands() {
            let name = command.get_name();
            assert!(text.contains(name), "{name} is not completed");
            let page = folder.path().join(format!("softdock-{name}.1"));
            assert!(page.is_file(), "{name} has no page");
        }
    }
}
