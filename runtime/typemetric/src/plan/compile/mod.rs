//! Compiles a pair of types into the steps of a plan, collecting every mismatch.

pub(crate) mod nodes;
mod sizes;
mod union;
mod words;

pub use sizes::has_totals;

use crate::abi::{Abi, LongDouble};
use crate::float::{Format, Stored};
use crate::plan::address_bits::Address;
use crate::plan::ops::ElementPlan;
use crate::plan::ops::{push, push_repeated, Int, Op, Reference, Step};
use crate::plan::resolve::{Env, Mismatch};
use crate::plan::{Plan, Tail};
use crate::types::{
    counterparts, is_filler, AddressBits, Bits, Kind, Member, Type, TypeId, TypeTable, SIGNED,
    UNKNOWN,
};
use nodes::Nodes;
use std::collections::HashMap;

/// Guards against type tables made to explode; real types stay far below.
const MAX_WORK: u32 = 1 << 21;
const MAX_MISMATCHES: usize = 50;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Mode {
    /// Identical parts are copied whole.
    Convert,
    /// Identical parts were copied: only references are left to do.
    References,
    /// Every scalar on its own, for comparing members of a union.
    Scalars,
}

pub(crate) struct Compiler<'a> {
    pub src: &'a TypeTable,
    pub dst: &'a TypeTable,
    identical: HashMap<(TypeId, TypeId), bool>,
    references: HashMap<TypeId, bool>,
    single_chars: HashMap<TypeId, bool>,
    path: Vec<String>,
    mismatches: Vec<Mismatch>,
    work: u32,
}

/// A step for one element.
fn one(at: (u64, u64), step: Step) -> Op {
    Op {
        s: at.0,
        d: at.1,
        n: 1,
        step,
    }
}

impl<'a> Compiler<'a> {
    pub fn new(src: &'a TypeTable, dst: &'a TypeTable) -> Self {
        Compiler {
            src,
            dst,
            identical: HashMap::new(),
            references: HashMap::new(),
            single_chars: HashMap::new(),
            path: Vec::new(),
            mismatches: Vec::new(),
            work: 0,
        }
    }

    pub fn plan(mut self, s: TypeId, d: TypeId) -> Result<Plan, Vec<Mismatch>> {
        let body = self.body(s, d);
        let tail = self.tail(s, d);
        if !self.mismatches.is_empty() {
            return Err(self.mismatches);
        }
        let references = self.has_references(s);
        let untyped = has_untyped(self.src, s, &mut HashMap::new());
        let env = Env {
            from: self.src.abi().endian,
            to: self.dst.abi().endian,
        };
        let node = Nodes::new(&mut self).root(s, d);
        Ok(Plan {
            env,
            body,
            tail,
            node,
            references,
            untyped,
        })
    }

    fn body(&mut self, s: TypeId, d: TypeId) -> ElementPlan {
        let copy = self.identical(s, d) && !self.changes_chars(s);
        let mut ops = Vec::new();
        let mode = if copy {
            Mode::References
        } else {
            Mode::Convert
        };
        self.value(s, d, (0, 0), mode, &mut ops);
        ElementPlan {
            from_size: self.src.size(s),
            to_size: self.dst.size(d),
            copy,
            ops,
        }
    }

    fn tail(&mut self, s: TypeId, d: TypeId) -> Option<Tail> {
        let from = self.src.trailing_array(s)?;
        let Some(to) = self
            .dst
            .trailing_array(d)
            .filter(|to| to.declared == from.declared)
        else {
            self.mismatch(s, d, "the array at the end differs");
            return None;
        };
        self.path.push(".(array at the end)[]".into());
        let body = self.body(from.elem, to.elem);
        self.path.pop();
        if !self.mismatches.is_empty() {
            return None;
        }
        let node = Nodes::new(self).root(from.elem, to.elem);
        Some(Tail {
            from: from.offset,
            to: to.offset,
            declared: from.declared,
            one: from.one,
            body,
            node,
        })
    }

