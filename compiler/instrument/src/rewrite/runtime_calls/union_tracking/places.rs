//! What an lvalue leads through, and whether it can be evaluated again behind a store.

use super::{plain, Hit};
use crate::rewrite::clones::printer::Printer;
use crate::rewrite::collected::Row;
use pc3_program::linear::Linear;
use pc3_program::program::is_local;
use pc3_program::walk::written_lengths;
use pc3_syntax::tree::*;
use pc3_typemetric::descriptor::NOTES_CODES;
use pc3_unions::tracking::{self, field_at, leaf, position};

impl Printer<'_, '_> {
    pub(super) fn is_array(&self, e: ExprId) -> bool {
        matches!(self.u().ty(self.u().expr(e).ty.ty), Type::Array { .. })
    }

    /// The variable that an lvalue is part of.
    pub(super) fn root(&self, e: ExprId) -> Option<SymId> {
        match &self.u().expr(e).kind {
            ExprKind::Ident(s) => Some(*s),
            ExprKind::Member {
                base, arrow: false, ..
            } => self.root(*base),
            ExprKind::Index { base, .. } if self.is_array(*base) => self.root(*base),
            _ => None,
        }
    }

    /// Can a checkpoint see the object?
    pub(super) fn matters(&self, e: ExprId) -> bool {
        self.root(e).is_none_or(|s| self.matters_of(s))
    }

    pub(super) fn matters_of(&self, s: SymId) -> bool {
        let sym = self.u().sym(s);
        if !is_local(sym) || self.plan.shadow_set.contains(&s) {
            return true;
        }
        sym.storage != Storage::Register && self.in_function().whole.contains(&s)
    }

    /// The unions of which an lvalue is in a member, from the inside out.
    pub(super) fn hits(&self, e: ExprId) -> Vec<Hit> {
        let u = self.u();
        let mut out = Vec::new();
        let mut at = e;
        loop {
            match &u.expr(at).kind {
                ExprKind::Member { base, arrow, name } => {
                    let (q, steps) = tracking::member_steps(u, *base, *arrow, name);
                    let (node, base, arrow) = (at, *base, *arrow);
                    for (i, (r, k, t)) in steps.iter().enumerate().rev() {
                        let d = &u.records[r.index()];
                        if self.cx.noted.contains(r) {
                            out.push(Hit {
                                node,
                                base,
                                arrow,
                                record: q.ty,
                                union: *r,
                                leaf: if i == 0 { None } else { leaf(u, d) },
                                row: match i {
                                    0 => Row::Of(*t),
                                    _ => Row::In(steps[0].2, *r),
                                },
                                member: position(d, *k),
                            });
                        }
                    }
                    if arrow {
                        return out;
                    }
                    at = base;
                }
                ExprKind::Index { base, .. } if self.is_array(*base) => at = *base,
                _ => return out,
            }
        }
    }

    /// Evaluating it again is the same and has no effects, also when unions are written.
    pub(super) fn again(&self, e: ExprId, lin: Option<&Linear>) -> bool {
        if lin.is_some_and(|l| l.subst.contains_key(&e))
            || self.in_function().stand_in.contains_key(&e)
        {
            return true;
        }
        let u = self.u();
        let lengths = |e| {
            written_lengths(u, e)
                .into_iter()
                .all(|l| self.again(l, lin))
        };
        match &u.expr(e).kind {
            ExprKind::Ident(_) | ExprKind::Int(_) | ExprKind::SizeofExpr(_) => true,
            ExprKind::SizeofType(_) => lengths(e),
            ExprKind::Member { base, arrow, .. } => {
                let through = *arrow || self.place(*base, lin);
                (through && self.again(*base, lin)) && (self.hits(e).is_empty() || self.is_array(e))
            }
            ExprKind::Deref(a) => self.again(*a, lin),
            ExprKind::Cast { arg, .. } => lengths(e) && self.again(*arg, lin),
            ExprKind::AddrOf(a) => self.place(*a, lin),
            ExprKind::Index { base, index } => self.again(*base, lin) && self.again(*index, lin),
            ExprKind::Unary {
                op: UnOp::Plus | UnOp::Minus | UnOp::BitNot | UnOp::Not,
                arg,
            } => self.again(*arg, lin),
            ExprKind::Binary { lhs, rhs, .. } => self.again(*lhs, lin) && self.again(*rhs, lin),
            _ => false,
        }
    }

    /// So for the place of an lvalue.
    pub(super) fn place(&self, e: ExprId, lin: Option<&Linear>) -> bool {
        if self.in_function().stand_in.contains_key(&e) {
            return true;
        }
        match &self.u().expr(e).kind {
            ExprKind::Ident(_) => true,
            ExprKind::Member { base, arrow, .. } => match arrow {
                true => self.again(*base, lin),
                false => self.place(*base, lin),
            },
            ExprKind::Deref(a) => self.again(*a, lin),
            ExprKind::Index { base, index } => {
                let base = match self.is_array(*base) {
                    true => self.place(*base, lin),
                    false => self.again(*base, lin),
                };
                base && self.again(*index, lin)
            }
            _ => false,
        }
    }

