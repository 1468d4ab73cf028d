//! Packed variable arguments: calls of functions that read theirs after a point.
//!
//! The caller puts them into its shadow struct, where they lie as the ABI's stack would have them, so that a `va_list`
//! made of their address works everywhere, libraries included.  Between points such a list is one pointer.
//!
//! ```c
//! say("%d %s", n, name);                                                    // user
//!
//! (pc3_s->pc3_args0.a1 = (name), pc3_s->pc3_args0.a0 = (n), pc3_me->args = (void *)&pc3_s->pc3_args0,
//!  say("%d %s", (int)pc3_s->pc3_args0.a0, pc3_s->pc3_args0.a1))             // both clones
//!
//! void *const pc3_va = pc3_me->args;                                        // in `say`
//! ```

use super::ctypes::Names;
use super::print::Printer;
use crate::analysis::linear::Linear;
use crate::tree::*;

/// How an argument lies there.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Slot {
    /// Integers of up to a `long` take one.
    Long {
        signed: bool,
        int: bool,
    },
    Double,
    Value(QualType),
    /// A decayed array or function.
    PointerTo(QualType),
}

impl Slot {
    pub fn declare(self, n: &Names, name: &str) -> String {
        match self {
            Slot::Long { signed: true, .. } => format!("long {name}"),
            Slot::Long { .. } => format!("unsigned long {name}"),
            Slot::Double => format!("double {name}"),
            Slot::Value(q) => n.declare_plain(q, name),
            Slot::PointerTo(q) => n.pointer_to(q, name),
        }
    }
    /// The argument itself.
    fn read(self, place: &str) -> String {
        match self {
            Slot::Long {
                signed: true,
                int: true,
            } => format!("(int){place}"),
            Slot::Long {
                signed: false,
                int: true,
            } => format!("(unsigned){place}"),
            _ => place.into(),
        }
    }
}

/// The arguments behind the named ones, and how each lies; None for those that cannot be packed.
pub fn slots(u: &Unit, call: ExprId) -> Vec<(ExprId, Option<Slot>)> {
    let ExprKind::Call { callee, args } = &u.expr(call).kind else {
        return Vec::new();
    };
    let named = named(u, *callee);
    args.iter().skip(named).map(|a| (*a, slot(u, *a))).collect()
}

fn named(u: &Unit, callee: ExprId) -> usize {
    let mut t = u.expr(callee).ty.ty;
    if let Type::Pointer(q) = u.ty(t) {
        t = q.ty;
    }
    match u.ty(t) {
        Type::Function { params, .. } => params.len(),
        _ => 0,
    }
}

fn slot(u: &Unit, a: ExprId) -> Option<Slot> {
    let q = u.expr(a).ty;
    Some(match u.ty(q.ty) {
        Type::Bool => Slot::Long {
            signed: true,
            int: true,
        },
        Type::Enum(e) => Slot::Long {
            signed: u.target.signed(u.enums[e.index()].underlying),
            int: true,
        },
        Type::Int(k) => match k {
            IntKind::LongLong | IntKind::ULongLong => Slot::Value(q),
            IntKind::Int128 | IntKind::UInt128 => return None,
            IntKind::Long => Slot::Long {
                signed: true,
                int: false,
            },
            IntKind::ULong => Slot::Long {
                signed: false,
                int: false,
            },
            IntKind::UInt => Slot::Long {
                signed: false,
                int: true,
            },
            _ => Slot::Long {
                signed: true,
                int: true,
            },
        },
        Type::Float(FloatKind::Float | FloatKind::Double) => Slot::Double,
        Type::Pointer(_) => Slot::Value(q),
        Type::Array { elem, .. } => Slot::PointerTo(*elem),
        Type::Function { .. } => Slot::PointerTo(q),
        _ => return None,
    })
}

/// Its name in the shadow struct.
pub fn member(n: usize) -> String {
    format!("pc3_args{n}")
}

/// Members of the shadow struct for the `n`-th packed call, with their types; the last is a byte at the end.
pub fn places(u: &Unit, n: usize, call: ExprId) -> Vec<(String, Option<Slot>)> {
    let list = slots(u, call);
    let args = list.iter().enumerate();
    let mut out: Vec<_> = args
        .map(|(i, (_, s))| (format!("{}.a{i}", member(n)), *s))
        .collect();
    out.push((format!("{}.pc3_end", member(n)), None));
    out
}

/// The member's declaration.
pub fn field(u: &Unit, names: &Names, n: usize, call: ExprId) -> String {
    let mut out = String::from("struct { ");
    for (i, (_, s)) in slots(u, call).iter().enumerate() {
        if let Some(s) = s {
            out += &format!("{}; ", s.declare(names, &format!("a{i}")));
        }
    }
    out + &format!(
        "char pc3_end; }} {} __attribute__((aligned(16))); ",
        member(n)
    )
}

/// Saved is where the list stands.
pub fn position(list: &str) -> String {
    format!("__extension__({{ __builtin_va_list pc3_l; __builtin_va_copy(pc3_l, {list}); pc3_va_at((const void *)&pc3_l); }})")
}

pub fn begin(list: &str, at: &str) -> String {
    format!("__extension__({{ __builtin_va_list pc3_l; pc3_va_make((void *)&pc3_l, {at}); __builtin_va_copy({list}, pc3_l); }})")
}

impl Printer<'_, '_> {
    /// A packed call; None if `call` is none.
    pub fn packed_call(
        &self,
        call: ExprId,
        callee: ExprId,
        args: &[ExprId],
        lin: Option<&Linear>,
    ) -> Option<String> {
        let u = self.u();
        let n = self.plan.packed_calls.iter().position(|c| *c == call)?;
        let list = slots(u, call);
        let named = args.len() - list.len();
        let base = format!("pc3_s->{}", member(n));
        let mut out = String::from("(");
        for (i, (a, _)) in list.iter().enumerate().rev() {
            out += &format!("{base}.a{i} = ({}), ", self.text(*a, lin, true));
        }
        out += &format!("pc3_me->args = (void *)&{base}, ");
        if let Some(site) = super::calls::wrapper_site(self.cx, call) {
            out += &format!("{site}, ");
        }
        let mut values: Vec<String> = args[..named]
            .iter()
            .map(|a| self.text(*a, lin, true))
            .collect();
        for (i, (_, s)) in list.iter().enumerate() {
            let place = format!("{base}.a{i}");
            values.push(s.map_or(place.clone(), |s| s.read(&place)));
        }
        out += &format!("({})({}))", self.text(callee, lin, true), values.join(", "));
        Some(out)
    }
}
