//! Expressions: their tree, their types, their exact spans.

use crate::diag::{Code, Diagnostic};
use crate::lower::Lower;
use crate::prefilter::tokens::TokenKind;
use crate::prefilter::Mark;
use crate::tree::*;
use lang_c::ast;
use lang_c::ast::{BinaryOperator, Expression, UnaryOperator};
use lang_c::span::Node;

impl Lower {
    pub fn expr(&mut self, n: &Node<Expression>) -> ExprId {
        match &n.node {
            Expression::Identifier(i) => self.name(i),
            Expression::Constant(c) => self.constant(c),
            Expression::StringLiteral(s) => self.string(s),
            Expression::Member(m) => self.member(m),
            Expression::Call(c) => self.call(c),
            Expression::UnaryOperator(u) => self.unary(u),
            Expression::BinaryOperator(b) => self.binary(b),
            Expression::Conditional(c) => self.conditional(c),
            Expression::Cast(c) => {
                let span = self.span(c.span);
                let to = self.type_name(&c.node.type_name);
                let arg = self.expr(&c.node.expression);
                self.add(ExprKind::Cast { to, arg }, to.unqualified(), span)
            }
            Expression::Comma(list) => {
                let (first, last) = (list.first().map(|n| n.span), list.last().map(|n| n.span));
                let span = match (first, last) {
                    (Some(a), Some(b)) => self.span(lang_c::span::Span {
                        start: a.start,
                        end: b.end,
                    }),
                    _ => self.span(n.span),
                };
                let ids: Vec<ExprId> = list.iter().map(|e| self.expr(e)).collect();
                let ty = match ids.last() {
                    Some(&e) => self.value_ty(e),
                    None => self.types.void(),
                };
                let width = ids.last().and_then(|e| self.bitfields.get(e).copied());
                let span = self.with_own_parentheses(span);
                let e = self.add(ExprKind::Comma(ids), ty, span);
                self.as_bitfield(e, width)
            }
            Expression::SizeOfTy(s) => {
                let span = self.span(s.span);
                let alignof = self.mark_at(s.span) == Some(Mark::AlignOf);
                let ty = self.type_name(&s.node.0);
                let kind = if alignof {
                    ExprKind::Alignof
                } else {
                    ExprKind::SizeofType(ty)
                };
                self.add_size(kind, span)
            }
            Expression::SizeOfVal(s) => {
                let span = self.span(s.span);
                let alignof = self.mark_at(s.span) == Some(Mark::AlignOf);
                let first = self.unit.exprs.len();
                let arg = self.expr(&s.node.0);
                let kind = if alignof {
                    self.names_since(first);
                    ExprKind::Alignof
                } else {
                    ExprKind::SizeofExpr(arg)
                };
                self.add_size(kind, span)
            }
            Expression::AlignOf(a) => {
                let span = self.span(a.span);
                self.type_name(&a.node.0);
                self.add_size(ExprKind::Alignof, span)
            }
            Expression::OffsetOf(o) => {
                let span = self.span(o.span);
                let ty = self.type_name(&o.node.type_name);
                let designator = self.span(o.node.designator.span);
                let mut indices = Vec::new();
                for m in &o.node.designator.node.members {
                    if let ast::OffsetMember::Index(e) = &m.node {
                        indices.push(self.expr(e));
                    }
                }
                let member = self.text(&designator).to_string();
                let kind = ExprKind::Offsetof {
                    ty,
                    member,
                    indices,
                };
                self.add_size(kind, span)
            }
            Expression::VaArg(v) => {
                let span = self.span(v.span);
                let list = self.expr(&v.node.va_list);
                let ty = self.type_name(&v.node.type_name);
                self.add(ExprKind::VaArg { list, ty }, ty.unqualified(), span)
            }
            Expression::CompoundLiteral(c) => self.compound_literal(c),
            Expression::Statement(s) => self.statement_expression(s),
            Expression::GenericSelection(g) => self.generic(g),
        }
    }

