//! Texts of C, as text.

use pc3_syntax::tree::Span;

/// What takes the place of a span.
#[derive(Clone, Debug)]
pub struct Edit {
    pub span: Span,
    pub text: String,
}

/// A C string literal of plain text.
pub fn quote(s: &str) -> String {
    let mut out = String::from("\"");
    for b in s.bytes() {
        match b {
            b'"' | b'\\' => {
                out.push('\\');
                out.push(b as char);
            }
            0x20..=0x7e => out.push(b as char),
            _ => out += &format!("\\{b:03o}"),
        }
    }
    out + "\""
}

/// Drops line markers and turns line breaks into blanks.
pub(crate) fn join_lines(text: &mut String) {
    if text.contains('\n') {
        *text = text
            .lines()
            .filter(|l| !l.starts_with("# "))
            .collect::<Vec<_>>()
            .join(" ");
    }
}
