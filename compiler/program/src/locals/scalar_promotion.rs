//! Static numbers that loops and other statements in a row may hold in locals.
//!
//! Compilers keep `static int i;` in a register where nothing else can reach it, which they know of a variable whose address
//! is never taken. A rank's copy is reached by its address. So what they would find is found here: among statements that call nothing, a
//! number of the function's own is theirs alone, and what it has before and behind them is all that anybody can see. The same
//! holds of small arrays of numbers that are only indexed (`static double tmat[25];` of an elimination) and of small structs of numbers
//! (f2c's complex numbers), where loops use them so much that copying them there and back is little. Larger arrays of doubles stay
//! where they are; compilers are told that no other pointer leads there while such statements run.

use crate::program::{Callee, Program};
use crate::untouched::root;
use crate::walk::{stmt_children, visit, Node};
use pc3_syntax::tree::*;
use std::collections::{BTreeMap, HashMap, HashSet};

/// Statements in a row.
pub struct Run {
    pub last: StmtId,
    pub named: BTreeMap<SymId, Access>,
}

/// Access statements in a row have what they name.
#[derive(Clone, Copy)]
pub enum Access {
    /// In a local, which is written back if they write it.
    Copied { written: bool },
    /// By a pointer that nothing else is reached by.
    Apart,
}

/// By the first statement of each run.
pub type Held = HashMap<StmtId, Run>;

/// Named so often it is held outside loops, too.
const OFTEN: u32 = 3;
/// Numbers in a small array or struct.
const SMALL: u64 = 64;
/// Access often a loop turns, as far as anybody knows.
const TURNS: u64 = 8;
/// A number in an array or a struct is held for so many uses.
const USES: u64 = 4;
/// A pointer to an array is asked for, which is a call, for so many uses.
const CALL: u64 = 2 * TURNS * TURNS;

/// `private`: what each rank has for itself. Not for programs that make threads.
pub fn analyse(p: &Program, unit: usize, private: &HashSet<SymId>) -> Held {
    let u = &p.units[unit];
    let numbers = numbers(u, private);
    let mut found = Held::new();
    if numbers.is_empty() {
        return found;
    }
    let lent = lent(u);
    let suits = |s: StmtId| {
        let st = u.stmt(s);
        // `__attribute__((fallthrough));` has to stand in front of its label.
        let before = u.text[..st.span.start as usize].trim_end();
        let says = matches!(st.kind, StmtKind::Expr(None)) && before.ends_with("))");
        let declares = matches!(st.kind, StmtKind::Decl(_));
        !declares && !says && !follows_pragma(u, s) && is_alone(p, unit, s, &lent)
    };
    let mut todo: Vec<StmtId> = u.functions.iter().map(|f| f.body).collect();
    while let Some(s) = todo.pop() {
        let kind = &u.stmt(s).kind;
        if matches!(kind, StmtKind::Nested { .. }) {
            continue;
        }
        let mut inner = Vec::new();
        stmt_children(u, s, &mut |c| {
            if let Node::Stmt(x) = c {
                inner.push((x, suits(x)));
            }
        });
        let in_row = matches!(kind, StmtKind::Block(_));
        for run in inner.chunk_by(|a, b| in_row && a.1 && b.1) {
            let [(first, suits), ..] = run else { continue };
            if !suits {
                todo.push(*first);
                continue;
            }
            let named = named(u, run.iter().map(|s| s.0), &numbers);
            if !named.is_empty() {
                let last = run.last().map_or(*first, |s| s.0);
                found.insert(*first, Run { last, named });
            }
        }
    }
    found
}

/// What is written here although the program would not have may be another thread's.
pub fn makes_threads(p: &Program) -> bool {
    let makes = |s: &Symbol| {
        s.kind == SymKind::Func && matches!(s.name.as_str(), "pthread_create" | "thrd_create")
    };
    let units = &p.units;
    units
        .iter()
        .any(|u| !u.openmp.is_empty() || u.symbols.iter().any(makes))
}

fn is_number(u: &Unit, t: TypeId) -> bool {
    matches!(
        u.ty(t),
        Type::Bool
            | Type::Int(_)
            | Type::Float(_)
            | Type::Complex(_)
            | Type::ComplexInt(_)
            | Type::Enum(_)
    )
}

/// Access many numbers an object is made of, if it is small and of nothing else.
fn numbers_in(u: &Unit, t: QualType) -> Option<u64> {
    if t.is_const || t.is_volatile || t.is_atomic {
        return None;
    }
    let all = match u.ty(t.ty) {
        Type::Array {
            elem,
            len: ArrayLen::Const(n),
        } => numbers_in(u, *elem)?.checked_mul(*n)?,
        Type::Record(r) if !u.records[r.index()].is_union => {
            let fields = u.records[r.index()].fields.as_ref()?;
            fields.iter().try_fold(0, |all: u64, f| {
                let plain = f.name.is_some() && f.bit_width.is_none();
                all.checked_add(numbers_in(u, f.ty).filter(|_| plain)?)
            })?
        }
        _ if is_number(u, t.ty) => 1,
        _ => return None,
    };
    (1..=SMALL).contains(&all).then_some(all)
}

