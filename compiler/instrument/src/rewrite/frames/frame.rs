//! What a function saves at each point: the values, saving and restoring them, the shadow block.
//!
//! ```c
//! return pc3_save_1(a, n, s, i, 7);                                                 // 7: the point's number in the unit
//!
//! const struct pc3_live_1 *pc3_r = (const struct pc3_live_1 *)pc3_f->live; a = pc3_r->m0; n = pc3_r->m1; ...
//! ```
//! Records and savers are shared: see [`crate::rewrite::frames::savers`].

use crate::rewrite::clones::ctypes::Names;
use crate::rewrite::clones::printer::{shadow_member, Printer};
use crate::rewrite::clones::vla::element;
use crate::rewrite::frames::arguments;
use crate::rewrite::frames::plan::{is_vla, Live, Plan};
use crate::rewrite::frames::savers;
use crate::rewrite::unit::UnitCx;
use pc3_program::linear::TempTy;
use pc3_program::moved_parameters::MovedBy;
use pc3_syntax::tree::*;

/// A value in a live record.
pub struct Member {
    /// Its name in the record and in the checkpoint.
    pub name: String,
    /// What it is called in the clones.
    pub place: String,
    pub ty: MemberTy,
    /// The user's variable, if it is one.
    pub sym: Option<SymId>,
    /// A pointer that has been moved back by this much: saved as it was before.
    pub moved: Option<String>,
}

impl Member {
    /// The value that is saved.
    fn value(&self) -> String {
        match &self.moved {
            Some(by) => format!("{} + {by}", self.place),
            None if matches!(self.ty, MemberTy::List) => arguments::position(&self.place),
            None => self.place.clone(),
        }
    }
}

#[derive(Clone, Copy)]
pub enum MemberTy {
    Var(QualType),
    /// A runtime length.
    Length,
    /// A `va_list`: where it stands.
    List,
    /// Where packed arguments are.
    Arguments,
    /// Which of so many calls of `setjmp` can be returned to.
    Jumps(usize),
    Temp(TempTy),
}

impl MemberTy {
    /// As it stands in a record: pointers to objects are alike.
    pub fn stored(self, n: &Names, name: &str) -> String {
        match self {
            _ if self.shape(n) == ValueShape::Pointer => format!("void *{name}"),
            MemberTy::Var(q) => n.declare_plain(q, name),
            MemberTy::Temp(t) => n.declare_temp(t, name),
            MemberTy::Length => format!("pc3_size {name}"),
            MemberTy::List | MemberTy::Arguments => format!("void *{name}"),
            MemberTy::Jumps(n) => format!("unsigned long long {name}[{n}]"),
        }
    }

