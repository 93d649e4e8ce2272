//! `#[derive(SymbolEnum)]`: an enum whose values are the words of a symbol key.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};
use syn::ext::IdentExt;
use syn::{Data, DeriveInput, Error, Fields, LitStr, Variant};

use crate::problems::Problems;

/// The longest word, the same as `limits::MAX_NAME` of the core.
pub(crate) const MAX_WORD: usize = 256;

/// What is not a word, the same as `expr::RESERVED` of the core.
pub(crate) const RESERVED: [&str; 5] = ["true", "false", "not", "and", "or"];

pub(crate) fn expand(input: &DeriveInput) -> syn::Result<TokenStream> {
    let Data::Enum(data) = &input.data else {
        return Err(Error::new_spanned(&input.ident, "words are the variants of an enum"));
    };
    let mut problems = Problems::default();
    if !input.generics.params.is_empty() {
        problems.add(Error::new_spanned(
            &input.generics,
            "the words of a key must be known, so the enum cannot be generic",
        ));
    }
    if data.variants.is_empty() {
        problems.add(Error::new_spanned(&input.ident, "a symbol key needs at least one word: add a variant"));
    }
    let mut words: Vec<(&Ident, String)> = Vec::new();
    for variant in &data.variants {
        let Some(word) = problems.keep(word(variant)) else { continue };
        if words.iter().any(|it| it.1 == word) {
            problems.add(Error::new_spanned(variant, format!("there is another variant for `{word}`")));
        }
        words.push((&variant.ident, word));
    }
    problems.or(Some(()))?;
    let (variants, words): (Vec<&Ident>, Vec<String>) = words.into_iter().unzip();
    Ok(implement(&input.ident, &variants, &words))
}

/// The traits of an enum with these variants and their words. Without variants it is one that was
/// refused: none of it ever runs.
pub(crate) fn implement(name: &Ident, variants: &[&Ident], words: &[String]) -> TokenStream {
    let constants: Vec<Ident> = (0..words.len()).map(|it| format_ident!("WORD_{it}")).collect();
    // Parameters are read by serde, which only assets bring.
    let parameter = cfg!(feature = "assets").then(|| {
        quote! {
            impl<'de> ::pleach::__leaf::serde::Deserialize<'de> for #name
            where
                #name: ::pleach::__leaf::Needs,
            {
                fn deserialize<D>(deserializer: D) -> ::core::result::Result<Self, D::Error>
                where
                    D: ::pleach::__leaf::serde::Deserializer<'de>,
                {
                    ::pleach::__leaf::word(deserializer)
                }
            }
            impl ::pleach::asset::Parameter for #name
            where
                #name: ::pleach::__leaf::Needs,
            {
                const TYPE: ::pleach::asset::ParameterType =
                    ::pleach::asset::ParameterType::OneOf(<Self as ::pleach::SymbolEnum>::WORDS);
                fn written(&self) -> ::core::option::Option<::std::string::String> {
                    ::pleach::__leaf::written_word(*self)
                }
            }
        }
    });
    let symbol = match variants {
        [] => quote!(::core::unreachable!()),
        _ => quote! {
            match self {
                #(Self::#variants => #constants,)*
            }
        },
    };
    // With these bounds the compiler reports each missing derive once, not at every use.
    quote! {
        #[allow(trivial_bounds)]
        const _: () = {
            #(const #constants: ::pleach::Symbol = ::pleach::Symbol::new(#words);)*
            impl ::pleach::SymbolEnum for #name
            where
                #name: ::pleach::__leaf::Needs,
            {
                const ALL: &'static [Self] = &[#(Self::#variants),*];
                const WORDS: &'static [&'static str] = &[#(#words),*];
                const SYMBOLS: &'static [::pleach::Symbol] = &[#(#constants),*];
                fn symbol(self) -> ::pleach::Symbol {
                    #symbol
                }
            }
            impl ::core::convert::From<#name> for ::pleach::Value
            where
                #name: ::pleach::__leaf::Needs,
            {
                fn from(it: #name) -> Self {
                    ::pleach::Value::Symbol(::pleach::SymbolEnum::symbol(it))
                }
            }
            #parameter
        };
    }
}

/// The word of a variant: `VeryAngry` is `very_angry`.
fn word(variant: &Variant) -> syn::Result<String> {
    if !matches!(variant.fields, Fields::Unit) {
        return Err(Error::new_spanned(variant, "a word cannot have fields"));
    }
    let mut given: Option<LitStr> = None;
    for attribute in variant.attrs.iter().filter(|it| it.path().is_ident("word")) {
        if given.replace(attribute.parse_args()?).is_some() {
            return Err(Error::new_spanned(attribute, "a word is already given"));
        }
    }
    let word = given.as_ref().map_or_else(|| snake(&variant.ident.unraw().to_string()), LitStr::value);
    if is_word(&word) {
        return Ok(word);
    }
    let what = format!(
        "an expression cannot write the word `{word}`: use letters, digits and `_`, no digit first, at most \
         {MAX_WORD} bytes, and none of `{}`",
        RESERVED.join("`, `")
    );
    Err(match given {
        Some(it) => Error::new_spanned(it, what),
        None => Error::new_spanned(&variant.ident, what + "; give another with `#[word(\"..\")]`"),
    })
}

/// Whether an expression can write this word.
pub(crate) fn is_word(word: &str) -> bool {
    word.starts_with(|it: char| it.is_alphabetic() || it == '_')
        && word.chars().all(|it| it.is_alphanumeric() || it == '_')
        && word.len() <= MAX_WORD
        && !RESERVED.contains(&word)
}

fn snake(name: &str) -> String {
    let mut word = String::new();
    for (at, letter) in name.chars().enumerate() {
        if at > 0 && letter.is_uppercase() {
            word.push('_');
        }
        word.extend(letter.to_lowercase());
    }
    word
}
