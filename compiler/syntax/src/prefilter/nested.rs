//! Functions within functions (GNU C), for a parser that does not know them.
//!
//! ```c
//! int f(int a) { ... }           int f(int a);{ ... }              // within a body: as written, what the parser sees
//! int f(a) int a; { ... }        int f(    int a);{ ... }
//! ```
//!
//! The block's `{` is marked, and the declaration in front of it is the function's head.

use super::tokens::{TokenKind, Tokens};

/// The head of a nested function, by tokens.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Head {
    /// Parentheses of the parameter list.
    pub open: usize,
    pub close: usize,
    /// Ends of old-style parameter declarations.
    pub semicolons: Vec<usize>,
}

impl Head {
    /// The last token that the parser sees of it.
    pub fn last(&self) -> usize {
        self.semicolons.last().copied().unwrap_or(self.close)
    }
}

/// Words in front of a parenthesis that no function is called.
const NO_NAME: [&str; 22] = [
    "if",
    "while",
    "for",
    "switch",
    "return",
    "sizeof",
    "case",
    "else",
    "do",
    "goto",
    "typeof",
    "__typeof__",
    "__typeof",
    "_Alignof",
    "__alignof__",
    "__alignof",
    "_Alignas",
    "_Atomic",
    "__attribute__",
    "__attribute",
    "__extension__",
    "asm",
];

/// The head in front of the `{` at `brace`, if that is the body of a function; `before` is the last token before another.
pub fn head(
    text: &str,
    tokens: &Tokens,
    brace: usize,
    before: &dyn Fn(usize) -> Option<usize>,
) -> Option<Head> {
    let list = &tokens.list;
    let word = |i: usize| &text[list[i].start as usize..list[i].end as usize];
    let named = |open: usize| {
        before(open)
            .filter(|&n| list[n].kind == TokenKind::Ident && !NO_NAME.contains(&word(n)))
            .and_then(before)
            .is_some_and(|b| list[b].kind == TokenKind::Ident || word(b) == "*")
    };
    let opening = |close: usize| {
        let mut depth = 0;
        (0..=close).rev().find(|&j| {
            match word(j) {
                ")" | "]" | "}" => depth += 1,
                "(" | "[" | "{" => depth -= 1,
                _ => {}
            }
            depth == 0
        })
    };
    let last = before(brace)?;
    if word(last) == ")" {
        let open = opening(last)?;
        return named(open).then_some(Head {
            open,
            close: last,
            semicolons: Vec::new(),
        });
    }
    // `name(a, b) int a; char *b; {`
    let mut semicolons = Vec::new();
    let mut at = last;
    loop {
        match word(at) {
            ";" => semicolons.insert(0, at),
            ")" => break,
            "*" | "," | "[" | "]" => {}
            _ if matches!(list[at].kind, TokenKind::Ident | TokenKind::Number) => {}
            _ => return None,
        }
        at = before(at)?;
    }
    let open = opening(at)?;
    let names = (open + 1..at).all(|i| list[i].kind == TokenKind::Ident || word(i) == ",");
    let declares = list.get(at + 1).is_some_and(|t| t.kind == TokenKind::Ident);
    let ends = semicolons.last() == Some(&last);
    (names && declares && ends && open + 1 < at && named(open)).then_some(Head {
        open,
        close: at,
        semicolons,
    })
}
