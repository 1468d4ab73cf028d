//! Live records and the functions that fill them, shared by all points of a unit that save values of the same types:
//!
//! ```c
//! struct __attribute__((packed)) pc3_live_1 { void *m0; int m1; double m2; };    // wherever there is room
//! static __attribute__((noinline, cold)) double pc3_save_1(const volatile void *m0, int m1, double m2, unsigned pc3_n) {
//!     struct pc3_live_1 *pc3_r = (struct pc3_live_1 *)pc3_frame_save(&pc3_P[pc3_n], 0);
//!     pc3_r->m0 = (void *)m0; ...
//! }
//! static __attribute__((noinline, cold)) int pc3_next_1(void) { return ((int (*)(void))pc3_resume_next())(); }
//! ```
//! A function of its own for each point would cost the compiler more than the user's code does. Names of values are in the tables.

use crate::rewrite::collected::Savers;
use crate::rewrite::frames::frame::{Member, ValueShape};
use crate::rewrite::unit::UnitCx;
use pc3_syntax::tree::*;
use std::collections::HashMap;

fn number(map: &mut HashMap<String, usize>, key: String) -> (usize, bool) {
    let n = map.len() + 1;
    let known = *map.entry(key).or_insert(n);
    (known, known == n)
}

impl Savers {
    /// Definitions that go in front of what has been printed since the last call.
    pub fn definitions(&mut self) -> String {
        std::mem::take(&mut self.pending)
    }
}

/// A member's name in the record.
pub fn field(i: usize) -> String {
    format!("m{i}")
}

/// The record of such values; None: there are none.
pub fn record(cx: &UnitCx, list: &[Member]) -> Option<String> {
    if list.is_empty() {
        return None;
    }
    let n = &cx.names;
    let fields = list.iter().enumerate();
    let fields = fields.map(|(i, m)| format!("{}; ", m.ty.stored(n, &field(i))));
    let fields: String = fields.collect();
    let s = &mut *cx.savers.borrow_mut();
    let (k, new) = number(&mut s.records, fields.clone());
    if new {
        s.pending += &format!("struct __attribute__((packed)) pc3_live_{k} {{ {fields}}}; ");
    }
    Some(format!("struct pc3_live_{k}"))
}

/// What saves such values for a function with this result, and with a shadow block or without.
pub fn saver(cx: &UnitCx, list: &[Member], ret: QualType, shadow: bool) -> String {
    let record = record(cx, list);
    let n = &cx.names;
    let (mut params, mut body) = (Vec::new(), String::new());
    let block = if shadow { "pc3_s" } else { "0" };
    let call = format!("pc3_frame_save(&pc3_P[pc3_n], {block})");
    match &record {
        None => body += &format!("{call}; "),
        Some(c) => body += &format!("{c} *pc3_r = ({c} *){call}; "),
    }
    for (i, m) in list.iter().enumerate() {
        let f = field(i);
        let shape = m.ty.shape(n);
        params.push(match shape {
            ValueShape::Array | ValueShape::Big | ValueShape::Wide => format!("const void *{f}"),
            ValueShape::Pointer => format!("const volatile void *{f}"),
            _ => m.ty.stored(n, &f),
        });
        body += &match shape {
            ValueShape::Scalar => format!("pc3_r->{f} = {f}; "),
            ValueShape::Pointer => format!("pc3_r->{f} = (void *){f}; "),
            ValueShape::Record => format!(
                "__builtin_memcpy((void *)&pc3_r->{f}, (const void *)&{f}, sizeof pc3_r->{f}); "
            ),
            _ => format!("__builtin_memcpy((void *)&pc3_r->{f}, {f}, sizeof pc3_r->{f}); "),
        };
    }
    params.push("unsigned pc3_n".into());
    if shadow {
        params.push("void *pc3_s".into());
    }
    if !matches!(cx.u.ty(ret.ty), Type::Void) {
        let v = n.declare_plain(ret, "pc3_v");
        body += &format!(
            "{{ {v}; __builtin_memset((void *)&pc3_v, 0, sizeof pc3_v); return pc3_v; }} "
        );
    }
    let params = params.join(", ");
    let key = format!("{} {params} {record:?}", n.declare_plain(ret, ""));
    let s = &mut *cx.savers.borrow_mut();
    let (k, new) = number(&mut s.savers, key);
    let name = format!("pc3_save_{k}");
    if new {
        let head = n.declare_plain(ret, &format!("{name}({params})"));
        s.pending += &format!("static __attribute__((noinline, cold)) {head} {{ {body}}} ");
    }
    name
}

/// What enters the next inner frame, whose function has this result.
pub fn next(cx: &UnitCx, ret: QualType) -> String {
    let n = &cx.names;
    let to = n.declare(ret, "(*)(void)");
    let s = &mut *cx.savers.borrow_mut();
    let (k, new) = number(&mut s.nexts, to.clone());
    let name = format!("pc3_next_{k}");
    if new {
        let head = n.declare_plain(ret, &format!("{name}(void)"));
        let back = match cx.u.ty(ret.ty) {
            Type::Void => "",
            _ => "return ",
        };
        s.pending += &format!("static __attribute__((noinline, cold)) {head} {{ {back}(({to})pc3_resume_next())(); }} ");
    }
    name
}
