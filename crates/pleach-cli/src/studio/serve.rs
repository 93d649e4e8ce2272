//! The server of the studio: the page, and answers to its questions.
//!
//! It answers this machine alone. A page of another site that the browser has open can send
//! requests here, too. So a request must name this host, must not come from another origin, and a
//! question must have the token, which only the printed address has.

use std::io;
use std::net::TcpListener;
use std::sync::{Arc, Mutex, PoisonError};

use axum::Router;
use axum::body::Bytes;
use axum::extract::rejection::BytesRejection;
use axum::extract::{DefaultBodyLimit, Request, State};
use axum::http::header::{AUTHORIZATION, CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, HOST, ORIGIN};
use axum::http::header::{REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use pleach_studio_core::model::Problem;
use pleach_studio_core::{AskError, Session, page};

/// No question is longer.
const MOST_BYTES: usize = 64 << 10;

/// What the page may load: itself, and answers.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; base-uri 'none'; \
                      form-action 'none'; frame-ancestors 'none'";

struct Studio {
    session: Mutex<Session>,
    token: String,
    /// What this host is called.
    hosts: [String; 2],
}

/// Serves the page until the program ends.
///
/// # Errors
/// The system's.
pub(super) fn serve(session: Session, listener: TcpListener, port: u16, token: String) -> io::Result<()> {
    let hosts = [format!("127.0.0.1:{port}"), format!("localhost:{port}")];
    let studio = Arc::new(Studio { session: Mutex::new(session), token, hosts });
    let own = |ty: &'static str, text: &'static str| get(move || async move { ([(CONTENT_TYPE, ty)], text) });
    let app = Router::new()
        .route("/", own("text/html; charset=utf-8", page::STUDIO))
        .route("/studio.js", own("text/javascript; charset=utf-8", page::SCRIPT))
        .route("/studio.css", own("text/css; charset=utf-8", page::STYLE))
        .route("/ask", post(ask))
        .fallback(|| async { problem(StatusCode::NOT_FOUND, "there is no such page: the studio is at `/`") })
        .layer(DefaultBodyLimit::max(MOST_BYTES))
        .layer(middleware::from_fn_with_state(Arc::clone(&studio), guard))
        .with_state(studio);
    listener.set_nonblocking(true)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build()?;
    runtime.block_on(async { axum::serve(tokio::net::TcpListener::from_std(listener)?, app).await })
}

/// Refuses requests of other hosts and origins, and says what the page may do.
async fn guard(State(studio): State<Arc<Studio>>, request: Request, next: Next) -> Response {
    let headers = request.headers();
    let is_own = |it: &str| studio.hosts.iter().any(|host| host == it);
    let host = text(headers, &HOST);
    let origin = text(headers, &ORIGIN).map(|it| it.strip_prefix("http://").unwrap_or("another").to_owned());
    let mut response = if !host.as_deref().is_some_and(is_own) {
        problem(StatusCode::FORBIDDEN, &format!("the studio is at `{}`, and answers to no other name", studio.hosts[0]))
    } else if !origin.as_deref().is_none_or(is_own) {
        problem(StatusCode::FORBIDDEN, "the studio does not answer pages of other sites")
    } else {
        next.run(request).await
    };
    let own = [
        (CONTENT_SECURITY_POLICY, POLICY),
        (X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (REFERRER_POLICY, "no-referrer"),
        (CACHE_CONTROL, "no-store"),
    ];
    response.headers_mut().extend(own.map(|(name, value)| (name, HeaderValue::from_static(value))));
    response
}

async fn ask(
    State(studio): State<Arc<Studio>>,
    headers: HeaderMap,
    question: Result<Bytes, BytesRejection>,
) -> Response {
    let token = text(&headers, &AUTHORIZATION);
    if !token.as_deref().and_then(|it| it.strip_prefix("Bearer ")).is_some_and(|it| is_same(it, &studio.token)) {
        let what = "the token is missing or wrong: open the address that `studio` printed, with all behind the `#`";
        return problem(StatusCode::UNAUTHORIZED, what);
    }
    let question = match question {
        Ok(it) => it,
        Err(error) if error.status() == StatusCode::PAYLOAD_TOO_LARGE => {
            let what = format!("the question is too long: {MOST_BYTES} bytes at most");
            return problem(StatusCode::PAYLOAD_TOO_LARGE, &what);
        }
        Err(error) => return problem(error.status(), &error.body_text()),
    };
    // A search takes a while, and other requests do not wait for it here.
    let answer = tokio::task::spawn_blocking(move || {
        studio.session.lock().unwrap_or_else(PoisonError::into_inner).ask(&question)
    });
    match answer.await {
        Ok(Ok(json)) => ([(CONTENT_TYPE, "application/json")], json).into_response(),
        Ok(Err(error @ AskError::Answer(_))) => problem(StatusCode::INTERNAL_SERVER_ERROR, &error.to_string()),
        Ok(Err(error)) => problem(StatusCode::BAD_REQUEST, &error.to_string()),
        Err(error) => problem(StatusCode::INTERNAL_SERVER_ERROR, &format!("the studio failed at it: {error}")),
    }
}

fn problem(status: StatusCode, what: &str) -> Response {
    let problem = Problem { error: what.to_owned() };
    let json = serde_json::to_vec(&problem).unwrap_or_default();
    (status, [(CONTENT_TYPE, "application/json")], json).into_response()
}

/// A header that stands there once, as text.
fn text(headers: &HeaderMap, name: &HeaderName) -> Option<String> {
    let mut all = headers.get_all(name).iter();
    let first = all.next()?.to_str().ok()?.to_owned();
    all.next().is_none().then_some(first)
}

/// Compares in a time that does not depend on where two tokens differ.
fn is_same(one: &str, other: &str) -> bool {
    one.len() == other.len() && one.bytes().zip(other.bytes()).fold(0, |all, it| all | (it.0 ^ it.1)) == 0
}
