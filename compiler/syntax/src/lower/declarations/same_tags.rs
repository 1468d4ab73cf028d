//! C23: structs and unions of one tag with the same members are one type, wherever they are defined.

use crate::lower::scopes::Tag;
use crate::lower::Lower;
use crate::tree::*;

impl Lower {
    /// Has the record `known` just these members? They may name the one that they are members of, which is `new`.
    pub(crate) fn same_fields(&self, known: RecordId, new: RecordId, fields: &[Field]) -> bool {
        let (k, n) = (
            &self.unit.records[known.index()],
            &self.unit.records[new.index()],
        );
        let Some(others) = &k.fields else {
            return false;
        };
        k.is_union == n.is_union && self.same_list(others, fields, (known, new))
    }

    fn same_list(&self, a: &[Field], b: &[Field], pair: (RecordId, RecordId)) -> bool {
        let same = |(a, b): (&Field, &Field)| {
            a.name == b.name
                && a.width == b.width
                && a.bit_width.is_some() == b.bit_width.is_some()
                && self.same_type(a.ty, b.ty, pair)
        };
        a.len() == b.len() && a.iter().zip(b).all(same)
    }

    fn same_type(&self, a: QualType, b: QualType, pair: (RecordId, RecordId)) -> bool {
        let quals = |q: QualType| (q.is_const, q.is_volatile, q.is_restrict, q.is_atomic);
        if quals(a) != quals(b) {
            return false;
        }
        match (self.types.get(a.ty), self.types.get(b.ty)) {
            _ if a.ty == b.ty => true,
            (Type::Record(x), Type::Record(y)) if (*x, *y) == pair => true,
            (Type::Record(x), Type::Record(y)) => {
                let (x, y) = (&self.unit.records[x.index()], &self.unit.records[y.index()]);
                let untagged = x.tag.is_none() && y.tag.is_none() && x.is_union == y.is_union;
                match (&x.fields, &y.fields) {
                    (Some(x), Some(y)) => untagged && self.same_list(x, y, pair),
                    _ => false,
                }
            }
            (Type::Pointer(x), Type::Pointer(y)) => self.same_type(*x, *y, pair),
            (Type::Array { elem: x, len: l }, Type::Array { elem: y, len: m }) => {
                let text = |len: &ArrayLen| match len {
                    ArrayLen::Target(s) => Some(self.text(s).to_string()),
                    _ => None,
                };
                let same = l == m || text(l).is_some_and(|l| text(m) == Some(l));
                same && self.same_type(*x, *y, pair)
            }
            _ => self.compatible(a, b),
        }
    }

    /// From here on the tag names `same`, and so do the uses of `new`, which nothing else knows.
    pub(crate) fn stands_for(&mut self, new: RecordId, same: RecordId, tag: &str) {
        if new == same {
            return;
        }
        self.scope().tags.insert(tag.into(), Tag::Record(same));
        for r in &mut self.unit.type_refs {
            if r.to == TypeRefTo::Record(new) {
                r.to = TypeRefTo::Record(same);
            }
        }
        let r = &mut self.unit.records[new.index()];
        (r.tag, r.scope) = (None, None);
    }
}
