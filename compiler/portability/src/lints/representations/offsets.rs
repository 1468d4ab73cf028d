//! Offsets of members that are kept: `offsetof`, `(size_t)&((struct s *)0)->member`, or `(char *)&p->member - (char *)p`.
//! Elsewhere something else lies there.

use crate::addresses::{is_constant, parents, NumberPlace, Numbers, Parent, Parents};
use crate::heap::{innermost, one_line};
use crate::lints::reaches_checkpoint::{is_const, Dependence, OrderDependence};
use crate::lints::{in_users_file, layout};
use pc3_program::callgraph::CallGraph;
use pc3_program::program::Program;
use pc3_program::untouched;
use pc3_program::walk::strip_casts;
use pc3_syntax::diag::{Code, Diagnostic, Diagnostics};
use pc3_syntax::tree::*;
use std::collections::{HashMap, HashSet};

/// Is it the offset of a member that lies elsewhere under other ABIs?
pub fn moving(u: &Unit, e: ExprId) -> bool {
    match &u.expr(e).kind {
        ExprKind::Offsetof { ty, member, .. } => layout::moves(u, ty.ty, member),
        ExprKind::Cast { arg, .. } => {
            let number = matches!(u.ty(u.expr(e).ty.ty), Type::Int(_));
            let place = strip_casts(u, *arg);
            let address = matches!(u.ty(u.expr(*arg).ty.ty), Type::Pointer(_));
            number
                && address
                && is_constant(u, place)
                && of_null(u, place).is_some_and(|(ty, path)| layout::moves(u, ty, &path))
        }
        ExprKind::Binary {
            op: BinOp::Sub,
            lhs,
            rhs,
        } => {
            let apart = || {
                let (a, b) = (within(u, *lhs)?, within(u, *rhs)?);
                let same = a.root == b.root && a.ty == b.ty;
                Some(same && layout::moves_from(u, a.ty, &a.path, &b.path))
            };
            is_in_bytes(u, *lhs) && apart() == Some(true)
        }
        _ => false,
    }
}

/// The type of the object that a constant is an offset in.
pub(crate) fn offset_in(u: &Unit, e: ExprId) -> Option<TypeId> {
    let ty = match &u.expr(e).kind {
        ExprKind::Cast { arg, .. } => {
            let number = matches!(u.ty(u.expr(e).ty.ty), Type::Int(_));
            let place = strip_casts(u, *arg);
            let constant = number && is_constant(u, place);
            constant.then(|| of_null(u, place))??.0
        }
        _ => return None,
    };
    Some(innermost(u, QualType::plain(ty)).ty)
}

/// Is it an address as a number, or a pointer to bytes?
pub(crate) fn is_in_bytes(u: &Unit, e: ExprId) -> bool {
    match u.ty(u.expr(e).ty.ty) {
        Type::Int(_) => true,
        Type::Pointer(q) => matches!(
            u.ty(q.ty),
            Type::Void | Type::Int(IntKind::Char | IntKind::SChar | IntKind::UChar)
        ),
        _ => false,
    }
}

/// A place in a struct.
struct Within<'a> {
    /// What is written for the struct: a variable, or a pointer to it.
    root: &'a str,
    ty: TypeId,
    path: String,
}

/// What an address, maybe as a number or a pointer to characters, leads to, if it is in front of a sign or behind it.
fn within(u: &Unit, e: ExprId) -> Option<Within<'_>> {
    let e = strip_casts(u, e);
    let pointed = |e: ExprId| match u.ty(u.expr(e).ty.ty) {
        Type::Pointer(q) => Some(q.ty),
        _ => None,
    };
    let written = |e: ExprId| {
        let text = u.slice(&u.expr(e).span).trim();
        text.trim_matches(['(', ')']).trim()
    };
    let mut place = match u.expr(e).kind {
        ExprKind::AddrOf(place) => place,
        _ if matches!(u.ty(u.expr(e).ty.ty), Type::Array { .. }) => e,
        _ => {
            return Some(Within {
                root: written(e),
                ty: pointed(e)?,
                path: String::new(),
            })
        }
    };
    let mut path = String::new();
    loop {
        match &u.expr(place).kind {
            ExprKind::Member { base, arrow, name } => {
                path = format!(".{name}{path}");
                if *arrow {
                    let (root, ty) = (written(*base), pointed(*base)?);
                    return Some(Within { root, ty, path });
                }
                place = *base;
            }
            ExprKind::Index { base, index } => {
                let index = u.view().eval(*index)?;
                path = format!("[{index}]{path}");
                place = *base;
            }
            ExprKind::Ident(_) => {
                let (root, ty) = (written(place), u.expr(place).ty.ty);
                return Some(Within { root, ty, path });
            }
            _ => return None,
        }
    }
}

