//! What numbers are made of, and what sums and products of them are.

use super::{same, Program};
use crate::heap::{innermost, trailing};
use pc3_syntax::tree::*;

/// A type of a unit.
pub type Object = (usize, TypeId);

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Counts {
    /// Not known yet.
    Unseen,
    /// 0.
    Nothing,
    /// No size is in it.
    Plain,
    /// Sizes that are the same everywhere.
    Fixed,
    /// So many objects of a type.
    Multiple(Object),
    /// Where something lies in an object of a type, or in one of several.
    Place(Object),
    /// The address of something in an object of a type, which MPI said, or how far two such are apart.
    Apart(Object),
    /// Multiples of what MPI says of a datatype's extent.
    Extents,
    Unknown,
    /// Sizes that are not the same everywhere, in another way.
    Varies,
}

use Counts::*;

impl Counts {
    /// What it counts, or lies in.
    pub fn object(self) -> Option<TypeId> {
        match self {
            Multiple(of) | Place(of) | Apart(of) => Some(of.1),
            _ => None,
        }
    }

    /// As a unit knows it.
    pub(crate) fn at_home(self, p: &Program, unit: usize) -> Counts {
        let here = |(from, ty)| same(p, from, ty, unit).map(|ty| (unit, ty));
        match self {
            Multiple(of) => here(of).map_or(Varies, Multiple),
            Place(of) => here(of).map_or(Varies, Place),
            Apart(of) => here(of).map_or(Unknown, Apart),
            other => other,
        }
    }

    fn varies(self) -> bool {
        matches!(self, Multiple(_) | Place(_) | Varies)
    }

    /// Neither of both: the less is known the more it says.
    fn neither(self, other: Counts) -> Counts {
        match self.varies() || other.varies() {
            true => Varies,
            false => Unknown,
        }
    }

    /// Of one of two numbers.
    pub fn or(self, other: Counts, p: &Program) -> Counts {
        match (self, other) {
            (Unseen, x) | (x, Unseen) | (Nothing, x) | (x, Nothing) => x,
            (a, b) if a == b => a,
            (Fixed, Plain) | (Plain, Fixed) => Plain,
            (Multiple(a), Multiple(b)) if equal(p, a, b) => Multiple(a),
            (Place(a), Place(b)) if equal(p, a, b) => Place(a),
            (Apart(a), Apart(b)) if equal(p, a, b) => Apart(a),
            (Multiple(a), Place(b)) | (Place(b), Multiple(a)) if equal(p, a, b) => Place(b),
            (a, b) => a.neither(b),
        }
    }

    pub fn binary(op: BinOp, a: Counts, b: Counts, p: &Program) -> Counts {
        use BinOp::*;
        match (op, a, b) {
            (_, Unseen, _) | (_, _, Unseen) => Unseen,
            (Add, Nothing, x) | (Add | Sub, x, Nothing) => x,
            (Add | Sub, Plain, Plain) => Plain,
            (Add | Sub, Fixed, Fixed) => Fixed,
            (Add | Sub, Fixed, Plain) | (Add | Sub, Plain, Fixed) => Plain,
            (Add | Sub, Multiple(s), Multiple(t)) if equal(p, s, t) => Multiple(s),
            (Add, Place(s), Multiple(t)) | (Add, Multiple(t), Place(s)) if equal(p, s, t) => {
                Place(s)
            }
            (Add | Sub, Apart(s), Apart(t)) if equal(p, s, t) => Apart(s),
            (Add | Sub, Extents, Extents) => Extents,
            (Mul, Extents, Plain | Unknown) | (Mul, Plain | Unknown, Extents) => Extents,
            // An element of a member that is an array.
            (Add, Place(s), Multiple(t)) | (Add, Multiple(t), Place(s))
                if contains(p, s, &mut |q| equal(p, (s.0, q), t)) =>
            {
                Place(s)
            }
            (Add, Place(s), Fixed) | (Add, Fixed, Place(s)) if contains(p, s, &mut |_| true) => {
                Place(s)
            }
            // A member of a member.
            (Add, Place(s), Place(t)) if holds(p, s, t) => Place(s),
            (Add, Place(s), Place(t)) if holds(p, t, s) => Place(t),
            (Mul, Nothing, _) | (Mul, _, Nothing) => Nothing,
            (Mul, of @ (Multiple(_) | Fixed), Plain | Unknown) => of,
            (Mul, Plain | Unknown, of @ (Multiple(_) | Fixed)) => of,
            (Mul, Fixed, Fixed) => Fixed,
            (Mul, Fixed, of @ Multiple(_)) | (Mul, of @ Multiple(_), Fixed) => of,
            (Shl, x @ (Multiple(_) | Fixed | Plain), Plain | Nothing) => x,
            // How many there are.
            (Div, Multiple(s), Multiple(t)) if equal(p, s, t) => Plain,
            (Div, Fixed, Fixed) => Plain,
            (Lt | Gt | Le | Ge | Eq | Ne | LogAnd | LogOr, ..) => Plain,
            (_, Plain | Fixed | Nothing, Plain | Fixed | Nothing) => Plain,
            _ => a.neither(b),
        }
    }
}

fn equal(p: &Program, a: Object, b: Object) -> bool {
    a == b || same(p, a.0, a.1, b.0) == Some(b.1)
}

/// Has a struct a member that is an array of such elements, however deep?
fn contains(p: &Program, (unit, ty): Object, is: &mut dyn FnMut(TypeId) -> bool) -> bool {
    let u = &p.units[unit];
    let Type::Record(r) = u.ty(ty) else {
        return false;
    };
    let fields = u.records[r.index()].fields.iter().flatten();
    let mut fields = fields.map(|f| f.ty);
    fields.any(|q| {
        let inner = innermost(u, q);
        (inner.ty != q.ty && is(inner.ty)) || contains(p, (unit, inner.ty), is)
    })
}

/// Has a struct such a member?
fn holds(p: &Program, (unit, ty): Object, of: Object) -> bool {
    let u = &p.units[unit];
    let Type::Record(r) = u.ty(ty) else {
        return false;
    };
    let fields = u.records[r.index()].fields.iter().flatten();
    let mut fields = fields.map(|f| innermost(u, f.ty).ty);
    fields.any(|inner| equal(p, (unit, inner), of) || holds(p, (unit, inner), of))
}

/// A place in an object; behind a struct that ends in an array of any length there is not another one.
pub(crate) fn place_in(p: &Program, (unit, ty): Object) -> Counts {
    match trailing(&p.units[unit], QualType::plain(ty)) {
        Some(_) => Varies,
        None => Place((unit, ty)),
    }
}
