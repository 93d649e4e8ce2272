//! The declarations that belong to a version of the interface. A program that was compiled with an
//! older header of the same version works with this library, so none of them changes or goes while
//! `PLEACH_ABI_VERSION` stays. New ones may come. `include/abi.txt` holds them.

use std::collections::BTreeSet;
use std::fs;

use super::csharp::declarations;
use super::here;

const VERSION: &str = "#define PLEACH_ABI_VERSION ";

/// The version of a header, and its other declarations, each on a line.
fn read(header: &str) -> (u32, BTreeSet<String>) {
    let (version, others): (Vec<_>, Vec<_>) = declarations(header).into_iter().partition(|it| it.starts_with(VERSION));
    let number = version.first().and_then(|it| it.strip_prefix(VERSION)?.parse().ok());
    (number.expect("the header has its version"), others.into_iter().collect())
}

/// What `include/abi.txt` has to hold for a header, if it holds this.
fn next(known: &str, header: &str) -> Result<String, String> {
    let (version, now) = read(header);
    let (head, rest) = known.split_once('\n').unwrap_or((known, ""));
    let old: u32 = head.strip_prefix("version ").and_then(|it| it.parse().ok()).ok_or("it begins with its version")?;
    if version < old {
        return Err(format!("PLEACH_ABI_VERSION was {old} before, and is {version}"));
    }
    let lost: Vec<&str> = rest.lines().filter(|it| !now.contains(*it)).collect();
    if version == old && !lost.is_empty() {
        return Err(format!(
            "programs that were compiled with version {old} of the header rely on these, which have changed or are gone: \
             leave them, or raise PLEACH_ABI_VERSION in src/lib.rs\n{}",
            lost.join("\n")
        ));
    }
    Ok(now.iter().fold(format!("version {version}\n"), |text, it| text + it + "\n"))
}

#[test]
fn no_declaration_changes_without_a_new_version() {
    let header = fs::read_to_string(here().join("include/pleach.h")).expect("the header is read");
    let file = here().join("include/abi.txt");
    let known = fs::read_to_string(&file).expect("it is checked in");
    let made = next(&known, &header).unwrap_or_else(|it| panic!("{it}"));
    if std::env::var_os("PLEACH_BLESS").is_some() {
        fs::write(&file, &made).expect("it is written");
    } else {
        assert!(made == known, "include/abi.txt lacks what is new in include/pleach.h: PLEACH_BLESS=1 writes it");
    }
}

#[test]
fn a_change_is_seen() {
    let header = |version: u32, rest: &str| format!("/**/\n#define PLEACH_ABI_VERSION {version}\n{rest}\n");
    let first = "typedef struct a {\n    int32_t x; // It is x.\n} a;\n#define PLEACH_B 1\nint32_t pleach_c(a it);";
    let known = next("version 1\n", &header(1, first)).expect("all is new");
    assert_eq!(known.lines().count(), 4, "{known}");
    // The words of a comment, and what is new, change nothing for programs.
    assert_eq!(next(&known, &header(1, &first.replace("It is x", "It was x"))), Ok(known.clone()));
    let more = next(&known, &header(1, &format!("{first}\nint32_t pleach_d(void);"))).expect("it is new");
    assert!(more.contains("pleach_d") && more.lines().count() == 5);
    for (from, to) in
        [("x;", "x; int32_t y;"), ("B 1", "B 2"), ("(a it)", "(a it, a other)"), ("int32_t pleach_c(a it);", "")]
    {
        let changed = first.replacen(from, to, 1);
        let why = next(&known, &header(1, &changed)).expect_err("it is seen");
        assert!(why.contains("raise PLEACH_ABI_VERSION"), "{why}");
        assert!(next(&known, &header(2, &changed)).is_ok_and(|it| it.starts_with("version 2\n")));
    }
    assert!(next(&known.replace("version 1", "version 2"), &header(1, first)).is_err());
}
