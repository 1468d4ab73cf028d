//! C tokens with byte spans; directives (line markers, pragmas) are kept apart.

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TokenKind {
    Ident,
    Number,
    Str,
    Char,
    Punct,
    /// A byte that starts no C token.
    Bad,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Token {
    pub kind: TokenKind,
    pub start: u32,
    pub end: u32,
}

/// A line that begins with `#`: its span without the newline.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Directive {
    pub start: u32,
    pub end: u32,
    /// Index of the first token behind it.
    pub next_token: usize,
}

#[derive(Clone, Debug, Default)]
pub struct Tokens {
    pub list: Vec<Token>,
    pub directives: Vec<Directive>,
}

pub(crate) fn is_ident_start(b: u8) -> bool {
    b.is_ascii_alphabetic() || b == b'_' || b == b'$' || b >= 0x80
}
fn is_ident(b: u8) -> bool {
    is_ident_start(b) || b.is_ascii_digit()
}

/// `\u00e9`, as preprocessors print letters of identifiers.
fn is_universal_name(b: &[u8], i: usize) -> bool {
    b[i] == b'\\' && matches!(b.get(i + 1), Some(b'u' | b'U'))
}

pub fn tokenize(text: &str) -> Tokens {
    let b = text.as_bytes();
    let mut out = Tokens::default();
    let mut i = 0;
    let mut line_start = true;
    while i < b.len() {
        let c = b[i];
        match c {
            b'\n' => {
                line_start = true;
                i += 1;
                continue;
            }
            b' ' | b'\t' | b'\r' | 0x0b | 0x0c => {
                i += 1;
                continue;
            }
            b'#' if line_start => {
                let end = b[i..]
                    .iter()
                    .position(|&c| c == b'\n')
                    .map_or(b.len(), |n| i + n);
                out.directives.push(Directive {
                    start: i as u32,
                    end: end as u32,
                    next_token: out.list.len(),
                });
                i = end;
                continue;
            }
            b'/' if b.get(i + 1) == Some(&b'*') => {
                // Comments remain under -C only.
                i = text[i + 2..].find("*/").map_or(b.len(), |n| i + 2 + n + 2);
                continue;
            }
            b'/' if b.get(i + 1) == Some(&b'/') => {
                i = b[i..]
                    .iter()
                    .position(|&c| c == b'\n')
                    .map_or(b.len(), |n| i + n);
                continue;
            }
            _ => {}
        }
        line_start = false;
        let (kind, end) = one(text, i);
        out.list.push(Token {
            kind,
            start: i as u32,
            end: end as u32,
        });
        i = end;
    }
    out
}

fn one(text: &str, i: usize) -> (TokenKind, usize) {
    let b = text.as_bytes();
    let c = b[i];
    if is_ident_start(c) || is_universal_name(b, i) {
        let mut end = i;
        while end < b.len() && (is_ident(b[end]) || is_universal_name(b, end)) {
            end += 1;
        }
        let quote = b.get(end).copied();
        if !matches!(quote, Some(b'"' | b'\'')) {
            return (TokenKind::Ident, end);
        }
        let word = &text[i..end];
        if matches!(word, "L" | "u" | "U" | "u8") {
            if quote == Some(b'"') {
                return (TokenKind::Str, quoted(b, end, b'"'));
            }
            return (TokenKind::Char, quoted(b, end, b'\''));
        }
        if matches!(word, "R" | "LR" | "uR" | "UR" | "u8R") && quote == Some(b'"') {
            if let Some(end) = raw_string(text, end) {
                return (TokenKind::Str, end);
            }
        }
        return (TokenKind::Ident, end);
    }
    if c.is_ascii_digit() || (c == b'.' && b.get(i + 1).is_some_and(u8::is_ascii_digit)) {
        let mut j = i + 1;
        while j < b.len() {
            let sign = matches!(b[j], b'+' | b'-') && matches!(b[j - 1], b'e' | b'E' | b'p' | b'P');
            let separates = b[j] == b'\'' && b.get(j + 1).is_some_and(|c| is_ident(*c));
            if !(is_ident(b[j]) || b[j] == b'.' || sign || separates) {
                break;
            }
            j += 1;
        }
        return (TokenKind::Number, j);
    }
    match c {
        b'"' => return (TokenKind::Str, quoted(b, i, b'"')),
        b'\'' => return (TokenKind::Char, quoted(b, i, b'\'')),
        _ => {}
    }
    let (second, third) = (b.get(i + 1).copied(), b.get(i + 2).copied());
    let kind = match c {
        b'[' | b']' | b'(' | b')' | b'{' | b'}' | b'.' | b'&' | b'*' | b'+' | b'-' | b'~'
        | b'!' | b'/' | b'%' | b'<' | b'>' | b'^' | b'|' | b'?' | b':' | b';' | b'=' | b','
        | b'#' => TokenKind::Punct,
        _ => TokenKind::Bad,
    };
    let length = match (c, second, third) {
        (b'.', Some(b'.'), Some(b'.')) => 3,
        (b'<', Some(b'<'), Some(b'=')) | (b'>', Some(b'>'), Some(b'=')) => 3,
        (b'-', Some(b'>'), _) => 2,
        (b'+' | b'-' | b'<' | b'>' | b'=' | b'&' | b'|' | b'#', Some(d), _) if d == c => 2,
        (
            b'<' | b'>' | b'!' | b'*' | b'/' | b'%' | b'+' | b'-' | b'&' | b'^' | b'|',
            Some(b'='),
            _,
        ) => 2,
        _ => 1,
    };
    (kind, i + length)
}

/// End of a literal that opens at `i`; an unclosed one ends with its line.
fn quoted(b: &[u8], i: usize, quote: u8) -> usize {
    let mut j = i + 1;
    while j < b.len() {
        match b[j] {
            b'\\' => j += 1,
            b'\n' => return j,
            c if c == quote => return j + 1,
            _ => {}
        }
        j += 1;
    }
    b.len()
}

fn raw_string(text: &str, quote: usize) -> Option<usize> {
    let open = quote + 1 + text[quote + 1..].find('(')?;
    let close = format!("){}\"", &text[quote + 1..open]);
    Some(open + text[open..].find(&close)? + close.len())
}

impl Tokens {
    /// Index of the first token that starts at or behind `offset`.
    pub(crate) fn at_or_after(&self, offset: u32) -> usize {
        self.list.partition_point(|t| t.start < offset)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expect: &str) {
        let tokens = tokenize(text);
        let list: Vec<&str> = tokens
            .list
            .iter()
            .map(|t| &text[t.start as usize..t.end as usize])
            .collect();
        assert_eq!(list.join(" "), expect);
    }

    #[test]
    fn splits() {
        check("a+++b->c...d<<=1.5e+3f", "a ++ + b -> c ... d <<= 1.5e+3f");
        check(
            "# 1 \"x\"\nL\"a\\\"b\" 'c' u8'\\'' #x",
            "L\"a\\\"b\" 'c' u8'\\'' # x",
        );
        check("1'000'0 '1' 0x1'f", "1'000'0 '1' 0x1'f");
        check("R\"q(a)\")q\"+0x1p-3", "R\"q(a)\")q\" + 0x1p-3");
        check("a?:b&&c .5", "a ? : b && c .5");
        check("a\\u00e9b+\\U0000043f", "a\\u00e9b + \\U0000043f");
    }
}
