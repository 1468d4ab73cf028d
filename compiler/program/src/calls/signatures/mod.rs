//! Which functions a pointer of a given function type may stand for.
//!
//! A function is called through its own type, or through one that some conversion in the program leads to:
//!
//! ```c
//! table[0].call = (void (*)(void))open_file;                        // open_file → void ()
//! ((int (*)(const char *))table[0].call)("x");                      // void () → int (const char *)
//! ```
//!
//! Types are nodes, conversions (casts and implicit ones) edges, each function a node that leads to its type and to
//! those it is converted to itself.  What goes through `void *`, integers and variable arguments meets in one node.
//! Memory is followed by its type: looked at as another (pointers converted to each other, unions, structs that begin
//! alike), it joins the types of both.  Spellings of types are compared, so that units agree.

mod conversions;
mod memory;
mod spelling;

use crate::program::{FnId, Program};
use pc3_syntax::tree::*;
use spelling::spelled;
pub use spelling::{function, pointee};
use std::collections::{HashMap, HashSet};

type NodeId = usize;
/// Whatever is no pointer to a function.
const ANYTHING: NodeId = 0;

pub struct Signatures {
    nodes: HashMap<String, NodeId>,
    functions: HashMap<FnId, NodeId>,
    edges: Vec<HashSet<NodeId>>,
    /// Against the edges, and the functions of nodes: made when all edges are there.
    back: Vec<Vec<NodeId>>,
    /// Structs whose memory is also looked at as something else, by unit.
    pub looked_at: HashSet<(usize, RecordId)>,
    own: HashMap<NodeId, FnId>,
}

impl Signatures {
    /// The functions that a call through a pointer to `ty` may call, as far as types say; None: all.
    pub fn leading(&self, unit: usize, u: &Unit, ty: TypeId) -> Option<HashSet<FnId>> {
        let spelling = spelled(unit, u, function(u, ty)?);
        let mut todo: Vec<NodeId> = self.nodes.get(&spelling).copied().into_iter().collect();
        let mut seen: HashSet<NodeId> = todo.iter().copied().collect();
        let mut found = HashSet::new();
        while let Some(n) = todo.pop() {
            found.extend(self.own.get(&n));
            let from = self.back[n].iter().copied();
            todo.extend(from.filter(|from| seen.insert(*from)));
        }
        Some(found)
    }

    fn finish(mut self) -> Signatures {
        self.back = vec![Vec::new(); self.edges.len()];
        for (from, list) in self.edges.iter().enumerate() {
            list.iter().for_each(|to| self.back[*to].push(from));
        }
        self.own = self.functions.iter().map(|(f, n)| (*n, *f)).collect();
        self
    }
}

/// A struct's or union's name, as all units spell it.
pub(crate) fn record_key(unit: usize, u: &Unit, r: RecordId) -> String {
    let d = &u.records[r.index()];
    match d.tag.as_ref().or(d.typedef_name.as_ref()) {
        Some(name) => name.clone(),
        None => format!("{unit}:{}", r.0),
    }
}

/// A type of a unit.
type Typed<'a> = (usize, &'a Unit, TypeId);

pub fn analyse(p: &Program) -> Signatures {
    let mut b = Builder {
        p,
        s: Signatures {
            nodes: HashMap::new(),
            functions: HashMap::new(),
            edges: vec![HashSet::new()],
            back: Vec::new(),
            looked_at: HashSet::new(),
            own: HashMap::new(),
        },
        known: HashMap::new(),
        converted: HashSet::new(),
        punned: HashSet::new(),
    };
    for (unit, u) in p.units.iter().enumerate() {
        b.records(unit, u);
        for e in 0..u.exprs.len() as u32 {
            b.expr(unit, u, ExprId(e));
        }
        for item in &u.items {
            if let TopItem::Decl(d) = item {
                b.decl(unit, u, d);
            }
        }
        for f in &u.functions {
            b.body(unit, u, f);
        }
    }
    b.redeclared();
    b.s.finish()
}

