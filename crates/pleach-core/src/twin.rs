//! Enums that may grow, with a twin for the crates of this workspace.
//!
//! Outside the crate a match over a `#[non_exhaustive]` enum ends with `_`. The crates that have to
//! know every variant match over its twin, so that a new variant does not compile before it is
//! handled there. Games never see the twin.

/// Defines an enum that may grow and its twin; `every` converts the one to the other. Fields of
/// tuples have a name here, only for the reader.
macro_rules! with_twin {
    (
        $(#[$meta:meta])*
        pub enum $name:ident, $twin:ident {
            $($(#[$doc:meta])* $variant:ident
                $(($($item:ident: $item_type:ty),*))?
                $({ $($(#[$field_doc:meta])* $field:ident: $field_type:ty,)* })?,)*
        }
    ) => {
        $(#[$meta])*
        #[non_exhaustive]
        pub enum $name {
            $($(#[$doc])* $variant $(($($item_type),*))? $({ $($(#[$field_doc])* $field: $field_type,)* })?,)*
        }

        /// The same for the crates of this workspace. Not part of the interface.
        #[doc(hidden)]
        #[derive(Clone, Copy, Debug)]
        #[allow(missing_docs)]
        pub enum $twin {
            $($variant $(($($item_type),*))? $({ $($field: $field_type,)* })?,)*
        }

        impl $name {
            /// Not part of the interface.
            #[doc(hidden)]
            #[must_use]
            pub fn every(self) -> $twin {
                match self {
                    $($name::$variant $(($($item),*))? $({ $($field),* })? =>
                        $twin::$variant $(($($item),*))? $({ $($field),* })?,)*
                }
            }
        }
    };
}

pub(crate) use with_twin;