    fn mismatch(&mut self, s: TypeId, d: TypeId, reason: impl Into<String>) {
        if self.mismatches.len() < MAX_MISMATCHES {
            let found = Mismatch {
                path: self.path.concat(),
                source_type: self.src.describe(s),
                target_type: self.dst.describe(d),
                reason: reason.into(),
            };
            if !self.mismatches.contains(&found) {
                self.mismatches.push(found);
            }
        }
    }

    /// Values of the two types have the same bytes, references apart.
    pub(crate) fn identical(&mut self, s: TypeId, d: TypeId) -> bool {
        if let Some(&known) = self.identical.get(&(s, d)) {
            return known;
        }
        let (src, dst) = (self.src, self.dst);
        let (a, b) = (src.get(s), dst.get(d));
        let same = a.size == b.size && self.identical_parts(s, a, d, b);
        self.identical.insert((s, d), same);
        same
    }

    fn identical_parts(&mut self, s: TypeId, a: &Type, d: TypeId, b: &Type) -> bool {
        let (from, to) = (self.src.abi(), self.dst.abi());
        let same_order = from.endian == to.endian;
        let unknown = |id: TypeId| id == TypeId::UNKNOWN;
        match (a.kind, b.kind) {
            _ if self.same_number(a, b) => same_order || a.size == 1,
            (Kind::Void | Kind::Opaque, _) => {
                a.kind == b.kind && unknown(s) == unknown(d) && from.same_layout(to)
            }
            (Kind::Char, Kind::Char) | (Kind::Bool, Kind::Bool) => a.size == 1 || same_order,
            (Kind::Bool, _) | (_, Kind::Bool) | (Kind::Function, _) => false,
            (k, l) if k.is_integer() && l.is_integer() => {
                (a.size == 1 || same_order) && a.is_signed(from) == b.is_signed(to)
            }
            _ if self.of_sizes(a, b) => {
                (a.size == 1 || same_order)
                    && a.is_signed(from) == b.is_signed(to)
                    && self.same_sizes(a, b)
            }
            (Kind::Float, Kind::Float) | (Kind::Complex, Kind::Complex) => {
                let both_double_double = [from, to]
                    .iter()
                    .all(|x| x.long_double_format == LongDouble::DoubleDouble);
                let same_format = match (Stored::of(from, a), Stored::of(to, b)) {
                    (Some(x), Some(y)) => x == y,
                    (None, None) => both_double_double,
                    _ => false,
                };
                same_order && same_format
            }
            (Kind::Address, Kind::Address) => {
                same_order && AddressBits::of(a) == AddressBits::of(b)
            }
            (k, l) if k.is_reference() => k == l && same_order,
            (Kind::Struct, Kind::Struct) | (Kind::Union, Kind::Union) => {
                (same_order || !a.members.iter().any(|m| m.bits.is_some()))
                    && a.members.len() == b.members.len()
                    && a.members.iter().zip(&b.members).all(|(m, n)| {
                        (&m.name, m.offset, m.bits) == (&n.name, n.offset, n.bits)
                            && self.identical_member(m.ty, n.ty, m.bits.is_some())
                    })
            }
            (Kind::Array, Kind::Array) => a.count == b.count && self.identical(a.elem, b.elem),
            _ => false,
        }
    }

    /// A number that the other ABI has, too.
    fn same_number(&self, a: &Type, b: &Type) -> bool {
        let known = a.is_number() && b.is_number() && matches!(a.size, 1 | 2 | 4 | 8 | 16);
        known && (&a.name, a.size) == (&b.name, b.size)
    }

    /// The storage unit of a bit-field may differ in size as long as its bits do not.
    fn identical_member(&mut self, s: TypeId, d: TypeId, bit_field: bool) -> bool {
        if !bit_field {
            return self.identical(s, d);
        }
        let (a, b) = (self.src.get(s), self.dst.get(d));
        a.is_signed(self.src.abi()) == b.is_signed(self.dst.abi())
            && (a.kind == Kind::Bool) == (b.kind == Kind::Bool)
    }

