//! Which calls allocate: the library's allocators, and functions that return what one of them gave for a size of their caller's.

use super::element::wish;
use super::flow::{returns_first, Follow, PointerFlow, Wish};
use super::headed;
use super::size;
use super::types::{base, mpis_place};
use pc3_program::annotations::{Allocation, Typed};
use pc3_program::callgraph::CallGraph;
use pc3_program::groups::{GroupId, Groups};
use pc3_program::program::{Callee, FnId, Program};
use pc3_program::walk::{children, strip_casts, visit, Node};
use pc3_syntax::tree::*;
use std::collections::{HashMap, HashSet};

/// Library allocators and which of their arguments are sizes.
pub fn allocator(name: &str) -> Option<&'static [usize]> {
    Some(match name {
        "malloc" | "__builtin_malloc" => &[0],
        "calloc" | "__builtin_calloc" => &[0, 1],
        "realloc" | "__builtin_realloc" => &[1],
        "reallocarray" => &[1, 2],
        "aligned_alloc" | "memalign" => &[1],
        "posix_memalign" => &[2],
        _ if mpis_place(name).is_some() => &[0],
        "alloca" | "__builtin_alloca" | "valloc" => &[0],
        _ => return None,
    })
}

/// What may be called where, so that wrappers are known through pointers too.
pub struct Calls<'a> {
    pub p: &'a Program<'a>,
    /// With the parameters that sizes are made of.
    pub wrappers: HashMap<FnId, Vec<usize>>,
    groups: &'a Groups,
    /// Library functions whose address is taken: name, and what it is called with and returns.
    taken: Vec<(String, Shape)>,
    pub said: &'a [Allocation],
    /// Those of them that put a head in front of what their callers want; and those that return the head.
    pub headed: headed::Functions,
    pub heads: headed::Functions,
}

/// Whether its parameters are pointers, of a function that returns one.
type Shape = Vec<bool>;

fn shape(u: &Unit, t: TypeId) -> Option<Shape> {
    let pointer = |q: &QualType| matches!(u.ty(q.ty), Type::Pointer(_));
    match u.ty(t) {
        Type::Pointer(q) => shape(u, q.ty),
        Type::Function {
            ret,
            params,
            variadic: false,
            ..
        } if pointer(ret) => Some(params.iter().map(pointer).collect()),
        _ => None,
    }
}

impl<'a> Calls<'a> {
    pub fn new(p: &'a Program<'a>, graph: &'a CallGraph) -> Calls<'a> {
        let mut taken = Vec::new();
        for (unit, list) in graph.external_taken.iter().enumerate() {
            let u = &p.units[unit];
            for s in list {
                let sym = u.sym(*s);
                taken.extend(shape(u, sym.ty.ty).map(|shape| (sym.name.clone(), shape)));
            }
        }
        Calls {
            p,
            wrappers: HashMap::new(),
            groups: &graph.groups,
            taken,
            said: &[],
            headed: HashSet::new(),
            heads: HashSet::new(),
        }
    }

    /// The allocators of the library that a call through a pointer of this type may reach, if it can reach no other of its
    /// functions: which of the arguments are sizes.
    fn library(&self, u: &Unit, callee: ExprId) -> Option<&'static [usize]> {
        let wanted = shape(u, u.expr(callee).ty.ty)?;
        let mut like = self.taken.iter().filter(|(_, s)| *s == wanted);
        let (first, _) = like.next()?;
        let same = like.all(|(name, _)| name == first);
        let known = ["malloc", "calloc", "realloc"].contains(&first.as_str());
        (same && known).then(|| allocator(first))?
    }

    /// Is what is allocated through pointers to these functions typed by the calls?
    pub(crate) fn typed_through(&self, unit: usize, name: &str) -> bool {
        let u = &self.p.units[unit];
        let calls = u.exprs.iter().filter_map(|x| match x.kind {
            ExprKind::Call { callee, .. } => Some(callee),
            _ => None,
        });
        let sizes = allocator(name);
        let mut through = calls.filter(|c| self.p.direct(unit, *c).is_none());
        sizes.is_some() && through.any(|c| self.library(u, c) == sizes)
    }

