//! Starts `pleach lsp` in Zed.

use zed_extension_api::settings::LspSettings;
use zed_extension_api::{Command, Extension, LanguageServerId, Result, Worktree, register_extension};

struct Pleach;

impl Extension for Pleach {
    fn new() -> Self {
        Pleach
    }

    /// The program that `lsp.pleach.binary` of the settings names, or `pleach` of the path.
    fn language_server_command(&mut self, _: &LanguageServerId, worktree: &Worktree) -> Result<Command> {
        let binary = LspSettings::for_worktree("pleach", worktree).ok().and_then(|it| it.binary);
        let (path, arguments) = binary.map_or((None, None), |it| (it.path, it.arguments));
        let command = path.or_else(|| worktree.which("pleach"));
        Ok(Command {
            command: command.ok_or("`pleach` is not on the path: install it, or set `lsp.pleach.binary.path`")?,
            args: arguments.unwrap_or_else(|| vec!["lsp".to_owned()]),
            env: worktree.shell_env(),
        })
    }
}

register_extension!(Pleach);
