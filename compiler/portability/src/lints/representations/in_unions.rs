//! Members of local unions that are read where one of other numbers was written before: what is read is the order of bytes,
//! or of bit-fields.

use crate::lints::bytes::{width, LONG};
use pc3_program::program::is_local;
use pc3_program::walk::{visit, visit_decls, Node};
use pc3_syntax::tree::*;
use std::collections::{HashMap, HashSet};

/// The widths of the numbers that something consists of, in order; of long arrays only the first.
type Numbers = Vec<u32>;
const MOST: usize = 64;

/// Above the widths of bit-fields: like nothing else.
const BITS: u32 = 1 << 16;

/// What happens to a union, and where in the text.
struct Use {
    at: u32,
    of: SymId,
    /// None: anything.
    numbers: Option<Numbers>,
    /// None: it is written.
    read: Option<ExprId>,
}

/// Such reads, and whether the size of a `long` matters, too.
pub(in crate::lints) fn read_as_other_numbers(u: &Unit) -> Vec<(ExprId, bool)> {
    let mut found = Vec::new();
    for f in &u.functions {
        let locals = f.locals.iter().copied();
        let unions: HashSet<SymId> = locals
            .filter(|s| is_local(u.sym(*s)) && fields(u, *s).is_some())
            .collect();
        if !unions.is_empty() {
            in_order(uses(u, f, &unions), &mut found);
        }
    }
    found
}

fn in_order(mut uses: Vec<Use>, found: &mut Vec<(ExprId, bool)>) {
    uses.sort_by_key(|x| (x.at, x.read.is_none()));
    let mut last: HashMap<SymId, Option<Numbers>> = HashMap::new();
    for x in uses {
        let Some(e) = x.read else {
            last.insert(x.of, x.numbers);
            continue;
        };
        let (Some(Some(written)), Some(read)) = (last.get(&x.of), x.numbers) else {
            continue;
        };
        let mut pairs = written.iter().zip(&read);
        if let Some((a, b)) = pairs.find(|(a, b)| a != b) {
            found.push((e, *a == LONG || *b == LONG));
        }
    }
}

fn uses(u: &Unit, f: &Function, unions: &HashSet<SymId>) -> Vec<Use> {
    let mut uses = Vec::new();
    visit_decls(u, Node::Stmt(f.body), &mut |d, _| {
        for v in d.vars.iter().filter(|v| unions.contains(&v.sym)) {
            if let Some(Init::List { items, span }) = &v.init {
                let plain = items.iter().all(|i| i.designators.is_empty());
                let first = fields(u, v.sym).and_then(|f| f.first());
                let first = first.filter(|_| plain && !u.slice(span).contains('.'));
                uses.push(Use {
                    at: span.start,
                    of: v.sym,
                    numbers: first.and_then(|f| numbers(u, f.ty.ty)),
                    read: None,
                });
            }
        }
    });
    let (mut seen, mut bases): (HashSet<ExprId>, HashSet<ExprId>) = Default::default();
    visit(u, Node::Stmt(f.body), &mut |n| {
        let Node::Expr(e) = n else { return true };
        let x = u.expr(e);
        if let ExprKind::Member { base, .. } = x.kind {
            bases.insert(base);
        }
        let mut add = |at, of, numbers, read| {
            uses.push(Use {
                at,
                of,
                numbers,
                read,
            })
        };
        match &x.kind {
            ExprKind::Assign { op, lhs, .. } => {
                if let Some(m) = Place::of(u, *lhs, unions) {
                    seen.extend(&m.way);
                    // What is assigned comes before.
                    add(x.span.end, m.of, m.all(u), None);
                    if op.is_some() {
                        add(x.span.start, m.of, m.up_to_it(u), Some(*lhs));
                    }
                }
            }
            ExprKind::AddrOf(a) => {
                if let Some(m) = Place::of(u, *a, unions) {
                    seen.extend(&m.way);
                    add(x.span.start, m.of, None, None);
                }
            }
            ExprKind::Member { .. } | ExprKind::Index { .. } if !seen.contains(&e) => {
                if let Some(m) = Place::of(u, e, unions) {
                    seen.extend(&m.way);
                    add(x.span.start, m.of, m.up_to_it(u), Some(m.read(u)));
                }
            }
            // As a whole: nothing is known any more.
            ExprKind::Ident(s) if unions.contains(s) && !bases.contains(&e) => {
                add(x.span.start, *s, None, None);
            }
            _ => {}
        }
        true
    });
    uses
}

