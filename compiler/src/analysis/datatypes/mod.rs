//! What the numbers of bytes are in calls that make MPI datatypes: `MPI_Type_create_hvector(n, 1, sizeof(struct p), MPI_DOUBLE, &t)`.
//!
//! A checkpoint keeps the call, and a restart where `struct p` has another size makes it with other numbers. What these count is
//! in the program's text, so the call is told: multiples of a type's size, places in objects of a type, or numbers that are
//! the same everywhere.

mod numbers;
#[cfg(test)]
mod tests;

use super::addresses::{parents, Parents};
use super::heap::Flow;
use super::measured::Measured;
use super::program::{Callee, Program};
use super::tables;
use super::walk::{init_values, visit, visit_decls, Node};
use crate::tree::*;
use std::collections::HashMap;

/// What numbers are made of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Counts {
    /// 0.
    Nothing,
    /// No size is in it.
    Plain,
    /// Sizes that are the same everywhere.
    Fixed,
    /// So many objects of a type.
    Multiple(TypeId),
    /// Where something lies in an object of a type, or in one of several.
    Place(TypeId),
    Unknown,
}

impl Counts {
    /// What it counts, or lies in.
    pub fn object(self) -> Option<TypeId> {
        match self {
            Counts::Multiple(of) | Counts::Place(of) => Some(of),
            _ => None,
        }
    }

    /// Of one of two numbers.
    fn or(self, other: Counts) -> Counts {
        use Counts::*;
        match (self, other) {
            (Nothing, x) | (x, Nothing) => x,
            (a, b) if a == b => a,
            (Fixed, Plain) | (Plain, Fixed) => Plain,
            (Multiple(a), Place(b)) | (Place(b), Multiple(a)) if a == b => Place(b),
            _ => Unknown,
        }
    }
}

/// A call that makes a datatype.
#[derive(Clone, Debug)]
pub struct Call {
    pub call: ExprId,
    /// Of numbers that count elements of the old type, should these be bytes.
    pub lengths: Counts,
    /// Of displacements, strides and extents.
    pub places: Counts,
    /// The same in every build of the program: `datatype 2 in exchange`.
    pub name: String,
}

/// What an argument has to do with bytes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    Length,
    Place,
    /// Of dimensions, one of which is in bytes.
    Dimension,
}

type Roles = &'static [(usize, Role)];

/// The arguments of a constructor that are numbers of bytes, or may be.
fn roles(name: &str) -> Roles {
    use Role::*;
    match name {
        "MPI_Type_contiguous" => &[(0, Length)],
        "MPI_Type_vector" | "MPI_Type_create_hvector" | "MPI_Type_hvector" => {
            &[(1, Length), (2, Place)]
        }
        "MPI_Type_indexed"
        | "MPI_Type_create_hindexed"
        | "MPI_Type_hindexed"
        | "MPI_Type_create_indexed_block"
        | "MPI_Type_create_hindexed_block"
        | "MPI_Type_create_struct"
        | "MPI_Type_struct" => &[(1, Length), (2, Place)],
        "MPI_Type_create_resized" => &[(1, Place), (2, Place)],
        "MPI_Type_create_subarray" => &[(1, Dimension), (2, Dimension), (3, Dimension)],
        "MPI_Type_create_darray" => &[(3, Dimension)],
        _ => &[],
    }
}

/// By unit.
pub fn find(p: &Program, measured: &Measured) -> Vec<Vec<Call>> {
    let units = 0..p.units.len();
    units.map(|unit| in_unit(p, measured, unit)).collect()
}

fn in_unit(p: &Program, measured: &Measured, unit: usize) -> Vec<Call> {
    let u = &p.units[unit];
    let mut all = Vec::new();
    let mut known = None;
    for f in &u.functions {
        let function = p.portable_name(unit, f.sym);
        let mut ordinal = 0;
        visit(u, Node::Stmt(f.body), &mut |n| {
            let Node::Expr(e) = n else {
                return true;
            };
            if let Some((args, roles)) = constructor(p, unit, e) {
                let known = known.get_or_insert_with(|| Known::new(p, measured, unit));
                let (lengths, places) = known.call(args, roles);
                ordinal += 1;
                all.push(Call {
                    call: e,
                    lengths,
                    places,
                    name: format!("datatype {ordinal} in {function}"),
                });
            }
            true
        });
    }
    all
}

/// Of a call of MPI's own.
fn constructor<'a>(p: &'a Program, unit: usize, call: ExprId) -> Option<(&'a [ExprId], Roles)> {
    let u = &p.units[unit];
    let ExprKind::Call { callee, args } = &u.expr(call).kind else {
        return None;
    };
    let ExprKind::Ident(s) = u.expr(*callee).kind else {
        return None;
    };
    let name = &u.sym(s).name;
    let own = tables::is_mpi(name) && p.is_librarys(name);
    if !own || !matches!(p.resolve(unit, s), Callee::External(_)) {
        return None;
    }
    let roles = roles(name.trim_start_matches('P').trim_end_matches("_c"));
    (!roles.is_empty()).then_some((args, roles))
}

/// A unit, with what is assigned to what.
struct Known<'a> {
    p: &'a Program<'a>,
    measured: &'a Measured,
    flow: Flow<'a>,
    parents: Parents,
    /// What variables are initialised with.
    initial: HashMap<SymId, Vec<ExprId>>,
}

impl<'a> Known<'a> {
    fn new(p: &'a Program<'a>, measured: &'a Measured, unit: usize) -> Self {
        let u = &p.units[unit];
        let mut initial: HashMap<SymId, Vec<ExprId>> = HashMap::new();
        let mut declared = |d: &DeclGroup| {
            for v in &d.vars {
                let list = initial.entry(v.sym).or_default();
                let init = v.init.iter();
                init.for_each(|i| init_values(i, &mut |e| list.push(e)));
            }
        };
        for f in &u.functions {
            visit_decls(u, Node::Stmt(f.body), &mut |d, _| declared(d));
        }
        for item in &u.items {
            if let TopItem::Decl(d) = item {
                declared(d);
            }
        }
        Known {
            p,
            measured,
            flow: Flow::new(p, unit),
            parents: parents(u),
            initial,
        }
    }

    /// Of lengths, and of places.
    fn call(&self, args: &[ExprId], roles: Roles) -> (Counts, Counts) {
        let mut both = (Counts::Nothing, Counts::Nothing);
        for (i, role) in roles {
            let Some(a) = args.get(*i) else {
                continue;
            };
            let list = self.argument(*a);
            let all = |list: Vec<Counts>| list.into_iter().fold(Counts::Nothing, Counts::or);
            match role {
                Role::Place => both.1 = both.1.or(all(list)),
                Role::Length => both.0 = both.0.or(all(list)),
                Role::Dimension => {
                    // Others count rows.
                    let sized = |c: &Counts| !matches!(c, Counts::Plain | Counts::Fixed);
                    let bytes: Vec<Counts> = list.iter().copied().filter(sized).collect();
                    let of = if bytes.iter().all(|c| *c == Counts::Nothing) {
                        list
                    } else {
                        bytes
                    };
                    both.0 = match (both.0, all(of)) {
                        (Counts::Plain | Counts::Fixed, of @ Counts::Multiple(_))
                        | (of @ Counts::Multiple(_), Counts::Plain | Counts::Fixed) => of,
                        (a, b) => a.or(b),
                    };
                }
            }
        }
        both
    }
}
