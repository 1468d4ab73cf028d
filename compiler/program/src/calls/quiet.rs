//! Functions that `--checkpoint-everywhere` leaves out, with all that they call: such that hold structs of variable
//! length, which no checkpoint can.  Written by hand such a location is refused; these were asked for by nobody.

use crate::program::{FnId, Program};
use pc3_syntax::tree::*;

pub fn is_quiet(p: &Program, f: FnId) -> bool {
    let u = p.unit(f);
    let own = |r: &&Record| r.scope == Some(p.fns[f.index()].1);
    let fields = u.records.iter().filter(own).flat_map(|r| &r.fields);
    fields.flatten().any(|x| varies(u, x.ty.ty))
}

fn varies(u: &Unit, ty: TypeId) -> bool {
    match u.ty(ty) {
        Type::Array { elem, len } => matches!(len, ArrayLen::Vla(_)) || varies(u, elem.ty),
        Type::Pointer(q) => varies(u, q.ty),
        _ => false,
    }
}
