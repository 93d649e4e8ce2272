//! The page of the studio as HTML: with a report in it, or for a program that serves it.

use sha2::{Digest, Sha256};

use crate::model::Report;

/// The page's script, built from `page/src`.
pub const SCRIPT: &str = include_str!("../page/dist/studio.js");
/// The page's style sheet.
pub const STYLE: &str = include_str!("../page/dist/studio.css");
/// The start of the element that holds a report, and its end.
const BEGIN: &str = "<script type=\"text/plain\" id=\"pleach-report\">";
const END: &str = "</script>";
/// How hard a report is compressed, from 1 to 10: more takes longer than it saves.
const LEVEL: u8 = 6;
/// The digits of Base64.
const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// A report as one self-contained HTML file: its content security policy allows only the script and
/// the style in it. The report is JSON, compressed as in RFC 1951 and written in Base64.
///
/// # Errors
/// The report cannot be written as JSON.
pub fn report(report: &Report) -> Result<String, serde_json::Error> {
    let data = base64(&miniz_oxide::deflate::compress_to_vec(&serde_json::to_vec(report)?, LEVEL));
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
         {BEGIN}{data}{END}\n<script>{SCRIPT}</script>\n</body>\n</html>\n"
    ))
}

/// The page for a program that answers its questions, and serves `studio.js` and `studio.css`
/// beside it. It contains nothing of a recording: that comes only in answers.
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

/// The JSON of a report in its HTML, for tools. `None` if it is not a report, or takes more than
/// 256 MiB.
#[must_use]
pub fn data_of(html: &str) -> Option<Vec<u8>> {
    const MOST: usize = 256 << 20;
    let data = html.split_once(BEGIN)?.1.split_once(END)?.0;
    let mut bytes = Vec::with_capacity(data.len() / 4 * 3);
    for four in data.trim_end_matches('=').as_bytes().chunks(4) {
        let digits = four.iter().map(|digit| DIGITS.iter().position(|it| it == digit));
        let bits = digits.enumerate().try_fold(0, |bits, (at, it)| Some(bits | it? << (18 - 6 * at)))?;
        let three = u32::try_from(bits).ok()?.to_be_bytes();
        bytes.extend(&three[1..four.len()]);
    }
    miniz_oxide::inflate::decompress_to_vec_with_limit(&bytes, MOST).ok()
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// The SHA-256 of a text, in Base64.
fn digest(text: &str) -> String {
    base64(&Sha256::digest(text.as_bytes()))
}

fn base64(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for three in bytes.chunks(3) {
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
        for length in 0..9 {
            let bytes = miniz_oxide::deflate::compress_to_vec(&vec![b'x'; length], LEVEL);
            let html = format!("{BEGIN}{}{END}", base64(&bytes));
            assert_eq!(data_of(&html), Some(vec![b'x'; length]));
        }
        for wrong in ["", BEGIN, &format!("{BEGIN}?{END}"), &format!("{BEGIN}////{END}")] {
            assert_eq!(data_of(wrong), None);
        }
        assert_eq!(escaped("<a href=\"&\">"), "&lt;a href=&quot;&amp;&quot;&gt;");
        assert!(!SCRIPT.to_lowercase().contains("</script") && !SCRIPT.contains("<!--"));
        assert!(!STYLE.to_lowercase().contains("</style"));
    }
}