    pub(crate) fn has_references(&mut self, s: TypeId) -> bool {
        if let Some(&known) = self.references.get(&s) {
            return known;
        }
        let src = self.src;
        let t = src.get(s);
        let has = match t.kind {
            Kind::Array => self.has_references(t.elem),
            kind => kind.is_reference() || t.members.iter().any(|m| self.has_references(m.ty)),
        };
        self.references.insert(s, has);
        has
    }

    /// Is a member a plain `char` by itself, and plain `char` signed on one side only?  Arrays of them are text, and unions
    /// keep their bytes.
    fn changes_chars(&mut self, s: TypeId) -> bool {
        self.src.abi().char_signed != self.dst.abi().char_signed && self.has_single_chars(s)
    }

    fn has_single_chars(&mut self, s: TypeId) -> bool {
        if let Some(&known) = self.single_chars.get(&s) {
            return known;
        }
        let src = self.src;
        let t = src.get(s);
        let is_char = |m: &Member| m.bits.is_none() && src.get(m.ty).kind == Kind::Char;
        let has = match t.kind {
            Kind::Array => self.has_single_chars(t.elem),
            Kind::Struct => {
                t.members.iter().any(is_char)
                    || t.members.iter().any(|m| self.has_single_chars(m.ty))
            }
            _ => false,
        };
        self.single_chars.insert(s, has);
        has
    }

    fn value(&mut self, s: TypeId, d: TypeId, at: (u64, u64), mode: Mode, out: &mut Vec<Op>) {
        self.work += 1;
        if self.work == MAX_WORK {
            self.mismatch(s, d, "the type is too large to convert");
        }
        if self.work >= MAX_WORK || mode == Mode::References && !self.has_references(s) {
            return;
        }
        let (src, dst) = (self.src, self.dst);
        let (a, b) = (src.get(s), dst.get(d));
        let mut mode = mode;
        if mode == Mode::Convert && self.identical(s, d) && !self.changes_chars(s) {
            push(out, copy(at, a.size));
            mode = Mode::References;
            if !self.has_references(s) {
                return;
            }
        }
        match (a.kind, b.kind) {
            _ if self.same_number(a, b) => push(out, self.integer(a, b, at)),
            (Kind::Opaque | Kind::Void, _) if self.identical(s, d) => push(out, copy(at, a.size)),
            (Kind::Bool, Kind::Bool) => push(out, self.integer(a, b, at)),
            (Kind::Bool, _) | (_, Kind::Bool) => self.differ(s, d),
            (k, l) if k.is_integer() && l.is_integer() => push(out, self.integer(a, b, at)),
            _ if self.of_sizes(a, b) => push(out, self.sized(a, b, at)),
            (Kind::Float, Kind::Float) | (Kind::Complex, Kind::Complex) => {
                self.floats(s, d, at, out);
            }
            (Kind::Address, Kind::Address) if AddressBits::of(a) != AddressBits::of(b) => {
                self.mismatch(s, d, "other bits of the integer are its tag");
            }
            (k, l) if k.is_reference() && k == l => push(out, self.reference(s, d, at)),
            (Kind::Struct, Kind::Struct) => self.members(s, d, at, mode, out),
            (Kind::Union, Kind::Union)
                if mode == Mode::Scalars && self.identical(s, d) && !self.has_references(s) =>
            {
                push(out, copy(at, a.size));
            }
            (Kind::Union, Kind::Union) => self.union(s, d, at, mode, out),
            (Kind::Array, Kind::Array) => self.array(s, d, at, mode, out),
            (Kind::Opaque | Kind::Void, k) if k == a.kind => {
                let (what, more) = if a.flags & UNKNOWN != 0 {
                    let more = " (pc3cc --explain=heap lists what allocates them)";
                    ("bytes of unknown type".into(), more)
                } else {
                    (src.describe(s), "")
                };
                let reason = format!(
                    "{what} cannot move from {} to {}{more}",
                    src.abi().name,
                    dst.abi().name
                );
                self.mismatch(s, d, reason);
            }
            _ => self.differ(s, d),
        }
    }

