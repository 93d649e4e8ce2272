//! The text of resources and scenes.

use crate::place::keep_last;

/// `[tag name=value ..]` with the values below it.
#[derive(Debug)]
pub(super) struct Section {
    pub(super) tag: String,
    pub(super) head: Vec<(String, Value)>,
    pub(super) values: Vec<(String, Value, usize)>,
    pub(super) at: usize,
}

/// A value.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Value {
    /// A string, a string name or a path.
    Text(String),
    /// A number or a word, as it is written.
    Plain(String),
    /// `SubResource("id")`
    Call(String, Vec<Value>),
    List(Vec<Value>),
    /// Trees need none of its entries.
    Map,
}

/// The deepest nesting of values.
const MAX_DEPTH: usize = 32;

impl Section {
    pub(super) fn head(&self, name: &str) -> Option<&str> {
        self.head.iter().find(|it| it.0 == name).and_then(|it| it.1.text())
    }

    pub(super) fn get(&self, name: &str) -> Option<&Value> {
        self.values.iter().find(|it| it.0 == name).map(|it| &it.1)
    }

    /// The id of a resource that a value names.
    pub(super) fn resource(&self, name: &str) -> Option<&str> {
        self.get(name).and_then(Value::resource)
    }
}

impl Value {
    pub(super) fn text(&self) -> Option<&str> {
        match self {
            Value::Text(it) | Value::Plain(it) => Some(it),
            Value::Call(name, inner) if matches!(&**name, "NodePath" | "StringName") => inner.first()?.text(),
            _ => None,
        }
    }

    pub(super) fn resource(&self) -> Option<&str> {
        match self {
            Value::Call(name, inner) if matches!(&**name, "SubResource" | "ExtResource") => inner.first()?.text(),
            _ => None,
        }
    }

    /// The parts of a vector: `1, 2`.
    pub(super) fn vector(&self) -> Option<String> {
        match self {
            Value::Call(name, parts) if name.starts_with("Vector") => {
                let parts: Option<Vec<String>> = parts.iter().map(|it| it.text().map(crate::ron::number)).collect();
                parts.map(|it| it.join(", "))
            }
            _ => None,
        }
    }

    /// A string, a number, a word or a vector.
    pub(super) fn plain(&self) -> Option<String> {
        self.text().map(Into::into).or_else(|| self.vector())
    }

    /// The items of an array, typed or not.
    pub(super) fn items(&self) -> &[Value] {
        match self {
            Value::List(items) => items,
            Value::Call(name, inner) if name == "Array" => inner.first().map_or(&[], Value::items),
            _ => &[],
        }
    }
}

/// Reads all sections.
///
/// # Errors
/// The first problem, and its place.
pub(super) fn read(text: &str) -> Result<Vec<Section>, (usize, String)> {
    let mut reader = Reader { text, at: 0 };
    let mut sections: Vec<Section> = Vec::new();
    loop {
        reader.blank();
        let at = reader.at;
        if reader.rest().is_empty() {
            for section in &mut sections {
                keep_last(&mut section.values, |it| &it.0);
            }
            return Ok(sections);
        }
        if reader.take('[') {
            let tag = reader.name()?;
            let mut head = Vec::new();
            loop {
                reader.blank();
                if reader.take(']') {
                    break;
                }
                let name = reader.name()?;
                reader.expect('=')?;
                head.push((name, reader.value(0)?));
            }
            sections.push(Section { tag, head, values: Vec::new(), at });
            continue;
        }
        let name = reader.name()?;
        reader.blank();
        reader.expect('=')?;
        reader.blank();
        let value = reader.value(0)?;
        let Some(section) = sections.last_mut() else { return Err((at, "a value stands before all sections".into())) };
        section.values.push((name, value, at));
    }
}

struct Reader<'t> {
    text: &'t str,
    at: usize,
}

impl Reader<'_> {
    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    fn wrong<T>(&self, why: &str) -> Result<T, (usize, String)> {
        Err((self.at, why.into()))
    }

    /// Skips white space and comments.
    fn blank(&mut self) {
        loop {
            self.at += self.rest().len() - self.rest().trim_start().len();
            if !self.rest().starts_with(';') {
                return;
            }
            self.at += self.rest().find('\n').unwrap_or(self.rest().len());
        }
    }

    fn take(&mut self, char: char) -> bool {
        let is_there = self.rest().starts_with(char);
        self.at += if is_there { char.len_utf8() } else { 0 };
        is_there
    }

    fn expect(&mut self, char: char) -> Result<(), (usize, String)> {
        self.blank();
        if self.take(char) { Ok(()) } else { self.wrong(&format!("expected `{char}`")) }
    }

    fn name(&mut self) -> Result<String, (usize, String)> {
        self.blank();
        let is_part = |it: char| it.is_alphanumeric() || "_/:.@-+".contains(it);
        let length = self.rest().find(|it| !is_part(it)).unwrap_or(self.rest().len());
        if length == 0 {
            return self.wrong("expected a name");
        }
        let name = self.rest()[..length].to_owned();
        self.at += length;
        Ok(name)
    }

    fn value(&mut self, depth: usize) -> Result<Value, (usize, String)> {
        self.blank();
        if depth > MAX_DEPTH {
            return self.wrong("values are nested too deep");
        }
        let _ = self.take('&') || self.take('^');
        if self.take('"') {
            return self.string().map(Value::Text);
        }
        if self.take('[') {
            return self.values(']', depth).map(Value::List);
        }
        if self.take('{') {
            self.values('}', depth)?;
            return Ok(Value::Map);
        }
        let name = self.name()?;
        // `Array[ExtResource("1")]([..])`
        if name == "Array" && self.take('[') {
            self.values(']', depth)?;
        }
        if self.take('(') {
            return Ok(Value::Call(name, self.values(')', depth)?));
        }
        Ok(Value::Plain(name))
    }

    /// Values up to a bracket. Keys of a map are values, too.
    fn values(&mut self, end: char, depth: usize) -> Result<Vec<Value>, (usize, String)> {
        let mut values = Vec::new();
        loop {
            self.blank();
            if self.take(end) {
                return Ok(values);
            }
            if self.take(',') || self.take(':') {
                continue;
            }
            values.push(self.value(depth + 1)?);
        }
    }

    /// The rest of a string.
    fn string(&mut self) -> Result<String, (usize, String)> {
        let (mut out, mut chars) = (String::new(), self.text[self.at..].char_indices());
        while let Some((at, char)) = chars.next() {
            match char {
                '"' => {
                    self.at += at + 1;
                    return Ok(out);
                }
                '\\' => match chars.next() {
                    Some((_, 'n')) => out.push('\n'),
                    Some((_, 't')) => out.push('\t'),
                    Some((_, it)) => out.push(it),
                    None => break,
                },
                it => out.push(it),
            }
        }
        self.wrong("a string has no end")
    }
}
