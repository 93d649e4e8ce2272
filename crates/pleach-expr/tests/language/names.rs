//! Suggested names, and texts that are safe to print.

use pleach_expr::known;
use pleach_expr::names::{near, nearest};
use pleach_expr::text::{plain, shorten};

#[test]
fn lists_some_keys() {
    assert_eq!(known::keys([]), None);
    let keys = |names: &[&'static str]| known::keys(names.iter().copied()).map(|it| it.to_string());
    assert_eq!(keys(&["a", "a"]).as_deref(), Some("the only key is `a`"));
    assert_eq!(keys(&["b", "a", "b", "c"]).as_deref(), Some("the keys are `b`, `a` and `c`"));
    let many = ["1", "2", "3", "4", "5", "6", "7", "8", "9", "10"];
    assert_eq!(keys(&many).as_deref(), Some("the keys are `1`, `2`, `3`, `4`, `5`, `6`, `7`, `8` and 2 more"));
}

#[test]
fn suggests_what_is_near_and_nothing_else() {
    assert_eq!(nearest("helth", ["health", "mode"]), Some("health"));
    assert_eq!(nearest("sequence", ["Selector", "Sequence"]), Some("Sequence"));
    assert_eq!(nearest("xyz", ["health", "mode"]), None);
    assert_eq!(nearest("secs", ["count", "seconds"]), Some("seconds"));
    assert_eq!(nearest("Lower", ["LowerPriority", "Lowe"]), Some("Lowe"));
    assert_eq!(nearest("Lower", ["Self", "LowerPriority"]), Some("LowerPriority"));
    assert_eq!(nearest("eth", ["health"]), None);
    assert_eq!(nearest("Prob", ["Probability"]), Some("Probability"));
    // Four letters of twelve are chance.
    assert_eq!(nearest("Fire", ["ForceFailure"]), None);
    assert_eq!(nearest("ealth", ["wealthy", "health"]), Some("health"));
    // A letter of two bytes in front, and two swapped letters after a common beginning.
    assert_eq!(nearest("üebr", ["über"]), Some("über"));
    assert_eq!(nearest("target_hleath", ["target_wealth", "target_health"]), Some("target_health"));
    let (long, longer) = ("k".repeat(64), "k".repeat(65));
    assert_eq!(nearest(&long, [&*long]), Some(&*long));
    assert_eq!(nearest(&longer, [&*long]), None);
    assert_eq!(nearest(&long, [&*longer]), None);
}

#[test]
fn names_that_resemble_one_equally_are_a_tie() {
    let help = |name: &str, all: &[&'static str]| near(name, all.iter().copied()).map(|it| it.help().to_string());
    assert_eq!(help("hp3", &["hp1", "mode", "hp2"]).as_deref(), Some("did you mean `hp1` or `hp2`?"));
    assert_eq!(help("hp3", &["hp1", "hp", "hp1"]).as_deref(), Some("did you mean `hp1` or `hp`?"));
    assert_eq!(help("hp3", &["hp1", "hp1"]).as_deref(), Some("did you mean `hp1`?"), "one name, twice");
    assert_eq!(help("health", &["helth", "health", "wealth"]).as_deref(), Some("did you mean `health`?"));
    let slips = |name: &str, other: &'static str| near(name, [other]).and_then(|it| it.slips);
    assert_eq!((slips("Wiat", "Wait"), slips("wait", "Wait")), (Some(1), Some(0)));
    assert_eq!((slips("Prob", "Probability"), slips("Sequnec", "Sequence")), (None, Some(2)));
}

#[test]
fn control_characters_are_spelled_out() {
    assert_eq!(plain("a\nb\u{1b}[2J\u{202e}ü"), "a\\nb\\u{1b}[2J\\u{202e}ü");
}

#[test]
fn long_texts_are_cut_at_characters() {
    assert_eq!(shorten("äöü", 3), "äöü");
    assert_eq!(shorten("äöüß", 3), "äö…");
    assert_eq!(shorten("äöüß", 0), "…");
}
