//! [`Out`]: standard output, whose reader may close it.

use std::io::{self, Write};

use crate::failure::Failure;

/// Standard output, whose reader may close it: other work is still done.
pub(crate) struct Out {
    reader: bool,
}

impl Out {
    pub(crate) fn new() -> Out {
        Out { reader: true }
    }

    pub(crate) fn say(&mut self, text: std::fmt::Arguments<'_>) -> Result<(), Failure> {
        self.done(|| anstream::stdout().lock().write_fmt(text))
    }

    /// A text as it is, unescaped.
    pub(crate) fn raw(&mut self, text: &str) -> Result<(), Failure> {
        self.done(|| io::stdout().lock().write_all(text.as_bytes()))
    }

    fn done(&mut self, write: impl FnOnce() -> io::Result<()>) -> Result<(), Failure> {
        if !self.reader {
            return Ok(());
        }
        match write() {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {
                self.reader = false;
                Ok(())
            }
            done => Ok(done?),
        }
    }
}