    fn floats(&mut self, s: TypeId, d: TypeId, at: (u64, u64), out: &mut Vec<Op>) {
        let (a, b) = (self.src.get(s), self.dst.get(d));
        let parts = if a.kind == Kind::Complex { 2 } else { 1 };
        match self.float(a, b) {
            Some(op) => push_repeated(out, vec![op], at, (a.size / parts, b.size / parts), parts),
            None if self.identical(s, d) => push(out, copy(at, a.size)),
            None => self.mismatch(
                s,
                d,
                "a pair-of-doubles long double cannot change its format",
            ),
        }
    }

    fn reference(&self, s: TypeId, d: TypeId, at: (u64, u64)) -> Op {
        let (src, dst) = (self.src, self.dst);
        let (a, b) = (src.get(s), dst.get(d));
        let what = match a.kind {
            Kind::Handle => Reference::Handle(s),
            Kind::File => Reference::File,
            Kind::Address => Reference::Integer(Address {
                held: AddressBits::of(a),
                signed: a.flags & SIGNED != 0,
                bits: (8 * a.size as u32, 8 * b.size as u32),
                pointers: (bits(src.abi()), bits(dst.abi())),
            }),
            _ if src.get(a.elem).kind == Kind::Function => Reference::Function,
            _ => Reference::Pointer(a.elem),
        };
        let (from, to) = (a.size as u8, b.size as u8);
        one(at, Step::Refer { what, from, to })
    }

    fn array(&mut self, s: TypeId, d: TypeId, at: (u64, u64), mode: Mode, out: &mut Vec<Op>) {
        let (src, dst) = (self.src, self.dst);
        let (a, b) = (src.get(s), dst.get(d));
        if a.count == b.count {
            let mut body = Vec::new();
            self.path.push("[]".into());
            if a.count > 0 {
                self.value(a.elem, b.elem, (0, 0), mode, &mut body);
            }
            self.path.pop();
            push_repeated(out, body, at, (src.size(a.elem), dst.size(b.elem)), a.count);
        } else if self.room_for_words(a, b) {
            let (from, to) = (src.abi().pointer.size, dst.abi().pointer.size);
            let words = a.count / u64::from(from);
            let int = |size| Int {
                size,
                signed: false,
            };
            let step = Step::Size {
                from: int(from),
                to: int(to),
                but_nothing: true,
                one_of: Vec::new(),
                enough: None,
                what: format!(
                    "lies in an array of {} characters, which has {} here: what else than 0 is in it, characters or pointers, is not known",
                    a.count, b.count
                ),
            };
            let strides = (u64::from(from), u64::from(to));
            push_repeated(out, vec![one((0, 0), step)], at, strides, words);
        } else {
            let reason = format!(
                "an array of {} elements in the checkpoint, of {} here",
                a.count, b.count
            );
            self.mismatch(s, d, reason);
        }
    }

    /// Are both arrays of characters, with room for as many pointers?
    fn room_for_words(&self, a: &Type, b: &Type) -> bool {
        let (src, dst) = (self.src, self.dst);
        let words = |t: &Type, abi: &Abi| {
            let size = u64::from(abi.pointer.size);
            (t.count % size == 0).then_some(t.count / size)
        };
        let characters = [src.get(a.elem), dst.get(b.elem)];
        let characters = characters
            .iter()
            .all(|t| t.size == 1 && t.kind.is_integer());
        let known = words(a, src.abi()).filter(|n| *n > 0);
        characters && known.is_some() && known == words(b, dst.abi())
    }

