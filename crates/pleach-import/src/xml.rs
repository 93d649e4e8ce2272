//! XML as people write it: elements with their places. Only the five entities and numbers are
//! expanded; a document type is refused.

use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};

/// The deepest nesting: that of BehaviorTree.CPP.
const MAX_DEPTH: usize = 256;

/// The most attributes of an element.
const MAX_ATTRIBUTES: usize = 256;

/// The most elements of a file.
const MAX_ELEMENTS: usize = 250_000;

/// An element.
#[derive(Debug, Default)]
pub(crate) struct Element {
    pub(crate) name: String,
    pub(crate) attributes: Vec<Attribute>,
    pub(crate) children: Vec<Element>,
    /// The comments right before it, and after its last child.
    pub(crate) note: Option<String>,
    /// The text in it, without its children.
    pub(crate) text: String,
    pub(crate) at: usize,
}

/// An attribute, with its unescaped value.
#[derive(Debug)]
pub(crate) struct Attribute {
    pub(crate) name: String,
    pub(crate) value: String,
    pub(crate) at: usize,
}

impl Element {
    pub(crate) fn get(&self, name: &str) -> Option<&Attribute> {
        self.attributes.iter().find(|it| it.name == name)
    }

    pub(crate) fn value(&self, name: &str) -> Option<&str> {
        self.get(name).map(|it| &*it.value)
    }
}

/// Something that is wrong at a place.
pub(crate) type Wrong = (usize, String);

/// Reads the root element of a document. `warn` gets what no XML parser would accept.
///
/// # Errors
/// The first problem.
pub(crate) fn read(text: &str, warn: &mut dyn FnMut(usize, String)) -> Result<Element, Wrong> {
    let mut reader = Reader::from_str(text);
    reader.config_mut().check_end_names = false;
    reader.config_mut().allow_unmatched_ends = true;
    let (mut open, mut root, mut notes) = (Vec::<Element>::new(), None, Vec::<String>::new());
    let mut count = 0;
    loop {
        let at = offset(reader.buffer_position());
        let event = reader.read_event().map_err(|error| (offset(reader.error_position()), error.to_string()))?;
        let (start, is_empty) = match &event {
            Event::Start(it) => (it, false),
            Event::Empty(it) => (it, true),
            Event::End(end) => {
                let Some(mut element) = open.pop() else {
                    return Err((at, format!("`</{}>` ends nothing", name(end.name().as_ref()))));
                };
                if name(end.name().as_ref()) != element.name {
                    return Err((at, format!("`</{}>` does not end `<{}>`", name(end.name().as_ref()), element.name)));
                }
                // After its last child.
                element.note = element.note.into_iter().chain(notes.drain(..)).reduce(|a, b| a + "\n" + &b);
                attach(element, &mut open, &mut root)?;
                continue;
            }
            Event::Comment(it) => {
                notes.push(String::from_utf8_lossy(it).split_whitespace().collect::<Vec<_>>().join(" "));
                continue;
            }
            Event::Text(it) => {
                let raw = String::from_utf8_lossy(it);
                match open.last_mut() {
                    Some(element) => element.text.push_str(&unescape(raw.trim(), at, warn)?),
                    None if raw.trim().is_empty() => {}
                    None => return Err((at, "text outside of the root element".into())),
                }
                continue;
            }
            Event::CData(it) => {
                if let Some(element) = open.last_mut() {
                    element.text.push_str(&String::from_utf8_lossy(it));
                }
                continue;
            }
            Event::GeneralRef(it) => {
                let raw = format!("&{};", String::from_utf8_lossy(it));
                if let Some(element) = open.last_mut() {
                    element.text.push_str(&unescape(&raw, at, warn)?);
                }
                continue;
            }
            Event::DocType(_) => return Err((at, "a document type: entities are not expanded, remove it".into())),
            Event::Decl(_) | Event::PI(_) => continue,
            Event::Eof => break,
        };
        if open.len() >= MAX_DEPTH {
            return Err((at, format!("elements are nested deeper than {MAX_DEPTH}")));
        }
        count += 1;
        if count > MAX_ELEMENTS {
            return Err((at, format!("the file has more than {MAX_ELEMENTS} elements: split it")));
        }
        let mut element = element(text, start, at, warn)?;
        let note = notes.join("\n");
        element.note = (!note.is_empty()).then_some(note);
        notes.clear();
        if is_empty {
            attach(element, &mut open, &mut root)?;
        } else {
            open.push(element);
        }
    }
    if let Some(element) = open.last() {
        return Err((element.at, format!("`<{}>` is never closed", element.name)));
    }
    root.ok_or((text.len(), "the file has no element".into()))
}

