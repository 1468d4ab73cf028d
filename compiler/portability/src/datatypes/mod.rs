//! What the numbers of bytes are in calls that make MPI datatypes: `MPI_Type_create_hvector(n, 1, sizeof(struct p), MPI_DOUBLE, &t)`;
//! and in those that make windows: `MPI_Win_create(p, n * sizeof *p, sizeof *p, info, comm, &w)`.
//!
//! A checkpoint keeps the call, and a restart where `struct p` has another size makes it with other numbers. What these count is
//! in the program's text, so the call is told: multiples of a type's size, places in objects of a type, or numbers that are
//! the same everywhere.  Numbers are followed through all places of the program that have names.

mod counts;
mod numbers;
#[cfg(test)]
mod tests;

use crate::addresses::Numbers;
use crate::size_derived::same;
pub use counts::Counts;
use numbers::KnownNumbers;
use pc3_program::callgraph::CallGraph;
use pc3_program::program::{Callee, Program};
use pc3_program::tables;
use pc3_program::walk::{visit, Node};
use pc3_syntax::tree::*;

/// A call that makes a datatype, or a window.
#[derive(Clone, Debug)]
pub struct Call {
    pub call: ExprId,
    /// Of numbers that count elements of the old type.
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
        "MPI_Type_vector"
        | "MPI_Type_create_hvector"
        | "MPI_Type_hvector"
        | "MPI_Type_indexed"
        | "MPI_Type_create_hindexed"
        | "MPI_Type_hindexed"
        | "MPI_Type_create_indexed_block"
        | "MPI_Type_create_hindexed_block"
        | "MPI_Type_create_struct"
        | "MPI_Type_struct" => &[(1, Length), (2, Place)],
        "MPI_Win_create" => &[(1, Length), (2, Place)],
        "MPI_Win_allocate" | "MPI_Win_allocate_shared" => &[(0, Length), (1, Place)],
        "MPI_Type_create_resized" => &[(1, Place), (2, Place)],
        "MPI_Type_create_subarray" => &[(1, Dimension), (2, Dimension), (3, Dimension)],
        "MPI_Type_create_darray" => &[(3, Dimension)],
        _ => &[],
    }
}

/// By unit.
pub fn find(p: &Program, graph: &CallGraph, numbers: &Numbers) -> Vec<Vec<Call>> {
    let units = 0..p.units.len();
    let found: Vec<Vec<ConstructorCall>> = units.map(|unit| constructors(p, unit)).collect();
    if found.iter().all(Vec::is_empty) {
        return vec![Vec::new(); p.units.len()];
    }
    let known = KnownNumbers::new(p, graph, numbers);
    let units = found.into_iter().enumerate();
    let told = |(unit, list): (usize, Vec<ConstructorCall>)| {
        let call = |f: ConstructorCall| {
            let (lengths, places) = known.call(unit, f.args, f.roles);
            Call {
                call: f.call,
                lengths: lengths.at_home(p, unit),
                places: places.at_home(p, unit),
                name: f.name,
            }
        };
        list.into_iter().map(call).collect()
    };
    units.map(told).collect()
}

/// A call of a constructor of MPI's own.
struct ConstructorCall<'a> {
    call: ExprId,
    args: &'a [ExprId],
    roles: Roles,
    name: String,
}

fn constructors<'a>(p: &'a Program, unit: usize) -> Vec<ConstructorCall<'a>> {
    let u = &p.units[unit];
    let mut all = Vec::new();
    for f in &u.functions {
        let function = p.portable_name(unit, f.sym);
        let mut ordinal = 0;
        visit(u, Node::Stmt(f.body), &mut |n| {
            let Node::Expr(e) = n else {
                return true;
            };
            let ExprKind::Call { callee, args } = &u.expr(e).kind else {
                return true;
            };
            let roles = called(p, unit, *callee).map_or(&[][..], |name| roles(&name));
            if !roles.is_empty() {
                ordinal += 1;
                all.push(ConstructorCall {
                    call: e,
                    args,
                    roles,
                    name: format!("datatype {ordinal} in {function}"),
                });
            }
            true
        });
    }
    all
}

/// What an MPI function that is called by its name is called in the standard.
fn called(p: &Program, unit: usize, callee: ExprId) -> Option<String> {
    let ExprKind::Ident(s) = p.units[unit].expr(callee).kind else {
        return None;
    };
    let name = &p.units[unit].sym(s).name;
    let own = tables::is_mpi(name) && p.is_librarys(name);
    let own = own && matches!(p.resolve(unit, s), Callee::External(_));
    let name = name.trim_start_matches('P').trim_end_matches("_c");
    own.then(|| name.to_owned())
}
