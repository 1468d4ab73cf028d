//! What the parser, which knows C11, sees of later C and of some GNU C.
//!
//! ```c
//! enum e : unsigned char { A };          enum e                 { A };
//! auto x = 1.5;                          int  x = 111;
//! int f(...);                            int f(int);
//! int f(int n; int a[n], int n);         int f(int n, int a[n], int n);
//! typedef __float128 _Float128;
//! ```

use super::mask::Masker;
use super::normalise::{heads_declaration, HEAD};
use super::tokens::{Token, TokenKind};
use super::{closing, Mark};

impl Masker<'_> {
    fn kind(&self, i: usize) -> Option<TokenKind> {
        self.tokens.list.get(i).map(|t| t.kind)
    }
    fn is_ident(&self, i: usize) -> bool {
        self.kind(i) == Some(TokenKind::Ident)
    }

    /// A name that is a word to the parser.
    pub fn hide(&mut self, t: Token) {
        self.out[t.start as usize..t.end as usize].fill(b'_');
    }

    pub(crate) fn of_c23(&mut self, i: usize, t: Token) -> usize {
        let word = self.word(i);
        match word {
            "true" | "false" | "nullptr" if self.standard.c23 => self.put(t.start, "1"),
            "__nullptr" => self.put(t.start, "1"),
            "constexpr" if self.standard.c23 => self.put(t.start, "const"),
            "auto" if self.standard.c23 && self.infers(i + 1) => {
                self.put(t.start, "int");
                self.mark(t.start, Mark::AutoType);
            }
            _ if self.chooses(i) => {
                self.put(t.start, "sizeof");
                let unqualified = word.contains("unqual");
                self.mark(t.start, Mark::ChoosingType { unqualified });
            }
            "typeof" | "__typeof__" | "__typeof" if self.names_type(i) => {
                self.put(t.start, "_Atomic");
            }
            "typeof_unqual" | "__typeof_unqual__" | "__typeof_unqual"
                if self.standard.c23 || word.starts_with('_') =>
            {
                let seen = if self.names_type(i) {
                    "_Atomic"
                } else {
                    "typeof"
                };
                self.put(t.start, seen);
                self.mark(t.start, Mark::Unqualified);
            }
            "__private_extern__" => self.put(t.start, "extern"),
            "__transaction_atomic" | "__transaction_relaxed" | "__transaction_cancel" => {
                let end = self.behind_attribute(i + 1);
                return self.soften(i, end);
            }
            "_BitInt" | "_ExtInt" if self.word(i + 1) == "(" => {
                let end = self.behind_parens(i + 1);
                self.put(t.start, "int");
                let last = self.tokens.list[end.min(self.tokens.list.len()) - 1];
                self.mark(t.start, Mark::BitInt(last.end));
                self.keep_text(i, end);
                return self.soften(i + 1, end);
            }
            "__builtin_bit_cast" if self.reads_only(i + 1) => {
                let end = self.behind_parens(i + 1).min(self.tokens.list.len());
                self.out[t.start as usize..t.end as usize].fill(b'1');
                self.mark(t.start, Mark::TypeBuiltin(self.tokens.list[end - 1].end));
                self.keep_text(i, end);
                return self.soften(i + 1, end);
            }
            "enum" => {
                self.copy(t);
                return self.enumeration(i, t);
            }
            "typedef" => {
                if let Some(end) = self.known_type(i) {
                    return self.drop(i, end);
                }
                self.copy(t);
            }
            _ => self.copy(t),
        }
        i + 1
    }

    /// `typeof(typeof(int) *)`: the parser would take the inner one for a name.
    fn names_type(&self, i: usize) -> bool {
        super::nested_typeof(&|k| self.word(k), i)
    }

    /// `_Generic(typeof(x), ...)`
    fn chooses(&self, i: usize) -> bool {
        i > 1
            && super::is_typeof(self.word(i))
            && (self.word(i - 2), self.word(i - 1)) == ("_Generic", "(")
            && self.word(self.behind_parens(i + 1)) == ","
    }

    /// In a loop's head: the word for it fits in front of the tokens.
    pub(crate) fn heads_declaration(&self, at: usize) -> bool {
        let list = &self.tokens.list;
        let room = |t: &Token| t.start >= list[at - 1].end + HEAD.len() as u32;
        list.get(at).is_some_and(room) && heads_declaration(&|k| self.word(k), self.tokens, at)
    }

    /// Behind `auto`: a name and its value, without a type.
    fn infers(&self, mut i: usize) -> bool {
        loop {
            i = match self.word(i) {
                "const" | "volatile" | "static" | "constexpr" | "register" | "extern"
                | "restrict" | "_Atomic" | "__const" | "__restrict" | "_Thread_local" | "*"
                | "(" => i + 1,
                _ => match self.behind_attribute(i) {
                    end if end > i => end,
                    _ => break,
                },
            }
        }
        let mut end = i + 1;
        loop {
            end = match self.word(end) {
                ")" => end + 1,
                "[" if self.word(end + 1) != "[" => closing(self.text, self.tokens, end) + 1,
                _ => match self.behind_attribute(end) {
                    behind if behind > end => behind,
                    _ => break,
                },
            };
        }
        self.is_ident(i) && self.word(end) == "="
    }

    /// What stands in the parentheses at `open` calls no function but builtins, changes nothing and takes no address.
    fn reads_only(&self, open: usize) -> bool {
        let close = closing(self.text, self.tokens, open);
        let reads = |k: usize| match self.word(k) {
            "(" => match self.word(k - 1) {
                ")" | "]" => false,
                before => !self.is_ident(k - 1) || before.starts_with("__builtin_"),
            },
            "{" | "++" | "--" | "&" => false,
            "==" | "!=" | "<=" | ">=" => true,
            w => self.kind(k) != Some(TokenKind::Punct) || !w.ends_with('='),
        };
        self.word(open) == "(" && (open + 1..close).all(reads)
    }

    fn behind_attribute(&self, i: usize) -> usize {
        match self.word(i) {
            "__attribute__" | "__attribute" | "_Alignas" => self.behind_parens(i + 1),
            "[" if self.word(i + 1) == "[" => closing(self.text, self.tokens, i) + 1,
            _ => i,
        }
    }

    /// `enum tag : type {` and `enum tag : type;`, where no bit-field without a name can be meant.
    fn enumeration(&mut self, i: usize, t: Token) -> usize {
        let mut colon = i + 1;
        while self.behind_attribute(colon) > colon {
            colon = self.behind_attribute(colon);
        }
        colon += usize::from(self.is_ident(colon));
        if self.word(colon) != ":" {
            return i + 1;
        }
        let mut end = colon + 1;
        while self.is_ident(end) {
            end = match self.word(end) {
                "typeof" | "__typeof__" | "typeof_unqual" | "_BitInt" => {
                    self.behind_parens(end + 1)
                }
                _ => end + 1,
            };
        }
        let builtin = matches!(
            self.word(colon + 1),
            "char"
                | "short"
                | "int"
                | "long"
                | "signed"
                | "unsigned"
                | "_Bool"
                | "const"
                | "volatile"
        );
        let computed = matches!(
            self.word(colon + 1),
            "typeof" | "__typeof__" | "typeof_unqual"
        );
        let member = self.records.last() == Some(&true);
        let named = builtin || self.word(colon + 1).ends_with("_t") || computed || !member;
        if end == colon + 1 || !(self.word(end) == "{" || named) {
            return i + 1;
        }
        if self.word(end) != "{" && self.word(end) != ";" && named {
            // What follows the type is declared: `enum e : short x;`.
            end = match computed {
                true => self.behind_parens(colon + 2),
                false => self.end_of_words(colon + 1),
            };
        }
        let list = &self.tokens.list;
        let span = list[colon + 1].start..list[end - 1].end;
        self.marks.texts.push(span.clone());
        self.marks.enum_types.insert(t.start, span);
        let mut k = i + 1;
        while k < colon {
            k = self.token(k);
        }
        self.soften(colon, end)
    }

    /// Behind the words of a type.
    fn end_of_words(&self, start: usize) -> usize {
        let word = |k: &usize| {
            matches!(
                self.word(*k),
                "char"
                    | "short"
                    | "int"
                    | "long"
                    | "signed"
                    | "unsigned"
                    | "_Bool"
                    | "const"
                    | "volatile"
            )
        };
        let end = (start..).find(|k| !word(k)).unwrap_or(start);
        end.max(start + 1)
    }

    /// Behind a definition of a type that the parser knows: `typedef __float128 _Float128;`.
    fn known_type(&self, i: usize) -> Option<usize> {
        let known = |w: &str| {
            matches!(
                w,
                "_Float16"
                    | "_Float32"
                    | "_Float64"
                    | "_Float128"
                    | "_Float32x"
                    | "_Float64x"
                    | "_Float128x"
            )
        };
        let name = (i + 1..i + 5).find(|k| known(self.word(*k)) && self.word(k + 1) == ";")?;
        (i + 1..name).all(|k| self.is_ident(k)).then_some(name + 2)
    }

    /// Behind a `(`, where all parameters may be unknown.
    pub fn parameters(&mut self, i: usize) -> usize {
        let here = self.tokens.list.get(i + 1).copied();
        let storage = (i + 1..)
            .take_while(|k| storage_word(self.word(*k)))
            .count();
        if storage > 0 && self.heads_literal(i) {
            return self.storage_of_literal(i + 1, i + 1 + storage);
        }
        if let ("...", ")", Some(t)) = (self.word(i + 1), self.word(i + 2), here) {
            self.put(t.start, "int");
            self.mark(t.start, Mark::OnlyVariable);
            return i + 2;
        }
        i + 1
    }

    /// Is the `(` at `open` that of a compound literal with a storage class, `(static int[]){ 1 }`?
    fn heads_literal(&self, open: usize) -> bool {
        let before = self.previous(open).map_or("", |p| self.word(p));
        let loops = matches!(before, "for" | "while" | "if" | "switch");
        let parameters = self.word(open + 1) == "register" && self.braces() == 0;
        !loops && !parameters && self.word(self.behind_parens(open)) == "{"
    }

    fn storage_of_literal(&mut self, from: usize, to: usize) -> usize {
        for k in from..to {
            let t = self.tokens.list[k];
            if self.word(k) == "constexpr" {
                self.put(t.start, "const");
                continue;
            }
            self.soften(k, k + 1);
            if matches!(self.word(k), "static" | "_Thread_local") && self.braces() > 0 {
                self.marks.literals.push(t.start..t.end);
            }
        }
        to
    }

    /// `(int n; int a[n], int n)`
    pub(crate) fn semicolon(&mut self, i: usize, t: Token) {
        let alone = i > 0 && matches!(self.word(i - 1), ";" | "{");
        if alone && self.records.last() == Some(&true) {
            // Between members.
            self.soften(i, i + 1);
            return;
        }
        let bare = i > 1
            && matches!(self.word(i - 1), "const" | "volatile")
            && matches!(self.word(i - 2), ";" | "{");
        if bare && self.records.last() == Some(&true) {
            // `const;` among members.
            let t = self.tokens.list[i - 1];
            self.out[t.start as usize..t.end as usize].fill(b' ');
            self.soften(i - 1, i + 1);
            return;
        }
        let open = self.open.last().copied().filter(|o| self.word(*o) == "(");
        let around = open.and_then(|o| self.previous(o));
        match around.filter(|p| self.word(*p) != "for") {
            Some(_) => {
                self.put(t.start, ",");
                self.mark(t.start, Mark::Forward);
            }
            None => self.copy(t),
        }
    }
}

fn storage_word(word: &str) -> bool {
    matches!(word, "static" | "constexpr" | "register" | "_Thread_local")
}
