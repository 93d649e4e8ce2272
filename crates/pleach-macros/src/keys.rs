//! `#[derive(Keys)]`: a struct of the keys that the game relies on.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::ext::IdentExt;
use syn::parse::{Parse, ParseStream};
use syn::spanned::Spanned;
use syn::{Attribute, Data, DeriveInput, Error, Field, Fields, LitStr, Token};

use crate::function::doc;
use crate::problems::Problems;
use crate::words::{MAX_WORD, RESERVED, is_word};

/// What `#[key(..)]` can contain.
const OPTIONS: &str = "`group`, `global`, `reads`, `writes`, or the key's name as a string";

pub(crate) fn expand(input: &DeriveInput) -> syn::Result<TokenStream> {
    let fields = match &input.data {
        Data::Struct(it) => match &it.fields {
            Fields::Named(it) => &it.named,
            Fields::Unnamed(_) | Fields::Unit => {
                let what = "keys have names: write a struct with named fields, as `{ health: Key<f32> }`";
                return Err(Error::new_spanned(&input.ident, what));
            }
        },
        Data::Enum(_) | Data::Union(_) => {
            return Err(Error::new_spanned(&input.ident, "keys are the fields of a struct"));
        }
    };
    let mut problems = Problems::default();
    if !input.generics.params.is_empty() {
        let what = "the types of the keys must be known, so the struct cannot be generic";
        problems.add(Error::new_spanned(&input.generics, what));
    }
    if fields.is_empty() {
        problems.add(Error::new_spanned(&input.ident, "the struct has no keys: add a field"));
    }
    let mut keys: Vec<KeyOf<'_>> = Vec::new();
    for field in fields {
        let Some(key) = problems.keep(KeyOf::new(field)) else { continue };
        if keys.iter().any(|it| it.name == key.name && it.scope == key.scope) {
            let what =
                format!("there is another field for the {} key `{}`", key.scope.to_string().to_lowercase(), key.name);
            problems.add(Error::new_spanned(field, what));
        }
        keys.push(key);
    }
    problems.or(Some(()))?;

    let name = &input.ident;
    let locals: Vec<Ident> = (0..keys.len()).map(|it| format_ident!("key_{it}")).collect();
    let fields = keys.iter().map(|it| it.field);
    let found = keys.iter().zip(&locals).map(|(key, local)| {
        let KeyOf { ty, name, scope, access, doc, .. } = key;
        quote_spanned! {ty.span()=>
            let #local = keys.key::<#ty>(#name, ::pleach::schema::Scope::#scope, #access, #doc);
        }
    });
    Ok(quote! {
        impl ::pleach::KeySet for #name {
            fn find(keys: &mut ::pleach::schema::KeyFinder<'_>) -> ::core::option::Option<Self> {
                #(#found)*
                ::core::option::Option::Some(#name { #(#fields: #locals?),* })
            }
        }
    })
}

/// A field, and its key.
struct KeyOf<'a> {
    field: &'a Ident,
    ty: &'a syn::Type,
    name: String,
    /// The variant of `Scope`.
    scope: Ident,
    access: TokenStream,
    doc: String,
}

impl<'a> KeyOf<'a> {
    fn new(field: &'a Field) -> syn::Result<Self> {
        let mut said = Said::default();
        for attribute in field.attrs.iter().filter(|it| it.path().is_ident("key")) {
            said.add(attribute)?;
        }
        let Said { name: given, scope, reads, writes } = said;
        let ident = field.ident.as_ref().expect("a named field");
        let name = given.as_ref().map_or_else(|| ident.unraw().to_string(), LitStr::value);
        if let Some(what) = wrong_name(&name) {
            return Err(match &given {
                Some(it) => Error::new_spanned(it, what),
                None => Error::new_spanned(ident, what + "; give another with `#[key(\"..\")]`"),
            });
        }
        let access = match (reads.is_some(), writes.is_some()) {
            (false, false) => quote!(::core::option::Option::None),
            (true, false) => quote!(::core::option::Option::Some(::pleach::schema::Access::Read)),
            (false, true) => quote!(::core::option::Option::Some(::pleach::schema::Access::Write)),
            (true, true) => quote!(::core::option::Option::Some(::pleach::schema::Access::ReadWrite)),
        };
        let scope = Ident::new(
            match &scope {
                None => "Agent",
                Some(it) if it == "group" => "Group",
                Some(_) => "Global",
            },
            Span::call_site(),
        );
        Ok(KeyOf { field: ident, ty: &field.ty, name, scope, access, doc: doc(&field.attrs) })
    }
}

