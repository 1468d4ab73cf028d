//! Edits of the preprocessed text itself: each keeps the meaning and the line of every token.

use super::nested;
use super::tokens::{tokenize, TokenKind, Tokens};
use crate::diag::{Code, Diagnostic, Diagnostics};
use crate::preprocess::LineMap;
use crate::standard::Standard;

/// The edited text and its tokens.
pub(crate) fn normalise(mut text: String, standard: &Standard) -> (String, Tokens) {
    let mut tokens = tokenize(&text);
    if standard.c23 {
        if let Some(older) = super::standard::older_words(&text, &tokens) {
            text = older;
            tokens = tokenize(&text);
        }
    }
    if replace_digraphs(&mut text, &tokens) {
        tokens = tokenize(&text);
    }
    let mut inserts = inserts(&text, &tokens);
    let located = replace_locations(&mut text, &tokens);
    if inserts.is_empty() && !located {
        return (text, tokens);
    }
    inserts.sort_by_key(|i| i.0);
    let text = insert(text, &inserts);
    let tokens = tokenize(&text);
    (text, tokens)
}

/// What is put in between tokens, and where.
fn inserts(text: &str, tokens: &Tokens) -> Vec<(u32, &'static str)> {
    let word = |i: usize| {
        tokens
            .list
            .get(i)
            .map_or("", |t| &text[t.start as usize..t.end as usize])
    };
    let mut inserts = Vec::new();
    // Of braces: is it a struct or union?
    let mut records: Vec<bool> = Vec::new();
    let mut depth = 0;
    for (i, t) in tokens.list.iter().enumerate() {
        if t.kind != TokenKind::Punct {
            // Room for the word that the mask has for it.
            let touches = tokens.list.get(i + 1).is_some_and(|n| n.start == t.end);
            if touches && t.end - t.start < 7 && super::nested_typeof(&word, i) {
                inserts.push((t.end, " "));
            }
            if let Some((open, close)) = measured_literal(text, tokens, i) {
                inserts.extend([(open, "("), (close, ")")]);
            }
            continue;
        }
        match word(i) {
            "{" => {
                depth += 1;
                records.push(opens_record(&word, i));
            }
            "}" => {
                depth -= 1;
                if records.pop() == Some(true) && !matches!(word(i - 1), ";" | "{") {
                    inserts.push((t.start, ";"));
                    continue;
                }
            }
            // What begins with a type's name is no product, which the parser takes it for.
            "(" if i > 0 && word(i - 1) == "for" && heads_declaration(&word, tokens, i + 1) => {
                inserts.push((t.end, HEAD));
            }
            _ => {}
        }
        inserts.extend(insert_at(text, tokens, i, depth));
    }
    inserts
}

/// What the punctuator at `i`, in so many braces, needs before or behind it.
fn insert_at(text: &str, tokens: &Tokens, i: usize, depth: i32) -> Option<(u32, &'static str)> {
    let list = &tokens.list;
    let word = |i: usize| {
        list.get(i)
            .map_or("", |t| &text[t.start as usize..t.end as usize])
    };
    let t = &list[i];
    let touched = list.get(i + 1).filter(|n| n.start == t.end);
    match word(i) {
        // `L: }` and `L: int x;` are accepted by compilers, not by the parser.
        ":" if label_of_declaration(&word, tokens, i) => Some((t.end, ";")),
        ":" => {
            let mut behind = i + 1;
            while matches!(word(behind), "__attribute__" | "__attribute") {
                behind = super::closing(text, tokens, behind + 1) + 1;
            }
            (word(behind) == "}").then(|| (list[behind - 1].end, ";"))
        }
        // Room for the operand that the mask invents.
        "?" if word(i + 1) == ":" => {
            let after = touched?.end;
            let has_room = text[after as usize..].starts_with([' ', '\t', '\n']);
            (!has_room).then_some((after, " "))
        }
        // Room for the end of a nested function's head.
        "{" if depth > 1
            && matches!(word(i - 1), ")" | ";")
            && list[i - 1].end == t.start
            && nested::head(text, tokens, i, &|j| j.checked_sub(1)).is_some() =>
        {
            Some((t.start, " "))
        }
        "{" if word(i + 1) == "}" && touched.is_some() && i > 0 && word(i - 1) == ")" => {
            Some((t.end, " "))
        }
        _ => None,
    }
}

