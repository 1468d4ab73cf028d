//! Whether a text may define a function, without reading it: no word of a prototype or a call looks like a definition.

use crate::prefilter::tokens::{tokenize, TokenKind};

/// Seldom wrong in saying yes, never in saying no.
pub fn may_define(text: &str, name: &str) -> bool {
    if !text.contains(name) {
        return false;
    }
    let tokens = tokenize(text).list;
    let word = |i: usize| {
        tokens
            .get(i)
            .map(|t| &text[t.start as usize..t.end as usize])
    };
    // Behind the bracket that closes what opens at `i`.
    let behind = |mut i: usize| {
        let mut depth = 0;
        loop {
            match word(i) {
                Some("(") => depth += 1,
                Some(")") => depth -= 1,
                None => return i,
                _ => {}
            }
            i += 1;
            if depth == 0 {
                return i;
            }
        }
    };
    let mut braces = 0;
    for (i, t) in tokens.iter().enumerate() {
        match word(i) {
            Some("{") => braces += 1,
            Some("}") => braces -= 1,
            Some(w) if w == name && t.kind == TokenKind::Ident => {
                let mut next = i + 1;
                // `int (f)(int)`, `int (*f(int))(void)`
                let nested = word(next) == Some(")");
                if word(next) != Some("(") && !nested {
                    continue;
                }
                while matches!(word(next), Some("(")) {
                    next = behind(next);
                }
                while braces == 0 && matches!(word(next), Some(")" | "(")) {
                    next = if word(next) == Some(")") {
                        next + 1
                    } else {
                        behind(next)
                    };
                }
                while matches!(
                    word(next),
                    Some("__attribute__" | "__asm__" | "__attribute" | "asm" | "__asm")
                ) {
                    next = behind(next + 1);
                }
                // A body, an attribute, or the declarations of old parameters.
                let kind = tokens.get(next).map(|t| t.kind);
                if matches!(word(next), Some("{" | "[")) || kind == Some(TokenKind::Ident) {
                    return true;
                }
            }
            _ => {}
        }
    }
    false
}

#[cfg(test)]
mod tests {
    fn check(text: &str, expect: bool) {
        assert_eq!(super::may_define(text, "f"), expect, "{text}");
    }

    #[test]
    fn definitions_are_told_from_uses() {
        for text in [
            "int f(void) { return 1; }",
            "f() { }",
            "int f(a, b) int a; char *b; { }",
            "int (f)(int a) { }",
            "int (*f(int a))(void)\n# 3 \"x\"\n{ }",
            "int (*(f)(int a))(void) { }",
            "int (*(*f(int a))(void))(int) { }",
            "int f(void) __attribute__((noinline)) { }",
            "int f(void) [[gnu::noinline]] { }",
            "static inline __attribute__((cold)) int *f(struct s { int x; } *p) { }",
            "int g(void) { int f(int a) { return a; } return f(1); }",
        ] {
            check(text, true);
        }
        for text in [
            "int f(int), g; int h(void) { if (f(1)) { } return f(2) + (f(3)); }",
            "extern int f(void) __asm__(\"g\") __attribute__((nothrow, leaf)); int x(void) { }",
            "struct f { int x; }; int ff(void) { struct f g; return g.f; }",
            "int (*f)(int); int (*q)(int) = f; int r = sizeof(f);",
            "char *s = \"f() {\"; // f() {\n",
            "int h(void) { while (f(1)) { } for (; f(2);) { } do { } while (f(3)); return (f)(4); }",
        ] {
            check(text, false);
        }
    }
}