/// An array of doubles: what is aligned as compilers believe of a pointer that no other one is like.
fn has_doubles(u: &Unit, t: QualType) -> bool {
    let Type::Array {
        elem,
        len: ArrayLen::Const(1..),
    } = u.ty(t.ty)
    else {
        return false;
    };
    let plain = !(elem.is_const || elem.is_volatile || elem.is_atomic);
    let double = |t| {
        matches!(
            u.ty(t),
            Type::Float(FloatKind::Double) | Type::Complex(FloatKind::Double)
        )
    };
    plain && (double(elem.ty) || has_doubles(u, *elem))
}

/// Functions' own static numbers, and arrays and small structs of them, that have no address.
fn numbers(u: &Unit, private: &HashSet<SymId>) -> HashSet<SymId> {
    let again = calls_itself(u);
    let suits = |s: &Symbol| {
        let own = s.storage == Storage::Static && !s.is_global && !s.thread_local;
        // Each of its frames would have a copy.
        let deep = || s.func.is_some_and(|f| again.contains(&f)) && !is_number(u, s.ty.ty);
        let made_of_them = || numbers_in(u, s.ty).is_some() || has_doubles(u, s.ty);
        own && s.attributes.is_empty() && made_of_them() && !deep()
    };
    let mut set: HashSet<SymId> = private
        .iter()
        .copied()
        .filter(|s| suits(u.sym(*s)))
        .collect();
    let mut indexed = HashSet::new();
    for x in &u.exprs {
        match x.kind {
            ExprKind::AddrOf(e) => {
                root(u, e).map(|s| set.remove(&s));
            }
            ExprKind::Index { base, .. } => {
                indexed.insert(base);
            }
            _ => {}
        }
    }
    // An array that is not indexed is an address.
    for (i, x) in u.exprs.iter().enumerate() {
        let e = ExprId(i as u32);
        if matches!(u.ty(x.ty.ty), Type::Array { .. }) && !indexed.contains(&e) {
            root(u, e).map(|s| set.remove(&s));
        }
    }
    for s in &u.stmts {
        if let StmtKind::Asm(list) = &s.kind {
            for s in list.iter().filter_map(|e| root(u, *e)) {
                set.remove(&s);
            }
        }
    }
    for n in &u.text_names {
        set.remove(&n.sym);
    }
    set
}

fn calls_itself(u: &Unit) -> HashSet<FuncId> {
    let by_symbol: HashMap<SymId, usize> = u.functions.iter().map(|f| f.sym).zip(0..).collect();
    let calls = u.exprs.iter().filter_map(|x| {
        let ExprKind::Call { callee, .. } = x.kind else {
            return None;
        };
        let ExprKind::Ident(s) = u.expr(callee).kind else {
            return None;
        };
        let i = *by_symbol.get(&s)?;
        let within = &u.functions[i].span;
        (within.start <= x.span.start && x.span.end <= within.end).then_some(FuncId(i as u32))
    });
    calls.collect()
}

/// A pragma that speaks of the loop has to stand in front of it.
fn follows_pragma(u: &Unit, s: StmtId) -> bool {
    let before = &u.text[..u.stmt(s).span.start as usize];
    let lines = before.lines().rev().map(str::trim);
    let mut lines = lines.skip_while(|l| l.is_empty() || l.starts_with("# "));
    lines.next().is_some_and(|l| l.starts_with("#pragma"))
}

/// Nothing but the statement's own code runs from its beginning to its end, it is entered there and left there.
fn is_alone(p: &Program, unit: usize, s: StmtId, lent: &HashSet<ExprId>) -> bool {
    let u = &p.units[unit];
    let mut alone = true;
    let (mut switches, mut loops): (Vec<&Span>, Vec<&Span>) = Default::default();
    let within = |list: &[&Span], s: &Span| list.iter().any(|w| w.end >= s.end);
    visit(u, Node::Stmt(s), &mut |n| {
        alone &= match n {
            Node::Expr(e) => {
                let x = u.expr(e);
                let seen = x.ty.is_volatile || x.ty.is_atomic;
                !seen
                    && match x.kind {
                        ExprKind::Call { callee, .. } => computes(p, unit, callee),
                        ExprKind::StmtExpr(_) | ExprKind::LabelAddr(_) => false,
                        // It ends with the block around the run, which is another one then.
                        ExprKind::CompoundLit { .. } => !lent.contains(&e),
                        _ => true,
                    }
            }
            Node::Stmt(s) => {
                use StmtKind::*;
                let st = u.stmt(s);
                if matches!(st.kind, For { .. } | While { .. } | DoWhile { .. }) {
                    loops.push(&st.span);
                }
                match &st.kind {
                    Switch { .. } => {
                        switches.push(&st.span);
                        true
                    }
                    Case { .. } | Default(_) => within(&switches, &st.span),
                    Continue => within(&loops, &st.span),
                    Break => within(&loops, &st.span) || within(&switches, &st.span),
                    Decl(d)
                    | For {
                        init: ForInit::Decl(d),
                        ..
                    } => {
                        // `cleanup` is a call.
                        d.vars.iter().all(|v| u.sym(v.sym).attributes.is_empty())
                    }
                    Label { .. } | Goto(_) | GotoComputed(_) | Return(_) => false,
                    Asm(_) | Nested { .. } | Checkpoint | Other { .. } => false,
                    _ => true,
                }
            }
        };
        alone
    });
    alone
}

