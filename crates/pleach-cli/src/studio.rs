//! `pleach studio`: shows a recording, or a running game, in the browser, and edits trees there.

mod breaks;
mod editor;
mod games;
mod live;
mod serve;

use std::net::{Ipv4Addr, TcpListener};
use std::sync::{Arc, Mutex};

use pleach::{Host, Registry};
use pleach_studio_core::Session;

use crate::args::StudioArgs;
use crate::failure::{Failure, say};
use crate::leaves;
use crate::out::Out;
use crate::paint::{GOOD, RESET};
use crate::paths::shown;
use crate::replay::{self, Growing};
use live::Live;
use serve::Shown;

/// Serves the page until Ctrl-C.
///
/// # Errors
/// The recording cannot be opened, no game listens, the trees cannot be edited, or the page cannot
/// be served.
pub(crate) fn studio<H: Host>(own: &Registry<H>, program: &str, args: &StudioArgs) -> Result<(), Failure> {
    let edits_alone = args.file.as_deref().is_some_and(editor::is_trees);
    let trees = args.trees.as_deref().or(args.file.as_deref().filter(|_| edits_alone));
    if let Some(file) = args.file.as_ref().filter(|_| edits_alone && args.trees.is_some()) {
        let what = format!("`{}` is not a recording: --trees stands beside one", shown(file));
        return Err(Failure::Usage(what));
    }
    let edit = |session: Option<&mut Session>| {
        trees.map(|trees| editor::start(own, program, trees, args, session)).transpose()
    };
    if edits_alone {
        return show(args, Shown { session: None, editor: edit(None)?, live: None });
    }
    if let Some(file) = &args.file {
        let mut session = replay::opened(own, program, file, args.leaves.as_deref())?;
        let editor = edit(Some(&mut session))?;
        return show(args, Shown { session: Some(Arc::new(Mutex::new(session))), editor, live: None });
    }
    // At the game's priority, this program would take the core from it when bytes come.
    #[cfg(unix)]
    let _ = rustix::process::nice(10);
    let (game, mut connection) = games::find(args.game.as_deref())?;
    let given = args.leaves.as_deref().map(|it| leaves::registry(it, [])).transpose()?;
    let mut growing = Growing::new(game.name(), own, given.as_ref(), program, args.leaves.as_deref());
    let mut session = live::begin(&game, &mut connection, &mut growing)?;
    let breaks = args.breaks.clone().or_else(|| trees.map(breaks::beside));
    if let Some(file) = &breaks {
        breaks::read(file, &mut session)?;
    }
    let editor = edit(Some(&mut session))?;
    let session = Arc::new(Mutex::new(session));
    let live = Arc::new(Live::new(&connection, breaks).map_err(failed)?);
    std::thread::scope(|threads| {
        threads.spawn(|| live::follow(connection, &game, &mut growing, &session, &live));
        let shown = Shown { session: Some(Arc::clone(&session)), editor, live: Some(Arc::clone(&live)) };
        let shown = show(args, shown);
        live.end();
        shown
    })
}

/// Serves the page.
fn show(args: &StudioArgs, shown: Shown) -> Result<(), Failure> {
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
    serve::serve(shown, listener, port, token).map_err(failed)
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
