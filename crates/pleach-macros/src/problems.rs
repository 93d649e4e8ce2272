//! Collects everything that is wrong with an item, so that one compilation reports every mistake.

use syn::Error;

/// Errors so far.
#[derive(Default)]
pub(crate) struct Problems(Option<Error>);

impl Problems {
    pub(crate) fn add(&mut self, error: Error) {
        match &mut self.0 {
            Some(first) => first.combine(error),
            none => *none = Some(error),
        }
    }

    /// The result, or nothing and one more error.
    pub(crate) fn keep<T>(&mut self, result: syn::Result<T>) -> Option<T> {
        result.map_err(|it| self.add(it)).ok()
    }

    /// The whole, if there are no errors.
    pub(crate) fn or<T>(self, whole: Option<T>) -> syn::Result<T> {
        match (self.0, whole) {
            (None, Some(whole)) => Ok(whole),
            (Some(errors), _) => Err(errors),
            (None, None) => Err(Error::new(proc_macro2::Span::call_site(), "`#[leaf]` cannot read this")),
        }
    }
}
