//! `#[leaf]` on a function: the function stays as it is, and a type of the same name beside it
//! holds what a registry needs to know.

mod parameter;

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::ext::IdentExt;
use syn::spanned::Spanned;
use syn::{
    Attribute, Error, Expr, ExprLit, FnArg, ItemFn, Lit, LitFloat, Meta, PatType, ReturnType, Safety, Signature, Type,
};

use crate::args::LeafArgs;
use crate::problems::Problems;
use parameter::Parameter;

/// The most parameters of a function: `pleach-asset` reads tuples up to this size.
const MAX_PARAMETERS: usize = 12;

const CONTEXT: &str = "the first parameter of a leaf is its context: `cx: &mut Context<'_, '_, Game>`";
const ANSWER: &str = "a leaf returns `Status` (an action) or `bool` (a condition)";

pub(crate) fn expand(args: &LeafArgs, mut function: ItemFn) -> syn::Result<TokenStream> {
    let mut problems = Problems::default();
    callable(&function.sig, &mut problems);
    let answer = problems.keep(answer(&function.sig));
    let context = problems.keep(context(&function.sig));
    let inputs = take_inputs(&mut function);
    let parameters: Vec<Parameter> = inputs.iter().skip(1).filter_map(|it| problems.keep(Parameter::new(it))).collect();
    if let Some(extra) = inputs.get(MAX_PARAMETERS + 1) {
        let what = format!("a function has at most {MAX_PARAMETERS} parameters: put some into a struct");
        problems.add(Error::new_spanned(extra, what));
    }
    let name = problems.keep(name(args, &function.sig.ident));
    let observes = problems.keep(observes(args, answer.as_ref(), &parameters));
    for name in args.reads.iter().chain(&args.writes).flatten() {
        if !parameters.iter().any(|it| it.is(name)) {
            problems.add(no_parameter(name));
        }
    }
    if !cfg!(feature = "assets") {
        let what = "a function is a leaf for assets: turn on the feature `assets` or `baked` of `pleach`";
        problems.add(Error::new_spanned(&function.sig.ident, what));
    }
    let (answer, context, name, observes) =
        problems.or(answer.zip(context).zip(name).zip(observes).map(|(((a, b), c), d)| (a, b, c, d)))?;

    let leaf: syn::Path = {
        let pleach = args.pleach();
        syn::parse_quote!(#pleach::__leaf)
    };
    let ItemFn { attrs, vis, sig, .. } = &function;
    let ident = &sig.ident;
    let doc = doc(attrs);
    let cfgs: Vec<&Attribute> = attrs.iter().filter(|it| it.path().is_ident("cfg")).collect();
    let names = parameters.iter().map(|it| &it.name);
    let infos = parameters.iter().map(|it| it.info(&leaf, args));
    let kept = parameters.iter().map(|it| &it.kept);
    let slots = parameters.iter().map(Parameter::slot);
    let variables: Vec<Ident> = parameters.iter().map(Parameter::variable).collect();
    let arguments = parameters.iter().map(|it| it.argument(&leaf));
    // The type may elide lifetimes, as the function did.
    let context_of = quote_spanned!(context.span()=> <fn(#context) as #leaf::ContextOf>::Host);
    let observes = observes.map(|observed| {
        let body = observed.tokens(&leaf);
        quote! {
            fn observes((#(#variables,)*): &Self::Params) -> #leaf::Observes {
                #body
            }
        }
    });
    Ok(quote! {
        #function

        #(#cfgs)*
        #[doc(hidden)]
        #[allow(non_camel_case_types, dead_code, missing_debug_implementations)]
        #vis enum #ident {}

        #(#cfgs)*
        #[allow(unused_variables, non_snake_case, clippy::all, clippy::pedantic)]
        const _: () = {
            impl #leaf::LeafFn for #ident {
                type Host = #context_of;
                type Params = (#(#kept,)*);
                type Answer = #answer;
                const NAME: &'static str = #name;
                const DOC: &'static str = #doc;
                const PARAMETERS: &'static [#leaf::FnParameter] = &[#(#infos),*];
                const NAMES: &'static [&'static str] = &[#(#names),*];
                fn defaults() -> <Self::Params as #leaf::Params>::Slots {
                    (#(#slots,)*)
                }
                #observes
                fn call(
                    (#(#variables,)*): &Self::Params,
                    cx: &mut #leaf::Context<'_, '_, Self::Host>,
                ) -> Self::Answer {
                    #ident(cx, #(#arguments),*)
                }
            }
        };
    })
}

/// The function without this macro's attributes.
pub(crate) fn plain(mut function: ItemFn) -> TokenStream {
    take_inputs(&mut function);
    function.into_token_stream()
}

/// Checks that the function can be called repeatedly with values from assets.
fn callable(sig: &Signature, problems: &mut Problems) {
    if !sig.generics.params.is_empty() {
        let what = "a leaf is one function, so it cannot be generic: name the types, and write `'_` for lifetimes";
        problems.add(Error::new_spanned(&sig.generics, what));
    }
    if let Some(it) = &sig.asyncness {
        let what = "a leaf is called again until it is done, so it cannot be `async`: return `Status::Running`";
        problems.add(Error::new_spanned(it, what));
    }
    if let Safety::Unsafe(it) = &sig.safety {
        problems.add(Error::new_spanned(it, "a leaf is called from assets, so it cannot be `unsafe`"));
    }
    if let Some(it) = &sig.variadic {
        problems.add(Error::new_spanned(it, "a leaf has named parameters"));
    }
}

/// The return type of the function.
fn answer(sig: &Signature) -> syn::Result<Type> {
    match &sig.output {
        ReturnType::Type(_, ty) => match &**ty {
            Type::ImplTrait(_) | Type::Never(_) => Err(Error::new_spanned(ty, ANSWER)),
            Type::Tuple(it) if it.elems.is_empty() => Err(Error::new_spanned(ty, ANSWER)),
            ty => Ok(ty.clone()),
        },
        ReturnType::Default => Err(Error::new_spanned(&sig.ident, ANSWER)),
    }
}

/// The type of the context parameter.
fn context(sig: &Signature) -> syn::Result<Type> {
    match sig.inputs.first() {
        Some(FnArg::Receiver(it)) => {
            let what = "a leaf function cannot have `self`: for state or fields, implement `Action` or \
                        `Condition`";
            Err(Error::new_spanned(it, what))
        }
        Some(FnArg::Typed(PatType { ty, .. })) => match &**ty {
            Type::Reference(it) if it.mutability.is_some() => Ok((**ty).clone()),
            ty => Err(Error::new_spanned(ty, CONTEXT)),
        },
        None => Err(Error::new_spanned(&sig.ident, CONTEXT)),
    }
}

/// The inputs, without a receiver. Removes this macro's attributes from the function.
fn take_inputs(function: &mut ItemFn) -> Vec<PatType> {
    let mut inputs = Vec::new();
    for input in &mut function.sig.inputs {
        if let FnArg::Typed(it) = input {
            inputs.push(it.clone());
            it.attrs.retain(|it| !it.path().is_ident("default") && !it.path().is_ident("doc"));
        }
    }
    inputs
}

/// The name in assets: `go_to` becomes `GoTo`, like leaves that are structs.
fn name(args: &LeafArgs, ident: &Ident) -> syn::Result<String> {
    let capital = |word: &str| {
        let mut letters = word.chars();
        letters.next().map(|it| it.to_ascii_uppercase()).into_iter().chain(letters).collect::<String>()
    };
    let name = match &args.name {
        Some(given) => given.value(),
        None => ident.unraw().to_string().split('_').map(capital).collect(),
    };
    let begins_well = name.starts_with(|it: char| it.is_ascii_alphabetic() || it == '_');
    if begins_well && name.chars().all(|it| it.is_ascii_alphanumeric() || it == '_') {
        return Ok(name);
    }
    let what = "the name of a leaf has ASCII letters, digits and `_`, and no digit first";
    Err(match &args.name {
        Some(given) => Error::new_spanned(given, what),
        None => Error::new_spanned(ident, format!("{what}: give one with `#[leaf(name = \"..\")]`")),
    })
}

/// When a condition has to be asked again.
enum Observed {
    Keys(Vec<Ident>),
    Every(LitFloat),
}

impl Observed {
    fn tokens(&self, leaf: &syn::Path) -> TokenStream {
        match self {
            Observed::Every(it) => quote!(#leaf::Observes::Every(#it)),
            Observed::Keys(variables) => {
                let keys = variables.iter().map(|it| quote_spanned!(it.span()=> #leaf::observed(#it)));
                quote!(#leaf::observes(&[#(#keys),*]))
            }
        }
    }
}

fn observes(args: &LeafArgs, answer: Option<&Type>, parameters: &[Parameter]) -> syn::Result<Option<Observed>> {
    let observed = match (&args.observes, &args.every) {
        (None, None) => return Ok(None),
        (Some(names), Some(_)) => {
            let at = names.first().map_or_else(Span::call_site, Ident::span);
            return Err(Error::new(
                at,
                "a condition is evaluated when its keys change or every so often: give `observes` or `every`, not both",
            ));
        }
        (None, Some(Lit::Float(every))) => Observed::Every(every.clone()),
        (None, Some(Lit::Int(every))) => {
            Observed::Every(LitFloat::new(&format!("{}.0", every.base10_digits()), every.span()))
        }
        (None, Some(other)) => {
            return Err(Error::new_spanned(other, "`every` is a number of seconds: `every = 0.5`"));
        }
        (Some(names), None) => {
            let variable = |name: &Ident| match parameters.iter().find(|it| it.is(name)) {
                Some(it) => Ok(Ident::new(&it.variable().to_string(), name.span())),
                None => Err(no_parameter(name)),
            };
            Observed::Keys(names.iter().map(variable).collect::<syn::Result<_>>()?)
        }
    };
    // An alias of `bool` is not recognised.
    match answer {
        Some(it) if !it.to_token_stream().to_string().ends_with("bool") => {
            Err(Error::new_spanned(it, "only conditions, which return `bool`, can observe something"))
        }
        _ => Ok(Some(observed)),
    }
}

fn no_parameter(name: &Ident) -> Error {
    Error::new_spanned(name, format!("there is no parameter `{}`", name.unraw()))
}

/// The doc comment, without the space that each line begins with.
pub(crate) fn doc(attrs: &[Attribute]) -> String {
    let lines = attrs.iter().filter_map(|it| match &it.meta {
        Meta::NameValue(it) if it.path.is_ident("doc") => match &it.value {
            Expr::Lit(ExprLit { lit: Lit::Str(line), .. }) => Some(line.value()),
            _ => None,
        },
        _ => None,
    });
    let lines: Vec<String> = lines.map(|it| it.strip_prefix(' ').unwrap_or(&it).to_owned()).collect();
    lines.join("\n").trim().to_owned()
}
