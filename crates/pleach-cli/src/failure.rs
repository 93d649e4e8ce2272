//! How a command fails: its message and its exit code.

use std::fmt;
use std::io::{self, Write};
use std::process::ExitCode;

use crate::paint::{BAD, RESET};

/// Why a command did not do what it was asked to do.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    /// The command line is wrong: a file is missing, a number is out of range.
    #[error("{0}")]
    Usage(String),
    /// Problems were found. They have been printed.
    #[error("problems were found")]
    Problems,
    /// The command failed while it ran.
    #[error("{0}")]
    Failed(String),
    /// The user pressed Ctrl-C. The results up to then have been shown.
    #[error("ended early")]
    EndedEarly,
    /// A signal ended the command, with this exit code.
    #[error("ended by a signal")]
    Signal(u8),
    /// The output could not be written.
    #[error("cannot write: {0}")]
    Output(#[from] io::Error),
}

/// Prints a line on standard error. If that fails, there is nowhere to report it.
pub(crate) fn say(line: impl fmt::Display) {
    let _ = writeln!(anstream::stderr(), "{line}");
}

impl Failure {
    /// Prints the message on standard error, unless it has been printed already.
    pub(crate) fn tell(&self) {
        match self {
            // `pleach … | head` is not an error.
            Failure::Output(error) if error.kind() == io::ErrorKind::BrokenPipe => {}
            Failure::Problems | Failure::EndedEarly | Failure::Signal(_) => {}
            Failure::Usage(_) | Failure::Failed(_) | Failure::Output(_) => {
                say(format_args!("{BAD}error:{RESET} {self}"));
            }
        }
    }

    /// The exit code, as `--help` documents it.
    pub(crate) fn code(&self) -> ExitCode {
        match self {
            Failure::Output(error) if error.kind() == io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
            Failure::Usage(_) => ExitCode::from(2),
            Failure::EndedEarly => ExitCode::from(130),
            Failure::Signal(code) => ExitCode::from(*code),
            Failure::Problems | Failure::Failed(_) | Failure::Output(_) => ExitCode::FAILURE,
        }
    }
}
