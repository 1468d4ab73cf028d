//! The type table: every type that a live record, a global, an allocation site or a pointee needs.
//!
//! Sizes, offsets and bit-field places are left to the target's compiler: the table is C that names
//! the types and asks it.

use crate::rewrite::text::quote;
use crate::rewrite::unit::UnitCx;
use pc3_program::tables::is_lock;
use pc3_syntax::tree::*;
use pc3_syntax::types::{float_name, int_name};
use pc3_typemetric::descriptor::*;
use std::collections::HashMap;

pub struct TypeTable<'c, 'a> {
    pub(super) cx: &'c UnitCx<'a>,
    known: HashMap<TypeId, Option<usize>>,
    pub(super) named: HashMap<String, usize>,
    pub(super) rows: Vec<String>,
    /// Definitions in front of the table: member lists, bit-field images, assertions.
    pub support: String,
    /// How many images of bit-fields there are.
    pub(super) images: usize,
    /// Rows of unnamed members.
    pub(super) parts: HashMap<RecordId, usize>,
    /// Of which no row can be made: what, and where.
    pub refused: Vec<(Span, String)>,
}

/// Of a record that cannot be described.
pub(super) const REVERSED: &str =
    "stores its members in the other order of bytes (`scalar_storage_order`)";

/// What a record's row says it is.
#[derive(Clone, Copy)]
pub(super) struct RecordForm {
    pub kind: u8,
    pub flags: u8,
}

impl RecordForm {
    pub const STRUCT: RecordForm = RecordForm {
        kind: PC3_KIND_STRUCT,
        flags: 0,
    };
    pub fn of(is_union: bool) -> RecordForm {
        let kind = if is_union {
            PC3_KIND_UNION
        } else {
            PC3_KIND_STRUCT
        };
        RecordForm { kind, flags: 0 }
    }
}

/// A member of a record that the table describes.
pub struct Field {
    pub name: String,
    pub ty: usize,
    pub offset: String,
    pub bits: Option<String>,
    /// Which of a union's members is in use.
    pub choice: Option<String>,
}

impl<'c, 'a> TypeTable<'c, 'a> {
    pub fn new(cx: &'c UnitCx<'a>) -> Self {
        TypeTable {
            cx,
            known: HashMap::new(),
            named: HashMap::new(),
            rows: Vec::new(),
            support: String::new(),
            images: 0,
            parts: HashMap::new(),
            refused: Vec::new(),
        }
    }

    pub fn len(&self) -> usize {
        self.rows.len()
    }
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    pub fn text(&self) -> String {
        format!(
            "static struct pc3_type pc3_types[{}] = {{\n{}\n}};\n",
            self.rows.len().max(1),
            self.rows.join(",\n")
        )
    }

    /// A reference to a type's row.
    pub fn pointer(&mut self, q: QualType) -> String {
        self.of(q.ty).map_or("0".into(), row)
    }

    /// The row of a type; None for void and what is incomplete.
    pub fn of(&mut self, t: TypeId) -> Option<usize> {
        if let Some(k) = self.known.get(&t) {
            return *k;
        }
        let k = self.describe(t);
        self.known.insert(t, k);
        k
    }

    pub(super) fn add(&mut self, text: String) -> usize {
        self.rows.push(text);
        self.rows.len() - 1
    }

    /// A type without parts, known by its C name.
    pub fn scalar(&mut self, kind: u8, flags: u8, c: &str) -> usize {
        if let Some(k) = self.named.get(c) {
            return *k;
        }
        let k = self.add(format!(
            "{{0, {kind}, {flags}, __alignof__({c}), sizeof({c}), 0, 0, 0, {}}}",
            // One name in checkpoints, whatever the compiler's is.
            quote(&c.replace("__float128", float_name(FloatKind::Float128)))
        ));
        self.named.insert(c.to_string(), k);
        k
    }

