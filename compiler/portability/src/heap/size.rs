//! What a size argument says about the memory it asks for.

use super::flow::PointerFlow;
use super::types::{base, called_name, is_char, is_complete, mpis_place};
use pc3_program::program::Callee;
use pc3_program::tables::is_declared_noreturn;
use pc3_program::walk::{strip_casts, visit, Node};
use pc3_syntax::tree::*;

/// A size as a sum: `sizeof(struct s) + n * sizeof(double) + 1`.
#[derive(Default)]
pub struct Size {
    /// Its terms with a `sizeof`, and whether that is the whole term.
    pub typed: Vec<(QualType, bool)>,
    /// It has terms without.
    pub plain: bool,
    /// It counts from within a struct: `offsetof(struct s, text) + n`, `sizeof(struct s) - 1 + n`.
    pub within: bool,
    /// `sizeof(char)` occurs.
    pub chars: Option<QualType>,
    /// It cannot be told what the `sizeof`s mean.
    pub unclear: bool,
}

impl Size {
    fn add(mut self, other: Size) -> Size {
        self.typed.extend(other.typed);
        self.plain |= other.plain;
        self.within |= other.within;
        self.chars = self.chars.or(other.chars);
        self.unclear |= other.unclear;
        self
    }
    fn plain() -> Size {
        Size {
            plain: true,
            ..Size::default()
        }
    }
    /// The struct that memory of this size begins with: `sizeof(struct s) + n`.
    pub fn head(&self, u: &Unit) -> Option<QualType> {
        let mut whole = self.typed.iter().filter(|(_, whole)| *whole);
        let (q, _) = whole.next()?;
        let record = matches!(u.ty(q.ty), Type::Record(_)) && is_complete(u, *q);
        (record && self.plain && !self.unclear && whole.next().is_none()).then_some(*q)
    }
    pub(crate) fn says_nothing(&self) -> bool {
        self.typed.is_empty() && !self.unclear
    }
}

/// The product of the size arguments, as of `calloc`.
pub fn size(flow: &PointerFlow, args: &[ExprId]) -> Size {
    product(flow, args, 4)
}

fn sum(flow: &PointerFlow, e: ExprId, depth: u32) -> Size {
    let u = flow.u;
    match &u.expr(e).kind {
        ExprKind::Cast { arg, .. } => sum(flow, *arg, depth),
        ExprKind::Generic { chosen, .. } => sum(flow, *chosen, depth),
        ExprKind::Comma(list) => match list.last() {
            Some(l) => sum(flow, *l, depth),
            None => Size::plain(),
        },
        ExprKind::Binary {
            op: BinOp::Add,
            lhs,
            rhs,
        } => sum(flow, *lhs, depth).add(sum(flow, *rhs, depth)),
        ExprKind::Binary {
            op: BinOp::Sub,
            lhs,
            rhs,
        } => {
            let less = u.view().eval(strip_casts(u, *rhs)).is_some_and(|n| n > 0);
            let mut of = sum(flow, *lhs, depth).add(Size::plain());
            of.within |= less && of.typed.iter().any(|(_, whole)| *whole);
            of
        }
        // `(n + 7) & ~7`
        ExprKind::Binary {
            op: BinOp::And,
            lhs,
            rhs,
        } => match (is_mask(u, *lhs), is_mask(u, *rhs)) {
            (false, true) => sum(flow, *lhs, depth).add(Size::plain()),
            (true, false) => sum(flow, *rhs, depth).add(Size::plain()),
            _ => Size::plain(),
        },
        ExprKind::Cond { cond, then, els } => {
            let then = then.unwrap_or(*cond);
            let (a, b) = (sum(flow, then, depth), sum(flow, *els, depth));
            match (a.says_nothing(), b.says_nothing()) {
                (false, true) if is_no_size(flow, *els) => return a,
                (true, false) if is_no_size(flow, then) => return b,
                _ => {}
            }
            let unclear = !(a.says_nothing() && b.says_nothing());
            let mut both = a.add(b);
            both.unclear |= unclear && !both.typed.windows(2).all(|w| w[0].0.ty == w[1].0.ty);
            both
        }
        ExprKind::Offsetof { ty, .. } => Size {
            typed: vec![(*ty, true)],
            plain: true,
            within: true,
            ..Size::default()
        },
        ExprKind::Ident(s) => match flow.only_value(*s) {
            Some(value) if depth > 0 => sum(flow, value, depth - 1),
            _ => Size::plain(),
        },
        _ => product(flow, &[e], depth),
    }
}

pub fn innermost(u: &Unit, mut q: QualType) -> QualType {
    while let Type::Array { elem, .. } = u.ty(q.ty) {
        q = *elem;
    }
    q
}

