//! Members of unions that the program never names, such as those that are there for the alignment alone: they are not in use.

use crate::alike::alike_without;
use crate::expressions::{is_array, is_zero};
use crate::member_paths::{key, member_steps, steps};
use pc3_program::annotations::Annotations;
use pc3_program::initialiser::{leaves, parts};
use pc3_program::program::Program;
use pc3_program::walk::all_decls;
use pc3_syntax::tree::*;
use std::collections::HashSet;

/// A union, by its name in all units, and a member.
type Member = (String, usize);

/// Per unit, the members that can be left out of unions whose other members are alike. What an annotation speaks of is named.
pub fn find(p: &Program, said: &Annotations) -> Vec<HashSet<(RecordId, usize)>> {
    let named = NamedMembers::of(p, said);
    let unnamed = |u: &Unit, r: RecordId| -> HashSet<(RecordId, usize)> {
        let d = &u.records[r.index()];
        let own = key(u, r);
        let fields = d.fields.iter().flatten().enumerate();
        let rest = fields.filter(|(k, f)| !named.has(&own, *k, f));
        let rest: HashSet<(RecordId, usize)> = rest.map(|(k, _)| (r, k)).collect();
        let all = d.fields.as_ref().map_or(0, Vec::len);
        let whole = !d.is_union || named.whole.contains(&own) || rest.len() == all;
        // Alike as they are, they need nobody to be left out.
        let whole = whole || alike_without(u, r, &HashSet::new());
        match whole || !alike_without(u, r, &rest) {
            true => HashSet::new(),
            false => rest,
        }
    };
    let unit = |u: &Unit| {
        let records = (0..u.records.len()).map(|i| RecordId(i as u32));
        records.flat_map(|r| unnamed(u, r)).collect()
    };
    p.units.iter().map(unit).collect()
}

/// What is named of the members of unions.
#[derive(Default)]
pub(crate) struct NamedMembers {
    members: HashSet<Member>,
    /// By annotations.
    anywhere: HashSet<String>,
    /// Unions whose address is taken.
    whole: HashSet<String>,
}

impl NamedMembers {
    pub(crate) fn of(p: &Program, said: &Annotations) -> NamedMembers {
        let mut named = NamedMembers::default();
        p.units.iter().for_each(|u| named.unit(u));
        for s in &said.units {
            let choices = s.choices.values().chain(s.chosen.values());
            let members = choices
                .flat_map(|c| &c.rules)
                .filter_map(|r| r.member.clone());
            named.anywhere.extend(members);
        }
        named
    }

    /// Could the program say of such a union which member it writes?
    pub(crate) fn any(&self, u: &Unit, r: RecordId) -> bool {
        let own = key(u, r);
        let mut fields = u.records[r.index()].fields.iter().flatten().enumerate();
        self.whole.contains(&own) || fields.any(|(k, f)| self.has(&own, k, f))
    }

    fn has(&self, union: &str, k: usize, f: &Field) -> bool {
        f.name.as_ref().is_none_or(|n| self.anywhere.contains(n))
            || self.members.contains(&(union.to_owned(), k))
    }

    fn unit(&mut self, u: &Unit) {
        for (i, x) in u.exprs.iter().enumerate() {
            match &x.kind {
                ExprKind::Member { base, arrow, name } => {
                    let (_, steps) = member_steps(u, *base, *arrow, name);
                    let unions = steps.iter().filter(|s| u.records[s.0.index()].is_union);
                    self.members.extend(unions.map(|s| (key(u, s.0), s.1)));
                }
                ExprKind::Offsetof { ty, member, .. } => self.offset(u, ty.ty, member),
                ExprKind::CompoundLit { ty, init } => self.initialised(u, *ty, init),
                ExprKind::AddrOf(a) => self.address(u, *a),
                ExprKind::Cast { arg, .. } => {
                    if let Type::Pointer(to) = u.ty(u.expr(*arg).ty.ty) {
                        self.pointed(u, to.ty);
                    }
                }
                _ if is_array(u, ExprId(i as u32)) => self.address(u, ExprId(i as u32)),
                _ => {}
            }
        }
        all_decls(u, &mut |d| {
            for v in &d.vars {
                if let Some(init) = &v.init {
                    self.initialised(u, u.sym(v.sym).ty, init);
                }
            }
        });
    }

    /// `offsetof(struct s, a.b[1].c)`
    fn offset(&mut self, u: &Unit, t: TypeId, member: &str) {
        let mut at = t;
        for part in member.split('.') {
            let name = part.split('[').next().unwrap_or_default().trim();
            let mut way = Vec::new();
            if !steps(u, at, name, &mut way) {
                self.anywhere.insert(name.to_string());
                return;
            }
            for (r, k, _) in &way {
                self.members.insert((key(u, *r), *k));
                at = u.records[r.index()].fields.as_deref().unwrap_or_default()[*k]
                    .ty
                    .ty;
            }
            while let Type::Array { elem, .. } = u.ty(at) {
                at = elem.ty;
            }
        }
        self.pointed(u, at);
    }

    fn address(&mut self, u: &Unit, e: ExprId) {
        self.pointed(u, u.expr(e).ty.ty);
    }

    fn pointed(&mut self, u: &Unit, t: TypeId) {
        let mut t = t;
        while let Type::Array { elem, .. } = u.ty(t) {
            t = elem.ty;
        }
        if let Type::Record(r) = u.ty(t) {
            if u.records[r.index()].is_union {
                self.whole.insert(key(u, *r));
            }
        }
    }

    fn initialised(&mut self, u: &Unit, q: QualType, init: &Init) {
        for l in leaves(u, q, init) {
            if is_zero(u, l.expr) {
                continue;
            }
            let mut at = q.ty;
            for step in l.path {
                match u.ty(at) {
                    Type::Array { elem, .. } => at = elem.ty,
                    Type::Record(r) => {
                        let d = &u.records[r.index()];
                        let Some(f) = parts(d).nth(step as usize) else {
                            break;
                        };
                        let all = d.fields.iter().flatten();
                        let k = all.take_while(|g| !std::ptr::eq(*g, f)).count();
                        if d.is_union {
                            self.members.insert((key(u, *r), k));
                        }
                        at = f.ty.ty;
                    }
                    _ => break,
                }
            }
        }
    }
}