/// Pragmas that are locations become calls, as wide as they were.
fn replace_locations(text: &mut String, tokens: &Tokens) -> bool {
    let pragmas: Vec<_> = tokens
        .directives
        .iter()
        .map(|d| d.start as usize..d.end as usize)
        .filter(|r| is_location(&text[r.clone()]))
        .collect();
    for r in &pragmas {
        let call = format!("{:w$}", "pc3_checkpoint();", w = r.len());
        text.replace_range(r.clone(), &call);
    }
    !pragmas.is_empty()
}

/// `sizeof (T){ 1 }`: where the compound literal begins and ends. The parser would take the size of the type.
fn measured_literal(text: &str, tokens: &Tokens, i: usize) -> Option<(u32, u32)> {
    let list = &tokens.list;
    let word = |i: usize| {
        list.get(i)
            .map_or("", |t| &text[t.start as usize..t.end as usize])
    };
    let measures = matches!(
        word(i),
        "sizeof" | "_Alignof" | "__alignof__" | "__alignof" | "alignof"
    );
    if !measures || word(i + 1) != "(" {
        return None;
    }
    let brace = super::closing(text, tokens, i + 1) + 1;
    if word(brace) != "{" {
        return None;
    }
    let close = list.get(super::closing(text, tokens, brace))?;
    Some((list[i + 1].start, close.end))
}

/// Is the `{` at `brace` a struct's or union's?
pub(crate) fn opens_record<'a>(word: &dyn Fn(usize) -> &'a str, brace: usize) -> bool {
    let Some(mut last) = brace.checked_sub(1) else {
        return false;
    };
    while matches!(word(last), ")" | "]") {
        // Attributes.
        let mut depth = 0;
        let open = (0..=last).rev().find(|&j| {
            match word(j) {
                ")" | "]" => depth += 1,
                "(" | "[" => depth -= 1,
                _ => {}
            }
            depth == 0
        });
        let attribute = |open: &usize| word(open - 1).starts_with("__attribute");
        last = match open.filter(|o| *o > 1) {
            Some(open) if attribute(&open) => open - 2,
            Some(open) if word(open) == "[" && word(open + 1) == "[" => open - 1,
            _ => return false,
        };
    }
    let is_key = |w: &str| matches!(w, "struct" | "union");
    is_key(word(last)) || last > 0 && is_key(word(last - 1)) || {
        let tag = word(last).starts_with(|c: char| c.is_alphabetic() || c == '_');
        tag && last > 0 && word(last - 1) == ")" && behind_key(word, last - 1)
    }
}

/// `struct __attribute__((...))`: does the attribute that ends there follow on such a word?
fn behind_key<'a>(word: &dyn Fn(usize) -> &'a str, close: usize) -> bool {
    let ends = |w: &&str| matches!(*w, ";" | "{" | "}" | "=" | "struct" | "union");
    let before = (0..close).rev().map(word).find(ends);
    matches!(before, Some("struct" | "union"))
}

/// Does a declaration stand behind the `:` at `colon`, which is a label's then?
fn label_of_declaration<'a>(
    word: &dyn Fn(usize) -> &'a str,
    tokens: &Tokens,
    colon: usize,
) -> bool {
    let ident = |i: usize| (tokens.list.get(i)).is_some_and(|t| t.kind == TokenKind::Ident);
    // `[[gnu::const]]`
    if !ident(colon + 1) || colon > 0 && word(colon - 1) == ":" {
        return false;
    }
    let typed = ident(colon + 2)
        && !matches!(word(colon + 2), "__attribute__" | "__attribute")
        && !begins_no_declaration(word(colon + 1));
    (begins_declaration(word(colon + 1)) || typed) && is_label(word, colon)
}

