//! Expressions that move a pointer to where it could leave its object, of which the runtime is to be told:
//!
//! ```c
//! double *v = malloc(n * sizeof *v); return v - low;
//! m[i] -= low;
//! four1(data - 1, n);
//! --a;
//! ```
//!
//! Only what is kept (assigned, passed, returned), and only where the pointer is the object's beginning as far as can be
//! seen: what walks through an object (`*--p`, or `p += n` and then `p -= n * m`) stays in it. Behind a move in the same function everything counts that is
//! computed from what was moved, since that may lie outside as well.

use crate::moved_parameters::Move;
use crate::program::is_local;
use crate::walk::{expr_children, stmt_children, strip_casts, Node};
use pc3_syntax::tree::*;
use std::collections::{HashMap, HashSet};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum How {
    /// A sum of this pointer, which is an array of known size or not, and numbers; `around`: counted in bytes, for a pointer
    /// to something else (`(struct job *)((char *)link - offset)`).
    Sum {
        root: ExprId,
        array: bool,
        around: bool,
    },
    /// An assignment to this pointer; its value may be used or not.
    Change { of: ExprId, used: bool },
    /// The address of an element of this one.
    Element { of: ExprId, array: bool },
}

/// `moves`: what a restart does again by itself; `points`: the function has any.
pub fn find(
    u: &Unit,
    f: &Function,
    moves: &HashMap<SymId, Move>,
    points: bool,
) -> HashMap<ExprId, How> {
    let mut seen = Seen {
        u,
        sums: Vec::new(),
        dest: None,
        cast: None,
        changes: Vec::new(),
        elements: Vec::new(),
        walks: HashSet::new(),
        walking: HashSet::new(),
        bare: HashSet::new(),
        loops: 0,
    };
    seen.stmt(f.body, false);
    let shifted = seen.shifted();
    let mut found = HashMap::new();
    // Locals that are used within the function only.
    let by_itself = |s: SymId| {
        is_local(u.sym(s)) && !seen.bare.contains(&s) && (!points || moves.contains_key(&s))
    };
    for c in &seen.changes {
        let back = c.back && seen.moves_away(c);
        let after = seen.owner(c.of).is_some_and(|s| shifted.contains(&s));
        if (back || after) && !ident(u, c.of).is_some_and(by_itself) && simple(u, c.of) {
            let how = How::Change {
                of: c.of,
                used: c.used,
            };
            found.insert(c.whole, how);
        }
    }
    for s in seen.sums.iter().filter(|s| !s.dest.is_some_and(by_itself)) {
        let after = seen.owner(s.root).is_some_and(|s| shifted.contains(&s));
        if after || (s.back && !seen.is_walking(s.root)) {
            let how = How::Sum {
                root: s.root,
                array: is_array(u, s.root),
                around: s.around,
            };
            found.insert(s.whole, how);
        }
    }
    for (whole, of) in seen.elements.iter().filter(|(_, of)| simple(u, *of)) {
        let array = is_array(u, *of);
        found.insert(*whole, How::Element { of: *of, array });
    }
    found
}

/// `p -= n`, `p += n`, `--p;`
struct Change {
    whole: ExprId,
    of: ExprId,
    back: bool,
    used: bool,
    in_loop: bool,
}

struct Sum {
    whole: ExprId,
    /// The pointer.
    root: ExprId,
    /// Something is subtracted.
    back: bool,
    /// The local that it is assigned to.
    dest: Option<SymId>,
    /// See `How::Sum`.
    around: bool,
}

struct Seen<'a> {
    u: &'a Unit,
    /// Kept ones.
    sums: Vec<Sum>,
    /// What is assigned to a local now.
    dest: Option<(ExprId, SymId)>,
    /// What is cast now, and whether that makes it a pointer to no character.
    cast: Option<(ExprId, bool)>,
    changes: Vec<Change>,
    elements: Vec<(ExprId, ExprId)>,
    /// Variables and members that go through an object.
    walks: HashSet<SymId>,
    walking: HashSet<String>,
    /// Variables whose value goes elsewhere.
    bare: HashSet<SymId>,
    loops: u32,
}

