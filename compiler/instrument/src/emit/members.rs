//! Members of structs and unions, measured by the target's compiler on the user's own type.
//!
//! ```c
//! struct s { int a; struct { unsigned lo : 4; int b; }; };          // user
//!
//! static const union { struct s v; unsigned char b[sizeof(struct s)]; } pc3_bits_0 = { { .lo = -1 } };
//! static const struct pc3_member pc3_members_2[] = {{"lo", &pc3_types[3], 0, pc3_bits_0.b, 0},
//!                                                   {"b", &pc3_types[1], __builtin_offsetof(struct s, b), 0, 0}};
//! {0, PC3_KIND_STRUCT, PC3_TYPE_PART, 1, sizeof(struct s), 2, 0, pc3_members_2, ""}
//! ```
//! C has no name for an unnamed member: its row says where its members are in the struct around it, and the runtime
//! concludes where it is itself.  What the front-end takes a member for is compared with what the compiler has.

use super::types::{Field, RecordForm, TypeTable};
use crate::rewrite::text::quote;
use pc3_program::annotations::Meaning;
use pc3_syntax::tree::*;
use pc3_typemetric::descriptor::{
    PC3_KIND_OPAQUE, PC3_KIND_SINT, PC3_KIND_UINT, PC3_TYPE_NUMBER, PC3_TYPE_PART,
};

impl TypeTable<'_, '_> {
    /// `int a[];` stands at the end of the unit: it is `int a[1];`, of a size that can be asked.
    pub(super) fn has_one_element(&mut self, s: &Symbol, name: &str) {
        let linkage = match s.storage {
            Storage::Static => "static",
            _ => "extern",
        };
        let thread = if s.thread_local { "__thread " } else { "" };
        self.support += &format!("{linkage} {thread}__typeof__({name}[0]) {name}[1];\n");
    }

    /// `c` names the type, or that around it.
    pub(super) fn fields(&mut self, r: RecordId, c: &str) -> Vec<Field> {
        let u = self.cx.u;
        let mut out = Vec::new();
        let fields = u.records[r.index()].fields.iter().flatten().enumerate();
        for (k, f) in fields.filter(|(k, _)| !self.cx.said.unnamed.contains(&(r, *k))) {
            let choice = self.cx.said.choices.get(&(r, k)).map(|c| c.text());
            let held = self.cx.said.of_member(r, k);
            let field = match (&f.name, &f.bit_width) {
                (None, Some(_)) => None,
                (None, None) => self.unnamed_member(f, c),
                (Some(n), Some(_)) => self.bit_field(f, n, c),
                (Some(n), None) => self.member(f, n, c, held),
            };
            out.extend(field.map(|f| Field { choice, ..f }));
        }
        out
    }

    fn member(
        &mut self,
        f: &pc3_syntax::tree::Field,
        n: &str,
        c: &str,
        held: Option<Meaning>,
    ) -> Option<Field> {
        let place = format!("(({c} *)0)->{n}");
        let ty = match self.unknown(f.ty.ty) {
            Some((name, dimensions)) => self.bytes_of(f, &place, &name, dimensions)?,
            None => {
                self.agrees(&place, f.ty.ty, &format!("member `{n}` of {c}"));
                self.integer_with_meaning(f.ty.ty, held)?
            }
        };
        Some(Field {
            name: n.into(),
            ty,
            offset: format!("__builtin_offsetof({c}, {n})"),
            bits: None,
            choice: None,
        })
    }

    fn bit_field(&mut self, f: &pc3_syntax::tree::Field, n: &str, c: &str) -> Option<Field> {
        let image = format!("pc3_bits_{}", self.images);
        self.images += 1;
        self.support += &format!(
            "static const union {{ {c} v; unsigned char b[sizeof({c})]; }} {image} = {{ {{ .{n} = -1 }} }};\n"
        );
        let ty = match *self.cx.u.ty(f.ty.ty) {
            Type::Int(k @ IntKind::Bits { .. }) => Some(self.exact_part(k)),
            _ => self.of(f.ty.ty),
        };
        let Some(ty) = ty else {
            self.no_row(f);
            return None;
        };
        Some(Field {
            name: n.into(),
            ty,
            offset: "0".into(),
            bits: Some(format!("{image}.b")),
            choice: None,
        })
    }

    /// A `_BitInt`: in memory, a struct whose only member is a bit-field of its width, where the compiler has it.
    pub(super) fn exact(&mut self, k: IntKind) -> usize {
        let c = pc3_syntax::types::int_name(k);
        if let Some(k) = self.named.get(c.as_ref()) {
            return *k;
        }
        let ty = self.exact_part(k);
        let image = format!("pc3_bits_{}", self.images);
        self.images += 1;
        // Of a signed one, the bits that pad it may be ones, too.
        let all = pc3_syntax::types::int_name(pc3_syntax::types::to_unsigned(k));
        self.support += &format!(
            "static const union {{ {all} v; unsigned char b[sizeof({all})]; }} {image} = {{ -1 }};\n"
        );
        let row = self.add(String::new());
        let value = Field {
            name: "value".into(),
            ty,
            offset: "0".into(),
            bits: Some(format!("{image}.b")),
            choice: None,
        };
        self.finish(row, RecordForm::STRUCT, &c, &c, vec![value]);
        self.named.insert(c.into_owned(), row);
        row
    }

