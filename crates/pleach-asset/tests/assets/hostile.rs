//! Files made to keep a loader busy: each loads or is refused, at a cost proportional to its
//! length.

use crate::common;

use std::fmt::Write;

use allocation_counter::measure;
use pleach_asset::{Report, check_str};
use pleach_core::limits::{MAX_KEYS, MAX_WORDS};

/// The report; nothing if it loads.
fn report(what: &str, source: &str) -> Option<Report> {
    let registry = common::registry();
    let (mut report, mut drawn) = (None, 0);
    let allocated = measure(|| {
        report = check_str("hostile.ron", source, &registry).err();
        drawn = report.as_ref().map_or(0, |it| it.to_string().len());
    });
    let (len, count, bytes) = (source.len() as u64, allocated.count_total, allocated.bytes_max);
    println!("{what}: {len} bytes, {drawn} drawn, {count} allocations, {bytes} bytes at once");
    // Anything not linear shows in one of these, or never ends.
    assert!(count <= 4 * len + 10_000, "{what}: {count} allocations for {len} bytes");
    assert!(bytes <= 100 * len + 10_000_000, "{what}: {bytes} bytes at once for {len}");
    assert!(drawn < 200_000, "{what}: {drawn}");
    report
}

fn messages(report: Option<Report>) -> Vec<String> {
    report.iter().flat_map(|it| it.diagnostics()).map(|it| it.message().to_owned()).collect()
}

/// A text for each number below `count`, joined.
fn each(count: usize, text: impl Fn(usize) -> String) -> String {
    (0..count).fold(String::new(), |all, index| all + &text(index))
}

fn sequence(keys: &str, children: &str) -> String {
    format!("Tree(version: 1, blackboard: {{{keys}}}, root: Sequence(children: [{children}]))")
}

#[test]
fn too_many_keys() {
    let too_many = format!("more than {MAX_KEYS} keys");
    let good = each(400_000, |it| format!("\"k{it}\": Bool(true), "));
    let bad = each(400_000, |it| format!("\"{it} k\": Bool(true), "));
    let file = |keys: &str| format!("Tree(version: 1, blackboard: {{{keys}}}, root: Idle)");
    assert!(
        report("as many keys as there may be", &file(&each(MAX_KEYS, |it| format!("\"k{it}\": Int(1), ")))).is_none()
    );
    assert_eq!(messages(report("keys", &file(&good))), [&*too_many]);
    let found = report("bad names", &file(&bad)).expect("none of them is a name");
    assert!(found.diagnostics()[0].message().starts_with("`0 k` cannot be the name of a key"));
    assert_eq!(found.diagnostics().len() + found.more(), MAX_KEYS + 1);
    let node = |keys: &str| format!("Tree(version: 1, root: Sequence(blackboard: {{{keys}}}, children: [Idle]))");
    assert_eq!(messages(report("keys of a node", &node(&good))), [&*too_many]);
    assert!(report("bad names of a node", &node(&bad)).is_some());
    let nodes = each(20_000, |_| "Sequence(blackboard: {\"a\": Int(1), \"b c\": Int(1)}, children: [Idle]), ".into());
    assert!(report("keys of many nodes", &sequence("", &nodes)).is_some());
}

/// Every unknown name is compared with every key that it could mean.
#[test]
fn misspelt_keys() {
    // The longest allowed names, and the longest that are compared.
    for length in [230, 34] {
        let long = "k".repeat(length);
        let keys = each(4_000, |it| format!("\"{long}{it}\": Int(1), "));
        for (what, child) in [
            ("misspelt in checks", "Check(\"N\"), "),
            ("misspelt in sums", "Check(\"N + N + N > N\"), "),
            ("misspelt with scope", "Check(\"agent.N\"), "),
            ("misspelt as scope", "Check(\"N.x > 1\"), "),
            ("misspelt words", "Check(\"N == N\"), "),
            ("misspelt in set", "Set(\"N\", \"1\"), "),
            ("misspelt in events", "OnEvent(\"e\", \"N\"), "),
            ("misspelt in leaves", "MoveTo(target: \"N\"), "),
        ] {
            let children = each(10_000, |it| child.replace('N', &format!("{long}x{it}")));
            assert!(report(what, &sequence(&keys, &children)).is_some());
        }
    }
    let keys = each(4_000, |it| format!("\"key{it}\": Int(1), "));
    let children = each(60_000, |it| format!("Check(\"kye{it} == key{it}\"), Set(\"ke{it}\", \"1\"), "));
    assert!(report("misspelt short names", &sequence(&keys, &children)).is_some());
    let sum = each(700, |it| format!("kk{it}+"));
    let children = each(3_000, |_| format!("Check(\"{sum}1 > 1\"), "));
    assert!(report("long sums of misspelt names", &sequence(&keys, &children)).is_some());
    let children = each(3_000, |_| format!("(score: \"{sum}1\", child: Idle), "));
    let utility = format!("UtilitySelector([{children}])");
    assert!(report("long scores of misspelt names", &sequence(&keys, &utility)).is_some());
    assert!(report("one very long name", &sequence(&keys, &format!("Check(\"{}\")", "k".repeat(4_000)))).is_some());
}

