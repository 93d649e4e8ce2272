//! The icons of the kinds of nodes, 16 pixels square. They are paths, as no font has all of them.

use pleach_core::kinds::{NodeClass, NodeKind};

const ARROW: &str = r#"<path class="line" d="M2 8H14M9.5 3.5 14 8l-4.5 4.5"/>"#;
const QUESTION: &str = r#"<path class="line" d="M4.5 5.2a3.5 3.5 0 1 1 5.6 2.8C8.7 9 8 9.6 8 11M8 14v.1"/>"#;
const ARROWS: &str = r#"<path class="line" d="M2 4.5H14M11 1.5l3 3-3 3M2 11.5H14M11 8.5l3 3-3 3"/>"#;
const BARS: &str = r#"<path class="line" d="M3 14V9M8 14V2M13 14V6"/>"#;
const FORK: &str = r#"<path class="line" d="M8 2V7M3 14V10.5Q3 7 8 7T13 10.5V14"/>"#;
const RHOMBUS: &str = r#"<path class="line" d="M8 1.5 14.5 8 8 14.5 1.5 8z"/>"#;
const TICK: &str = r#"<path class="line" d="M8 1.5a6.5 6.5 0 1 1 0 13 6.5 6.5 0 0 1 0-13M5 8.3l2.2 2.2L11 6"/>"#;
const PLAY: &str = r#"<path class="line" d="M4.5 2.5 13 8l-8.5 5.5z"/>"#;

/// The sign of a kind, where it has one of its own.
pub(crate) fn of(kind: NodeKind) -> &'static str {
    match kind {
        NodeKind::Sequence | NodeKind::ReactiveSequence | NodeKind::RandomSequence => ARROW,
        NodeKind::Selector | NodeKind::ReactiveSelector | NodeKind::RandomSelector => QUESTION,
        NodeKind::Parallel => ARROWS,
        NodeKind::UtilitySelector => BARS,
        _ => of_class(kind.class()),
    }
}

/// The sign of a class.
pub(crate) fn of_class(class: NodeClass) -> &'static str {
    match class {
        NodeClass::Composite => FORK,
        NodeClass::Decorator => RHOMBUS,
        NodeClass::Condition => TICK,
        NodeClass::Action => PLAY,
    }
}
