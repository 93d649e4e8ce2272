//! A parameter of a function: its name in assets, the type that is stored, and how it is passed on.

use proc_macro2::{TokenStream, TokenTree};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::ext::IdentExt;
use syn::spanned::Spanned;
use syn::{Error, Expr, Ident, Pat, PatType, Path, Type};

use crate::args::LeafArgs;

/// The fields that every node has in assets: a parameter of such a name would never be read.
const COMMON: [&str; 5] = ["name", "id", "note", "allow", "disabled"];

pub(super) struct Parameter {
    /// The name in assets: without the `r#` that Rust needs before a keyword.
    pub(super) name: String,
    /// The type that is stored.
    pub(super) kept: Type,
    /// Whether the function borrows it.
    borrowed: bool,
    pub(super) default: Option<Expr>,
    /// Its doc comment.
    doc: String,
}

impl Parameter {
    pub(super) fn new(input: &PatType) -> syn::Result<Self> {
        let Pat::Ident(pattern) = &*input.pat else {
            return Err(Error::new_spanned(&input.pat, "a parameter of a leaf needs a name, which assets use for it"));
        };
        let name = pattern.ident.unraw().to_string();
        if COMMON.contains(&name.as_str()) {
            let what = format!("in assets every node has a field `{name}`: give the parameter another name");
            return Err(Error::new_spanned(&pattern.ident, what));
        }
        let mut default = None;
        for attribute in input.attrs.iter().filter(|it| it.path().is_ident("default")) {
            if default.replace(attribute.parse_args()?).is_some() {
                return Err(Error::new_spanned(attribute, "the default is already given"));
            }
        }
        let (kept, borrowed) = kept(&input.ty)?;
        Ok(Parameter { name, kept, borrowed, default, doc: super::doc(&input.attrs) })
    }

    /// Whether this name in `#[leaf(..)]` means it: `type` and `r#type` are the same.
    pub(super) fn is(&self, name: &Ident) -> bool {
        name.unraw() == self.name
    }

    /// The code that describes it to assets and tools.
    pub(super) fn info(&self, leaf: &Path, args: &LeafArgs) -> TokenStream {
        let Parameter { name, kept, doc, .. } = self;
        let is_in = |names: &Option<Vec<Ident>>| names.iter().flatten().any(|it| self.is(it));
        // A parameter that an answer depends on is read.
        let reads = is_in(&args.reads) || is_in(&args.observes);
        let writes = is_in(&args.writes);
        quote_spanned!(kept.span()=> #leaf::parameter::<#kept>(#name, #doc, #reads, #writes))
    }

    /// Its default, as an option.
    pub(super) fn slot(&self) -> TokenStream {
        match &self.default {
            Some(it) => quote!(::core::option::Option::Some(#it)),
            None => quote!(::core::option::Option::None),
        }
    }

    /// The name of the variable that borrows the stored value.
    pub(super) fn variable(&self) -> Ident {
        format_ident!("of_{}", self.name)
    }

    /// The argument of the call.
    pub(super) fn argument(&self, leaf: &Path) -> TokenStream {
        let (variable, kept) = (self.variable(), &self.kept);
        if self.borrowed { quote!(#variable) } else { quote_spanned!(kept.span()=> #leaf::copied::<#kept>(#variable)) }
    }
}

/// The stored type for a parameter of this type, and whether the function borrows it.
fn kept(ty: &Type) -> syn::Result<(Type, bool)> {
    match ty {
        Type::Reference(it) if it.mutability.is_some() => {
            let what = "all agents share the parameters of a leaf, so they cannot be changed: take `&`; \
                        for what changes per agent, use a key or the state of an `Action`";
            Err(Error::new_spanned(ty, what))
        }
        Type::Reference(it) => {
            if let Some(lifetime) = &it.lifetime {
                return Err(Error::new_spanned(
                    lifetime,
                    "the tree owns the parameters of a leaf: leave the lifetime out",
                ));
            }
            if holds_reference(it.elem.to_token_stream()) {
                let what = "the tree owns what a parameter contains, so only the whole parameter can be a reference: \
                            `&Option<String>`, or `&[String]`";
                return Err(Error::new_spanned(ty, what));
            }
            Ok((
                match &*it.elem {
                    Type::Path(path) if path.path.is_ident("str") => {
                        syn::parse_quote_spanned!(path.span()=> ::std::string::String)
                    }
                    Type::Slice(slice) => {
                        let elem = &slice.elem;
                        syn::parse_quote_spanned!(slice.span()=> ::std::vec::Vec<#elem>)
                    }
                    elem => elem.clone(),
                },
                true,
            ))
        }
        Type::ImplTrait(_) => Err(Error::new_spanned(ty, "a parameter has one type: name it")),
        Type::Path(it) => {
            let last = it.path.segments.last().map(|it| it.ident.to_string()).unwrap_or_default();
            let instead = match last.as_str() {
                "String" => "&str",
                "Vec" => "&[..]",
                "FloatExpr" => "&FloatExpr",
                _ if holds_reference(it.to_token_stream()) => {
                    let what = "the tree owns what a parameter contains, so only the whole parameter can be a reference: \
                                `&Option<String>` is a string that can be left out, `&Vec<String>` are several";
                    return Err(Error::new_spanned(ty, what));
                }
                _ => return Ok((ty.clone(), false)),
            };
            let what = format!("take `{instead}`: a `{last}` would be copied in every update");
            Err(Error::new_spanned(ty, what))
        }
        _ => Ok((ty.clone(), false)),
    }
}

/// Whether there is a reference within a type.
fn holds_reference(tokens: TokenStream) -> bool {
    tokens.into_iter().any(|it| match it {
        TokenTree::Punct(it) => it.as_char() == '&',
        TokenTree::Group(it) => holds_reference(it.stream()),
        TokenTree::Ident(_) | TokenTree::Literal(_) => false,
    })
}