#[test]
fn words() {
    let symbol = |count| format!("\"s\": Symbol(\"w1\", [{}]), ", each(count, |it| format!("\"w{it}\", ")));
    let unknown = each(20_000, |it| format!("Check(\"s == x{it}\"), "));
    let known = each(20_000, |_| format!("Check(\"s == w{}\"), ", MAX_WORDS - 1));
    let many = messages(report("500 000 words", &sequence(&symbol(500_000), &unknown)));
    assert!(many[0].starts_with("500000 words"), "{}", many[0]);
    assert!(report("unknown words", &sequence(&symbol(MAX_WORDS), &unknown)).is_some());
    assert_eq!(messages(report("known words", &sequence(&symbol(MAX_WORDS), &known))), [""; 0]);
    let past = messages(report("one word too many", &sequence(&symbol(MAX_WORDS + 1), "Idle")));
    let message = format!("{} words are too many for one key: at most {}", MAX_WORDS + 1, MAX_WORDS);
    assert_eq!(past, [message]);
    // The most keys allowed, with as many words as there is room for.
    let all = each(400, |it| symbol(2_000).replace("\"s\"", &format!("\"s{it}\"")));
    let both = each(8_000, |it| format!("Check(\"s{} == s{} && s1 == w1999\"), ", it % 400, it % 399));
    assert_eq!(messages(report("many keys with many words", &sequence(&all, &both))), [""; 0]);
}

/// Neither what no expression can write, nor what would mean a key.
#[test]
fn words_that_cannot_be() {
    let key = |index: usize, words: &str| format!("\"s{index}\": Symbol(\"w\", [\"w\", {words}]), ");
    let bad = each(2_000, |it| format!("\"{it}\", "));
    let found = report("bad words", &sequence(&each(400, |it| key(it, &bad)), "Idle")).expect("none is a word");
    assert!(found.diagnostics()[0].message().starts_with("\"0\" cannot be a word of the key `s0`"));
    assert_eq!(found.diagnostics().len() + found.more(), 400 * 2_000);
    let long = format!("\"{}\"", "1".repeat(4 << 20));
    assert!(report("a long bad word", &sequence(&key(0, &long), "Idle")).is_some());
    let named = each(1_000, |it| format!("\"s{it}\", "));
    let keys = each(500, |it| key(it, &named));
    let found = report("words that are keys", &sequence(&keys, "Idle")).expect("they mean keys");
    assert_eq!(found.diagnostics().len() + found.more(), 500 * 500);
    // Each of many nodes has keys that hide those above, and words that they hide.
    let node = |it: usize| {
        let keys = "\"a\": Symbol(\"w\", [\"w\", \"b\"]), \"b\": Symbol(\"w\", [\"w\", \"a\"])";
        format!("Sequence(name: \"{it}\", blackboard: {{{keys}}}, children: [Idle]), ")
    };
    assert!(report("words that are keys of many nodes", &sequence("", &each(2_000, node))).is_some());
    // The same word again and again, and everywhere a key of that name.
    let same = "\"b\", ".repeat(1_500);
    let keys = each(1_000, |it| key(it, &same)) + "\"b\": Symbol(\"w\", [\"w\"]), ";
    let node = "Sequence(blackboard: { \"b\": Symbol(\"w\", [\"w\"]) }, children: [Idle]), ";
    let found = report("one word that is a key", &sequence(&keys, &node.repeat(3_000))).expect("it means a key");
    assert_eq!(found.diagnostics().len() + found.more(), 1_000);
}

#[test]
fn names_without_end() {
    let long = "n".repeat(4 << 20);
    let children = "Wait(1e10), ".repeat(50_000);
    let named = format!("Tree(version: 1, root: Sequence(name: \"{long}\", children: [{children}]))");
    assert!(report("a long name above", &named).is_some());
    let fields = each(200_000, |it| format!("a{it}: 1, a{it}: 1, "));
    assert!(report("a long kind", &format!("Tree(version: 1, root: {long}({fields}))")).is_some());
    assert!(report("many fields", &format!("Tree(version: 1, root: Wait({fields}))")).is_some());
    assert!(report("many fields of a leaf", &format!("Tree(version: 1, root: MoveTo({fields}))")).is_some());
    assert!(report("many fields of a tree", &format!("Tree(version: 1, {fields})")).is_some());
    let mut deep = String::from("Tree(version: 1, root: ");
    for _ in 0..90 {
        let _ = write!(deep, "Sequence(name: \"{}\", children: [", "n".repeat(256));
    }
    deep += &"Wait(1e10), ".repeat(60_000);
    deep += &"])".repeat(90);
    assert!(report("deep paths", &(deep + ")")).is_some());
}

