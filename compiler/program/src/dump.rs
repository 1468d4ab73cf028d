//! What the analyses find, as text: one line for each thing found, in the order of the source. For tests and for people who
//! debug an analysis.

use crate::bits::Bits;
use crate::callgraph::CallGraph;
use crate::cfg::{self, Cfg};
use crate::escape::Escapes;
use crate::linear::{Cond, Ctx, Needed, Op, Root, Subst};
use crate::liveness;
use crate::points::{PointAt, Points};
use crate::program::{FnId, Program};
use pc3_syntax::tree::*;
use std::collections::HashSet;

/// Which functions call which; those with a star reach a location.
pub fn callgraph(p: &Program, g: &CallGraph) -> String {
    g.to_text(p)
}

/// `NODE: TEXT [reads ...] [writes ...] -> SUCCESSORS`
pub fn cfg(u: &Unit, f: &Function) -> String {
    let graph = cfg::build(u, f);
    let mut out = String::new();
    for (i, n) in graph.nodes.iter().enumerate() {
        let texts: Vec<&str> = n.exprs.iter().map(|e| u.slice(&u.expr(*e).span)).collect();
        let what = match (n.location, i == graph.entry) {
            (Some(_), _) => "location".into(),
            (None, true) => "entry".into(),
            (None, false) => texts.join(", "),
        };
        let list = |word: &str, set: &Bits| match names(u, &graph, set) {
            s if s.is_empty() => s,
            s => format!(" [{word} {s}]"),
        };
        let to: Vec<String> = n.succ.iter().map(usize::to_string).collect();
        let line = format!(
            "{i}: {what}{}{}{} -> {}",
            list("reads", &n.uses),
            list("writes", &n.kills),
            list("declares", &n.undefined),
            to.join(" ")
        );
        out += line.trim_end();
        out.push('\n');
    }
    out
}

/// At each location: what is needed behind it, and what may be without a value.
pub fn liveness(u: &Unit, f: &Function) -> String {
    let graph = cfg::build(u, f);
    let live = liveness::analyse(&graph);
    let mut places: Vec<StmtId> = graph.nodes.iter().filter_map(|n| n.location).collect();
    places.sort_by_key(|s| u.stmt(*s).span.start);
    let mut out = String::new();
    for s in places {
        let line = u.lines.position(u.stmt(s).span.start).line;
        let empty = Bits::default();
        let needed = names(u, &graph, live.after_location.get(&s).unwrap_or(&empty));
        let unset = names(u, &graph, live.unset_location.get(&s).unwrap_or(&empty));
        out += format!("line {line}: needed {needed}; perhaps unset {unset}").trim_end();
        out.push('\n');
    }
    out
}

/// For each function: locals whose address is taken, those that escape, parameters that are kept.
pub fn escapes(p: &Program, found: &Escapes) -> String {
    let mut out = String::new();
    for f in p.ids() {
        let u = p.unit(f);
        let sorted = |set: &HashSet<SymId>| {
            let mut names: Vec<&str> = set.iter().map(|s| u.sym(*s).name.as_str()).collect();
            names.sort_unstable();
            names.join(" ")
        };
        let params = p.func(f).params.iter().zip(&found.kept[f.index()]);
        let kept: Vec<&str> = params
            .filter(|(_, kept)| **kept)
            .map(|(s, _)| u.sym(*s).name.as_str())
            .collect();
        out += &format!(
            "{}: taken [{}] escaping [{}] kept [{}]\n",
            p.name(f),
            sorted(&found.taken[f.index()]),
            sorted(&found.escaping[f.index()]),
            kept.join(" ")
        );
    }
    out
}

/// `LABEL: TEXT`
pub fn points(u: &Unit, found: &Points) -> String {
    let line = |p: &crate::points::Point| {
        let kind = match p.at {
            PointAt::Call(_) => "call",
            PointAt::Location(_) => "location",
            PointAt::Jump(_) => "jump",
        };
        let text = u.slice(&p.span).split_whitespace();
        format!(
            "{}: {kind} {}\n",
            p.label,
            text.collect::<Vec<_>>().join(" ")
        )
    };
    found.list.iter().map(line).collect()
}