struct Builder<'a> {
    p: &'a Program<'a>,
    s: Signatures,
    known: HashMap<(usize, TypeId), NodeId>,
    converted: HashSet<(usize, TypeId, usize, TypeId)>,
    punned: HashSet<(usize, TypeId, usize, TypeId)>,
}

impl<'a> Builder<'a> {
    fn fresh(&mut self) -> NodeId {
        self.s.edges.push(HashSet::new());
        self.s.edges.len() - 1
    }

    fn edge(&mut self, from: NodeId, to: NodeId) {
        if from != to {
            self.s.edges[from].insert(to);
        }
    }

    fn both(&mut self, a: NodeId, b: NodeId) {
        self.edge(a, b);
        self.edge(b, a);
    }

    /// The node of a function type.
    fn node(&mut self, (unit, u, ty): Typed) -> NodeId {
        if let Some(n) = self.known.get(&(unit, ty)) {
            return *n;
        }
        let spelling = spelled(unit, u, ty);
        let n = match self.s.nodes.get(&spelling) {
            Some(n) => *n,
            None => {
                let n = self.fresh();
                self.s.nodes.insert(spelling, n);
                n
            }
        };
        self.known.insert((unit, ty), n);
        n
    }

    fn of_function(&mut self, f: FnId) -> NodeId {
        if let Some(n) = self.s.functions.get(&f) {
            return *n;
        }
        let n = self.fresh();
        self.s.functions.insert(f, n);
        let own = self.defined(f);
        let own = self.node(own);
        self.edge(n, own);
        n
    }

    fn defined(&self, f: FnId) -> Typed<'a> {
        let (unit, u) = (self.p.fns[f.index()].0, self.p.unit(f));
        (unit, u, u.sym(self.p.func(f).sym).ty.ty)
    }
}

#[cfg(test)]
mod tests {
    use crate::callgraph;
    use crate::program::Program;
    use pc3_syntax::types::Target;

    /// What the last function of the last unit may call.
    fn check(units: &[&str], expected: &str) {
        let unit = |text: &&str| {
            let text = format!("# 1 \"t.c\"\n{text}\n");
            let (unit, diagnostics) = pc3_syntax::lower::build("t.c", text, &Target::default());
            assert!(!diagnostics.has_errors(), "{units:?}");
            unit
        };
        let trees: Vec<_> = units.iter().map(unit).collect();
        let p = Program::new(&trees);
        let graph = callgraph::analyse(&p, false);
        let calls = graph.calls.last().into_iter().flatten();
        let names: Vec<&str> = calls
            .flat_map(|c| graph.targets(c).iter().map(|t| p.name(*t)))
            .collect();
        assert_eq!(names.join(" "), expected, "{units:?}");
    }

    // The variables may hold more than what is stored here.
    const SOME: &str = "struct a; struct b; int fa(struct a *x) { return 1; } int fb(struct b *x) { return 2; } int fv(void *x) { return 3; }
        typedef int (*pa)(struct a *); typedef int (*pb)(struct b *); typedef int (*pv)(void *);
        pa va = fa; pb vb = fb; pv vv = fv; void look(int, ...); void lend(void) { look(0, &va, &vb, &vv); } void *memcpy(void *, const void *, unsigned long);";

    #[test]
    fn own_types() {
        check(
            &[
                SOME,
                "struct a; int f(int (*p)(const struct a *)) { return p(0); } void *x = f;",
            ],
            "fa",
        );
        check(
            &[
                SOME,
                "int f(int (**p)(void *)) { return (**p)(0); } void *x = f;",
            ],
            "fv",
        );
        check(
            &[SOME, "int f(int (**p)()) { return (**p)(0); } void *x = f;"],
            "",
        );
    }

