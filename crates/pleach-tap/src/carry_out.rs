//! Carries out requests about an agent.

use pleach_core::record::Recording;
use pleach_core::{AgentId, Event, Forest, Host, NodeId, Symbol, Type, Value};

use crate::held::Held;
use crate::wire::{Body, Kind, Message, status_of};

/// The prefix of the key of a slot.
const SLOT: &str = "slot:";

/// Carries out a request about an agent.
///
/// # Errors
/// Why it was not carried out.
pub(crate) fn carry_out<H: Host>(
    forest: &mut Forest<H>,
    recording: &mut Recording,
    held: &mut Held,
    message: &Message,
) -> Result<(), String> {
    if !matches!(message.kind, Kind::Set | Kind::Send | Kind::Force) {
        return Err("this game does not know the request: it has another version of pleach".to_owned());
    }
    let mut body = message.read();
    let number = body.number().ok_or_else(malformed)?;
    let agent = recording.agent(number).filter(|it| forest.contains(*it));
    let agent = agent.ok_or_else(|| format!("agent {number} is not in the game any more"))?;
    match message.kind {
        Kind::Set => set(forest, agent, &mut body),
        Kind::Force => force(forest, recording, held, agent, &mut body),
        _ => send(forest, agent, &mut body),
    }
}

fn malformed() -> String {
    "the request is malformed".to_owned()
}

fn set<H: Host>(forest: &mut Forest<H>, agent: AgentId, body: &mut Body<'_>) -> Result<(), String> {
    let (key, text) = body.text().zip(body.text()).ok_or_else(malformed)?;
    let mut keys = forest.keys_mut(agent).map_err(|it| it.to_string())?;
    if let Some(slot) = key.strip_prefix(SLOT) {
        return keys.fill(slot, text).map(|_| ()).map_err(|it| it.to_string());
    }
    let ty = keys.value(key).map_err(|it| it.to_string())?.ty();
    let value = value(forest, agent, text, ty)?;
    keys = forest.keys_mut(agent).map_err(|it| it.to_string())?;
    keys.set_value(key, value).map(|_| ()).map_err(|it| it.to_string())
}

fn send<H: Host>(forest: &mut Forest<H>, agent: AgentId, body: &mut Body<'_>) -> Result<(), String> {
    let (name, text) = body.text().zip(body.text()).ok_or_else(malformed)?;
    let tree = forest.agent(agent).map_err(|it| it.to_string())?.tree().clone();
    let payload = tree.schema().events().find(|it| it.name() == name).and_then(|it| it.payload());
    let event = Event::named(Symbol::new(name));
    let event = match payload.filter(|_| !text.is_empty()) {
        Some(ty) => event.with(value(forest, agent, text, ty)?),
        None if !text.is_empty() => return Err(format!("the event `{name}` has no payload")),
        None => event,
    };
    let mut agent = forest.agent_mut(agent).map_err(|it| it.to_string())?;
    agent.send(event).map_err(|it| it.to_string())
}

fn force<H: Host>(
    forest: &mut Forest<H>,
    recording: &mut Recording,
    held: &mut Held,
    agent: AgentId,
    body: &mut Body<'_>,
) -> Result<(), String> {
    let node = body.number().and_then(|it| NodeId::new(it as usize)).ok_or_else(malformed)?;
    let (status, seconds) = body.number().and_then(status_of).zip(body.float()).ok_or_else(malformed)?;
    if status.is_some() && !(seconds > 0.0 && seconds.is_finite()) {
        return Err("a result is forced for a number of seconds, more than 0".to_owned());
    }
    recording.force(forest, agent, node, status).map_err(|it| it.to_string())?;
    held.put(agent, node, status.map(|_| seconds));
    Ok(())
}

/// The current value of an expression over the keys of an agent.
fn value<H: Host>(forest: &Forest<H>, agent: AgentId, text: &str, ty: Type) -> Result<Value, String> {
    let agent = forest.agent(agent).map_err(|it| it.to_string())?;
    let expr = agent.tree().root().expr(text, Some(ty)).map_err(|errors| {
        let all: Vec<String> = errors.iter().map(ToString::to_string).collect();
        format!("`{text}`: {}", all.join("; "))
    })?;
    Ok(agent.eval(&expr))
}
