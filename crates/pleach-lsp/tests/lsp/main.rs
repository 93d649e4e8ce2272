//! What the language server says to a scripted client: a file for each feature.

mod client;
mod diagnostics;
mod format;
mod lifecycle;
mod outline;
