//! Which part of an object each expression of an initialiser is for: braces left out, designators followed.

use crate::walk::all_decls;
use pc3_syntax::tree::*;

/// An expression of an initialiser and the part it initialises.
pub struct Leaf {
    /// Positions from the whole object down.
    pub path: Vec<u64>,
    pub ty: QualType,
    pub expr: ExprId,
}

pub fn leaves(u: &Unit, q: QualType, init: &Init) -> Vec<Leaf> {
    let mut w = Walker {
        u,
        path: Vec::new(),
        out: Vec::new(),
    };
    w.init(q, init);
    w.out
}

/// The expressions in the order in which compilers evaluate them: that of the parts, not of the text.
pub fn in_order(u: &Unit, q: QualType, init: &Init) -> Vec<ExprId> {
    let mut list = leaves(u, q, init);
    list.sort_by(|a, b| a.path.cmp(&b.path));
    list.into_iter().map(|l| l.expr).collect()
}

struct Walker<'a> {
    u: &'a Unit,
    path: Vec<u64>,
    out: Vec<Leaf>,
}

impl Walker<'_> {
    fn is_char_array(&self, q: QualType) -> bool {
        matches!(self.u.ty(q.ty), Type::Array { elem, .. } if matches!(self.u.ty(elem.ty), Type::Int(_)))
    }
    fn is_str(&self, i: &Init) -> bool {
        matches!(i, Init::Expr(e) if matches!(self.u.expr(*e).kind, ExprKind::Str { .. }))
    }

    fn init(&mut self, q: QualType, i: &Init) {
        match i {
            Init::Expr(e) => self.out.push(Leaf {
                path: self.path.clone(),
                ty: q,
                expr: *e,
            }),
            Init::List { items, span } => {
                if self.is_char_array(q) && items.len() == 1 && self.is_str(&items[0].value) {
                    return self.init(q, &items[0].value);
                }
                let mut at = 0;
                let mut from = span.start;
                self.fill(q, items, &mut at, &mut from, true);
            }
        }
    }

    fn span(&self, i: &Init) -> Span {
        match i {
            Init::Expr(e) => self.u.expr(*e).span.clone(),
            Init::List { span, .. } => span.clone(),
        }
    }

    /// Deals the items to the parts of an aggregate, braces possibly left out inside.
    fn fill(
        &mut self,
        q: QualType,
        items: &[InitItem],
        at: &mut usize,
        from: &mut u32,
        braces: bool,
    ) {
        let mut next = 0;
        while *at < items.len() {
            let item = &items[*at];
            let span = self.span(&item.value);
            let text = self
                .u
                .text
                .get(*from as usize..span.start.max(*from) as usize)
                .unwrap_or("");
            // The `=` of a designator; the one in front of a whole list belongs to the declarator.
            let text = text.rsplit([',', '{']).next().unwrap_or(text);
            let designator = (text.contains('=') && text.contains(['.', '['])).then_some(text);
            if designator.is_some() && !braces {
                return;
            }
            let depth = self.path.len();
            let part = match designator {
                Some(d) => self.designated(q, d, item, &mut next),
                None => self.part(q, next).inspect(|_| self.path.push(next)),
            };
            next += 1;
            let Some(part) = part else {
                self.path.truncate(depth);
                if !braces {
                    return;
                }
                // A scalar in braces, or more items than parts.
                *from = span.end;
                *at += 1;
                self.init(q, &item.value);
                continue;
            };
            let whole = match &item.value {
                Init::List { .. } => true,
                Init::Expr(e) => {
                    !matches!(self.u.ty(part.ty), Type::Array { .. } | Type::Record(_))
                        || (self.is_char_array(part) && self.is_str(&item.value))
                        || self.u.expr(*e).ty.ty == part.ty
                }
            };
            if whole || designator.is_some() {
                *from = span.end;
                *at += 1;
                self.init(part, &item.value);
            } else {
                self.fill(part, items, at, from, false);
            }
            self.path.truncate(depth);
        }
    }

    /// The type of the n-th part.
    fn part(&self, q: QualType, n: u64) -> Option<QualType> {
        match self.u.ty(q.ty) {
            Type::Array { elem, len } => match len {
                ArrayLen::Const(k) if n >= *k => None,
                _ => Some(*elem),
            },
            Type::Record(r) => {
                let d = &self.u.records[r.index()];
                if d.is_union && n > 0 {
                    return None;
                }
                parts(d).nth(n as usize).map(|f| f.ty)
            }
            _ => None,
        }
    }

    /// Follows `.name[i].other =`; `next` becomes the position of the first step.
    fn designated(
        &mut self,
        q: QualType,
        text: &str,
        item: &InitItem,
        next: &mut u64,
    ) -> Option<QualType> {
        let mut q = q;
        let mut rest = text.trim_start_matches(|c: char| c != '.' && c != '[');
        let mut indices = item.designators.iter();
        let mut first = true;
        loop {
            rest = rest.trim_start();
            if let Some(r) = rest.strip_prefix('.') {
                let r = r.trim_start();
                let n = r
                    .find(|c: char| !c.is_alphanumeric() && c != '_')
                    .unwrap_or(r.len());
                let (path, ty) = self.member(q, &r[..n])?;
                if first {
                    *next = path[0];
                }
                self.path.extend(path);
                q = ty;
                rest = &r[n..];
            } else if rest.starts_with('[') {
                let Type::Array { elem, .. } = self.u.ty(q.ty) else {
                    return None;
                };
                let i = match indices.next().map(|e| &self.u.expr(*e).kind) {
                    Some(ExprKind::Int(v)) => *v as u64,
                    Some(ExprKind::Ident(s)) => self.u.sym(*s).value.unwrap_or(0) as u64,
                    _ => *next,
                };
                if first {
                    *next = i;
                }
                self.path.push(i);
                q = *elem;
                rest = rest.find(']').map_or("", |i| &rest[i + 1..]);
            } else {
                return Some(q);
            }
            first = false;
        }
    }

    fn member(&self, q: QualType, name: &str) -> Option<(Vec<u64>, QualType)> {
        let Type::Record(r) = self.u.ty(q.ty) else {
            return None;
        };
        for (i, f) in parts(&self.u.records[r.index()]).enumerate() {
            match &f.name {
                Some(n) if n == name => return Some((vec![i as u64], f.ty)),
                None => {
                    if let Some((mut path, t)) = self.member(f.ty, name) {
                        path.insert(0, i as u64);
                        return Some((path, t));
                    }
                }
                _ => {}
            }
        }
        None
    }
}

