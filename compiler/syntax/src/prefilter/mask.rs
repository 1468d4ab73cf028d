//! The parser's copy of the text: same length, ASCII, only what the parser reads.
//!
//! Literals are replaced by plain ones of the same width (their values are taken from the real
//! text), directives and comments by blanks.

use super::normalise::{is_openmp, opens_record};
use super::tokens::{Token, TokenKind, Tokens};
use super::{closing, nested, Attribute, Mark, Marks};
use crate::standard::Standard;

pub fn mask(text: &str, tokens: &Tokens, standard: &Standard) -> (String, Marks) {
    let mut m = Masker {
        text,
        tokens,
        standard,
        out: vec![b' '; text.len()],
        marks: Marks {
            soft: vec![false; tokens.list.len()],
            gone: vec![false; tokens.list.len()],
            ..Marks::default()
        },
        braces: 0,
        open: Vec::new(),
        records: Vec::new(),
    };
    for d in &tokens.directives {
        if is_openmp(&text[d.start as usize..d.end as usize]) {
            m.marks.openmp.push(d.start..d.end);
        }
    }
    let mut i = 0;
    while i < tokens.list.len() {
        i = m.token(i);
    }
    let masked = String::from_utf8(m.out)
        .unwrap_or_else(|e| String::from_utf8_lossy(e.as_bytes()).into_owned());
    (masked, m.marks)
}

pub(super) struct Masker<'a> {
    pub text: &'a str,
    pub tokens: &'a Tokens,
    pub standard: &'a Standard,
    pub out: Vec<u8>,
    pub marks: Marks,
    braces: i32,
    /// Brackets that are open.
    pub open: Vec<usize>,
    /// Of braces among them: is it a struct's or union's?
    pub records: Vec<bool>,
}

