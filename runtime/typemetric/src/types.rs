//! The types of a program under one ABI, each held once and named by a [`TypeId`].
//!
//! Invariants of a [`TypeTable`] (checked when a type enters it, so that everything that walks a
//! table may rely on them): ids are in range; containment (members, array elements) has no cycle
//! and bounded depth; members and bit-fields lie inside their struct; an array's size is its count
//! times its element's; scalars have sizes that exist.

use crate::abi::{Abi, Endian};
use crate::choice::Choice;
use crate::descriptor as c;
use crate::intern::Index;
use std::collections::HashMap;
use std::sync::Arc;

/// Index into a [`TypeTable`].  0 is untyped bytes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct TypeId(pub u32);

impl TypeId {
    pub const UNKNOWN: TypeId = TypeId(0);
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

macro_rules! kinds {
    ($($(#[$m:meta])* $kind:ident = $value:path, $name:literal;)*) => {
        /// What a type is; the numbers are those of `pc3_rt.h`.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        #[repr(u8)]
        pub enum Kind { $($(#[$m])* $kind = $value),* }
        impl Kind {
            pub const ALL: &[Kind] = &[$(Kind::$kind),*];
            pub fn from_number(number: u8) -> Option<Kind> {
                match number { $($value => Some(Kind::$kind),)* _ => None }
            }
            pub fn name(self) -> &'static str {
                match self { $(Kind::$kind => $name),* }
            }
        }
    };
}

kinds! {
    Void = c::PC3_KIND_VOID, "void";
    Bool = c::PC3_KIND_BOOL, "bool";
    Char = c::PC3_KIND_CHAR, "char";
    SInt = c::PC3_KIND_SINT, "sint";
    UInt = c::PC3_KIND_UINT, "uint";
    Float = c::PC3_KIND_FLOAT, "float";
    Complex = c::PC3_KIND_COMPLEX, "complex";
    Enum = c::PC3_KIND_ENUM, "enum";
    Pointer = c::PC3_KIND_POINTER, "pointer";
    Function = c::PC3_KIND_FUNCTION, "function";
    Struct = c::PC3_KIND_STRUCT, "struct";
    Union = c::PC3_KIND_UNION, "union";
    Array = c::PC3_KIND_ARRAY, "array";
    Handle = c::PC3_KIND_HANDLE, "handle";
    File = c::PC3_KIND_FILE, "file";
    Opaque = c::PC3_KIND_OPAQUE, "opaque";
    /// An integer that holds the address of an object; see [`AddressBits`].
    Address = c::PC3_KIND_ADDRESS, "address";
    /// An integer that counts bytes of objects of the type `elem`: a multiple of their size.  Without that, one in which
    /// are the sizes that its name lists ([`TypeTable::measured`]), one a line.
    Bytes = c::PC3_KIND_BYTES, "bytes";
}

impl Kind {
    /// Holds a value that means something else in another process.
    pub fn is_reference(self) -> bool {
        matches!(
            self,
            Kind::Pointer | Kind::Handle | Kind::File | Kind::Address
        )
    }
    pub fn is_integer(self) -> bool {
        matches!(
            self,
            Kind::Bool | Kind::Char | Kind::SInt | Kind::UInt | Kind::Enum
        )
    }
    pub fn is_record(self) -> bool {
        matches!(self, Kind::Struct | Kind::Union)
    }
}

/// `long double`, or complex of it.
pub const LONG_DOUBLE: u8 = c::PC3_TYPE_LONGDOUBLE;
/// The enum's representation is signed.
pub const SIGNED: u8 = c::PC3_TYPE_SIGNED;
/// Opaque bytes that are one number: other ABIs have it, too, perhaps in the other order of bytes.
pub const NUMBER: u8 = c::PC3_TYPE_NUMBER;
/// Untyped bytes that may hold pointers.
pub const UNKNOWN: u8 = c::PC3_TYPE_UNKNOWN;
/// Objects of this struct are rows of it: the array at its end is as long as it says.
pub(crate) const ROW: u8 = c::PC3_TYPE_ROW;
/// Objects of this struct are one, with a longer array at its end.  An integer made of sizes ([`Kind::Bytes`] without an
/// element) is one of these, or 0.
pub const ONE: u8 = c::PC3_TYPE_ONE;
/// An integer made of sizes ([`Kind::Bytes`] without an element): 0 has none of them in it.
pub const SUM: u8 = c::PC3_TYPE_SUM;
/// Likewise: it may stay as it is where none of them is larger, or none larger than it.
pub const FITS: u8 = c::PC3_TYPE_FITS;
/// A descriptor of an unnamed member, measured in the struct around it; types of a table have their own extents.
pub const PART: u8 = c::PC3_TYPE_PART;

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Type {
    pub kind: Kind,
    pub flags: u8,
    pub align: u16,
    pub size: u64,
    /// Array: elements, 0 if flexible or unknown.  Struct, union: members.
    pub count: u64,
    /// Array element, pointee; else [`TypeId::UNKNOWN`].
    pub elem: TypeId,
    pub members: Vec<Member>,
    /// Canonical C name, empty for anonymous types.
    pub name: String,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Member {
    /// Empty for an anonymous struct or union member.
    pub name: String,
    pub ty: TypeId,
    /// In bytes; of a bit-field, the byte its first bit lies in.
    pub offset: u64,
    pub bits: Option<Bits>,
    pub choice: Chosen,
}

/// What this program's author says of a union: no part of the type, and not saved with it.
#[derive(Clone, Default, Debug)]
pub struct Chosen(pub Option<Arc<Choice>>);

impl PartialEq for Chosen {
    fn eq(&self, _: &Chosen) -> bool {
        true
    }
}
impl Eq for Chosen {}
impl std::hash::Hash for Chosen {
    fn hash<H: std::hash::Hasher>(&self, _: &mut H) {}
}

/// Where a bit-field lies in its struct.  Bits are counted in memory order: on a little-endian ABI
/// from the least significant bit of the first byte up, on a big-endian one from the most
/// significant bit down, so that every bit-field is one contiguous range.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Bits {
    pub offset: u64,
    pub width: u32,
}

impl Bits {
    /// Finds a field in the image of a struct whose only one-bits are the field's.
    pub(crate) fn from_image(image: &[u8], endian: Endian) -> Option<Bits> {
        let first_byte = image.iter().position(|&b| b != 0)?;
        let last_byte = image.iter().rposition(|&b| b != 0)?;
        let (lead, trail) = match endian {
            Endian::Little => (
                image[first_byte].trailing_zeros(),
                image[last_byte].leading_zeros(),
            ),
            Endian::Big => (
                image[first_byte].leading_zeros(),
                image[last_byte].trailing_zeros(),
            ),
        };
        let offset = first_byte as u64 * 8 + u64::from(lead);
        let width = (last_byte as u64 + 1) * 8 - u64::from(trail) - offset;
        let ones: u64 = image.iter().map(|b| u64::from(b.count_ones())).sum();
        (ones == width).then_some(Bits {
            offset,
            width: width as u32,
        })
    }
    /// Pieces of 64 bits, the lowest first, and the rest.
    pub(crate) fn pieces(self, endian: Endian) -> impl Iterator<Item = Bits> {
        (0..self.width).step_by(64).map(move |below| {
            let width = 64.min(self.width - below);
            let before = match endian {
                Endian::Little => below,
                Endian::Big => self.width - below - width,
            };
            let offset = self.offset + u64::from(before);
            Bits { offset, width }
        })
    }
    /// The bytes the field touches.
    pub fn bytes(self) -> std::ops::Range<u64> {
        self.offset / 8..(self.offset + u64::from(self.width)).div_ceil(8)
    }
}

/// Members of two structs or unions that correspond: by name and in order.  Where a system header lays a struct out
/// differently on another ABI (`struct stat`), its padding members are left aside and the order is free.
pub fn counterparts(a: &Type, b: &Type) -> Option<Vec<(usize, usize)>> {
    let same = a.members.len() == b.members.len()
        && a.members
            .iter()
            .zip(&b.members)
            .all(|(m, n)| m.name == n.name);
    if same {
        return Some((0..a.members.len()).map(|i| (i, i)).collect());
    }
    let system = [a, b]
        .iter()
        .any(|t| t.members.iter().any(|m| is_filler(t, &m.name)));
    if !system || a.kind != Kind::Struct {
        return None;
    }
    let kept = |t: &Type| -> HashMap<String, usize> {
        let named = t.members.iter().enumerate();
        named
            .filter(|(_, m)| !is_filler(t, &m.name))
            .map(|(i, m)| (m.name.clone(), i))
            .collect()
    };
    let (ours, mut theirs) = (kept(a), kept(b));
    let mut pairs = Vec::new();
    for (i, m) in a
        .members
        .iter()
        .enumerate()
        .filter(|(_, m)| !is_filler(a, &m.name))
    {
        pairs.push((i, theirs.remove(&m.name)?));
    }
    (theirs.is_empty() && ours.len() == pairs.len()).then_some(pairs)
}

/// `__pad0`, `__glibc_reserved`, `__unused4`, and `__st_ino` beside `st_ino`: names that C reserves for the system.
pub(crate) fn is_filler(t: &Type, name: &str) -> bool {
    name.strip_prefix("__").is_some_and(|rest| {
        ["pad", "reserved", "unused"]
            .iter()
            .any(|w| rest.contains(w))
            || t.members.iter().any(|m| m.name == rest)
    })
}

impl Type {
    /// A scalar or opaque type: no element, no members.
    pub fn scalar(kind: Kind, name: &str, size: u64, align: u16, flags: u8) -> Type {
        Type {
            kind,
            flags,
            align,
            size,
            count: 0,
            elem: TypeId::UNKNOWN,
            members: Vec::new(),
            name: name.into(),
        }
    }
    pub fn pointer(abi: &Abi, pointee: TypeId) -> Type {
        let p = abi.pointer;
        Type {
            elem: pointee,
            ..Type::scalar(Kind::Pointer, "", p.size.into(), p.align.into(), 0)
        }
    }
    pub fn array(elem: TypeId, elem_size: u64, align: u16, count: u64) -> Type {
        let size = elem_size.saturating_mul(count);
        Type {
            elem,
            count,
            ..Type::scalar(Kind::Array, "", size, align, 0)
        }
    }
    /// Signedness of an integer type under `abi`.
    pub fn is_signed(&self, abi: &Abi) -> bool {
        match self.kind {
            Kind::Char => abi.char_signed,
            Kind::SInt => true,
            Kind::Enum | Kind::Address | Kind::Bytes => self.flags & SIGNED != 0,
            _ => false,
        }
    }
    /// One number that only its own kind converts to.
    pub fn is_number(&self) -> bool {
        self.kind == Kind::Opaque && self.flags & NUMBER != 0
    }
    pub fn is_long_double(&self) -> bool {
        self.flags & LONG_DOUBLE != 0
    }
    /// Names of pointers, arrays and functions follow from what they are made of.
    pub(crate) fn named(&self) -> bool {
        !matches!(self.kind, Kind::Pointer | Kind::Array | Kind::Function)
    }
}

/// Why a type cannot enter a table.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum TypeError {
    #[error("type {name:?}: {why}")]
    Invalid { name: String, why: String },
    #[error("type {0} was declared but never defined")]
    Undefined(u32),
}

impl TypeError {
    pub(crate) fn new(ty: &Type, why: impl Into<String>) -> TypeError {
        TypeError::Invalid {
            name: ty.name.clone(),
            why: why.into(),
        }
    }
}

/// All types of one program under one ABI.
#[derive(Clone, Debug)]
pub struct TypeTable {
    abi: Abi,
    pub(crate) types: Vec<Type>,
    /// Nesting depth of each type by containment.
    pub(crate) depth: Vec<u16>,
    pub(crate) index: Index,
    /// Sizes that values of the program are made of, by what it calls them.
    measured: HashMap<String, u64>,
}

/// No object is larger than an address space; positions in bits still fit 64 bits.
const MAX_SIZE: u64 = 1 << 56;

/// Containment deeper than this is refused: recursion over types must not exhaust the stack.
pub(crate) const MAX_DEPTH: u16 = 200;

impl TypeTable {
    pub fn new(abi: Abi) -> TypeTable {
        let types = vec![Type::scalar(Kind::Opaque, "", 1, 1, UNKNOWN)];
        TypeTable {
            abi,
            index: Index::of(&types),
            types,
            depth: vec![0],
            measured: HashMap::new(),
        }
    }

    pub fn set_measured(&mut self, all: impl IntoIterator<Item = (String, u64)>) {
        self.measured.extend(all);
    }
    pub(crate) fn measured(&self, name: &str) -> Option<u64> {
        self.measured.get(name).copied()
    }

    pub fn abi(&self) -> &Abi {
        &self.abi
    }
    /// Number of types, the untyped id 0 included: ids are below it.
    pub fn len(&self) -> usize {
        self.types.len()
    }
    /// Only the untyped id 0 is there.
    pub fn is_empty(&self) -> bool {
        self.types.len() == 1
    }

    /// The smallest type whose values, one after the other, are the `bytes` bytes from `at` on in memory that holds an array of `id`,
    /// or one that ends in a longer array; they may end within the last one.
    pub fn values_at(&self, id: TypeId, at: u64, bytes: u64) -> Option<TypeId> {
        let ty = self.get(id);
        let members = ty.members.iter().filter(|_| ty.kind == Kind::Struct);
        let last = members.clone().next_back().map(|m| (m, self.get(m.ty)));
        match last {
            _ if ty.kind == Kind::Array => return self.values_at(ty.elem, at, bytes),
            Some((m, array)) if array.kind == Kind::Array && array.count == 0 && at >= m.offset => {
                return self.values_at(array.elem, at - m.offset, bytes);
            }
            // One or many?
            Some((_, array)) if array.kind == Kind::Array && array.count == 1 && at >= ty.size => {
                return None;
            }
            _ => {}
        }
        let at = at.checked_rem(ty.size)?;
        let part = members
            .filter(|m| m.bits.is_none())
            .find(|m| m.offset <= at && at + bytes <= m.offset + self.size(m.ty));
        match part {
            Some(m) => self.values_at(m.ty, at - m.offset, bytes),
            None => (at == 0).then_some(id),
        }
    }

    pub fn contains(&self, id: TypeId) -> bool {
        id.index() < self.types.len()
    }
    /// The type of an id of this table; ids from a file are checked with [`TypeTable::contains`] first.
    pub fn get(&self, id: TypeId) -> &Type {
        &self.types[id.index()]
    }
    pub fn iter(&self) -> impl Iterator<Item = (TypeId, &Type)> {
        self.types
            .iter()
            .enumerate()
            .map(|(i, t)| (TypeId(i as u32), t))
    }
    /// Bytes of a value; 0 for incomplete types and functions.
    pub fn size(&self, id: TypeId) -> u64 {
        self.get(id).size
    }

    /// The first type with this kind and name.
    pub fn find(&self, kind: Kind, name: &str) -> Option<TypeId> {
        self.iter()
            .skip(1)
            .find(|(_, t)| t.kind == kind && t.name == name)
            .map(|(id, _)| id)
    }

    /// What a person calls the type: its C name, or one put together from its parts.
    pub fn describe(&self, id: TypeId) -> String {
        self.describe_to(id, 8)
    }
    fn describe_to(&self, id: TypeId, depth: u32) -> String {
        let t = self.get(id);
        if id == TypeId::UNKNOWN {
            return "untyped bytes".into();
        }
        if !t.name.is_empty() || depth == 0 {
            return t.name.clone();
        }
        match t.kind {
            Kind::Pointer if t.elem == TypeId::UNKNOWN => "void *".into(),
            Kind::Pointer => format!("{} *", self.describe_to(t.elem, depth - 1)),
            Kind::Array => format!("{}[{}]", self.describe_to(t.elem, depth - 1), t.count),
            Kind::Struct | Kind::Union => format!("anonymous {}", t.kind.name()),
            kind => kind.name().into(),
        }
    }

    /// The flexible (or, in older C, one-element) array a struct ends with; of any length where objects are one with a
    /// longer array.
    pub fn trailing_array(&self, id: TypeId) -> Option<Trailing> {
        self.trailing(id, false)
    }

    fn trailing(&self, id: TypeId, one: bool) -> Option<Trailing> {
        let t = self.get(id);
        let one = one || t.flags & ONE != 0;
        if t.flags & ROW != 0 {
            return None;
        }
        let last = t
            .members
            .last()
            .filter(|m| t.kind == Kind::Struct && m.bits.is_none())?;
        let member = self.get(last.ty);
        match member.kind {
            Kind::Array if member.count <= 1 || one => Some(Trailing {
                offset: last.offset,
                elem: member.elem,
                declared: member.count,
                one,
            }),
            Kind::Struct => {
                let inner = self.trailing(last.ty, one)?;
                Some(Trailing {
                    offset: last.offset + inner.offset,
                    ..inner
                })
            }
            _ => None,
        }
    }

    /// Checks the invariants of a type whose references are final ids; returns its depth.
    pub(crate) fn check(
        &self,
        t: &Type,
        depth_of: impl Fn(TypeId) -> Option<u16>,
    ) -> Result<u16, TypeError> {
        self.check_with(t, |id| self.types.get(id.index()), depth_of)
    }

    pub(crate) fn check_with<'a>(
        &self,
        t: &Type,
        get: impl Fn(TypeId) -> Option<&'a Type>,
        depth_of: impl Fn(TypeId) -> Option<u16>,
    ) -> Result<u16, TypeError> {
        let bad = |why: String| Err(TypeError::new(t, why));
        if t.size > MAX_SIZE {
            return bad(format!("size {}", t.size));
        }
        let sized = |sizes: &[u64]| sizes.contains(&t.size);
        let pointer = u64::from(self.abi.pointer.size);
        let long_double = u64::from(self.abi.long_double.size);
        let sizes_ok = match t.kind {
            Kind::Bool | Kind::Char | Kind::SInt | Kind::UInt => sized(&[1, 2, 4, 8]),
            Kind::Bytes => sized(&[1, 2, 4, 8, 16]),
            // An incomplete enum has no size.
            Kind::Enum => sized(&[0, 1, 2, 4, 8]),
            Kind::Float if t.is_long_double() => t.size == long_double,
            Kind::Float => sized(&[4, 8]),
            Kind::Complex if t.is_long_double() => t.size == 2 * long_double,
            Kind::Complex => sized(&[8, 16]),
            Kind::Pointer | Kind::File => t.size == pointer,
            Kind::Handle | Kind::Address => sized(&[4, 8]),
            Kind::Void
            | Kind::Function
            | Kind::Struct
            | Kind::Union
            | Kind::Array
            | Kind::Opaque => true,
        };
        if !sizes_ok {
            return bad(format!("a {} of {} bytes", t.kind.name(), t.size));
        }
        let mut depth = 0;
        if t.kind == Kind::Array {
            let Some(elem) = get(t.elem) else {
                return bad("element is not in the table".into());
            };
            if t.elem == TypeId::UNKNOWN || elem.size.checked_mul(t.count) != Some(t.size) {
                return bad(format!(
                    "{} elements of {} bytes are not {} bytes",
                    t.count, elem.size, t.size
                ));
            }
            depth = depth_of(t.elem).map_or(MAX_DEPTH, |d| d + 1);
        }
        if t.kind.is_record() && t.size > 0 && t.count != t.members.len() as u64 {
            return bad(format!(
                "{} members instead of {}",
                t.members.len(),
                t.count
            ));
        }
        if !t.kind.is_record() && !t.members.is_empty() {
            return bad(format!("a {} with members", t.kind.name()));
        }
        for member in &t.members {
            let Some(ty) = get(member.ty) else {
                return bad(format!("type of {:?} is not in the table", member.name));
            };
            let end = match member.bits {
                Some(bits) => {
                    if !(ty.kind.is_integer() || ty.is_number())
                        || bits.width == 0
                        || u64::from(bits.width) > ty.size * 8
                    {
                        return bad(format!(
                            "bit-field {:?} of {} bits in {}",
                            member.name,
                            bits.width,
                            ty.kind.name()
                        ));
                    }
                    if bits.offset > 8 * t.size || member.offset != bits.offset / 8 {
                        return bad(format!("bit-field {:?} lies outside", member.name));
                    }
                    bits.bytes().end
                }
                None => member.offset.saturating_add(ty.size),
            };
            if end > t.size {
                return bad(format!(
                    "member {:?} ends at {end} of {} bytes",
                    member.name, t.size
                ));
            }
            depth = depth.max(depth_of(member.ty).map_or(MAX_DEPTH, |d| d + 1));
        }
        if depth >= MAX_DEPTH {
            return bad("types contain each other, or nest too deeply".into());
        }
        Ok(depth)
    }
}

/// How an integer holds an address: what the `count` of its type says.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct AddressBits {
    /// Low bits that are the program's own.
    pub tags: u8,
    /// Bit n: with the tag n, it is an address; else a number.
    pub addresses: u16,
    /// It is one if something alive is there; else a number.
    pub alive: bool,
}

impl AddressBits {
    /// Tags take up to four bits.
    pub const MOST: u8 = 15;

    const ALIVE: u64 = 16;

    pub fn new(tags: u8, addresses: u16) -> AddressBits {
        AddressBits {
            tags,
            addresses,
            alive: false,
        }
    }
    /// What may as well be a number, and has no tags.
    pub fn if_alive() -> AddressBits {
        AddressBits {
            alive: true,
            ..AddressBits::new(0, 1)
        }
    }
    pub fn count(self) -> u64 {
        let alive = if self.alive { AddressBits::ALIVE } else { 0 };
        u64::from(self.tags) | alive | u64::from(self.addresses) << 8
    }
    pub fn of(t: &Type) -> AddressBits {
        AddressBits {
            tags: t.count as u8 & AddressBits::MOST,
            addresses: (t.count >> 8) as u16,
            alive: t.count & AddressBits::ALIVE != 0,
        }
    }
    pub fn is_address(self, raw: u64) -> bool {
        self.addresses >> (raw & u64::from(self.tags)) & 1 != 0
    }
}

/// See [`TypeTable::trailing_array`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Trailing {
    pub offset: u64,
    pub elem: TypeId,
    /// 0: flexible; 1: the older idiom.
    pub declared: u64,
    /// It is known that an object is one struct.
    pub one: bool,
}
