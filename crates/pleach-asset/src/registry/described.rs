//! Leaves that are described by data, for hosts whose leaves are known only at run time.

use std::sync::Arc;

use pleach_core::{Host, nodes::Node};

use super::call::refused;
use super::{About, Call, Make, ParamError, Registry, RegistryError, arguments};
use crate::argument::Argument;
use crate::code::Code;
use crate::finding::Finding;
use crate::info::{LeafInfo, LeafKind};

impl<H: Host> Registry<H> {
    /// Registers a leaf that is described by data: for games in other languages, whose leaves are
    /// known only at run time. `make` gets the parameters in the order of the description, with
    /// defaults for those left out, and whether it has to make a condition. It is called for each
    /// use of the leaf, in the order of the files.
    ///
    /// ```
    /// # mod pleach {
    /// #     pub use pleach_asset::{Argument, LeafInfo, LeafKind, ParameterInfo, Presence, Registry, ValueType, load_str};
    /// #     pub use pleach_core::{Host, Status, nodes};
    /// # }
    /// use pleach::{Argument, Host, LeafInfo, LeafKind, ParameterInfo, Presence, Registry, Status, ValueType, load_str, nodes};
    ///
    /// struct Game;
    /// impl Host for Game {
    ///     type Cx<'a> = ();
    /// }
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let mut speed = ParameterInfo::new("speed", ValueType::Float);
    /// speed.presence = Presence::Default("2.0".into());
    /// let mut walk = LeafInfo::new("Walk", LeafKind::Action);
    /// walk.parameters = Some(vec![speed]);
    /// let mut registry = Registry::<Game>::new();
    /// registry.described(walk, |arguments, _| {
    ///     let [Argument::Float(speed)] = arguments[..] else { unreachable!() };
    ///     Ok(nodes::action(move |_| if speed > 1.0 { Status::Success } else { Status::Running }))
    /// })?;
    /// assert!(load_str("a.ron", "Tree(version: 1, root: Walk)", &registry).is_ok());
    /// assert!(load_str("a.ron", "Tree(version: 1, root: Walk(sped: 3.0))", &registry).is_err());
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// The name is taken, built in, or malformed.
    pub fn described<F>(&mut self, leaf: LeafInfo, make: F) -> Result<&mut Self, RegistryError>
    where
        F: Fn(Vec<Argument>, bool) -> Result<Node<H>, ParamError> + Send + Sync + 'static,
    {
        let leaf = Arc::new(leaf);
        let about = About::Described(Arc::clone(&leaf));
        let (name, is_unsure) = (leaf.name.clone(), leaf.kind == LeafKind::Unknown);
        let make: Make<H> = Arc::new(move |mut call| {
            let is_condition = leaf.kind.is_condition(call.is_test);
            let Call { of, is_test, keys, ref mut findings } = call;
            let given = arguments::read(&leaf, Call { of, is_test, keys, findings })?;
            let mut all = Vec::with_capacity(given.len());
            for (parameter, given) in leaf.parameters.iter().flatten().zip(given) {
                match given.map_or_else(|| arguments::left_out(parameter, keys), Ok) {
                    Ok(it) => all.push(it),
                    Err((message, help)) => {
                        let head = of.head();
                        let message = format!("the default of `{}` of `{}`: {message}", parameter.name, head.text);
                        findings.push(Finding::new(Code::Parameters, head.span, message).maybe_help(help));
                    }
                }
            }
            if all.len() < leaf.parameters.as_ref().map_or(0, Vec::len) {
                return None;
            }
            make(all, is_condition).map_err(|error| refused(&mut call, error)).ok()
        });
        self.add_made(&name, about, is_unsure, make)
    }
}