/// Objects without a name whose addresses are taken.
fn lent(u: &Unit) -> HashSet<ExprId> {
    let literal = |mut e: ExprId| loop {
        match &u.expr(e).kind {
            ExprKind::CompoundLit { .. } => return Some(e),
            ExprKind::Member {
                base, arrow: false, ..
            }
            | ExprKind::Index { base, .. }
            | ExprKind::Generic { chosen: base, .. } => e = *base,
            _ => return None,
        }
    };
    let taken = u
        .exprs
        .iter()
        .enumerate()
        .filter_map(|(i, x)| match x.kind {
            ExprKind::AddrOf(e) => literal(e),
            // Also where it is only indexed.
            _ if matches!(u.ty(x.ty.ty), Type::Array { .. }) => literal(ExprId(i as u32)),
            _ => None,
        });
    taken.collect()
}

/// A function of the mathematical library, which calls nobody back.
fn computes(p: &Program, unit: usize, callee: ExprId) -> bool {
    const KNOWN: &[&str] = &[
        "acos", "asin", "atan", "atan2", "cbrt", "ceil", "cos", "cosh", "exp", "exp2", "fabs",
        "floor", "fmax", "fmin", "fmod", "hypot", "log", "log10", "log2", "pow", "rint", "round",
        "sin", "sinh", "sqrt", "tan", "tanh", "trunc",
    ];
    let Some((_, Callee::External(name))) = p.direct(unit, callee) else {
        return false;
    };
    KNOWN.contains(&name.as_str()) || name.strip_suffix('f').is_some_and(|n| KNOWN.contains(&n))
}

fn named(
    u: &Unit,
    run: impl Iterator<Item = StmtId>,
    numbers: &HashSet<SymId>,
) -> BTreeMap<SymId, Access> {
    /// Of one number.
    #[derive(Default)]
    struct Uses {
        written: bool,
        times: u32,
        /// In all turns of the loops around it.
        turns: u64,
    }
    let mut found: BTreeMap<SymId, Uses> = BTreeMap::new();
    for s in run {
        let mut loops: Vec<&Span> = Vec::new();
        visit(u, Node::Stmt(s), &mut |n| {
            use StmtKind::{DoWhile, For, While};
            let e = match n {
                Node::Expr(e) => e,
                Node::Stmt(s) => {
                    let st = u.stmt(s);
                    if matches!(st.kind, For { .. } | While { .. } | DoWhile { .. }) {
                        loops.push(&st.span);
                    }
                    return true;
                }
            };
            match &u.expr(e).kind {
                ExprKind::Ident(s) if numbers.contains(s) => {
                    let at = u.expr(e).span.end;
                    let depth = loops.iter().filter(|l| l.end >= at).count();
                    let uses = found.entry(*s).or_default();
                    uses.times += if depth > 0 { OFTEN } else { 1 };
                    uses.turns += TURNS.pow(depth.min(8) as u32);
                }
                ExprKind::Assign { lhs: x, .. }
                | ExprKind::Unary {
                    op: UnOp::PreInc | UnOp::PreDec | UnOp::PostInc | UnOp::PostDec,
                    arg: x,
                } => {
                    if let Some(s) = root(u, *x).filter(|s| numbers.contains(s)) {
                        found.entry(s).or_default().written = true;
                    }
                }
                _ => {}
            }
            true
        });
    }
    let how = |s: SymId, uses: Uses| {
        let ty = u.sym(s).ty;
        let pays = match numbers_in(u, ty) {
            Some(n) if !is_number(u, ty.ty) => uses.turns >= USES * n,
            Some(_) => uses.times >= OFTEN,
            None => false,
        };
        let written = uses.written;
        let apart = || (uses.turns >= CALL && has_doubles(u, ty)).then_some(Access::Apart);
        pays.then_some(Access::Copied { written }).or_else(apart)
    };
    let held = found.into_iter().map(|(s, uses)| (s, how(s, uses)));
    held.filter_map(|(s, how)| Some((s, how?))).collect()
}
