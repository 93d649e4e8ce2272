//! [`Calls`]: how a binding calls its leaves; and [`Leaf`]: a leaf as one node uses it.

use std::sync::Arc;

use pleach_asset::{AnyKey, Argument, LeafInfo, ParameterInfo};
use pleach_core::{BatchContext, BatchLeaf, Context, End, Host, Status};

use crate::{Problem, Problems};

/// How a binding calls its leaves.
pub trait Calls: Host {
    /// What it keeps of each leaf: the function to call.
    type Function: Clone + Send + Sync + 'static;

    /// Updates all agents of a batch, or answers for all of them. Without an answer an action is
    /// running, and a condition is a failure.
    fn update(leaf: &Leaf<Self>, batch: &mut BatchContext<'_, '_, '_, Self>);

    /// An activation of the context's agent begins. Only called for leaves whose description
    /// [says so](crate::Description::starts).
    fn start(leaf: &Leaf<Self>, cx: &mut Context<'_, '_, Self>) {
        let _ = (leaf, cx);
    }

    /// An activation of the context's agent is over. Only called for leaves whose description
    /// [says so](crate::Description::ends).
    fn end(leaf: &Leaf<Self>, cx: &mut Context<'_, '_, Self>, end: End) {
        let _ = (leaf, cx, end);
    }

    /// Where to put errors of leaves.
    fn problems<'a>(cx: &'a mut Self::Cx<'_>) -> &'a mut Problems;
}

/// A leaf as one node uses it: what the binding calls, and the parameters that the node gives.
#[derive(Debug)]
pub struct Leaf<H: Calls> {
    pub(crate) info: Arc<LeafInfo>,
    pub(crate) arguments: Box<[Argument]>,
    pub(crate) function: H::Function,
    pub(crate) is_condition: bool,
    pub(crate) starts: bool,
    pub(crate) ends: bool,
}

impl<H: Calls> Leaf<H> {
    /// Its name in assets.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.info.name
    }

    /// Whether it is a condition here.
    #[must_use]
    pub fn is_condition(&self) -> bool {
        self.is_condition
    }

    /// What the binding calls.
    #[must_use]
    pub fn function(&self) -> &H::Function {
        &self.function
    }

    /// The descriptions of its parameters, in their order.
    #[must_use]
    pub fn parameters(&self) -> &[ParameterInfo] {
        self.info.parameters.as_deref().unwrap_or_default()
    }

    /// Its parameters, in their order.
    #[must_use]
    pub fn arguments(&self) -> &[Argument] {
        &self.arguments
    }

    /// The parameter of a name.
    #[must_use]
    pub fn argument(&self, name: &str) -> Option<&Argument> {
        let at = self.parameters().iter().position(|it| it.name == name)?;
        self.arguments.get(at)
    }

    /// The parameter of a name, if it is a number.
    #[must_use]
    pub fn float(&self, name: &str) -> Option<f64> {
        if let Argument::Float(it) = self.argument(name)? { Some(*it) } else { None }
    }

    /// The parameter of a name, if it is a key.
    #[must_use]
    pub fn key(&self, name: &str) -> Option<AnyKey> {
        if let Argument::Key(it) = self.argument(name)? { Some(*it) } else { None }
    }

    /// The leaf went wrong for an agent of a batch: it fails for that agent.
    pub fn fail(&self, batch: &mut BatchContext<'_, '_, '_, H>, agent: usize, message: impl Into<String>) {
        batch.answer(agent, Status::Failure);
        self.complain(batch.at(agent), message);
    }

    /// The leaf went wrong in a start or an end.
    pub fn complain(&self, cx: &mut Context<'_, '_, H>, message: impl Into<String>) {
        let problem = Problem::new(self.name(), cx.agent(), cx.node(), message);
        H::problems(cx.host).add(problem);
    }
}

impl<H: Calls> BatchLeaf<H> for Leaf<H> {
    fn starts(&self) -> bool {
        self.starts
    }
    fn ends(&self) -> bool {
        self.ends
    }
    fn start(&self, cx: &mut Context<'_, '_, H>) {
        H::start(self, cx);
    }
    fn update(&self, batch: &mut BatchContext<'_, '_, '_, H>) {
        H::update(self, batch);
    }
    fn end(&self, cx: &mut Context<'_, '_, H>, end: End) {
        H::end(self, cx, end);
    }
}