/// What is wrong with the name of a key. An instance's key has dots in its name.
fn wrong_name(name: &str) -> Option<String> {
    if let Some((scope @ ("agent" | "group" | "global" | "node"), bare)) = name.split_once('.') {
        let instead = match scope {
            "group" | "global" => format!("write `#[key(\"{bare}\", {scope})]`"),
            "agent" => format!("write `#[key(\"{bare}\")]`"),
            _ => "the game cannot rely on the key of a node".to_owned(),
        };
        return Some(format!("the scope is not part of the name: {instead}"));
    }
    let is_name = !name.is_empty() && name.len() <= MAX_WORD && name.split('.').all(is_word);
    (!is_name).then(|| {
        format!(
            "`{name}` cannot be the name of a key: use letters, digits and `_`, at most {MAX_WORD} bytes, and none of \
             `{}`",
            RESERVED.join("`, `")
        )
    })
}

/// The content of a field's attributes.
#[derive(Default)]
struct Said {
    name: Option<LitStr>,
    scope: Option<Ident>,
    reads: Option<Ident>,
    writes: Option<Ident>,
}

/// One of the items in `#[key(..)]`.
enum Part {
    Name(LitStr),
    Word(Ident),
}

impl Parse for Part {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        if input.peek(LitStr) {
            return input.parse().map(Part::Name);
        }
        let word = input.call(Ident::parse_any).map_err(|it| Error::new(it.span(), format!("expected {OPTIONS}")))?;
        Ok(Part::Word(word))
    }
}

impl Said {
    fn add(&mut self, attribute: &Attribute) -> syn::Result<()> {
        let mut problems = Problems::default();
        let parsed = attribute.parse_args_with(syn::punctuated::Punctuated::<Part, Token![,]>::parse_terminated)?;
        if parsed.is_empty() {
            problems.add(Error::new_spanned(attribute, format!("expected {OPTIONS}")));
        }
        for it in parsed {
            match it {
                Part::Name(name) => twice(&mut problems, self.name.replace(name.clone()).is_some(), &name, "name"),
                Part::Word(word) if word == "group" || word == "global" => {
                    twice(&mut problems, self.scope.replace(word.clone()).is_some(), &word, "scope");
                }
                Part::Word(word) if word == "reads" => {
                    twice(&mut problems, self.reads.replace(word.clone()).is_some(), &word, "`reads`");
                }
                Part::Word(word) if word == "writes" => {
                    twice(&mut problems, self.writes.replace(word.clone()).is_some(), &word, "`writes`");
                }
                Part::Word(word) => {
                    let what = match &*word.to_string() {
                        "optional" => "for a key that a tree may lack, use `Option<Key<..>>`".to_owned(),
                        "agent" => "keys belong to the agent by default: remove `agent`".to_owned(),
                        "node" => "the game cannot rely on the key of a node".to_owned(),
                        other => format!("`{other}` is unknown here: expected {OPTIONS}"),
                    };
                    problems.add(Error::new_spanned(word, what));
                }
            }
        }
        problems.or(Some(()))
    }
}

/// Reports an item that comes a second time.
fn twice(problems: &mut Problems, is_there: bool, at: &dyn ToTokens, what: &str) {
    if is_there {
        problems.add(Error::new_spanned(at.to_token_stream(), format!("a {what} is already given")));
    }
}