    /// Parentheses around a comma expression are part of it, as its text may be put where a comma means something else;
    /// those of a statement are not.
    fn with_own_parentheses(&self, span: Span) -> Span {
        let list = &self.p.tokens.list;
        let open = self.p.tokens.at_or_after(span.start).checked_sub(1);
        let close = self.p.tokens.at_or_after(span.end);
        let (Some(open), Some(end)) = (open, list.get(close)) else {
            return span;
        };
        if self.p.token_text(open) != "(" || self.p.token_text(close) != ")" {
            return span;
        }
        let before = open.checked_sub(1);
        let other = before.is_some_and(|b| {
            list[b].kind == TokenKind::Str
                || matches!(
                    self.p.token_text(b),
                    "if" | "while"
                        | "switch"
                        | "typeof"
                        | "__typeof__"
                        | "__typeof"
                        | "typeof_unqual"
                        | "__typeof_unqual__"
                )
        });
        match other {
            true => span,
            false => list[open].start..end.end,
        }
    }

    fn add_size(&mut self, kind: ExprKind, span: Span) -> ExprId {
        let size = self.unit.target.size;
        let ty = self.types.int(size);
        self.add(kind, ty, span)
    }

    fn bad(&mut self, span: &Span, message: String) -> QualType {
        self.error(Code::BadExpression, span, message);
        self.unsupported(span.clone())
    }

    fn member(&mut self, n: &Node<ast::MemberExpression>) -> ExprId {
        let span = self.span(n.span);
        let base = self.expr(&n.node.expression);
        let arrow = n.node.operator.node == ast::MemberOperator::Indirect;
        let (name, at) = self.identifier(&n.node.identifier);
        let record = if arrow {
            let p = self.value_ty(base);
            self.types.pointee(p)
        } else {
            Some(self.ty(base))
        };
        let mut width = None;
        let ty = match record {
            Some(q) if self.is_unsupported(q) => q,
            None if self.is_unsupported(self.ty(base)) => self.ty(base),
            Some(q) => match *self.types.get(q.ty) {
                Type::Record(r) => match self.find_field(r, &name) {
                    Some((ty, w)) => {
                        width = w;
                        let quals = QualType {
                            is_const: q.is_const,
                            is_volatile: q.is_volatile,
                            may_alias: q.may_alias,
                            unaligned: q.unaligned,
                            ..self.types.void()
                        };
                        self.types.qualify(ty, quals)
                    }
                    None => {
                        self.error(Code::UnknownMember, &at, format!("no member `{name}` here"));
                        self.unsupported(span.clone())
                    }
                },
                _ => self.bad(
                    &span,
                    format!("`{name}` is asked of something that is no struct or union"),
                ),
            },
            None => self.bad(
                &span,
                format!("`->{name}` is applied to something that is no pointer"),
            ),
        };
        let e = self.add(ExprKind::Member { base, arrow, name }, ty, span);
        self.as_bitfield(e, width)
    }

    fn call(&mut self, n: &Node<ast::CallExpression>) -> ExprId {
        let span = self.span(n.span);
        let mut builtin = None;
        let mut special = None;
        let callee = match &n.node.callee.node {
            Expression::Identifier(i) => {
                let (name, at) = self.identifier(i);
                if name == "pc3_checkpoint" {
                    let d = Diagnostic::error(
                        Code::CheckpointValue,
                        "pc3_checkpoint() stands inside an expression",
                    )
                    .help("make it a statement of its own: `pc3_checkpoint();`")
                    .at_text(&self.p.lines, &self.p.text, &span);
                    let told = |t: &Diagnostic| t.code == Code::PragmaPlace && t.at == d.at;
                    if !self.diags.list.iter().any(told) {
                        self.diags.push(d);
                    }
                    special = Some(self.unsupported(span.clone()));
                }
                if name.starts_with("__") {
                    builtin = Some(name.clone());
                }
                match self.lookup(&name) {
                    Some(_) => self.name(i),
                    None => {
                        if crate::names::is_mpi(&name) {
                            let d = Diagnostic::error(
                                Code::Undeclared,
                                format!("`{name}` is not declared here"),
                            )
                            .help(self.mpi_missing());
                            self.diags.push(d.at_text(&self.p.lines, &self.p.text, &at));
                        }
                        let sym = self.declare_implicit(&name, &at);
                        let ty = self.unit.sym(sym).ty;
                        self.add(ExprKind::Ident(sym), ty, at)
                    }
                }
            }
            _ => self.expr(&n.node.callee),
        };
        if builtin.as_deref() == Some(FUNCTION_CALL) && self.func.is_some() {
            let of = QualType {
                is_const: true,
                ..self.types.int(IntKind::Char)
            };
            let ty = self.types.plain(Type::Pointer(of));
            return self.add(ExprKind::Builtin, ty, span);
        }
        let mut given = &n.node.arguments[..];
        // The last argument is, or may be, a type, which the parser takes for a value.
        match (builtin.as_deref(), given.split_last()) {
            (Some("__builtin_convertvector"), Some((to, [_]))) => {
                if let Expression::Identifier(i) = &to.node {
                    special = Some(self.named_type(i));
                    given = &given[..1];
                }
            }
            (Some("__builtin_vectorelements"), Some((of, []))) => {
                if let Expression::Identifier(i) = &of.node {
                    if self.names_a_type(i) {
                        self.named_type(i);
                        given = &[];
                    }
                }
            }
            _ => {}
        }
        let args: Vec<ExprId> = given.iter().map(|a| self.expr(a)).collect();
        self.choose_overload(callee, &args);
        if let (Some("__builtin_choose_expr"), &[control, a, b]) = (builtin.as_deref(), &args[..]) {
            // It is what it chooses, as `_Generic` is: also an object.
            let mut view = self.view();
            view.measured = true;
            if let Some(which) = view.eval(control) {
                let chosen = if which == 0 { b } else { a };
                let ty = self.ty(chosen);
                return self.add(ExprKind::Generic { control, chosen }, ty, span);
            }
        }
        let special = special.or_else(|| builtin.and_then(|b| self.builtin_call_ty(&b, &args)));
        let fty = self.value_ty(callee);
        let ty = match (
            special,
            self.types
                .pointee(fty)
                .map(|f| self.types.get(f.ty).clone()),
        ) {
            (Some(ty), _) => ty,
            (None, Some(Type::Function { ret, .. })) => ret.unqualified(),
            _ if self.is_unsupported(fty) => fty,
            _ => self.bad(&span, "this calls something that is no function".into()),
        };
        self.add(ExprKind::Call { callee, args }, ty, span)
    }