    /// What bit-fields of such a type are parts of.
    fn exact_part(&mut self, k: IntKind) -> usize {
        let (kind, flags) = match k {
            IntKind::Bits { width: 65.., .. } => (PC3_KIND_OPAQUE, PC3_TYPE_NUMBER),
            k if self.cx.u.target.signed(k) => (PC3_KIND_SINT, 0),
            _ => (PC3_KIND_UINT, 0),
        };
        let c = pc3_syntax::types::int_name(k);
        let key = format!("part of {c}");
        if let Some(k) = self.named.get(&key) {
            return *k;
        }
        let row = self.add(format!(
            "{{0, {kind}, {flags}, __alignof__({c}), sizeof({c}), 0, 0, 0, {}}}",
            quote(&c)
        ));
        self.named.insert(key, row);
        row
    }

    fn unnamed_member(&mut self, f: &pc3_syntax::tree::Field, c: &str) -> Option<Field> {
        let Type::Record(r) = *self.cx.u.ty(f.ty.ty) else {
            return None;
        };
        let d = &self.cx.u.records[r.index()];
        if d.reversed {
            self.refuse(d, super::types::REVERSED);
        }
        let k = self.add(String::new());
        self.parts.insert(r, k);
        let fields = self.fields(r, c);
        let form = RecordForm {
            flags: PC3_TYPE_PART,
            ..RecordForm::of(d.is_union)
        };
        self.finish(k, form, c, "", fields);
        Some(Field {
            name: String::new(),
            ty: k,
            offset: "0".into(),
            bits: None,
            choice: None,
        })
    }

    /// The row of an unnamed member of a record.
    pub fn unnamed(&mut self, outer: TypeId, r: RecordId) -> Option<usize> {
        self.of(outer);
        self.parts.get(&r).copied()
    }

    /// Of a type that the front-end does not know, and arrays of it: how it is spelled, and the number of dimensions.
    fn unknown(&self, t: TypeId) -> Option<(String, usize)> {
        match self.cx.u.ty(t) {
            Type::Unsupported(it) => Some((it.spelled(self.cx.u).to_owned(), 0)),
            Type::Array { elem, .. } => self.unknown(elem.ty).map(|(s, n)| (s, n + 1)),
            _ => None,
        }
    }

    /// The bytes of such a member, which cannot change ABI; it must be a number or a vector, as pointers have to be translated.
    fn bytes_of(
        &mut self,
        f: &pc3_syntax::tree::Field,
        place: &str,
        name: &str,
        dimensions: usize,
    ) -> Option<usize> {
        let flexible = matches!(
            self.cx.u.ty(f.ty.ty),
            Type::Array {
                len: ArrayLen::Unknown,
                ..
            }
        );
        if flexible {
            self.no_row(f);
            return None;
        }
        let one = format!("{place}{}", "[0]".repeat(dimensions));
        let class = format!("__builtin_classify_type({one})");
        // Of pointers, functions, structs and unions.
        let holds = format!("{class} == 5 || {class} == 10 || {class} == 12 || {class} == 13");
        let what = format!("pc3cc does not know the type of {place}");
        self.support += &format!("_Static_assert(!({holds}), {});\n", quote(&what));
        Some(self.add(format!(
            "{{0, {PC3_KIND_OPAQUE}, 0, __alignof__({place}), sizeof({place}), 0, 0, 0, {}}}",
            quote(name)
        )))
    }

    /// The compiler must have the same number, of the same size: else the program is not compiled.
    pub fn agrees(&mut self, object: &str, t: TypeId, what: &str) {
        let u = self.cx.u;
        let (mut elem, mut one) = (t, object.to_string());
        while let Type::Array { elem: e, len } = u.ty(elem) {
            if !matches!(len, ArrayLen::Const(_) | ArrayLen::Target(_)) {
                return;
            }
            elem = e.ty;
            one += "[0]";
        }
        let of_class = |class: &str| format!("__builtin_classify_type({one}) {class}");
        let agrees = match u.ty(elem) {
            Type::Float(_) => of_class("== 8"),
            Type::Complex(_) | Type::ComplexInt(_) => of_class("== 9"),
            // Older compilers have no class of its own for it.
            Type::Int(IntKind::Bits { .. }) => of_class("% 17 < 5"),
            Type::Bool | Type::Int(_) | Type::Enum(_) => of_class("< 5"),
            // With vector registers, s390x lets none be an argument of that.
            Type::Vector { elem, .. } => format!("sizeof({one}[0]) == {}", self.size(*elem)),
            _ => return,
        };
        let size = self.size(QualType::plain(t));
        let text = format!("pc3cc takes {what} for something else than the compiler");
        self.support += &format!(
            "_Static_assert(sizeof({object}) == {size} && {agrees}, {});\n",
            quote(&text)
        );
    }

    fn no_row(&mut self, f: &pc3_syntax::tree::Field) {
        let name = f.name.as_deref().unwrap_or_default();
        let message = format!("`{name}` is of a type that pc3cc does not know");
        self.refused.push((f.span.clone(), message));
    }

    pub(super) fn refuse(&mut self, d: &Record, why: &str) {
        let name = d.c_name().unwrap_or("this struct".into());
        let at = d.tag_span.clone().or(d.def.clone()).unwrap_or(0..0);
        self.refused.push((at, format!("{name} {why}")));
    }
}