/// `name:`, `case x:` or `default:`; not `a ? b : c`, `enum e : T` or a bit-field.
pub(crate) fn is_label<'a>(word: &dyn Fn(usize) -> &'a str, colon: usize) -> bool {
    let ends = |w: &&str| matches!(*w, ";" | "{" | "}" | "case" | "?" | "enum");
    let before = (0..colon).rev().map(word).find(ends);
    !matches!(before, Some("?" | "enum"))
}

/// Words that another word may follow in a statement.
fn begins_no_declaration(word: &str) -> bool {
    matches!(
        word,
        "goto"
            | "return"
            | "else"
            | "case"
            | "do"
            | "sizeof"
            | "asm"
            | "__asm__"
            | "__asm"
            | "__extension__"
            | "__label__"
            | "__real__"
            | "__real"
            | "__imag__"
            | "__imag"
            | "_Alignof"
            | "__alignof__"
            | "__alignof"
    )
}

fn begins_declaration(word: &str) -> bool {
    matches!(
        word,
        "void"
            | "char"
            | "short"
            | "int"
            | "long"
            | "float"
            | "double"
            | "signed"
            | "__signed__"
            | "unsigned"
            | "_Bool"
            | "_Complex"
            | "__complex__"
            | "struct"
            | "union"
            | "enum"
            | "const"
            | "volatile"
            | "register"
            | "static"
            | "extern"
            | "auto"
            | "typedef"
            | "typeof"
            | "typeof_unqual"
            | "__typeof__"
            | "__auto_type"
            | "__int128"
            | "constexpr"
            | "_BitInt"
            | "_Thread_local"
            | "_Static_assert"
            | "_Alignas"
            | "_Atomic"
    )
}

/// Room at the beginning of a loop's head, for a word that only the parser sees: it makes a declaration of `T *p;`.
pub(crate) const HEAD: &str = "     ";

/// `T *p,` or `T *p;`, where `T` is the name of a type.
pub(crate) fn heads_declaration<'a>(
    word: &dyn Fn(usize) -> &'a str,
    tokens: &Tokens,
    at: usize,
) -> bool {
    let ident = |i: usize| (tokens.list.get(i)).is_some_and(|t| t.kind == TokenKind::Ident);
    let mut name = at + 1;
    while word(name) == "*" {
        name += 1;
    }
    let shape = ident(at) && name > at + 1 && ident(name) && matches!(word(name + 1), "," | ";");
    shape && (0..at).any(|i| word(i) == "typedef" && defines(word, i, at, word(at)))
}

/// The definition that begins at `from` gives `name` to a type.
fn defines<'a>(word: &dyn Fn(usize) -> &'a str, from: usize, to: usize, name: &str) -> bool {
    let mut depth = 0;
    for i in from..to {
        match word(i) {
            "{" => depth += 1,
            "}" => depth -= 1,
            ";" if depth == 0 => break,
            w if depth == 0 && w == name && matches!(word(i + 1), ";" | "," | "[" | ")" | "(") => {
                return true;
            }
            _ => {}
        }
    }
    false
}

/// `<:` and its like become the tokens that they stand for, as wide as they were.
fn replace_digraphs(text: &mut String, tokens: &Tokens) -> bool {
    let punctuators = tokens.list.iter().filter(|t| t.kind == TokenKind::Punct);
    let found: Vec<(usize, &str)> = punctuators
        .filter_map(|t| {
            let at = t.start as usize;
            let meant = match text.as_bytes().get(at..at + 2)? {
                b"<:" => "[ ",
                b":>" => "] ",
                b"<%" => "{ ",
                b"%>" => "} ",
                _ => return None,
            };
            Some((at, meant))
        })
        .collect();
    for (at, meant) in &found {
        text.replace_range(*at..at + 2, meant);
    }
    !found.is_empty()
}

/// `text` with strings inserted at ascending offsets.
pub fn insert(text: String, inserts: &[(u32, &str)]) -> String {
    if inserts.is_empty() {
        return text;
    }
    let mut out = String::with_capacity(text.len() + inserts.len() * 4);
    let mut done = 0;
    for &(at, s) in inserts {
        out.push_str(&text[done..at as usize]);
        out.push_str(s);
        done = at as usize;
    }
    out.push_str(&text[done..]);
    out
}

