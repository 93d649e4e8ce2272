//! `include/pleach.h` is what cbindgen makes of the crate. `PLEACH_BLESS=1` writes it.

use super::here;

#[test]
fn the_header_is_that_of_the_crate() {
    let config = cbindgen::Config::from_file(here().join("cbindgen.toml")).expect("the settings are read");
    let mut made = Vec::new();
    cbindgen::Builder::new()
        .with_config(config)
        .with_src(here().join("src/lib.rs"))
        .generate()
        .expect("the crate is read")
        .write(&mut made);
    let made = String::from_utf8(made).expect("it is text");
    // Rust's requirements for callers under this heading.
    let made = made.replace(" # Safety", " Requires:");
    let file = here().join("include/pleach.h");
    if std::env::var_os("PLEACH_BLESS").is_some() {
        std::fs::write(&file, &made).expect("the header is written");
    }
    let checked_in = std::fs::read_to_string(&file).unwrap_or_default();
    assert!(checked_in == made, "include/pleach.h is not that of the crate: PLEACH_BLESS=1 writes it");
}
