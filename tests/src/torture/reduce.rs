//! Makes a failing program small: parts of its text are taken out as long as what is left still fails in the same way.
//!
//! Nothing is parsed: parts are found by brackets, semicolons and lines, and a cut that makes no sense is one that the
//! caller's predicate turns down.

use std::ops::Range;

/// The smallest text found for which `fails` holds, as it must for `text`.
pub fn reduce(text: &str, fails: &mut dyn FnMut(&str) -> bool) -> String {
    let mut best = text.to_owned();
    loop {
        let before = best.len();
        for parts in [declarations, statements, lines] {
            best = without_parts(best, parts, fails);
        }
        for (parts, by) in [(blocks as Finder, "{}"), (groups, "(0)"), (groups, "(1)")] {
            best = replaced(best, parts, by, fails);
        }
        if best.len() == before {
            return best;
        }
    }
}

/// Parts that do not overlap, in order.
type Finder = fn(&str) -> Vec<Range<usize>>;

/// Takes out runs of parts: half of them at once, then a quarter, and so on.
fn without_parts(text: String, find: Finder, fails: &mut dyn FnMut(&str) -> bool) -> String {
    let mut best = text;
    let mut size = find(&best).len().div_ceil(2).max(1);
    loop {
        // From the end: what is used stands in front of what uses it.
        let mut end = find(&best).len();
        while end > 0 {
            let parts = find(&best);
            end = end.min(parts.len());
            let start = end.saturating_sub(size);
            let Some(run) = parts.get(start..end).filter(|r| !r.is_empty()) else {
                break;
            };
            let mut shorter = best.clone();
            run.iter()
                .rev()
                .for_each(|r| shorter.replace_range(r.clone(), ""));
            if fails(&shorter) {
                best = shorter;
            }
            end = start;
        }
        if size == 1 {
            return best;
        }
        size = size.div_ceil(2);
    }
}

/// Puts something short in the place of each part that is longer, large ones first.
fn replaced(text: String, find: Finder, by: &str, fails: &mut dyn FnMut(&str) -> bool) -> String {
    let mut best = text;
    let mut at = 0;
    loop {
        let mut parts = find(&best);
        parts.retain(|r| r.len() > by.len());
        parts.sort_by_key(|r| (r.start, std::cmp::Reverse(r.end)));
        let Some(part) = parts.into_iter().find(|r| r.start >= at) else {
            return best;
        };
        let mut shorter = best.clone();
        shorter.replace_range(part.clone(), by);
        if fails(&shorter) {
            best = shorter;
        }
        at = part.start + 1;
    }
}

fn lines(text: &str) -> Vec<Range<usize>> {
    let mut at = 0;
    let parts = text.split_inclusive('\n').map(|l| {
        at += l.len();
        at - l.len()..at
    });
    parts.collect()
}

/// Declarations and definitions at file scope, and directives.
fn declarations(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let (mut start, mut call) = (0, false);
    let mut words = Words::of(text);
    while let Some((at, c)) = words.next() {
        let ends = match c {
            b'#' if text[start..at].trim().is_empty() => {
                words.skip_line();
                true
            }
            b'(' => {
                call = true;
                words.skip_bracket(b'(');
                false
            }
            b'{' => {
                words.skip_bracket(b'{');
                // A function's body; a struct's or an initialiser's is followed by more.
                call && !text[words.at..].trim_start().starts_with([';', ','])
            }
            b'=' => {
                call = false;
                false
            }
            b';' => true,
            _ => false,
        };
        if ends {
            found.push(start..words.at);
            (start, call) = (words.at, false);
        }
    }
    found
}

/// Simple statements and declarations within braces.
fn statements(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let (mut start, mut depth) = (0, 0usize);
    let mut words = Words::of(text);
    while let Some((at, c)) = words.next() {
        match c {
            b'(' => words.skip_bracket(b'('),
            b'{' | b'}' => {
                depth = if c == b'{' {
                    depth + 1
                } else {
                    depth.saturating_sub(1)
                };
                start = at + 1;
            }
            b';' => {
                if depth > 0 {
                    found.push(start..at + 1);
                }
                start = at + 1;
            }
            _ => {}
        }
    }
    found
}

fn blocks(text: &str) -> Vec<Range<usize>> {
    bracketed(text, b'{')
}

fn groups(text: &str) -> Vec<Range<usize>> {
    bracketed(text, b'(')
}

