//! Feeds the parser one external declaration at a time.
//!
//! The masked text is cut at the top level by counting brackets, so that one unreadable
//! declaration does not hide the rest.  Each piece is parsed behind a short prelude that
//! declares those identifiers in it that are type names at that point (`typedef int T;`):
//! what is a type name is decided by our own scopes, which know.

mod parameters;

use crate::prefilter::tokens::TokenKind;
use crate::prefilter::Prepared;
use lang_c::ast::{Declarator, DeclaratorKind, DerivedDeclarator, ExternalDeclaration};
use lang_c::driver::{parse_preprocessed, Config, Flavor};
use lang_c::span::Node;
use std::collections::BTreeSet;
use std::ops::Range;

/// Tokens of one external declaration.
pub type Piece = Range<usize>;

pub(crate) struct Parsed {
    pub items: Vec<Node<ExternalDeclaration>>,
    /// Offset in the unit's text = parser offset + shift.
    pub shift: i64,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum ParseFailure {
    /// Where the parser stopped.
    Syntax {
        offset: u32,
        expected: Vec<&'static str>,
    },
    /// It read a declaration as a function definition without parameters.
    Misparse { offset: u32 },
}

/// Cuts the text into external declarations.
pub fn pieces(p: &Prepared) -> Vec<Piece> {
    let mut out = Vec::new();
    let n = p.tokens.list.len();
    let mut cut = Cutter::default();
    let mut start = 0;
    for i in 0..n {
        if p.marks.soft[i] || p.marks.gone[i] {
            continue;
        }
        if cut.ends_piece(p, i) {
            out.push(start..i + 1);
            start = i + 1;
            cut = Cutter::default();
        }
    }
    if (start..n).any(|i| !p.marks.soft[i] && !p.marks.gone[i]) {
        out.push(start..n);
    }
    out
}

#[derive(Default)]
struct Cutter {
    depth: i32,
    /// `=` seen: braces are initialisers.
    value: bool,
    in_body: bool,
    /// Parameter declarations follow the declarator.
    old_style: bool,
    last: Option<usize>,
    opener_word: String,
    closed_parens: bool,
}

impl Cutter {
    fn ends_piece(&mut self, p: &Prepared, i: usize) -> bool {
        let word = p.token_text(i);
        let after_parens = std::mem::take(&mut self.closed_parens);
        let mut ends = false;
        if self.depth == 0
            && after_parens
            && p.tokens.list[i].kind == TokenKind::Ident
            && !self.value
        {
            self.old_style = true;
        }
        match word {
            "(" | "[" | "{" => {
                if self.depth == 0 {
                    let before = self.last.map_or("", |l| p.token_text(l));
                    self.in_body = word == "{"
                        && !self.value
                        && (after_parens || self.old_style && before == ";");
                    self.opener_word = before.to_string();
                }
                self.depth += 1;
            }
            ")" | "]" | "}" => {
                self.depth -= 1;
                if self.depth <= 0 {
                    self.depth = 0;
                    let of_type = matches!(
                        self.opener_word.as_str(),
                        "typeof" | "__typeof__" | "__typeof" | "_Atomic"
                    );
                    self.closed_parens = word == ")" && !of_type;
                    ends = self.in_body && word == "}";
                }
            }
            "=" if self.depth == 0 => self.value = true,
            ";" if self.depth == 0 => ends = !self.old_style || self.value,
            _ => {}
        }
        self.last = Some(i);
        ends
    }
}

/// Parses one piece; `is_type` says whether a name is a type at file scope.
pub(crate) fn parse_piece(
    p: &Prepared,
    piece: &Piece,
    is_type: impl Fn(&str) -> bool,
) -> Result<Parsed, ParseFailure> {
    let list = &p.tokens.list[piece.clone()];
    let (Some(first), Some(last)) = (list.first(), list.last()) else {
        return Ok(Parsed {
            items: Vec::new(),
            shift: 0,
        });
    };
    let mut names = BTreeSet::new();
    for t in list.iter().filter(|t| t.kind == TokenKind::Ident) {
        let real = &p.text[t.start as usize..t.end as usize];
        if is_type(real) {
            names.insert(&p.masked[t.start as usize..t.end as usize]);
        }
    }
    let mut source = String::with_capacity((last.end - first.start) as usize + names.len() * 24);
    for name in names
        .into_iter()
        .filter(|n| !n.trim().is_empty() && *n != "__builtin_va_list")
    {
        source.push_str("typedef int ");
        source.push_str(name);
        source.push(';');
    }
    let prelude = source.len();
    source.push_str(&p.masked[first.start as usize..last.end as usize]);
    for i in parameters::that_hide_types(p, piece, &is_type) {
        // The parser forgets that a parameter hides a type; any other name of that length will
        // do, since names are read from the real text.
        let t = p.tokens.list[i];
        let at = prelude + (t.start - first.start) as usize;
        let len = (t.end - t.start) as usize;
        source.replace_range(at..at + len, &"_".repeat(len));
    }
    let shift = first.start as i64 - prelude as i64;
    let config = Config {
        cpp_command: String::new(),
        cpp_options: Vec::new(),
        flavor: Flavor::GnuC11,
    };
    match parse_preprocessed(&config, source) {
        Ok(parse) => {
            let mut items = parse.unit.0;
            items.retain(|i| i.span.start >= prelude);
            for i in &items {
                if let ExternalDeclaration::FunctionDefinition(f) = &i.node {
                    if !declares_function(&f.node.declarator.node) {
                        let offset = (f.node.declarator.span.start as i64 + shift) as u32;
                        return Err(ParseFailure::Misparse { offset });
                    }
                }
            }
            Ok(Parsed { items, shift })
        }
        Err(e) => {
            let mut expected: Vec<_> = e.expected.into_iter().collect();
            expected.sort_unstable();
            Err(ParseFailure::Syntax {
                offset: (e.offset as i64 + shift).max(0) as u32,
                expected,
            })
        }
    }
}

/// Is the derivation next to the name a parameter list?
fn declares_function(d: &Declarator) -> bool {
    matches!(
        next_to_name(d),
        Some(DerivedDeclarator::Function(_) | DerivedDeclarator::KRFunction(_))
    )
}

fn next_to_name(d: &Declarator) -> Option<&DerivedDeclarator> {
    let inner = match &d.kind.node {
        DeclaratorKind::Declarator(inner) => next_to_name(&inner.node),
        _ => None,
    };
    let is_pointer = |x: &&DerivedDeclarator| matches!(x, DerivedDeclarator::Pointer(_));
    let own = || d.derived.iter().map(|x| &x.node);
    inner.or_else(|| own().find(|x| !is_pointer(x)).or_else(|| own().next()))
}

/// Where an `int` that old C leaves out must be inserted for the parser to go on.
pub(crate) fn implicit_int(
    p: &Prepared,
    piece: &Piece,
    offset: u32,
    is_type: impl Fn(&str) -> bool,
) -> Option<u32> {
    let at = p.tokens.at_or_after(offset).min(piece.end);
    let mut starts = vec![piece.start];
    let statement = (piece.start..at)
        .rev()
        .find(|&i| matches!(p.token_text(i), ";" | "{" | "}"));
    starts.extend(statement.map(|i| i + 1));
    // Old parameters: declarations between the list and the body.
    let head = piece.clone().take_while(|&i| p.token_text(i) != "{");
    let ends = head.filter(|&i| matches!(p.token_text(i), ")" | ";"));
    let parameters: Vec<usize> = ends.map(|i| i + 1).collect();
    starts.splice(1..1, parameters);
    starts.into_iter().rev().find_map(|start| {
        let mut k = start;
        let mut storage = false;
        while k < piece.end && (p.marks.soft[k] || is_prefix(p.token_text(k))) {
            storage |= is_prefix(p.token_text(k));
            k += 1;
        }
        let top = start == piece.start;
        let mut name = k;
        while name < piece.end && p.token_text(name) == "*" {
            name += 1;
        }
        if name + 1 >= piece.end || (!storage && (!top || name > k)) {
            return None;
        }
        let word = p.token_text(name);
        let is_name =
            p.tokens.list[name].kind == TokenKind::Ident && !is_type(word) && !is_type_word(word);
        // A location that stands outside of functions has its own error.
        let is_name = is_name && word != "pc3_checkpoint";
        let plausible = matches!(p.token_text(name + 1), "(" | "=" | ";" | "," | "[" | ")");
        (is_name && plausible).then(|| p.tokens.list[k].start)
    })
}

/// Where a `;` must be inserted for the parser to go on behind a label: it knows no declarations there.
pub(crate) fn label_of_declaration(p: &Prepared, piece: &Piece, offset: u32) -> Option<u32> {
    let at = p.tokens.at_or_after(offset).min(piece.end);
    let word = |i: usize| p.token_text(i);
    let start = (piece.start..at)
        .rev()
        .find(|&i| matches!(word(i), ";" | "{" | "}"))?;
    let colon = (start..at)
        .rev()
        .find(|&i| word(i) == ":" && crate::prefilter::is_label(&word, i))?;
    (colon + 1 < at).then(|| p.tokens.list[colon].end)
}

fn is_prefix(w: &str) -> bool {
    matches!(
        w,
        "static"
            | "extern"
            | "register"
            | "auto"
            | "const"
            | "volatile"
            | "inline"
            | "typedef"
            | "__inline"
            | "__inline__"
            | "_Noreturn"
    )
}

fn is_type_word(w: &str) -> bool {
    matches!(
        w,
        "void"
            | "char"
            | "short"
            | "int"
            | "long"
            | "float"
            | "double"
            | "signed"
            | "unsigned"
            | "struct"
            | "union"
            | "enum"
            | "_Bool"
            | "_Complex"
            | "if"
            | "for"
            | "while"
            | "return"
            | "switch"
            | "do"
            | "goto"
            | "case"
            | "default"
            | "sizeof"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diag::Diagnostics;
    use crate::prefilter::prepare;

    fn check_pieces(text: &str, expect: &[&str]) {
        let p = prepare(
            text.into(),
            &Default::default(),
            &mut Diagnostics::default(),
        );
        let got: Vec<&str> = pieces(&p)
            .iter()
            .map(|r| {
                &p.text
                    [p.tokens.list[r.start].start as usize..p.tokens.list[r.end - 1].end as usize]
            })
            .collect();
        assert_eq!(got, expect);
        for piece in pieces(&p) {
            let failure = parse_piece(&p, &piece, |n| n == "T").err();
            assert_eq!(failure, None, "{text}");
        }
    }

    #[test]
    fn cutting() {
        check_pieces(
            "int a; struct s { int x; } b; int f(void) { return 1; } int c;",
            &[
                "int a;",
                "struct s { int x; } b;",
                "int f(void) { return 1; }",
                "int c;",
            ],
        );
        check_pieces(
            "int f(a, b) int a; char *b; { } int c = 1;",
            &["int f(a, b) int a; char *b; { }", "int c = 1;"],
        );
        check_pieces(
            "T *p = (T[]){ 1, 2 }; typeof(1) y; int (*g(int q))(void) { return 0; }",
            &[
                "T *p = (T[]){ 1, 2 };",
                "typeof(1) y;",
                "int (*g(int q))(void) { return 0; }",
            ],
        );
        check_pieces(
            "int f(void) __attribute__((noreturn)); int x[] = { 1 }; enum e { A };",
            &[
                "int f(void) __attribute__((noreturn));",
                "int x[] = { 1 };",
                "enum e { A };",
            ],
        );
    }

    #[test]
    fn misparses_are_refused() {
        let p = prepare(
            "struct s x { int y; };".into(),
            &Default::default(),
            &mut Diagnostics::default(),
        );
        let piece = 0..p.tokens.list.len();
        assert!(parse_piece(&p, &piece, |_| false).is_err());
    }

    #[test]
    fn missing_int_is_located() {
        let check = |text: &str, expect: &str| {
            let p = prepare(
                text.into(),
                &Default::default(),
                &mut Diagnostics::default(),
            );
            let piece = 0..p.tokens.list.len();
            let Err(ParseFailure::Syntax { offset, .. }) = parse_piece(&p, &piece, |_| false)
            else {
                panic!("{text} parses")
            };
            let at = implicit_int(&p, &piece, offset, |_| false).map(|a| &text[a as usize..]);
            assert_eq!(at, Some(expect), "{text}");
        };
        check("main() { return 0; }", "main() { return 0; }");
        check("static x = 3;", "x = 3;");
        check("int f(void) { register i; return 0; }", "i; return 0; }");
        check("f(a) { return a; }", "f(a) { return a; }");
        check("int f(a, b) register a, *b; { }", "a, *b; { }");
        check("int f(a, b) char *a; const b; { }", "b; { }");
    }
}
