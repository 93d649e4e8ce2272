//! The JSON in a file of Unity: a string in single or double quotes, over several lines.

/// The field that holds it.
pub(super) const FIELD: &str = "JSONSerialization:";

/// A string without its quotes.
pub(super) struct Unquoted {
    pub(super) text: String,
    /// For each byte of the text, its place in the file.
    places: Vec<u32>,
    /// Where it begins, if it is verbatim in the file.
    begin: usize,
}

impl Unquoted {
    /// From a place in the text to one in the file.
    pub(super) fn place(&self, at: usize) -> usize {
        match self.places.get(at).or(self.places.last()) {
            Some(place) => *place as usize,
            None => self.begin + at,
        }
    }
}

/// All JSON of a file: the whole file, if that is JSON.
pub(super) fn strings(file: &str) -> Vec<Result<Unquoted, (usize, String)>> {
    if file.trim_start().starts_with('{') {
        return vec![Ok(Unquoted { text: file.into(), places: Vec::new(), begin: 0 })];
    }
    let mut all = Vec::new();
    for (at, _) in file.match_indices(FIELD) {
        let after = &file[at + FIELD.len()..];
        let begin = at + FIELD.len() + after.len() - after.trim_start_matches(' ').len();
        match file[begin..].chars().next() {
            Some(quote @ ('\'' | '"')) => all.push(unquoted(file, begin + 1, quote)),
            None | Some('\n' | '\r') => {
                let why = "this tree is binary: let Behavior Designer's preferences say JSON, and save it again";
                all.push(Err((at, why.into())));
            }
            Some(_) => all.push(Err((begin, "expected a string in quotes".into()))),
        }
    }
    if all.is_empty() {
        all.push(Err((0, format!("there is no `{FIELD}` in this file"))));
    }
    all
}

/// The string that begins here. The end of a line is a space; the indentation of the next one is
/// dropped.
fn unquoted(file: &str, begin: usize, quote: char) -> Result<Unquoted, (usize, String)> {
    let mut out = Unquoted { text: String::new(), places: Vec::new(), begin };
    let mut chars = file[begin..].char_indices().peekable();
    let mut push = |char: char, at: usize| {
        out.text.push(char);
        let at = u32::try_from(begin + at).unwrap_or(u32::MAX);
        out.places.resize(out.text.len(), at);
    };
    while let Some((at, char)) = chars.next() {
        match char {
            '\'' if quote == '\'' && chars.next_if(|it| it.1 == '\'').is_some() => push('\'', at),
            it if it == quote => return Ok(out),
            '\r' => {}
            '\n' => {
                while chars.next_if(|it| matches!(it.1, ' ' | '\t' | '\r')).is_some() {}
                push(' ', at);
            }
            '\\' if quote == '"' => match chars.next().map(|it| it.1) {
                Some('n') => push('\n', at),
                Some('t') => push('\t', at),
                Some('\r' | '\n') => while chars.next_if(|it| matches!(it.1, ' ' | '\t' | '\r' | '\n')).is_some() {},
                Some(code @ ('x' | 'u' | 'U')) => {
                    let count = if code == 'x' {
                        2
                    } else if code == 'u' {
                        4
                    } else {
                        8
                    };
                    let digits: String = chars.by_ref().take(count).map(|it| it.1).collect();
                    let char = u32::from_str_radix(&digits, 16).ok().and_then(char::from_u32);
                    push(char.unwrap_or(char::REPLACEMENT_CHARACTER), at);
                }
                Some(it) => push(it, at),
                None => break,
            },
            it => push(it, at),
        }
    }
    Err((begin, "this string has no end".into()))
}