    fn describe(&mut self, t: TypeId) -> Option<usize> {
        let u = self.cx.u;
        Some(match u.ty(t) {
            Type::Void | Type::Unsupported(_) => return None,
            Type::Bool => self.scalar(PC3_KIND_BOOL, 0, "_Bool"),
            Type::Int(k @ IntKind::Bits { .. }) => self.exact(*k),
            Type::Int(k) => {
                let (kind, flags) = match k {
                    IntKind::Char => (PC3_KIND_CHAR, 0),
                    IntKind::Int128 | IntKind::UInt128 => (PC3_KIND_OPAQUE, PC3_TYPE_NUMBER),
                    k if u.target.signed(*k) => (PC3_KIND_SINT, 0),
                    _ => (PC3_KIND_UINT, 0),
                };
                self.scalar(kind, flags, &int_name(*k))
            }
            Type::Float(k) => match k {
                FloatKind::Float | FloatKind::Double | FloatKind::LongDouble => {
                    self.scalar(PC3_KIND_FLOAT, long_double(*k), u.float_name(*k))
                }
                FloatKind::Float16 | FloatKind::Float128 => {
                    self.scalar(PC3_KIND_OPAQUE, PC3_TYPE_NUMBER, u.float_name(*k))
                }
                // Their encodings differ.
                FloatKind::Decimal32 | FloatKind::Decimal64 | FloatKind::Decimal128 => {
                    self.scalar(PC3_KIND_OPAQUE, 0, u.float_name(*k))
                }
            },
            Type::Complex(k @ (FloatKind::Float | FloatKind::Double | FloatKind::LongDouble)) => {
                self.scalar(
                    PC3_KIND_COMPLEX,
                    long_double(*k),
                    &format!("{} _Complex", u.float_name(*k)),
                )
            }
            Type::Complex(k) => self.pair(Type::Float(*k), u.float_name(*k)),
            Type::ComplexInt(k) => self.pair(Type::Int(*k), &int_name(*k)),
            Type::VaList => self.scalar(PC3_KIND_OPAQUE, 0, "__builtin_va_list"),
            // In memory, an array of its elements.
            Type::Vector { elem, .. } => {
                let (elem, c) = (*elem, self.cx.names.type_name(QualType::plain(t)));
                let e = self.pointer(elem);
                let size = self.size(elem);
                self.add(format!("{{0, {PC3_KIND_ARRAY}, 0, __alignof__({c}), sizeof({c}), sizeof({c}) / {size}, {e}, 0, \"\"}}"))
            }
            Type::Enum(e) => self.enumeration(*e),
            Type::Pointer(q) => self.pointer_row(t, *q),
            Type::Function { .. } => self.function_row(),
            Type::Array { elem, len } => {
                if let Type::Unsupported(_) = u.ty(elem.ty) {
                    return Some(self.unknown_bytes(t));
                }
                let e = self.of(elem.ty);
                let pe = e.map_or("0".into(), row);
                let (count, size) = self.count(*elem, len);
                let align = self.align(*elem);
                self.add(format!(
                    "{{0, {PC3_KIND_ARRAY}, 0, {align}, {size}, {count}, {pe}, 0, \"\"}}"
                ))
            }
            Type::Record(r) => return self.record(t, *r),
        })
    }

    /// A complex number of a kind that converts by its parts.
    fn pair(&mut self, part: Type, name: &str) -> usize {
        let c = format!("{name} _Complex");
        if let Some(k) = self.named.get(&c) {
            return *k;
        }
        let part = match part {
            Type::Int(IntKind::Char) => self.scalar(PC3_KIND_CHAR, 0, name),
            Type::Int(IntKind::Int128 | IntKind::UInt128) | Type::Float(_) => {
                self.scalar(PC3_KIND_OPAQUE, PC3_TYPE_NUMBER, name)
            }
            Type::Int(k) if self.cx.u.target.signed(k) => self.scalar(PC3_KIND_SINT, 0, name),
            _ => self.scalar(PC3_KIND_UINT, 0, name),
        };
        let k = self.add(format!(
            "{{0, {PC3_KIND_ARRAY}, 0, __alignof__({c}), sizeof({c}), 2, {}, 0, \"\"}}",
            row(part)
        ));
        self.named.insert(c, k);
        k
    }

    fn enumeration(&mut self, e: EnumId) -> usize {
        let u = self.cx.u;
        let d = &u.enums[e.index()];
        let name = (d.tag.as_ref().map(|t| format!("enum {t}")))
            .or(d.typedef_name.clone())
            .unwrap_or("enum".into());
        let key = format!("{name} #{}", e.0);
        if let Some(k) = self.named.get(&key) {
            return *k;
        }
        // One without a tag, or unknown at file scope, is taken for what it is made of; who uses it compares (`agrees`).
        let hoisted = self.cx.names.enums.contains_key(&e);
        let c = match d.def.is_some() && (d.scope.is_none() || hoisted) {
            true => self.cx.names.enumeration(e),
            false => int_name(d.underlying).to_string(),
        };
        let k = self.add(format!(
            "{{0, {PC3_KIND_ENUM}, ({c})-1 < 0 ? {PC3_TYPE_SIGNED} : 0, __alignof__({c}), sizeof({c}), 0, 0, 0, {}}}",
            quote(&name)
        ));
        self.named.insert(key, k);
        k
    }