impl Seen<'_> {
    fn stmt(&mut self, s: StmtId, value: bool) {
        let u = self.u;
        use StmtKind::*;
        match &u.stmt(s).kind {
            Expr(Some(e)) => self.statement(*e, value),
            Return(Some(e)) => self.expr(*e, true),
            Decl(d) => self.decl(d),
            Block(list) => {
                for (i, x) in list.iter().enumerate() {
                    self.stmt(*x, value && i + 1 == list.len());
                }
            }
            For {
                init,
                cond,
                step,
                body,
            } => {
                match init {
                    ForInit::None => {}
                    ForInit::Expr(e) => self.expr(*e, false),
                    ForInit::Decl(d) => self.decl(d),
                }
                self.loops += 1;
                cond.iter().chain(step).for_each(|e| self.expr(*e, false));
                self.stmt(*body, false);
                self.loops -= 1;
            }
            While { cond: e, body } | DoWhile { body, cond: e } => {
                self.loops += 1;
                self.expr(*e, false);
                self.stmt(*body, false);
                self.loops -= 1;
            }
            // What a jump comes back to is a loop.
            Label { stmt, .. } => {
                self.loops += 1;
                self.stmt(*stmt, value);
            }
            _ => {
                let mut list = Vec::new();
                stmt_children(u, s, &mut |c| list.push(c));
                for c in list {
                    self.node(c, false);
                }
            }
        }
    }

    fn node(&mut self, n: Node, kept: bool) {
        match n {
            Node::Expr(e) => self.expr(e, kept),
            Node::Stmt(s) => self.stmt(s, kept),
        }
    }

    fn decl(&mut self, d: &DeclGroup) {
        for v in &d.vars {
            v.vla_lens.iter().for_each(|e| self.expr(*e, false));
            if let (Some(init), true) = (&v.init, is_local(self.u.sym(v.sym))) {
                if let Init::Expr(e) = init {
                    self.dest = Some((strip_casts(self.u, *e), v.sym));
                }
                self.init(init);
            }
        }
    }

    fn init(&mut self, init: &Init) {
        match init {
            Init::Expr(e) => self.expr(*e, true),
            Init::List { items, .. } => items.iter().for_each(|i| self.init(&i.value)),
        }
    }

    /// An expression whose value is not used, unless `value`.
    fn statement(&mut self, e: ExprId, value: bool) {
        let u = self.u;
        if let ExprKind::Unary {
            op: UnOp::PreDec | UnOp::PostDec,
            arg,
        } = u.expr(e).kind
        {
            if counts(u, arg) && self.loops == 0 && !value {
                self.change(e, arg, true, false);
                return self.expr(arg, false);
            }
        }
        self.expr(e, value);
        if let Some(c) = self.changes.iter_mut().find(|c| c.whole == e) {
            c.used = value;
        }
    }

    fn change(&mut self, whole: ExprId, of: ExprId, back: bool, used: bool) {
        self.changes.push(Change {
            whole,
            of,
            back,
            used,
            in_loop: self.loops > 0,
        });
    }

    fn expr(&mut self, e: ExprId, kept: bool) {
        let u = self.u;
        use ExprKind::*;
        match &u.expr(e).kind {
            Ident(s) if kept => _ = self.bare.insert(*s),
            Assign { op, lhs, rhs } => {
                let pointer = counts(u, *lhs);
                match op {
                    None => {
                        if let Some(s) = ident(u, *lhs) {
                            self.dest = Some((strip_casts(u, *rhs), s));
                        }
                        self.expr(*rhs, true);
                    }
                    Some(op @ (BinOp::Add | BinOp::Sub)) if pointer => {
                        let back = (*op == BinOp::Sub) != is_negative(u, *rhs);
                        self.change(e, *lhs, back, true);
                        self.expr(*rhs, false);
                    }
                    Some(_) => self.expr(*rhs, false),
                }
                self.expr(*lhs, false);
            }
            Unary {
                op: UnOp::PreInc | UnOp::PreDec | UnOp::PostInc | UnOp::PostDec,
                arg,
            } => {
                match &u.expr(strip_casts(u, *arg)).kind {
                    Ident(s) => _ = self.walks.insert(*s),
                    Member { name, .. } => _ = self.walking.insert(name.clone()),
                    _ => {}
                }
                self.expr(*arg, false);
            }
            Binary {
                op: BinOp::Add | BinOp::Sub,
                ..
            } if counts(u, e) => self.sum(e, kept),
            Call { callee, args } => {
                self.expr(*callee, false);
                args.iter().for_each(|a| self.expr(*a, true));
            }
            Cast { arg, .. } => {
                let of = strip_casts(u, e);
                if self.cast.is_none_or(|c| c.0 != of) {
                    self.cast = Some((of, is_pointer(u, e) && !to_characters(u, e)));
                }
                self.expr(*arg, kept && is_pointer(u, e));
            }
            Cond { cond, then, els } => {
                self.expr(*cond, false);
                then.iter().for_each(|t| self.expr(*t, kept));
                self.expr(*els, kept);
            }
            Comma(list) => {
                for (i, x) in list.iter().enumerate() {
                    match i + 1 == list.len() {
                        true => self.expr(*x, kept),
                        false => self.statement(*x, false),
                    }
                }
            }
            StmtExpr(s) => self.stmt(*s, kept),
            CompoundLit { init, .. } => self.init(init),
            AddrOf(x) => {
                if let Index { base, index } = u.expr(*x).kind {
                    if kept && counts(u, e) && is_negative(u, index) {
                        self.elements.push((e, base));
                    }
                }
                self.expr(*x, false);
            }
            Generic { chosen, .. } => self.expr(*chosen, kept),
            _ => {
                let mut list = Vec::new();
                expr_children(u, e, &mut |c| list.push(c));
                list.into_iter().for_each(|c| self.node(c, false));
            }
        }
    }

    /// A sum of a pointer and numbers.
    fn sum(&mut self, whole: ExprId, kept: bool) {
        let u = self.u;
        let (mut e, mut back, mut ahead, mut constant) = (whole, false, false, 0i128);
        while let ExprKind::Binary { op, lhs, rhs } = u.expr(e).kind {
            let (pointer, number) = match is_address(u, lhs) {
                true => (lhs, rhs),
                false => (rhs, lhs),
            };
            self.expr(number, false);
            let sign = if op == BinOp::Sub { -1 } else { 1 };
            match u.expr(strip_casts(u, number)).kind {
                ExprKind::Int(n) => constant += sign * n,
                _ if (op == BinOp::Sub) != is_negative(u, number) => back = true,
                _ => ahead = true,
            }
            e = pointer;
            if !counts(u, e) {
                break;
            }
        }
        let root = e;
        if kept {
            let dest = self.dest.filter(|d| d.0 == whole).map(|d| d.1);
            // The end of what is counted from the beginning is inside.
            let back = back || (constant < 0 && !ahead);
            let around = to_characters(u, whole) && self.cast == Some((whole, true));
            self.sums.push(Sum {
                whole,
                root,
                back,
                dest,
                around,
            });
        }
        self.expr(root, kept);
    }

    /// The variable that a place belongs to.
    fn owner(&self, e: ExprId) -> Option<SymId> {
        let u = self.u;
        let mut e = e;
        loop {
            e = strip_casts(u, e);
            match &u.expr(e).kind {
                ExprKind::Ident(s) => return Some(*s),
                ExprKind::Index { base, .. } | ExprKind::Member { base, .. } => e = *base,
                ExprKind::Deref(a) => e = *a,
                ExprKind::Binary { lhs, rhs, .. } => {
                    e = if is_address(u, *lhs) { *lhs } else { *rhs };
                    if !is_address(u, e) {
                        return None;
                    }
                }
                _ => return None,
            }
        }
    }

    fn is_walking(&self, e: ExprId) -> bool {
        let e = strip_casts(self.u, e);
        match &self.u.expr(e).kind {
            ExprKind::Ident(s) => self.walks.contains(s),
            ExprKind::Member { name, .. } => self.walking.contains(name),
            _ => false,
        }
    }

    fn moves_away(&self, c: &Change) -> bool {
        let walks = self.is_walking(c.of) || self.comes_back(c);
        !walks && (!c.in_loop || ident(self.u, c.of).is_none())
    }

    /// Does the variable go ahead step by step before it goes back?  `p += n` in a loop, `p -= n * m` behind it.
    fn comes_back(&self, c: &Change) -> bool {
        let u = self.u;
        let Some(s) = ident(u, c.of) else {
            return false;
        };
        let first = self.changes.iter().find(|o| ident(u, o.of) == Some(s));
        let begins_in_front = self.sums.iter().any(|x| x.back && x.dest == Some(s));
        first.is_some_and(|o| !o.back && o.in_loop) && !begins_in_front
    }

    /// Variables that, or something in which, is moved back.
    fn shifted(&self) -> HashSet<SymId> {
        let back = self.changes.iter().filter(|c| c.back && self.moves_away(c));
        back.filter_map(|c| self.owner(c.of)).collect()
    }
}

