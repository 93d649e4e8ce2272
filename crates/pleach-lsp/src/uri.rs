//! URIs of the protocol, and names of files as a library has them: paths with `/`.

use std::path::PathBuf;

/// The name of a document: its path if it is a file, else the URI itself.
pub(crate) fn name(uri: &str) -> String {
    let Some(rest) = uri.strip_prefix("file://") else { return uri.to_owned() };
    // A host name means a Windows share: `//host/share`.
    let path = if rest.starts_with('/') { decoded(rest) } else { format!("//{}", decoded(rest)) };
    match path.as_bytes() {
        // `/c:/trees` is the path `c:/trees`.
        [b'/', drive, b':', b'/', ..] if drive.is_ascii_alphabetic() => path[1..].to_owned(),
        _ => path,
    }
}

/// The URI of a name.
pub(crate) fn of(name: &str) -> String {
    let is_path = name.starts_with('/') || name.as_bytes().get(1) == Some(&b':');
    if !is_path {
        return name.to_owned();
    }
    let slash = if name.starts_with('/') { "" } else { "/" };
    format!("file://{slash}{}", uri_path(name))
}

/// A path with `/` as a part of a URI: characters with a meaning there are percent-encoded.
#[must_use]
pub fn uri_path(path: &str) -> String {
    let mut uri = String::new();
    for byte in path.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'/' | b'-' | b'.' | b'_' | b'~' => uri.push(char::from(byte)),
            _ => uri.push_str(&format!("%{byte:02X}")),
        }
    }
    uri
}

/// The path of a name.
pub(crate) fn path(name: &str) -> PathBuf {
    PathBuf::from(name)
}

/// The name of a path.
pub(crate) fn of_path(path: &std::path::Path) -> String {
    let path = path.to_string_lossy();
    if cfg!(windows) { path.replace('\\', "/") } else { path.into_owned() }
}

fn decoded(text: &str) -> String {
    let bytes = text.as_bytes();
    let (mut out, mut at) = (Vec::with_capacity(bytes.len()), 0);
    while let Some(&byte) = bytes.get(at) {
        let digits = text.get(at + 1..at + 3).filter(|_| byte == b'%');
        match digits.and_then(|it| u8::from_str_radix(it, 16).ok()) {
            Some(byte) => {
                out.push(byte);
                at += 3;
            }
            None => {
                out.push(byte);
                at += 1;
            }
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_uris() {
        for (uri, file) in [
            ("file:///a/b.ron", "/a/b.ron"),
            ("file:///a%20b/%C3%A9.ron", "/a b/é.ron"),
            ("file:///c%3A/trees/a.ron", "c:/trees/a.ron"),
            ("untitled:Untitled-1", "untitled:Untitled-1"),
        ] {
            assert_eq!(name(uri), file);
            assert_eq!(of(file), uri);
        }
        assert_eq!(name("file:///a%zz%"), "/a%zz%");
        assert_eq!(name("file://host/share/a.ron"), "//host/share/a.ron");
    }
}
