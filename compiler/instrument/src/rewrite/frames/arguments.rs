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

use crate::rewrite::clones::ctypes::Names;
use crate::rewrite::clones::printer::Printer;
use crate::rewrite::frames::copied_arguments;
use pc3_program::linear::Linear;
use pc3_syntax::tree::*;

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
    /// What may take several, or be passed by reference: there is a copy beside them.
    Copy(QualType),
}

impl Slot {
    fn declare(self, u: &Unit, n: &Names, name: &str) -> String {
        match self {
            Slot::Long { signed: true, .. } => format!("long {name}"),
            Slot::Long { .. } => format!("unsigned long {name}"),
            Slot::Double => format!("double {name}"),
            Slot::Value(q) => n.declare_plain(q, name),
            Slot::PointerTo(q) => n.pointer_to(q, name),
            Slot::Copy(q) => {
                copied_arguments::slot(u, &n.type_name(QualType::plain(q.ty)), q, name)
            }
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
            IntKind::Int128 | IntKind::UInt128 | IntKind::Bits { .. } => Slot::Copy(q),
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
        _ if copied_arguments::is_known(u, q) => Slot::Copy(q),
        _ => return None,
    })
}

/// Its name in the shadow struct.
pub fn member(n: usize) -> String {
    format!("pc3_args{n}")
}

/// What lies at a place of the shadow struct.
pub enum ShadowMember {
    Argument(Slot),
    /// Filled from the copy: nothing of its own.
    Filled,
    Copy(QualType),
    /// A byte at the end.
    End,
}

/// Members of the shadow struct for the `n`-th packed call.
pub fn places(u: &Unit, n: usize, call: ExprId) -> Vec<(String, ShadowMember)> {
    let mut out = Vec::new();
    let mut copies = Vec::new();
    for (i, (_, slot)) in slots(u, call).into_iter().enumerate() {
        let held = match slot {
            Some(Slot::Copy(q)) => {
                copies.push((copied_arguments::member(n, i), ShadowMember::Copy(q)));
                ShadowMember::Filled
            }
            Some(s) => ShadowMember::Argument(s),
            None => continue,
        };
        out.push((format!("{}.a{i}", member(n)), held));
    }
    out.push((format!("{}.pc3_end", member(n)), ShadowMember::End));
    out.extend(copies);
    out
}

/// The member's declaration.
pub fn field(u: &Unit, names: &Names, n: usize, call: ExprId) -> String {
    let mut out = String::from("struct { ");
    let mut copies = String::new();
    for (i, (_, s)) in slots(u, call).iter().enumerate() {
        if let Some(s) = s {
            out += &format!("{}; ", s.declare(u, names, &format!("a{i}")));
        }
        if let Some(Slot::Copy(q)) = s {
            let c = copied_arguments::member(n, i);
            copies += &format!("{}; char pc3_gap_{c}; ", names.declare_plain(*q, &c));
        }
    }
    out + &format!(
        "char pc3_end; }} {} __attribute__((aligned(16))); {copies}",
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
    pub(crate) fn packed_call(
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
        for (i, (a, s)) in list.iter().enumerate().rev() {
            let text = self.text(*a, lin, true);
            out += &match s {
                Some(Slot::Copy(q)) => {
                    let copy = format!("pc3_s->{}", copied_arguments::member(n, i));
                    format!(
                        "{copy} = ({text}), {}, ",
                        copied_arguments::fill(self.cx, *q, &format!("{base}.a{i}"), &copy)
                    )
                }
                _ => format!("{base}.a{i} = ({text}), "),
            };
        }
        out += &format!("pc3_me->args = (void *)&{base}, ");
        if let Some(site) = crate::rewrite::runtime_calls::library::wrapper_site(self.cx, call) {
            out += &format!("{site}, ");
        }
        let mut values: Vec<String> = args[..named]
            .iter()
            .map(|a| self.text(*a, lin, true))
            .collect();
        for (i, (_, s)) in list.iter().enumerate() {
            let place = match s {
                Some(Slot::Copy(_)) => format!("pc3_s->{}", copied_arguments::member(n, i)),
                _ => format!("{base}.a{i}"),
            };
            values.push(s.map_or(place.clone(), |s| s.read(&place)));
        }
        out += &format!("({})({}))", self.text(callee, lin, true), values.join(", "));
        Some(out)
    }

    /// In a resume clone, behind restoring: what has been passed in memory is there again.
    pub fn refill(&self, call: ExprId) -> String {
        let u = self.u();
        let Some(n) = self.plan.packed_calls.iter().position(|c| *c == call) else {
            return String::new();
        };
        let mut out = String::new();
        for (i, (_, s)) in slots(u, call).iter().enumerate() {
            if let Some(Slot::Copy(q)) = s {
                let copy = format!("pc3_s->{}", copied_arguments::member(n, i));
                let slot = format!("pc3_s->{}.a{i}", member(n));
                out += &format!("{}; ", copied_arguments::fill(self.cx, *q, &slot, &copy));
            }
        }
        out
    }
}
