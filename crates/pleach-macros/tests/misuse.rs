//! What does not compile, and what the compiler says: each file of `misuse` beside its `.stderr`.
//! `TRYBUILD=overwrite` writes these anew; read them.

#[test]
fn misuse_is_told_in_words_for_people() {
    trybuild::TestCases::new().compile_fail("tests/misuse/*.rs");
}
