//! What a `for` loop goes over: an iterator that is saved as it is, or one over borrowed values, which is made again and
//! advanced to where it stood.

use proc_macro2::Ident;
use quote::format_ident;
use syn::{parse_quote, Expr};

use crate::build::patterns::is_place;

pub enum Over {
    /// `0..n`, `list.into_iter()`, a variable
    Owned(Expr),
    /// `&list`, `list.iter().enumerate()`, `(0..n).rev()`: values that it is made from are kept, by these names.
    Again {
        made: Expr,
        from: Vec<(Ident, Expr)>,
    },
}

/// Methods that give an iterator over what their receiver holds.
const BORROW: &[&str] = &[
    "iter",
    "iter_mut",
    "chars",
    "char_indices",
    "bytes",
    "lines",
    "split_whitespace",
    "split",
    "keys",
    "values",
    "values_mut",
    "windows",
    "chunks",
    "chunks_mut",
    "chunks_exact",
    "chunks_exact_mut",
    "rchunks",
    "range",
    "as_slice",
];
/// Methods that make one iterator of another, the same each time.
const ADAPT: &[&str] = &[
    "enumerate",
    "rev",
    "zip",
    "step_by",
    "skip",
    "take",
    "map",
    "filter",
    "filter_map",
    "cloned",
    "copied",
    "chain",
    "flat_map",
    "take_while",
    "skip_while",
    "into_iter",
];

/// `borrowed` says of a local whether it is a borrow.
pub fn over(expr: &Expr, id: usize, borrowed: &dyn Fn(&str) -> bool) -> Over {
    let mut made = expr.clone();
    let mut from = Vec::new();
    if again(&mut made, id, &mut from, borrowed) && !matches!(expr, Expr::Range(_)) {
        Over::Again { made, from }
    } else if let Expr::Array(_) = expr {
        Over::Owned(parse_quote!(::pc3::point::array(#expr)))
    } else {
        Over::Owned(expr.clone())
    }
}

fn again(
    e: &mut Expr,
    id: usize,
    from: &mut Vec<(Ident, Expr)>,
    borrowed: &dyn Fn(&str) -> bool,
) -> bool {
    match e {
        Expr::Paren(p) => again(&mut p.expr, id, from, borrowed),
        Expr::Group(p) => again(&mut p.expr, id, from, borrowed),
        Expr::Reference(_) => true,
        Expr::Path(p) => p.path.get_ident().is_some_and(|i| borrowed(&i.to_string())),
        Expr::Range(r) => {
            for end in [&mut r.start, &mut r.end].into_iter().flatten() {
                keep(end, id, from);
            }
            true
        }
        Expr::MethodCall(m) => {
            let name = m.method.to_string();
            if BORROW.contains(&name.as_str()) {
                // A value that is made here lives as long as the loop.
                if !is_place(&m.receiver) {
                    keep(&mut m.receiver, id, from);
                }
                m.args.iter_mut().for_each(|a| keep(a, id, from));
                return true;
            }
            if !ADAPT.contains(&name.as_str()) || !again(&mut m.receiver, id, from, borrowed) {
                return false;
            }
            m.args.iter_mut().for_each(|a| {
                let before = from.len();
                if !matches!(a, Expr::Closure(_)) && !again(a, id, from, borrowed) {
                    from.truncate(before);
                    keep(a, id, from);
                }
            });
            true
        }
        _ => false,
    }
}

/// A value that the iterator is made from gets a name, unless it is the same each time.
fn keep(e: &mut Expr, id: usize, from: &mut Vec<(Ident, Expr)>) {
    if matches!(e, Expr::Lit(_) | Expr::Closure(_) | Expr::Reference(_)) {
        return;
    }
    let name = format_ident!("pc3_from{}_{}", id, from.len());
    let value = std::mem::replace(e, parse_quote!(#name));
    from.push((name, value));
}
