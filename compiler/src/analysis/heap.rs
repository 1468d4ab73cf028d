//! Allocation sites and the types of what they allocate.
//!
//! The element type comes from `sizeof` in a size argument, else from the cast or the pointer the
//! result is assigned to.  A function that returns what an allocator gave it, with a size it was
//! given, is a wrapper: its callers are the sites.

use super::program::{Callee, FnId, Program};
use super::walk::{children, visit, Node};
use crate::tree::*;
use std::collections::{HashMap, HashSet};

#[derive(Clone, Debug)]
pub struct Site {
    pub unit: usize,
    pub call: ExprId,
    /// The same in every build of the program: `allocation 2 in fill`.
    pub name: String,
    /// None: unknown, or typed by the wrapper's caller.
    pub elem: Option<QualType>,
    /// Inside an allocation wrapper: the caller's site counts.
    pub in_wrapper: bool,
    /// The call is one of a wrapper of the program's own.
    pub of_wrapper: bool,
}

pub struct Heap {
    /// In source order, per unit.
    pub sites: Vec<Vec<Site>>,
    pub wrappers: HashSet<FnId>,
    /// Sites whose type is unknown.
    pub unknown: Vec<(usize, ExprId)>,
}

/// Library allocators and which of their arguments are sizes.
pub fn allocator(name: &str) -> Option<&'static [usize]> {
    Some(match name {
        "malloc" | "__builtin_malloc" => &[0],
        "calloc" | "__builtin_calloc" => &[0, 1],
        "realloc" | "__builtin_realloc" => &[1],
        "reallocarray" => &[1, 2],
        "aligned_alloc" | "memalign" => &[1],
        "posix_memalign" => &[2],
        "alloca" | "__builtin_alloca" => &[0],
        _ => return None,
    })
}

/// What becomes of an expression's value.
#[derive(Clone, Copy)]
enum Use {
    /// Converted to this type.
    To(QualType),
    Var(SymId),
    Return,
    Same(ExprId),
}

pub fn analyse(p: &Program) -> Heap {
    let uses: Vec<HashMap<ExprId, Use>> = (0..p.units.len()).map(|i| uses(p, i)).collect();
    let mut wrappers = HashSet::new();
    loop {
        let mut changed = false;
        for f in p.ids() {
            if !wrappers.contains(&f) && is_wrapper(p, f, &wrappers, &uses[p.fns[f.index()].0]) {
                wrappers.insert(f);
                changed = true;
            }
        }
        if !changed {
            break;
        }
    }
    let mut sites = Vec::new();
    let mut unknown = Vec::new();
    for (unit, u) in p.units.iter().enumerate() {
        let mut list = Vec::new();
        for f in &u.functions {
            let inside = wrappers.contains(&p.id(unit, func_of(u, f)));
            let function = p.portable_name(unit, f.sym);
            let mut ordinal = 0;
            visit(u, Node::Stmt(f.body), &mut |n| {
                if let Node::Expr(e) = n {
                    if let Some((sizes, of_wrapper)) = allocation(p, unit, e, &wrappers) {
                        let elem = element(u, e, &sizes, &uses[unit]);
                        let in_wrapper = inside && elem.is_none();
                        if elem.is_none() && !in_wrapper {
                            unknown.push((unit, e));
                        }
                        ordinal += 1;
                        list.push(Site {
                            unit,
                            call: e,
                            name: format!("allocation {ordinal} in {function}"),
                            elem,
                            in_wrapper,
                            of_wrapper,
                        });
                    }
                }
                true
            });
        }
        sites.push(list);
    }
    Heap {
        sites,
        wrappers,
        unknown,
    }
}

fn func_of(u: &Unit, f: &Function) -> FuncId {
    FuncId(
        u.functions
            .iter()
            .position(|x| std::ptr::eq(x, f))
            .unwrap_or(0) as u32,
    )
}

/// The size arguments if `e` allocates, and whether through a wrapper.
fn allocation(
    p: &Program,
    unit: usize,
    e: ExprId,
    wrappers: &HashSet<FnId>,
) -> Option<(Vec<ExprId>, bool)> {
    let u = &p.units[unit];
    let ExprKind::Call { callee, args } = &u.expr(e).kind else {
        return None;
    };
    match p.direct(unit, *callee)?.1 {
        Callee::External(name) => {
            let which = allocator(&name)?;
            Some((
                which.iter().filter_map(|i| args.get(*i).copied()).collect(),
                false,
            ))
        }
        Callee::Defined(f) => wrappers.contains(&f).then(|| (args.clone(), true)),
    }
}

