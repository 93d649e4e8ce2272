//! Attributes for the leaves of [`pleach`](https://docs.rs/pleach), which re-exports them; use
//! them from there.
//!
//! The crate knows no other crate of the workspace. What it writes names `::pleach`, or the path
//! given as `crate`.

mod args;
mod block;
mod function;
mod problems;
mod words;

use proc_macro::TokenStream;
use quote::ToTokens;
use syn::{DeriveInput, Item, parse_macro_input};

use args::LeafArgs;

/// Makes a leaf out of a function, or tells which callbacks an `impl` of `Action` or `Condition`
/// implements. See `pleach::leaf`.
#[proc_macro_attribute]
pub fn leaf(args: TokenStream, item: TokenStream) -> TokenStream {
    let args = parse_macro_input!(args as LeafArgs);
    // What is no item at all is the compiler's to explain.
    let item = parse_macro_input!(item as Item);
    let (whole, made) = match item {
        Item::Fn(function) => (Some(function::plain(function.clone())), function::expand(&args, function)),
        Item::Impl(block) => (Some(block.to_token_stream()), block::expand(&args, block)),
        other => {
            let what = "`#[leaf]` is for a function, or for an `impl` of `Action` or `Condition`";
            (Some(other.to_token_stream()), Err(syn::Error::new_spanned(other, what)))
        }
    };
    made.unwrap_or_else(|error| {
        // With the item as it stands, its other uses are no errors too.
        let mut tokens = error.into_compile_error();
        tokens.extend(whole);
        tokens
    })
    .into()
}

/// Makes the variants of an enum the words of a symbol key. See `pleach::Words`.
#[proc_macro_derive(Words, attributes(word))]
pub fn words(item: TokenStream) -> TokenStream {
    let item = parse_macro_input!(item as DeriveInput);
    words::expand(&item).unwrap_or_else(syn::Error::into_compile_error).into()
}