/// All pairs of this bracket, inner ones as well.
fn bracketed(text: &str, open: u8) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut words = Words::of(text);
    while let Some((at, c)) = words.next() {
        if c == open {
            let mut inner = Words {
                text: words.text,
                at: words.at,
            };
            inner.skip_bracket(open);
            found.push(at..inner.at);
        }
    }
    found
}

/// The bytes of a text that count: not those of literals and comments.
struct Words<'a> {
    text: &'a [u8],
    at: usize,
}

impl<'a> Words<'a> {
    fn of(text: &'a str) -> Words<'a> {
        Words {
            text: text.as_bytes(),
            at: 0,
        }
    }

    fn next(&mut self) -> Option<(usize, u8)> {
        loop {
            let at = self.at;
            let c = *self.text.get(at)?;
            self.at += 1;
            match c {
                b'"' | b'\'' => self.skip_literal(c),
                b'/' if self.text.get(self.at) == Some(&b'/') => self.skip_line(),
                b'/' if self.text.get(self.at) == Some(&b'*') => {
                    let rest = &self.text[self.at + 1..];
                    let end = rest.windows(2).position(|w| w == b"*/");
                    self.at = end.map_or(self.text.len(), |e| self.at + 1 + e + 2);
                }
                _ => return Some((at, c)),
            }
        }
    }

    fn skip_literal(&mut self, quote: u8) {
        while let Some(c) = self.text.get(self.at) {
            self.at += if *c == b'\\' { 2 } else { 1 };
            if *c == quote || *c == b'\n' {
                return;
            }
        }
        self.at = self.text.len();
    }

    fn skip_line(&mut self) {
        while let Some(c) = self.text.get(self.at) {
            self.at += 1;
            if *c == b'\n' && self.text[self.at - 2] != b'\\' {
                return;
            }
        }
    }

    /// Behind the bracket that closes the one just read, or the end.
    fn skip_bracket(&mut self, open: u8) {
        let close = if open == b'(' { b')' } else { b'}' };
        let mut depth = 1;
        while let Some((_, c)) = self.next() {
            if c == open {
                depth += 1;
            } else if c == close {
                depth -= 1;
                if depth == 0 {
                    return;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check_parts(find: Finder, text: &str, expected: &[&str]) {
        let found: Vec<&str> = find(text).into_iter().map(|r| text[r].trim()).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn parts_are_found() {
        let text = "#include <a.h>\nstruct s { int x; } y;\nint a[] = { f(1), 2 };\n/* ; */ int f(void) { return ';'; }\nint z;\n";
        check_parts(
            declarations,
            text,
            &[
                "#include <a.h>",
                "struct s { int x; } y;",
                "int a[] = { f(1), 2 };",
                "/* ; */ int f(void) { return ';'; }",
                "int z;",
            ],
        );
        check_parts(
            statements,
            "int g; int f(void) { a = \"}\"; for (;;) { b(); } c; }",
            &["a = \"}\";", "b();", "c;"],
        );
        check_parts(groups, "f((a), b)", &["((a), b)", "(a)"]);
    }

    #[test]
    fn a_program_becomes_small() {
        let mut text = String::from("#include <stdio.h>\nint bad = 1;\n");
        for i in 0..40 {
            text += &format!(
                "static int f{i}(int x) {{ int y = x; if (y > 3) {{ y = (y * 2); }} return y; }}\n"
            );
        }
        text += "int main(void) {\n  int s = 0;\n";
        for i in 0..40 {
            text += &format!("  s += f{i}(s);\n");
        }
        text += "  if (s) { bad++; s = f17(f18(3) + 1); }\n  return s;\n}\n";
        let mut tries = 0;
        // What a compiler would ask for, and a failure that needs one statement and one definition.
        let mut fails = |t: &str| {
            tries += 1;
            let even = t.matches('{').count() == t.matches('}').count();
            even && t.contains("int main(void)")
                && t.contains("f17(")
                && t.contains("int f17(int x)")
                && t.contains("bad++;")
        };
        assert!(fails(&text));
        let small = reduce(&text, &mut fails);
        assert!(small.len() < 120, "{small}");
        assert!(fails(&small));
        assert!(tries < 1000, "{tries}");
    }

    #[test]
    fn what_cannot_shrink_stays() {
        let text = "int main(void) { return 1; }\n";
        assert_eq!(reduce(text, &mut |t| t == text), text);
    }
}
