//! Parameters with names of types: the parser forgets, before the list ends, that they hide these.

use super::{is_prefix, is_type_word, Piece};
use crate::prefilter::tokens::TokenKind;
use crate::prefilter::Prepared;
use std::collections::BTreeSet;
use std::ops::Range;

/// An open bracket of a declaration, and the types that parameters have hidden since.
struct OpenBracket<'a> {
    at: usize,
    hidden: BTreeSet<&'a str>,
}

/// Tokens of a declaration that name a parameter which hides a type of file scope: to the end of its list, and in the body of
/// a function in its own.
pub(crate) fn that_hide_types(
    p: &Prepared,
    piece: &Piece,
    is_type: impl Fn(&str) -> bool,
) -> Vec<usize> {
    let seen = |i: usize| !p.marks.soft[i] && !p.marks.gone[i];
    let visible: Vec<usize> = piece.clone().filter(|&i| seen(i)).collect();
    let word = |k: usize| visible.get(k).map_or("", |&i| p.token_text(i));
    let function = parameter_list(p, &visible, &is_type);
    let end = function.as_ref().map_or(visible.len(), |f| f.1);
    let mut out = Vec::new();
    let mut stack: Vec<OpenBracket> = Vec::new();
    let mut of_function = BTreeSet::new();
    for k in (0..end).take_while(|k| word(*k) != "=") {
        match bracket(word(k)) {
            1 => stack.push(OpenBracket {
                at: k,
                hidden: BTreeSet::new(),
            }),
            -1 => {
                let closed = stack.pop();
                if let (Some((list, _)), Some(closed)) = (&function, closed) {
                    if closed.at == list.start {
                        of_function = closed.hidden;
                    }
                }
            }
            _ => {
                // Of `(*T)(int)` the list is the one around it.
                let pointer = stack.last().is_some_and(|o| word(o.at + 1) == "*");
                let list = stack.iter_mut().rev().nth(pointer as usize);
                if let Some(list) = list.filter(|o| word(o.at) == "(") {
                    if is_type(word(k)) && declares(p, &visible, k) {
                        list.hidden.insert(word(k));
                    }
                }
                if stack.iter().any(|o| o.hidden.contains(word(k))) {
                    out.push(visible[k]);
                }
            }
        }
    }
    let inside = visible[end..].iter().copied();
    out.extend(inside.filter(|&i| of_function.contains(p.token_text(i))));
    out
}

/// Does a name that is a type's stand where a parameter has its own: `int T`, `int *T[4]`, `int *const T`?
fn declares(p: &Prepared, visible: &[usize], k: usize) -> bool {
    let word = |k: Option<usize>| {
        k.and_then(|k| visible.get(k))
            .map_or("", |&i| p.token_text(i))
    };
    let before = word(k.checked_sub(1));
    let named = match before {
        "*" => true,
        "const" | "volatile" | "__const" | "__volatile" => word(k.checked_sub(2)) == "*",
        "register" | "_Atomic" | "struct" | "union" | "enum" => false,
        _ => k > 0 && p.tokens.list[visible[k - 1]].kind == TokenKind::Ident,
    };
    named && matches!(word(Some(k + 1)), "," | ")" | "[" | "(")
}

fn bracket(word: &str) -> i32 {
    match word {
        "(" | "[" | "{" => 1,
        ")" | "]" | "}" => -1,
        _ => 0,
    }
}

/// Among the tokens of a function definition, the parentheses of its parameters, and where its body begins: they stand behind its name, which
/// is the first that parentheses follow or close on (`int (*f(int a))(void) {`).
fn parameter_list(
    p: &Prepared,
    visible: &[usize],
    is_type: impl Fn(&str) -> bool,
) -> Option<(Range<usize>, usize)> {
    let word = |k: usize| visible.get(k).map_or("", |&i| p.token_text(i));
    let close = |open: usize| {
        let mut depth = 0;
        (open..visible.len()).find(|&k| {
            depth += bracket(word(k));
            depth == 0
        })
    };
    let mut k = 0;
    let name = loop {
        let ident = p.tokens.list[*visible.get(k)?].kind == TokenKind::Ident;
        k = match word(k) {
            "{" => close(k)?,
            "typeof" | "__typeof__" | "__typeof" | "_Atomic" if word(k + 1) == "(" => close(k + 1)?,
            "struct" | "union" | "enum" => k + 1,
            ";" | "=" => return None,
            w if ident && !is_type_word(w) && !is_prefix(w) && !is_type(w) => match word(k + 1) {
                "(" | ")" => break k,
                _ => k,
            },
            _ => k,
        } + 1;
    };
    let open = (name + 1..visible.len()).find(|&k| word(k) != ")")?;
    let end = (word(open) == "(").then(|| close(open))?? + 1;
    // A definition has a body.
    let body = (end..visible.len()).find(|&k| word(k) == "{")?;
    (word(body - 1) == ")" || word(body - 1) == ";").then_some((open..end, body))
}

#[cfg(test)]
mod tests {
    use super::super::parse_piece;
    use super::*;
    use crate::diag::Diagnostics;
    use crate::prefilter::prepare;

    #[test]
    fn hidden_types() {
        let check = |text: &str, expect: &[&str]| {
            let p = prepare(
                text.into(),
                &Default::default(),
                &mut Diagnostics::default(),
            );
            let piece = 0..p.tokens.list.len();
            let shadowing = that_hide_types(&p, &piece, |n| n == "T" || n == "U");
            let lines: Vec<String> = shadowing
                .iter()
                .map(|i| {
                    let at = p.tokens.list[*i].start as usize;
                    text[at..].chars().take(6).collect()
                })
                .collect();
            assert_eq!(lines, expect, "{text}");
            let failure = parse_piece(&p, &piece, |n| n == "T" || n == "U").err();
            assert_eq!(failure, None, "{text}");
        };
        check("int f(T T) { return T; }", &["T) { r", "T; }"]);
        check("int f(int (*p)(int T)) { T x; return p(x); }", &["T)) { "]);
        check(
            "int f(int (*T)(int)) { return T(1); }",
            &["T)(int", "T(1); "],
        );
        check("U (*f(int T))(T) { return T; }", &["T))(T)", "T; }"]);
        check(
            "int f(int a[sizeof(T)], int T, int b[T]) { U x; return T; }",
            &["T, int", "T]) { ", "T; }"],
        );
        check(
            "struct s { int T; } (f)(U *T) { return *T; }",
            &["T) { r", "T; }"],
        );
        check(
            "int f(const T, U *const T) { return *T; }",
            &["T) { r", "T; }"],
        );
        check(
            "int f(int n, int T, int of[sizeof(T)]);",
            &["T, int", "T)]);"],
        );
        check(
            "int (*p)(int T), q(T, int *U[3]), n = 3;",
            &["T), q(", "U[3]),"],
        );
    }
}