/// Parents, as far as they say what a pointer value is for.
fn uses(p: &Program, unit: usize) -> HashMap<ExprId, Use> {
    let u = &p.units[unit];
    let mut map = HashMap::new();
    for (i, x) in u.exprs.iter().enumerate() {
        let e = ExprId(i as u32);
        match &x.kind {
            ExprKind::Cast { to, arg } => {
                map.insert(*arg, Use::To(*to));
            }
            ExprKind::Assign { op: None, lhs, rhs } => {
                let to = match u.expr(*lhs).kind {
                    ExprKind::Ident(s) if super::program::is_local(u.sym(s)) => Use::Var(s),
                    _ => Use::To(u.expr(*lhs).ty),
                };
                map.insert(*rhs, to);
            }
            ExprKind::Cond { then, els, .. } => {
                then.iter().chain([els]).for_each(|y| {
                    map.insert(*y, Use::Same(e));
                });
            }
            ExprKind::Comma(list) => {
                if let Some(l) = list.last() {
                    map.insert(*l, Use::Same(e));
                }
            }
            ExprKind::Call { callee, args } => {
                let mut t = u.expr(*callee).ty.ty;
                if let Type::Pointer(q) = u.ty(t) {
                    t = q.ty;
                }
                if let Type::Function { params, .. } = u.ty(t) {
                    let through = match p.direct(unit, *callee) {
                        Some((_, Callee::Defined(f))) => returned_param(p, f),
                        _ => None,
                    };
                    if let Some(a) = through.and_then(|i| args.get(i)) {
                        map.insert(*a, Use::Same(e));
                    }
                    for (a, q) in args.iter().zip(params) {
                        map.entry(*a).or_insert(Use::To(*q));
                    }
                }
            }
            _ => {}
        }
    }
    for s in &u.stmts {
        match &s.kind {
            StmtKind::Return(Some(e)) => {
                map.insert(*e, Use::Return);
            }
            StmtKind::Decl(d)
            | StmtKind::For {
                init: ForInit::Decl(d),
                ..
            } => {
                for v in &d.vars {
                    if let Some(Init::Expr(e)) = &v.init {
                        map.insert(*e, Use::Var(v.sym));
                    }
                }
            }
            _ => {}
        }
    }
    map
}

/// The parameter that a function like `must_have(p)` gives back.
fn returned_param(p: &Program, f: FnId) -> Option<usize> {
    let (u, func) = (p.unit(f), p.func(f));
    let mut found = None;
    let mut other = false;
    visit(u, Node::Stmt(func.body), &mut |n| {
        if let Node::Stmt(s) = n {
            if let StmtKind::Return(Some(e)) = u.stmt(s).kind {
                match u.expr(super::walk::strip_casts(u, e)).kind {
                    ExprKind::Ident(s) => found = func.params.iter().position(|x| *x == s),
                    _ => other = true,
                }
            }
        }
        true
    });
    found.filter(|_| !other)
}

fn pointee(u: &Unit, q: QualType) -> Option<QualType> {
    match u.ty(q.ty) {
        Type::Pointer(t) if !matches!(u.ty(t.ty), Type::Void | Type::Function { .. }) => Some(*t),
        _ => None,
    }
}

fn is_complete(u: &Unit, q: QualType) -> bool {
    match u.ty(q.ty) {
        Type::Record(r) => u.records[r.index()].fields.is_some(),
        Type::Void | Type::Function { .. } | Type::Unsupported(_) => false,
        Type::Array {
            len: ArrayLen::Vla(_) | ArrayLen::Unknown,
            ..
        } => false,
        _ => true,
    }
}

fn is_char(u: &Unit, q: QualType) -> bool {
    matches!(
        u.ty(q.ty),
        Type::Int(IntKind::Char | IntKind::SChar | IntKind::UChar)
    )
}

