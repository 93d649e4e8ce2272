//! Which words a symbol key can declare: those that an expression can write.

use crate::support;

use pleach_core::expr::{Expr, KeyIndex, Names};
use pleach_core::limits::{MAX_EXPR_SOURCE, MAX_NAME};
use pleach_core::nodes::{check, idle, sequence, set};
use pleach_core::{
    Symbol, Tree, Type, Value,
    error::{ProblemKind, SchemaError, TreeError},
    nodes::Node,
    schema::{KeyDefault, Schema, Scope},
};
use support::Game;

fn symbol(words: &[&str]) -> KeyDefault {
    KeyDefault::Symbol(words[0].into(), words.iter().map(|&it| it.into()).collect())
}

/// A tree with these keys.
fn build(keys: &[(Scope, &str, KeyDefault)], root: Node<Game>) -> Result<Tree<Game>, TreeError> {
    let mut builder = Tree::builder("t");
    for (scope, name, default) in keys {
        builder.declare(*scope, name, default.clone());
    }
    builder.build(root)
}

/// The problems of keys, each with its field.
fn wrong(built: Result<Tree<Game>, TreeError>) -> Vec<(String, String)> {
    let problems = built.map_or_else(|it| it.problems, |_| Vec::new());
    let keys = problems.into_iter().filter(|it| matches!(it.kind, ProblemKind::Key(_)));
    keys.map(|it| (it.field.map(|it| it.to_string()).unwrap_or_default(), it.kind.to_string())).collect()
}

const BAD: [&str; 14] =
    ["", "true", "false", "a b", " a", "a ", "1st", "2", "a-b", "a.b", "a\n", "\"a\"", "é!", "agent.mode"];
const GOOD: [&str; 14] =
    ["a", "_", "a1", "größe", "標的", "True", "none", "min", "if", "time", "agent", "x", "flag", "vec2"];

#[test]
fn a_word_that_no_expression_can_write_is_refused() {
    for word in BAD {
        for words in [[word, "idle"], ["idle", word]] {
            for scope in [Scope::Agent, Scope::Group, Scope::Global] {
                let found = wrong(build(&[(scope, "mode", symbol(&words))], idle()));
                let message = format!(
                    "{word:?} cannot be a word of the key `mode`: use letters, digits and `_`, no digit first, at most 256 bytes, and none of `true`, `false`, `not`, `and`, `or`"
                );
                assert_eq!(found, [(format!("{scope} key `mode`"), message)]);
            }
            let found = wrong(build(&[], sequence([idle().with_key("mode", symbol(&words))])));
            assert_eq!(found.len(), 1);
            assert!(found[0].0 == "node key `mode`" && found[0].1.starts_with(&format!("{word:?} cannot be a word")));
        }
        let mut schema = Schema::default();
        let error = SchemaError::BadWord { name: "mode".into(), word: word.into() };
        assert_eq!(schema.declare("mode", Scope::Agent, None, symbol(&["idle", word])), Err(error));
        assert_eq!(schema.keys().len(), 0);
    }
    for word in GOOD {
        let keys = [(Scope::Agent, "mode", symbol(&["idle", word])), (Scope::Agent, "flag", KeyDefault::from(true))];
        assert_eq!(wrong(build(&keys, check(&format!("mode == {word}")))), []);
        assert_eq!(wrong(build(&keys, set("mode", word))), []);
    }
}

#[test]
fn every_bad_word_is_reported() {
    let keys = [(Scope::Agent, "mode", symbol(&["a b", "idle", "1", "true"]))];
    let found = wrong(build(&keys, idle()));
    let starts: Vec<&str> = found.iter().filter_map(|it| it.1.split_once(" cannot").map(|it| it.0)).collect();
    assert_eq!(starts, ["\"a b\"", "\"1\"", "\"true\""]);
}

#[test]
fn words_are_as_long_as_names() {
    let (longest, longer) = ("w".repeat(MAX_NAME), "é".repeat(MAX_NAME / 2 + 1));
    let root = check(&format!("mode == {longest}"));
    assert!(build(&[(Scope::Agent, "mode", symbol(&[&longest]))], root).is_ok());
    assert_eq!(wrong(build(&[(Scope::Agent, "mode", symbol(&[&longer]))], idle())).len(), 1);
    // The message shows no more of it than the length of a name.
    let found = wrong(build(&[(Scope::Agent, "mode", symbol(&[&"w".repeat(1 << 20)]))], idle()));
    assert!(found[0].1.len() < 2 * MAX_NAME, "{}", found[0].1.len());
    const { assert!(MAX_NAME < MAX_EXPR_SOURCE - "== ".len() - MAX_NAME) };
}

/// `mode == alert` compares two keys if there is a symbol key of the name `alert`. Where `mode` is
/// visible, nothing can mean the word then.
#[test]
fn a_word_that_means_a_key_is_refused() {
    let mode = symbol(&["idle", "alert"]);
    let alert = symbol(&["red", "green"]);
    let message = "`alert` cannot be a word of the key `mode`: in an expression that name means the symbol key `alert`; rename one of them";
    for scope in [Scope::Agent, Scope::Group, Scope::Global] {
        for other in [Scope::Agent, Scope::Group, Scope::Global] {
            let keys = [(scope, "mode", mode.clone()), (other, "alert", alert.clone())];
            let expected = [(format!("{scope} key `mode`"), message.to_owned())];
            assert_eq!(wrong(build(&keys, check("mode == idle"))), expected);
            let [a, b] = keys;
            assert_eq!(wrong(build(&[b, a], check("mode == idle"))), expected);
        }
    }
    // The key's own name is refused, too.
    assert_eq!(wrong(build(&[(Scope::Agent, "mode", symbol(&["mode", "idle"]))], idle())).len(), 1);
}

