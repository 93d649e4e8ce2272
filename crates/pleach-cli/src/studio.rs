//! `pleach studio`: shows a recording in the browser.

mod serve;

use std::net::{Ipv4Addr, TcpListener};

use pleach::{Host, Registry};

use crate::args::StudioArgs;
use crate::failure::{Failure, say};
use crate::out::Out;
use crate::paint::{GOOD, RESET};
use crate::replay;

/// Serves the page until Ctrl-C.
///
/// # Errors
/// The recording cannot be opened, or the page cannot be served.
pub(crate) fn studio<H: Host>(own: &Registry<H>, game: &str, args: &StudioArgs) -> Result<(), Failure> {
    let session = replay::opened(own, game, &args.file, args.leaves.as_deref())?;
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
    serve::serve(session, listener, port, token).map_err(failed)
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