    #[test]
    fn conversions() {
        let all = |more: &str, expected: &str| check(&[&format!("{SOME}{more}")], expected);
        all("pv x = (pv)fa; int f(void) { return vv(0); }", "fa fv");
        all("pv x = fa; int f(void) { return vv(0); }", "fa fv");
        all(
            "void g(void) { vv = (pv)va; } int f(void) { return vv(0); }",
            "fa fv",
        );
        all(
            "void g(void) { vv = (pv)(void *)va; } int f(void) { return vv(0); }",
            "fa fv",
        );
        all(
            "pv g(void) { return (void *)va; } int f(void) { return vv(0); }",
            "fa fv",
        );
        all("void g(void *); void h(void) { g(va); vv = (pv)(long)vb; } int f(void) { return vv(0); }", "fa fb fv");
        all("void g(int, ...); void h(__builtin_va_list l) { g(1, va); vv = __builtin_va_arg(l, pv); } int f(void) { return vv(0); }", "fa fv");
        all(
            "void g(pv p) { } void h(int c) { g(c ? (pv)vb : 0); } int f(void) { return vv(0); }",
            "fb fv",
        );
        all(
            "void g(p) pv p; { } void h(void) { g(fb); } int f(void) { return vv(0); }",
            "fb fv",
        );
        all(
            "struct m { int n; pv p; } m = { 1, (pv)fb }; int f(void) { return m.p(0); }",
            "fb fv",
        );
        all("int f(void) { return ((int (*)())va)(0); }", "fa");
    }

    #[test]
    fn stored() {
        const TWO: &str = "struct a; int fa(struct a *x) { return 1; } int ga(struct a *x) { return 4; } typedef int (*pa)(struct a *);
            pa va = fa; pa use = ga; struct s { int n; pa p; };";
        let two = |more: &str, expected: &str| check(&[&format!("{TWO}{more}")], expected);
        two("int f(void) { return va(0); }", "fa");
        two(
            "void g(void) { va = ga; } int f(void) { return va(0); }",
            "fa ga",
        );
        two(
            "void g(pa p) { va = p; } void h(void) { g(ga); } int f(void) { return va(0); }",
            "fa ga",
        );
        two(
            "static struct s s = { 1, fa }; int f(void) { return s.p(0); }",
            "fa",
        );
        // By its address, by another struct's name, by a library: all of the type.
        two(
            "void h(pa *p); void g(void) { h(&va); } int f(void) { return va(0); }",
            "fa ga",
        );
        two("static struct s s = { 1, fa }; void h(struct s *); void g(void) { *(&s.p) = ga; } int f(void) { return s.p(0); }", "fa ga");
        two("struct t { int n; pa q; }; static struct s s = { 1, fa }; static struct t t = { 2, ga }; int f(void) { return s.p(0); }", "fa ga");
        two("struct t { long n, m; pa q; }; static struct s s = { 1, fa }; int f(void) { ((struct t *)&s)->q = ga; return s.p(0); }", "fa ga");
        // What has gone where nobody follows it may have come here.
        two(
            "void *any = ga; static struct s s = { 1, fa }; int f(void) { return s.p(0); }",
            "fa ga",
        );
    }

    #[test]
    fn memory() {
        let all = |more: &str, expected: &str| check(&[&format!("{SOME}{more}")], expected);
        all(
            "union u { pa a; pv v; }; int f(union u *u) { return u->v(0); }",
            "fa fv",
        );
        all(
            "union u { pa a; void *p; }; int f(union u *u) { return ((pv)u->p)(0); }",
            "fa fv",
        );
        all("int f(void) { return (*(pv *)&vb)(0); }", "fb fv");
        all(
            "int f(void) { memcpy(&vv, &vb, sizeof vv); return vv(0); }",
            "fb fv",
        );
        all("struct x { int n; pa p; }; struct y { int n; pv p; char c; }; int f(struct y *y) { return y->p(0); }", "fa fv");
        all("struct x { long n; pa p; }; struct y { int n; pv p; }; int f(struct y *y) { return y->p(0); }", "fv");
        all("struct x { long n; pa p; }; struct y { int n; pv p; }; int f(struct x *x) { return ((struct y *)x)->p(0); }", "fa fv");
    }
}