    fn unary(&mut self, n: &Node<ast::UnaryOperatorExpression>) -> ExprId {
        let span = self.span(n.span);
        if self.mark_at(n.node.operator.span) == Some(Mark::LabelAddr) {
            let void = self.types.void();
            let ty = self.types.pointer(void);
            if let Expression::Identifier(i) = &n.node.operand.node {
                let (name, at) = self.identifier(i);
                let label = self.label(&name, at, false);
                return self.add(ExprKind::LabelAddr(label), ty, span);
            }
        }
        let arg = self.expr(&n.node.operand);
        let aty = self.ty(arg);
        let op = match (&n.node.operator.node, self.mark_at(n.node.operator.span)) {
            (_, Some(Mark::Real)) => UnOp::Real,
            (_, Some(Mark::Imag)) => UnOp::Imag,
            (UnaryOperator::Address, _) => {
                let ty = self.types.pointer(aty);
                return self.add(ExprKind::AddrOf(arg), ty, span);
            }
            (UnaryOperator::Indirection, _) => {
                let p = self.value_ty(arg);
                let ty = match self.types.pointee(p) {
                    Some(t) => t,
                    None if self.is_unsupported(p) => p,
                    None => self.bad(
                        &span,
                        "this dereferences something that is no pointer".into(),
                    ),
                };
                return self.add(ExprKind::Deref(arg), ty, span);
            }
            (UnaryOperator::PostIncrement, _) => UnOp::PostInc,
            (UnaryOperator::PostDecrement, _) => UnOp::PostDec,
            (UnaryOperator::PreIncrement, _) => UnOp::PreInc,
            (UnaryOperator::PreDecrement, _) => UnOp::PreDec,
            (UnaryOperator::Plus, _) => UnOp::Plus,
            (UnaryOperator::Minus, _) => UnOp::Minus,
            (UnaryOperator::Complement, _) => UnOp::BitNot,
            (UnaryOperator::Negate, _) => UnOp::Not,
        };
        let ty = match op {
            UnOp::PostInc | UnOp::PostDec | UnOp::PreInc | UnOp::PreDec => aty.unqualified(),
            UnOp::Not => self.types.int(IntKind::Int),
            UnOp::Real | UnOp::Imag => match *self.types.get(aty.ty) {
                Type::Complex(k) => self.types.plain(Type::Float(k)),
                Type::ComplexInt(k) => self.types.int(k),
                _ => aty.unqualified(),
            },
            _ if self.is_unsupported(aty) || self.is_vector(aty) => aty.unqualified(),
            _ if self.odd_width(arg) => self.odd_integer(arg),
            _ => match self.arith(arg) {
                Some(a) => self.arith_ty(a),
                None => self.bad(&span, "this operator needs a number".into()),
            },
        };
        let assigns = matches!(
            op,
            UnOp::PostInc | UnOp::PostDec | UnOp::PreInc | UnOp::PreDec
        );
        let width = self.bitfields.get(&arg).copied().filter(|_| assigns);
        let e = self.add(ExprKind::Unary { op, arg }, ty, span);
        self.as_bitfield(e, width)
    }

