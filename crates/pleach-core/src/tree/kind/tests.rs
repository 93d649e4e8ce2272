//! The table of kinds agrees with itself.

use std::collections::HashSet;

use super::*;

#[test]
fn names_lead_to_their_kinds() {
    for kind in NodeKind::ALL {
        assert_eq!(NodeKind::from_name(kind.name()), Some(kind));
    }
    assert_eq!(NodeKind::from_name("sequence"), None);
}

#[test]
fn only_composites_have_an_order() {
    for kind in NodeKind::ALL {
        assert_eq!(kind.order().is_some(), kind.arity() == Arity::Composite, "{kind:?}");
    }
}

#[test]
fn no_kind_has_two_fields_of_one_name() {
    for kind in NodeKind::ALL {
        let mut seen = HashSet::new();
        assert!(kind.all_fields().all(|it| seen.insert(it.name)), "{kind:?}");
    }
}

#[test]
fn every_kind_and_field_is_explained_in_sentences() {
    let fields = NodeKind::ALL.iter().flat_map(|it| it.all_fields()).chain(NodeKind::SERVICE_FIELDS);
    let docs = fields.chain(NodeKind::INTERRUPT_FIELDS).map(|it| it.doc);
    for doc in NodeKind::ALL.iter().map(|it| it.doc()).chain(docs) {
        assert!(doc.starts_with(char::is_uppercase) && doc.ends_with('.'), "{doc}");
    }
}

#[test]
fn examples_name_each_field_of_the_kind() {
    for kind in NodeKind::ALL {
        for field in kind.fields().iter().filter(|it| (kind, it.name) != (NodeKind::Repeat, "forever")) {
            assert!(kind.example().contains(&format!("{}: ", field.name)), "{}", kind.example());
        }
    }
}
