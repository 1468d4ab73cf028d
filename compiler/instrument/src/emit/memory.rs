//! Types of memory that no variable leads to by name: heap objects, variable-length arrays.
//!
//! A restart finds the type here by the saved type's name, but C spells the same type differently
//! under different ABIs: `int64_t` is `long` on one and `long long` on another.  So where the
//! spelling does not decide, the type is a struct around it with the name of the place in the
//! program, which all builds share:
//!
//! ```c
//! static const struct pc3_member pc3_members_7[] = {{"", &pc3_types[3], 0, 0}};
//! {0, PC3_KIND_STRUCT, 0, __alignof__(long), sizeof(long), 1, 0, pc3_members_7, "allocation 2 in fill"}
//! ```

use super::types::{row, TypeTable};
use crate::rewrite::text::quote;
use pc3_portability::heap::SizeForm;
use pc3_program::annotations::Meaning;
use pc3_syntax::tree::*;
use pc3_typemetric::descriptor::{
    PC3_KIND_ADDRESS, PC3_KIND_ARRAY, PC3_KIND_BYTES, PC3_KIND_OPAQUE, PC3_KIND_POINTER,
    PC3_KIND_STRUCT, PC3_KIND_UINT, PC3_KIND_UNION, PC3_TYPE_ONE, PC3_TYPE_ROW, PC3_TYPE_SIGNED,
};

impl TypeTable<'_, '_> {
    /// A reference to the row of memory of `q` that `place` allocates.
    pub fn memory(
        &mut self,
        q: QualType,
        place: &str,
        form: SizeForm,
        held: Option<Meaning>,
    ) -> String {
        let u = self.cx.u;
        if held.is_some() {
            return match self.integer_with_meaning(q.ty, held) {
                Some(ty) => self.wrapped(q, ty, 0, place),
                None => "0".into(),
            };
        }
        if form == SizeForm::Mixed {
            return self.mixed(q, place);
        }
        let flags = match form {
            SizeForm::Row if ends_in(u, q.ty, &|n| n == 1) => PC3_TYPE_ROW,
            SizeForm::One if ends_in(u, q.ty, &|n| n > 0) => PC3_TYPE_ONE,
            _ => 0,
        };
        if flags == 0 && !spelled_differently(u, q.ty) {
            return self.pointer(q);
        }
        let Some(ty) = self.of(q.ty) else {
            return "0".into();
        };
        self.wrapped(q, ty, flags, place)
    }

    /// The same of a variable-length array of `q`, which may have an alignment of its own.
    pub fn block(&mut self, q: QualType, s: SymId, place: &str) -> String {
        let held = self.cx.said.of_variable(s);
        let own = crate::rewrite::unseen::alignment(self.cx, s);
        let ty = match own.is_empty() {
            true => None,
            false => self.integer_with_meaning(q.ty, held),
        };
        let Some(ty) = ty else {
            return self.memory(q, place, SizeForm::Row, held);
        };
        let (natural, own) = (
            self.align(q),
            format!("__alignof__(struct {{ {own}char pc3_c; }})"),
        );
        let align = format!("{own} > {natural} ? {own} : {natural}");
        self.around(ty, &self.size(q), &align, 0, place)
    }

    /// Integers that mean more, in arrays and behind pointers too; without `held`, the type as it is.
    pub(crate) fn integer_with_meaning(
        &mut self,
        t: TypeId,
        held: Option<Meaning>,
    ) -> Option<usize> {
        let Some(h) = held else {
            return self.of(t);
        };
        let u = self.cx.u;
        match u.ty(t) {
            // As addresses those of 128 bits mean no more than their bits do at home.
            Type::Int(k @ (IntKind::Int128 | IntKind::UInt128 | IntKind::Bits { .. }))
                if matches!(h, Meaning::Address(_)) || matches!(k, IntKind::Bits { .. }) =>
            {
                let c = pc3_syntax::types::int_name(*k);
                Some(self.add(format!(
                    "{{0, {PC3_KIND_OPAQUE}, 0, __alignof__({c}), sizeof({c}), 0, 0, 0, {}}}",
                    quote(&c)
                )))
            }
            Type::Int(k) => {
                let c = pc3_syntax::types::int_name(*k);
                let flags = if u.target.signed(*k) {
                    PC3_TYPE_SIGNED
                } else {
                    0
                };
                let (kind, flags, count, elem, name) = match h {
                    Meaning::Address(h) => (PC3_KIND_ADDRESS, flags, h.count(), "0".into(), ""),
                    Meaning::Bytes(of) => (PC3_KIND_BYTES, flags, 0, row(self.of(of.ty)?), ""),
                    Meaning::Sizes(i) => {
                        let made = &self.cx.said.made[i];
                        let flags = flags | made.flags;
                        (PC3_KIND_BYTES, flags, 0, "0".into(), made.places.as_str())
                    }
                };
                let name = quote(name);
                Some(self.add(format!(
                    "{{0, {kind}, {flags}, __alignof__({c}), sizeof({c}), {count}, {elem}, 0, {name}}}"
                )))
            }
            Type::Array { elem, len } => {
                let (count, size) = self.count(*elem, len);
                let align = self.align(*elem);
                let e = self.integer_with_meaning(elem.ty, held)?;
                Some(self.add(format!(
                    "{{0, {PC3_KIND_ARRAY}, 0, {align}, {size}, {count}, {}, 0, \"\"}}",
                    row(e)
                )))
            }
            Type::Pointer(to) => {
                let e = self.integer_with_meaning(to.ty, held)?;
                Some(self.add(format!(
                    "{{0, {PC3_KIND_POINTER}, 0, __alignof__(void *), sizeof(void *), 0, {}, 0, \"\"}}",
                    row(e)
                )))
            }
            _ => self.of(t),
        }
    }

