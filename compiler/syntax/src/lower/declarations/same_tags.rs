//! C23: structs and unions of one tag with the same members are one type, wherever they are defined.

use crate::lower::scopes::TagName;
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
            (Type::Record(x), Type::Record(y)) if self.alike(*x, *y) => true,
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

    /// The first record of this one's tag with these members, where this one is in another scope than the file's.
    pub(crate) fn unseen_like(&self, new: RecordId, fields: &[Field]) -> Option<RecordId> {
        if !self.unit.target.standard.same_tags || self.is_at_file() {
            return None;
        }
        let tag = &self.unit.records[new.index()].tag;
        let mut before = (0..new.0).map(RecordId);
        before
            .find(|r| self.unit.records[r.index()].tag == *tag && self.same_fields(*r, new, fields))
    }

    /// One type, though defined in two scopes.
    pub(crate) fn alike(&self, a: RecordId, b: RecordId) -> bool {
        let first = |r: RecordId| self.unit.records[r.index()].like.unwrap_or(r);
        first(a) == first(b)
    }

    /// From here on the tag names `same`, and so do the uses of `new`, which nothing else knows.
    pub(crate) fn stands_for(&mut self, new: RecordId, same: RecordId, tag: &str) {
        if new == same {
            return;
        }
        self.scope().tags.insert(tag.into(), TagName::Record(same));
        for r in &mut self.unit.type_refs {
            if r.to == TypeRefTo::Record(new) {
                r.to = TypeRefTo::Record(same);
            }
        }
        let r = &mut self.unit.records[new.index()];
        (r.tag, r.scope) = (None, None);
    }

    /// Has the enumeration `known` the enumerators and the type of `new`?
    pub(crate) fn same_enumerators(&self, known: EnumId, new: EnumId) -> bool {
        let (k, n) = (
            &self.unit.enums[known.index()],
            &self.unit.enums[new.index()],
        );
        let same = |(a, b): (&SymId, &SymId)| {
            let (a, b) = (self.unit.sym(*a), self.unit.sym(*b));
            a.name == b.name && a.value == b.value
        };
        known != new
            && k.def.is_some()
            && (k.fixed, k.underlying) == (n.fixed, n.underlying)
            && k.constants.len() == n.constants.len()
            && k.constants.iter().zip(&n.constants).all(same)
    }

    /// As [`Lower::stands_for`]; so do the enumerators.
    pub(crate) fn enum_stands_for(&mut self, new: EnumId, same: EnumId, tag: &str) {
        let constants = self.unit.enums[same.index()].constants.clone();
        for c in constants {
            let name = self.unit.sym(c).name.clone();
            self.scope().names.insert(name, c);
        }
        self.scope().tags.insert(tag.into(), TagName::Enum(same));
        for r in &mut self.unit.type_refs {
            if r.to == TypeRefTo::Enum(new) {
                r.to = TypeRefTo::Enum(same);
            }
        }
        let e = &mut self.unit.enums[new.index()];
        (e.tag, e.scope, e.def) = (None, None, None);
        e.constants.clear();
    }
}
