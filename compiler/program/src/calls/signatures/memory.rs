//! Memory that is looked at as of several types: by pointers to others, as unions, as structs that begin alike.

use super::spelling::{function, has_words, pointee, spelled};
use super::{Builder, NodeId, Typed, ANYTHING};
use crate::pointers::is_beginning;
use pc3_syntax::tree::*;
use std::collections::HashMap;

impl<'a> Builder<'a> {
    /// Memory of one type is looked at as another.
    pub fn pun(&mut self, a: Typed<'a>, b: Typed<'a>) {
        if (a.0, a.2) == (b.0, b.2) || !self.punned.insert((a.0, a.2, b.0, b.2)) {
            return;
        }
        let (ta, tb) = (a.1.ty(a.2), b.1.ty(b.2));
        if let Type::Array { elem, .. } = ta {
            return self.pun((a.0, a.1, elem.ty), b);
        }
        if let Type::Array { elem, .. } = tb {
            return self.pun(a, (b.0, b.1, elem.ty));
        }
        let record = |t: &Type| matches!(t, Type::Record(_));
        let of = |t: Typed<'a>| function(t.1, t.2).map(|f| (t.0, t.1, f));
        match (of(a), of(b)) {
            (Some(x), Some(y)) => {
                let (x, y) = (self.node(x), self.node(y));
                self.both(x, y);
            }
            // What has been written as one thing is read as the other.
            (Some(x), None) if !record(tb) => {
                let x = self.node(x);
                self.edge(x, ANYTHING);
                if matches!(tb, Type::Pointer(_)) {
                    self.edge(ANYTHING, x);
                }
            }
            (None, Some(y)) if !record(ta) => {
                let y = self.node(y);
                self.edge(ANYTHING, y);
                if matches!(ta, Type::Pointer(_)) {
                    self.edge(y, ANYTHING);
                }
            }
            (None, None) if !record(ta) && !record(tb) => {
                if let (Some(x), Some(y)) = (pointee(a.1, a.2), pointee(b.1, b.2)) {
                    self.pun((a.0, a.1, x), (b.0, b.1, y));
                }
            }
            // Structs of one name are taken for one struct.
            (None, None) if spelled(a.0, a.1, a.2) == spelled(b.0, b.1, b.2) => {}
            _ => {
                self.looked_at(a, b);
                let (mut left, mut right) = (Vec::new(), Vec::new());
                self.inside(a, &mut left);
                self.inside(b, &mut right);
                for (t, list) in [(a, &mut left), (b, &mut right)] {
                    // As an array of pointers to anything.
                    let anything = pointee(t.1, t.2).is_some_and(|p| !record(t.1.ty(p)));
                    if list.is_empty() && anything {
                        list.push(ANYTHING);
                    }
                }
                for x in &left {
                    for y in &right {
                        self.both(*x, *y);
                    }
                }
            }
        }
    }