    /// A struct around it, named after the place.
    fn wrapped(&mut self, q: QualType, ty: usize, flags: u8, place: &str) -> String {
        self.around(ty, &self.size(q), &self.align(q), flags, place)
    }

    fn around(&mut self, ty: usize, size: &str, align: &str, flags: u8, place: &str) -> String {
        let k = self.add(String::new());
        self.support += &format!(
            "static const struct pc3_member pc3_members_{k}[] = {{{{\"\", {}, 0, 0}}}};\n",
            row(ty)
        );
        self.rows[k] = format!(
            "{{0, {PC3_KIND_STRUCT}, {flags}, {align}, {size}, 1, 0, pc3_members_{k}, {}}}",
            quote(place)
        );
        row(k)
    }

    /// A union of the number and its bytes: it can only be copied.
    fn mixed(&mut self, q: QualType, place: &str) -> String {
        let Some(ty) = self.of(q.ty) else {
            return "0".into();
        };
        let (size, align) = (self.size(q), self.align(q));
        let byte = self.scalar(PC3_KIND_UINT, 0, "unsigned char");
        let bytes = self.add(format!(
            "{{0, {PC3_KIND_ARRAY}, 0, 1, {size}, {size}, {}, 0, \"\"}}",
            row(byte)
        ));
        let k = self.add(String::new());
        self.support += &format!(
            "static const struct pc3_member pc3_members_{k}[] = {{{{\"value\", {}, 0, 0}}, {{\"bytes\", {}, 0, 0}}}};\n",
            row(ty),
            row(bytes)
        );
        self.rows[k] = format!(
            "{{0, {PC3_KIND_UNION}, 0, {align}, {size}, 2, 0, pc3_members_{k}, {}}}",
            quote(place)
        );
        row(k)
    }
}

/// A struct that ends in an array of such a constant length: `char name[1];`.
fn ends_in(u: &Unit, t: TypeId, fits: &dyn Fn(u64) -> bool) -> bool {
    let Type::Record(r) = u.ty(t) else {
        return false;
    };
    let fields = u.records[r.index()].fields.as_ref();
    let last = fields.and_then(|list| list.last());
    last.is_some_and(|f| match u.ty(f.ty.ty) {
        Type::Array {
            len: ArrayLen::Const(n),
            ..
        } => fits(*n),
        Type::Array {
            len: ArrayLen::Target(_),
            ..
        } => true,
        _ => ends_in(u, f.ty.ty, fits),
    })
}

/// Can another ABI's build know this type by another name, or another type by this one?
fn spelled_differently(u: &Unit, t: TypeId) -> bool {
    let repeated = |name: &str, i: usize| {
        let other = |(k, r): (usize, &Record)| {
            k != i && r.fields.is_some() && r.c_name().as_deref() == Some(name)
        };
        u.records.iter().enumerate().any(other)
    };
    match u.ty(t) {
        // These are what they are called everywhere.
        Type::Int(
            IntKind::Char | IntKind::SChar | IntKind::UChar | IntKind::Short | IntKind::UShort,
        ) => false,
        Type::Int(IntKind::Int128 | IntKind::UInt128 | IntKind::Bits { .. }) => false,
        Type::Int(_) | Type::Vector { .. } => true,
        Type::Enum(e) => {
            let d = &u.enums[e.index()];
            d.tag.is_none() && d.typedef_name.is_none()
        }
        Type::Pointer(q) => spelled_differently(u, q.ty),
        Type::Array {
            elem,
            len: ArrayLen::Const(_),
        } => spelled_differently(u, elem.ty),
        Type::Array { .. } => true,
        Type::Record(r) => match u.records[r.index()].c_name() {
            Some(name) => repeated(&name, r.index()),
            None => true,
        },
        Type::Void
        | Type::Bool
        | Type::Float(_)
        | Type::Complex(_)
        | Type::ComplexInt(_)
        | Type::Function { .. }
        | Type::VaList
        | Type::Unsupported(_) => false,
    }
}
