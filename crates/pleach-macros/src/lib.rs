//! Attributes for the leaves of [`pleach`](https://docs.rs/pleach), which re-exports them; use
//! them from there.
//!
//! The crate depends on no other crate of the workspace. The code it generates names `::pleach`, or
//! the path given as `crate`.

mod args;
mod block;
mod function;
mod keys;
mod problems;
mod refused;
mod words;

use proc_macro::TokenStream;
use quote::ToTokens;
use syn::{DeriveInput, Item, parse_macro_input};

use args::LeafArgs;

/// Makes a leaf from a function, or declares which callbacks an `impl` of `Action` or `Condition`
/// implements. See `pleach::leaf`.
#[proc_macro_attribute]
pub fn leaf(args: TokenStream, item: TokenStream) -> TokenStream {
    // Something that is not an item is left to the compiler to explain.
    let item = parse_macro_input!(item as Item);
    let args = syn::parse::<LeafArgs>(args);
    let (whole, made) = match item {
        Item::Fn(function) => {
            let failed = |error| refused::function(error, &function);
            let made = args.and_then(|args| function::expand(&args, function.clone()));
            return made.unwrap_or_else(failed).into();
        }
        Item::Impl(block) => (block.to_token_stream(), args.and_then(|args| block::expand(&args, block))),
        other => {
            let what = "`#[leaf]` is for a function, or for an `impl` of `Action` or `Condition`";
            let error = syn::Error::new_spanned(&other, what);
            (other.into_token_stream(), Err(error))
        }
    };
    made.unwrap_or_else(|error| refused::item(error, whole)).into()
}

/// Makes a struct of keys a set that the game relies on. See `pleach::Keys`.
#[proc_macro_derive(Keys, attributes(key))]
pub fn keys(item: TokenStream) -> TokenStream {
    let item = parse_macro_input!(item as DeriveInput);
    keys::expand(&item).unwrap_or_else(syn::Error::into_compile_error).into()
}

/// Makes the variants of an enum the words of a symbol key. See `pleach::SymbolEnum`.
#[proc_macro_derive(SymbolEnum, attributes(word))]
pub fn words(item: TokenStream) -> TokenStream {
    let item = parse_macro_input!(item as DeriveInput);
    words::expand(&item).unwrap_or_else(|error| refused::words(error, &item)).into()
}
