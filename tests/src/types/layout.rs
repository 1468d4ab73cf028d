//! Where the values of a type lie: from pc3's table of types, and from the compiler's debugging information.

use std::collections::HashMap;
use std::fmt;

use anyhow::{bail, Context, Result};

/// A number or reference, by bits from the start of its struct in the order of memory.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Leaf {
    pub at: u64,
    pub bits: u64,
    pub path: String,
    /// `b`ool, `c`har, `s`igned, `u`nsigned, `e`num, `n`egative enum, `f`loating, `p`ointer, any `i`nteger; `-`: an array without elements.
    pub class: char,
}

impl Leaf {
    fn agrees(&self, other: &Leaf) -> bool {
        let integer = |c: char| "sucebin".contains(c);
        let any = |a, b| a == 'i' && integer(b);
        let class = self.class == other.class
            || any(self.class, other.class)
            || any(other.class, self.class);
        class && (self.at, self.bits, &self.path) == (other.at, other.bits, &other.path)
    }
}

impl fmt::Display for Leaf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} @{}+{}", self.path, self.class, self.at, self.bits)
    }
}

/// The values of a type, and its size in bytes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Layout {
    pub size: u64,
    pub leaves: Vec<Leaf>,
}

impl Layout {
    /// What two descriptions of a type do not have in common.
    pub fn difference(&self, other: &Layout) -> Option<String> {
        let only = |a: &Layout, b: &Layout| {
            let alone = |l: &&Leaf| !b.leaves.iter().any(|m| m.agrees(l));
            let list = a.leaves.iter().filter(alone);
            list.map(Leaf::to_string).collect::<Vec<_>>().join(", ")
        };
        let counts = (self.size, self.leaves.len()) == (other.size, other.leaves.len());
        if counts && only(self, other).is_empty() {
            return None;
        }
        Some(format!(
            "{} bytes, {}; the compiler: {} bytes, {}",
            self.size,
            only(self, other),
            other.size,
            only(other, self)
        ))
    }

    pub fn sorted(mut self) -> Layout {
        self.leaves.sort();
        self
    }
}

/// Of what `pc3 show --types` prints.
pub struct Table(HashMap<u32, Row>);

struct Row {
    kind: String,
    name: String,
    size: u64,
    signed: bool,
    count: u64,
    elem: u32,
    members: Vec<Member>,
}

struct Member {
    name: String,
    ty: u32,
    at: u64,
    bits: Option<(u64, u64)>,
}

impl Table {
    pub fn parse(text: &str) -> Result<Table> {
        let rows = text
            .lines()
            .filter(|l| l.starts_with(|c: char| c.is_ascii_digit()));
        let rows = rows.map(|l| row(l).with_context(|| l.to_owned()));
        Ok(Table(rows.collect::<Result<_>>()?))
    }

    pub fn layout(&self, name: &str) -> Option<Layout> {
        let found = self.0.values().find(|r| r.name == name)?;
        let mut leaves = Vec::new();
        self.record(found, "", 0, &mut leaves);
        let size = found.size;
        Some(Layout { size, leaves }.sorted())
    }

    fn record(&self, r: &Row, path: &str, at: u64, out: &mut Vec<Leaf>) {
        for m in &r.members {
            let path = match m.name.as_str() {
                "-" => path.to_owned(),
                n => format!("{path}.{n}"),
            };
            let Some(ty) = self.0.get(&m.ty) else {
                continue;
            };
            match m.bits {
                Some((offset, width)) => out.push(Leaf {
                    at: at + offset,
                    bits: width,
                    path,
                    class: class(ty),
                }),
                None => self.value(ty, &path, at + 8 * m.at, out),
            }
        }
    }

