//! The page of the studio as HTML: with a report in it, or for a program that serves it.

use sha2::{Digest, Sha256};

use crate::model::Report;

/// The page's program, as it is built from `page/src`.
pub const SCRIPT: &str = include_str!("../page/dist/studio.js");
/// The page's style sheet.
pub const STYLE: &str = include_str!("../page/dist/studio.css");
/// The id of the element that holds a report.
const REPORT: &str = "pleach-report";

/// A report as one HTML file that needs no other, and loads none: its content security policy
/// allows the script and the style in it, and nothing else.
///
/// # Errors
/// The report cannot be written as JSON.
pub fn report(report: &Report) -> Result<String, serde_json::Error> {
    let data = in_html(&serde_json::to_string(report)?);
    let policy = format!(
        "default-src 'none'; script-src 'sha256-{}'; style-src 'sha256-{}'; base-uri 'none'; form-action 'none'",
        digest(SCRIPT),
        digest(STYLE)
    );
    let title = escaped(&format!("{}: agent {}", report.overview.title, report.track.agent));
    Ok(format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{policy}\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>{title}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n<div id=\"app\"></div>\n\
         <noscript>This report needs JavaScript.</noscript>\n\
         <script type=\"application/json\" id=\"{REPORT}\">{data}</script>\n<script>{SCRIPT}</script>\n</body>\n</html>\n"
    ))
}

/// The page for a program that answers its questions, and serves `studio.js` and `studio.css`
/// beside it. It says nothing of a recording: what does is an answer.
pub const STUDIO: &str = "\
<!doctype html>
<html lang=\"en\">
<head>
<meta charset=\"utf-8\">
<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">
<title>pleach studio</title>
<link rel=\"stylesheet\" href=\"studio.css\">
</head>
<body>
<div id=\"app\"></div>
<noscript>The studio needs JavaScript.</noscript>
<script src=\"studio.js\"></script>
</body>
</html>
";

/// JSON that no text in it can end the element: `<` only stands in texts.
fn in_html(json: &str) -> String {
    json.replace('<', "\\u003c").replace('\u{2028}', "\\u2028").replace('\u{2029}', "\\u2029")
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// The SHA-256 of a text, in Base64.
fn digest(text: &str) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::new();
    for three in Sha256::digest(text.as_bytes()).chunks(3) {
        let bits = three.iter().fold(0_u32, |bits, it| bits << 8 | u32::from(*it)) << (8 * (3 - three.len()));
        for at in 0..4 {
            let digit = DIGITS[(bits >> (18 - 6 * at)) as usize & 63];
            out.push(if at <= three.len() { digit.into() } else { '=' });
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_digest_is_that_of_the_standard() {
        assert_eq!(digest(""), "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=");
        assert_eq!(digest("abc"), "ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=");
    }

    #[test]
    fn no_text_ends_the_script() {
        assert_eq!(in_html("[\"</script><!--\"]"), "[\"\\u003c/script>\\u003c!--\"]");
        assert_eq!(escaped("<a href=\"&\">"), "&lt;a href=&quot;&amp;&quot;&gt;");
        assert!(!SCRIPT.to_lowercase().contains("</script") && !SCRIPT.contains("<!--"));
        assert!(!STYLE.to_lowercase().contains("</style"));
    }
}
