//! The services of a composite.

use pleach_core::kinds::NodeKind;

use super::AssetReader;
use super::first;
use super::node::built_in;
use crate::asset::{Role, Service};
use crate::code::Code;
use crate::span::Span;
use crate::suggest::{Advice, Edit};
use crate::syntax::{Args, Data, Value};

impl AssetReader {
    pub(super) fn services<'a>(&mut self, value: Value<'a>) -> Vec<Service<'a>> {
        let Data::List(items) = value.data() else {
            let message = format!("`services` must be a list, not {}", value.what());
            self.error(Code::WrongValue, first(value.span()), message).help = Some(wrapped(value));
            return Vec::new();
        };
        items.filter_map(|it| self.service(it)).collect()
    }

    fn service<'a>(&mut self, value: Value<'a>) -> Option<Service<'a>> {
        let [every_field, _, jitter_field] = NodeKind::SERVICE_FIELDS else { return None };
        let ([every, run], jitter) =
            self.pair(value, "entry of `services`", ["every", "run"], Some(jitter_field.name))?;
        let every = self.parameter(format_args!("a service"), every_field, every);
        let jitter = jitter.map(|it| self.parameter(format_args!("a service"), jitter_field, it));
        if let Some((kind, span)) = built_in(run) {
            self.error(
                Code::Misplaced,
                span,
                format!("`{}` cannot be a service: only actions of the host can", kind.name()),
            );
            return None;
        }
        let run = self.node_as(Role::Service, run, 1)?;
        // A jitter that is wrong has been reported.
        Some(Service { every: every?, jitter: jitter.flatten(), run })
    }
}

/// Help for one service where a list of them is wanted.
fn wrapped(value: Value<'_>) -> Advice {
    let advice = Advice::from("write `services: [(every: 0.5, run: ..)]`");
    let span = value.span();
    let at = |it: usize| Span::new(it, it);
    match value.data() {
        Data::Call(None, Args::Named(_)) => {
            advice.edit(Edit::At(vec![(at(span.start()), "[".into()), (at(span.end()), "]".into())]))
        }
        _ => advice,
    }
}
