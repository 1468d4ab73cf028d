//! Interned types and the questions one asks of them; the integer model of the target ABI.

use crate::standard::Standard;
use crate::tree::*;
use rustc_hash::FxHashMap;
use std::borrow::Cow;
use std::collections::HashMap;

/// What typing expressions needs to know of an ABI.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Target {
    pub int_bits: u32,
    pub long_bits: u32,
    pub pointer_bits: u32,
    pub char_unsigned: bool,
    pub size: IntKind,
    pub ptrdiff: IntKind,
    pub wchar: IntKind,
    /// `#pragma omp` means something.
    pub openmp: bool,
    pub standard: Standard,
    pub big_endian: bool,
    /// The compiler knows `scalar_storage_order`; which it takes if nothing says so: the other one?
    pub storage_order: bool,
    pub reversed: bool,
    /// `struct tag;` in a struct is an unnamed member.
    pub tagged_members: bool,
    /// Operands and arguments are evaluated from left to right, as clang does it; else in gcc's order.
    pub left_to_right: bool,
    /// A product that becomes narrower is made of narrower factors, even if it has no sign and its first factor had one: as gcc does
    /// from 14 on. Which operand is read first depends on it.
    pub narrow_products: bool,
}

impl Default for Target {
    /// LP64.
    fn default() -> Target {
        Target {
            int_bits: 32,
            long_bits: 64,
            pointer_bits: 64,
            char_unsigned: false,
            size: IntKind::ULong,
            ptrdiff: IntKind::Long,
            wchar: IntKind::Int,
            openmp: true,
            standard: Standard::default(),
            big_endian: false,
            storage_order: true,
            reversed: false,
            tagged_members: false,
            left_to_right: false,
            narrow_products: false,
        }
    }
}

impl Target {
    /// From the compiler's predefined macros ([`crate::preprocess::parse_macros`]).
    /// The macros that [`Target::from_macros`] reads.
    pub const MACROS: [&str; 15] = [
        "__SIZEOF_INT__",
        "__SIZEOF_LONG__",
        "__SIZEOF_POINTER__",
        "__CHAR_UNSIGNED__",
        "__SIZE_TYPE__",
        "__PTRDIFF_TYPE__",
        "__WCHAR_TYPE__",
        "_OPENMP",
        "__BYTE_ORDER__",
        "__clang__",
        "__clang_major__",
        "__GNUC__",
        "__STDC_VERSION__",
        "__CHAR8_TYPE__",
        "__STRICT_ANSI__",
    ];

    pub fn from_macros(macros: &HashMap<String, String>) -> Target {
        let bits = |name: &str, default: u32| {
            macros
                .get(name)
                .and_then(|v| v.trim().parse::<u32>().ok())
                .map_or(default, |b| b * 8)
        };
        let kind = |name: &str, default: IntKind| {
            macros
                .get(name)
                .and_then(|v| int_kind_of_words(v))
                .unwrap_or(default)
        };
        let d = Target::default();
        Target {
            int_bits: bits("__SIZEOF_INT__", d.int_bits),
            long_bits: bits("__SIZEOF_LONG__", d.long_bits),
            pointer_bits: bits("__SIZEOF_POINTER__", d.pointer_bits),
            char_unsigned: macros.contains_key("__CHAR_UNSIGNED__"),
            size: kind("__SIZE_TYPE__", d.size),
            ptrdiff: kind("__PTRDIFF_TYPE__", d.ptrdiff),
            wchar: kind("__WCHAR_TYPE__", d.wchar),
            openmp: macros.contains_key("_OPENMP"),
            standard: Standard::from_macros(macros),
            big_endian: (macros.get("__BYTE_ORDER__"))
                .is_some_and(|o| o.contains("BIG") || o == "4321"),
            storage_order: !macros.contains_key("__clang__"),
            left_to_right: macros.contains_key("__clang__"),
            narrow_products: (macros.get("__GNUC__"))
                .is_some_and(|v| v.trim().parse::<u32>().is_ok_and(|v| v >= 14)),
            ..d
        }
    }