fn ident(u: &Unit, e: ExprId) -> Option<SymId> {
    match u.expr(strip_casts(u, e)).kind {
        ExprKind::Ident(s) => Some(s),
        _ => None,
    }
}

fn is_pointer(u: &Unit, e: ExprId) -> bool {
    matches!(u.ty(u.expr(e).ty.ty), Type::Pointer(_))
}

fn to_characters(u: &Unit, e: ExprId) -> bool {
    let Type::Pointer(to) = u.ty(u.expr(e).ty.ty) else {
        return false;
    };
    matches!(
        u.ty(to.ty),
        Type::Int(IntKind::Char | IntKind::SChar | IntKind::UChar)
    )
}

fn is_address(u: &Unit, e: ExprId) -> bool {
    matches!(u.ty(u.expr(e).ty.ty), Type::Pointer(_) | Type::Array { .. })
}

/// A pointer to something that has a size that is known.
fn counts(u: &Unit, e: ExprId) -> bool {
    let q = u.expr(e).ty;
    let Type::Pointer(to) = u.ty(q.ty) else {
        return false;
    };
    !q.is_volatile
        && !q.is_atomic
        && match u.ty(to.ty) {
            Type::Void | Type::Function { .. } | Type::Unsupported(_) => false,
            Type::Record(r) => u.records[r.index()].fields.is_some(),
            Type::Array { .. } => fixed(u, to.ty),
            _ => true,
        }
}

