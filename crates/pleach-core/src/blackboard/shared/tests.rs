//! Keys whose tags are the same.

use std::collections::HashMap;

use super::*;
use crate::error::AccessError;
use crate::ids::salted::Salt;

#[test]
fn of_two_keys_with_one_tag_neither_is_found_by_it() {
    let mut seen = HashMap::new();
    let mut declare = |number: u32| {
        let (name, mut schema) = (format!("key_{number}"), Schema::default());
        schema.declare_or_tell(&name, Scope::Group, None, 7_i64.into()).expect("a good key");
        let tag = schema.keys().next().expect("declared").tag();
        seen.insert(tag, number).map(|other| (other, number, tag))
    };
    let (one, two, tag) = (0..10_000_000).find_map(&mut declare).expect("a tag has thirty bits");
    let mut shared = Shared::new(Salt::of(0), Owner::Forest);
    let group = shared.new_group_kept();
    let whose = Whose::Group(group);
    let mut found = Vec::new();
    for number in [one, two] {
        let mut schema = Schema::default();
        schema.declare_or_tell(&format!("key_{number}"), Scope::Group, None, 7_i64.into()).expect("a good key");
        shared.admit(&schema, &Layout::of_shared(&schema));
        found.push(shared.tagged(whose, tag));
    }
    assert_eq!(found, [Some(Value::Int(7)), None]);
    assert_eq!(
        shared.set_tagged(whose, tag, Value::Int(8)),
        Err(AccessError::Undeclared { scope: Scope::Group, board: false })
    );
    assert_eq!(shared.named(whose, &format!("key_{two}")), Ok(Value::Int(7)));
}
