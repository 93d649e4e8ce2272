//! Tokens: what a tree declares about them, and the nodes that refer to one (SEMANTICS 8.36).

use std::fmt::Write;
use std::rc::Rc;

use pleach_expr::expr::is_name;
use pleach_expr::names::{self, Near};
use pleach_expr::runtime::TOKEN;

#[cfg(feature = "save")]
use crate::Tree;
use crate::blackboard::Scope;
use crate::blackboard::TokenTerms;
use crate::blackboard::token_decl::TokenDecl;
use crate::clock;
use crate::index::TokenId;
use crate::limits::{MAX_NAME, MAX_TOKENS};
use crate::tree::amount::Count;
use crate::tree::flatten::Flatten;
use crate::tree::kind::NodeKind;
use crate::tree::node::{Build, Spec};
use crate::tree::preorder::PreOrder;
use crate::tree::problem::{Field, ProblemKind, TokenProblem};
use crate::tree::record::Op;
use crate::{Host, NodeId};

impl<H: Host> Flatten<H> {
    /// Declares all tokens, before any node asks for one.
    pub(in crate::tree) fn declare_tokens(&mut self, specs: &[Spec<H>], layout: &PreOrder) {
        for (index, &at) in layout.post.iter().enumerate() {
            if let Build::Token { token, count, rest, global } = &specs[usize::from(at)].build {
                let id = NodeId::new(index).expect("T1");
                self.declare_token(id, token, (count, rest.unwrap_or(0.0), *global));
            }
        }
    }

    fn declare_token(&mut self, id: NodeId, token: &str, (count, rest, global): (&Count, f64, bool)) {
        if !is_name(token) || token.len() + TOKEN.len() > MAX_NAME {
            self.problem(
                id,
                Some(Field::Param("token")),
                ProblemKind::Token(TokenProblem::BadName(token.chars().take(MAX_NAME).collect())),
            );
            return;
        }
        let count = match count {
            Count::Literal(count) if *count > 0 => *count,
            _ => {
                self.problem(id, Some(Field::Param("count")), ProblemKind::Token(TokenProblem::NoPlaces));
                1
            }
        };
        let rest = clock::span(rest).filter(|_| rest >= 0.0).unwrap_or_else(|| {
            self.problem(id, Some(Field::Param("rest")), ProblemKind::Token(TokenProblem::Rest(rest)));
            clock::Span::ZERO
        });
        let terms = TokenTerms { count, rest: rest.0, global };
        if let Some(known) = self.tree.tokens.iter().position(|it| *it.name == *token) {
            let other = self.tree.tokens[known].terms;
            if terms != other {
                let path = self.tree.node(self.tree.tokens[known].nodes[0]).expect("described").path();
                let kind = TokenProblem::Differs { token: token.into(), other: path, terms: [terms, other] };
                self.problem(id, None, ProblemKind::Token(kind));
            }
            self.tree.tokens[known].nodes.push(id);
            return;
        }
        if self.tree.tokens.len() == MAX_TOKENS {
            self.problem(id, Some(Field::Param("token")), ProblemKind::Token(TokenProblem::TooMany));
            return;
        }
        let scope = if global { Scope::Global } else { Scope::Group };
        let schema = Rc::make_mut(&mut self.schema);
        match schema.declare(&format!("{TOKEN}{token}"), scope, None, 0_i64.into()) {
            Ok(index) => {
                let key = schema.decl(index).place();
                self.tree.tokens.push(TokenDecl { name: token.into(), scope, key, index, terms, nodes: vec![id] });
            }
            Err(error) => self.problem(id, Some(Field::Param("token")), ProblemKind::Key(error)),
        }
    }

    fn find_token(&self, token: &str) -> Option<TokenId> {
        self.tree.tokens.iter().position(|it| *it.name == *token).map(TokenId::new)
    }

    /// A Token, which was declared unless there is something wrong with it.
    pub(super) fn token(&mut self, token: &str) -> Op {
        let slot = self.slot(NodeKind::Token, 0);
        self.find_token(token).map_or(Op::Fail, |token| Op::Token { token, slot })
    }

    pub(super) fn free(&mut self, id: NodeId, token: &str) -> Op {
        if let Some(token) = self.find_token(token) {
            return Op::Free { token };
        }
        let all: Vec<&str> = self.tree.tokens.iter().map(|it| &*it.name).collect();
        let help = names::near(token, all.iter().copied()).map(Near::help);
        let token = token.chars().take(MAX_NAME).collect();
        self.problem(id, Some(Field::Param("token")), ProblemKind::Token(TokenProblem::Unknown { token, help }));
        Op::Fail
    }
}

#[cfg(feature = "save")]
impl<H: Host> Tree<H> {
    /// The terms of a token of this name with the same sharing, if the tree has it.
    pub(crate) fn terms_of(&self, token: &str, global: bool) -> Option<TokenTerms> {
        let found = self.tokens.iter().find(|it| *it.name == *token && it.terms.global == global);
        found.map(|it| it.terms)
    }
}

/// The words of a Token next to its node in drawings.
pub(super) fn describe(
    text: &mut String,
    token: &str,
    count: &Count,
    rest: Option<f64>,
    global: bool,
) -> std::fmt::Result {
    write!(text, "{token}: {count}")?;
    if let Some(rest) = rest.filter(|it| *it > 0.0) {
        write!(text, ", rest {rest} s")?;
    }
    if global { text.write_str(", global") } else { Ok(()) }
}