    /// To gcc the value of an assignment to a bit-field is as narrow as the bit-field.
    fn as_bitfield(&mut self, e: ExprId, width: Option<u32>) -> ExprId {
        if let Some(w) = width {
            self.bitfields.insert(e, w);
        }
        e
    }

    fn binary(&mut self, n: &Node<ast::BinaryOperatorExpression>) -> ExprId {
        let span = self.span(n.span);
        let lhs = self.expr(&n.node.lhs);
        let rhs = self.expr(&n.node.rhs);
        use BinaryOperator as B;
        let assign = |op| Some(Some(op));
        let assignment = match n.node.operator.node {
            B::Assign => Some(None),
            B::AssignMultiply => assign(BinOp::Mul),
            B::AssignDivide => assign(BinOp::Div),
            B::AssignModulo => assign(BinOp::Rem),
            B::AssignPlus => assign(BinOp::Add),
            B::AssignMinus => assign(BinOp::Sub),
            B::AssignShiftLeft => assign(BinOp::Shl),
            B::AssignShiftRight => assign(BinOp::Shr),
            B::AssignBitwiseAnd => assign(BinOp::And),
            B::AssignBitwiseXor => assign(BinOp::Xor),
            B::AssignBitwiseOr => assign(BinOp::Or),
            _ => None,
        };
        if let Some(op) = assignment {
            let ty = self.ty(lhs).unqualified();
            let width = self.bitfields.get(&lhs).copied();
            let e = self.add(ExprKind::Assign { op, lhs, rhs }, ty, span);
            return self.as_bitfield(e, width);
        }
        let op = match n.node.operator.node {
            B::Index => return self.index(lhs, rhs, span),
            B::Multiply => BinOp::Mul,
            B::Divide => BinOp::Div,
            B::Modulo => BinOp::Rem,
            B::Plus => BinOp::Add,
            B::Minus => BinOp::Sub,
            B::ShiftLeft => BinOp::Shl,
            B::ShiftRight => BinOp::Shr,
            B::Less => BinOp::Lt,
            B::Greater => BinOp::Gt,
            B::LessOrEqual => BinOp::Le,
            B::GreaterOrEqual => BinOp::Ge,
            B::Equals => BinOp::Eq,
            B::NotEquals => BinOp::Ne,
            B::BitwiseAnd => BinOp::And,
            B::BitwiseXor => BinOp::Xor,
            B::BitwiseOr => BinOp::Or,
            B::LogicalAnd => BinOp::LogAnd,
            _ => BinOp::LogOr,
        };
        let ty = match self.binary_ty(op, lhs, rhs) {
            Some(ty) => ty,
            None => self.bad(&span, "these operands do not go together".into()),
        };
        self.add(ExprKind::Binary { op, lhs, rhs }, ty, span)
    }

    fn index(&mut self, base: ExprId, index: ExprId, span: Span) -> ExprId {
        let (b, i) = (self.value_ty(base), self.value_ty(index));
        let ty = match (
            self.types.pointee(b).or_else(|| self.types.pointee(i)),
            self.types.get(b.ty),
        ) {
            (Some(t), _) => t,
            (None, Type::Vector { elem, .. }) => *elem,
            (None, Type::Unsupported(_)) => b,
            _ => self.bad(
                &span,
                "this indexes something that is no array or pointer".into(),
            ),
        };
        self.add(ExprKind::Index { base, index }, ty, span)
    }

    fn conditional(&mut self, n: &Node<ast::ConditionalExpression>) -> ExprId {
        let span = self.span(n.span);
        let cond = self.expr(&n.node.condition);
        let omitted = match &n.node.then_expression.node {
            Expression::Constant(c) => self.mark_at(c.span) == Some(Mark::OmittedThen),
            _ => false,
        };
        let then = (!omitted).then(|| self.expr(&n.node.then_expression));
        let els = self.expr(&n.node.else_expression);
        let ty = match self.conditional_ty(then.unwrap_or(cond), els) {
            Some(ty) => ty,
            None => self.bad(
                &span,
                "the branches of `?:` have types that do not go together".into(),
            ),
        };
        self.add(ExprKind::Cond { cond, then, els }, ty, span)
    }