    fn differ(&mut self, s: TypeId, d: TypeId) {
        let reason = format!(
            "{} in the checkpoint, {} here",
            self.src.describe(s),
            self.dst.describe(d)
        );
        self.mismatch(s, d, reason);
    }

    fn integer(&self, a: &Type, b: &Type, at: (u64, u64)) -> Op {
        let (from, to) = (self.src.abi(), self.dst.abi());
        let (signed, to_signed) = (a.is_signed(from), b.is_signed(to));
        let both_char = a.kind == Kind::Char && b.kind == Kind::Char;
        let size = a.size as u8;
        let (n, step) = if a.size != b.size || signed != to_signed && !both_char {
            (
                1,
                Step::Int {
                    from: Int { size, signed },
                    to: Int {
                        size: b.size as u8,
                        signed: to_signed,
                    },
                },
            )
        } else if size == 1 || from.endian == to.endian {
            (a.size, Step::Copy)
        } else {
            (1, Step::Swap(size))
        };
        Op {
            s: at.0,
            d: at.1,
            n,
            step,
        }
    }

    fn is_changed_char(&self, s: TypeId, d: TypeId) -> bool {
        let both = (self.src.get(s).kind, self.dst.get(d).kind) == (Kind::Char, Kind::Char);
        both && self.src.abi().char_signed != self.dst.abi().char_signed
    }

    fn float(&self, a: &Type, b: &Type) -> Option<Op> {
        let from = Stored::of(self.src.abi(), a)?;
        let to = Stored::of(self.dst.abi(), b)?;
        let (n, step) = if from != to {
            (1, Step::Float { from, to })
        } else if self.src.abi().endian == self.dst.abi().endian {
            (from.size.into(), Step::Copy)
        } else if from.format == Format::X87 {
            (1, Step::Float { from, to })
        } else {
            (1, Step::Swap(from.size))
        };
        Some(Op {
            s: 0,
            d: 0,
            n,
            step,
        })
    }

    fn members(&mut self, s: TypeId, d: TypeId, at: (u64, u64), mode: Mode, out: &mut Vec<Op>) {
        let (src, dst) = (self.src, self.dst);
        let (a, b) = (src.get(s), dst.get(d));
        let Some(pairs) = counterparts(a, b) else {
            return self.different_members(s, d);
        };
        for (i, k) in pairs {
            let (m, n) = (&a.members[i], &b.members[k]);
            self.path.push(part(&m.name, i));
            match (m.bits, n.bits) {
                (Some(from), Some(to)) if mode != Mode::References => {
                    let (x, y) = (src.get(m.ty), dst.get(n.ty));
                    if (x.kind == Kind::Bool) != (y.kind == Kind::Bool) {
                        self.differ(m.ty, n.ty);
                    }
                    let (signed, to_signed) = (x.is_signed(src.abi()), y.is_signed(dst.abi()));
                    let mut from = from;
                    let mut to = to;
                    from.offset += 8 * at.0;
                    to.offset += 8 * at.1;
                    self.bits((m.ty, n.ty), (from, to), (signed, to_signed), out);
                }
                (Some(_), Some(_)) => {}
                (None, None) => match &n.choice.0 {
                    Some(choice) => self.chosen((s, i), (d, k), choice, at, mode, out),
                    None => {
                        let at = (at.0 + m.offset, at.1 + n.offset);
                        let total = self.shared_total(a, m, n, at);
                        match mode {
                            Mode::Convert if total.is_some() => {
                                total.into_iter().for_each(|op| push(out, op));
                            }
                            Mode::Convert if self.is_changed_char(m.ty, n.ty) => {
                                let to_signed = dst.abi().char_signed;
                                let step = Step::Char { to_signed };
                                let (s, d) = at;
                                push(out, Op { s, d, n: 1, step });
                            }
                            _ => self.value(m.ty, n.ty, at, mode, out),
                        }
                    }
                },
                _ => self.mismatch(m.ty, n.ty, "a bit-field on one side only"),
            }
            self.path.pop();
        }
    }