    /// What options change of it that no macro tells.
    pub fn with_options(mut self, options: &[String]) -> Target {
        for o in options {
            match o.as_str() {
                "-fms-extensions" | "-fplan9-extensions" => self.tagged_members = true,
                "-fno-ms-extensions" => self.tagged_members = false,
                "-fsso-struct=native" => self.reversed = false,
                "-fsso-struct=big-endian" => self.reversed = !self.big_endian,
                "-fsso-struct=little-endian" => self.reversed = self.big_endian,
                _ => {}
            }
        }
        self
    }

    pub fn bits(&self, kind: IntKind) -> u32 {
        use IntKind::*;
        match kind {
            Char | SChar | UChar => 8,
            Short | UShort => 16,
            Int | UInt => self.int_bits,
            Long | ULong => self.long_bits,
            LongLong | ULongLong => 64,
            Int128 | UInt128 => 128,
            Bits { width, .. } => width,
        }
    }

    pub fn signed(&self, kind: IntKind) -> bool {
        use IntKind::*;
        match kind {
            Char => !self.char_unsigned,
            SChar | Short | Int | Long | LongLong | Int128 => true,
            UChar | UShort | UInt | ULong | ULongLong | UInt128 => false,
            Bits { signed, .. } => signed,
        }
    }

    /// `v` converted to `kind`.
    pub fn wrap(&self, kind: IntKind, v: i128) -> i128 {
        let bits = self.bits(kind);
        if bits > 126 {
            return v;
        }
        let low = v & ((1i128 << bits) - 1);
        if self.signed(kind) && low >> (bits - 1) != 0 {
            low - (1i128 << bits)
        } else {
            low
        }
    }

    /// Whether `v` is representable in `kind`.
    pub fn fits(&self, kind: IntKind, v: i128) -> bool {
        self.wrap(kind, v) == v
    }

    /// Integer promotion of a plain (not bit-field) operand.
    pub(crate) fn promote(&self, kind: IntKind) -> IntKind {
        use IntKind::*;
        match kind {
            Char | SChar | UChar | Short | UShort => {
                if self.bits(kind) < self.int_bits || self.signed(kind) {
                    Int
                } else {
                    UInt
                }
            }
            k => k,
        }
    }

    /// Usual arithmetic conversions of two integers (promoted here).
    pub fn common(&self, a: IntKind, b: IntKind) -> IntKind {
        self.common_of(self.promote(a), self.promote(b))
    }

    /// The same of what is promoted, or never is.
    pub(crate) fn common_of(&self, a: IntKind, b: IntKind) -> IntKind {
        if a == b {
            return a;
        }
        let (hi, lo) = if self.ranks(a, b) { (a, b) } else { (b, a) };
        if self.signed(hi) == self.signed(lo) || !self.signed(hi) {
            return hi;
        }
        // `hi` is signed and of greater or equal rank, `lo` unsigned.
        if self.ranks(lo, hi) {
            return lo;
        }
        if self.bits(hi) > self.bits(lo) {
            hi
        } else {
            to_unsigned(hi)
        }
    }

    /// Is the rank of `a` that of `b`, or higher?
    fn ranks(&self, a: IntKind, b: IntKind) -> bool {
        let is_bits = |k: IntKind| matches!(k, IntKind::Bits { .. });
        if !is_bits(a) && !is_bits(b) {
            return rank(a) >= rank(b);
        }
        // Of one width, the others come first.
        let by_width = |k: IntKind| (self.bits(k), !is_bits(k));
        by_width(a) >= by_width(b)
    }
}

fn rank(k: IntKind) -> u32 {
    use IntKind::*;
    match k {
        Char | SChar | UChar => 1,
        Short | UShort => 2,
        Int | UInt => 3,
        Long | ULong => 4,
        LongLong | ULongLong => 5,
        Int128 | UInt128 | Bits { .. } => 6,
    }
}

