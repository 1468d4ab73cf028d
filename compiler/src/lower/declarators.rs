//! Specifiers and declarators: from their syntax to a type and a name.

use super::scopes::{NewSymbol, Scope};
use super::Lower;
use crate::diag::Code;
use crate::prefilter::Mark;
use crate::tree::*;
use lang_c::ast;
use lang_c::ast::{ArraySize, DeclaratorKind, DerivedDeclarator, Ellipsis, TypeSpecifier};
use lang_c::span::Node;

/// The specifiers of a declaration, field, parameter or type name.
pub struct Specifiers {
    pub base: QualType,
    pub storage: Option<Storage>,
    pub is_typedef: bool,
    pub is_inline: bool,
    pub noreturn: bool,
    pub thread_local: bool,
    pub auto_type: bool,
    /// A record or enum is defined in them.
    pub defines_type: bool,
}

/// One specifier, whatever the parser's list it comes from.
pub enum Spec<'a> {
    Storage(&'a Node<ast::StorageClassSpecifier>),
    Type(&'a Node<TypeSpecifier>),
    Qualifier(&'a ast::TypeQualifier),
    Function(&'a ast::FunctionSpecifier),
    Other,
}

pub fn of_declaration(s: &Node<ast::DeclarationSpecifier>) -> Spec<'_> {
    match &s.node {
        ast::DeclarationSpecifier::StorageClass(s) => Spec::Storage(s),
        ast::DeclarationSpecifier::TypeSpecifier(s) => Spec::Type(s),
        ast::DeclarationSpecifier::TypeQualifier(q) => Spec::Qualifier(&q.node),
        ast::DeclarationSpecifier::Function(f) => Spec::Function(&f.node),
        _ => Spec::Other,
    }
}

pub fn of_qualifiers(s: &Node<ast::SpecifierQualifier>) -> Spec<'_> {
    match &s.node {
        ast::SpecifierQualifier::TypeSpecifier(s) => Spec::Type(s),
        ast::SpecifierQualifier::TypeQualifier(q) => Spec::Qualifier(&q.node),
        _ => Spec::Other,
    }
}

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

fn qualify(qt: &mut QualType, q: &ast::TypeQualifier) {
    match q {
        ast::TypeQualifier::Const => qt.is_const = true,
        ast::TypeQualifier::Volatile => qt.is_volatile = true,
        ast::TypeQualifier::Restrict => qt.is_restrict = true,
        ast::TypeQualifier::Atomic => qt.is_atomic = true,
        _ => {}
    }
}

impl Lower {
    /// `alone`: no declarator follows, so `struct s;` declares a new `s`.
    pub fn specifiers<'a>(
        &mut self,
        list: impl Iterator<Item = Spec<'a>>,
        alone: bool,
        span: &Span,
    ) -> Specifiers {
        let void = self.types.void();
        let mut out = Specifiers {
            base: void,
            storage: None,
            is_typedef: false,
            is_inline: false,
            noreturn: false,
            thread_local: false,
            auto_type: false,
            defines_type: false,
        };
        let mut quals = void;
        let mut words = Words::default();
        for spec in list {
            match spec {
                Spec::Storage(s) => match s.node {
                    _ if self.mark_at(s.span) == Some(Mark::ThreadLocal) => out.thread_local = true,
                    ast::StorageClassSpecifier::Typedef => out.is_typedef = true,
                    ast::StorageClassSpecifier::Extern => out.storage = Some(Storage::Extern),
                    ast::StorageClassSpecifier::Static => out.storage = Some(Storage::Static),
                    ast::StorageClassSpecifier::ThreadLocal => out.thread_local = true,
                    ast::StorageClassSpecifier::Auto => out.storage = Some(Storage::Auto),
                    ast::StorageClassSpecifier::Register => out.storage = Some(Storage::Register),
                },
                Spec::Qualifier(q) => qualify(&mut quals, q),
                Spec::Function(ast::FunctionSpecifier::Inline) => out.is_inline = true,
                Spec::Function(ast::FunctionSpecifier::Noreturn) => out.noreturn = true,
                Spec::Other => {}
                Spec::Type(t) => match self.mark_at(t.span) {
                    Some(Mark::Int128) => words.int128 = true,
                    Some(Mark::AutoType) => out.auto_type = true,
                    _ => self.type_specifier(t, &mut words, &mut out, alone),
                },
            }
        }
        let base = match words.whole {
            Some(whole) => whole,
            None => match words.ty() {
                Some(ty) => self.types.plain(ty),
                None => self.unsupported(span.clone()),
            },
        };
        out.base = self.types.qualify(base, quals);
        out
    }

    fn type_specifier(
        &mut self,
        t: &Node<TypeSpecifier>,
        words: &mut Words,
        out: &mut Specifiers,
        alone: bool,
    ) {
        match &t.node {
            TypeSpecifier::Void => words.whole = Some(self.types.void()),
            TypeSpecifier::Bool => words.whole = Some(self.types.plain(Type::Bool)),
            TypeSpecifier::Char => words.char_ = true,
            TypeSpecifier::Short => words.short = true,
            TypeSpecifier::Int => words.int = true,
            TypeSpecifier::Long => words.long += 1,
            TypeSpecifier::Float => words.float = Some(FloatKind::Float),
            TypeSpecifier::Double => words.float = Some(FloatKind::Double),
            TypeSpecifier::Signed => words.signed = true,
            TypeSpecifier::Unsigned => words.unsigned = true,
            TypeSpecifier::Complex => words.complex = true,
            TypeSpecifier::TS18661Float(f) => {
                use ast::TS18661FloatFormat::*;
                match (&f.format, f.width) {
                    (BinaryInterchange, 32) => words.float = Some(FloatKind::Float),
                    (BinaryInterchange, 64) | (BinaryExtended, 32) => {
                        words.float = Some(FloatKind::Double)
                    }
                    (BinaryExtended, 64) => words.float = Some(FloatKind::LongDouble),
                    (BinaryInterchange, 128) => words.float = Some(FloatKind::Float128),
                    _ => words.whole = Some(self.unsupported(self.span(t.span))),
                }
            }
            TypeSpecifier::Atomic(name) => {
                let mut q = self.type_name(name);
                q.is_atomic = true;
                words.whole = Some(q);
            }
            TypeSpecifier::Struct(s) => {
                out.defines_type |= s.node.declarations.is_some();
                let r = self.record(s, alone);
                words.whole = Some(self.types.plain(Type::Record(r)));
            }
            TypeSpecifier::Enum(e) => {
                out.defines_type |= !e.node.enumerators.is_empty();
                let e = self.enumeration(e);
                words.whole = Some(self.types.plain(Type::Enum(e)));
            }
            TypeSpecifier::TypedefName(n) => {
                words.whole = Some(self.named_type(n));
            }
            TypeSpecifier::TypeOf(t) => words.whole = Some(self.type_of(t)),
        }
    }

    pub fn identifier(&self, n: &Node<ast::Identifier>) -> (String, Span) {
        let span = self.span(n.span);
        (self.text(&span).to_string(), span)
    }

    pub fn named_type(&mut self, n: &Node<ast::Identifier>) -> QualType {
        let (name, span) = self.identifier(n);
        self.typedef_name(&name, span)
    }

    fn typedef_name(&mut self, name: &str, span: Span) -> QualType {
        match self.lookup(name) {
            Some(s) if self.unit.sym(s).kind == SymKind::Typedef => {
                if self.unit.sym(s).func.is_some() {
                    self.unit.type_refs.push(TypeRef {
                        span,
                        to: TypeRefTo::Typedef(s),
                    });
                }
                self.unit.sym(s).ty
            }
            _ => {
                self.error(Code::Misparse, &span, format!("`{name}` is read as a type here, but it names something else in this scope"));
                self.unsupported(span)
            }
        }
    }

    fn type_of(&mut self, t: &Node<ast::TypeOf>) -> QualType {
        match &t.node {
            ast::TypeOf::Type(n) => self.type_name(n),
            ast::TypeOf::Expression(e) => {
                // The parser takes a lone type name for an identifier.
                if let ast::Expression::Identifier(n) = &e.node {
                    let (name, span) = self.identifier(n);
                    if self
                        .lookup(&name)
                        .is_some_and(|s| self.unit.sym(s).kind == SymKind::Typedef)
                    {
                        return self.typedef_name(&name, span);
                    }
                }
                let e = self.expr(e);
                if self.func.is_some() {
                    self.unit.typeofs.push(e);
                }
                self.unit.expr(e).ty
            }
        }
    }

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
                    let variadic = f.node.ellipsis == Ellipsis::Some;
                    // An abstract `()` comes as an empty parameter list.
                    let prototype = !f.node.parameters.is_empty();
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
                    let old_style = names.iter().map(|n| self.identifier(n)).collect();
                    out.ty = self.types.plain(Type::Function {
                        ret,
                        params: vec![],
                        variadic: false,
                        prototype: false,
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
        for p in &f.parameters {
            let span = self.span(p.span);
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
            types.push(ty);
            let (name, span) = match declared.name {
                Some((n, s)) => (n, Some(s)),
                None if own => (String::new(), None),
                None => continue,
            };
            syms.push(self.declare_param(name, span, ty, specs.storage, own));
        }
        let scope = self.scopes.pop().unwrap_or_default();
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

    pub fn declare_param(
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

    pub fn adjust_parameter(&mut self, ty: QualType) -> QualType {
        match *self.types.get(ty.ty) {
            Type::Array { elem, .. } => self.types.pointer(elem),
            Type::Function { .. } => self.types.pointer(ty),
            _ => ty,
        }
    }

    /// `mode` and `vector_size` among the attributes in `span` change a type.
    pub fn type_attributes(&mut self, base: QualType, span: &Span, defines_type: bool) -> QualType {
        if defines_type {
            return base;
        }
        let found: Vec<_> = self
            .p
            .attributes_in(span)
            .iter()
            .filter(|a| matches!(a.name.as_str(), "mode" | "vector_size"))
            .cloned()
            .collect();
        found.into_iter().fold(base, |qt, a| {
            let arg = self
                .text(&a.args)
                .trim_start_matches('(')
                .trim()
                .to_string();
            let ty = if a.name == "mode" {
                self.mode(qt, &arg)
            } else {
                vector(qt, &arg)
            };
            let ty = ty.unwrap_or(Type::Unsupported(a.span));
            QualType {
                ty: self.types.intern(ty),
                ..qt
            }
        })
    }

    fn mode(&self, qt: QualType, mode: &str) -> Option<Type> {
        use IntKind::*;
        let mode = mode.trim_matches('_');
        let float = match mode {
            "SF" => Some(Type::Float(FloatKind::Float)),
            "DF" => Some(Type::Float(FloatKind::Double)),
            "XF" => Some(Type::Float(FloatKind::LongDouble)),
            "TF" => Some(Type::Float(FloatKind::Float128)),
            "SC" => Some(Type::Complex(FloatKind::Float)),
            "DC" => Some(Type::Complex(FloatKind::Double)),
            _ => None,
        };
        if float.is_some() {
            return float;
        }
        let t = &self.unit.target;
        let signed = match self.types.get(qt.ty) {
            Type::Int(k) => t.signed(*k),
            _ => return None,
        };
        let bits = match mode {
            "QI" | "byte" => 8,
            "HI" => 16,
            "SI" => 32,
            "DI" => 64,
            "TI" => 128,
            "word" | "pointer" | "unwind_word" => t.pointer_bits,
            _ => return None,
        };
        let kinds = if signed {
            [SChar, Short, Int, Long, LongLong, Int128]
        } else {
            [UChar, UShort, UInt, ULong, ULongLong, UInt128]
        };
        kinds
            .into_iter()
            .find(|&k| t.bits(k) == bits)
            .map(Type::Int)
    }
}

fn vector(qt: QualType, arg: &str) -> Option<Type> {
    Some(Type::Vector {
        elem: qt.unqualified(),
        bytes: arg.parse().ok()?,
    })
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

/// The words of an arithmetic type.
#[derive(Default)]
struct Words {
    whole: Option<QualType>,
    char_: bool,
    short: bool,
    int: bool,
    long: u32,
    signed: bool,
    unsigned: bool,
    complex: bool,
    int128: bool,
    float: Option<FloatKind>,
}

impl Words {
    fn ty(&self) -> Option<Type> {
        use IntKind::*;
        let float = match (self.float, self.long) {
            (Some(FloatKind::Double), 1) => Some(FloatKind::LongDouble),
            (f, _) => f,
        };
        if self.complex {
            let integer = self.int
                || self.char_
                || self.short
                || self.signed
                || self.unsigned
                || float.is_none() && self.long > 0;
            return (!integer).then_some(Type::Complex(float.unwrap_or(FloatKind::Double)));
        }
        if let Some(f) = float {
            return Some(Type::Float(f));
        }
        let u = self.unsigned;
        Some(Type::Int(
            match (self.int128, self.char_, self.short, self.long) {
                (true, ..) => {
                    if u {
                        UInt128
                    } else {
                        Int128
                    }
                }
                (_, true, ..) => match (u, self.signed) {
                    (true, _) => UChar,
                    (_, true) => SChar,
                    _ => Char,
                },
                (_, _, true, _) => {
                    if u {
                        UShort
                    } else {
                        Short
                    }
                }
                (.., 0) => {
                    if u {
                        UInt
                    } else {
                        Int
                    }
                }
                (.., 1) => {
                    if u {
                        ULong
                    } else {
                        Long
                    }
                }
                _ => {
                    if u {
                        ULongLong
                    } else {
                        LongLong
                    }
                }
            },
        ))
    }
}