fn attach(element: Element, open: &mut [Element], root: &mut Option<Element>) -> Result<(), Wrong> {
    match open.last_mut() {
        Some(parent) => parent.children.push(element),
        None if root.is_none() => *root = Some(element),
        None => return Err((element.at, "a second root element".into())),
    }
    Ok(())
}

fn element(
    text: &str,
    start: &BytesStart<'_>,
    at: usize,
    warn: &mut dyn FnMut(usize, String),
) -> Result<Element, Wrong> {
    let mut element = Element { name: name(start.name().as_ref()), at, ..Element::default() };
    // After the `<`.
    let base = at + 1;
    for attribute in start.attributes().with_checks(false) {
        let attribute = attribute.map_err(|error| (at, format!("in `<{}>`: {error}", element.name)))?;
        let key = name(attribute.key.as_ref());
        // Both borrow the text, whose positions are those of the file.
        let place = |part: &[u8]| part.as_ptr().addr().checked_sub(text.as_ptr().addr()).filter(|it| *it < text.len());
        let at = place(attribute.key.as_ref()).unwrap_or(base);
        if element.get(&key).is_some() {
            return Err((at, format!("`{key}` is given twice")));
        }
        if element.attributes.len() >= MAX_ATTRIBUTES {
            return Err((at, format!("`<{}>` has more than {MAX_ATTRIBUTES} attributes", element.name)));
        }
        let raw = String::from_utf8_lossy(&attribute.value);
        let value = unescape(&raw, place(&attribute.value).unwrap_or(at), warn)?;
        element.attributes.push(Attribute { name: key, value, at });
    }
    Ok(element)
}

/// An unescaped value. A raw `&` or `<` stands for itself, with a warning.
fn unescape(raw: &str, at: usize, warn: &mut dyn FnMut(usize, String)) -> Result<String, Wrong> {
    if let Some(found) = raw.find('<') {
        warn(at + found, "`<` in a value is not XML, and taken as it is: write `&lt;`".into());
    }
    let (mut out, mut rest) = (String::with_capacity(raw.len()), raw);
    while let Some(found) = rest.find('&') {
        let here = at + raw.len() - rest.len() + found;
        out.push_str(&rest[..found]);
        let behind = &rest[found + 1..];
        let entity = behind.split_once(';').map(|it| it.0).filter(|it| is_entity(it));
        let Some(entity) = entity else {
            warn(here, "`&` in a value is not XML, and taken as it is: write `&amp;`".into());
            out.push('&');
            rest = behind;
            continue;
        };
        let is = match entity {
            "amp" => Some('&'),
            "lt" => Some('<'),
            "gt" => Some('>'),
            "quot" => Some('"'),
            "apos" => Some('\''),
            _ => entity.strip_prefix('#').and_then(number),
        };
        out.push(is.ok_or_else(|| (here, format!("`&{entity};` is not an entity of XML")))?);
        rest = &behind[entity.len() + 1..];
    }
    out.push_str(rest);
    Ok(out)
}

fn is_entity(text: &str) -> bool {
    let bare = text.strip_prefix('#').unwrap_or(text);
    !bare.is_empty() && bare.len() <= 32 && bare.bytes().all(|it| it.is_ascii_alphanumeric())
}

fn number(text: &str) -> Option<char> {
    let code = match text.strip_prefix(['x', 'X']) {
        Some(hex) => u32::from_str_radix(hex, 16),
        None => text.parse(),
    };
    code.ok().and_then(char::from_u32).filter(|it| *it != '\0')
}

fn name(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn offset(it: u64) -> usize {
    usize::try_from(it).unwrap_or(usize::MAX)
}