/// All initialisers of a unit, with the variables and the types of what they are for; literals have no variable.
pub fn all(u: &Unit) -> Vec<(Option<SymId>, QualType, &Init)> {
    let mut groups: Vec<&DeclGroup> = Vec::new();
    all_decls(u, &mut |d| groups.push(d));
    let vars = groups.into_iter().flat_map(|d| &d.vars);
    let vars = vars.filter_map(|v| Some((Some(v.sym), u.sym(v.sym).ty, v.init.as_ref()?)));
    let literals = u.exprs.iter().filter_map(|x| match &x.kind {
        ExprKind::CompoundLit { ty, init } => Some((None, *ty, init)),
        _ => None,
    });
    vars.chain(literals).collect()
}

/// What an initialiser deals out to: no unnamed bit-fields.
pub fn parts(d: &Record) -> impl Iterator<Item = &Field> {
    d.fields
        .iter()
        .flatten()
        .filter(|f| f.name.is_some() || f.bit_width.is_none())
}

/// Where an initialiser stands.
pub fn init_span(u: &Unit, i: &Init) -> Span {
    match i {
        Init::Expr(e) => u.expr(*e).span.clone(),
        // The braces alone.
        Init::List { span, .. } => {
            let skip = u.slice(span).find('{').unwrap_or(0) as u32;
            span.start + skip..span.end
        }
    }
}
