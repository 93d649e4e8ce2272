//! The keys that the game relies on, where a file declares its keys.

use pleach::Type;
use pleach::schema::{KeyNeed, NeededWords, Scope};
use pleach::tools::file_stem;

use super::List;
use super::insert::{Insert, Kind};
use crate::fields::{Entries, Role};
use crate::hover;
use crate::names;
use crate::syntax::Shape;

impl List<'_, '_> {
    /// Those that the manifest has for this tree, in the scope of the map around the cursor, and
    /// that the map does not declare yet.
    pub(super) fn needed_keys(&mut self) {
        let doc = self.doc;
        let is_keys = |it: &_| doc.syntax.get(*it).shape == Shape::Map && doc.role(*it) == Role::MapOf(Entries::Keys);
        let Some(map) = self.cursor.around.filter(is_keys) else { return };
        let Some(file) = doc.syntax.get(map).parent.filter(|it| doc.role(*it) == Role::File) else { return };
        let scopes = [("blackboard", Scope::Agent), ("group", Scope::Group), ("global", Scope::Global)];
        let Some((field, scope)) = scopes.into_iter().find(|it| doc.field(file, it.0) == Some(map)) else { return };
        let declared = names::entries(doc, file, field);
        let is_new = |name: &str| declared.iter().all(|it| Some(it.0) == self.cursor.touched || doc.word(it.0) != name);
        let tree = doc.field(file, "name").map_or(file_stem(&doc.name), |it| doc.word(it));
        let needs = self.workspace.manifest.keys.iter();
        let of_tree = needs.filter(|(of, it)| of.as_deref().is_none_or(|of| of == tree) && it.scope == scope);
        let inserts: Vec<Insert> = of_tree.filter(|it| is_new(&it.1.name)).map(|it| self.needed_key(&it.1)).collect();
        inserts.into_iter().for_each(|it| self.push(it));
    }

    fn needed_key(&self, need: &KeyNeed) -> Insert {
        let name = self.text(&need.name, Kind::Key);
        let insert = if self.has_colon() { name } else { name.with(": ").with(&declaration(need)) };
        insert.detail(&need.ty.to_string()).docs(hover::need(need)).rank(need.optional.into())
    }
}

/// A declaration that meets the need.
fn declaration(need: &KeyNeed) -> String {
    let words = match &need.words {
        NeededWords::AtLeast(words) | NeededWords::Exactly(words) => words.as_slice(),
        NeededWords::Any => &[],
    };
    let quoted: Vec<String> = words.iter().map(|it| format!("\"{it}\"")).collect();
    let value = match need.ty {
        Type::Bool => "false".to_owned(),
        Type::Int | Type::Time => "0".to_owned(),
        Type::Float => "0.0".to_owned(),
        Type::Vec2 => "0, 0".to_owned(),
        Type::Vec3 => "0, 0, 0".to_owned(),
        Type::Entity => "none".to_owned(),
        Type::Symbol => format!("{}, [{}]", quoted.first().map_or("\"\"", String::as_str), quoted.join(", ")),
    };
    format!("{}({value})", need.ty)
}
