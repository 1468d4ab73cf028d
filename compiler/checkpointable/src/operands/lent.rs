//! Values without a name that a marked call borrows live as long as the statement that it is in: where the call is put in
//! front of that they get names.
//!
//! ```text
//! ck!(f(&make(n))) + n    →    let pc3_t1 = make(n); let pc3_t2 = ck!(f(&pc3_t1)); pc3_t2 + n
//! ```

use quote::{format_ident, ToTokens};
use syn::{parse_quote, Expr, Stmt, UnOp};

use super::{Operands, Otherwise};
use crate::build::HELD;
use crate::marks;
use crate::reevaluation::{is_guard, is_place, telling};

/// Does what a marked call borrows end with it, though the user's code would hold it longer?
pub fn ends(attrs: &[syn::Attribute]) -> bool {
    attrs.iter().any(|a| a.path().is_ident("pc3_ends"))
}

impl Operands {
    pub(super) fn lend(&mut self, e: &mut Expr, out: &mut Vec<Stmt>) {
        match e {
            Expr::Try(t) => self.lend(&mut t.expr, out),
            Expr::Paren(p) => self.lend(&mut p.expr, out),
            Expr::Group(p) => self.lend(&mut p.expr, out),
            Expr::Macro(m) if marks::is_call(&m.mac) && self.otherwise == Otherwise::Left => {
                m.attrs.push(parse_quote!(#[pc3_ends]));
            }
            Expr::Macro(m) if marks::is_call(&m.mac) => {
                let Ok(mut call) = syn::parse2::<Expr>(m.mac.tokens.clone()) else {
                    return;
                };
                self.lend_operands(&mut call, out);
                m.mac.tokens = call.to_token_stream();
            }
            _ => {}
        }
    }

    fn lend_operands(&mut self, call: &mut Expr, out: &mut Vec<Stmt>) {
        let mut operands: Vec<&mut Expr> = Vec::new();
        let method = matches!(call, Expr::MethodCall(_));
        match call {
            Expr::Call(c) => operands.extend(c.args.iter_mut()),
            Expr::MethodCall(m) => {
                operands.push(&mut m.receiver);
                operands.extend(m.args.iter_mut());
            }
            _ => {}
        }
        let lent = |(i, e): (usize, &mut &mut Expr)| made(e, method && i == 0).is_some();
        let last = operands
            .iter_mut()
            .enumerate()
            .filter_map(|(i, e)| lent((i, e)).then_some(i));
        let Some(last) = last.last() else { return };
        for (i, e) in operands.into_iter().take(last + 1).enumerate() {
            let receiver = method && i == 0;
            // What is evaluated in front of what gets a name gets one, too.
            match made(e, receiver).is_some() {
                true => made(e, receiver)
                    .into_iter()
                    .for_each(|v| self.give_name(v, true, out)),
                false if is_quiet(e) => {}
                false => self.give_name(e, false, out),
            }
        }
    }

    /// `lent`: it lives until the end of the statement.
    fn give_name(&mut self, value: &mut Expr, lent: bool, out: &mut Vec<Stmt>) {
        self.lent += 1;
        let mut name = self.temporary(telling(value));
        if lent {
            name = format_ident!("{}{}", HELD, name, span = name.span());
            if self.otherwise == Otherwise::Ends {
                self.ending.push(name.clone());
            }
        }
        out.push(parse_quote!(let mut #name = #value;));
        *value = parse_quote!(#name);
    }
}

/// It is the same if it is evaluated later.
fn is_quiet(e: &Expr) -> bool {
    match e {
        Expr::Lit(_) | Expr::Path(_) | Expr::Closure(_) => true,
        Expr::Paren(p) => is_quiet(&p.expr),
        Expr::Group(p) => is_quiet(&p.expr),
        Expr::Reference(r) => is_place(&r.expr) || is_quiet(&r.expr),
        _ => false,
    }
}

/// The value that an operand makes and borrows.
fn made(e: &mut Expr, receiver: bool) -> Option<&mut Expr> {
    if has_guard(e) {
        return guard(e);
    }
    match e {
        Expr::Paren(p) => made(&mut p.expr, receiver),
        Expr::Group(p) => made(&mut p.expr, receiver),
        Expr::Reference(r) => place(&mut r.expr),
        e if receiver => place(e),
        _ => None,
    }
}

/// What is made where a place is expected.
fn place(e: &mut Expr) -> Option<&mut Expr> {
    if makes(e) {
        return Some(e);
    }
    match e {
        Expr::Paren(p) => place(&mut p.expr),
        Expr::Group(p) => place(&mut p.expr),
        Expr::Field(f) => place(&mut f.base),
        Expr::Index(i) => place(&mut i.expr),
        Expr::Unary(u) if matches!(u.op, UnOp::Deref(_)) => place(&mut u.expr),
        _ => None,
    }
}

fn makes(e: &Expr) -> bool {
    match e {
        Expr::Call(_) | Expr::Struct(_) => true,
        Expr::Macro(m) => !marks::is_call(&m.mac),
        // Others may give borrows.
        Expr::MethodCall(m) => {
            let name = m.method.to_string();
            name == "clone" || ["to_", "into_"].iter().any(|p| name.starts_with(p))
        }
        _ => false,
    }
}

/// Is a guard what the operand evaluates first?
fn has_guard(e: &mut Expr) -> bool {
    guard(e).is_some()
}

fn guard(e: &mut Expr) -> Option<&mut Expr> {
    if is_guard(e) {
        return Some(e);
    }
    match e {
        Expr::Paren(p) => guard(&mut p.expr),
        Expr::Group(p) => guard(&mut p.expr),
        Expr::Reference(r) => guard(&mut r.expr),
        Expr::Field(f) => guard(&mut f.base),
        Expr::Index(i) => guard(&mut i.expr),
        Expr::Unary(u) => guard(&mut u.expr),
        Expr::Try(t) => guard(&mut t.expr),
        Expr::MethodCall(m) => guard(&mut m.receiver),
        _ => None,
    }
}