pub fn to_unsigned(k: IntKind) -> IntKind {
    use IntKind::*;
    match k {
        Char | SChar | UChar => UChar,
        Short | UShort => UShort,
        Int | UInt => UInt,
        Long | ULong => ULong,
        LongLong | ULongLong => ULongLong,
        Int128 | UInt128 => UInt128,
        Bits { width, .. } => Bits {
            width,
            signed: false,
        },
    }
}

/// "long unsigned int" → `ULong`.
pub(crate) fn int_kind_of_words(words: &str) -> Option<IntKind> {
    use IntKind::*;
    let (mut long, mut short, mut char_, mut unsigned, mut signed) =
        (0, false, false, false, false);
    for w in words.split_whitespace() {
        match w {
            "long" => long += 1,
            "short" => short = true,
            "char" => char_ = true,
            "unsigned" => unsigned = true,
            "signed" => signed = true,
            "int" => {}
            _ => return None,
        }
    }
    Some(match (char_, short, long, unsigned) {
        (true, _, _, true) => UChar,
        (true, _, _, false) => {
            if signed {
                SChar
            } else {
                Char
            }
        }
        (_, true, _, u) => {
            if u {
                UShort
            } else {
                Short
            }
        }
        (_, _, 0, u) => {
            if u {
                UInt
            } else {
                Int
            }
        }
        (_, _, 1, u) => {
            if u {
                ULong
            } else {
                Long
            }
        }
        (_, _, _, u) => {
            if u {
                ULongLong
            } else {
                LongLong
            }
        }
    })
}

impl QualType {
    pub fn plain(ty: TypeId) -> QualType {
        QualType {
            ty,
            is_const: false,
            is_volatile: false,
            is_atomic: false,
            is_restrict: false,
            may_alias: false,
            unaligned: false,
        }
    }
    pub fn unqualified(self) -> QualType {
        QualType::plain(self.ty)
    }
    /// This type with the qualifiers of `other` as well.
    pub fn with(self, other: QualType) -> QualType {
        QualType {
            ty: self.ty,
            is_const: self.is_const || other.is_const,
            is_volatile: self.is_volatile || other.is_volatile,
            is_atomic: self.is_atomic || other.is_atomic,
            is_restrict: self.is_restrict || other.is_restrict,
            may_alias: self.may_alias || other.may_alias,
            unaligned: self.unaligned || other.unaligned,
        }
    }
}

/// The interner behind [`Unit::types`].
#[derive(Default)]
pub struct Types {
    pub list: Vec<Type>,
    index: FxHashMap<Type, TypeId>,
}

impl Types {
    pub fn intern(&mut self, ty: Type) -> TypeId {
        if let Some(&id) = self.index.get(&ty) {
            return id;
        }
        let id = TypeId(self.list.len() as u32);
        self.list.push(ty.clone());
        self.index.insert(ty, id);
        id
    }
    pub fn get(&self, id: TypeId) -> &Type {
        &self.list[id.index()]
    }
    pub fn plain(&mut self, ty: Type) -> QualType {
        QualType::plain(self.intern(ty))
    }
    pub fn int(&mut self, kind: IntKind) -> QualType {
        self.plain(Type::Int(kind))
    }
    pub fn pointer(&mut self, to: QualType) -> QualType {
        self.plain(Type::Pointer(to))
    }
    pub fn void(&mut self) -> QualType {
        self.plain(Type::Void)
    }
    /// `qt` with the qualifiers of `quals` as well; those of an array are its elements'.
    pub(crate) fn qualify(&mut self, qt: QualType, quals: QualType) -> QualType {
        match self.get(qt.ty).clone() {
            Type::Array { elem, len } => {
                let elem = self.qualify(elem, quals);
                let ty = self.intern(Type::Array { elem, len });
                QualType { ty, ..qt }
            }
            _ => qt.with(quals),
        }
    }
    /// `qt` without qualifiers; those of an array are its elements'.
    pub fn unqualified(&mut self, qt: QualType) -> QualType {
        match self.get(qt.ty).clone() {
            Type::Array { elem, len } => {
                let elem = self.unqualified(elem);
                self.plain(Type::Array { elem, len })
            }
            _ => qt.unqualified(),
        }
    }
    /// Array and function types as they are used in expressions.
    pub(crate) fn decay(&mut self, qt: QualType) -> QualType {
        match *self.get(qt.ty) {
            Type::Array { elem, .. } => self.pointer(elem),
            Type::Function { .. } => self.pointer(qt),
            _ => qt.unqualified(),
        }
    }
    /// What a pointer or array leads to.
    pub fn pointee(&self, qt: QualType) -> Option<QualType> {
        match *self.get(qt.ty) {
            Type::Pointer(to) => Some(to),
            Type::Array { elem, .. } => Some(elem),
            _ => None,
        }
    }
    pub fn is_function(&self, id: TypeId) -> bool {
        matches!(self.get(id), Type::Function { .. })
    }
    pub fn is_null_type(&self, t: TypeId) -> bool {
        is_null_type(&self.list, t)
    }
}

