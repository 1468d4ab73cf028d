//! Whether and where a text defines a function, without reading it: no word of a prototype or a call looks like a
//! definition.

use super::{Location, Locations, CALL};
use crate::prefilter::insert;
use crate::prefilter::tokens::{tokenize, Token, TokenKind, Tokens};
use crate::preprocess::parse_marker;

#[derive(PartialEq, Eq, Debug)]
pub enum Defines {
    No,
    /// One has to read it.
    Maybe,
    /// Behind these braces.
    At(Vec<u32>),
}

/// The text with what is wanted of it in place, and which that was; None: it must be read first.
pub fn early(text: &str, wanted: &Locations) -> Option<(String, Vec<bool>)> {
    let mut places = Vec::new();
    let mut found = Vec::new();
    for l in &wanted.at {
        let Location::Function(name) = l else {
            return None;
        };
        let at = match defines(text, name) {
            Defines::Maybe => return None,
            Defines::No => Vec::new(),
            Defines::At(list) => list,
        };
        found.push(!at.is_empty());
        places.extend(at);
    }
    if wanted.everywhere {
        return None;
    }
    places.sort_unstable();
    places.dedup();
    let call = format!(" {CALL}");
    let inserts: Vec<(u32, &str)> = places.into_iter().map(|p| (p, call.as_str())).collect();
    Some((insert(text.to_string(), &inserts), found))
}

pub fn defines(text: &str, name: &str) -> Defines {
    if !text.contains(name) {
        return Defines::No;
    }
    let tokens = tokenize(text);
    let scan = Scan {
        text,
        list: &tokens.list,
    };
    let (mut braces, mut parens) = (0, 0);
    let mut found = Vec::new();
    for (i, t) in tokens.list.iter().enumerate() {
        match scan.word(i) {
            "{" => braces += 1,
            "}" => braces -= 1,
            "(" => parens += 1,
            ")" => parens -= 1,
            w if w == name && t.kind == TokenKind::Ident => match scan.definition(i, braces == 0) {
                Some(Some(body)) if braces == 0 && parens == 0 => {
                    let users = !is_system(text, &tokens, body);
                    found.extend(users.then_some(tokens.list[body].end));
                }
                Some(_) => return Defines::Maybe,
                None => {}
            },
            _ => {}
        }
    }
    match found.is_empty() {
        true => Defines::No,
        false => Defines::At(found),
    }
}

struct Scan<'t> {
    text: &'t str,
    list: &'t [Token],
}

impl Scan<'_> {
    fn word(&self, i: usize) -> &str {
        let t = self.list.get(i);
        t.map_or("", |t| &self.text[t.start as usize..t.end as usize])
    }

    /// Behind the bracket that closes what opens at `i`.
    fn behind(&self, mut i: usize) -> usize {
        let mut depth = 0;
        loop {
            match self.word(i) {
                "(" => depth += 1,
                ")" => depth -= 1,
                "" => return i,
                _ => {}
            }
            i += 1;
            if depth == 0 {
                return i;
            }
        }
    }

    /// May the name at `name` be that of a definition?  Which token opens the body, where that is certain.
    fn definition(&self, name: usize, outside: bool) -> Option<Option<usize>> {
        let mut next = name + 1;
        // `int (f)(int)`, `int (*f(int))(void)`
        let nested = self.word(next) == ")";
        if self.word(next) != "(" && !nested {
            return None;
        }
        let mut plain = !nested;
        while self.word(next) == "(" {
            next = self.behind(next);
        }
        while outside && matches!(self.word(next), ")" | "(") {
            plain = false;
            next = match self.word(next) {
                ")" => next + 1,
                _ => self.behind(next),
            };
        }
        while matches!(
            self.word(next),
            "__attribute__" | "__attribute" | "__asm__" | "__asm" | "asm"
        ) {
            next = self.behind(next + 1);
        }
        let kind = self.list.get(next).map(|t| t.kind);
        match self.word(next) {
            "{" if plain && self.word(next + 1) != "__label__" => Some(Some(next)),
            // An attribute.
            "{" | "[" => Some(None),
            // A brace by its digraph.
            "<" if self.word(next + 1) == "%" => Some(None),
            // The declarations of old parameters.
            _ if kind == Some(TokenKind::Ident) => Some(None),
            _ => None,
        }
    }
}

/// Is the token in a system's header?
fn is_system(text: &str, tokens: &Tokens, i: usize) -> bool {
    let before = tokens.directives.partition_point(|d| d.next_token <= i);
    let lines = tokens.directives[..before].iter().rev();
    lines
        .map(|d| &text[d.start as usize..d.end as usize])
        .find_map(parse_marker)
        .is_some_and(|(_, _, system)| system)
}

#[cfg(test)]
mod tests {
    use super::{early, Defines};
    use crate::locations::{Location, Locations};

    fn check(text: &str, expect: bool) {
        assert_eq!(super::defines(text, "f") != Defines::No, expect, "{text}");
    }

    #[test]
    fn what_is_certain_is_put_in() {
        let at = |text: &str, expect: Option<(&str, [bool; 2])>| {
            let wanted = Locations {
                at: ["f", "g"].map(|n| Location::Function(n.into())).to_vec(),
                everywhere: false,
            };
            let got = early(text, &wanted);
            assert_eq!(
                got,
                expect.map(|(t, f)| (t.to_string(), f.to_vec())),
                "{text}"
            );
        };
        at(
            "int g(int); int f(void) { return g(1); }",
            Some((
                "int g(int); int f(void) { pc3_checkpoint();  return g(1); }",
                [true, false],
            )),
        );
        at(
            "# 1 \"x.h\" 1 3\nint f(void) { }\n# 1 \"a.c\" 2\nint g(void)\n# 7 \"b.c\"\n{}",
            Some((
                "# 1 \"x.h\" 1 3\nint f(void) { }\n# 1 \"a.c\" 2\nint g(void)\n# 7 \"b.c\"\n{ pc3_checkpoint(); }",
                [false, true],
            )),
        );
        at("int f(a) int a; { }", None);
        at("int f(void) { __label__ l; l:; }", None);
        at("int (f)(void) { }", None);
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
            "int f(void) <% %>",
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
