//! Prototypes of functions that a unit never names again: most of what system headers say.
//!
//! Reading them would be most of the work on a small unit, and nobody would ask.

use crate::parse::{pieces, Piece};
use crate::prefilter::tokens::{tokenize, TokenKind};
use crate::prefilter::Prepared;
use rustc_hash::FxHashMap;
use std::collections::HashSet;

/// Words before a parenthesis that are no function's name.
const WORDS: &[&str] = &[
    "void",
    "char",
    "short",
    "int",
    "long",
    "float",
    "double",
    "signed",
    "unsigned",
    "_Bool",
    "_Complex",
    "_Alignas",
    "_Atomic",
    "__extension__",
];
/// What may declare more than a function.
const MORE: &[&str] = &[
    "{",
    "}",
    "=",
    "[",
    "typedef",
    "struct",
    "union",
    "enum",
    "typeof",
    "__typeof",
    "__typeof__",
    "__auto_type",
    "pc3_checkpoint",
];

/// The pieces without such prototypes, which the parser's copy no longer has.
pub fn leave_out(p: &mut Prepared) -> Vec<Piece> {
    let mut list = pieces(p);
    let unused: HashSet<usize> = prototypes(p, &list).into_iter().collect();
    let mut masked = std::mem::take(&mut p.masked).into_bytes();
    for piece in list.iter().filter(|piece| unused.contains(&piece.start)) {
        p.marks.gone[piece.clone()].fill(true);
        let (first, last) = (p.tokens.list[piece.start], p.tokens.list[piece.end - 1]);
        masked[first.start as usize..last.end as usize].fill(b' ');
    }
    // The parser's copy is ASCII.
    p.masked = String::from_utf8(masked).unwrap_or_default();
    list.retain(|piece| !unused.contains(&piece.start));
    list
}

/// Where prototypes begin of functions of which nothing else in the unit speaks.
fn prototypes(p: &Prepared, pieces: &[Piece]) -> Vec<usize> {
    let mut times: FxHashMap<&str, u32> = FxHashMap::default();
    for t in p.tokens.list.iter().filter(|t| t.kind == TokenKind::Ident) {
        *times.entry(of(&p.text, t.start, t.end)).or_default() += 1;
    }
    for d in &p.tokens.directives {
        let line = of(&p.text, d.start, d.end);
        if line.contains("pragma") {
            let words = &line[1..];
            for t in tokenize(words).list {
                *times.entry(of(words, t.start, t.end)).or_default() += 1;
            }
        }
    }
    let once = |piece: &&Piece| declared(p, piece).is_some_and(|n| times.get(n) == Some(&1));
    pieces
        .iter()
        .filter(once)
        .map(|piece| piece.start)
        .collect()
}

fn of(text: &str, start: u32, end: u32) -> &str {
    &text[start as usize..end as usize]
}

/// The name, if the piece is `words NAME(...);`.
fn declared<'p>(p: &'p Prepared, piece: &Piece) -> Option<&'p str> {
    if p.token_text(piece.end - 1) != ";" {
        return None;
    }
    let mut name = None;
    let (mut depth, mut before, mut closed) = (0, 0, false);
    let mut last = "";
    for i in piece.start..piece.end - 1 {
        if p.marks.soft[i] || p.marks.gone[i] {
            continue;
        }
        let word = p.token_text(i);
        if MORE.contains(&word) || closed {
            return None;
        }
        match word {
            "(" => {
                if depth == 0 {
                    if name.is_some() || before < 2 || WORDS.contains(&last) {
                        return None;
                    }
                    name = Some(last);
                }
                depth += 1;
            }
            ")" => {
                depth -= 1;
                closed = depth == 0;
            }
            "*" if depth == 0 => last = word,
            _ if depth == 0 => {
                if p.tokens.list[i].kind != TokenKind::Ident {
                    return None;
                }
                before += 1;
                last = word;
            }
            _ => {}
        }
    }
    name.filter(|n| closed && *n != "*")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diag::Diagnostics;
    use crate::prefilter::prepare;

    fn check(text: &str, expect: &[&str]) {
        let p = prepare(
            text.into(),
            &Default::default(),
            &mut Diagnostics::default(),
        );
        let list = pieces(&p);
        let unused = prototypes(&p, &list);
        let names: Vec<&str> = (list.iter())
            .filter(|piece| unused.contains(&piece.start))
            .filter_map(|piece| declared(&p, piece))
            .collect();
        assert_eq!(names, expect, "{text}");
    }

    #[test]
    fn only_what_nothing_speaks_of() {
        check("int f(int); extern char *g(void) __attribute__((const)); int h(void); int x = sizeof h();", &["f", "g"]);
        check("void f(int (*g)(int), int a); int a(void);", &["f"]);
        // Variables, several declarators, results that are pointers to functions, old C, tags.
        check(
            "typedef int T; T (x); int a(void), b(void); void (*s(int))(int); T (*q)(int); f(); struct t *g(void); int v(int a[3]);",
            &[],
        );
        check(
            "int f(void);\n#pragma weak f\nint g(void);\n# 3 \"g\"\n",
            &["g"],
        );
        check("int f(void); int f(void);", &[]);
    }
}