/// Is it `nullptr_t`?  That is `void *`, but that what it points to is `restrict`.
fn is_null_type(types: &[Type], t: TypeId) -> bool {
    let void = |t: TypeId| types[t.index()] == Type::Void;
    matches!(types[t.index()], Type::Pointer(to) if to.is_restrict && void(to.ty))
}

impl Unit {
    pub fn is_null_type(&self, t: TypeId) -> bool {
        is_null_type(&self.types, t)
    }

    /// A type as one would say it: `struct node *`, `int (*)(char, ...)`, `double [10]`.
    pub fn type_name(&self, qt: QualType) -> String {
        self.declare(qt, String::new())
    }

    /// `name` declared with a type, where every part of it can be named: `int *name[3]`.
    fn declare(&self, qt: QualType, inner: String) -> String {
        let mut quals = String::new();
        for (on, word) in [
            (qt.is_const, "const"),
            (qt.is_volatile, "volatile"),
            (qt.is_restrict, "restrict"),
            (qt.is_atomic, "_Atomic"),
        ] {
            if on {
                quals.push_str(word);
                quals.push(' ');
            }
        }
        let base = |name: &str| {
            let sep = if inner.is_empty() { "" } else { " " };
            format!("{quals}{name}{sep}{inner}")
        };
        match self.ty(qt.ty) {
            Type::Void => base("void"),
            Type::Bool => base("_Bool"),
            Type::Int(k) => base(&int_name(*k)),
            Type::Float(k) => base(float_name(*k)),
            Type::Complex(k) => base(&format!("{} _Complex", float_name(*k))),
            Type::ComplexInt(k) => base(&format!("{} _Complex", int_name(*k))),
            Type::VaList => base("__builtin_va_list"),
            Type::Unsupported(Unknown::Named(name)) => base(name),
            Type::Unsupported(Unknown::Written(_)) => base("<unsupported>"),
            Type::Vector { elem, bytes } => {
                base(&format!("<vector {bytes} {}>", self.type_name(*elem)))
            }
            Type::Record(r) => base(&self.record_name(*r)),
            Type::Enum(e) => {
                let e = &self.enums[e.index()];
                match (&e.tag, &e.typedef_name) {
                    (Some(t), _) => base(&format!("enum {t}")),
                    (None, Some(t)) => base(t),
                    (None, None) => base("enum <anonymous>"),
                }
            }
            Type::Pointer(to) => {
                let star = format!("*{quals}{inner}");
                let star = star.trim_end().to_string();
                match self.ty(to.ty) {
                    Type::Array { .. } | Type::Function { .. } => {
                        self.declare(*to, format!("({star})"))
                    }
                    _ => self.declare(*to, star),
                }
            }
            Type::Array { elem, len } => {
                let len = match len {
                    ArrayLen::Const(n) => n.to_string(),
                    ArrayLen::Target(s) => self.slice(s).to_string(),
                    ArrayLen::Vla(e) => format!("vla {}", self.slice(&self.expr(*e).span)),
                    ArrayLen::Unknown => String::new(),
                };
                self.declare(
                    elem.with(QualType { ty: elem.ty, ..qt }),
                    format!("{inner}[{len}]"),
                )
            }
            Type::Function {
                ret,
                params,
                variadic,
                prototype,
            } => {
                let mut list: Vec<String> = params.iter().map(|p| self.type_name(*p)).collect();
                if *variadic {
                    list.push("...".into());
                }
                let list = match (*prototype, list.is_empty()) {
                    (true, true) => "void".into(),
                    (true, false) => list.join(", "),
                    (false, _) => String::new(),
                };
                self.declare(*ret, format!("{inner}({list})"))
            }
        }
    }

