//! What a studio asks of an agent, done.

use pleach_core::record::Recording;
use pleach_core::{AgentId, Event, Forest, Host, Symbol, Type, Value};

use crate::wire::{Body, Kind, Message};

/// What the key of a slot begins with.
const SLOT: &str = "slot:";

/// Carries out a request about an agent.
///
/// # Errors
/// Why it was not.
pub(crate) fn carry_out<H: Host>(
    forest: &mut Forest<H>,
    recording: &Recording,
    message: &Message,
) -> Result<(), String> {
    let mut body = message.read();
    let number = body.number().ok_or_else(malformed)?;
    let agent = recording.agent(number).filter(|it| forest.contains(*it));
    let agent = agent.ok_or_else(|| format!("agent {number} is not in the game any more"))?;
    match message.kind {
        Kind::Set => set(forest, agent, &mut body),
        Kind::Send => send(forest, agent, &mut body),
        _ => Err("this game does not know the request: it has another version of pleach".to_owned()),
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

/// What an expression over the keys of an agent is now.
fn value<H: Host>(forest: &Forest<H>, agent: AgentId, text: &str, ty: Type) -> Result<Value, String> {
    let agent = forest.agent(agent).map_err(|it| it.to_string())?;
    let expr = agent.tree().root().expr(text, Some(ty)).map_err(|errors| {
        let all: Vec<String> = errors.iter().map(ToString::to_string).collect();
        format!("`{text}`: {}", all.join("; "))
    })?;
    Ok(agent.eval(&expr))
}