impl<'a> Masker<'a> {
    pub fn word(&self, i: usize) -> &'a str {
        self.tokens
            .list
            .get(i)
            .map_or("", |t| &self.text[t.start as usize..t.end as usize])
    }
    pub fn put(&mut self, at: u32, s: &str) {
        self.out[at as usize..at as usize + s.len()].copy_from_slice(s.as_bytes());
    }
    pub fn mark(&mut self, at: u32, mark: Mark) {
        self.marks.at.insert(at, mark);
    }
    pub fn copy(&mut self, t: Token) {
        let range = t.start as usize..t.end as usize;
        for (o, &b) in self.out[range.clone()]
            .iter_mut()
            .zip(&self.text.as_bytes()[range])
        {
            *o = if b.is_ascii() && b != b'$' && b != b'\\' {
                b
            } else {
                b'_'
            };
        }
    }
    /// Leaves tokens blank; they belong to what is around them.
    pub(crate) fn soften(&mut self, from: usize, to: usize) -> usize {
        let to = to.min(self.tokens.list.len());
        self.marks.soft[from..to].iter_mut().for_each(|s| *s = true);
        to
    }
    /// Leaves tokens blank; they stand for themselves.
    pub fn drop(&mut self, from: usize, to: usize) -> usize {
        let to = to.min(self.tokens.list.len());
        self.marks.gone[from..to].iter_mut().for_each(|s| *s = true);
        to
    }
    /// The last token before `i` that the parser sees.
    pub fn previous(&self, i: usize) -> Option<usize> {
        (0..i)
            .rev()
            .find(|&j| !self.marks.soft[j] && !self.marks.gone[j])
    }
    /// What stands in parentheses behind the word at `i`, up to the token `end`, has names in it.
    pub(crate) fn keep_text(&mut self, i: usize, end: usize) {
        let list = &self.tokens.list;
        if i + 1 < end && end <= list.len() {
            let text = list[i + 1].end..list[end - 1].start;
            self.marks.texts.push(text);
        }
    }
    /// Index behind `( ... )` if one opens at `i`, else `i`.
    pub(crate) fn behind_parens(&self, i: usize) -> usize {
        if self.word(i) == "(" {
            closing(self.text, self.tokens, i) + 1
        } else {
            i
        }
    }

    /// Masks the token at `i` and those that belong to it; returns the index of the next.
    pub fn token(&mut self, i: usize) -> usize {
        let t = self.tokens.list[i];
        match t.kind {
            TokenKind::Number => self.out[t.start as usize..t.end as usize].fill(b'1'),
            TokenKind::Str | TokenKind::Char => {
                let quote = if t.kind == TokenKind::Str {
                    b'"'
                } else {
                    b'\''
                };
                let range = t.start as usize..t.end as usize;
                if range.len() >= 2 && self.text.as_bytes()[range.end - 1] == quote {
                    self.out[range.clone()].fill(b'a');
                    self.out[range.end - 1] = quote;
                }
                self.out[range.start] = quote;
            }
            TokenKind::Ident => return self.ident(i, t),
            TokenKind::Punct => return self.punct(i, t),
            TokenKind::Bad => self.copy(t),
        }
        i + 1
    }

    fn ident(&mut self, i: usize, t: Token) -> usize {
        match self.word(i) {
            "__attribute__" | "__attribute" => {
                let end = self.behind_parens(i + 1);
                self.attributes(i + 2, end.saturating_sub(1));
                return self.soften(i, end);
            }
            "for" if self.heads_declaration(i + 2) => {
                self.copy(t);
                self.put(self.tokens.list[i + 1].end, "auto");
            }
            "_Alignas" => {
                let end = self.behind_parens(i + 1);
                self.keep_text(i, end);
                return self.soften(i, end);
            }
            "__extension__" | "_Nonnull" | "_Nullable" | "_Nullable_result"
            | "_Null_unspecified" | "__cdecl" | "__stdcall" | "__fastcall" | "__thiscall"
            | "__vectorcall" | "__pascal" => return self.soften(i, i + 1),
            "typeof" | "asm" if self.standard.strict => self.hide(t),
            "asm" | "__asm" | "__asm__" => return self.asm(i, t),
            "_Static_assert" => {
                let end = self.behind_parens(i + 1);
                self.keep_text(i, end);
                let alone = self.word(end) == ";" && !self.heads_loop(i);
                return self.drop(i, if alone { end + 1 } else { end });
            }
            "__label__" => {
                let mut j = i + 1;
                while j < self.tokens.list.len() && self.word(j) != ";" {
                    j += 1;
                }
                self.local_labels(i, j);
                return self.drop(i, j);
            }
            "goto" if self.word(i + 1) == "*" => {
                self.mark(self.tokens.list[i + 1].start, Mark::ComputedGoto(t.start));
                return self.drop(i, i + 1);
            }
            "__int128" => {
                self.put(t.start, "int");
                self.mark(t.start, Mark::Int128);
            }
            "__auto_type" => {
                self.put(t.start, "int");
                self.mark(t.start, Mark::AutoType);
            }
            "__const__" => self.put(t.start, "const"),
            "__thread" => {
                self.put(t.start, "register");
                self.mark(t.start, Mark::ThreadLocal);
            }
            w @ ("__real__" | "__real" | "__imag__" | "__imag") => {
                self.put(t.start, "~");
                self.mark(
                    t.start,
                    if w.starts_with("__r") {
                        Mark::Real
                    } else {
                        Mark::Imag
                    },
                );
            }
            "__alignof__" | "__alignof" | "_Alignof" => {
                self.put(t.start, "sizeof");
                self.mark(t.start, Mark::AlignOf);
            }
            "__builtin_types_compatible_p" | "__builtin_has_attribute" | "__builtin_available" => {
                self.out[t.start as usize..t.end as usize].fill(b'1');
                let end = self.behind_parens(i + 1).min(self.tokens.list.len());
                self.mark(t.start, Mark::TypeBuiltin(self.tokens.list[end - 1].end));
                self.keep_text(i, end);
                return self.soften(i + 1, end);
            }
            _ => return self.of_c23(i, t),
        }
        i + 1
    }

    pub fn braces(&self) -> i32 {
        self.braces
    }

    /// `for (_Static_assert(...);`
    fn heads_loop(&self, i: usize) -> bool {
        i > 1 && self.word(i - 1) == "(" && self.word(i - 2) == "for"
    }

    fn punct(&mut self, i: usize, t: Token) -> usize {
        match self.word(i) {
            "(" | "[" => self.open.push(i),
            "{" => {
                self.open.push(i);
                let record = opens_record(&|k| self.word(k), i);
                self.records.push(record);
            }
            ")" | "]" => drop(self.open.pop()),
            "}" => {
                self.open.pop();
                self.records.pop();
            }
            _ => {}
        }
        match self.word(i) {
            "{" => {
                self.nested(i, t);
                self.braces += 1;
                self.copy(t);
                if self.word(i + 1) == "}" && self.is_compound_literal(i) {
                    self.put(t.end, "1");
                    self.mark(t.end, Mark::EmptyInit);
                }
            }
            "}" => {
                self.braces -= 1;
                self.copy(t);
            }
            "&&" if self.is_unary(i) => {
                self.put(t.start, "&");
                self.mark(t.start, Mark::LabelAddr);
            }
            "?" if self.word(i + 1) == ":" => {
                self.put(t.start, "?1:");
                self.mark(t.end, Mark::OmittedThen);
                // A colon further on is covered by the one just written.
                return i + 2;
            }
            "[" if self.word(i + 1) == "[" => {
                let end = closing(self.text, self.tokens, i) + 1;
                self.open.pop();
                self.attributes(i + 1, end.saturating_sub(1));
                return self.soften(i, end);
            }
            "(" => {
                self.copy(t);
                return self.parameters(i);
            }
            ";" => self.semicolon(i, t),
            _ => self.copy(t),
        }
        i + 1
    }

    /// `__label__` with its names, of the block that begins before it.
    fn local_labels(&mut self, i: usize, end: usize) {
        let brace = (0..i).rev().find(|&j| self.word(j) == "{");
        let Some(brace) = brace.map(|j| self.tokens.list[j].start) else {
            return;
        };
        let end = self.tokens.list.get(end).map_or(0, |t| t.end);
        let span = self.tokens.list[i].start..end.max(self.tokens.list[i].end);
        self.marks.local_labels.entry(brace).or_default().push(span);
    }

    /// The `{` of a function within a function: the parser sees a declaration and a block.
    fn nested(&mut self, i: usize, t: Token) {
        if self.braces == 0 {
            return;
        }
        let Some(head) = nested::head(self.text, self.tokens, i, &|j| self.previous(j)) else {
            return;
        };
        let end = self.tokens.list[head.last()].end;
        if end == t.start {
            return;
        }
        if let Some((last, others)) = head.semicolons.split_last() {
            for j in head.open + 1..=head.close {
                let t = self.tokens.list[j];
                self.out[t.start as usize..t.end as usize].fill(b' ');
            }
            for j in others {
                self.put(self.tokens.list[*j].start, ",");
            }
            self.put(self.tokens.list[*last].start, ")");
        }
        self.put(end, ";");
        self.mark(t.start, Mark::NestedBody);
    }

    /// Is `{` at `i` the start of a compound literal's list, not of a block?
    fn is_compound_literal(&self, i: usize) -> bool {
        let Some(close) = self.previous(i).filter(|&p| self.word(p) == ")") else {
            return false;
        };
        let Some(open) = self.opening(close) else {
            return false;
        };
        let Some(before) = self.previous(open) else {
            return false;
        };
        let t = self.tokens.list[before];
        match self.word(before) {
            "if" | "while" | "for" | "switch" | "]" => false,
            // `(void)(int[]) {`, but not the functions `int (*f(int a))(int) {` and `int (f)(void) {`.
            ")" => {
                let first = self.opening(before).map_or("*", |o| self.word(o + 1));
                let begun = |w: &&str| matches!(*w, "=" | ";" | "{" | "}");
                let in_value = || (0..before).rev().map(|j| self.word(j)).find(begun) == Some("=");
                first != "*" && (self.braces > 1 || in_value())
            }
            "return" | "sizeof" | "=" | "," | "(" | "[" | "{" | "?" | ":" => true,
            _ => t.kind == TokenKind::Punct,
        }
    }

    fn opening(&self, close: usize) -> Option<usize> {
        let mut depth = 0;
        (0..=close).rev().find(|&j| {
            match self.word(j) {
                ")" | "]" | "}" => depth += 1,
                "(" | "[" | "{" => depth -= 1,
                _ => {}
            }
            depth == 0
        })
    }

    /// Does the operator at `i` lack a left operand?
    fn is_unary(&self, i: usize) -> bool {
        let Some(p) = self.previous(i) else {
            return true;
        };
        let word = self.word(p);
        match self.tokens.list[p].kind {
            TokenKind::Ident => {
                matches!(word, "return" | "case" | "goto" | "else" | "do" | "sizeof")
            }
            TokenKind::Number | TokenKind::Str | TokenKind::Char | TokenKind::Bad => false,
            TokenKind::Punct => match word {
                // A cast: `(void *)&&label`.
                ")" => {
                    p > 0
                        && matches!(
                            self.word(p - 1),
                            "*" | "long" | "int" | "unsigned" | "char" | "intptr_t" | "uintptr_t"
                        )
                }
                "]" | "++" | "--" | "}" => false,
                _ => true,
            },
        }
    }

    /// Attribute names between the tokens `from` and `to` of `(( ... ))`.
    fn attributes(&mut self, from: usize, to: usize) {
        let mut i = from + 1;
        while i + 1 < to {
            let t = self.tokens.list[i];
            if t.kind == TokenKind::Ident {
                let end = self.behind_parens(i + 1);
                let name = self.word(i);
                let name = name
                    .strip_prefix("__")
                    .and_then(|n| n.strip_suffix("__"))
                    .unwrap_or(name);
                let last = self.tokens.list[(end - 1).min(self.tokens.list.len() - 1)];
                let args = if end > i + 1 {
                    self.tokens.list[i + 1].end..last.start
                } else {
                    t.end..t.end
                };
                if self.word(end) == ":" && self.word(end + 1) == ":" {
                    // The name of a vendor.
                    i = end + 2;
                    continue;
                }
                if matches!(
                    name,
                    "aligned" | "vector_size" | "warn_if_not_aligned" | "assume"
                ) {
                    self.keep_text(i, end);
                }
                self.marks.attributes.push(Attribute {
                    name: name.to_string(),
                    args,
                    span: t.start..last.end,
                });
                i = end;
            } else {
                i += 1;
            }
        }
    }

    fn asm(&mut self, i: usize, t: Token) -> usize {
        let mut j = i + 1;
        let mut goto = false;
        while matches!(
            self.word(j),
            "volatile"
                | "__volatile__"
                | "__volatile"
                | "goto"
                | "inline"
                | "__inline__"
                | "__inline"
        ) {
            goto |= self.word(j) == "goto";
            j += 1;
        }
        let end = self.behind_parens(j).min(self.tokens.list.len());
        let before = self.previous(i);
        let head = before.map_or("", |p| self.word(p));
        if self.braces == 0 && matches!(head, "" | ";" | "}") {
            // File scope: nothing for the parser.
            return self.drop(i, if self.word(end) == ";" { end + 1 } else { end });
        }
        if !self.starts_statement(before) {
            return self.soften(i, end);
        }
        let operands = (j..end).any(|k| self.word(k) == ":");
        if goto || !operands {
            // The parser takes a bare `asm("...")` for a call: it sees the `;` only.
            if let Some(semicolon) = self.tokens.list.get(end) {
                let mark = if goto {
                    Mark::AsmGoto(t.start)
                } else {
                    Mark::Asm(t.start)
                };
                self.mark(semicolon.start, mark);
            }
            return self.drop(i, end);
        }
        self.put(t.start, "asm");
        let mut k = j;
        while k < end {
            k = self.token(k);
        }
        k
    }

    fn starts_statement(&self, before: Option<usize>) -> bool {
        let Some(p) = before else { return true };
        match self.word(p) {
            ";" | "{" | "}" | ":" | "else" | "do" => true,
            ")" => self
                .opening(p)
                .and_then(|o| self.previous(o))
                .is_some_and(|b| matches!(self.word(b), "if" | "while" | "for" | "switch")),
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tokens::tokenize;
    use super::*;
    use expect_test::{expect, Expect};

    fn check(text: &str, expect: Expect) {
        let tokens = tokenize(text);
        let (masked, marks) = mask(text, &tokens, &Standard::default());
        assert_eq!(masked.len(), text.len());
        let mut at: Vec<_> = marks.at.iter().collect();
        at.sort_by_key(|(k, _)| **k);
        let attrs: Vec<_> = marks
            .attributes
            .iter()
            .map(|a| {
                format!(
                    "{}({})",
                    a.name,
                    &text[a.args.start as usize..a.args.end as usize]
                )
            })
            .collect();
        expect.assert_eq(&format!("{}\n{at:?} {attrs:?}", masked.trim_end()));
    }

    #[test]
    fn attributes_and_words() {
        check(
            "struct __attribute__((packed, __aligned__(8))) s { int x; };",
            expect![[r#"
                struct                                         s { int x; };
                [] ["packed()", "aligned(8)"]"#]],
        );
        check(
            "__extension__ typedef unsigned __int128 u; static __thread int t;",
            expect![[r#"
                              typedef unsigned int      u; static register int t;
                [(31, Int128), (50, ThreadLocal)] []"#]],
        );
        check(
            "{ x = a ?: b; p = &&l; q = (void *)&&l; r = (a) && b; __real__ z = __alignof__(z); }",
            expect![[r#"
                { x = a ?1:b; p = & l; q = (void *)& l; r = (a) && b; ~        z = sizeof     (z); }
                [(9, OmittedThen), (18, LabelAddr), (35, LabelAddr), (54, Real), (67, AlignOf)] []"#]],
        );
    }

    #[test]
    fn later_c() {
        check(
            "typeof (typeof(int) *) p; [ [ packed ] ] int x; { for (_Static_assert(1, \"\"); x; ) ; f((static int []){ 1 }, (constexpr int){ 2 }); }",
            expect![[r#"
                _Atomic(typeof(int) *) p;                int x; { for (                     ; x; ) ; f((       int []){ 1 }, (const     int){ 1 }); }
                [] ["packed()"]"#]],
        );
        check(
            "struct s { int a; const; }; int g(register int a) { }",
            expect![[r#"
                struct s { int a;        }; int g(register int a) { }
                [] []"#]],
        );
    }

    #[test]
    fn literals() {
        check(
            "f(L\"\\u1234\" \"x\", u8'\\e', 0x1.8p3q, 077);",
            expect![[r#"
                f("aaaaaaa" "a", 'aaaa', 11111111, 111);
                [] []"#]],
        );
    }

    #[test]
    fn assembler() {
        check(
            "asm(\"nop\"); int f(void) __asm__(\"g\"); void h() { register int x asm(\"eax\"); if (x) asm volatile(\"n\" : \"=r\"(x)); }",
            expect![[r#"
                            int f(void)             ; void h() { register int x           ; if (x) asm         ("a" : "aa"(x)); }
                [] []"#]],
        );
        check(
            "{ asm goto(\"x\" : : : : l); f((T){ }); if (x) { } }",
            expect![[r#"
                {                        ; f((T){1}); if (x) { } }
                [(25, AsmGoto(2)), (33, EmptyInit)] []"#]],
        );
    }
}