    /// The part of an lvalue that must be evaluated once: true if it is a pointer.
    pub(super) fn once(&self, e: ExprId, lin: Option<&Linear>) -> Option<(ExprId, bool)> {
        match &self.u().expr(e).kind {
            ExprKind::Member {
                base, arrow: false, ..
            } => self.once(*base, lin),
            ExprKind::Member {
                base, arrow: true, ..
            } if !self.is_array(*base) => (!self.again(*base, lin)).then_some((*base, true)),
            ExprKind::Index { base, index } if self.is_array(*base) && self.again(*index, lin) => {
                self.once(*base, lin)
            }
            _ => (!self.place(e, lin)).then_some((e, false)),
        }
    }

    pub(super) fn is_lvalue(&self, e: ExprId) -> bool {
        match &self.u().expr(e).kind {
            ExprKind::Ident(s) => {
                !matches!(self.u().sym(*s).storage, Storage::Register)
                    || self.plan.shadow_set.contains(s)
            }
            ExprKind::Member { base, arrow, .. } => *arrow || self.is_lvalue(*base),
            ExprKind::Index { base, .. } => !self.is_array(*base) || self.is_lvalue(*base),
            ExprKind::Deref(_) => true,
            _ => false,
        }
    }

    pub fn row(&self, row: Row) -> String {
        let mut notes = self.cx.notes.borrow_mut();
        let n = notes.rows.len();
        let name = notes.rows.entry(row);
        name.or_insert_with(|| format!("pc3_union_{n}")).clone()
    }

    /// A note that the member of the union at the place was written.
    pub(super) fn wrote(&self, h: &Hit, lin: Option<&Linear>) -> String {
        let (row, k) = (self.row(h.row), h.member);
        let place = self.place_of(h, lin);
        let base = self.text(h.base, lin, true);
        let object = if h.arrow {
            format!("({base})->")
        } else {
            format!("({base}).")
        };
        let size = match &h.leaf {
            None if h.arrow => Some(format!("sizeof(*({base}))")),
            None => Some(format!("sizeof({base})")),
            Some(_) => self.size_of(h.union, &object),
        };
        let form = self.cx.forms.get(&h.union);
        match (form.and_then(|f| Some((f, f.level?))), size) {
            (Some((f, level)), Some(size)) => {
                let code = code(f.number, k);
                let window = self.window(h.union, k, &size, &object);
                format!("pc3_note({place}, {window}, {level}, {code}, {row}, {k}); ")
            }
            _ => format!("pc3_union_set({place}, {row}, {k}); "),
        }
    }

    /// How many bytes are noted of a member of a union of a size, which is found behind `object`.
    pub(super) fn window(&self, r: RecordId, k: usize, size: &str, object: &str) -> String {
        let u = self.u();
        if self.cx.forms.get(&r).is_some_and(|f| f.whole) {
            return format!("pc3_window({size}, {size})");
        }
        let field = field_at(&u.records[r.index()], k).filter(|f| f.bit_width.is_none());
        let sized = |f: &&Field| match u.ty(f.ty.ty) {
            Type::Array { len, .. } => matches!(len, ArrayLen::Const(_)),
            _ => true,
        };
        let name = field.filter(sized).and_then(|f| f.name.as_ref());
        let own = name.map_or("0".into(), |n| format!("sizeof({object}{n})"));
        format!("pc3_window({size}, {own})")
    }

    /// The size of a union without a name in an object, by its members.
    pub(super) fn size_of(&self, r: RecordId, object: &str) -> Option<String> {
        let u = self.u();
        let fields = u.records[r.index()].fields.as_ref()?;
        let mut text = String::new();
        for (i, f) in fields.iter().enumerate() {
            let sized = !matches!(u.ty(f.ty.ty), Type::Array { len, .. } if !matches!(len, ArrayLen::Const(_)));
            let name = f.name.as_ref().filter(|_| f.bit_width.is_none() && sized)?;
            text += &format!("char pc3_{i}[sizeof({object}{name})]; ");
        }
        Some(format!("sizeof(union {{ {text}}})"))
    }

    pub(super) fn place_of(&self, h: &Hit, lin: Option<&Linear>) -> String {
        let base = self.text(h.base, lin, true);
        let object = if h.arrow {
            format!("({base})")
        } else {
            format!("&({base})")
        };
        match self.offset_of(h) {
            Some(offset) => format!("(const char *){object} + {offset}"),
            None => format!("(const void *){object}"),
        }
    }

    pub(super) fn offset_of(&self, h: &Hit) -> Option<String> {
        let leaf = h.leaf.as_ref()?;
        let q = plain(h.record);
        Some(format!(
            "__builtin_offsetof({}, {leaf})",
            self.cx.names.type_name(q)
        ))
    }
}

/// What is noted where member `k` was written.
pub(super) fn code(number: u32, k: usize) -> String {
    format!("{}u", NOTES_CODES + (number << 6 | (k as u32 & 63)))
}
