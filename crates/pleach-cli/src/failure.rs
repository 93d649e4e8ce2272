//! How a command fails: what people read, and the exit code that scripts read.

use std::io;
use std::process::ExitCode;

use crate::paint::{BAD, RESET};

/// Why a command did not do what it was asked for.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    /// It cannot be done as it was asked for: a file is missing, a number makes no sense.
    #[error("{0}")]
    Usage(String),
    /// Problems were found, and reported.
    #[error("problems were found")]
    Problems,
    /// It went wrong on the way.
    #[error("{0}")]
    Failed(String),
    /// Somebody pressed Ctrl-C; what there was until then has been shown.
    #[error("interrupted")]
    Interrupted,
    /// The output could not be written.
    #[error("cannot write: {0}")]
    Output(#[from] io::Error),
}

impl Failure {
    /// Says it on standard error, unless it was said already.
    pub(crate) fn tell(&self) {
        match self {
            // `pleach … | head` is not an error.
            Failure::Output(error) if error.kind() == io::ErrorKind::BrokenPipe => {}
            Failure::Problems | Failure::Interrupted => {}
            Failure::Usage(_) | Failure::Failed(_) | Failure::Output(_) => {
                anstream::eprintln!("{BAD}error:{RESET} {self}");
            }
        }
    }

    /// The exit code, as `--help` documents it.
    pub(crate) fn code(&self) -> ExitCode {
        match self {
            Failure::Output(error) if error.kind() == io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
            Failure::Usage(_) => ExitCode::from(2),
            Failure::Interrupted => ExitCode::from(130),
            Failure::Problems | Failure::Failed(_) | Failure::Output(_) => ExitCode::FAILURE,
        }
    }
}
