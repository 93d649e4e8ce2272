//! The language server's answers to a scripted client: a file for each feature.

mod actions;
mod client;
mod complete;
mod diagnostics;
mod format;
mod hints;
mod hover;
mod lifecycle;
mod navigate;
mod outline;