fn element(
    u: &Unit,
    call: ExprId,
    sizes: &[ExprId],
    uses: &HashMap<ExprId, Use>,
) -> Option<QualType> {
    let mut found = Vec::new();
    for s in sizes {
        sizeof_types(u, *s, &mut found);
    }
    // `posix_memalign((void **)&p, ...)`
    if let ExprKind::Call { args, .. } = &u.expr(call).kind {
        if sizes.len() == 1 && args.len() == 3 && args.last() == sizes.first() {
            let p = super::walk::strip_casts(u, args[0]);
            if let ExprKind::AddrOf(x) = u.expr(p).kind {
                found.extend(pointee(u, u.expr(x).ty));
            }
        }
    }
    let wanted = wanted(u, call, uses);
    let best = found
        .iter()
        .copied()
        .find(|q| is_complete(u, *q) && !is_char(u, *q));
    best.or(wanted.filter(|q| is_complete(u, *q)))
        .or(found.into_iter().find(|q| is_complete(u, *q)))
}

fn sizeof_types(u: &Unit, e: ExprId, out: &mut Vec<QualType>) {
    visit(u, Node::Expr(e), &mut |n| {
        if let Node::Expr(x) = n {
            match &u.expr(x).kind {
                ExprKind::SizeofType(q) => out.push(*q),
                ExprKind::SizeofExpr(y) => out.push(u.expr(*y).ty),
                // A size computed elsewhere says nothing here.
                ExprKind::Call { .. } => return false,
                _ => {}
            }
        }
        true
    });
}

/// The pointee of what the result becomes.
fn wanted(u: &Unit, mut e: ExprId, uses: &HashMap<ExprId, Use>) -> Option<QualType> {
    for _ in 0..8 {
        match uses.get(&e)? {
            Use::To(q) => return pointee(u, *q),
            Use::Var(s) => return pointee(u, u.sym(*s).ty),
            Use::Return => return None,
            Use::Same(x) => e = *x,
        }
    }
    None
}

/// Does `f` return memory of a size that its caller chose?
fn is_wrapper(p: &Program, f: FnId, wrappers: &HashSet<FnId>, uses: &HashMap<ExprId, Use>) -> bool {
    let u = p.unit(f);
    let func = p.func(f);
    let unit = p.fns[f.index()].0;
    if !matches!(u.ty(func.ret.ty), Type::Pointer(_)) || func.params.is_empty() {
        return false;
    }
    let mut returned = HashSet::new();
    visit(u, Node::Stmt(func.body), &mut |n| {
        if let Node::Stmt(s) = n {
            if let StmtKind::Return(Some(e)) = u.stmt(s).kind {
                idents(u, e, &mut returned);
            }
        }
        true
    });
    let mut yes = false;
    visit(u, Node::Stmt(func.body), &mut |n| {
        if let Node::Expr(e) = n {
            if let Some((sizes, _)) = allocation(p, unit, e, wrappers) {
                let mut types = Vec::new();
                sizes.iter().for_each(|s| sizeof_types(u, *s, &mut types));
                let mut names = HashSet::new();
                sizes.iter().for_each(|s| idents(u, *s, &mut names));
                let flows = match follow(u, e, uses) {
                    Some(Use::Return) => true,
                    Some(Use::Var(s)) => returned.contains(&s),
                    _ => false,
                };
                let untyped = wanted(u, e, uses).is_none_or(|q| is_char(u, q));
                yes |= flows
                    && types.is_empty()
                    && untyped
                    && func.params.iter().any(|s| names.contains(s));
            }
        }
        true
    });
    yes
}

fn follow(u: &Unit, mut e: ExprId, uses: &HashMap<ExprId, Use>) -> Option<Use> {
    for _ in 0..8 {
        match uses.get(&e)? {
            Use::Same(x) => e = *x,
            Use::To(_) => {
                // Through a cast to where the cast goes.
                let parent = u
                    .exprs
                    .iter()
                    .position(|x| matches!(x.kind, ExprKind::Cast { arg, .. } if arg == e))?;
                e = ExprId(parent as u32);
            }
            other => return Some(*other),
        }
    }
    None
}

fn idents(u: &Unit, e: ExprId, out: &mut HashSet<SymId>) {
    if let ExprKind::Ident(s) = u.expr(e).kind {
        out.insert(s);
    }
    let mut list = Vec::new();
    children(u, Node::Expr(e), &mut |c| list.push(c));
    for c in list {
        if let Node::Expr(x) = c {
            idents(u, x, out);
        }
    }
}
