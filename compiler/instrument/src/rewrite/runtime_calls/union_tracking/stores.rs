//! Assignments to members and of whole objects, and pointers to members that are kept.

use super::{plain, Hit};
use crate::rewrite::clones::edits::Edits;
use crate::rewrite::clones::printer::Printer;
use crate::rewrite::text::join_lines;
use pc3_program::linear::Linear;
use pc3_syntax::tree::*;

impl Printer<'_, '_> {
    /// An assignment, or `++` and `--`.
    pub(super) fn store(
        &self,
        e: ExprId,
        lhs: ExprId,
        rhs: Option<ExprId>,
        lin: Option<&Linear>,
        out: &mut Edits,
    ) -> bool {
        let u = self.u();
        let x = u.expr(e);
        let left = u.expr(lhs).ty;
        let whole = self.is_record(left.ty) && self.has_union(left.ty);
        let hits = self.hits(lhs);
        if (hits.is_empty() && !whole) || !self.matters(lhs) {
            return false;
        }
        if !self.is_lvalue(lhs) {
            // A compound literal's member, or another strange place.
            self.hold(lhs);
            return false;
        }
        let mut text = String::new();
        let once = self.once(lhs, lin);
        // Members of what is evaluated once cannot be named behind it.
        let outside = |h: &Hit| {
            once.is_none_or(|(at, _)| {
                let (a, b) = (&u.expr(at).span, &u.expr(h.base).span);
                a.start >= b.start && a.end <= b.end
            })
        };
        let (hits, inner): (Vec<Hit>, Vec<Hit>) = hits.into_iter().partition(outside);
        inner
            .iter()
            .for_each(|h| _ = self.in_function().held.insert(h.node));
        let literal = rhs.and_then(|r| match &u.expr(r).kind {
            ExprKind::CompoundLit { ty, init } if whole => Some((*ty, init.clone())),
            _ => None,
        });
        if let (Some(r), true) = (rhs, whole) {
            self.give_once(r, lin);
        }
        let mut replaced = Vec::new();
        if let (Some(r), Some(_), true) = (rhs, once, whole) {
            // As `linear` has it: only a call's result is stored where the place was before.
            let call = matches!(u.expr(r).kind, ExprKind::Call { .. });
            if !call && !self.is_repeatable(r, lin) && literal.is_none() {
                let name = format!("pc3_v{}", e.0);
                let declared = self.cx.names.declare_plain(u.expr(r).ty, &name);
                text += &format!("{declared} = {}; ", self.text(r, lin, true));
                replaced.push((r, name));
            }
        }
        if let Some((at, pointer)) = once {
            let name = format!("pc3_p{}", at.0);
            let value = self.text(at, lin, true);
            if pointer {
                text += &format!(
                    "{} = {value}; ",
                    self.cx.names.declare_plain(u.expr(at).ty, &name)
                );
                replaced.push((at, name));
            } else {
                let to = self.cx.names.pointer_to(u.expr(at).ty, &name);
                text += &format!("{to} = &({value}); ");
                replaced.push((at, format!("(*{name})")));
            }
        }
        self.in_function().stand_in.extend(replaced.iter().cloned());
        let mut inner = Edits::default();
        if let (Some((..)), Some(r)) = (&literal, rhs) {
            self.expr(lhs, lin, &mut inner);
            self.children(r, lin, &mut inner);
        } else {
            self.children(e, lin, &mut inner);
        }
        let done = inner.apply(self.cx, &x.span);
        let mut notes = String::new();
        if whole {
            let place = self.text(lhs, lin, true);
            notes += &self.arrival(left, &format!("&({place})"), rhs, literal, lin);
        }
        let later = |h: &&Hit| self.in_function().later.contains(&(e, h.union));
        for h in hits.iter().filter(|h| !later(h)) {
            notes += &self.wrote(h, lin);
        }
        for (k, _) in replaced {
            self.in_function().stand_in.remove(&k);
        }
        out.replace(&x.span, self.behind(e, &text, &done, &notes));
        true
    }

    /// `text` as an expression with notes behind it.
    pub(super) fn behind(&self, e: ExprId, before: &str, text: &str, notes: &str) -> String {
        let x = self.u().expr(e);
        if self.in_function().unused.contains(&e) || matches!(self.u().ty(x.ty.ty), Type::Void) {
            return format!("__extension__({{ {before}{text}; {notes}}})");
        }
        let name = format!("pc3_r{}", e.0);
        let ty = match self.u().ty(x.ty.ty) {
            Type::Unsupported(_) => format!("__typeof__(({text}) + 0) {name}"),
            _ => self.cx.names.declare_plain(x.ty, &name),
        };
        format!("__extension__({{ {before}{ty} = ({text}); {notes}{name}; }})")
    }

