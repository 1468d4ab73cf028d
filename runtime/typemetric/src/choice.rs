//! Which member of a union is in use, as the program's author says it: by another member of the struct around it.
//!
//! ```text
//! kind: i = 3, n = 19 | 20, p = *              the first whose value it is; `*` is any
//! flags & 0x3f: r = any 8, i = any 0x24, none = *
//! at: value = self, list = *                   a pointer that leads to the union beside it, or elsewhere
//! ```
//! `any` means that some of these bits are set; `none`, that no member is in use. For what the compiler concludes itself there
//! are two more in place of a member: [`VALUE`] and [`LEFT`].

use std::fmt::Write as _;

/// The value decides, as without a choice.
pub const VALUE: &str = "*";
/// No member is in use; what one left is kept: the address of something alive, or a number.
pub const LEFT: &str = "?";

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Choice {
    /// The member that decides.
    pub tag: String,
    pub mask: u64,
    /// The first that fits counts.
    pub rules: Vec<Rule>,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Rule {
    /// None: no member is in use.
    pub member: Option<String>,
    pub tests: Vec<Test>,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Test {
    Always,
    Equal(i128),
    Any(u64),
    /// It is the address of the union.
    Own,
}

impl Choice {
    /// `names`: what a word among the values stands for.
    pub fn parse(text: &str, names: &dyn Fn(&str) -> Option<i128>) -> Result<Choice, String> {
        let (tag, rules) = text
            .split_once(':')
            .ok_or("a colon is missing behind the member that decides")?;
        let number = |word: &str| {
            let word = word.trim();
            integer(word)
                .or_else(|| names(word))
                .ok_or_else(|| format!("`{word}` is no number"))
        };
        let (tag, mask) = match tag.split_once('&') {
            Some((tag, mask)) => (tag, number(mask)? as u64),
            None => (tag, u64::MAX),
        };
        let mut out = Choice {
            tag: name(tag)?,
            mask,
            rules: Vec::new(),
        };
        for rule in rules.split(',') {
            let (member, values) = rule
                .split_once('=')
                .ok_or_else(|| format!("`{}` is not of the form MEMBER = VALUE", rule.trim()))?;
            let member = match member.trim() {
                m @ (VALUE | LEFT) => Some(m.to_string()),
                m => Some(name(m)?).filter(|m| m != "none"),
            };
            let test = |value: &str| {
                let value = value.trim();
                Ok(match value.strip_prefix("any ") {
                    _ if value == "*" => Test::Always,
                    _ if value == "self" => Test::Own,
                    Some(bits) => Test::Any(number(bits)? as u64),
                    None => Test::Equal(number(value)?),
                })
            };
            let tests: Result<Vec<Test>, String> = values.split('|').map(test).collect();
            out.rules.push(Rule {
                member,
                tests: tests?,
            });
        }
        Ok(out)
    }

    /// Does a pointer decide?
    pub fn is_by_address(&self) -> bool {
        let own = |r: &Rule| r.tests.contains(&Test::Own);
        self.rules.iter().any(own)
    }

    /// Was it concluded from what the program does?
    pub(crate) fn is_concluded(&self) -> bool {
        let own = |r: &Rule| matches!(r.member.as_deref(), Some(VALUE | LEFT));
        self.rules.iter().any(own)
    }

    /// What [`Choice::parse`] reads, with numbers for names.
    pub fn text(&self) -> String {
        let mut out = format!("{} & {:#x}:", self.tag, self.mask);
        for (i, r) in self.rules.iter().enumerate() {
            let comma = if i > 0 { "," } else { "" };
            let _ = write!(out, "{comma} {} =", r.member.as_deref().unwrap_or("none"));
            for (i, t) in r.tests.iter().enumerate() {
                let bar = if i > 0 { " |" } else { "" };
                let _ = match t {
                    Test::Always => write!(out, "{bar} *"),
                    Test::Equal(v) => write!(out, "{bar} {v}"),
                    Test::Any(v) => write!(out, "{bar} any {v:#x}"),
                    Test::Own => write!(out, "{bar} self"),
                };
            }
        }
        out
    }
}

impl Test {
    pub fn fits(self, tag: i128, mask: u64) -> bool {
        let masked = tag as u64 & mask;
        match self {
            Test::Always => true,
            Test::Equal(v) if mask == u64::MAX => tag == v,
            Test::Equal(v) => i128::from(masked) == v,
            Test::Any(bits) => masked & bits != 0,
            Test::Own => false,
        }
    }
}

fn name(text: &str) -> Result<String, String> {
    let text = text.trim();
    let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    if text.is_empty() || !text.chars().all(word) {
        return Err(format!("`{text}` is no name of a member"));
    }
    Ok(text.to_string())
}

/// `12`, `-1`, `0x1f`, `'c'`
pub fn integer(word: &str) -> Option<i128> {
    let (sign, digits) = match word.strip_prefix('-') {
        Some(rest) => (-1, rest),
        None => (1, word),
    };
    let value = if let Some(hex) = digits.strip_prefix("0x").or(digits.strip_prefix("0X")) {
        i128::from_str_radix(hex, 16).ok()?
    } else if let [b'\'', c, b'\''] = digits.as_bytes() {
        i128::from(*c)
    } else {
        digits.parse().ok()?
    };
    Some(sign * value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses_and_prints() {
        let names = |n: &str| (n == "REAL").then_some(19);
        let check = |text: &str, expected: &str| {
            let got = match Choice::parse(text, &names) {
                Ok(c) => {
                    let text = c.text();
                    assert_eq!(Choice::parse(&text, &|_| None).as_ref(), Ok(&c));
                    text
                }
                Err(e) => e,
            };
            assert_eq!(got, expected);
        };
        check(
            "tt & 0x3f: i = 3, n = REAL | -1, c = 'a', p = *",
            "tt & 0x3f: i = 3, n = 19 | -1, c = 97, p = *",
        );
        check(
            "flags: r = any 8, none = *",
            "flags & 0xffffffffffffffff: r = any 0x8, none = *",
        );
        check(
            "kind i = 3",
            "a colon is missing behind the member that decides",
        );
        check(
            "v: value = self, open = *",
            "v & 0xffffffffffffffff: value = self, open = *",
        );
        check("t: i = 3, ? = *", "t & 0xffffffffffffffff: i = 3, ? = *");
        check("kind: i", "`i` is not of the form MEMBER = VALUE");
        check("kind: i = WHAT", "`WHAT` is no number");
        check("a.b: i = 1", "`a.b` is no name of a member");
    }
}
