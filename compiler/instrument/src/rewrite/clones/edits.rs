//! Replacements of spans of the preprocessed text, and their application.  Text after a
//! replacement keeps its line numbers: lost newlines are made up for, extra ones corrected by
//! a line marker.

use crate::rewrite::text::{join_lines, Edit};
use crate::rewrite::unit::UnitCx;
use pc3_syntax::tree::*;

/// Marks text that brings its own line markers.
const RAW: char = '\u{1}';

#[derive(Default, Debug)]
pub struct Edits(Vec<Edit>);

impl Edits {
    pub fn replace(&mut self, span: &Span, text: impl Into<String>) {
        self.0.push(Edit {
            span: span.clone(),
            text: text.into(),
        });
    }
    pub fn insert(&mut self, at: u32, text: impl Into<String>) {
        self.0.push(Edit {
            span: at..at,
            text: text.into(),
        });
    }
    /// Text with line markers of its own.
    pub(crate) fn insert_raw(&mut self, at: u32, text: String) {
        self.insert(at, format!("{RAW}{text}"));
    }
    pub(crate) fn replace_raw(&mut self, span: &Span, text: String) {
        self.replace(span, format!("{RAW}{text}"));
    }
    /// Declarations at `at`, behind the previous item, of which the compiler warns nobody; they belong to `line_of`.
    pub(crate) fn insert_quiet(&mut self, u: &Unit, at: u32, line_of: u32, text: String) {
        self.insert_raw(
            at,
            format!("{}{text}{}", marker(u, line_of, true), marker(u, at, false)),
        );
    }
    pub fn append(&mut self, other: Edits) {
        self.0.extend(other.0);
    }
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn from_list(list: Vec<Edit>) -> Self {
        Edits(list)
    }

    /// Insertions at one place keep their order and precede a replacement that starts there; an outer edit
    /// precedes those inside it.
    fn sort(&mut self) {
        self.0.sort_by_key(|e| {
            let inner = if e.span.is_empty() {
                0
            } else {
                u32::MAX - e.span.end
            };
            (e.span.start, inner)
        });
    }

    /// The edited text without line breaks and markers, for a place of its own; no ambient edits.
    pub(crate) fn on_one_line(mut self, u: &Unit, span: &Span) -> String {
        self.sort();
        let mut out = String::new();
        let mut at = span.start;
        for e in self.0.iter().filter(|e| e.span.end <= span.end) {
            if e.span.start >= at {
                out += &u.text[at as usize..e.span.start as usize];
                join(u, e, &mut out);
                at = e.span.end;
            }
        }
        out += &u.text[at as usize..span.end as usize];
        join_lines(&mut out);
        out
    }

    /// The text of `span` with all edits inside it done. Of nested edits the outermost counts.
    pub fn apply(mut self, cx: &UnitCx, span: &Span) -> String {
        let u = cx.u;
        self.0.extend(
            cx.ambient
                .iter()
                .filter(|e| e.span.start >= span.start && e.span.end <= span.end)
                .cloned(),
        );
        self.sort();
        let mut out = String::new();
        let mut at = span.start;
        for e in self.0 {
            if e.span.start < at || e.span.end > span.end {
                continue;
            }
            out += &u.text[at as usize..e.span.start as usize];
            if let Some(raw) = e.text.strip_prefix(RAW) {
                out += raw;
                at = e.span.end;
                continue;
            }
            join(u, &e, &mut out);
            let old = u.slice(&e.span);
            let (before, after) = (newlines(old), newlines(&e.text));
            if before > after && !old.contains("\n#") {
                out.extend(std::iter::repeat_n('\n', before - after));
            } else if before != after || (before > 0 && old.contains("\n#")) {
                out += &marker(u, e.span.end, false);
            }
            at = e.span.end;
        }
        out += &u.text[at as usize..span.end as usize];
        out
    }
}

/// Adds the new text, which makes no word with what is around it: `struct { int i; }x` has none where `struct s x` needs a blank.
fn join(u: &Unit, e: &Edit, out: &mut String) {
    let part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    if out.ends_with(part) && e.text.starts_with(part) {
        out.push(' ');
    }
    *out += &e.text;
    let replaces = !e.span.is_empty() && e.text.ends_with(part);
    if replaces && u.text[e.span.end as usize..].starts_with(part) {
        out.push(' ');
    }
}

fn newlines(s: &str) -> usize {
    s.bytes().filter(|b| *b == b'\n').count()
}

/// A line marker that makes the rest of the line belong to where `offset` is. `quiet`: as in a system header, no warnings.
pub fn marker(u: &Unit, offset: u32, quiet: bool) -> String {
    let p = u.lines.position(offset);
    let file = p.file.replace('\\', "\\\\").replace('"', "\\\"");
    let flag = if quiet || p.system { " 3" } else { "" };
    format!("\n# {} \"{file}\"{flag}\n", p.line)
}

/// Marks the lines of a text as a system header's: what the user's own copy says is said once.
pub(crate) fn quieten(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for (i, l) in text.split('\n').enumerate() {
        if i > 0 {
            out.push('\n');
        }
        out += l;
        if l.starts_with("# ") && l.ends_with('"') {
            out += " 3";
        }
    }
    out
}
