//! Copies of whole objects, and initialised ones, whose few unions are noted where they are:
//!
//! ```c
//! *to = *from;               // user
//! if (pc3_note_copied(&(*to).u, &(*from).u, sizeof((*to).u))) pc3_union_copied(to, from, pc3_union_9);
//! ```

use super::notes::code;
use super::plain;
use crate::rewrite::clones::printer::Printer;
use crate::rewrite::collected::{Mark, Row};
use pc3_syntax::tree::*;
use pc3_unions::tracking::{leaf, NoteForm};

/// Objects with more are left to the runtime.
const MOST: usize = 4;

/// A noted union in an object.
struct Part {
    /// As a designator; of an unnamed one that of something at its start.
    at: String,
    /// What an unnamed one is a member of.
    unnamed: Option<String>,
    union: RecordId,
    row: Row,
    form: NoteForm,
}

impl Printer<'_, '_> {
    /// The object at `to` is a copy of that at `from`; both can be evaluated again.
    pub(super) fn copied(&self, q: QualType, to: &str, from: &str) -> String {
        let row = self.row(Row::Of(q.ty));
        let call = format!("pc3_union_copied({to}, {from}, {row}); ");
        let parts = self.parts(q.ty).filter(|l| l.iter().all(|p| !p.form.held));
        let Some(parts) = parts else {
            return call;
        };
        let mut tests = Vec::new();
        for p in &parts {
            let Some(size) = self.part_size(p, to) else {
                return call;
            };
            let at = &p.at;
            tests.push(format!(
                "pc3_note_copied(&(*({to})){at}, &(*({from})){at}, {size}, 0)"
            ));
        }
        format!("if ({}) {call}", tests.join(" || "))
    }

    /// An initialised object, if each of its unions is given a member.
    pub(super) fn made(&self, q: QualType, place: &str, marks: &[Mark]) -> Option<String> {
        let parts = self.parts(q.ty)?;
        let mut notes = String::new();
        for p in &parts {
            let (_, row, k) = marks.iter().find(|m| m.0 == p.at && m.1 == p.row)?;
            let size = self.part_size(p, place)?;
            let (code, row) = (code(p.form.number, *k), self.row(*row));
            let inside = p.unnamed.as_ref().unwrap_or(&p.at);
            let object = format!("(*({place})){inside}.");
            let window = self.window(p.union, *k, &size, &object);
            notes += &format!(
                "pc3_note(&(*({place})){}, {window}, 0, {code}, {row}, {k}); ",
                p.at
            );
        }
        (marks.len() == parts.len()).then_some(notes)
    }

    /// Of a type with one union, where that is and its size.
    fn single(&self, q: QualType) -> Option<(Part, String, String)> {
        let mut parts = self.parts(q.ty)?;
        let p = parts.pop().filter(|p| parts.is_empty() && !p.form.held)?;
        let of = self.cx.names.type_name(plain(q.ty));
        let at = match p.at.strip_prefix('.') {
            Some(way) => format!("__builtin_offsetof({of}, {way})"),
            None if p.at.is_empty() => "0".into(),
            None => return None,
        };
        let size = self.part_size(
            &p,
            &format!("({})0", self.cx.names.pointer_to(plain(q.ty), "")),
        )?;
        Some((p, at, size))
    }

    /// The object at `from`, whose value is passed or returned.
    pub(super) fn passed(&self, q: QualType, from: &str) -> String {
        let to = self.cx.names.pointer_to(plain(q.ty), "");
        let row = self.row(Row::Of(q.ty));
        match self.single(q) {
            Some((_, at, size)) => format!("(*({to})pc3_pass({from}, {at}, {size}, {row}))"),
            None => format!("(*({to})pc3_union_passed({from}, {row}))"),
        }
    }

    /// The same of a literal, if its union is given a member.
    pub(super) fn given_literal(
        &self,
        q: QualType,
        literal: &str,
        marks: &[Mark],
    ) -> Option<String> {
        let (p, at, size) = self.single(q)?;
        let [(place, row, k)] = marks else {
            return None;
        };
        if *place != p.at || *row != p.row {
            return None;
        }
        let to = self.cx.names.pointer_to(plain(q.ty), "");
        let (code, union, row) = (
            code(p.form.number, *k),
            self.row(*row),
            self.row(Row::Of(q.ty)),
        );
        Some(format!(
            "(*({to})pc3_give((const void *)&{literal}, {at}, {size}, {code}, {union}, {k}, {row}))"
        ))
    }

    /// A value has arrived in the object at `place`.
    pub(super) fn arrived(&self, q: QualType, place: &str) -> String {
        let row = self.row(Row::Of(q.ty));
        match self.single(q) {
            Some((_, at, size)) => format!("pc3_take({place}, {at}, {size}, {row}); "),
            None => format!("pc3_union_taken({place}, {row}); "),
        }
    }

    fn part_size(&self, p: &Part, object: &str) -> Option<String> {
        match &p.unnamed {
            None => Some(format!("sizeof((*({object})){})", p.at)),
            Some(at) => self.size_of(p.union, &format!("(*({object})){at}.")),
        }
    }

    /// The noted unions of a type, unless they are many, or one lies in another.
    fn parts(&self, t: TypeId) -> Option<Vec<Part>> {
        let mut out = Vec::new();
        self.find(t, String::new(), &mut out)?;
        Some(out)
    }

    fn find(&self, t: TypeId, at: String, out: &mut Vec<Part>) -> Option<()> {
        match self.u().ty(t) {
            Type::Array { elem, len } if self.has_union(t) => {
                let ArrayLen::Const(n) = len else { return None };
                if *n as usize > MOST {
                    return None;
                }
                (0..*n).try_for_each(|i| self.find(elem.ty, format!("{at}[{i}]"), out))
            }
            Type::Record(r) => self.record(*r, t, Row::Of(t), at, None, out),
            _ => Some(()),
        }
    }

    fn record(
        &self,
        r: RecordId,
        named: TypeId,
        row: Row,
        at: String,
        unnamed: Option<String>,
        out: &mut Vec<Part>,
    ) -> Option<()> {
        let u = self.u();
        let d = &u.records[r.index()];
        if let Some(form) = self.cx.forms.get(&r) {
            if form.level != Some(0) || out.len() == MOST {
                return None;
            }
            out.push(Part {
                at: match &unnamed {
                    Some(outer) => format!("{outer}.{}", leaf(u, d)?),
                    None => at,
                },
                unnamed,
                union: r,
                row,
                form: *form,
            });
            return Some(());
        }
        for f in d
            .fields
            .iter()
            .flatten()
            .filter(|f| self.has_union(f.ty.ty))
        {
            match (&f.name, u.ty(f.ty.ty)) {
                (Some(n), _) => {
                    let outer = unnamed.as_ref().unwrap_or(&at);
                    self.find(f.ty.ty, format!("{outer}.{n}"), out)?;
                }
                (None, Type::Record(inner)) => {
                    let outer = unnamed.clone().unwrap_or_else(|| at.clone());
                    self.record(
                        *inner,
                        named,
                        Row::In(named, *inner),
                        String::new(),
                        Some(outer),
                        out,
                    )?;
                }
                _ => return None,
            }
        }
        Some(())
    }
}
