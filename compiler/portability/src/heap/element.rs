//! The type of what a call allocates: what its size says and where the result goes, weighed.

use super::flow::{Follow, Wish};
use super::types::{base, called_name, is_complete, last_array, same_element, trailing};
use super::{size, struct_overlay, SizeForm, Why};
use pc3_program::walk::strip_casts;
use pc3_syntax::tree::*;

/// The element type of what `call` allocates, or why there is none.
pub fn element(
    call: ExprId,
    sizes: &[ExprId],
    follow: &Follow,
) -> Result<(QualType, SizeForm, Why), String> {
    let flow = follow.flow;
    let u = flow.u;
    let name = called_name(u, call);
    let mut wish = wish(call, follow);
    let mut before = false;
    if wish == Wish::Nothing && matches!(name, Some("realloc" | "reallocarray")) {
        if let ExprKind::Call { args, .. } = &u.expr(call).kind {
            let old = args.first().map(|a| strip_casts(u, *a));
            wish = old.map_or(wish, |old| follow.stored(old));
            before = true;
        }
    }
    let size = size::size(flow, sizes);
    if (size.says_nothing() || size.plain) && flow.is_behind_header(call) {
        return Err("the function returns it behind a header of its own".into());
    }
    let of: Vec<QualType> = size.typed.iter().map(|t| t.0).collect();
    // An item of a pool has the size that the pool knows.
    if let (true, Wish::Type(q)) = (sizes.is_empty(), wish) {
        if is_complete(u, q) {
            let why = flow.goes(call).map_or(Why::Size, Why::Goes);
            return Ok((q, SizeForm::Unknown, why));
        }
    }
    let (q, form) = decide(u, size, wish)?;
    if !is_complete(u, q) {
        return Err(format!("`{}` is not defined here", u.type_name(q)));
    }
    let why = match form {
        SizeForm::One => Why::Longer,
        _ if of.iter().any(|t| t.ty == q.ty) => Why::Size,
        _ if before => Why::Before,
        _ => match flow.goes(call) {
            Some(where_to) => Why::Goes(where_to),
            None => Why::Size,
        },
    };
    Ok((q, form, why))
}

/// What the result of a call that allocates goes to says of it.
pub fn wish(call: ExprId, follow: &Follow) -> Wish {
    let flow = follow.flow;
    match size::given_place(flow.u, call) {
        Some(place) => place.map_or(Wish::Nothing, |x| follow.stored(x)),
        None => follow.wish(call),
    }
}

fn decide(u: &Unit, size: size::Size, wish: Wish) -> Result<(QualType, SizeForm), String> {
    const SEVERAL: &str = "its memory is looked at as several types";
    let name = |q: QualType| {
        u.type_name(QualType {
            is_const: false,
            ..q
        })
    };
    let wanted = match wish {
        Wish::Type(q) => Some(q),
        _ => None,
    };
    if size.unclear {
        return Err("the size combines several `sizeof`".into());
    }
    let number = |q: QualType| matches!(u.ty(base(u, q).ty), Type::Int(_) | Type::Float(_));
    // `7 + 3 * sizeof(int)` characters.
    if let (Wish::Chars(q, _), true) = (wish, size.plain) {
        if size.typed.iter().all(|t| number(t.0)) {
            return Ok((q, SizeForm::Unknown));
        }
    }
    let Some(&(first, _)) = size.typed.first() else {
        let found = match wish {
            // How much of it, or what behind it, only a `sizeof` could say.
            Wish::Type(q) if matches!(u.ty(base(u, q).ty), Type::Record(_)) => {
                return Err(format!(
                    "it becomes a pointer to `{}`, and the size does not say by `sizeof` how many, or what follows",
                    name(base(u, q))
                ));
            }
            Wish::Type(q) | Wish::Chars(q, _) => Some(q),
            Wish::Nothing => size.chars,
            Wish::Unclear => return Err(SEVERAL.into()),
        };
        return match found {
            Some(q) => Ok((q, SizeForm::Unknown)),
            None => Err("neither the size nor where the result goes names a type".into()),
        };
    };
    let alike = size.typed.iter().all(|(q, _)| q.ty == first.ty);
    let number = number(first);
    if alike && number && wish == Wish::Unclear {
        return Ok((first, SizeForm::Mixed));
    }
    if alike && !size.plain {
        if let Some(w) = wanted.filter(|w| !struct_overlay::begins(u, first, *w)) {
            return Err(format!(
                "its size is that of `{}`, and it becomes a pointer to `{}`",
                name(first),
                name(w)
            ));
        }
        let found = match wish {
            Wish::Chars(q, true) => q,
            _ => wanted.map_or(first, |w| measured(u, first, w)),
        };
        let row = found.ty == first.ty;
        return Ok((
            found,
            if row {
                SizeForm::Row
            } else {
                SizeForm::Unknown
            },
        ));
    }
    // Some bytes more, to align or to pad.
    if alike && number && wanted.is_some_and(|w| w.ty == first.ty) {
        return Ok((first, SizeForm::Unknown));
    }
    // One struct with more behind it.
    let fits = |head: QualType| {
        let others = size.typed.iter().filter(|(q, _)| q.ty != head.ty);
        // What is asked for begins within it: `sizeof(struct s) - 1 + n`.
        let longer = |len: &ArrayLen| matches!(len, ArrayLen::Const(_));
        let end = trailing(u, head).or_else(|| {
            let whole = last_array(u, head, &longer);
            whole.filter(|_| size.within)
        });
        end.is_some_and(|end| others.clone().all(|(q, _)| same_element(u, end, *q)))
    };
    let heads = size.typed.iter().filter(|(_, whole)| *whole).map(|t| t.0);
    let mut all = wanted.into_iter().chain(heads);
    match all.find(|q| fits(*q)) {
        Some(q) => Ok((q, SizeForm::One)),
        None if alike => Err(format!(
            "the size is `sizeof({})` and more, of which it does not say what it is",
            name(first)
        )),
        None => {
            let mut names: Vec<String> = size.typed.iter().map(|t| name(t.0)).collect();
            names.dedup();
            Err(format!(
                "the size adds up `sizeof` of {}, and it is not known what lies where",
                names.join(", ")
            ))
        }
    }
}

/// `n * sizeof(of)` bytes for a pointer to `wanted`.
fn measured(u: &Unit, of: QualType, wanted: QualType) -> QualType {
    let record = |q: QualType| matches!(u.ty(q.ty), Type::Record(_));
    let array = matches!(u.ty(of.ty), Type::Array { .. });
    if record(of) || array {
        of
    } else {
        wanted
    }
}