    pub fn shape(self, n: &Names) -> ValueShape {
        let u = n.u;
        match self {
            MemberTy::Var(q) if n.is_vm(q) => ValueShape::Pointer,
            MemberTy::Var(q) | MemberTy::Temp(TempTy::Value(q)) => match u.ty(q.ty) {
                Type::Array { .. } => ValueShape::Array,
                Type::Record(_) if has_array(u, q.ty) => ValueShape::Big,
                _ if is_wide(u, q.ty) => ValueShape::Wide,
                Type::Record(_) => ValueShape::Record,
                Type::Pointer(to) if is_object(u, *to) && !q.is_atomic => ValueShape::Pointer,
                _ => ValueShape::Scalar,
            },
            MemberTy::Temp(TempTy::PointerTo(to)) if is_object(u, to) => ValueShape::Pointer,
            MemberTy::Jumps(_) => ValueShape::Array,
            _ => ValueShape::Scalar,
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum ValueShape {
    Scalar,
    /// To an object.
    Pointer,
    Record,
    Array,
    /// A record with arrays: handed to the saver by address.
    Big,
    /// A vector or record with more alignment than arguments have: the address of a copy, so that its own is not known.
    Wide,
}

/// Compilers tell users how they pass such arguments.
fn is_wide(u: &Unit, t: TypeId) -> bool {
    match u.ty(t) {
        Type::Vector { bytes, .. } => *bytes > 16,
        Type::Record(r) => {
            let d = &u.records[r.index()];
            d.says_alignment(u) || d.fields.iter().flatten().any(|f| is_wide(u, f.ty.ty))
        }
        _ => false,
    }
}

fn is_object(u: &Unit, q: QualType) -> bool {
    !matches!(u.ty(q.ty), Type::Function { .. } | Type::Unsupported(_))
}

fn has_array(u: &Unit, t: TypeId) -> bool {
    match u.ty(t) {
        Type::Array { .. } => true,
        Type::Record(r) => u.records[r.index()]
            .fields
            .iter()
            .flatten()
            .any(|f| has_array(u, f.ty.ty)),
        _ => false,
    }
}

fn is_list(u: &Unit, s: SymId) -> bool {
    *u.ty(u.sym(s).ty.ty) == Type::VaList
}

pub fn members(cx: &UnitCx, plan: &Plan, label: u32) -> Vec<Member> {
    let u = cx.u;
    let live = &plan.live[label as usize - 1];
    let mut out = Vec::new();
    if plan.jumps.contains(&label) {
        return out;
    }
    for s in &live.vars {
        variable(cx, plan, live, *s, &mut out);
    }
    let unnamed = |name: String, place: String, ty| Member {
        name,
        place,
        ty,
        sym: None,
        moved: None,
    };
    for (i, e) in live.lengths.iter().enumerate() {
        if let Some(place) = cx.names.lengths.get(e) {
            let name = format!("pc3_length{}", i + 1);
            out.push(unnamed(name, place.clone(), MemberTy::Length));
        }
    }
    // Argument lists in the shadow block: made anew where they were.
    let lists = plan.shadow.iter().filter(|s| is_list(u, **s));
    for (i, s) in lists.enumerate() {
        let name = format!("{}__list{}", u.sym(*s).name, i + 1);
        let place = format!("pc3_s->{}", shadow_member(u, *s));
        out.push(unnamed(name, place, MemberTy::List));
    }
    if plan.packed {
        out.push(unnamed(
            "pc3_va".into(),
            "pc3_va".into(),
            MemberTy::Arguments,
        ));
    }
    if !plan.jumps.is_empty() {
        let ty = MemberTy::Jumps(plan.jumps.len());
        out.push(unnamed("pc3_jumps".into(), "pc3_jt".into(), ty));
    }
    // Temporaries are numbered within the point: their numbers in the function depend on the target.
    let letter = if live.left_to_right { 'l' } else { 't' };
    for (i, t) in live.temps.iter().enumerate() {
        let ty = MemberTy::Temp(plan.temps[*t]);
        let name = format!("pc3_{letter}{}", i + 1);
        out.push(unnamed(name, format!("pc3_t{t}"), ty));
    }
    out
}

/// A variable, behind the lengths of its type.
fn variable(cx: &UnitCx, plan: &Plan, live: &Live, s: SymId, out: &mut Vec<Member>) {
    let u = cx.u;
    let name = &u.sym(s).name;
    let alike: Vec<&SymId> = (live.vars.iter())
        .filter(|x| u.sym(**x).name == *name)
        .collect();
    let member = match alike.iter().position(|x| **x == s) {
        Some(nth) if alike.len() > 1 => format!("{name}__{}", nth + 1),
        _ => name.clone(),
    };
    let called = |s: &SymId| match plan.renamed.get(s) {
        Some(new) => new.clone(),
        None => u.sym(*s).name.clone(),
    };
    let moved = live.moved.get(&s).map(|by| match by {
        MovedBy::Elements(n) => n.to_string(),
        MovedBy::Local(v) => called(v),
    });
    let q = u.sym(s).ty;
    if cx.names.is_vm(q) {
        for (i, e) in cx.names.runtime_lengths(q).iter().enumerate() {
            out.push(Member {
                name: format!("{member}__n{i}"),
                place: cx.names.lengths[e].clone(),
                ty: MemberTy::Length,
                sym: None,
                moved: None,
            });
        }
    }
    if is_vla(u, s) {
        let elem = element(u, q, |q| cx.names.is_vm(q));
        out.push(Member {
            name: member,
            place: format!("pc3_vla_{}", s.0),
            ty: MemberTy::Temp(TempTy::PointerTo(elem)),
            sym: None,
            moved: None,
        });
        return;
    }
    let ty = match u.ty(q.ty) {
        Type::VaList => MemberTy::List,
        _ => MemberTy::Var(q),
    };
    out.push(Member {
        name: member,
        place: called(&s),
        ty,
        sym: Some(s),
        moved,
    });
}

impl Printer<'_, '_> {
    pub(crate) fn has_frame(&self) -> bool {
        self.plan.has_frame()
    }

    /// Gives the shadow block back.
    pub fn leave(&self) -> String {
        if self.has_frame() {
            "pc3_me->sp = (char *)pc3_s; ".into()
        } else {
            String::new()
        }
    }

    /// Leaves the function at a point, saving what is live.
    pub fn save(&self, label: u32) -> String {
        let list = members(self.cx, self.plan, label);
        let mut args: Vec<String> = list
            .iter()
            .map(|m| match m.ty.shape(&self.cx.names) {
                ValueShape::Big => format!("(const void *)&{}", m.place),
                ValueShape::Wide => format!(
                    "(const void *)__extension__({}){{{}}}",
                    m.ty.stored(&self.cx.names, "[1]"),
                    m.place
                ),
                ValueShape::Array => format!("(const void *){}", m.place),
                _ => m.value(),
            })
            .collect();
        args.push(self.cx.point(self.f, label).to_string());
        if self.has_frame() {
            args.push("pc3_s".into());
        }
        let ret = self.u().func(self.f).ret;
        let saver = savers::saver(self.cx, &list, ret, self.has_frame());
        let call = format!("{saver}({})", args.join(", "));
        if self.returns_void() {
            format!("{{ {call}; return; }}")
        } else {
            format!("return {call};")
        }
    }

    fn returns_void(&self) -> bool {
        matches!(self.u().ty(self.u().func(self.f).ret.ty), Type::Void)
    }

    pub fn restore(&self, label: u32) -> String {
        let list = members(self.cx, self.plan, label);
        let Some(tag) = savers::record(self.cx, &list) else {
            return String::new();
        };
        let mut out = format!("const {tag} *pc3_r = (const {tag} *)pc3_f->live; ");
        for (i, m) in list.iter().enumerate() {
            let from = format!("pc3_r->{}", savers::field(i));
            out += &match m.ty.shape(&self.cx.names) {
                _ if matches!(m.ty, MemberTy::List) => {
                    format!("{}; ", arguments::begin(&m.place, &from))
                }
                _ if matches!(m.ty, MemberTy::Var(q) if self.u().is_null_type(q.ty)) => {
                    format!("{} = 0; ", m.place)
                }
                ValueShape::Scalar | ValueShape::Pointer => format!("{} = {from}; ", m.place),
                ValueShape::Array => format!(
                    "__builtin_memcpy((void *){}, {from}, sizeof {from}); ",
                    m.place
                ),
                _ => format!(
                    "__builtin_memcpy((void *)&{}, &{from}, sizeof {from}); ",
                    m.place
                ),
            };
        }
        let temporaries = self.plan.live[label as usize - 1].temps.iter();
        out.extend(temporaries.filter_map(|t| self.gone_temporary(*t)));
        for m in &list {
            if let Some(by) = &m.moved {
                out += &format!("{} -= {by}; ", m.place);
            }
        }
        out
    }

    /// Declarations in front of the hot clone, which has been printed.
    pub fn front(&self) -> String {
        let mut out = String::new();
        if self.has_frame() {
            out += &self.shadow_struct();
        }
        out + &self.cx.savers.borrow_mut().definitions()
    }

    /// The shadow block's type and the function that takes one.
    fn shadow_struct(&self) -> String {
        let (cx, u, f) = (self.cx, self.u(), self.cx.fname(self.f));
        let n = &cx.names;
        let mut fields = String::new();
        let mut zero = String::new();
        if self.plan.has_no_members() {
            fields += "char pc3_base; ";
        }
        for (i, call) in self.plan.packed_calls.iter().enumerate() {
            let m = arguments::member(i);
            fields += &arguments::field(u, n, i, *call);
            zero += &format!("__builtin_memset((void *)&pc3_s->{m}, 0, sizeof pc3_s->{m}); ");
        }
        let (mut params, mut copies) = (Vec::new(), String::new());
        for s in &self.plan.shadow {
            let m = shadow_member(u, *s);
            // One past the end of an object is not the start of the next.
            fields += &format!(
                "{}{}; char pc3_gap_{m}; ",
                crate::rewrite::unseen::alignment(cx, *s),
                n.declare_plain(u.sym(*s).ty, &m)
            );
            if u.sym(*s).kind == SymKind::Param {
                params.push(n.declare_plain(u.sym(*s).ty, &m));
                copies += &match (MemberTy::Var(u.sym(*s).ty)).shape(n) {
                    ValueShape::Scalar | ValueShape::Pointer => format!("pc3_s->{m} = {m}; "),
                    ValueShape::Wide if !matches!(u.ty(u.sym(*s).ty.ty), Type::Record(_)) => {
                        format!("pc3_s->{m} = {m}; ")
                    }
                    _ => format!(
                        "__builtin_memcpy((void *)&pc3_s->{m}, (const void *)&{m}, sizeof {m}); "
                    ),
                };
            } else if crate::rewrite::frames::variables::fragile(u, u.sym(*s).ty.ty)
                || is_list(u, *s)
            {
                zero += &format!("__builtin_memset((void *)&pc3_s->{m}, 0, sizeof pc3_s->{m}); ");
            }
        }
        for (i, e) in self.plan.literals.iter().enumerate() {
            let (m, q) = (
                crate::rewrite::clones::printer::compound::member(i),
                u.expr(*e).ty,
            );
            fields += &format!("{}; char pc3_gap_{m}; ", n.declare_plain(q, &m));
            if crate::rewrite::frames::variables::fragile(u, q.ty) {
                zero += &format!("__builtin_memset((void *)&pc3_s->{m}, 0, sizeof pc3_s->{m}); ");
            }
        }
        let params = if params.is_empty() {
            "void".into()
        } else {
            params.join(", ")
        };
        // The user's packing is not meant for it.
        let (unpacked, back) = match u.text.contains("#pragma pack") {
            true => (
                "\n#pragma pack(push)\n#pragma pack()\n",
                "\n#pragma pack(pop)\n",
            ),
            false => ("", ""),
        };
        format!(
            "{unpacked}struct pc3_shadow__{f} {{ {fields}}}; {back}static __inline __attribute__((always_inline)) struct pc3_shadow__{f} *pc3_enter__{f}({params}) {{ \
             const pc3_size pc3_n = (sizeof(struct pc3_shadow__{f}) + 16) & ~(pc3_size)15; char *pc3_b = pc3_me->sp; struct pc3_shadow__{f} *pc3_s; \
             if (__alignof__(struct pc3_shadow__{f}) > 16) pc3_b = (char *)(((pc3_size)pc3_b + __alignof__(struct pc3_shadow__{f}) - 1) & -(pc3_size)__alignof__(struct pc3_shadow__{f})); \
             if (__builtin_expect((pc3_size)(pc3_me->sp_end - pc3_b) < pc3_n, 0)) pc3_b = (char *)pc3_shadow_grow(pc3_n); \
             pc3_me->sp = pc3_b + pc3_n; pc3_s = (struct pc3_shadow__{f} *)(void *)pc3_b; {zero}{copies}return pc3_s; }} "
        )
    }

    /// Declarations at the start of the hot clone.
    pub(crate) fn hot_prologue(&self) -> String {
        let (u, f) = (self.u(), self.cx.fname(self.f));
        let mut out = String::new();
        if self.has_frame() {
            let args: Vec<&str> = self
                .plan
                .shadow
                .iter()
                .filter(|s| u.sym(**s).kind == SymKind::Param)
                .map(|s| u.sym(*s).name.as_str())
                .collect();
            out += &format!(
                " struct pc3_shadow__{f} *const pc3_s = pc3_enter__{f}({});",
                args.join(", ")
            );
        }
        for p in u.func(self.f).params.iter().filter(|p| self.is_vm(**p)) {
            out += &format!(" {}", self.lengths(*p));
        }
        out += &self.jump_variables();
        if self.plan.packed {
            out += " void *const pc3_va = pc3_me->args;";
        }
        out
    }

    /// The resume clone up to the user's block.
    pub(crate) fn resume_head(&self) -> String {
        let (cx, u, f) = (self.cx, self.u(), self.cx.fname(self.f));
        let func = u.func(self.f);
        let ret = cx
            .names
            .declare_plain(func.ret, &format!("pc3_resume__{f}(void)"));
        let mut out = format!("static {ret} {{ ");
        for p in &func.params {
            let sym = u.sym(*p);
            if self.plan.shadow_set.contains(p) || sym.name.is_empty() {
                continue;
            }
            let name = self.plan.renamed.get(p).unwrap_or(&sym.name);
            if self.is_vm(*p) {
                for e in cx.names.runtime_lengths(sym.ty) {
                    out += &format!("pc3_size {} = 0; ", cx.names.lengths[&e]);
                }
                out += &format!("void *{name} = 0; ");
                continue;
            }
            let start = match u.ty(sym.ty.ty) {
                _ if self.plan.environment == Some(*p) => " = pc3_environment()",
                Type::Record(_) | Type::VaList | Type::Vector { .. } => "",
                _ => " = 0",
            };
            out += &format!("{}{start}; ", cx.names.declare_plain(sym.ty, name));
        }
        out += &self.jump_variables();
        if self.plan.packed {
            out += "void *pc3_va = 0; ";
        }
        out += "const struct pc3_frame *pc3_f = pc3_frame_load(); unsigned pc3_k = pc3_f->point->label; ";
        if self.has_frame() {
            out += &format!(
                "struct pc3_shadow__{f} *const pc3_s = (struct pc3_shadow__{f} *)pc3_f->shadow; "
            );
        }
        out
    }
}
