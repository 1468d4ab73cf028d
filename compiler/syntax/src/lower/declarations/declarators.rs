//! Declarators: from their syntax to a type and a name.

use crate::lower::scopes::{NewSymbol, Scope};
use crate::lower::specifiers::{of_declaration, of_qualifiers, qualify};
use crate::lower::Lower;
use crate::prefilter::Mark;
use crate::tree::*;
use lang_c::ast;
use lang_c::ast::{ArraySize, DeclaratorKind, DerivedDeclarator, Ellipsis};
use lang_c::span::Node;

/// What a declarator declares.
pub struct Declared {
    pub name: Option<(String, Span)>,
    pub ty: QualType,
    /// Of a function declarator: its parameters and the scope that holds them.
    pub params: Option<Params>,
    pub vla_lens: Vec<ExprId>,
}
pub struct Params {
    pub syms: Vec<SymId>,
    pub scope: Scope,
    /// `f(a, b)`: names only.
    pub old_style: Vec<(String, Span)>,
    pub is_old_style: bool,
}

impl Lower {
    pub fn type_name(&mut self, n: &Node<ast::TypeName>) -> QualType {
        let span = self.span(n.span);
        let specs = self.specifiers(n.node.specifiers.iter().map(of_qualifiers), false, &span);
        let base = self.type_attributes(
            specs.base,
            &self.p.with_attributes(span.clone()),
            specs.defines_type,
        );
        match &n.node.declarator {
            Some(d) => self.declarator(d, base, false).ty,
            None => base,
        }
    }

    /// `own`: the parameters belong to the function being defined.
    pub fn declarator(&mut self, d: &Node<ast::Declarator>, base: QualType, own: bool) -> Declared {
        let mut out = Declared {
            name: None,
            ty: base,
            params: None,
            vla_lens: Vec::new(),
        };
        self.derive(&d.node, own, &mut out);
        out
    }

    fn derive(&mut self, d: &ast::Declarator, own: bool, out: &mut Declared) {
        for p in &d.derived {
            if let DerivedDeclarator::Pointer(quals) | DerivedDeclarator::Block(quals) = &p.node {
                let mut qt = self.types.pointer(out.ty);
                for q in quals {
                    if let ast::PointerQualifier::TypeQualifier(q) = &q.node {
                        qualify(&mut qt, &q.node);
                    }
                }
                out.ty = qt;
                out.params = None;
            }
        }
        let named = innermost(d);
        let suffixes: Vec<_> = d
            .derived
            .iter()
            .filter(|x| {
                !matches!(
                    x.node,
                    DerivedDeclarator::Pointer(_) | DerivedDeclarator::Block(_)
                )
            })
            .collect();
        for (i, s) in suffixes.into_iter().enumerate().rev() {
            out.params = None;
            match &s.node {
                DerivedDeclarator::Array(a) => {
                    let elem = out.ty;
                    let len = self.array_len(&a.node.size, &mut out.vla_lens);
                    out.ty = self.types.plain(Type::Array { elem, len });
                }
                DerivedDeclarator::Function(f) => {
                    let ret = out.ty;
                    let (types, params) = self.parameters(&f.node, own && named && i == 0);
                    let variadic =
                        f.node.ellipsis == Ellipsis::Some || only_variable(self, &f.node);
                    // An abstract `()` comes as an empty parameter list.
                    let prototype = !f.node.parameters.is_empty() || self.unit.target.standard.c23;
                    out.ty = self.types.plain(Type::Function {
                        ret,
                        params: types,
                        variadic,
                        prototype,
                    });
                    out.params = Some(params);
                }
                DerivedDeclarator::KRFunction(names) => {
                    let ret = out.ty;
                    let old_style: Vec<_> = names.iter().map(|n| self.identifier(n)).collect();
                    let prototype = self.unit.target.standard.c23 && old_style.is_empty();
                    out.ty = self.types.plain(Type::Function {
                        ret,
                        params: vec![],
                        variadic: false,
                        prototype,
                    });
                    out.params = Some(Params {
                        syms: vec![],
                        scope: Scope::default(),
                        old_style,
                        is_old_style: true,
                    });
                }
                DerivedDeclarator::Pointer(_) | DerivedDeclarator::Block(_) => {}
            }
        }
        match &d.kind.node {
            DeclaratorKind::Abstract => {}
            DeclaratorKind::Identifier(n) => out.name = Some(self.identifier(n)),
            DeclaratorKind::Declarator(inner) => self.derive(&inner.node, own, out),
        }
    }