    /// What comes with a value that has been stored as a whole.
    pub(super) fn arrival(
        &self,
        q: QualType,
        place: &str,
        value: Option<ExprId>,
        literal: Option<(QualType, Init)>,
        lin: Option<&Linear>,
    ) -> String {
        let gone = format!(
            "pc3_union_gone({place}, sizeof({})); ",
            self.cx.names.type_name(plain(q.ty))
        );
        if let Some((ty, init)) = literal {
            let marks = self.marks(ty, &init);
            if let Some(notes) = self.made(ty, place, &marks) {
                return notes;
            }
            let list = self.mark_list(ty.ty, marks);
            return format!(
                "pc3_union_made({place}, sizeof({}), {list}); ",
                self.cx.names.type_name(plain(q.ty))
            );
        }
        let Some(value) = value else { return gone };
        let substituted = lin.is_some_and(|l| l.subst.contains_key(&value));
        // What is evaluated once, into a variable, was passed on there.
        let once = self.in_function().stand_in.contains_key(&value);
        match &self.u().expr(value).kind {
            _ if once => self.arrived(q, place),
            ExprKind::Call { .. } if !substituted => self.arrived(q, place),
            ExprKind::Assign { lhs, op: None, .. }
                if !substituted && self.place(*lhs, lin) && self.matters(*lhs) =>
            {
                let from = self.text(*lhs, lin, true);
                self.copied(q, place, &format!("&({from})"))
            }
            ExprKind::Cond { .. } | ExprKind::Comma(_) if !substituted => self.arrived(q, place),
            _ if substituted => {
                let from = self.text(value, lin, true);
                self.copied(q, place, &format!("&({from})"))
            }
            _ if self.is_lvalue(value) && self.place(value, lin) && self.matters(value) => {
                let from = self.text(value, lin, true);
                self.copied(q, place, &format!("&({from})"))
            }
            // It was evaluated once, and passed on.
            _ if self.is_lvalue(value) && self.matters(value) => self.arrived(q, place),
            _ => gone,
        }
    }

    /// A pointer to the lvalue is kept.
    pub(super) fn hold(&self, e: ExprId) {
        let hits = self.hits(e);
        if !hits.is_empty() && self.matters(e) {
            let nodes = hits.iter().map(|h| h.node);
            self.in_function().held.extend(nodes);
        }
    }

    /// An array becomes a pointer to its elements.
    pub(super) fn hold_decayed(&self, e: ExprId) {
        if self.is_array(e) {
            self.hold(e);
        }
    }

    pub(super) fn held_member(&self, e: ExprId, lin: Option<&Linear>, out: &mut Edits) -> bool {
        if !self.in_function().held.contains(&e) {
            return false;
        }
        let hits: Vec<Hit> = self.hits(e).into_iter().filter(|h| h.node == e).collect();
        let Some(first) = hits.first() else {
            return false;
        };
        let u = self.u();
        let base = self.text(first.base, lin, true);
        let of = u.expr(first.base).ty;
        let to = match (first.arrow, u.ty(of.ty)) {
            (true, Type::Array { elem, .. }) => self.cx.names.pointer_to(*elem, ""),
            (true, _) => self.cx.names.type_name(of),
            (false, _) => {
                let ty = first.record;
                self.cx.names.pointer_to(QualType { ty, ..of }, "")
            }
        };
        let mut object = match first.arrow {
            true => format!("({base})"),
            false => format!("&({base})"),
        };
        for h in &hits {
            let offset = self.offset_of(h).unwrap_or("0".into());
            object = format!(
                "pc3_keep({object}, {offset}, {}, {}, {})",
                self.kept_code(h),
                self.row(h.row),
                h.member
            );
        }
        let behind = u.expr(first.base).span.end..u.expr(e).span.end;
        let mut name = u.slice(&behind).trim_start().to_string();
        join_lines(&mut name);
        let name = name.trim_start_matches([')', ' ']);
        let name = name
            .strip_prefix("->")
            .or(name.strip_prefix('.'))
            .unwrap_or(name);
        out.replace(&u.expr(e).span, format!("(({to}){object})->{name}"));
        true
    }
}