    fn compound_literal(&mut self, n: &Node<ast::CompoundLiteral>) -> ExprId {
        let span = self.span(n.span);
        let mut ty = self.type_name(&n.node.type_name);
        let head = self.raw(n.node.type_name.span).end;
        let open = (self.p.tokens.at_or_after(head)..self.p.tokens.list.len())
            .find(|&i| self.p.token_text(i) == "{");
        let open = open.map_or(head, |i| self.p.tokens.list[i].start);
        if let Some(word) = self.p.literal_storage(&(span.start..head)) {
            self.error(
                Code::BadExpression,
                &word,
                "a compound literal that stays when its block ends",
            );
        }
        let init = self.init_list(&n.node.initializer_list, open..span.end);
        if let Type::Array {
            elem,
            len: ArrayLen::Unknown,
        } = *self.types.get(ty.ty)
        {
            if let Some(n) = self.count_elements(elem, &init) {
                ty.ty = self.types.intern(Type::Array {
                    elem,
                    len: ArrayLen::Const(n),
                });
            }
        }
        self.add(ExprKind::CompoundLit { ty, init }, ty, span)
    }

    /// The span of the parser is the block's: the parentheses belong to the expression.
    fn statement_expression(&mut self, n: &Node<ast::Statement>) -> ExprId {
        let inner = self.span(n.span);
        let list = &self.p.tokens.list;
        let open = self.p.tokens.at_or_after(inner.start);
        let close = self.p.tokens.at_or_after(inner.end);
        let start = open.checked_sub(1).map_or(inner.start, |i| list[i].start);
        let end = list.get(close).map_or(inner.end, |t| t.end);
        let body = self.statement(n);
        let last = match &self.unit.stmt(body).kind {
            StmtKind::Block(list) => list.last().copied(),
            _ => None,
        };
        let value = last.and_then(|s| self.last_value(s));
        let ty = match value {
            Some(e) => self.value_ty(e),
            None => self.types.void(),
        };
        self.add(ExprKind::StmtExpr(body), ty, start..end)
    }

    fn last_value(&self, s: StmtId) -> Option<ExprId> {
        match &self.unit.stmt(s).kind {
            StmtKind::Expr(e) => *e,
            StmtKind::Label { stmt, .. } => self.last_value(*stmt),
            _ => None,
        }
    }

    fn generic(&mut self, n: &Node<ast::GenericSelection>) -> ExprId {
        let span = self.span(n.span);
        let control = self.expr(&n.node.expression);
        let of = n.node.expression.span;
        let wanted = match (self.mark_at(of), &self.unit.expr(control).kind) {
            (Some(Mark::ChoosingType { unqualified }), kind) => {
                let ty = match *kind {
                    ExprKind::SizeofExpr(e) => self.ty(e),
                    ExprKind::SizeofType(ty) => ty,
                    _ => self.unsupported(self.span(of)),
                };
                match unqualified {
                    true => self.types.unqualified(ty),
                    false => ty,
                }
            }
            // `typeof(x) *`, `typeof(x)[2]`
            (_, ExprKind::Call { callee, .. })
                if self
                    .text(&self.unit.expr(*callee).span)
                    .starts_with("typeof") =>
            {
                self.unsupported(self.span(of))
            }
            _ => self.value_ty(control),
        };
        let (mut chosen, mut default, mut types) = (None, None, 0);
        for a in &n.node.associations {
            match &a.node {
                ast::GenericAssociation::Type(t) => {
                    types += 1;
                    let ty = self.type_name(&t.node.type_name);
                    let e = self.expr(&t.node.expression);
                    if chosen.is_none() && self.compatible(ty, wanted) {
                        chosen = Some(e);
                    }
                }
                ast::GenericAssociation::Default(e) => default = Some(self.expr(e)),
            }
        }
        match chosen.or(default) {
            Some(_) if types > 0 && self.is_unknown(wanted) => {
                let ty = self.bad(
                    &span,
                    "which value this _Generic takes depends on a type that pc3cc does not know"
                        .into(),
                );
                self.add(ExprKind::Builtin, ty, span)
            }
            Some(chosen) => {
                let ty = self.ty(chosen);
                self.add(ExprKind::Generic { control, chosen }, ty, span)
            }
            None => {
                let ty = self.bad(&span, "no association of this _Generic matches".into());
                self.add(ExprKind::Builtin, ty, span)
            }
        }
    }
}
