//! C23 that older C can say as well: `bool` is `_Bool`. What follows has one spelling to know.

use super::tokens::{TokenKind, Tokens};

/// The text with older words of the same meaning; None if there are none.
pub(crate) fn older_words(text: &str, tokens: &Tokens) -> Option<String> {
    let list = &tokens.list;
    let word = |i: usize| {
        let t = list.get(i)?;
        Some(&text[t.start as usize..t.end as usize])
    };
    let mut out = String::new();
    let mut done = 0;
    let mut open: Vec<&str> = Vec::new();
    for (i, t) in list.iter().enumerate() {
        let here = &text[t.start as usize..t.end as usize];
        let new = match (t.kind, here) {
            (TokenKind::Punct, "(" | "[" | "{") => {
                open.push(here);
                continue;
            }
            (TokenKind::Punct, ")" | "]" | "}") => {
                open.pop();
                continue;
            }
            (TokenKind::Ident, "bool") => "_Bool",
            (TokenKind::Ident, "alignas") => "_Alignas",
            (TokenKind::Ident, "alignof") => "_Alignof",
            (TokenKind::Ident, "static_assert") => "_Static_assert",
            (TokenKind::Ident, "thread_local") => "_Thread_local",
            // A constant has a place of its own, so that no jump leaves out its value.
            (TokenKind::Ident, "constexpr") if open.last() == Some(&"{") => {
                let storage = |w: Option<&str>| {
                    matches!(w, Some("static" | "auto" | "register" | "_Thread_local"))
                };
                let before = i.checked_sub(1).and_then(word);
                if storage(before) || storage(word(i + 1)) {
                    continue;
                }
                "static constexpr"
            }
            _ => continue,
        };
        out.push_str(&text[done..t.start as usize]);
        out.push_str(new);
        done = t.end as usize;
    }
    if done == 0 {
        return None;
    }
    out.push_str(&text[done..]);
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::super::tokens::tokenize;
    use super::older_words;

    #[test]
    fn words() {
        let check = |text: &str, expect: &str| {
            let got = older_words(text, &tokenize(text));
            assert_eq!(got.as_deref().unwrap_or(text), expect);
        };
        check("bool b; boolean c;", "_Bool b; boolean c;");
        check(
            "static_assert(alignof(x) == 1);",
            "_Static_assert(_Alignof(x) == 1);",
        );
        check("constexpr int n = 1; void f(void) { constexpr int m = 2; static constexpr int k = 3; }",
              "constexpr int n = 1; void f(void) { static constexpr int m = 2; static constexpr int k = 3; }");
        check("int x;", "int x;");
    }
}
