//! What annotations say of allocations: `type TYPE`, `type FUNCTION: TYPE`, `type FILE:LINE: TYPE`.

use super::{names, types, wrong, Annotation, AnnotationSource, Problem};
use crate::walk::{children, visit, Node};
use pc3_syntax::locations::{same_file, Location};
use pc3_syntax::tree::*;
use std::collections::{HashMap, HashSet};

/// One annotation's: the calls that it may be about.
#[derive(Clone, Debug)]
pub struct Allocation {
    pub annotation: Annotation,
    /// Where, in words.
    place: String,
    calls: HashSet<(usize, ExprId)>,
    types: HashMap<usize, QualType>,
    longer: bool,
    written: String,
}

/// The type said of a call, and whether it is one object with a longer array at its end.
#[derive(Clone, Copy, Debug)]
pub struct Typed {
    pub elem: QualType,
    pub longer: bool,
}

impl Allocation {
    pub fn of(&self, unit: usize, call: ExprId) -> Option<Typed> {
        let elem = *self.types.get(&unit)?;
        let longer = self.longer;
        self.calls
            .contains(&(unit, call))
            .then_some(Typed { elem, longer })
    }

    /// Why it says nothing, given the calls that allocate.
    pub(crate) fn problem(
        &self,
        units: &[Unit],
        allocates: &dyn Fn(usize, ExprId) -> bool,
    ) -> Option<(bool, String)> {
        let mut meant = self.calls.iter().filter(|(unit, e)| allocates(*unit, *e));
        match meant.next() {
            None => Some((true, format!("nothing is allocated {}", self.place))),
            Some((unit, _)) if !self.types.contains_key(unit) => Some((
                false,
                format!(
                    "{} does not know the type `{}`: declare it there",
                    units[*unit].path, self.written
                ),
            )),
            Some(_) => None,
        }
    }
}

pub(super) fn read(units: &[Unit], a: &Annotation, rest: &str) -> Result<Allocation, Problem> {
    let (site, text) = match rest.rsplit_once(':') {
        Some((site, text)) => (Some(site.trim()), text.trim()),
        None => (None, rest),
    };
    let written = types::parse(text)?;
    let types: HashMap<usize, QualType> = units
        .iter()
        .enumerate()
        .filter_map(|(i, u)| Some((i, written.find(u)?)))
        .collect();
    if types.is_empty() {
        return Err(Problem::Absent(format!("no source has a type `{text}`")));
    }
    let complete = |(unit, q): (&usize, &QualType)| !matches!(units[*unit].ty(q.ty), Type::Void);
    if !types.iter().all(complete) {
        return wrong("memory of type void is what it is without the annotation");
    }
    let mut calls = HashSet::new();
    let place = match (site, &a.from) {
        (None, AnnotationSource::File(_)) => {
            return wrong("in a file, say where: `type FUNCTION: TYPE` or `type FILE:LINE: TYPE`")
        }
        (None, AnnotationSource::Pragma(unit, span)) => {
            let u = &units[*unit];
            let next = u
                .stmts
                .iter()
                .enumerate()
                .filter(|(_, s)| s.span.start >= span.end && !matches!(s.kind, StmtKind::Block(_)))
                .min_by_key(|(_, s)| (s.span.start, std::cmp::Reverse(s.span.end)));
            if let Some((k, _)) = next {
                head(u, StmtId(k as u32), &mut |e| _ = calls.insert((*unit, e)));
            }
            "in the statement below".to_string()
        }
        (Some(site), from) => match Location::parse(site) {
            Some(Location::Function(name)) => {
                let found = names::functions(units, from, &name);
                if found.is_empty() {
                    return Err(Problem::Absent(format!(
                        "no source defines a function `{name}`"
                    )));
                }
                for (unit, f) in found {
                    let u = &units[unit];
                    calls_in(u, Node::Stmt(u.func(f).body), &mut |e| {
                        calls.insert((unit, e));
                    });
                }
                format!("in `{name}`")
            }
            Some(Location::Line { file, line }) => {
                for (unit, u) in units.iter().enumerate() {
                    at_line(u, &file, line, &mut |e| _ = calls.insert((unit, e)));
                }
                format!("at {file}:{line}")
            }
            None => return wrong(format!("`{site}` is neither FUNCTION nor FILE:LINE")),
        },
    };
    Ok(Allocation {
        annotation: a.clone(),
        place,
        calls,
        types,
        longer: written.longer,
        written: text.to_string(),
    })
}

fn calls_in(u: &Unit, n: Node, f: &mut dyn FnMut(ExprId)) {
    visit(u, n, &mut |n| {
        if let Node::Expr(e) = n {
            if matches!(u.expr(e).kind, ExprKind::Call { .. }) {
                f(e);
            }
        }
        true
    });
}

/// The calls of a statement, not those of blocks in it.
fn head(u: &Unit, s: StmtId, f: &mut dyn FnMut(ExprId)) {
    let mut parts = Vec::new();
    children(u, Node::Stmt(s), &mut |n| parts.push(n));
    for n in parts {
        match n {
            Node::Expr(_) => calls_in(u, n, f),
            Node::Stmt(s) if matches!(u.stmt(s).kind, StmtKind::Block(_)) => {}
            Node::Stmt(s) => head(u, s, f),
        }
    }
}

/// Calls on a line, and in a statement that begins on it.
fn at_line(u: &Unit, file: &str, line: u32, f: &mut dyn FnMut(ExprId)) {
    let here = |at: u32| {
        let p = u.lines.position(at);
        p.line == line && same_file(&p.file, file)
    };
    for (k, s) in u.stmts.iter().enumerate() {
        if here(s.span.start) {
            head(u, StmtId(k as u32), f);
        }
    }
    for (k, e) in u.exprs.iter().enumerate() {
        if matches!(e.kind, ExprKind::Call { .. }) && here(e.span.start) {
            f(ExprId(k as u32));
        }
    }
}