    /// One of them, or both, are structs.  As bytes, and as far as they begin alike, nothing becomes another member.
    fn looked_at(&mut self, a: Typed<'a>, b: Typed<'a>) {
        let bytes = |t: Typed<'a>| {
            use IntKind::{Char, SChar, UChar};
            matches!(t.1.ty(t.2), Type::Void | Type::Int(Char | SChar | UChar))
        };
        let alike = match (a.1.ty(a.2), b.1.ty(b.2)) {
            (Type::Record(x), Type::Record(y)) => is_beginning((a.1, *x), (b.1, *y)),
            _ => bytes(a) || bytes(b),
        };
        if !alike {
            self.mark(a);
            self.mark(b);
        }
    }

    fn mark(&mut self, t: Typed) {
        match t.1.ty(t.2) {
            Type::Array { elem, .. } => self.mark((t.0, t.1, elem.ty)),
            Type::Record(r) if self.s.looked_at.insert((t.0, *r)) => {
                let fields = t.1.records[r.index()].fields.iter().flatten();
                fields.for_each(|f| self.mark((t.0, t.1, f.ty.ty)));
            }
            _ => {}
        }
    }

    /// The function types that an object holds pointers to.
    fn inside(&mut self, t: Typed, out: &mut Vec<NodeId>) {
        if let Some(f) = function(t.1, t.2) {
            out.push(self.node((t.0, t.1, f)));
            return;
        }
        match t.1.ty(t.2) {
            Type::Array { elem, .. } => self.inside((t.0, t.1, elem.ty), out),
            Type::Record(r) => {
                let fields = t.1.records[r.index()].fields.iter().flatten();
                fields.for_each(|f| self.inside((t.0, t.1, f.ty.ty), out));
            }
            _ => {}
        }
    }

    /// Unions, and structs that begin alike.
    pub fn records(&mut self, unit: usize, u: &'a Unit) {
        for (i, r) in u.records.iter().enumerate() {
            if r.is_union {
                let mut all = Vec::new();
                let fields: Vec<&Field> = r.fields.iter().flatten().collect();
                for f in &fields {
                    self.inside((unit, u, f.ty.ty), &mut all);
                }
                if !all.is_empty() {
                    fields.iter().for_each(|f| self.mark((unit, u, f.ty.ty)));
                }
                if all.is_empty() {
                    continue;
                }
                if fields.iter().any(|f| has_words(u, f.ty.ty)) {
                    all.push(ANYTHING);
                }
                for w in all.windows(2) {
                    self.both(w[0], w[1]);
                }
            } else {
                let mut begins = String::new();
                self.beginning(unit, u, RecordId(i as u32), &mut begins);
            }
        }
    }

    fn beginning(&mut self, unit: usize, u: &'a Unit, r: RecordId, begins: &mut String) {
        for f in u.records[r.index()].fields.iter().flatten() {
            self.member(unit, u, f.ty.ty, begins);
            if let Some(w) = &f.bit_width {
                begins.push_str(u.slice(w));
                begins.push(':');
            }
        }
    }

    fn member(&mut self, unit: usize, u: &'a Unit, ty: TypeId, begins: &mut String) {
        if let Some(t) = function(u, ty) {
            // Spelled roughly: what would be callable as the other.
            begins.push_str(&crate::callgraph::rough(u, t));
            let key = format!("begins {begins}");
            let own = self.node((unit, u, t));
            match self.s.nodes.get(&key).copied() {
                Some(first) => self.both(first, own),
                None => {
                    self.s.nodes.insert(key, own);
                }
            }
            return;
        }
        match u.ty(ty) {
            Type::Record(r) if !u.records[r.index()].is_union => {
                self.beginning(unit, u, *r, begins)
            }
            Type::Pointer(_) => begins.push('p'),
            Type::Array { elem, len } => {
                begins.push_str(&format!("[{len:?}]"));
                self.member(unit, u, elem.ty, begins);
            }
            _ => begins.push_str(&spelled(unit, u, ty)),
        }
        begins.push(';');
    }

    /// Variables and functions that units declare differently.
    pub(crate) fn redeclared(&mut self) {
        let mut first: HashMap<&'a str, Typed<'a>> = HashMap::new();
        let units: &'a [Unit] = self.p.units;
        for (unit, u) in units.iter().enumerate() {
            for s in &u.symbols {
                let shared = s.is_global && s.storage != Storage::Static;
                if !shared || !matches!(s.kind, SymKind::Var | SymKind::Func) {
                    continue;
                }
                let here = (unit, u, s.ty.ty);
                let there = *first.entry(s.name.as_str()).or_insert(here);
                if s.kind == SymKind::Var {
                    self.pun(there, here);
                } else if let (Type::Function { ret: a, .. }, Type::Function { ret: b, .. }) =
                    (there.1.ty(there.2), u.ty(here.2))
                {
                    let (a, b) = ((there.0, there.1, a.ty), (unit, u, b.ty));
                    self.convert(a, b);
                    self.convert(b, a);
                }
            }
        }
    }
}
