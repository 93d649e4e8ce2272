//! Opens `pleach studio` on the running game.

use std::env;
use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// The name under which the studio finds the game.
pub const GAME: &str = "arena";

/// The command that opens it. If the program is not built, cargo builds it.
#[must_use]
pub fn command(trees: &Path) -> String {
    typed(program().is_some(), trees)
}

fn typed(is_built: bool, trees: &Path) -> String {
    let program = if is_built { "pleach" } else { "cargo run --release --" };
    format!("{program} studio --game {GAME} --trees {}", trees.display())
}

fn program() -> Option<PathBuf> {
    find(env::current_exe().ok().as_deref(), env::var_os("PATH").as_deref())
}

/// Where the program `pleach` is: beside this one or in a folder above it, as cargo builds both, or
/// in the `PATH`.
fn find(own: Option<&Path>, path: Option<&OsStr>) -> Option<PathBuf> {
    let name = format!("pleach{}", env::consts::EXE_SUFFIX);
    let near = own.into_iter().flat_map(Path::ancestors).skip(1).take(2).map(Path::to_path_buf);
    let listed = path.into_iter().flat_map(env::split_paths);
    near.chain(listed).map(|it| it.join(&name)).find(|it| it.is_file())
}

/// A studio that was opened. It ends with the game.
#[derive(Debug)]
pub struct Studio(Child);

impl Studio {
    /// Opens it. It writes its address to the terminal, and opens the browser.
    ///
    /// # Errors
    /// The program is not found, or cannot be started.
    pub fn open(trees: &Path) -> io::Result<Studio> {
        let program =
            program().ok_or_else(|| io::Error::new(io::ErrorKind::NotFound, "the program `pleach` is not built"))?;
        let child = Command::new(program)
            .args(["studio", "--game", GAME, "--trees"])
            .arg(trees)
            .stdin(Stdio::null())
            .spawn()?;
        Ok(Studio(child))
    }

    /// Whether it still runs.
    pub fn runs(&mut self) -> bool {
        matches!(self.0.try_wait(), Ok(None))
    }
}

impl Drop for Studio {
    fn drop(&mut self) {
        // If it has ended already there is nothing to end.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_program_is_found_beside_above_or_in_the_path() {
        let folder = env::temp_dir().join(format!("pleach-arena-studio-{}", std::process::id()));
        std::fs::create_dir_all(folder.join("examples")).unwrap();
        let program = folder.join(format!("pleach{}", env::consts::EXE_SUFFIX));
        let own = folder.join("examples").join("arena");
        assert_eq!(find(Some(&own), None), None);
        std::fs::write(&program, "").unwrap();
        assert_eq!(find(Some(&own), None), Some(program.clone()));
        assert_eq!(find(None, Some(folder.as_os_str())), Some(program));
        assert_eq!(find(None, None), None);
        std::fs::remove_dir_all(&folder).unwrap();
        let typed = [true, false].map(|it| typed(it, Path::new("trees")));
        let all =
            ["pleach studio --game arena --trees trees", "cargo run --release -- studio --game arena --trees trees"];
        assert_eq!(typed, all);
    }
}