/// An array of fixed size.
fn is_array(u: &Unit, e: ExprId) -> bool {
    let ty = u.expr(e).ty.ty;
    matches!(u.ty(ty), Type::Array { .. }) && fixed(u, ty)
}

fn fixed(u: &Unit, ty: TypeId) -> bool {
    match u.ty(ty) {
        Type::Array { elem, len } => {
            matches!(len, ArrayLen::Const(_) | ArrayLen::Target(_)) && fixed(u, elem.ty)
        }
        _ => true,
    }
}

fn is_negative(u: &Unit, e: ExprId) -> bool {
    match u.expr(strip_casts(u, e)).kind {
        ExprKind::Int(n) => n < 0,
        ExprKind::Unary {
            op: UnOp::Minus, ..
        } => true,
        _ => false,
    }
}

/// Can be written twice.
fn simple(u: &Unit, e: ExprId) -> bool {
    use ExprKind::*;
    match &u.expr(e).kind {
        Ident(_) | Int(_) => true,
        Member { base, .. } => simple(u, *base),
        Index { base, index } => simple(u, *base) && simple(u, *index),
        Deref(a) | Cast { arg: a, .. } => simple(u, *a),
        Binary { op, lhs, rhs } => {
            !matches!(op, BinOp::LogAnd | BinOp::LogOr) && simple(u, *lhs) && simple(u, *rhs)
        }
        Unary {
            op: UnOp::Plus | UnOp::Minus | UnOp::BitNot,
            arg,
        } => simple(u, *arg),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pc3_syntax::types::Target;

    /// What is found in the last function, as it is written.
    fn found(text: &str) -> Vec<(String, How)> {
        let prelude =
            "void *malloc(unsigned long); void take(double *); struct s { double *p, in[4]; };";
        let text = format!("# 1 \"t.c\"\n{prelude}\n{text}\n");
        let (u, diagnostics) = pc3_syntax::lower::build("t.c", text, &Target::default());
        assert!(!diagnostics.has_errors());
        let f = u.functions.last().expect("a function");
        let found = find(&u, f, &HashMap::new(), true);
        let mut list: Vec<(ExprId, How)> = found.into_iter().collect();
        list.sort_by_key(|(e, _)| u.expr(*e).span.start);
        let words = |e: ExprId| u.slice(&u.expr(e).span).to_string();
        list.into_iter().map(|(e, how)| (words(e), how)).collect()
    }

    fn check(text: &str, expected: &[&str]) {
        let words: Vec<String> = found(text).into_iter().map(|(words, _)| words).collect();
        assert_eq!(words, expected);
    }

    #[test]
    fn what_is_kept_and_may_be_in_front() {
        check(
            "double *f(long low, long n) { double *v = malloc(n * 8); return v - low + 1; }",
            &["v - low + 1"],
        );
        check(
            "void f(double *x) { take(x - 1); take(&x[-1]); }",
            &["x - 1", "&x[-1]"],
        );
        check(
            "void f(struct s *s, int k) { s->p -= k; s->p = s->in + -k; }",
            &["s->p -= k", "s->in + -k"],
        );
        check("double *f(double *x) { --x; return x; }", &["--x"]);
    }

    #[test]
    fn what_goes_back_first() {
        check(
            "void f(double *x, int n) { x -= n; take(x); x += 2; take(x); x -= 1; }",
            &["x -= n", "x += 2", "x -= 1"],
        );
        check(
            "void f(double *v, int n) { double *x = v - n; take(x); x += 2; x -= n; }",
            &["v - n", "x += 2", "x -= n"],
        );
        // One step ahead is no walk.
        check(
            "void f(double *x) { x += 1; take(x); x -= 2; take(x); }",
            &["x += 1", "x -= 2"],
        );
    }

    #[test]
    fn what_is_computed_from_it() {
        check(
            "void f(double **m, int r, int n) { m[r] -= n; m[r + 1] = m[r] + n; }",
            &["m[r] -= n", "m[r] + n"],
        );
    }

    #[test]
    fn what_is_around_it() {
        let text = "struct s *f(char *x, long n) { take((double *)(x - n)); x = (char *)(void *)(x - n - 1); \
                    return (struct s *)((char *)(double *)x - n); }";
        let around = |(words, how): (String, How)| match how {
            How::Sum { around: true, .. } => Some(words),
            _ => None,
        };
        let list: Vec<String> = found(text).into_iter().filter_map(around).collect();
        assert_eq!(list, ["x - n", "(char *)(double *)x - n"]);
    }

    #[test]
    fn what_stays_inside() {
        // Looked at, compared, counted from the end, walked through.
        check(
            "double f(double *x, int n) { return *(x - n) + x[-n] + (x - 1 > x); }",
            &[],
        );
        check(
            "void f(double *x, int n) { take(x + n - 1); take(&x[n - 1]); take(x + 1 - 1); }",
            &[],
        );
        check(
            "void f(double *x, int n) { while (n--) { x++; take(x - 1); } }",
            &[],
        );
        check(
            "void f(double *x, int n) { while (n) x -= 2; take(x); }",
            &[],
        );
        check(
            "void f(double *x, int n) { for (int i = 0; i < n; i++) { take(x); x += n; } x -= n * n; take(x); }",
            &[],
        );
    }
}