    /// An array's number of elements and its size, as C.
    pub(super) fn count(&self, elem: QualType, len: &ArrayLen) -> (String, String) {
        match len {
            ArrayLen::Const(n) => (format!("{n}"), format!("{n} * {}", self.size(elem))),
            ArrayLen::Target(s) => {
                let n = self.cx.names.constant_length(s);
                (format!("({n})"), format!("({n}) * {}", self.size(elem)))
            }
            ArrayLen::Vla(_) | ArrayLen::Unknown => ("0".into(), "0".into()),
        }
    }

    /// An array whose elements have no row: bytes of one ABI.
    fn unknown_bytes(&mut self, t: TypeId) -> usize {
        let size = self.size(QualType::plain(t));
        self.add(format!(
            "{{0, {PC3_KIND_OPAQUE}, 0, 1, {size}, 0, 0, 0, \"bytes\"}}"
        ))
    }

    fn function_row(&mut self) -> usize {
        if let Some(k) = self.named.get("function") {
            return *k;
        }
        let k = self.add(format!(
            "{{0, {PC3_KIND_FUNCTION}, 0, 1, 0, 0, 0, 0, \"function\"}}"
        ));
        self.named.insert("function".into(), k);
        k
    }

    fn pointer_row(&mut self, t: TypeId, to: QualType) -> usize {
        let u = self.cx.u;
        let mut kind = PC3_KIND_POINTER;
        if let Type::Record(r) = u.ty(to.ty) {
            let d = &u.records[r.index()];
            match d.tag.as_deref() {
                Some(t) if d.fields.is_none() && t.starts_with("MPI_ABI_") => {
                    kind = PC3_KIND_HANDLE
                }
                Some("_IO_FILE" | "__sFILE") => kind = PC3_KIND_FILE,
                _ => {}
            }
        }
        // The row comes first: its pointee may lead back to it.
        let k = self.add(String::new());
        self.known.insert(t, Some(k));
        let mut pointee = to;
        // A pointer to a variable-length array points to its elements.
        while let Type::Array {
            elem,
            len: ArrayLen::Vla(_),
        } = u.ty(pointee.ty)
        {
            pointee = *elem;
        }
        let elem = if kind == PC3_KIND_POINTER {
            self.of(pointee.ty)
        } else {
            None
        };
        let elem = elem.map_or("0".into(), row);
        self.rows[k] =
            format!("{{0, {kind}, 0, __alignof__(void *), sizeof(void *), 0, {elem}, 0, \"\"}}");
        k
    }

    /// The size of an element, as C.
    pub(super) fn size(&self, q: QualType) -> String {
        match self.cx.u.ty(q.ty) {
            Type::Array {
                elem,
                len: ArrayLen::Const(n),
            } => format!("{n} * {}", self.size(*elem)),
            Type::Array {
                elem,
                len: ArrayLen::Target(s),
            } => format!(
                "({}) * {}",
                self.cx.names.constant_length(s),
                self.size(*elem)
            ),
            Type::Array { .. } => "0".into(),
            Type::Pointer(_) => "sizeof(void *)".into(),
            _ => format!("sizeof({})", self.name(q)),
        }
    }
    pub(super) fn align(&self, q: QualType) -> String {
        match self.cx.u.ty(q.ty) {
            Type::Array { elem, .. } => self.align(*elem),
            Type::Pointer(_) => "__alignof__(void *)".into(),
            Type::Void | Type::Function { .. } => "1".into(),
            _ => format!("__alignof__({})", self.name(q)),
        }
    }
    fn name(&self, q: QualType) -> String {
        self.cx.names.type_name(QualType::plain(q.ty))
    }

