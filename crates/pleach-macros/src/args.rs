//! The arguments in the parentheses of `#[leaf(..)]`.

use syn::ext::IdentExt;
use syn::parse::{Parse, ParseStream};
use syn::{Ident, Lit, LitStr, Path, Token, parenthesized};

/// The arguments of `#[leaf(..)]`.
#[derive(Default)]
pub(crate) struct LeafArgs {
    /// The name in assets, if it does not follow from the function's.
    pub(crate) name: Option<LitStr>,
    /// The path of `pleach`, if not `::pleach`.
    pub(crate) krate: Option<Path>,
    /// The parameters that a condition's answer depends on.
    pub(crate) observes: Option<Vec<Ident>>,
    /// The parameters whose keys the leaf reads, or whose events it receives.
    pub(crate) reads: Option<Vec<Ident>>,
    /// The parameters whose keys the leaf writes, or whose events it sends.
    pub(crate) writes: Option<Vec<Ident>>,
    /// The interval in seconds at which a condition is asked.
    pub(crate) every: Option<Lit>,
}

const KNOWN: &str =
    "`#[leaf]` takes `name = \"..\"`, `observes(..)`, `every = ..`, `reads(..)`, `writes(..)` and `crate = ..`";

impl Parse for LeafArgs {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let mut args = LeafArgs::default();
        while !input.is_empty() {
            let name: Ident = input.call(IdentExt::parse_any)?;
            let word = name.to_string();
            let again = match word.as_str() {
                "name" => args.name.replace(value(input)?).is_some(),
                "every" => args.every.replace(value(input)?).is_some(),
                "crate" => args.krate.replace(value(input)?).is_some(),
                "observes" => args.observes.replace(names(input)?).is_some(),
                "reads" => args.reads.replace(names(input)?).is_some(),
                "writes" => args.writes.replace(names(input)?).is_some(),
                _ => return Err(syn::Error::new(name.span(), KNOWN)),
            };
            if again {
                return Err(syn::Error::new(name.span(), format!("`{word}` is given twice")));
            }
            if !input.is_empty() {
                input.parse::<Token![,]>()?;
            }
        }
        Ok(args)
    }
}

fn value<T: Parse>(input: ParseStream<'_>) -> syn::Result<T> {
    input.parse::<Token![=]>()?;
    input.parse()
}

/// Names in parentheses.
fn names(input: ParseStream<'_>) -> syn::Result<Vec<Ident>> {
    let content;
    parenthesized!(content in input);
    let names = content.parse_terminated(Ident::parse_any, Token![,])?;
    Ok(names.into_iter().collect())
}

impl LeafArgs {
    /// The path of `pleach`.
    pub(crate) fn pleach(&self) -> Path {
        self.krate.clone().unwrap_or_else(|| syn::parse_quote!(::pleach))
    }
}