    /// The program's own function that is called by its name.
    pub fn target(&self, unit: usize, e: ExprId) -> Option<FnId> {
        match &self.p.units[unit].expr(e).kind {
            ExprKind::Call { callee, .. } => match self.p.direct(unit, *callee)? {
                (_, Callee::Defined(f)) => Some(f),
                _ => None,
            },
            _ => None,
        }
    }

    /// May the call reach a function that takes what its caller has left?
    pub(crate) fn may_allocate(&self, unit: usize, e: ExprId) -> bool {
        let u = &self.p.units[unit];
        let ExprKind::Call { callee, .. } = &u.expr(e).kind else {
            return false;
        };
        match self.p.direct(unit, *callee) {
            Some((_, Callee::Defined(f))) => self.wrappers.contains_key(&f),
            Some(_) => false,
            None => {
                let wanted = shape(u, u.expr(*callee).ty.ty);
                let group = self.groups.of_call(unit, e);
                group.is_some_and(|g| self.holds_wrapper(g))
                    || wanted.is_some_and(|w| self.taken.iter().any(|(_, s)| *s == w))
            }
        }
    }

    fn holds_wrapper(&self, g: GroupId) -> bool {
        let functions = self.groups.functions(g);
        match functions.len() < self.wrappers.len() {
            true => functions.iter().any(|f| self.wrappers.contains_key(f)),
            false => {
                let mut wrappers = self.wrappers.keys();
                wrappers.any(|f| self.groups.of(*f).contains(&g))
            }
        }
    }

    /// The type that an annotation gives.
    pub fn said(&self, unit: usize, e: ExprId) -> Option<Typed> {
        self.said.iter().find_map(|a| a.of(unit, e))
    }
}

/// The size arguments if `e` allocates, and whether through a wrapper.
pub fn allocation(calls: &Calls, unit: usize, e: ExprId) -> Option<(Vec<ExprId>, bool)> {
    let u = &calls.p.units[unit];
    let ExprKind::Call { callee, args } = &u.expr(e).kind else {
        return None;
    };
    let of = |f: &FnId| {
        let which = calls.wrappers.get(f)?;
        let sizes = which.iter().map(|i| args.get(*i).copied());
        sizes.collect::<Option<Vec<ExprId>>>()
    };
    let (sizes, of_wrapper): (Vec<ExprId>, bool) = match calls.p.direct(unit, *callee) {
        Some((_, Callee::External(name))) => {
            let which = allocator(&name)?;
            let sizes = which.iter().filter_map(|i| args.get(*i).copied());
            (sizes.collect(), false)
        }
        Some((_, Callee::Defined(f))) => (of(&f)?, true),
        None => {
            let targets = calls.groups.called(unit, e);
            let library = calls.library(u, *callee).and_then(|which| {
                let sizes = which.iter().map(|i| args.get(*i).copied());
                sizes.collect::<Option<Vec<ExprId>>>()
            });
            let first = match targets.first() {
                Some(t) => of(t)?,
                None => library.clone()?,
            };
            if library.is_some_and(|l| l != first) {
                return None;
            }
            if !targets.iter().all(|t| of(t).as_ref() == Some(&first)) {
                return None;
            }
            (first, true)
        }
    };
    // `resize(p, 0)` frees.
    let nothing = |e: &ExprId| u.view().eval(strip_casts(u, *e)) == Some(0);
    (!of_wrapper || !sizes.iter().any(nothing)).then_some((sizes, of_wrapper))
}

/// The parameter that `f` returns unchanged, whatever it does besides.
pub fn passed(p: &Program, f: FnId, flow: &PointerFlow) -> Option<usize> {
    let u = p.unit(f);
    let func = p.func(f);
    // What the library's `memcpy` gives back, too.
    let given = |e: ExprId| match &u.expr(e).kind {
        ExprKind::Call { callee, args } => match p.direct(flow.unit, *callee) {
            Some((_, Callee::External(name))) if returns_first(&name) => {
                args.first().map_or(e, |a| strip_casts(u, *a))
            }
            _ => e,
        },
        _ => e,
    };
    let mut which = None;
    let mut only = true;
    visit(u, Node::Stmt(func.body), &mut |n| {
        if let Node::Stmt(s) = n {
            if let StmtKind::Return(Some(e)) = u.stmt(s).kind {
                let e = given(strip_casts(u, e));
                let param = match u.expr(e).kind {
                    ExprKind::Ident(s) => func.params.iter().position(|x| *x == s),
                    ExprKind::Int(0) => return true,
                    _ => None,
                };
                only &= param.is_some() && (which.is_none() || which == param);
                which = which.or(param);
            }
        }
        true
    });
    let i = which.filter(|_| only)?;
    let s = func.params[i];
    let is_pointer = matches!(u.ty(u.sym(s).ty.ty), Type::Pointer(_));
    (is_pointer && flow.is_unchanged(s)).then_some(i)
}