fn factors(u: &Unit, e: ExprId, out: &mut Vec<ExprId>) {
    match &u.expr(e).kind {
        ExprKind::Binary {
            op: BinOp::Mul,
            lhs,
            rhs,
        } => {
            factors(u, *lhs, out);
            factors(u, *rhs, out);
        }
        ExprKind::Cast { arg, .. } => factors(u, *arg, out),
        ExprKind::Int(1) => {}
        _ => out.push(e),
    }
}

fn product(flow: &PointerFlow, args: &[ExprId], depth: u32) -> Size {
    let u = flow.u;
    let mut list = Vec::new();
    args.iter().for_each(|a| factors(u, *a, &mut list));
    let mut result = Size::default();
    let mut counts = 0;
    for f in list {
        let of = match &u.expr(f).kind {
            ExprKind::SizeofType(q) => Some(*q),
            ExprKind::SizeofExpr(y) => Some(u.expr(*y).ty),
            _ => None,
        };
        let part = match of {
            Some(q) if is_char(u, innermost(u, q)) => {
                result.chars = Some(innermost(u, q));
                counts += u32::from(innermost(u, q) != q);
                continue;
            }
            Some(q) => Size {
                typed: vec![(base(u, q), base(u, q) == q)],
                ..Size::default()
            },
            None if args.len() == 1 && f == args[0] && !splits(u, f, depth) => Size::plain(),
            None => sum(flow, f, depth.saturating_sub(1)),
        };
        if part.says_nothing() {
            counts += 1;
            result.chars = result.chars.or(part.chars);
        } else if result.typed.is_empty() && !result.unclear {
            let chars = result.chars;
            result = part;
            result.chars = result.chars.or(chars);
        } else {
            result.unclear = true;
        }
    }
    if result.says_nothing() {
        result.plain = true;
    } else if counts > 0 {
        result.unclear |= result.plain;
        result.typed.iter_mut().for_each(|t| t.1 = false);
    }
    result
}

/// Does `sum` look into it?
fn splits(u: &Unit, e: ExprId, depth: u32) -> bool {
    match u.expr(e).kind {
        ExprKind::Ident(_) => depth > 0,
        ExprKind::Generic { .. }
        | ExprKind::Comma(_)
        | ExprKind::Cond { .. }
        | ExprKind::Offsetof { .. }
        | ExprKind::Binary {
            op: BinOp::Add | BinOp::Sub | BinOp::And,
            ..
        } => true,
        _ => false,
    }
}

/// Does a number leave of another one what it is aligned to?
fn is_mask(u: &Unit, e: ExprId) -> bool {
    let e = strip_casts(u, e);
    let not = matches!(
        u.expr(e).kind,
        ExprKind::Unary {
            op: UnOp::BitNot,
            ..
        }
    );
    not || u.view().eval(e).is_some_and(|n| n < 0)
}

/// What a program says for a size that cannot be, or for no memory: `n ? n * sizeof *p : 1`, `overflow()`.
fn is_no_size(flow: &PointerFlow, e: ExprId) -> bool {
    let e = strip_casts(flow.u, e);
    is_none(flow.u, e) || is_declared_noreturn(flow.u, e) || fails(flow, e)
}

fn is_none(u: &Unit, e: ExprId) -> bool {
    let most = |n: i128| n == u32::MAX.into() || n == u64::MAX.into();
    let e = strip_casts(u, e);
    u.view().eval(e).is_some_and(|n| n <= 1 || most(n))
}

/// Does it call a function that returns such a number, if anything?
fn fails(flow: &PointerFlow, e: ExprId) -> bool {
    let ExprKind::Call { callee, .. } = flow.u.expr(e).kind else {
        return false;
    };
    let Some((_, Callee::Defined(f))) = flow.p.direct(flow.unit, callee) else {
        return false;
    };
    let (u, mut only) = (flow.p.unit(f), true);
    visit(u, Node::Stmt(flow.p.func(f).body), &mut |n| {
        if let Node::Stmt(s) = n {
            if let StmtKind::Return(Some(value)) = u.stmt(s).kind {
                only &= is_none(u, value);
            }
        }
        true
    });
    only
}

/// Of allocators that put the address where they are told, as `posix_memalign((void **)&p, ...)`: `p`, if that is how it is
/// written.
pub(crate) fn given_place(u: &Unit, call: ExprId) -> Option<Option<ExprId>> {
    let which = match called_name(u, call)? {
        "posix_memalign" => 0,
        name => mpis_place(name)?,
    };
    let ExprKind::Call { args, .. } = &u.expr(call).kind else {
        return None;
    };
    let place = args.get(which).map(|a| u.expr(strip_casts(u, *a)));
    Some(match place?.kind {
        ExprKind::AddrOf(x) => Some(x),
        _ => None,
    })
}
