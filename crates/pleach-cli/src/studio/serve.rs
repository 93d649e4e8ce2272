//! The server of the studio: the page, and answers to its questions.
//!
//! It answers only this machine. A page of another site that the browser has open can send requests
//! here, too. So a request must name this host, must not come from another origin, and a question
//! must have the token, which only the printed address has.

use std::io;
use std::net::TcpListener;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use axum::Router;
use axum::body::{Bytes, HttpBody};
use axum::extract::{DefaultBodyLimit, FromRequest, Request, State};
use axum::http::header::{AUTHORIZATION, CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, HOST, ORIGIN};
use axum::http::header::{REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use pleach_studio_core::model::{LiveView, Overview, Problem, Question, Steer};
use pleach_studio_core::{AskError, Counter, Finder, Session, page};
use pleach_tap::same_token;
use tokio::sync::Semaphore;
use tokio::time::{sleep, timeout};

use super::editor::EditorThread;
use super::live::Live;

/// The longest question, except for edits.
const MOST_BYTES: usize = 64 << 10;
/// The longest question that edits: it can have the text of a whole file.
const MOST_EDIT_BYTES: usize = 8 << 20;
/// The most connections: others wait for one to end. A browser opens six.
const MOST_CONNECTIONS: usize = 64;
/// How many searches run at once. Others wait.
const MOST_SEARCHES: usize = 2;
/// How long agents are counted for one answer, and how many trees are counted at once.
const COUNTING: Duration = Duration::from_millis(300);
const MOST_COUNTERS: usize = 4;
/// How long the head of a request may take to come, and how long its body.
const PATIENCE: Duration = Duration::from_secs(5);
/// How long a question about news waits for some.
const NEWS: Duration = Duration::from_secs(1);
/// How long the server waits for files to be closed when it can open no more.
const PAUSE: Duration = Duration::from_millis(100);

/// What the page may load: itself, and answers.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; base-uri 'none'; \
                      form-action 'none'; frame-ancestors 'none'";

/// What is shown.
pub(super) struct Shown {
    /// The recording, if there is one.
    pub(super) session: Option<Arc<Mutex<Session>>>,
    /// The trees that are edited, if there are some.
    pub(super) editor: Option<EditorThread>,
    /// The game, if it is one that runs.
    pub(super) live: Option<Arc<Live>>,
}

struct Studio {
    shown: Shown,
    searches: Arc<Semaphore>,
    /// Those that were asked last come last.
    counters: Mutex<Vec<Counter>>,
    token: String,
    /// The names of this host.
    hosts: [String; 2],
}

impl Studio {
    /// # Errors
    /// There is none: only trees are edited.
    fn session(&self) -> Result<MutexGuard<'_, Session>, Unanswered> {
        let none = || Unanswered::Ask(AskError::Edit("the studio has no recording: it was started with trees".into()));
        let session = self.shown.session.as_ref().ok_or_else(none)?;
        Ok(session.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// Serves the page until the program ends.
///
/// # Errors
/// The system's.
pub(super) fn serve(shown: Shown, listener: TcpListener, port: u16, token: String) -> io::Result<()> {
    let hosts = [format!("127.0.0.1:{port}"), format!("localhost:{port}")];
    let searches = Arc::new(Semaphore::new(MOST_SEARCHES));
    let studio = Arc::new(Studio { shown, searches, counters: Mutex::default(), token, hosts });
    let own = |ty: &'static str, text: &'static str| get(move || async move { ([(CONTENT_TYPE, ty)], text) });
    let app = Router::new()
        .route("/", own("text/html; charset=utf-8", page::STUDIO))
        .route("/studio.js", own("text/javascript; charset=utf-8", page::SCRIPT))
        .route("/studio.css", own("text/css; charset=utf-8", page::STYLE))
        .route("/ask", post(ask))
        .fallback(|| async { problem(StatusCode::NOT_FOUND, "this page does not exist: open `/`") })
        .layer(DefaultBodyLimit::max(MOST_EDIT_BYTES))
        .layer(middleware::from_fn_with_state(Arc::clone(&studio), guard))
        .with_state(studio);
    listener.set_nonblocking(true)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_io().enable_time().build()?;
    runtime.block_on(async { accept(tokio::net::TcpListener::from_std(listener)?, app).await })
}

/// Serves connections until the program ends.
async fn accept(listener: tokio::net::TcpListener, app: Router) -> io::Result<()> {
    let room = Arc::new(Semaphore::new(MOST_CONNECTIONS));
    loop {
        let place = Arc::clone(&room).acquire_owned().await.map_err(io::Error::other)?;
        let Ok((stream, _)) = listener.accept().await else {
            // The client has gone, or too many files are open.
            sleep(PAUSE).await;
            continue;
        };
        let service = TowerToHyperService::new(app.clone());
        tokio::spawn(async move {
            let mut server = http1::Builder::new();
            server.timer(TokioTimer::new()).header_read_timeout(PATIENCE);
            // It fails if the client breaks off or is too slow, which concerns the client alone.
            _ = server.serve_connection(TokioIo::new(stream), service).await;
            drop(place);
        });
    }
}

/// Refuses requests of other hosts and origins, and questions without the token, before their
/// bodies come; and tells the browser what the page may do.
async fn guard(State(studio): State<Arc<Studio>>, request: Request, next: Next) -> Response {
    let headers = request.headers();
    let is_own = |it: &str| studio.hosts.iter().any(|host| host == it);
    let is_host = text(headers, &HOST).is_some_and(is_own);
    let origin = text(headers, &ORIGIN).and_then(|it| it.strip_prefix("http://"));
    let is_origin = !headers.contains_key(ORIGIN) || origin.is_some_and(is_own);
    let token = text(headers, &AUTHORIZATION).and_then(|it| it.strip_prefix("Bearer "));
    let mut response = if !is_host {
        problem(StatusCode::FORBIDDEN, &format!("the studio is at `{}`, and answers to no other name", studio.hosts[0]))
    } else if !is_origin {
        problem(StatusCode::FORBIDDEN, "the studio does not answer pages of other sites")
    } else if request.method() == Method::POST && !token.is_some_and(|it| same_token(it, &studio.token)) {
        let what = "the token is missing or wrong: open the address that `studio` printed, with all behind the `#`";
        problem(StatusCode::UNAUTHORIZED, what)
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

async fn ask(State(studio): State<Arc<Studio>>, request: Request) -> Response {
    // A body that announces too much is not read; the limit stops the others.
    if request.body().size_hint().lower() > MOST_EDIT_BYTES as u64 {
        return too_long(MOST_EDIT_BYTES);
    }
    let question = match timeout(PATIENCE, Bytes::from_request(request, &())).await {
        Ok(Ok(it)) => it,
        Ok(Err(error)) if error.status() == StatusCode::PAYLOAD_TOO_LARGE => {
            return too_long(MOST_EDIT_BYTES);
        }
        Ok(Err(error)) => return problem(error.status(), &error.body_text()),
        Err(_) => {
            let what = format!("the question has not come within {} s", PATIENCE.as_secs());
            return problem(StatusCode::REQUEST_TIMEOUT, &what);
        }
    };
    let (length, question) = (question.len(), pleach_studio_core::read(&question));
    let is_file = matches!(question, Ok(Question::Report { .. } | Question::Recording));
    let kind = if is_file { "application/octet-stream" } else { "application/json" };
    match answer(studio, length, question).await {
        Ok(bytes) => ([(CONTENT_TYPE, kind)], bytes).into_response(),
        Err(Unanswered::Ask(error @ AskError::Answer(_))) => {
            problem(StatusCode::INTERNAL_SERVER_ERROR, &error.to_string())
        }
        Err(Unanswered::Ask(error)) => problem(StatusCode::BAD_REQUEST, &error.to_string()),
        Err(Unanswered::TooLong) => too_long(MOST_BYTES),
        Err(Unanswered::Lost(error)) => {
            problem(StatusCode::INTERNAL_SERVER_ERROR, &format!("pleach failed to answer; please report this: {error}"))
        }
    }
}

/// Why a question has no answer.
enum Unanswered {
    Ask(AskError),
    /// It is longer than a question of its kind may be.
    TooLong,
    /// The thread that should have answered.
    Lost(String),
}

/// Answers on another thread, so that other requests go on. Each search has its own thread, and
/// stops when the client breaks off the request.
async fn answer(
    studio: Arc<Studio>,
    length: usize,
    question: Result<Question, AskError>,
) -> Result<Vec<u8>, Unanswered> {
    let lost = |it: &dyn std::fmt::Display| Unanswered::Lost(it.to_string());
    if length > MOST_BYTES && !matches!(question, Ok(Question::Edit(_))) {
        return Err(Unanswered::TooLong);
    }
    match (question.map_err(Unanswered::Ask)?, &studio.shown.editor) {
        (Question::Edit(question), Some(editor)) => {
            editor.ask(question).await.map_err(|it| lost(&it))?.map_err(Unanswered::Ask)
        }
        (Question::Overview, Some(editor)) if studio.shown.session.is_none() => {
            let overview = Overview::of_trees(editor.title.clone());
            serde_json::to_vec(&overview).map_err(|it| Unanswered::Ask(AskError::Answer(it)))
        }
        (Question::Find(question), _) => {
            let find = move |finder: &Finder, stop: &AtomicBool| Ok(serde_json::to_vec(&finder.find(&question, stop)?));
            search(&studio, find).await
        }
        (Question::Heat { tree }, _) => heat(&studio, tree).await,
        (Question::Steer(steer), _) => {
            let live = studio.shown.live.clone().ok_or(Unanswered::Ask(AskError::NoGame))?;
            let done = match steer {
                Steer::Break { find, nth } => {
                    in_session(&studio, move |it| {
                        it.set_break(find, nth)?;
                        Ok(live.keep(it))
                    })
                    .await?
                }
                Steer::Unbreak { id } => {
                    in_session(&studio, move |it| {
                        it.remove_break(id);
                        Ok(live.keep(it))
                    })
                    .await?
                }
                steer => live.steer(&steer).await,
            };
            done.map_err(|it| Unanswered::Ask(AskError::Sought(it)))?;
            Ok(b"null".to_vec())
        }
        (Question::Live { after, state }, _) => {
            let live = studio.shown.live.as_ref().ok_or(Unanswered::Ask(AskError::NoGame))?;
            let mut news = live.news();
            // The news of a game's start comes once its session is ready, so the session is asked
            // later.
            let look = async || {
                let game = live.view();
                in_session(&studio, move |it| Ok(LiveView { game, ..it.since(after) })).await
            };
            let mut view = look().await?;
            if view.last == after && view.game.state == state {
                // News within the time, or none: either is an answer.
                _ = timeout(NEWS, news.changed()).await;
                view = look().await?;
            }
            serde_json::to_vec(&view).map_err(|it| Unanswered::Ask(AskError::Answer(it)))
        }
        (question, _) => in_session(&studio, move |it| it.answer(question)).await,
    }
}

/// Asks the session on another thread, so that other requests go on.
async fn in_session<R: Send + 'static>(
    studio: &Arc<Studio>,
    ask: impl FnOnce(&mut Session) -> Result<R, AskError> + Send + 'static,
) -> Result<R, Unanswered> {
    let studio = Arc::clone(studio);
    let answer = tokio::task::spawn_blocking(move || ask(&mut *studio.session()?).map_err(Unanswered::Ask));
    answer.await.map_err(|it| Unanswered::Lost(it.to_string()))?
}

/// Counts on what all agents did in the nodes of a tree, for a moment.
async fn heat(studio: &Arc<Studio>, tree: usize) -> Result<Vec<u8>, Unanswered> {
    let finder = in_session(studio, |it| Ok(it.finder())).await?;
    let studio = Arc::clone(studio);
    let counted = tokio::task::spawn_blocking(move || {
        let mut counters = studio.counters.lock().unwrap_or_else(PoisonError::into_inner);
        let known = counters.iter().position(|it| it.is_of(&finder, tree)).map(|it| counters.remove(it));
        let mut counter = known.map_or_else(|| finder.counter(tree), Ok)?;
        let begun = Instant::now();
        let json = serde_json::to_vec(counter.count(&finder, || begun.elapsed() > COUNTING)?);
        if counters.len() == MOST_COUNTERS {
            counters.remove(0);
        }
        counters.push(counter);
        json.map_err(AskError::Answer)
    });
    counted.await.map_err(|it| Unanswered::Lost(it.to_string()))?.map_err(Unanswered::Ask)
}

/// Searches on another thread: each search has its own.
async fn search(
    studio: &Arc<Studio>,
    find: impl FnOnce(&Finder, &AtomicBool) -> Result<serde_json::Result<Vec<u8>>, AskError> + Send + 'static,
) -> Result<Vec<u8>, Unanswered> {
    let lost = |it: &dyn std::fmt::Display| Unanswered::Lost(it.to_string());
    let finder = in_session(studio, |it| Ok(it.finder())).await?;
    let place = Arc::clone(&studio.searches).acquire_owned().await.map_err(|it| lost(&it))?;
    let waits = Waits::default();
    let stop = Arc::clone(&waits.is_over);
    let found = tokio::task::spawn_blocking(move || {
        let found = find(&finder, &stop);
        drop(place);
        found?.map_err(AskError::Answer)
    });
    let found = found.await;
    drop(waits);
    found.map_err(|it| lost(&it))?.map_err(Unanswered::Ask)
}

/// Stops a search when it is dropped. It is dropped with the request, even if the client breaks
/// that off.
#[derive(Default)]
struct Waits {
    is_over: Arc<AtomicBool>,
}

impl Drop for Waits {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::Relaxed);
    }
}

fn too_long(most: usize) -> Response {
    problem(StatusCode::PAYLOAD_TOO_LARGE, &format!("the question is too long: {most} bytes at most"))
}

fn problem(status: StatusCode, what: &str) -> Response {
    let problem = Problem { error: what.to_owned() };
    let json = serde_json::to_vec(&problem).unwrap_or_default();
    (status, [(CONTENT_TYPE, "application/json")], json).into_response()
}

/// A header that occurs once, as text.
fn text<'h>(headers: &'h HeaderMap, name: &HeaderName) -> Option<&'h str> {
    let mut all = headers.get_all(name).iter();
    let first = all.next()?.to_str().ok()?;
    all.next().is_none().then_some(first)
}