/// Each full expression with points: its steps, and what each point needs.
pub fn linear(p: &Program, g: &CallGraph, found: &Escapes, f: FnId) -> String {
    let (u, func) = (p.unit(f), p.func(f));
    let points = crate::points::analyse(p, g, f, true);
    let mut ctx = Ctx::new(
        u,
        func,
        &points,
        (&found.escaping[f.index()], &found.taken[f.index()]),
        u.target.left_to_right,
    );
    ctx.stmt(func.body, &Needed::default());
    let start = |r: &Root| match r {
        Root::Expr(e) => u.expr(*e).span.start,
        Root::Init(s) => u.sym(*s).decls.first().map_or(0, |d| d.start),
    };
    let mut roots: Vec<&Root> = ctx.linear.keys().collect();
    roots.sort_by_key(|r| start(r));
    let mut out = String::new();
    for r in roots {
        out += &match r {
            Root::Expr(e) => format!("{}\n", u.slice(&u.expr(*e).span)),
            Root::Init(s) => format!("{} = {{...}}\n", u.sym(*s).name),
        };
        let l = &ctx.linear[r];
        steps(u, &l.ops, 1, &mut out);
        let mut replaced: Vec<(&ExprId, &Subst)> = l.subst.iter().collect();
        replaced.sort_by_key(|(e, _)| (u.expr(**e).span.start, **e));
        for (e, s) in replaced {
            let text = u.slice(&u.expr(*e).span);
            out += &match s {
                Subst::Temp(t) => format!("  where {text} is t{t}\n"),
                Subst::Nothing => format!("  where {text} is done\n"),
            };
        }
    }
    let mut labels: Vec<&u32> = ctx.needed.keys().collect();
    labels.sort_unstable();
    for l in labels {
        let n = &ctx.needed[l];
        let mut what: Vec<String> = n.syms.iter().map(|s| u.sym(*s).name.clone()).collect();
        what.extend(n.temps.iter().map(|t| format!("t{t}")));
        if !what.is_empty() {
            out += &format!("point {l} needs {}\n", what.join(" "));
        }
    }
    out
}

fn steps(u: &Unit, ops: &[Op], depth: usize, out: &mut String) {
    let text = |e: &ExprId| u.slice(&u.expr(*e).span).to_string();
    let into = |t: &Option<usize>| t.map_or(String::new(), |t| format!("t{t} = "));
    let indent = "  ".repeat(depth);
    for op in ops {
        let line = match op {
            Op::Eval { temp, expr } => format!("t{temp} = {}", text(expr)),
            Op::Truth { temp, expr } => format!("t{temp} = ({}) != 0", text(expr)),
            Op::Copy { temp, from } => format!("t{temp} = t{from}"),
            Op::Do(e) => format!("do {}", text(e)),
            Op::Point { label, call, temp } => {
                format!("{}point {label} {}", into(temp), text(call))
            }
            Op::Block { temp, .. } => format!("{}statements", into(temp)),
            Op::If { cond, then, els } => {
                let cond = match cond {
                    Cond::Expr(e) => text(e),
                    Cond::Temp(t) => format!("t{t}"),
                    Cond::NotTemp(t) => format!("!t{t}"),
                };
                *out += &format!("{indent}if {cond}\n");
                steps(u, then, depth + 1, out);
                if !els.is_empty() {
                    *out += &format!("{indent}else\n");
                    steps(u, els, depth + 1, out);
                }
                continue;
            }
        };
        *out += &format!("{indent}{line}\n");
    }
}

fn names(u: &Unit, graph: &Cfg, set: &Bits) -> String {
    let list: Vec<&str> = (set.iter())
        .map(|i| u.sym(graph.vars[i]).name.as_str())
        .collect();
    list.join(" ")
}
