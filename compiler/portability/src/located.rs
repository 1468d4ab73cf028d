//! Integers that hold addresses because MPI put them there: variables that `MPI_Get_address` was given. Where nothing else is
//! ever stored in one, it holds an address; else it does if something alive is there, and counts from one if not.

use crate::heap::called_name;
use pc3_program::annotations::Annotations;
use pc3_program::program::Program;
use pc3_program::tables::makes_number;
use pc3_program::walk::{init_exprs, strip_casts, visit_decls, Node};
use pc3_syntax::tree::*;
use pc3_typemetric::types::AddressBits;
use std::collections::HashSet;

/// Adds to what the author says of integers; returns those that hold other things as well, by unit.
pub fn tell(p: &Program, said: &mut Annotations) -> Vec<Vec<SymId>> {
    let mut rest = Vec::new();
    for (u, said) in p.units.iter().zip(&mut said.units) {
        let (alone, both) = find(u);
        for s in alone {
            let variables = &mut said.addresses.variables;
            variables.entry(s).or_insert_with(|| AddressBits::new(0, 1));
        }
        rest.push(both);
    }
    rest
}

/// Adds these, if they are not known to be made of sizes, or said to be anything.
pub fn tell_rest(said: &mut Annotations, rest: &[Vec<SymId>]) {
    for (said, list) in said.units.iter_mut().zip(rest) {
        let unknown = |s: &&SymId| said.of_variable(**s).is_none();
        let list: Vec<SymId> = list.iter().filter(unknown).copied().collect();
        let meant = list.into_iter().map(|s| (s, AddressBits::if_alive()));
        said.addresses.variables.extend(meant);
    }
}

/// Variables, arrays and blocks behind pointers.
fn find(u: &Unit) -> (Vec<SymId>, Vec<SymId>) {
    let mut given = HashSet::new();
    // Where such a variable may stand as a whole.
    let mut fine = HashSet::new();
    for (e, x) in u.exprs.iter().enumerate() {
        match &x.kind {
            ExprKind::Call { args, .. } => {
                let name = called_name(u, ExprId(e as u32)).unwrap_or_default();
                let mpis = name.strip_prefix('P').unwrap_or(name);
                if makes_number(name) {
                    given.extend(args.get(1).and_then(|a| lent(u, *a)).map(|l| l.0));
                }
                if mpis.starts_with("MPI_") || matches!(name, "free" | "realloc") {
                    let lent = args.iter().filter_map(|a| lent(u, *a));
                    fine.extend(lent.flat_map(|l| [l.1, l.2]));
                }
            }
            ExprKind::Index { base, .. } | ExprKind::Deref(base) => {
                _ = fine.insert(strip_casts(u, *base))
            }
            ExprKind::SizeofExpr(a) => _ = fine.insert(strip_casts(u, *a)),
            _ => {}
        }
    }
    given.retain(|s| is_own(u, *s));
    if given.is_empty() {
        return Default::default();
    }
    let mut other = HashSet::new();
    for (e, x) in u.exprs.iter().enumerate() {
        let e = ExprId(e as u32);
        match &x.kind {
            ExprKind::Assign { op, lhs, rhs } => {
                let Some(s) = root(u, *lhs) else { continue };
                let whole = is_pointer(u, u.expr(*lhs).ty);
                let kept = op.is_none() && (whole || holds(u, *rhs, &given));
                other.extend((!kept).then_some(s));
                fine.extend(whole.then_some(*lhs));
            }
            ExprKind::Unary {
                op: UnOp::PreInc | UnOp::PreDec | UnOp::PostInc | UnOp::PostDec,
                arg,
            } => other.extend(root(u, *arg)),
            ExprKind::AddrOf(a) if !fine.contains(&e) => other.extend(root(u, *a)),
            _ => {}
        }
    }
    for (e, x) in u.exprs.iter().enumerate() {
        if let ExprKind::Ident(s) = x.kind {
            let whole = is_pointer(u, x.ty) || matches!(u.ty(x.ty.ty), Type::Array { .. });
            other.extend((whole && !fine.contains(&ExprId(e as u32))).then_some(s));
        }
    }
    let mut begins = |d: &DeclGroup| {
        for v in d.vars.iter().filter(|v| given.contains(&v.sym)) {
            if is_pointer(u, u.sym(v.sym).ty) {
                continue;
            }
            let init = v.init.iter();
            init.for_each(|i| {
                init_exprs(i, &mut |e| {
                    other.extend((!holds(u, e, &given)).then_some(v.sym))
                })
            });
        }
    };
    for f in &u.functions {
        visit_decls(u, Node::Stmt(f.body), &mut |d, _| begins(d));
    }
    for item in &u.items {
        if let TopItem::Decl(d) = item {
            begins(d);
        }
    }
    let (both, alone) = given.into_iter().partition(|s| other.contains(s));
    (alone, both)
}

/// No other unit can store in it, and it has room for an address.
fn is_own(u: &Unit, s: SymId) -> bool {
    let sym = u.sym(s);
    let mut t = sym.ty.ty;
    while let Type::Array { elem, .. } | Type::Pointer(elem) = u.ty(t) {
        t = elem.ty;
    }
    let wide = matches!(u.ty(t), Type::Int(k) if u.target.bits(*k) >= u.target.pointer_bits);
    let param = u.functions.iter().any(|f| f.params.contains(&s));
    let own = !sym.is_global || sym.storage == Storage::Static;
    wide && own && !param
}

fn is_pointer(u: &Unit, q: QualType) -> bool {
    matches!(u.ty(q.ty), Type::Pointer(_))
}

/// The variable that such an argument leads into; the argument, and where the variable stands in it.
fn lent(u: &Unit, arg: ExprId) -> Option<(SymId, ExprId, ExprId)> {
    let arg = strip_casts(u, arg);
    let inner = match u.expr(arg).kind {
        ExprKind::AddrOf(a) => a,
        ExprKind::Binary {
            op: BinOp::Add,
            lhs,
            ..
        } => strip_casts(u, lhs),
        _ => arg,
    };
    Some((root(u, inner)?, arg, inner))
}

/// The variable that an element belongs to.
fn root(u: &Unit, e: ExprId) -> Option<SymId> {
    match u.expr(strip_casts(u, e)).kind {
        ExprKind::Ident(s) => Some(s),
        ExprKind::Index { base, .. } | ExprKind::Deref(base) => root(u, base),
        _ => None,
    }
}

/// Is it nothing, or what another of them holds?
fn holds(u: &Unit, e: ExprId, given: &HashSet<SymId>) -> bool {
    let zero = u.view().eval(e) == Some(0);
    let is_lvalue = |e| {
        matches!(
            u.expr(e).kind,
            ExprKind::Ident(_) | ExprKind::Index { .. } | ExprKind::Deref(_)
        )
    };
    let copied = strip_casts(u, e);
    zero || is_lvalue(copied) && root(u, copied).is_some_and(|s| given.contains(&s))
}
