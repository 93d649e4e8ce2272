//! What replaces an item with mistakes: its errors, and what keeps the compiler from adding errors
//! of its own where the item is used.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{Attribute, DeriveInput, Error, FnArg, ItemFn};

use crate::function;

/// The errors and the item as the user wrote it.
pub(crate) fn item(error: Error, item: TokenStream) -> TokenStream {
    let mut tokens = error.into_compile_error();
    tokens.extend(item);
    tokens
}

/// The errors, the function, and a type of its name. That type is itself an error, because the
/// length of its array is. The compiler checks nothing about such a type, so `leaf_fn::<walk>()` is
/// not a second error.
pub(crate) fn function(error: Error, function: &ItemFn) -> TokenStream {
    let plain = function::plain(function.clone());
    // An `impl` cannot contain a type.
    if let Some(FnArg::Receiver(_)) = function.sig.inputs.first() {
        return item(error, plain);
    }
    let mut errors: Vec<TokenStream> = error.into_iter().map(|it| it.to_compile_error()).collect();
    // There is at least one.
    let last = errors.pop();
    let ItemFn { attrs, vis, sig, .. } = function;
    let ident = &sig.ident;
    let cfgs: Vec<&Attribute> = attrs.iter().filter(|it| it.path().is_ident("cfg")).collect();
    quote! {
        #(#errors)*
        #plain

        #(#cfgs)*
        #[doc(hidden)]
        #[allow(non_camel_case_types, dead_code)]
        #vis type #ident = [(); #last];
    }
}

/// The errors, and the traits that the derive implements, so that keys and parameters of this type
/// are not errors too.
pub(crate) fn words(error: Error, input: &DeriveInput) -> TokenStream {
    let mut tokens = error.into_compile_error();
    if input.generics.params.is_empty() {
        tokens.extend(crate::words::implement(&input.ident, &[], &[]));
    }
    tokens
}
