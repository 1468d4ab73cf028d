//! The rows of functions and of their points: what a frame holds at each.

use super::Emitter;
use crate::emit::types::{row, Field};
use crate::rewrite::clones::printer::compound::member;
use crate::rewrite::clones::printer::shadow_member;
use crate::rewrite::frames::arguments::{self, ShadowMember, Slot};
use crate::rewrite::frames::frame::{members, Member, MemberTy};
use crate::rewrite::frames::plan::Plan;
use crate::rewrite::frames::savers;
use crate::rewrite::text::quote;
use crate::rewrite::unit::UnitCx;
use pc3_program::linear::TempTy;
use pc3_program::points::{Point, PointAt};
use pc3_program::program::{base_name, Callee};
use pc3_syntax::tree::*;

/// Rows of the functions with points, and of their points.
#[derive(Default)]
pub struct Functions {
    pub rows: Vec<String>,
    pub points: Vec<String>,
    /// The row of `main`, as an address.
    pub main: Option<String>,
}

impl Emitter<'_, '_> {
    pub fn functions(&mut self) -> Functions {
        let mut out = Functions::default();
        for k in 0..self.u.functions.len() {
            let f = FuncId(k as u32);
            let plan = self.cx.plan(f);
            if !plan.points.is_empty() {
                self.function(f, plan, &mut out);
            }
        }
        out
    }

    fn function(&mut self, f: FuncId, plan: &Plan, out: &mut Functions) {
        let name = self.cx.fname(f);
        for p in &plan.points.list {
            let point = self.point(plan, p, out.rows.len());
            out.points.push(point);
        }
        let shadow = match plan.has_frame() {
            true => self.shadow(plan, &format!("struct pc3_shadow__{name}")),
            false => "0".into(),
        };
        if name == "main" {
            out.main = Some(format!("&pc3_F[{}]", out.rows.len()));
        }
        let portable = self.cx.p.portable_name(self.cx.unit, self.u.func(f).sym);
        out.rows.push(format!(
            "{{{}, (void (*)(void))pc3_resume__{name}, {shadow}, pc3_P + {}, {}}}",
            quote(&portable),
            self.cx.point(f, 1),
            plan.points.list.len()
        ));
    }

    /// The row of a point of the function with the row `function`.
    fn point(&mut self, plan: &Plan, p: &Point, function: usize) -> String {
        let list = members(self.cx, plan, p.label);
        let live = match savers::record(self.cx, &list) {
            None => "0".to_string(),
            Some(c) => {
                let fields = list.iter().enumerate();
                let fields = fields.filter_map(|(i, m)| self.live(&c, i, m)).collect();
                row(self.types.live(&c, fields))
            }
        };
        let at = self.u.lines.position(p.span.start);
        format!(
            "{{&pc3_F[{function}], {}, {}, {}, {}, {live}, {}}}",
            p.label,
            at.line,
            quote(base_name(&at.file)),
            quote(&p.what),
            u32::from(may_be_gone(self.cx, p.at))
        )
    }

    /// A member of the record `c` that a point saves.
    fn live(&mut self, c: &str, i: usize, m: &Member) -> Option<Field> {
        let types = &mut self.types;
        let held = m.sym.and_then(|s| self.cx.said.of_variable(s));
        let ty = match m.ty {
            MemberTy::Var(q) | MemberTy::Temp(TempTy::Value(q)) => {
                types.integer_with_meaning(q.ty, held)?
            }
            MemberTy::Temp(TempTy::PointerTo(q)) => types.pointer_to(q),
            MemberTy::Temp(TempTy::Int) => types.int(),
            MemberTy::Temp(TempTy::Odd) => types.long_long(),
            MemberTy::Length => types.length(),
            MemberTy::Jumps(n) => types.numbers(n),
            MemberTy::List | MemberTy::Arguments => types.address(),
        };
        Some(Field {
            name: m.name.clone(),
            ty,
            offset: format!("__builtin_offsetof({c}, {})", savers::field(i)),
            bits: None,
            choice: m
                .sym
                .and_then(|s| Some(self.cx.said.chosen.get(&s)?.text())),
        })
    }

    /// The type of a function's shadow struct, which is called `c`: variables, packed arguments, compound literals.
    fn shadow(&mut self, plan: &Plan, c: &str) -> String {
        let (cx, u) = (self.cx, self.u);
        let plain = |m: String, ty| Field {
            offset: format!("__builtin_offsetof({c}, {m})"),
            name: m,
            ty,
            bits: None,
            choice: None,
        };
        let mut fields: Vec<Field> = Vec::new();
        for s in &plan.shadow {
            let m = shadow_member(u, *s);
            let held = cx.said.of_variable(*s);
            let ty = match u.ty(u.sym(*s).ty.ty) {
                // Where it stands is saved beside it.
                Type::VaList => Some(self.types.nothing(&format!("(({c} *)0)->{m}"))),
                _ => self.types.integer_with_meaning(u.sym(*s).ty.ty, held),
            };
            fields.extend(ty.map(|ty| Field {
                name: shown(u, &plan.shadow, *s),
                choice: cx.said.chosen.get(s).map(|c| c.text()),
                ..plain(m, ty)
            }));
        }
        for (i, call) in plan.packed_calls.iter().enumerate() {
            for (m, held) in arguments::places(u, i, *call) {
                let ty = self.argument(c, &m, held);
                fields.push(plain(m, ty));
            }
        }
        for (i, e) in plan.literals.iter().enumerate() {
            let ty = self.types.of(u.expr(*e).ty.ty);
            fields.extend(ty.map(|ty| plain(member(i), ty)));
        }
        if fields.is_empty() {
            fields.push(self.types.base(c));
        }
        row(self.types.generated(c, fields))
    }

    /// The type of a packed argument, the member `m` of `c`.
    fn argument(&mut self, c: &str, m: &str, held: ShadowMember) -> usize {
        let types = &mut self.types;
        match held {
            ShadowMember::Argument(Slot::Long { signed: true, .. }) => types.long("long"),
            ShadowMember::Argument(Slot::Long { .. }) => types.long("unsigned long"),
            ShadowMember::Argument(Slot::Double) => types.double(),
            ShadowMember::Argument(Slot::Value(q) | Slot::Copy(q)) | ShadowMember::Copy(q) => {
                types.of(q.ty).unwrap_or_else(|| types.address())
            }
            ShadowMember::Argument(Slot::PointerTo(q)) => types.pointer_to(q),
            ShadowMember::Filled => types.nothing(&format!("(({c} *)0)->{m}")),
            ShadowMember::End => types.byte(),
        }
    }
}

/// How a variable is called in every build: counted where several of a function have one name.
fn shown(u: &Unit, all: &[SymId], s: SymId) -> String {
    let name = &u.sym(s).name;
    let alike: Vec<&SymId> = all.iter().filter(|o| u.sym(**o).name == *name).collect();
    match alike.iter().position(|o| **o == s) {
        Some(nth) if alike.len() > 1 => format!("{name}__{}", nth + 1),
        _ => name.clone(),
    }
}

/// Can the callee of a point have left by a tail call when an inner frame is saved?
fn may_be_gone(cx: &UnitCx, at: PointAt) -> bool {
    let PointAt::Call(e) = at else { return false };
    let ExprKind::Call { callee, .. } = cx.u.expr(e).kind else {
        return false;
    };
    match cx.p.direct(cx.unit, callee) {
        Some((_, Callee::Defined(f))) => cx.plans[f.index()].points.tails,
        _ => false,
    }
}