/// The struct that is said to be at 0, and the member's path.
fn of_null(u: &Unit, e: ExprId) -> Option<(TypeId, String)> {
    let base = |e: ExprId, rest: String| match u.ty(u.expr(e).ty.ty) {
        Type::Pointer(q) => Some((q.ty, rest)),
        _ => None,
    };
    match &u.expr(e).kind {
        ExprKind::AddrOf(place) => of_null(u, *place),
        ExprKind::Member {
            base: of,
            arrow,
            name,
        } => match arrow {
            true => base(*of, name.clone()),
            false => {
                let (ty, path) = of_null(u, *of)?;
                Some((ty, format!("{path}.{name}")))
            }
        },
        ExprKind::Index { base: of, index } => {
            let (ty, path) = of_null(u, *of)?;
            let index = u.view().eval(*index).unwrap_or(1);
            Some((ty, format!("{path}[{index}]")))
        }
        ExprKind::Deref(of) => base(*of, String::new()),
        _ => None,
    }
}

pub fn check(
    (p, graph): (&Program, &CallGraph),
    numbers: &Numbers,
    saved: &dyn Fn(usize, FuncId, SymId) -> bool,
    list: &mut Vec<OrderDependence>,
    out: &mut Diagnostics,
) {
    let mut known: HashMap<usize, (Parents, HashSet<SymId>)> = HashMap::new();
    for w in numbers.wanted() {
        let u = &p.units[w.unit];
        if !moving(u, w.of) || !in_users_file(u, w.of) {
            continue;
        }
        let known = known.entry(w.unit);
        let (above, untouched) = known.or_insert_with(|| (parents(u), untouched::analyse(u)));
        if !as_it_is(u, w.of, above, untouched) {
            continue;
        }
        // Sums of sizes and offsets are sizes, and those go far.
        let reached = numbers.reached(&w.to, &|x| {
            let element = matches!(x, NumberPlace::Elements(_)) && !numbers.arrays.is_mixed(x);
            element || matches!(x, NumberPlace::Variable(..))
        });
        // Arrays that are not known are mostly for MPI, whose datatypes follow the structs.
        let memory = is_static(u, w.of, above);
        let kept = |x: &&NumberPlace| match x {
            NumberPlace::Elements(_) => {
                !numbers.arrays.is_mixed(x) && numbers.arrays.kept(p, graph, x, saved)
            }
            NumberPlace::Memory(_) => memory,
            _ => x.kept(p, saved),
        };
        let mut names: Vec<Option<String>> = reached
            .into_iter()
            .filter(kept)
            .map(|x| x.name(p))
            .collect();
        names.sort();
        if names.is_empty() {
            continue;
        }
        list.push(OrderDependence::of(w.unit, u, w.of, Dependence::Layout));
        let text = match &u.expr(w.of).kind {
            ExprKind::Offsetof { ty, member, .. } => {
                format!("offsetof({}, {member})", u.type_name(*ty))
            }
            _ => one_line(u.slice(&u.expr(w.of).span)),
        };
        let into = names.into_iter().flatten().next();
        let into = into.map_or(String::new(), |n| format!(" in `{n}`"));
        out.push(Diagnostic::advice(
            u,
            &u.expr(w.of).span,
            Code::SizeKept,
            format!("`{text}` is another number on other architectures, and a checkpoint keeps it{into}: a restart where members lie elsewhere is refused"),
            "make what holds it `const`, or compute it anew where it is used",
        ));
    }
}

/// Is it kept by itself, and not by an object that keeps the program's own value anyway?
fn as_it_is(u: &Unit, e: ExprId, above: &Parents, untouched: &HashSet<SymId>) -> bool {
    let mut e = e;
    loop {
        match above.get(&e) {
            Some(Parent::Expr(up)) => match u.expr(*up).kind {
                ExprKind::Binary { .. } | ExprKind::Unary { .. } | ExprKind::Index { .. } => {
                    return false
                }
                ExprKind::Assign { op, .. } => return op.is_none(),
                ExprKind::Call { .. } => return true,
                _ => e = *up,
            },
            Some(Parent::Variable(s)) => {
                let sym = u.sym(*s);
                let is_static = sym.is_global || sym.storage == Storage::Static;
                let fixed = is_const(u, sym.ty) || untouched.contains(s);
                return !(is_static && fixed);
            }
            Some(Parent::Return(_)) => return true,
            None => return false,
        }
    }
}

/// Does it initialise an object of static storage?
fn is_static(u: &Unit, e: ExprId, above: &Parents) -> bool {
    let mut e = e;
    loop {
        match above.get(&e) {
            Some(Parent::Expr(up)) => e = *up,
            Some(Parent::Variable(s)) => {
                let sym = u.sym(*s);
                return sym.is_global || sym.storage == Storage::Static;
            }
            _ => return false,
        }
    }
}
