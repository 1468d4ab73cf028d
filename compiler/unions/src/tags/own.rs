//! A pointer beside a union that leads to one of its own members while that is in use, and elsewhere while the other one is.
//!
//! ```c
//! struct up { struct value *v; union { struct { struct up *next, **back; } open; struct value value; } u; } *p;
//! p->v = &elsewhere; p->u.open.next = q;            // `v` does not lead to the union: `open`
//! slot = &p->u.value; *slot = *p->v; p->v = slot;   // it does: `value`
//! ```
//! It is so if, in the whole program, each address of that member goes into the pointer before anything behind it can be a
//! location; if what is stored by name is followed by the pointer's store, or the pointer is looked at (`Check`); and if nobody
//! has the pointer's address. Addresses of parts of the other member may be kept: what they lead to is taken to be in use.

use super::places::{owner, same_owner, Owner};
use super::relation::Owned;
use super::{Check, Facts, Store, Tags, Written};
use pc3_program::parents::{parents, Parent, Parents};
use pc3_program::program::{is_local, Program};
use pc3_program::walk::{strip_casts, visit, visit_decls, Node};
use pc3_syntax::tree::*;
use pc3_typemetric::choice::{Choice, Rule, Test, VALUE};
use std::collections::{BTreeMap, BTreeSet};

/// Where the address of a part of a union is taken.
pub struct AddressTaken {
    pub unit: usize,
    pub e: ExprId,
    /// What has the union.
    pub owner: Option<Owner>,
    pub member: usize,
    /// It is the member's own address.
    pub whole: bool,
    pub why: String,
}

#[derive(Clone, Copy, PartialEq, Eq)]
struct SelfPointer {
    pointer: usize,
    member: usize,
}

/// Concludes that of a union whose address is taken; says why not.
pub(crate) fn conclude(
    p: &Program,
    name: &str,
    owners: &[Owned],
    facts: &Facts,
    out: &mut Tags,
) -> Result<(), String> {
    let own = find(p, name, owners, facts)?;
    let mut told = BTreeSet::new();
    let mut checks = 0;
    for o in owners {
        let Some((choice, path)) = said(o, &own) else {
            return Err("its members have no names".into());
        };
        told.insert(format!("{} {}", o.home.0, choice.text()));
        for s in facts.stores.iter().filter(|s| s.union == name) {
            let site = s.site.as_ref().filter(|site| site.unit == o.unit);
            let Some(site) = site.filter(|_| !is_right(p, s, &own, &facts.taken[name])) else {
                continue;
            };
            let leads = s.written == Written::Member(own.member);
            let check = Check {
                base: site.owner.base,
                arrow: site.owner.arrow,
                tag: choice.tag.clone(),
                numbers: Vec::new(),
                bits: 0,
                leads: Some((path.clone(), leads)),
            };
            checks += 1;
            out.checks[o.unit].insert(site.store, check);
        }
        out.choices[o.unit].insert((o.record, o.field), choice);
    }
    let told = told.into_iter();
    let told = told.map(|line| format!("{name}: {line}; {checks} checked"));
    out.told.extend(told);
    Ok(())
}

fn find(p: &Program, name: &str, owners: &[Owned], facts: &Facts) -> Result<SelfPointer, String> {
    let taken = &facts.taken[name];
    let other = || Err(taken[0].why.clone());
    let mut above: BTreeMap<usize, Parents> = BTreeMap::new();
    let mut kept = |t: &AddressTaken| {
        let u = &p.units[t.unit];
        let o = t.owner.as_ref().filter(|_| t.whole)?;
        let parents = above.entry(t.unit).or_insert_with(|| parents(u));
        let member = t.member;
        let pointer = self_pointer_of(u, parents, t.e, (o, &leading(taken, t.unit, member)))?;
        Some(SelfPointer { pointer, member })
    };
    let all: Vec<(&AddressTaken, Option<SelfPointer>)> =
        taken.iter().map(|t| (t, kept(t))).collect();
    let Some(own) = all.iter().find_map(|t| t.1) else {
        return other();
    };
    let apart = |(t, kept): &(&AddressTaken, Option<SelfPointer>)| match kept {
        Some(other) => *other != own,
        None => t.member == own.member,
    };
    if all.iter().any(apart) {
        return other();
    }
    let first = &owners[0].home;
    if owners.iter().any(|o| o.home != *first || !leads(o, &own)) {
        return other();
    }
    if facts.addressed.contains(&(first.0.clone(), own.pointer)) {
        return Err(format!(
            "the address of the pointer of {} is taken",
            first.0
        ));
    }
    for s in facts.stores.iter().filter(|s| s.union == name) {
        let named = matches!(s.written, Written::Member(_)) && s.site.is_some();
        if !named || s.home.as_ref() != Some(first) {
            return Err(format!("it is stored to at {}", s.line));
        }
    }
    Ok(own)
}