    /// A bit-field; one of more than 64 bits in several pieces.
    pub(super) fn bits(
        &mut self,
        (s, d): (TypeId, TypeId),
        (from, to): (Bits, Bits),
        (signed, to_signed): (bool, bool),
        out: &mut Vec<Op>,
    ) {
        let mut one = |from, to, signed, to_signed| {
            let step = Step::Bits {
                from,
                to,
                signed,
                to_signed,
            };
            let (s, d, n) = (0, 0, 1);
            push(out, Op { s, d, n, step });
        };
        let (wide, other) = (from.width.max(to.width) > 64, from.width != to.width);
        match (wide, other) {
            (false, _) => one(from, to, signed, to_signed),
            (true, true) => self.mismatch(s, d, "bit-fields of more than 64 bits differ in width"),
            (true, false) => {
                let (x, y) = (self.src.abi().endian, self.dst.abi().endian);
                for (from, to) in from.pieces(x).zip(to.pieces(y)) {
                    one(from, to, false, false);
                }
            }
        }
    }

    /// Reports members that one side lacks.
    fn different_members(&mut self, s: TypeId, d: TypeId) {
        let names = |t: &Type| {
            let named = t.members.iter().filter(|m| !is_filler(t, &m.name));
            named.map(|m| m.name.clone()).collect::<Vec<_>>()
        };
        let (ours, theirs) = (names(self.src.get(s)), names(self.dst.get(d)));
        let before = self.mismatches.len();
        for name in ours.iter().filter(|n| !theirs.contains(n)) {
            self.mismatch(
                s,
                d,
                format!("{} has no member {name:?} here", whose(self.src, s)),
            );
        }
        for name in theirs.iter().filter(|n| !ours.contains(n)) {
            self.mismatch(
                s,
                d,
                format!(
                    "{} has no member {name:?} in the checkpoint",
                    whose(self.dst, d)
                ),
            );
        }
        if self.mismatches.len() == before {
            self.mismatch(
                s,
                d,
                format!(
                    "the members of {} stand in another order here",
                    self.src.describe(s)
                ),
            );
        }
    }
}

/// So many bytes as they are.
fn copy(at: (u64, u64), n: u64) -> Op {
    let (s, d, step) = (at.0, at.1, Step::Copy);
    Op { s, d, n, step }
}

/// How a struct is called where members are missed; a function's variables have no name.
fn whose(table: &TypeTable, id: TypeId) -> String {
    match table.get(id).name.is_empty() {
        true => "it".to_owned(),
        false => table.describe(id),
    }
}

/// Of a pointer.
fn bits(abi: &Abi) -> u32 {
    8 * u32::from(abi.pointer.size)
}

fn part(name: &str, index: usize) -> String {
    if name.is_empty() {
        return format!(".(unnamed member {})", index + 1);
    }
    format!(".{name}")
}

/// Whether values hold bytes nobody knows the type of.
fn has_untyped(table: &TypeTable, id: TypeId, known: &mut HashMap<TypeId, bool>) -> bool {
    if let Some(&k) = known.get(&id) {
        return k;
    }
    let t = table.get(id);
    let has = match t.kind {
        Kind::Array => has_untyped(table, t.elem, known),
        Kind::Pointer => false,
        _ => t.flags & UNKNOWN != 0 || t.members.iter().any(|m| has_untyped(table, m.ty, known)),
    };
    known.insert(id, has);
    has
}

impl Plan {
    /// Compiles the conversion of `s` of `src` into `d` of `dst`, or says all that stands against it.
    pub fn compile(
        src: &TypeTable,
        s: TypeId,
        dst: &TypeTable,
        d: TypeId,
    ) -> Result<Plan, Vec<Mismatch>> {
        Compiler::new(src, dst).plan(s, d)
    }
}
