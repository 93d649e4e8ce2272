//! `pleach studio`: shows a recording in the browser, and edits trees there.

mod editor;
mod serve;

use std::net::{Ipv4Addr, TcpListener};

use pleach::{Host, Registry};

use crate::args::StudioArgs;
use crate::failure::{Failure, say};
use crate::out::Out;
use crate::paint::{GOOD, RESET};
use crate::paths::shown;
use crate::replay;

/// Serves the page until Ctrl-C.
///
/// # Errors
/// The recording cannot be opened, or the page cannot be served.
pub(crate) fn studio<H: Host>(own: &Registry<H>, game: &str, args: &StudioArgs) -> Result<(), Failure> {
    let edits_alone = editor::is_trees(&args.file);
    let trees = args.trees.as_deref().or(edits_alone.then_some(&*args.file));
    if edits_alone && args.trees.is_some() {
        let what = format!("`{}` is not a recording: --trees stands beside one", shown(&args.file));
        return Err(Failure::Usage(what));
    }
    let mut session = match edits_alone {
        true => None,
        false => Some(replay::opened(own, game, &args.file, args.leaves.as_deref())?),
    };
    let editor = match trees {
        Some(trees) => Some(editor::start(own, game, trees, args, session.as_mut())?),
        None => None,
    };
    let port = args.port.unwrap_or(0);
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port))
        .map_err(|it| Failure::Failed(format!("cannot serve at port {port}: {it}; choose another one with --port")))?;
    let port = listener.local_addr().map_err(failed)?.port();
    let token = token()?;
    let address = format!("http://127.0.0.1:{port}/#token={token}");
    Out::new().say(format_args!("{GOOD}{address}{RESET}\n"))?;
    if !args.no_open
        && let Err(error) = open::that_detached(&address)
    {
        say(format_args!("cannot open the browser ({error}): open the address above"));
    }
    serve::serve(session, editor, listener, port, token).map_err(failed)
}

/// 128 random bits as text.
fn token() -> Result<String, Failure> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes)
        .map_err(|it| Failure::Failed(format!("the system has no random numbers for a token: {it}")))?;
    Ok(bytes.iter().map(|it| format!("{it:02x}")).collect())
}

fn failed(error: std::io::Error) -> Failure {
    Failure::Failed(format!("cannot serve the page: {error}"))
}