fn fields(u: &Unit, s: SymId) -> Option<&[Field]> {
    match u.ty(u.sym(s).ty.ty) {
        Type::Record(r) if u.records[r.index()].is_union => u.records[r.index()].fields.as_deref(),
        _ => None,
    }
}

/// The parts of a floating-point number are written down for each order of bytes.
fn has_float(u: &Unit, s: SymId) -> bool {
    let mut all = fields(u, s).into_iter().flatten();
    all.any(|f| matches!(u.ty(f.ty.ty), Type::Float(_)))
}

/// `u.words[1]`, `u.parts.low`: something in a member of a union.
struct Place {
    of: SymId,
    /// The expressions from what was asked for to the union's member.
    way: Vec<ExprId>,
}

impl Place {
    fn of(u: &Unit, e: ExprId, unions: &HashSet<SymId>) -> Option<Place> {
        let (mut at, mut way) = (e, Vec::new());
        loop {
            way.push(at);
            match u.expr(at).kind {
                ExprKind::Index { base, .. } => at = base,
                ExprKind::Member {
                    base, arrow: false, ..
                } => match u.expr(base).kind {
                    ExprKind::Ident(of) => {
                        return unions.contains(&of).then_some(Place { of, way });
                    }
                    _ => at = base,
                },
                _ => return None,
            }
        }
    }

    fn member(&self) -> Option<ExprId> {
        self.way.last().copied()
    }

    /// What is told: the member that stands for its elements, or what is read of a struct.
    fn read(&self, u: &Unit) -> ExprId {
        let named = |e: &&ExprId| matches!(u.expr(**e).kind, ExprKind::Member { .. });
        self.way.iter().find(named).copied().unwrap_or(self.way[0])
    }

    /// The member's numbers.
    fn all(&self, u: &Unit) -> Option<Numbers> {
        let member = self.member()?;
        let ty = u.expr(member).ty.ty;
        if matches!(u.ty(ty), Type::Record(_)) && has_float(u, self.of) {
            return None;
        }
        numbers(u, ty)
    }

    /// Those in front of what is read, and its own.
    fn up_to_it(&self, u: &Unit) -> Option<Numbers> {
        self.all(u)?;
        let mut list = Vec::new();
        let mut inside = self.way.iter().rev();
        let mut around = inside.next()?;
        for e in inside {
            let ExprKind::Member { name, .. } = &u.expr(*e).kind else {
                // Which of the elements is not known.
                break;
            };
            let Type::Record(r) = u.ty(u.expr(*around).ty.ty) else {
                return None;
            };
            let d = &u.records[r.index()];
            let all = d.fields.as_deref().filter(|_| !d.is_union)?;
            let k = all.iter().position(|f| f.name.as_ref() == Some(name))?;
            for f in &all[..k] {
                add_field(u, f, &mut list)?;
            }
            if all[k].bit_width.is_some() {
                add_field(u, &all[k], &mut list)?;
                return Some(list);
            }
            around = e;
        }
        add(u, u.expr(*around).ty.ty, &mut list)?;
        Some(list)
    }
}

fn numbers(u: &Unit, ty: TypeId) -> Option<Numbers> {
    let mut list = Vec::new();
    add(u, ty, &mut list)?;
    Some(list)
}

/// None: something else is in it.
fn add(u: &Unit, ty: TypeId, list: &mut Numbers) -> Option<()> {
    match u.ty(ty) {
        Type::Array { elem, len } => {
            let n = match len {
                ArrayLen::Const(n) => *n as usize,
                _ => MOST,
            };
            for _ in 0..n.min(MOST) {
                if list.len() >= MOST {
                    break;
                }
                add(u, elem.ty, list)?;
            }
        }
        Type::Record(r) => {
            let d = &u.records[r.index()];
            for f in d.fields.as_ref().filter(|_| !d.is_union)? {
                add_field(u, f, list)?;
            }
        }
        _ => list.push(width(u, ty)?),
    }
    Some(())
}

fn add_field(u: &Unit, f: &Field, list: &mut Numbers) -> Option<()> {
    match &f.bit_width {
        Some(bits) => list.push(BITS + u.slice(bits).trim().parse::<u32>().unwrap_or(0)),
        None => add(u, f.ty.ty, list)?,
    }
    Some(())
}