    fn value(&self, ty: &Row, path: &str, at: u64, out: &mut Vec<Leaf>) {
        let mut leaf = |path: String, at, bits, class| {
            out.push(Leaf {
                at,
                bits,
                path,
                class,
            });
        };
        match ty.kind.as_str() {
            "struct" if ty.name.contains("_BitInt(") => {
                let class = if ty.name.starts_with('u') { 'u' } else { 's' };
                leaf(path.to_owned(), at, 8 * ty.size, class);
            }
            "struct" | "union" => self.record(ty, path, at, out),
            "array" if ty.count == 0 => leaf(format!("{path}[]"), at, 0, '-'),
            "array" => {
                let Some(elem) = self.0.get(&ty.elem) else {
                    return;
                };
                for i in 0..ty.count {
                    self.value(elem, &format!("{path}[{i}]"), at + 8 * elem.size * i, out);
                }
            }
            "complex" => {
                let half = 4 * ty.size;
                leaf(format!("{path}[0]"), at, half, 'f');
                leaf(format!("{path}[1]"), at + half, half, 'f');
            }
            _ => leaf(path.to_owned(), at, 8 * ty.size, class(ty)),
        }
    }
}

fn class(ty: &Row) -> char {
    match ty.kind.as_str() {
        "bool" => 'b',
        "char" => 'c',
        "sint" => 's',
        "uint" => 'u',
        "enum" => match ty.signed {
            true => 'n',
            false => 'e',
        },
        "float" => 'f',
        "pointer" => 'p',
        "opaque" if ty.name.starts_with("_Float") => 'f',
        "opaque" if ty.name.starts_with("unsigned") => 'u',
        "opaque" if ty.name == "__int128" || ty.name.starts_with("_BitInt(") => 's',
        _ => '?',
    }
}

/// `3 struct "struct node" 16/8 { value 1 @0, flag 1 @4 bits 32+3, next 4 @8 }`
fn row(line: &str) -> Result<(u32, Row)> {
    let (id, rest) = line.split_once(' ').context("no kind")?;
    let (kind, rest) = rest.split_once(' ').context("no size")?;
    let (name, rest) = match rest.strip_prefix('"') {
        Some(quoted) => {
            let (name, rest) = quoted.split_once("\" ").context("no size")?;
            (name.to_owned(), rest)
        }
        None => (String::new(), rest),
    };
    let (size, rest) = rest.split_once('/').context("no alignment")?;
    let words: Vec<&str> = rest.split_whitespace().collect();
    let (mut count, mut elem) = (0, 0);
    if let Some(i) = words.iter().position(|w| *w == "of") {
        (count, elem) = match &words[i + 1..] {
            [n, "x", e, ..] => (n.parse()?, e.parse()?),
            _ => bail!("an array of what?"),
        };
    }
    let mut members = Vec::new();
    if let Some((_, list)) = rest.split_once("{ ") {
        let list = list.trim_end_matches('}').trim();
        for one in list.split(", ").filter(|m| !m.is_empty()) {
            let words: Vec<&str> = one.split_whitespace().collect();
            let [name, ty, at, bits @ ..] = &words[..] else {
                bail!("member {one:?}");
            };
            let bits = match bits {
                ["bits", place] => {
                    let (offset, width) = place.split_once('+').context("bits")?;
                    Some((offset.parse()?, width.parse()?))
                }
                _ => None,
            };
            members.push(Member {
                name: (*name).to_owned(),
                ty: ty.parse()?,
                at: at.trim_start_matches('@').parse()?,
                bits,
            });
        }
    }
    let row = Row {
        kind: kind.to_owned(),
        name,
        size: size.parse()?,
        signed: words.contains(&"signed"),
        count,
        elem,
        members,
    };
    Ok((id.parse()?, row))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn tables_are_read() {
        let text = "x86_64: little-endian\n\
                    1 sint \"int\" 4/4\n\
                    2 array 8/4 of 2 x 1\n\
                    3 struct 4/1 { b 1 @0 bits 3+5 }\n\
                    4 struct \"struct s\" 16/4 { a 2 @0, - 3 @8 }\n";
        let layout = Table::parse(text).unwrap().layout("struct s").unwrap();
        let leaves: Vec<String> = layout.leaves.iter().map(Leaf::to_string).collect();
        assert_eq!(leaves, [".a[0] s @0+32", ".a[1] s @32+32", ".b s @67+5"]);
        let other = Layout {
            size: 16,
            leaves: layout.leaves[..2].to_vec(),
        };
        assert!(layout.difference(&other).unwrap().contains(".b s @67+5"));
    }
}