    fn array_len(&mut self, size: &ArraySize, vla_lens: &mut Vec<ExprId>) -> ArrayLen {
        match size {
            ArraySize::Unknown | ArraySize::VariableUnknown => ArrayLen::Unknown,
            ArraySize::VariableExpression(e) | ArraySize::StaticExpression(e) => {
                let e = self.expr(e);
                if let Some(n) = self.view().eval(e) {
                    return match u64::try_from(n) {
                        Ok(n) => ArrayLen::Const(n),
                        Err(_) => ArrayLen::Target(self.unit.expr(e).span.clone()),
                    };
                }
                if self.func.is_none() && self.scopes.len() == 1 || self.view().is_constant(e) {
                    return ArrayLen::Target(self.unit.expr(e).span.clone());
                }
                vla_lens.insert(0, e);
                ArrayLen::Vla(e)
            }
        }
    }

    fn parameters(&mut self, f: &ast::FunctionDeclarator, own: bool) -> (Vec<QualType>, Params) {
        self.scopes.push(Scope::default());
        let mut types = Vec::new();
        let mut syms = Vec::new();
        let mut forward: Vec<SymId> = Vec::new();
        let first = self.unit.exprs.len();
        let list: &[_] = if only_variable(self, f) {
            &[]
        } else {
            &f.parameters
        };
        for p in list {
            let span = self.span(p.span);
            let is_forward = self.is_forward(span.end);
            let specs = self.specifiers(p.node.specifiers.iter().map(of_declaration), false, &span);
            let base = self.type_attributes(
                specs.base,
                &self.p.with_attributes(span.clone()),
                specs.defines_type,
            );
            let declared = match &p.node.declarator {
                Some(d) => self.declarator(d, base, false),
                None => Declared {
                    name: None,
                    ty: base,
                    params: None,
                    vla_lens: Vec::new(),
                },
            };
            let is_void = *self.types.get(declared.ty.ty) == Type::Void;
            if is_void && declared.name.is_none() && f.parameters.len() == 1 {
                break;
            }
            let ty = self.adjust_parameter(declared.ty);
            if let (true, Some((name, span))) = (is_forward, &declared.name) {
                let (name, span) = (name.clone(), Some(span.clone()));
                forward.push(self.declare_param(name, span, ty, specs.storage, own));
                continue;
            }
            types.push(ty);
            let known =
                |s: &&SymId| Some(&self.unit.sym(**s).name) == declared.name.as_ref().map(|n| &n.0);
            if let (Some(s), Some((_, at))) = (forward.iter().find(known).copied(), &declared.name)
            {
                self.unit.symbols[s.index()].decls.push(at.clone());
                syms.push(s);
                continue;
            }
            let (name, span) = match declared.name {
                Some((n, s)) => (n, Some(s)),
                None if own => (String::new(), None),
                None => continue,
            };
            syms.push(self.declare_param(name, span, ty, specs.storage, own));
        }
        let scope = self.scopes.pop().unwrap_or_default();
        if !own {
            // Bounds, which nobody evaluates.
            self.names_since(first);
        }
        (
            types,
            Params {
                syms,
                scope,
                old_style: Vec::new(),
                is_old_style: false,
            },
        )
    }

    /// Is what ends there a parameter's declaration in front of the list (GNU C)?
    fn is_forward(&self, end: u32) -> bool {
        let list = &self.p.tokens.list;
        let behind = self.p.tokens.at_or_after(end)..list.len();
        let next = behind
            .map(|i| (i, list[i].start))
            .find(|(i, _)| !self.p.marks.soft[*i]);
        next.is_some_and(|(_, at)| self.p.marks.at.get(&at) == Some(&Mark::Forward))
    }

    pub(crate) fn declare_param(
        &mut self,
        name: String,
        span: Option<Span>,
        ty: QualType,
        storage: Option<Storage>,
        own: bool,
    ) -> SymId {
        let id = self.declare(NewSymbol {
            name,
            span,
            kind: SymKind::Param,
            ty,
            storage,
            thread_local: false,
            initialised: true,
            attributes: Vec::new(),
        });
        if !own {
            self.unit.symbols[id.index()].func = None;
        }
        id
    }

    pub(crate) fn adjust_parameter(&mut self, ty: QualType) -> QualType {
        match *self.types.get(ty.ty) {
            Type::Array { elem, .. } => self.types.pointer(elem),
            Type::Function { .. } => self.types.pointer(ty),
            _ => ty,
        }
    }
}

/// `(...)`
fn only_variable(l: &Lower, f: &ast::FunctionDeclarator) -> bool {
    matches!(&f.parameters[..], [p] if l.mark_at(p.span) == Some(Mark::OnlyVariable))
}

/// Does the declarator's own suffix stand next to the name (through bare parentheses)?
fn innermost(d: &ast::Declarator) -> bool {
    match &d.kind.node {
        DeclaratorKind::Declarator(inner) => {
            inner.node.derived.is_empty() && innermost(&inner.node)
        }
        _ => true,
    }
}