#[test]
fn a_word_that_some_expression_can_write_is_kept() {
    let mode = || symbol(&["idle", "alert"]);
    let alert = || symbol(&["red", "green"]);
    let refused = |keys: &[(Scope, &str, KeyDefault)], root: Node<Game>| {
        wrong(build(keys, root)).into_iter().map(|it| it.0).collect::<Vec<_>>()
    };
    let agent = [(Scope::Agent, "mode", mode())];
    // Here `alert` is the name of a key of another type, which cannot be compared with `mode`. So
    // it can only mean the word.
    for default in [KeyDefault::from(true), KeyDefault::from(1_i64), KeyDefault::from([0.0_f32; 3])] {
        let keys = [(Scope::Agent, "mode", mode()), (Scope::Agent, "alert", default)];
        assert_eq!(refused(&keys, check("mode == alert")), [""; 0]);
    }
    // Outside of the node with that key, the word can be written.
    let inner = || sequence([check("mode == alert")]).with_key("alert", alert());
    assert_eq!(refused(&agent, sequence([inner(), check("mode == alert")])), [""; 0]);
    assert_eq!(refused(&agent, sequence([check("mode == alert")]).with_key("alert", alert())), ["agent key `mode`"]);
    // A node's key is seen below the node only.
    let below = |root: Node<Game>| sequence([root, idle()]);
    let both = || sequence([check("mode == alert")]).with_key("mode", mode()).with_key("alert", alert());
    assert_eq!(refused(&[], below(both())), ["node key `mode`"]);
    assert_eq!(
        refused(&[(Scope::Global, "alert", alert())], below(inner().with_key("mode", mode()))),
        ["node key `mode`"]
    );
    let apart = sequence([check("mode == alert")]).with_key("mode", mode());
    assert_eq!(refused(&[], sequence([apart, idle().with_key("alert", alert())])), [""; 0]);
    // A nearer key of another type lets the name mean the word again.
    let given_back = sequence([check("mode == alert")]).with_key("alert", true);
    let keys = [(Scope::Agent, "mode", mode()), (Scope::Global, "alert", alert())];
    assert_eq!(refused(&keys, sequence([given_back])), [""; 0]);
}

/// A schema with one symbol key of one word, for the checker of expressions.
struct One<'a>(&'a str);

impl Names for One<'_> {
    fn resolve(&self, scope: Option<&str>, name: &str) -> Option<KeyIndex> {
        (name == "key" && scope.is_none_or(|it| it == "agent")).then(|| KeyIndex::new(0)).flatten()
    }
    fn key_type(&self, _: KeyIndex) -> Type {
        Type::Symbol
    }
    fn words(&self, _: KeyIndex) -> Vec<&str> {
        vec![self.0]
    }
    fn names(&self) -> Vec<&str> {
        vec!["key"]
    }
}

/// Whether `key == word` is an expression that tells whether the key holds that word.
fn can_be_written(word: &str) -> bool {
    Expr::compile(&format!("key == {word}"), &One(word), Some(Type::Bool)).is_ok_and(|expr| {
        let holds = |value: &str| expr.eval_bool(|_: KeyIndex| Value::Symbol(Symbol::new(value)));
        holds(word) && !holds("something else")
    })
}

fn is_declared(word: &str) -> bool {
    let keys = [(Scope::Agent, "key", symbol(&[word]))];
    let declared = build(&keys, idle()).is_ok();
    if declared {
        let tree = build(&keys, sequence([check(&format!("key == {word}")), set("key", word)])).expect("it is a word");
        assert_eq!(tree.len(), 3);
        assert_eq!(tree.schema().word(Symbol::new(word)), Some(word));
    }
    declared
}

#[test]
fn what_can_be_declared_can_be_written_and_nothing_else() {
    for word in BAD.into_iter().chain(GOOD) {
        assert_eq!(is_declared(word), can_be_written(word), "{word:?}");
    }
    assert!(!is_declared("key") && !can_be_written("key"));
    const PIECES: [&str; 40] = [
        "a", "b", "key", "alert", "none", "true", "false", "min", "if", "clamp", "x", "agent", "group", "_", "é", "標",
        "ǆ", "²", "१", "1", "0", "e1", ".5", " ", "\u{a0}", "\n", "-", "!", "(", ")", ".", ",", "&&", "||", "==", "\"",
        "😀", "\u{301}", "\u{0}", "A",
    ];
    // SplitMix64: see `expr/tests/random.rs`.
    let mut state = 7_u64;
    let mut below = |n: usize| {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        usize::try_from((z ^ (z >> 31)) % n as u64).unwrap()
    };
    let (mut yes, mut no) = (0, 0);
    for _ in 0..20_000 {
        let word: String = (0..=below(4)).map(|_| PIECES[below(PIECES.len())]).collect();
        let declared = is_declared(&word);
        assert_eq!(declared, can_be_written(&word), "{word:?}");
        *(if declared { &mut yes } else { &mut no }) += 1;
    }
    assert!(yes > 2_000 && no > 2_000, "{yes} can be declared, {no} cannot");
    // Any character, alone and after a letter.
    for c in (0..=u32::from(char::MAX)).step_by(17).filter_map(char::from_u32) {
        for word in [c.to_string(), format!("a{c}")] {
            assert_eq!(is_declared(&word), can_be_written(&word), "{word:?}");
        }
    }
}
