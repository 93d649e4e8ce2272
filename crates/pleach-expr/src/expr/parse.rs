//! Turns tokens into a syntax tree. The tree is an array with every node after its operands, so
//! that no later step recurses. The parser does not recurse either: operators wait for their right
//! side on a list (Dijkstra's shunting yard).

use std::fmt;
use std::ops::Range;

use super::code::Arith;
use super::error::{ExprError, ExprErrorKind};
use super::lex::{Lexer, Operator, Token};
use crate::limits::{MAX_EXPR_DEPTH, MAX_EXPR_SOURCE};

/// A node's index in its [`Ast`].
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct NodeAt(pub(super) usize);

impl fmt::Debug for NodeAt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "e{}", self.0)
    }
}

#[derive(Debug)]
pub(super) struct Syntax {
    pub(super) kind: Kind,
    pub(super) span: Range<usize>,
}

#[derive(Debug)]
pub(super) enum Kind {
    Bool(bool),
    Int(i64),
    Float(f32),
    /// A word that stands alone. Here and below the range is that of the word. The node's span
    /// includes its parentheses.
    Name(Range<usize>),
    /// `first.second`: a key in a scope, or a component of a key.
    Path(Range<usize>, Range<usize>),
    /// A component of an operand that is not a plain name.
    Component(NodeAt, Range<usize>),
    Not(NodeAt),
    Negate(NodeAt),
    Binary(Operator, NodeAt, NodeAt),
    /// The function's name, and its arguments.
    Call(Range<usize>, Box<[NodeAt]>),
}

/// At least one node. Operands come before the node that uses them; the last node is the root.
#[derive(Debug, Default)]
pub(super) struct Ast {
    pub(super) nodes: Vec<Syntax>,
}

impl Ast {
    pub(super) fn root(&self) -> NodeAt {
        NodeAt(self.nodes.len() - 1)
    }

    pub(super) fn node(&self, at: NodeAt) -> &Syntax {
        &self.nodes[at.0]
    }
}

/// Buffers of a parser, reused from one expression to the next.
#[derive(Debug, Default)]
pub(super) struct Buffers {
    ast: Ast,
    open: Vec<Open>,
}

/// Parses a whole source. Stops at the first error.
pub(super) fn parse<'b>(source: &str, buffers: &'b mut Buffers) -> Result<&'b Ast, ExprError> {
    if source.len() > MAX_EXPR_SOURCE {
        return Err(ExprError { span: 0..source.len(), kind: ExprErrorKind::TooLong { len: source.len() } });
    }
    let mut lexer = Lexer::new(source);
    let (token, span) = lexer.next()?;
    let Buffers { ast, open } = buffers;
    ast.nodes.clear();
    open.clear();
    let mut parser = Parser { source, lexer, token, span, nodes: &mut ast.nodes, open, depth: 0 };
    parser.whole()?;
    Ok(ast)
}

struct Parser<'a> {
    source: &'a str,
    lexer: Lexer<'a>,
    /// The current token.
    token: Token,
    span: Range<usize>,
    nodes: &'a mut Vec<Syntax>,
    /// What has begun and is not finished, outermost first. A list, so that nesting takes no stack.
    open: &'a mut Vec<Open>,
    /// How many of `open` are levels of nesting: all except the operators.
    depth: usize,
}

/// Something waiting for its last operand.
#[derive(Debug)]
enum Open {
    /// A `-`, `!` or `not`, and where it stands.
    Prefix { negate: bool, start: usize },
    /// An operator with its left side.
    Infix(Operator, NodeAt),
    /// A parenthesis, and where it stands.
    Group { start: usize },
    /// A function and its arguments so far.
    Call { name: Range<usize>, arguments: Vec<NodeAt> },
}

