//! clang's `overloadable` functions, of which `<tgmath.h>` is made: one name for several functions.

use crate::diag::Code;
use crate::lower::typing::Arith;
use crate::lower::Lower;
use crate::tree::*;

impl Lower {
    /// The function of this name and type that has been declared.
    pub(crate) fn overloaded(&self, name: &str, ty: QualType) -> Option<SymId> {
        let list = self.overloads.get(name)?;
        let same = |s: &&SymId| self.compatible(self.unit.sym(**s).ty, ty);
        list.iter().find(same).copied()
    }

    /// Notes that there is one more of the name.
    pub(crate) fn note_overload(&mut self, id: SymId) {
        let s = self.unit.sym(id);
        let name = s.name.clone();
        if let (false, Some(at)) = (s.system, s.decls.first().cloned()) {
            let message = format!("`{name}` is one of several functions of that name (`overloadable`), which pc3cc does not support");
            self.error(Code::BadDeclaration, &at, message);
        }
        self.overloads.entry(name).or_default().push(id);
    }

    /// Makes the callee the one that the arguments ask for.
    pub(crate) fn choose_overload(&mut self, callee: ExprId, args: &[ExprId]) {
        let ExprKind::Ident(s) = self.unit.expr(callee).kind else {
            return;
        };
        let Some(list) = self.overloads.get(&self.unit.sym(s).name).cloned() else {
            return;
        };
        let costs = list.iter().map(|s| (self.cost(*s, args), *s));
        let mut best: Vec<(Option<u32>, SymId)> = costs.filter(|c| c.0.is_some()).collect();
        best.sort_by_key(|c| c.0);
        let clear = best.len() == 1 || best.len() > 1 && best[0].0 != best[1].0;
        let ty = match best.first().filter(|_| clear) {
            Some((_, chosen)) => {
                self.unit.exprs[callee.index()].kind = ExprKind::Ident(*chosen);
                self.unit.sym(*chosen).ty
            }
            None => self.unsupported(self.unit.expr(callee).span.clone()),
        };
        self.unit.exprs[callee.index()].ty = ty;
    }

    /// How far the arguments are from a function's parameters; None if they are none of its.
    fn cost(&self, s: SymId, args: &[ExprId]) -> Option<u32> {
        let Type::Function {
            params, variadic, ..
        } = self.types.get(self.unit.sym(s).ty.ty)
        else {
            return None;
        };
        if args.len() < params.len() || args.len() > params.len() && !variadic {
            return None;
        }
        let more = 1000 * (args.len() - params.len()) as u32;
        let each = args.iter().zip(params).map(|(a, p)| self.distance(*a, *p));
        each.sum::<Option<u32>>().map(|n| n + more)
    }

    fn distance(&self, a: ExprId, p: QualType) -> Option<u32> {
        let q = self.ty(a);
        if self.compatible(q.unqualified(), p.unqualified()) {
            return Some(0);
        }
        let to = match self.types.get(p.ty) {
            Type::Int(k) => Arith::Int(*k),
            Type::Float(k) => Arith::Float(*k),
            Type::Complex(k) => Arith::Complex(*k),
            Type::Bool => Arith::Int(IntKind::UChar),
            _ => return self.types.pointee(q).map(|_| 10),
        };
        let from = self.arith(a)?;
        let promoted = match (from, to) {
            (Arith::Float(FloatKind::Float), Arith::Float(FloatKind::Double)) => true,
            (from, to) => from == to,
        };
        Some(if promoted { 1 } else { 10 })
    }
}
