//! The text of a note that a member was written (`pc3_note`, inline in `pc3_rt.h`).

use super::{plain, Hit};
use crate::rewrite::clones::printer::Printer;
use crate::rewrite::collected::Row;
use pc3_program::linear::Linear;
use pc3_syntax::tree::*;
use pc3_typemetric::descriptor::NOTES_CODES;
use pc3_unions::tracking::field_at;

impl Printer<'_, '_> {
    pub fn row(&self, row: Row) -> String {
        let mut notes = self.cx.notes.borrow_mut();
        let n = notes.rows.len();
        let name = notes.rows.entry(row);
        name.or_insert_with(|| format!("pc3_union_{n}")).clone()
    }

    /// A note that the member of the union at the place was written.
    pub(super) fn wrote(&self, h: &Hit, lin: Option<&Linear>) -> String {
        let (row, k) = (self.row(h.row), h.member);
        let place = self.place_of(h, lin);
        let base = self.text(h.base, lin, true);
        let object = if h.arrow {
            format!("({base})->")
        } else {
            format!("({base}).")
        };
        let size = match &h.leaf {
            None if h.arrow => Some(format!("sizeof(*({base}))")),
            None => Some(format!("sizeof({base})")),
            Some(_) => self.size_of(h.union, &object),
        };
        let form = self.cx.forms.get(&h.union);
        match (form.and_then(|f| Some((f, f.level?))), size) {
            (Some((f, level)), Some(size)) => {
                let code = code(f.number, k);
                let window = self.window(h.union, k, &size, &object);
                format!("pc3_note({place}, {window}, {level}, {code}, {row}, {k}); ")
            }
            _ => format!("pc3_union_set({place}, {row}, {k}); "),
        }
    }

    /// By which `pc3_keep` knows the member; 0: it does not.
    pub(super) fn kept_code(&self, h: &Hit) -> u32 {
        let form = self.cx.forms.get(&h.union);
        let code = form.map(|f| (f.number << 6 | (h.member as u32 & 63)) + 1);
        code.filter(|c| c >> 16 == 0).unwrap_or(0)
    }

    /// How many bytes are noted of a member of a union of a size, which is found behind `object`.
    pub(super) fn window(&self, r: RecordId, k: usize, size: &str, object: &str) -> String {
        let u = self.u();
        if self.cx.forms.get(&r).is_some_and(|f| f.whole) {
            return format!("pc3_window({size}, {size})");
        }
        let field = field_at(&u.records[r.index()], k).filter(|f| f.bit_width.is_none());
        let sized = |f: &&Field| match u.ty(f.ty.ty) {
            Type::Array { len, .. } => matches!(len, ArrayLen::Const(_)),
            _ => true,
        };
        let name = field.filter(sized).and_then(|f| f.name.as_ref());
        let own = name.map_or("0".into(), |n| format!("sizeof({object}{n})"));
        format!("pc3_window({size}, {own})")
    }

    /// The size of a union without a name in an object, by its members.
    pub(super) fn size_of(&self, r: RecordId, object: &str) -> Option<String> {
        let u = self.u();
        let fields = u.records[r.index()].fields.as_ref()?;
        let mut text = String::new();
        for (i, f) in fields.iter().enumerate() {
            let sized = !matches!(u.ty(f.ty.ty), Type::Array { len, .. } if !matches!(len, ArrayLen::Const(_)));
            let name = f.name.as_ref().filter(|_| f.bit_width.is_none() && sized)?;
            text += &format!("char pc3_{i}[sizeof({object}{name})]; ");
        }
        Some(format!("sizeof(union {{ {text}}})"))
    }

    pub(super) fn place_of(&self, h: &Hit, lin: Option<&Linear>) -> String {
        let base = self.text(h.base, lin, true);
        let object = if h.arrow {
            format!("({base})")
        } else {
            format!("&({base})")
        };
        match self.offset_of(h) {
            Some(offset) => format!("(const char *){object} + {offset}"),
            None => format!("(const void *){object}"),
        }
    }

    pub(super) fn offset_of(&self, h: &Hit) -> Option<String> {
        let leaf = h.leaf.as_ref()?;
        let q = plain(h.record);
        Some(format!(
            "__builtin_offsetof({}, {leaf})",
            self.cx.names.type_name(q)
        ))
    }
}

/// What is noted where member `k` was written.
pub(super) fn code(number: u32, k: usize) -> String {
    format!("{}u", NOTES_CODES + (number << 6 | (k as u32 & 63)))
}
