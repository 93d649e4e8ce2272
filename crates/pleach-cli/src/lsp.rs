//! `pleach lsp`: the language server, over the leaves of the program or of a manifest.

use pleach::{Host, Registry};
use pleach_lsp::Game;

use crate::args::LspArgs;
use crate::failure::Failure;
use crate::paths::is_stdin;
use crate::test::Known;
use crate::{leaves, test};

pub(crate) fn lsp<H: Host>(own: &Registry<H>, game: &str, args: &LspArgs) -> Result<(), Failure> {
    match &args.leaves {
        Some(file) if is_stdin(file) => {
            Err(Failure::Usage("the editor speaks over standard input: name a file for --leaves".into()))
        }
        Some(file) => {
            let registry = leaves::registry(file, [])?;
            serve(&registry, &Known::new(&registry, game, Some(file))?)
        }
        None => serve(own, &Known::new(own, game, None)?),
    }
}

fn serve<H: Host>(registry: &Registry<H>, known: &Known<'_, H>) -> Result<(), Failure> {
    let game = Game::new(registry).check_tests(|library, name, text| test::problems(known, library, name, text));
    pleach_lsp::serve_stdio(&game).map_err(|error| Failure::Failed(error.to_string()))
}