    fn record(&mut self, t: TypeId, r: RecordId) -> Option<usize> {
        let u = self.cx.u;
        let d = &u.records[r.index()];
        d.fields.as_ref()?;
        if d.reversed {
            self.refuse(d, REVERSED);
            return None;
        }
        let c = self.cx.names.record(r);
        let name = d.c_name().unwrap_or_default();
        if d.tag.as_deref() == Some(pc3_program::tables::JUMP_BUFFER) {
            return Some(self.jump_buffer(&c, &name));
        }
        let k = self.add(String::new());
        self.known.insert(t, Some(k));
        let is_lock = is_lock(u, d, &name);
        let fields = match numbered_bits(&name) {
            true => self.bits(&c),
            false if is_lock => self.lock(&name, &c),
            false => self.fields(r, &c),
        };
        self.finish(k, RecordForm::of(d.is_union && !is_lock), &c, &name, fields);
        Some(k)
    }

    /// What the runtime puts into it: the number of a call of setjmp, a mark, and blocked signals.
    fn jump_buffer(&mut self, c: &str, name: &str) -> usize {
        let ty = self.scalar(PC3_KIND_UINT, 0, "unsigned long long");
        let field = |name: &str, offset: &str| Field {
            name: name.into(),
            ty,
            offset: offset.into(),
            bits: None,
            choice: None,
        };
        let fields = vec![
            field("number", "0"),
            field("mark", "8"),
            field("mask", "16"),
        ];
        let k = self.add(String::new());
        self.finish(k, RecordForm::STRUCT, c, name, fields);
        k
    }

    /// `void *`
    pub fn address(&mut self) -> usize {
        self.scalar(PC3_KIND_POINTER, 0, "void *")
    }
    pub fn long(&mut self, c: &str) -> usize {
        let kind = if c == "long" {
            PC3_KIND_SINT
        } else {
            PC3_KIND_UINT
        };
        self.scalar(kind, 0, c)
    }
    pub fn double(&mut self) -> usize {
        self.scalar(PC3_KIND_FLOAT, 0, "double")
    }
    /// Bytes that are no part of the state: a struct without members.
    pub fn nothing(&mut self, c: &str) -> usize {
        self.add(format!(
            "{{0, {PC3_KIND_STRUCT}, 0, __alignof__({c}), sizeof({c}), 0, 0, 0, \"\"}}"
        ))
    }
    pub fn byte(&mut self) -> usize {
        self.scalar(PC3_KIND_CHAR, 0, "char")
    }

    /// `unsigned long long[n]`
    pub fn numbers(&mut self, n: usize) -> usize {
        let elem = self.scalar(PC3_KIND_UINT, 0, "unsigned long long");
        self.add(format!(
            "{{0, {PC3_KIND_ARRAY}, 0, __alignof__(unsigned long long), {n} * sizeof(unsigned long long), {n}, {}, 0, \"\"}}",
            row(elem)
        ))
    }

    /// The library writes them as words of the ABI's own size; bit n is the same in words of 64 bits.
    fn bits(&mut self, c: &str) -> Vec<Field> {
        let e = row(self.scalar(PC3_KIND_UINT, 0, "unsigned long long"));
        let words = self.add(format!(
            "{{0, {PC3_KIND_ARRAY}, 0, __alignof__({c}), sizeof({c}), sizeof({c}) / 8, {e}, 0, \"\"}}"
        ));
        vec![Field {
            name: "bits".into(),
            ty: words,
            offset: "0".into(),
            bits: None,
            choice: None,
        }]
    }

    pub(super) fn finish(
        &mut self,
        k: usize,
        form: RecordForm,
        c: &str,
        name: &str,
        fields: Vec<Field>,
    ) {
        let members = if fields.is_empty() {
            "0".to_string()
        } else {
            format!("pc3_members_{k}")
        };
        if !fields.is_empty() {
            let list: Vec<String> = fields
                .iter()
                .map(|f| {
                    format!(
                        "{{{}, {}, {}, {}, {}}}",
                        quote(&f.name),
                        row(f.ty),
                        f.offset,
                        f.bits.as_deref().unwrap_or("0"),
                        f.choice.as_deref().map_or("0".into(), quote)
                    )
                })
                .collect();
            self.support += &format!(
                "static const struct pc3_member {members}[] = {{{}}};\n",
                list.join(", ")
            );
        }
        let RecordForm { kind, flags } = form;
        if self.cx.u.text.contains("align") {
            self.support += &format!(
                "_Static_assert(__alignof__({c}) <= 32768, \"pc3cc knows no alignments above 32768\");\n"
            );
        }
        let align = match flags & PC3_TYPE_PART {
            0 => format!("__alignof__({c})"),
            _ => "1".into(),
        };
        self.rows[k] = format!(
            "{{0, {kind}, {flags}, {align}, sizeof({c}), {}, 0, {members}, {}}}",
            fields.len(),
            quote(name)
        );
    }

