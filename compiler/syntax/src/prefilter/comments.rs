//! Comments. In preprocessed text they are blanked, except that one which says that a case falls through becomes the
//! attribute that says so, as compilers read it from comments only in sources that they preprocess themselves. Where
//! the preprocessor has left them out they are looked up in the files that it read: if it were to keep them, it would
//! keep them among the arguments of macros, too.

use super::tokens::{tokenize, TokenKind};
use crate::preprocess::LineMap;
use std::collections::BTreeSet;

const ATTRIBUTE: &str = "__attribute__((__fallthrough__));";

pub fn strip(text: String) -> String {
    if !text.contains("/*") && !text.contains("//") {
        return text;
    }
    let b = text.as_bytes();
    let mut out = String::with_capacity(text.len());
    let (mut i, mut done) = (0, 0);
    while i < b.len() {
        let Some(end) = comment_end(&text, i) else {
            i = match b[i] {
                b'"' | b'\'' => literal_end(b, i),
                _ => i + 1,
            };
            continue;
        };
        let comment = &text[i..end];
        let inner = comment[2..].trim_end_matches("*/");
        out += &text[done..i];
        if falls_through(inner) && case_behind(&text[end..]).is_some() {
            out += ATTRIBUTE;
        }
        out.extend(comment.bytes().map(|c| if c == b'\n' { '\n' } else { ' ' }));
        (i, done) = (end, end);
    }
    out + &text[done..]
}

/// Preprocessed text with the attribute where the files have such a comment; `read` gives a file's text. None where
/// there is none.
pub fn from_files(text: &str, read: impl Fn(&str) -> Option<String>) -> Option<String> {
    let map = LineMap::new(text);
    let mut lines = BTreeSet::new();
    for file in map.files().iter().filter(|f| !f.starts_with('<')) {
        let source = read(file).unwrap_or_default();
        lines.extend(cases_fallen_into(&source).map(|line| (file.clone(), line)));
    }
    if lines.is_empty() {
        return None;
    }
    let mut inserts = Vec::new();
    let mut last = 0;
    for t in tokenize(text).list {
        let word = &text[t.start as usize..t.end as usize];
        if t.kind != TokenKind::Ident || !matches!(word, "case" | "default") {
            continue;
        }
        let line = map.line_range(t.start, text).start;
        let at = map.position(t.start);
        if line != last && lines.contains(&(at.file, at.line)) {
            last = line;
            inserts.push((t.start, ATTRIBUTE));
        }
    }
    Some(super::insert(text.to_string(), &inserts))
}

/// Lines of cases with such a comment in front.
fn cases_fallen_into(source: &str) -> impl Iterator<Item = u32> + '_ {
    let mut found = Vec::new();
    let b = source.as_bytes();
    let mut i = 0;
    while i < b.len() {
        i = match comment_end(source, i) {
            Some(end) => {
                let inner = source[i + 2..end].trim_end_matches("*/");
                let case = if falls_through(inner) {
                    case_behind(&source[end..])
                } else {
                    None
                };
                found.extend(case.map(|n| end + n));
                end
            }
            None if matches!(b[i], b'"' | b'\'') => literal_end(b, i),
            None => i + 1,
        };
    }
    let line = move |at: usize| 1 + source[..at].matches('\n').count() as u32;
    found.into_iter().map(line)
}

fn comment_end(text: &str, i: usize) -> Option<usize> {
    let b = text.as_bytes();
    match (b[i], b.get(i + 1)) {
        (b'/', Some(b'*')) => Some(text[i + 2..].find("*/").map_or(b.len(), |n| i + n + 4)),
        (b'/', Some(b'/')) => Some(text[i..].find('\n').map_or(b.len(), |n| i + n)),
        _ => None,
    }
}

fn literal_end(b: &[u8], start: usize) -> usize {
    let mut i = start + 1;
    while i < b.len() && b[i] != b'\n' {
        match b[i] {
            b'\\' => i += 1,
            c if c == b[start] => return i + 1,
            _ => {}
        }
        i += 1;
    }
    i.min(b.len())
}

/// What `-Wimplicit-fallthrough=3` takes for it.
fn falls_through(comment: &str) -> bool {
    let blank = |c: char| c.is_ascii_whitespace() || c == '.' || c == '!';
    let text = comment.to_ascii_lowercase();
    let text = text.trim_start_matches(blank);
    if matches!(
        text.trim_end(),
        "-fallthrough" | "@fallthrough@" | "lint -fallthrough"
    ) {
        return true;
    }
    let without = |t: &'_ str, heads: &[&str]| -> String {
        let head = heads.iter().find_map(|h| t.strip_prefix(h));
        head.unwrap_or(t).to_string()
    };
    let text = without(text, &["else, ", "else ", "intentionally ", "intentional "]);
    let Some(text) = text.strip_prefix("fall") else {
        return false;
    };
    let text = without(text, &["s ", " ", "-"]);
    let Some(text) = text.strip_prefix("through").or(text.strip_prefix("thru")) else {
        return false;
    };
    let rest = text.trim_start_matches(blank);
    rest.is_empty() || rest.starts_with('-')
}

/// How far behind the next thing is a case.
fn case_behind(text: &str) -> Option<usize> {
    let mut rest = text;
    loop {
        rest = rest.trim_start();
        let skip = if rest.starts_with("/*") {
            rest.find("*/").map(|n| n + 2)
        } else if rest.starts_with("//") || rest.starts_with('#') {
            rest.find('\n')
        } else {
            let word = |w: &str| {
                rest.strip_prefix(w).is_some_and(|r| {
                    !r.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_')
                })
            };
            let case = word("case") || word("default");
            return case.then_some(text.len() - rest.len());
        };
        rest = &rest[skip?..];
    }
}

#[cfg(test)]
mod tests {
    use super::{from_files, strip};

    #[test]
    fn in_files() {
        let source = "switch (x) {\ncase 1: f(); /* fall through */\n// why\ncase 2: g();\n}\n";
        let text = "# 1 \"a.c\"\nswitch (x) {\ncase 1: f();\n\ncase 2: g();\n}\n";
        let read = |name: &str| (name == "a.c").then(|| source.to_string());
        let got = from_files(text, read);
        let attribute = "__attribute__((__fallthrough__));";
        let expect = text.replace("case 2", &format!("{attribute}case 2"));
        assert_eq!(got, Some(expect));
        assert_eq!(from_files(text, |_| None), None);
    }

    #[test]
    fn comments() {
        let check = |text: &str, expect: &str| assert_eq!(strip(text.into()), expect);
        check("a /* b\nc */ d", "a     \n     d");
        check(
            "a // b\n\"/* c */\" '\"' '//'",
            "a     \n\"/* c */\" '\"' '//'",
        );
        let attribute = "__attribute__((__fallthrough__));";
        check(
            "f(); /* FALLTHRU */ case 1:",
            &format!("f(); {attribute}               case 1:"),
        );
        check(
            "f(); // falls through.\n\ndefault:",
            &format!("f(); {attribute}                 \n\ndefault:"),
        );
        check(
            "f(); /* else, fall through - why */\n# 3 \"a\"\ncase 1:",
            &format!("f(); {attribute}{}\n# 3 \"a\"\ncase 1:", " ".repeat(30)),
        );
        check("/* fallthrough */ casement;", "                  casement;");
        check(
            "/* we fall through */ case 1:",
            "                      case 1:",
        );
    }
}