/// The addresses of a member, in a unit, and whose they are.
fn leading(taken: &[AddressTaken], unit: usize, member: usize) -> Vec<(ExprId, &Owner)> {
    let all = taken.iter().filter(|t| t.whole && t.unit == unit);
    let all = all.filter(|t| t.member == member);
    all.filter_map(|t| Some((t.e, t.owner.as_ref()?))).collect()
}

/// Does the pointer get what belongs to a store behind it?
fn is_right(p: &Program, s: &Store, own: &SelfPointer, taken: &[AddressTaken]) -> bool {
    let Some(site) = &s.site else { return false };
    let u = &p.units[site.unit];
    match s.written == Written::Member(own.member) {
        true => {
            let leading = leading(taken, site.unit, own.member);
            settled(u, site.store, None, (&site.owner, &leading)) == Some(own.pointer)
        }
        false => s.behind.contains(&own.pointer),
    }
}

/// Is it a pointer to what the member is, which nothing else in the union is?
fn leads(o: &Owned, own: &SelfPointer) -> bool {
    let fields = |r: RecordId| o.u.records[r.index()].fields.as_deref().unwrap_or_default();
    let Type::Record(union) = o.u.ty(fields(o.record)[o.field].ty.ty) else {
        return false;
    };
    let pointer = o.u.ty(fields(o.record)[own.pointer].ty.ty);
    let members = fields(*union);
    let like = |t: TypeId| members.iter().filter(|f| f.ty.ty == t).count();
    matches!(pointer, Type::Pointer(to) if to.ty == members[own.member].ty.ty && like(to.ty) == 1)
}

/// For the tables; and how the member is reached from the struct.
fn said(o: &Owned, own: &SelfPointer) -> Option<(Choice, String)> {
    let fields = |r: RecordId| o.u.records[r.index()].fields.as_deref().unwrap_or_default();
    let whole = &fields(o.record)[o.field];
    let Type::Record(union) = o.u.ty(whole.ty.ty) else {
        return None;
    };
    let members = fields(*union);
    let tag = fields(o.record)[own.pointer].name.clone()?;
    let name = members[own.member].name.clone()?;
    let rule = |member: String, test| Rule {
        member: Some(member),
        tests: vec![test],
    };
    let mut rules = vec![rule(name.clone(), Test::Own)];
    if let [a, b] = members {
        let other = if own.member == 0 { b } else { a };
        rules.push(rule(other.name.clone()?, Test::Always));
    }
    rules.push(rule(VALUE.into(), Test::Always));
    let path = match &whole.name {
        Some(union) => format!("{union}.{name}"),
        None => name,
    };
    let choice = Choice {
        tag,
        mask: u64::MAX,
        rules,
    };
    Some((choice, path))
}

/// An object, and addresses of the member in such objects.
type Of<'a> = (&'a Owner, &'a [(ExprId, &'a Owner)]);

/// The pointer beside the union that such an address is put into.
fn self_pointer_of(u: &Unit, parents: &Parents, e: ExprId, of: Of) -> Option<usize> {
    let mut at = e;
    loop {
        let up = match *parents.get(&at)? {
            Parent::Expr(up) => up,
            Parent::Variable(s) => return settled(u, e, Some(s), of),
            Parent::Return(_) => return None,
        };
        match u.expr(up).kind {
            ExprKind::Cast { .. } => at = up,
            ExprKind::Assign { op: None, lhs, rhs } if rhs == at => {
                return match u.expr(lhs).kind {
                    ExprKind::Ident(s) => settled(u, e, Some(s), of),
                    _ => put_beside(u, lhs, of.0),
                }
            }
            _ => return None,
        }
    }
}

fn put_beside(u: &Unit, lhs: ExprId, o: &Owner) -> Option<usize> {
    let to = owner(u, lhs).filter(|to| same_owner(u, to, o))?;
    let pointer = matches!(u.ty(u.expr(lhs).ty.ty), Type::Pointer(_));
    pointer.then_some(to.field)
}

/// The pointer that gets the address in the same block, later: from the local that is given it, or from its name. Between its
/// first use and that there is nothing but assignments.
fn settled(u: &Unit, e: ExprId, local: Option<SymId>, of: Of) -> Option<usize> {
    let ExprKind::Ident(object) = u.expr(strip_casts(u, of.0.base)).kind else {
        return None;
    };
    let f = u.func(u.sym(object).func?);
    let steady = is_local(u.sym(object)) && !is_addressed(u, f, object);
    if !steady || local.is_some_and(|s| !is_local(u.sym(s)) || !given_once(u, f, s)) {
        return None;
    }
    let mut lists = Vec::new();
    visit(u, Node::Stmt(f.body), &mut |n| {
        if let Node::Stmt(b) = n {
            if let StmtKind::Block(list) = &u.stmt(b).kind {
                lists.push(list);
            }
        }
        true
    });
    lists.iter().find_map(|list| {
        let at = list.iter().position(|x| finds(u, *x, &|x| x == e))?;
        settled_in(u, (list[at], &list[at + 1..]), (object, local), of)
    })
}