    /// A record that only generated code knows: live records and shadow blocks.
    pub fn generated(&mut self, c: &str, fields: Vec<Field>) -> usize {
        let k = self.add(String::new());
        self.finish(k, RecordForm::STRUCT, c, "", fields);
        k
    }

    /// A live record, which several points may have.
    pub fn live(&mut self, c: &str, fields: Vec<Field>) -> usize {
        let each = fields.iter().map(|f| {
            let choice = f.choice.as_deref().unwrap_or("");
            format!(" {} {} {} {choice}", f.name, f.ty, f.offset)
        });
        let key = each.fold(c.to_string(), |key, f| key + &f);
        if let Some(k) = self.named.get(&key) {
            return *k;
        }
        let k = self.generated(c, fields);
        self.named.insert(key, k);
        k
    }

    pub fn pointer_to(&mut self, q: QualType) -> usize {
        let u = self.cx.u;
        let mut pointee = q;
        while let Type::Array {
            elem,
            len: ArrayLen::Vla(_),
        } = u.ty(pointee.ty)
        {
            pointee = *elem;
        }
        let elem = self.of(pointee.ty).map_or("0".into(), row);
        let key = format!("* {elem}");
        if let Some(k) = self.named.get(&key) {
            return *k;
        }
        let k = self.add(format!(
            "{{0, {PC3_KIND_POINTER}, 0, __alignof__(void *), sizeof(void *), 0, {elem}, 0, \"\"}}"
        ));
        self.named.insert(key, k);
        k
    }
    /// The array type of a named string literal.
    pub fn literal(&mut self, elem: QualType, object: &str) -> String {
        let e = self.pointer(elem);
        row(self.add(format!(
            "{{0, {PC3_KIND_ARRAY}, 0, __alignof__({object}[0]), sizeof({object}), sizeof({object}) / sizeof({object}[0]), {e}, 0, \"\"}}"
        )))
    }
    pub(crate) fn char_array(&mut self, object: &str) -> String {
        let e = row(self.scalar(PC3_KIND_CHAR, 0, "char"));
        row(self.add(format!(
            "{{0, {PC3_KIND_ARRAY}, 0, 1, sizeof({object}), sizeof({object}), {e}, 0, \"\"}}"
        )))
    }
    pub fn length(&mut self) -> usize {
        self.scalar(PC3_KIND_UINT, 0, "pc3_size")
    }
    /// The only member of a shadow block that just marks where others begin.
    pub fn base(&mut self, c: &str) -> Field {
        let ty = self.scalar(PC3_KIND_CHAR, 0, "char");
        Field {
            name: "pc3_base".into(),
            ty,
            offset: format!("__builtin_offsetof({c}, pc3_base)"),
            bits: None,
            choice: None,
        }
    }
    pub fn int(&mut self) -> usize {
        self.scalar(PC3_KIND_SINT, 0, "int")
    }
    pub fn long_long(&mut self) -> usize {
        self.scalar(PC3_KIND_SINT, 0, "long long")
    }
}

/// The C library's sets of small numbers.
fn numbered_bits(name: &str) -> bool {
    matches!(name, "__sigset_t" | "sigset_t" | "fd_set" | "cpu_set_t")
}

pub fn row(k: usize) -> String {
    format!("&pc3_types[{k}]")
}

fn long_double(k: FloatKind) -> u8 {
    if k == FloatKind::LongDouble {
        PC3_TYPE_LONGDOUBLE
    } else {
        0
    }
}

/// Without the runtime lengths.
pub(super) fn innermost(u: &Unit, mut q: QualType) -> QualType {
    while let Type::Array {
        elem,
        len: ArrayLen::Vla(_) | ArrayLen::Unknown,
    } = u.ty(q.ty)
    {
        q = *elem;
    }
    q
}

pub(super) fn is_incomplete(u: &Unit, q: QualType) -> bool {
    match u.ty(q.ty) {
        Type::Record(r) => u.records[r.index()].fields.is_none(),
        Type::Void => true,
        _ => false,
    }
}