fn pragma_words(line: &str) -> Option<Vec<&str>> {
    let rest = line
        .strip_prefix('#')?
        .trim_start()
        .strip_prefix("pragma")?;
    Some(rest.split_whitespace().collect())
}

fn is_location(line: &str) -> bool {
    pragma_words(line).is_some_and(|w| matches!(w[..], ["pc3" | "ccc", "checkpoint"]))
}

pub(crate) fn is_openmp(line: &str) -> bool {
    pragma_words(line).is_some_and(|w| w.first() == Some(&"omp"))
}

/// What follows on `#pragma omp`, without punctuation; nothing if the line is another.
pub fn openmp_words(line: &str) -> Vec<&str> {
    let mut words = line.split(|c: char| !c.is_alphanumeric() && c != '_');
    if !is_openmp(line) || !words.any(|w| w == "omp") {
        return Vec::new();
    }
    words.filter(|w| !w.is_empty()).collect()
}

/// Locations must stand where a statement can, or they would change the program:
/// below `if (x)` a pragma is nothing to other compilers, but a call would be the branch.
pub(crate) fn check_locations(
    text: &str,
    tokens: &Tokens,
    lines: &LineMap,
    diags: &mut Diagnostics,
) {
    for d in &tokens.directives {
        if let Some([own @ ("pc3" | "ccc"), rest @ ..]) =
            pragma_words(&text[d.start as usize..d.end as usize]).as_deref()
        {
            if rest.first().is_some_and(|w| crate::names::is_annotation(w)) {
                continue;
            }
            let message = format!(
                "unknown pragma `{own}{}`",
                rest.iter().map(|w| format!(" {w}")).collect::<String>()
            );
            diags.push(
                Diagnostic::warning(Code::UnknownPragma, message)
                    .at_text(lines, text, &(d.start..d.end))
                    .help(format!(
                        "pc3cc knows `#pragma pc3 checkpoint`, and in its place {}",
                        crate::names::annotations()
                    )),
            );
        }
    }
    let word = |i: usize| &text[tokens.list[i].start as usize..tokens.list[i].end as usize];
    let mut depth = 0i32;
    for i in 0..tokens.list.len() {
        match word(i) {
            "{" => depth += 1,
            "}" => depth -= 1,
            "pc3_checkpoint" if is_bare_call(text, tokens, i) => {
                let ok = i > 0 && matches!(word(i - 1), ";" | "{" | "}" | ":");
                let unclear = i > 0 && matches!(word(i - 1), ")" | "else" | "do");
                let t = tokens.list[i];
                let span = t.start..tokens.list[i + 3].end;
                let error =
                    |m: &str| Diagnostic::error(Code::PragmaPlace, m).at_text(lines, text, &span);
                let line = lines.line_range(t.start, text);
                // Padded to the pragma's width, where compilers print no trailing blanks.
                let from_pragma = line.start == t.start
                    && text[line.start as usize..line.end as usize]
                        .trim_end()
                        .len()
                        + 4
                        < (line.end - line.start) as usize;
                if depth == 0 && from_pragma {
                    diags.push(error("a checkpoint location outside of a function"));
                } else if from_pragma && unclear {
                    diags.push(
                        error("a checkpoint pragma directly below `if`, `else` or a loop head would become its body")
                            .help("put braces around the pragma and the statement behind it"),
                    );
                } else if from_pragma && !ok {
                    diags.push(
                        error("a checkpoint pragma in the middle of a statement")
                            .help("move it between two statements"),
                    );
                }
            }
            _ => {}
        }
    }
}

fn is_bare_call(text: &str, tokens: &Tokens, i: usize) -> bool {
    let word = |i: usize| {
        tokens
            .list
            .get(i)
            .map(|t| &text[t.start as usize..t.end as usize])
    };
    (word(i + 1), word(i + 2), word(i + 3)) == (Some("("), Some(")"), Some(";"))
}