    /// As the compiler knows it.
    pub fn float_name(&self, k: FloatKind) -> &'static str {
        match k {
            FloatKind::Float128 if self.target.left_to_right => "__float128",
            k => float_name(k),
        }
    }

    pub fn record_name(&self, r: RecordId) -> String {
        let r = &self.records[r.index()];
        let kw = if r.is_union { "union" } else { "struct" };
        match (&r.tag, &r.typedef_name) {
            (Some(t), _) => format!("{kw} {t}"),
            (None, Some(t)) => t.clone(),
            (None, None) => format!("{kw} <anonymous>"),
        }
    }
}

pub fn int_name(k: IntKind) -> Cow<'static, str> {
    use IntKind::*;
    let name = match k {
        Char => "char",
        SChar => "signed char",
        UChar => "unsigned char",
        Short => "short",
        UShort => "unsigned short",
        Int => "int",
        UInt => "unsigned int",
        Long => "long",
        ULong => "unsigned long",
        LongLong => "long long",
        ULongLong => "unsigned long long",
        Int128 => "__int128",
        UInt128 => "unsigned __int128",
        Bits { width, signed } => {
            let unsigned = if signed { "" } else { "unsigned " };
            return format!("{unsigned}_BitInt({width})").into();
        }
    };
    name.into()
}

pub fn float_name(k: FloatKind) -> &'static str {
    match k {
        FloatKind::Float16 => "_Float16",
        FloatKind::Float => "float",
        FloatKind::Double => "double",
        FloatKind::LongDouble => "long double",
        FloatKind::Float128 => "_Float128",
        FloatKind::Decimal32 => "_Decimal32",
        FloatKind::Decimal64 => "_Decimal64",
        FloatKind::Decimal128 => "_Decimal128",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use IntKind::*;

    #[test]
    fn common_types_depend_on_the_abi() {
        let lp64 = Target::default();
        let ilp32 = Target {
            long_bits: 32,
            pointer_bits: 32,
            size: UInt,
            ptrdiff: Int,
            ..Target::default()
        };
        let cases = [
            (Char, Short, Int, Int),
            (UInt, Long, Long, ULong),
            (UInt, LongLong, LongLong, LongLong),
            (ULong, LongLong, ULongLong, LongLong),
            (UShort, UInt, UInt, UInt),
            (Int, ULong, ULong, ULong),
        ];
        for (a, b, on64, on32) in cases {
            assert_eq!(
                (lp64.common(a, b), lp64.common(b, a)),
                (on64, on64),
                "{a:?} {b:?}"
            );
            assert_eq!(
                (ilp32.common(a, b), ilp32.common(b, a)),
                (on32, on32),
                "{a:?} {b:?}"
            );
        }
    }

    #[test]
    fn wrapping() {
        let t = Target::default();
        assert_eq!(t.wrap(UInt, -1), 0xffff_ffff);
        assert_eq!(t.wrap(SChar, 200), -56);
        assert_eq!(t.wrap(ULongLong, -1), u64::MAX as i128);
        assert_eq!(int_kind_of_words("long unsigned int"), Some(ULong));
        assert_eq!(int_kind_of_words("short"), Some(Short));
    }
}