/// If `f` returns memory of a size that its caller chose: the parameters that say the size.
pub fn wrapped(f: FnId, calls: &Calls, follow: &Follow) -> Option<Vec<usize>> {
    let p = calls.p;
    let u = p.unit(f);
    let func = p.func(f);
    let unit = p.fns[f.index()].0;
    if !matches!(u.ty(func.ret.ty), Type::Pointer(_)) {
        return None;
    }
    let mut which: Option<Vec<usize>> = None;
    visit(u, Node::Stmt(func.body), &mut |n| {
        if let Node::Expr(e) = n {
            let unsaid = calls.said(unit, e).is_none();
            if let Some((sizes, _)) = allocation(calls, unit, e).filter(|_| unsaid) {
                if let Some(more) = callers(calls, func, e, &sizes, follow) {
                    let all = which.get_or_insert_default();
                    all.extend(more);
                    all.sort_unstable();
                    all.dedup();
                }
            }
        }
        true
    });
    which
}

/// If this allocation is returned, with a size and for a use that only the caller knows: by which parameters.
pub fn callers(
    calls: &Calls,
    func: &Function,
    call: ExprId,
    sizes: &[ExprId],
    follow: &Follow,
) -> Option<Vec<usize>> {
    let flow = follow.flow;
    let number = |s: &SymId| !matches!(flow.u.ty(flow.u.sym(*s).ty.ty), Type::Pointer(_));
    let given = |s: &SymId| func.params.contains(s) && number(s);
    let mut names = HashSet::new();
    sizes.iter().for_each(|s| idents(flow.u, *s, &mut names));
    // What they are made of, by way of variables, until parameters are among it.
    loop {
        let before = names.len();
        for s in names.clone() {
            flow.values(s).for_each(|e| idents(flow.u, e, &mut names));
            let changes = flow.changes.get(&s).into_iter().flatten();
            changes.for_each(|e| idents(flow.u, *e, &mut names));
        }
        if names.len() == before || names.iter().any(given) {
            break;
        }
    }
    let size = size::size(flow, sizes);
    let known = calls.target(flow.unit, call);
    let head = headed::heads(flow, func, call, sizes);
    let headed = known.is_some_and(|f| calls.heads.contains(&f)) || head.is_some();
    let returned = match size::given_place(flow.u, call) {
        Some(place) => place.is_some_and(|x| follow.is_place_returned(x)),
        None => follow.is_returned(call),
    };
    let params = func.params.iter().enumerate();
    let which: Vec<usize> = params
        .filter(|(_, s)| names.contains(s) && given(s))
        .filter(|(_, s)| head.as_ref().is_none_or(|h| h.asked == **s))
        .map(|(i, _)| i)
        .collect();
    if headed {
        let out = !which.is_empty() && headed::is_handed_out(calls, func, call, follow);
        return out.then_some(which);
    }
    // What is handed out as a pointer to anything is what the callers take it for, however it is looked at here.
    let any =
        matches!(flow.u.ty(func.ret.ty), Type::Pointer(q) if matches!(flow.u.ty(q.ty), Type::Void));
    if returned && any && !flow.is_behind_header(call) {
        let record = |q: &QualType| matches!(flow.u.ty(base(flow.u, *q).ty), Type::Record(_));
        let own = size.unclear || size.typed.iter().any(|(q, _)| record(q));
        return (!own).then_some(which);
    }
    let theirs = returned
        && !which.is_empty()
        && size.typed.is_empty()
        && !size.unclear
        && match wish(call, follow) {
            // What it is called here may be but what functions that allocate were once declared to return, or the head
            // that all of the callers' objects have.
            Wish::Nothing | Wish::Chars(..) => true,
            Wish::Type(q) => {
                let head = matches!(flow.u.ty(q.ty), Type::Record(_));
                head || !any && !flow.is_returned_moved(call)
            }
            Wish::Unclear => false,
        };
    theirs.then_some(which)
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