fn settled_in(
    u: &Unit,
    (first, rest): (StmtId, &[StmtId]),
    (object, local): (SymId, Option<SymId>),
    (o, leading): Of,
) -> Option<usize> {
    let is = |e: ExprId, s: SymId| matches!(u.expr(e).kind, ExprKind::Ident(x) if x == s);
    let declares = |d: &DeclGroup| d.vars.iter().any(|v| Some(v.sym) == local);
    let begins = match &u.stmt(first).kind {
        StmtKind::Decl(d) => declares(d),
        StmtKind::Expr(Some(e)) => match u.expr(*e).kind {
            ExprKind::Assign { lhs, .. } => local.is_some_and(|s| is(lhs, s)),
            _ => false,
        },
        _ => false,
    };
    let mut inside = false;
    visit_decls(u, Node::Stmt(first), &mut |d, _| inside |= declares(d));
    // A local of its own ends there.
    if !begins && (!plain(u, first) || (local.is_some() && !inside)) {
        return None;
    }
    let mut used = !begins;
    for at in rest {
        if let StmtKind::Expr(Some(e)) = u.stmt(*at).kind {
            if let ExprKind::Assign { op: None, lhs, rhs } = u.expr(e).kind {
                let rhs = strip_casts(u, rhs);
                let mut own = leading.iter().filter(|l| same_owner(u, l.1, o));
                if local.is_some_and(|s| begins && is(rhs, s)) || own.any(|l| l.0 == rhs) {
                    if let Some(field) = put_beside(u, lhs, o) {
                        return Some(field);
                    }
                }
            }
        }
        used |= local.is_some_and(|s| finds(u, *at, &|x| is(x, s)));
        if changes(u, *at, object) || (used && !plain(u, *at)) {
            return None;
        }
    }
    None
}

fn is_addressed(u: &Unit, f: &Function, s: SymId) -> bool {
    finds(u, f.body, &|e| match u.expr(e).kind {
        ExprKind::AddrOf(a) => matches!(u.expr(a).kind, ExprKind::Ident(x) if x == s),
        _ => false,
    })
}

fn finds(u: &Unit, at: StmtId, what: &dyn Fn(ExprId) -> bool) -> bool {
    let mut found = false;
    visit(u, Node::Stmt(at), &mut |n| {
        found |= matches!(n, Node::Expr(e) if what(e));
        true
    });
    found
}

/// Has nobody its address, and is it assigned to once?
fn given_once(u: &Unit, f: &Function, s: SymId) -> bool {
    let is = |e: ExprId| matches!(u.expr(e).kind, ExprKind::Ident(x) if x == s);
    let mut given = 0;
    visit(u, Node::Stmt(f.body), &mut |n| {
        given += match n {
            Node::Expr(e) => match u.expr(e).kind {
                ExprKind::Assign { lhs, .. } => u32::from(is(lhs)),
                ExprKind::Unary { op, arg } if steps(op) => u32::from(is(arg)),
                _ => 0,
            },
            Node::Stmt(_) => 0,
        };
        true
    });
    visit_decls(u, Node::Stmt(f.body), &mut |d, _| {
        let mut vars = d.vars.iter();
        given += u32::from(vars.any(|v| v.sym == s && v.init.is_some()));
    });
    given == 1 && !is_addressed(u, f, s)
}

fn steps(op: UnOp) -> bool {
    matches!(
        op,
        UnOp::PreInc | UnOp::PreDec | UnOp::PostInc | UnOp::PostDec
    )
}

/// Could a variable have another value behind it, or something jump there?
fn changes(u: &Unit, at: StmtId, s: SymId) -> bool {
    let is = |e: ExprId| matches!(u.expr(e).kind, ExprKind::Ident(x) if x == s);
    let mut found = false;
    visit(u, Node::Stmt(at), &mut |n| {
        found |= match n {
            Node::Expr(e) => match u.expr(e).kind {
                ExprKind::Assign { lhs, .. } => is(lhs),
                ExprKind::Unary { op, arg } => steps(op) && is(arg),
                ExprKind::AddrOf(a) => is(a),
                _ => false,
            },
            Node::Stmt(x) => matches!(
                u.stmt(x).kind,
                StmtKind::Label { .. } | StmtKind::Case { .. } | StmtKind::Default(_)
            ),
        };
        true
    });
    found
}

/// Assignments and declarations without calls.
fn plain(u: &Unit, at: StmtId) -> bool {
    let mut all = true;
    visit(u, Node::Stmt(at), &mut |n| {
        all &= match n {
            Node::Stmt(s) => matches!(
                u.stmt(s).kind,
                StmtKind::Expr(_) | StmtKind::Block(_) | StmtKind::Decl(_)
            ),
            Node::Expr(e) => !matches!(
                u.expr(e).kind,
                ExprKind::Call { .. } | ExprKind::StmtExpr(_) | ExprKind::VaArg { .. }
            ),
        };
        true
    });
    all
}
