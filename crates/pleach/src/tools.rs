//! For programs that check, draw and edit trees: the table of node kinds, the words of the
//! expression language, parts that trees are put together of, and the texts of reports. A game
//! needs none of it.

/// RON files that are not trees: read, and reported on, as trees are.
#[cfg(feature = "reports")]
#[cfg_attr(docsrs, doc(cfg(feature = "reports")))]
pub mod ron {
    pub use pleach_asset::{Arguments, Datum, Document, Name, PlacedToken, Problem, Shape, TokenKind, tokens};
}
#[cfg(feature = "reports")]
#[cfg_attr(docsrs, doc(cfg(feature = "reports")))]
pub use pleach_asset::{
    INCLUDES, Include, IncludeField, IncludeShape, StandardTemplate, TREE_FIELDS, TreeField, file_stem, included_name,
    relative, standard_templates,
};
pub use pleach_core::error::{Difference, Help};
#[cfg(feature = "registry")]
#[cfg_attr(docsrs, doc(cfg(feature = "registry")))]
pub use pleach_core::error::{LookupError, LookupFailure};
pub use pleach_core::expr::{Doubt, FunctionInfo, RESERVED, SCOPES, doubts, functions, is_name, is_word};
pub use pleach_core::nodes::{Binding, Direction, Instance, NodeList, Port};
pub use pleach_core::{kinds, names, text};
