//! What does not compile, and the compiler's messages: each file of `misuse` beside its `.stderr`.
//! `TRYBUILD=overwrite` rewrites these; read them.

#[test]
fn misuse_is_told_in_words_for_people() {
    trybuild::TestCases::new().compile_fail("tests/misuse/*.rs");
}
