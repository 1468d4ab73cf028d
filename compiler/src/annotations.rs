//! What the program's author says of types that C cannot, as pragmas or in a file for sources that stay untouched:
//!
//! ```text
//! #pragma pc3 union value.as by kind: number = 0, text = 1 | 2, none = *
//! ```
//! In a file (`--annotations=FILE`) the same from `union` on, one per line; `#` begins a comment.  The struct is named by
//! its tag or typedef; an unnamed union by one of its members.  It holds for that struct in every unit.

use crate::diag::{Code, Diagnostic, Diagnostics};
use crate::tree::*;
use pc3_typemetric::choice::Choice;
use std::collections::HashMap;

/// One annotation and where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Annotation {
    pub text: String,
    pub from: From,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum From {
    /// Unit and place in its text.
    Pragma(usize, Span),
    /// `file:line`
    File(String),
}

/// Per unit: record and number of the field, and what is said of it.
pub type Choices = Vec<HashMap<(RecordId, usize), Choice>>;

pub fn in_file(name: &str, contents: &str) -> Vec<Annotation> {
    let lines = contents.lines().enumerate();
    let said = lines.map(|(i, l)| (i, l.split('#').next().unwrap_or("").trim()));
    said.filter(|(_, l)| !l.is_empty())
        .map(|(i, l)| Annotation {
            text: l.to_string(),
            from: From::File(format!("{name}:{}", i + 1)),
        })
        .collect()
}

/// Those of a unit's pragmas, with the place of the whole line.
pub fn pragmas(u: &Unit) -> Vec<(Span, String)> {
    let mut at = 0;
    let mut out = Vec::new();
    for line in u.text.split_inclusive('\n') {
        let span = at as u32..(at + line.trim_end().len()) as u32;
        at += line.len();
        if let Some(text) = pragma(line) {
            out.push((span, text));
        }
    }
    out
}

fn pragma(line: &str) -> Option<String> {
    let rest = line.trim_start().strip_prefix('#')?.trim_start();
    let rest = rest.strip_prefix("pragma")?.trim_start();
    let rest = rest.strip_prefix("pc3").or(rest.strip_prefix("ccc"))?;
    let rest = rest.trim();
    is_annotation(rest.split_whitespace().next()?).then(|| rest.to_string())
}

/// The first word of annotations.
pub fn is_annotation(word: &str) -> bool {
    word == "union"
}

/// What all of them say; each must be about something that exists.
pub fn resolve(units: &[Unit], file: &[Annotation], out: &mut Diagnostics) -> Choices {
    let mut all: Vec<Annotation> = file.to_vec();
    for (i, u) in units.iter().enumerate() {
        all.extend(pragmas(u).into_iter().map(|(span, text)| Annotation {
            text,
            from: From::Pragma(i, span),
        }));
    }
    let mut choices: Choices = vec![HashMap::new(); units.len()];
    for a in &all {
        if let Err(why) = one(units, &a.text, &mut choices) {
            let message = format!("this annotation cannot be followed: {why}");
            let error = match &a.from {
                From::Pragma(unit, span) => {
                    Diagnostic::error(Code::Annotation, message).at(&units[*unit], span)
                }
                From::File(place) => {
                    Diagnostic::error(Code::Annotation, format!("{place}: {message}"))
                }
            };
            out.push(
                error.help("`union STRUCT.MEMBER by TAG: MEMBER = VALUE, ...`: see docs/guide.md"),
            );
        }
    }
    choices
}

fn one(units: &[Unit], text: &str, out: &mut Choices) -> Result<(), String> {
    let rest = text.strip_prefix("union").unwrap_or(text).trim();
    let (what, rules) = rest
        .split_once(" by ")
        .ok_or("`by` is missing behind the name of the union")?;
    let (record, member) = what
        .trim()
        .rsplit_once('.')
        .ok_or_else(|| format!("`{}` is not of the form STRUCT.MEMBER", what.trim()))?;
    let record = record.trim().trim_start_matches("struct ").trim();
    let (mut structs, mut found) = (false, false);
    for (unit, u) in units.iter().enumerate() {
        let names = |name: &str| {
            let constant = |s: &&Symbol| s.kind == SymKind::EnumConst && s.name == name;
            u.symbols.iter().find(constant).and_then(|s| s.value)
        };
        for (i, r) in u.records.iter().enumerate() {
            let named =
                r.tag.as_deref() == Some(record) || r.typedef_name.as_deref() == Some(record);
            let Some(fields) = r.fields.as_ref().filter(|_| named) else {
                continue;
            };
            structs = true;
            let Some((k, d)) = union_member(u, fields, member.trim()) else {
                continue;
            };
            found = true;
            let choice = Choice::parse(rules, &names)?;
            let has =
                |list: &[Field], name: &str| list.iter().any(|f| f.name.as_deref() == Some(name));
            let integer = |f: &&Field| {
                f.name.as_deref() == Some(&choice.tag)
                    && matches!(u.ty(f.ty.ty), Type::Int(_) | Type::Bool | Type::Enum(_))
            };
            if !fields.iter().any(|f| integer(&f)) {
                return Err(format!(
                    "`{record}` has no member `{}` that is an integer",
                    choice.tag
                ));
            }
            let members = d.fields.iter().flatten().cloned().collect::<Vec<_>>();
            for name in choice.rules.iter().filter_map(|r| r.member.as_deref()) {
                if !has(&members, name) {
                    return Err(format!("the union has no member `{name}`"));
                }
            }
            out[unit].insert((RecordId(i as u32), k), choice);
        }
    }
    match (structs, found) {
        (false, _) => Err(format!("there is no struct `{record}`")),
        (true, false) => Err(format!("`{record}` has no union `{}`", member.trim())),
        _ => Ok(()),
    }
}

/// The field that is a union of this name, or is unnamed and has such a member.
fn union_member<'u>(u: &'u Unit, fields: &[Field], name: &str) -> Option<(usize, &'u Record)> {
    let mut unions = fields
        .iter()
        .enumerate()
        .filter_map(|(k, f)| match u.ty(f.ty.ty) {
            Type::Record(r) if u.records[r.index()].is_union => Some((k, f, &u.records[r.index()])),
            _ => None,
        });
    let found = unions.find(|(_, f, d)| match &f.name {
        Some(n) => n == name,
        None => d
            .fields
            .iter()
            .flatten()
            .any(|m| m.name.as_deref() == Some(name)),
    });
    found.map(|(k, _, d)| (k, d))
}