impl Parser<'_> {
    fn whole(&mut self) -> Result<(), ExprError> {
        loop {
            let mut operand = self.operand()?;
            // A complete operand may complete what is around it, and so on.
            while let Some(at) = operand {
                operand = match self.token {
                    Token::Operator(operator) => {
                        self.infix(operator, at)?;
                        None
                    }
                    _ => {
                        let done = self.join(at, 0);
                        match self.open.pop() {
                            Some(Open::Group { start }) => Some(self.close_group(start, done)?),
                            Some(Open::Call { name, arguments }) => self.argument(name, arguments, done)?,
                            Some(Open::Prefix { .. } | Open::Infix(..)) => unreachable!("they are joined"),
                            None if self.token == Token::End => return Ok(()),
                            None => {
                                return Err(self.unexpected("an operator or the end"));
                            }
                        }
                    }
                };
            }
        }
    }

    /// An operand with its components. `None` if it has only begun: then another operand comes
    /// next.
    fn operand(&mut self) -> Result<Option<NodeAt>, ExprError> {
        let span = self.span.clone();
        let node = match self.token {
            Token::Not => return self.prefix(false),
            Token::Operator(Operator::Arith(Arith::Sub)) => return self.prefix(true),
            Token::Int(magnitude) => {
                let value = i64::try_from(magnitude).map_err(|_| self.out_of_range(span.clone()))?;
                self.advance()?;
                self.push(Kind::Int(value), span)
            }
            Token::Float(value) => {
                self.advance()?;
                self.push(Kind::Float(value), span)
            }
            Token::Name => {
                self.advance()?;
                match self.after_name(span)? {
                    Some(node) => node,
                    None => return Ok(None),
                }
            }
            Token::Open => {
                self.deeper()?;
                self.advance()?;
                self.open.push(Open::Group { start: span.start });
                return Ok(None);
            }
            Token::Operator(_) | Token::Close | Token::Comma | Token::Dot | Token::End => {
                return Err(self.unexpected("a value"));
            }
        };
        self.components(node).map(Some)
    }

    fn prefix(&mut self, negate: bool) -> Result<Option<NodeAt>, ExprError> {
        let start = self.span.start;
        self.deeper()?;
        self.advance()?;
        if let (true, Token::Int(magnitude)) = (negate, self.token) {
            // Includes the sign, as -2^63 is in range and 2^63 is not.
            let span = start..self.span.end;
            let value = 0_i64.checked_sub_unsigned(magnitude).ok_or_else(|| self.out_of_range(span.clone()))?;
            self.advance()?;
            self.depth -= 1;
            return Ok(Some(self.push(Kind::Int(value), span)));
        }
        self.open.push(Open::Prefix { negate, start });
        Ok(None)
    }

    fn components(&mut self, mut node: NodeAt) -> Result<NodeAt, ExprError> {
        while self.token == Token::Dot {
            self.advance()?;
            let name = self.name("`x`, `y` or `z`")?;
            let span = self.node_span(node).start..name.end;
            node = self.push(Kind::Component(node, name), span);
        }
        Ok(node)
    }

    /// An operator after its left side: `at`, and whatever before it binds at least as tightly.
    fn infix(&mut self, operator: Operator, at: NodeAt) -> Result<(), ExprError> {
        let precedence = operator.precedence();
        let mut left = self.join(at, precedence + 1);
        if let (Operator::Compare(_), Some(Open::Infix(Operator::Compare(_), _))) = (operator, self.open.last()) {
            return Err(ExprError { span: self.span.clone(), kind: ExprErrorKind::ChainedComparison });
        }
        left = self.join(left, precedence);
        self.advance()?;
        self.open.push(Open::Infix(operator, left));
        Ok(())
    }

    /// Gives the operand to the prefixes before it, and to the operators that bind at least as
    /// tightly as `least`.
    fn join(&mut self, mut operand: NodeAt, least: u8) -> NodeAt {
        loop {
            match self.open.last() {
                Some(&Open::Prefix { negate, start }) => {
                    self.depth -= 1;
                    let span = start..self.node_span(operand).end;
                    operand = self.push(if negate { Kind::Negate(operand) } else { Kind::Not(operand) }, span);
                }
                Some(&Open::Infix(operator, left)) if operator.precedence() >= least => {
                    let span = self.node_span(left).start..self.node_span(operand).end;
                    operand = self.push(Kind::Binary(operator, left, operand), span);
                }
                Some(Open::Infix(..) | Open::Group { .. } | Open::Call { .. }) | None => return operand,
            }
            self.open.pop();
        }
    }

    fn close_group(&mut self, start: usize, inner: NodeAt) -> Result<NodeAt, ExprError> {
        let end = self.span.end;
        self.expect(Token::Close, "an operator or `)`")?;
        self.depth -= 1;
        self.nodes[inner.0].span = start..end;
        self.components(inner)
    }

    /// Adds an argument to a call. Returns the call if the argument is the last.
    fn argument(
        &mut self,
        name: Range<usize>,
        mut arguments: Vec<NodeAt>,
        argument: NodeAt,
    ) -> Result<Option<NodeAt>, ExprError> {
        arguments.push(argument);
        if self.token == Token::Comma {
            self.advance()?;
            self.open.push(Open::Call { name, arguments });
            return Ok(None);
        }
        self.close_call(name, arguments).map(Some)
    }

    fn close_call(&mut self, name: Range<usize>, arguments: Vec<NodeAt>) -> Result<NodeAt, ExprError> {
        let span = name.start..self.span.end;
        self.expect(Token::Close, "an operator, `,` or `)`")?;
        self.depth -= 1;
        let call = self.push(Kind::Call(name, arguments.into()), span);
        self.components(call)
    }

    /// The node of a name that was just read. `None` if it is a function, whose arguments come
    /// next.
    fn after_name(&mut self, name: Range<usize>) -> Result<Option<NodeAt>, ExprError> {
        let node = match (&self.source[name.clone()], self.token) {
            ("true", _) => self.push(Kind::Bool(true), name),
            ("false", _) => self.push(Kind::Bool(false), name),
            (_, Token::Open) => {
                self.deeper()?;
                self.advance()?;
                if self.token == Token::Close {
                    return self.close_call(name, Vec::new()).map(Some);
                }
                self.open.push(Open::Call { name, arguments: Vec::new() });
                return Ok(None);
            }
            (_, Token::Dot) => {
                self.advance()?;
                let second = self.name("a name")?;
                let span = name.start..second.end;
                self.push(Kind::Path(name, second), span)
            }
            _ => self.push(Kind::Name(name.clone()), name),
        };
        Ok(Some(node))
    }

    fn name(&mut self, expected: &'static str) -> Result<Range<usize>, ExprError> {
        let span = self.span.clone();
        self.expect(Token::Name, expected)?;
        Ok(span)
    }

    fn expect(&mut self, token: Token, expected: &'static str) -> Result<(), ExprError> {
        if self.token != token {
            return Err(self.unexpected(expected));
        }
        self.advance()
    }

    fn advance(&mut self) -> Result<(), ExprError> {
        (self.token, self.span) = self.lexer.next()?;
        Ok(())
    }

    fn deeper(&mut self) -> Result<(), ExprError> {
        if self.depth == MAX_EXPR_DEPTH {
            return Err(ExprError { span: self.span.clone(), kind: ExprErrorKind::TooDeep });
        }
        self.depth += 1;
        Ok(())
    }

    fn push(&mut self, kind: Kind, span: Range<usize>) -> NodeAt {
        self.nodes.push(Syntax { kind, span });
        NodeAt(self.nodes.len() - 1)
    }

    fn node_span(&self, at: NodeAt) -> &Range<usize> {
        &self.nodes[at.0].span
    }

    fn unexpected(&self, expected: &'static str) -> ExprError {
        if let Some(span) = self.percent().or_else(|| self.other_point()) {
            let text = self.source[span.clone()].to_owned();
            return ExprError { span, kind: ExprErrorKind::MalformedNumber { text } };
        }
        let found = self.source[self.span.clone()].to_owned();
        let kind = match self.token {
            Token::End => ExprErrorKind::UnexpectedEnd { expected },
            _ => ExprErrorKind::UnexpectedToken { found, expected },
        };
        ExprError { span: self.span.clone(), kind }
    }

    /// A number directly followed by `%`, which ends before this token: not a remainder, as nothing
    /// follows.
    fn percent(&self) -> Option<Range<usize>> {
        let before = self.source[..self.span.start].trim_end().strip_suffix('%')?;
        let digits = before.trim_end_matches(|it: char| it.is_ascii_digit() || it == '.');
        before[digits.len()..].parse::<f64>().ok()?;
        Some(digits.len()..before.len() + 1)
    }

    /// A number with a comma as its point, as in `0,5`, or with nothing before it, as in `.5`.
    fn other_point(&self) -> Option<Range<usize>> {
        let (before, behind) = (&self.source[..self.span.start], &self.source[self.span.end..]);
        let digits = behind.len() - behind.trim_start_matches(|it: char| it.is_ascii_digit()).len();
        let whole = before.len() - before.trim_end_matches(|it: char| it.is_ascii_digit()).len();
        let is_number = match self.token {
            Token::Comma => whole > 0 && digits > 0,
            Token::Dot => whole == 0 && digits > 0,
            _ => false,
        };
        is_number.then(|| self.span.start - whole..self.span.end + digits)
    }

    fn out_of_range(&self, span: Range<usize>) -> ExprError {
        let text = self.source[span.clone()].to_owned();
        ExprError { span, kind: ExprErrorKind::NumberOutOfRange { text } }
    }
}
