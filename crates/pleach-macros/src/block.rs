//! `#[leaf]` on an `impl` of `Action` or `Condition`: which callbacks the block implements, and
//! whether its states can be cloned and saved.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote};
use syn::{Error, ImplItem, ItemImpl, Type, parse_quote};

use crate::args::LeafArgs;
use crate::function::doc;

/// The callbacks besides `update`, each with its name in `Callbacks`.
const CALLBACKS: [(&str, &str); 5] =
    [("start", "START"), ("end", "END"), ("awake", "LIFECYCLE"), ("restored", "LIFECYCLE"), ("pause", "LIFECYCLE")];

pub(crate) fn expand(args: &LeafArgs, mut block: ItemImpl) -> syn::Result<TokenStream> {
    let of = block.trait_.as_ref().and_then(|(path, _)| path.segments.last());
    if !of.is_some_and(|it| it.ident == "Action" || it.ident == "Condition") {
        let what = "`#[leaf]` is for an `impl` of `Action` or `Condition`, or for a function";
        return Err(Error::new_spanned(&block.self_ty, what));
    }
    if let Some(name) = &args.name {
        let what = "a struct gets its name when it is registered: `registry.action::<..>(\"Name\")`";
        return Err(Error::new_spanned(name, what));
    }
    if args.observes.is_some() || args.every.is_some() {
        let what = "`observes` and `every` are for functions: implement `Condition::observes`";
        return Err(Error::new_spanned(&block.self_ty, what));
    }
    if let Some(name) = args.reads.iter().chain(&args.writes).flatten().next() {
        let what = "`reads` and `writes` are for functions, as they name parameters of one";
        return Err(Error::new_spanned(name, what));
    }
    for item in &block.items {
        if let ImplItem::Const(it) = item
            && it.ident == "CALLBACKS"
        {
            let what = "`#[leaf]` works the callbacks out from what is implemented here: remove `CALLBACKS`";
            return Err(Error::new_spanned(&it.ident, what));
        }
    }
    let pleach = args.pleach();
    let mut callbacks = quote!(#pleach::__leaf::Callbacks::empty());
    for flag in flags(&block.items) {
        let flag = Ident::new(flag, Span::call_site());
        callbacks = quote!(#callbacks.union(#pleach::__leaf::Callbacks::#flag));
    }
    block.items.push(parse_quote! {
        const CALLBACKS: #pleach::__leaf::Callbacks = #callbacks;
    });
    let doc = doc(&block.attrs);
    if !doc.is_empty() {
        block.items.push(parse_quote! {
            const DOC: &'static str = #doc;
        });
    }
    if !block.items.iter().any(|it| matches!(it, ImplItem::Const(it) if it.ident == "KEEP"))
        && let Some(state) = state(&block.items)
    {
        // The type's own constants exist if the state is `Clone`, and if it is `Serialize` and
        // `Deserialize`. They take precedence over the traits'.
        let keep: ImplItem = parse_quote! {
            const KEEP: #pleach::Keep<Self::State> = {
                use #pleach::__leaf::{NotCloned as _, NotSaved as _};
                <#pleach::__leaf::Cloned<#state>>::KEEP.with(<#pleach::__leaf::Saved<#state>>::SAVING)
            };
        };
        block.items.push(keep);
    }
    Ok(block.into_token_stream())
}

/// The type of the states.
fn state(items: &[ImplItem]) -> Option<&Type> {
    items.iter().find_map(|it| match it {
        ImplItem::Type(it) if it.ident == "State" => Some(&it.ty),
        _ => None,
    })
}

/// The flags of the implemented callbacks. A function behind a `cfg` counts: if it is absent, the
/// default is called for nothing. A macro may expand to any of them.
fn flags(items: &[ImplItem]) -> Vec<&'static str> {
    let has = |name: &str| {
        items.iter().any(|it| match it {
            ImplItem::Fn(it) => it.sig.ident == name,
            ImplItem::Macro(_) => true,
            _ => false,
        })
    };
    let mut flags: Vec<&'static str> = CALLBACKS.iter().filter(|it| has(it.0)).map(|it| it.1).collect();
    flags.dedup();
    flags
}