/// Each node above may have a key of that name.
#[test]
fn keys_all_the_way_up() {
    let mut deep = String::from("Tree(version: 1, blackboard: { \"a\": Int(1) }, root: ");
    for level in 0..90 {
        let _ = write!(deep, "Sequence(blackboard: {{ \"b{level}\": Int(1) }}, children: [");
    }
    let sum = "a+".repeat(2_000);
    deep += &each(3_000, |_| format!("Check(\"{sum}1 > 1\"), "));
    deep += &"])".repeat(90);
    assert_eq!(messages(report("keys all the way up", &(deep + ")"))), [""; 0]);
}

fn templates(templates: &str, root: &str) -> String {
    format!("Tree(version: 1, templates: {{{templates}}}, root: {root})")
}

#[test]
fn holes_that_multiply() {
    let too_many =
        format!("the tree has more than {} nodes, counting what it includes", pleach_core::limits::MAX_NODES);
    // They cost as much as the largest tree there can be.
    let first = |source: &str| messages(check_str("t.ron", source, &common::registry()).err()).first().cloned();
    let too_many = Some(too_many);
    let twice = r#""two": (nodes: { "x": One }, root: Sequence([Node("x"), Node("x")])),"#;
    let open = r#"Use(template: "two", nodes: { "x": "#.repeat(40);
    let source = templates(twice, &format!("{open}Idle{}", " })".repeat(40)));
    assert_eq!(first(&source), too_many);
    // Something that doubles may be empty.
    let each_twice = each(40, |it| {
        let next = format!("Use(template: \"t{}\", nodes: {{ \"x\": [Nodes(\"x\"), Nodes(\"x\")] }})", it + 1);
        format!("\"t{it}\": (nodes: {{ \"x\": Many }}, root: {next}),")
    });
    let last = r#""t40": (nodes: { "x": Many }, root: Sequence([Nodes("x"), Idle]))"#;
    let source = templates(&(each_twice + last), r#"Use(template: "t0", nodes: { "x": [] })"#);
    assert_eq!(first(&source), too_many);
    let defaults = r#""two": (nodes: { "x": Many(default: []) }, root: Sequence([Idle, Nodes("x")])),"#;
    assert_eq!(first(&templates(defaults, &format!("Sequence([{}])", "Use(\"two\"),".repeat(10_000)))), None);
}

#[test]
fn holes_inside_of_each_other() {
    let first = |what: &str, source: &str| messages(report(what, source)).first().cloned().unwrap_or_default();
    let once = r#""t": (nodes: { "x": One }, root: Node("x")),"#;
    let deep = |count: usize| {
        let open = r#"Use(template: "t", nodes: { "x": "#.repeat(count);
        templates(once, &format!("{open}Idle{}", " })".repeat(count)))
    };
    assert!(report("as deep as can be", &deep(64)).is_none());
    assert_eq!(first("too deep", &deep(65)), "includes are nested too deep: more than 64 inside each other");
    assert!(first("far too deep", &deep(5_000)).contains("too deep"));
    // Each passes on what it gets.
    let chain = each(64, |it| {
        format!(
            "\"t{it}\": (nodes: {{ \"x\": One }}, root: Use(template: \"t{}\", nodes: {{ \"x\": Node(\"x\") }})),",
            it + 1
        )
    });
    let last = r#""t64": (nodes: { "x": One }, root: Node("x"))"#;
    let source = templates(&format!("{chain}{last}"), r#"Use(template: "t1", nodes: { "x": Wait(1.0) })"#);
    assert!(report("holes that are passed on", &source).is_none());
    // None can give itself to itself.
    let own =
        r#""t": (nodes: { "x": One }, root: Node("x")), "u": (root: Use(template: "t", nodes: { "x": Use("u") }))"#;
    assert_eq!(
        first("a template in what it gives", &templates(own, "Use(\"u\")")),
        "a template cannot use itself: u -> u"
    );
    let holes = each(400_000, |it| format!("\"k{it}\": One, "));
    let many = format!("Tree(version: 1, nodes: {{{holes}}}, root: Idle)");
    assert!(messages(report("many holes", &many)).contains(&"more than 64 holes".to_owned()));
    let given = each(100_000, |it| format!("\"k{it}\": Idle, "));
    let source = templates(once, &format!("Use(template: \"t\", nodes: {{{given} \"x\": Idle}})"));
    assert!(first("much that is given", &source).contains("has no hole"));
    let subtrees = r#"Subtree(asset: "x.ron", nodes: { "x": "#.repeat(200);
    let texts = each(20_000, |it| format!("Say(\"{it}\"),"));
    let source = templates("", &format!("{subtrees}Sequence([{texts}]){}", " })".repeat(200)));
    assert!(first("strings in includes inside of each other", &source).contains("can only be found in a library"));
}
