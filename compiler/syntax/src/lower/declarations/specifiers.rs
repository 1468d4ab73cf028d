//! Specifiers: from their words to a type, a storage class and more.

use crate::diag::Code;
use crate::lower::Lower;
use crate::prefilter::Mark;
use crate::tree::*;
use lang_c::ast;
use lang_c::ast::TypeSpecifier;
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
    /// `constexpr`.
    pub constant: bool,
    /// A record or enum is defined in them.
    pub defines_type: bool,
    pub named: Option<NamedInt>,
}

/// One specifier, whatever the parser's list it comes from.
pub enum Spec<'a> {
    Storage(&'a Node<ast::StorageClassSpecifier>),
    Type(&'a Node<TypeSpecifier>),
    Qualifier(&'a Node<ast::TypeQualifier>),
    Function(&'a ast::FunctionSpecifier),
    Other,
}

pub(crate) fn of_declaration(s: &Node<ast::DeclarationSpecifier>) -> Spec<'_> {
    match &s.node {
        ast::DeclarationSpecifier::StorageClass(s) => Spec::Storage(s),
        ast::DeclarationSpecifier::TypeSpecifier(s) => Spec::Type(s),
        ast::DeclarationSpecifier::TypeQualifier(q) => Spec::Qualifier(q),
        ast::DeclarationSpecifier::Function(f) => Spec::Function(&f.node),
        _ => Spec::Other,
    }
}

pub(crate) fn of_qualifiers(s: &Node<ast::SpecifierQualifier>) -> Spec<'_> {
    match &s.node {
        ast::SpecifierQualifier::TypeSpecifier(s) => Spec::Type(s),
        ast::SpecifierQualifier::TypeQualifier(q) => Spec::Qualifier(q),
        _ => Spec::Other,
    }
}

pub(crate) fn qualify(qt: &mut QualType, q: &ast::TypeQualifier) {
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
            constant: false,
            defines_type: false,
            named: None,
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
                Spec::Qualifier(q) => {
                    qualify(&mut quals, &q.node);
                    out.constant |= self.text(&self.span(q.span)) == "constexpr";
                }
                Spec::Function(ast::FunctionSpecifier::Inline) => out.is_inline = true,
                Spec::Function(ast::FunctionSpecifier::Noreturn) => out.noreturn = true,
                Spec::Other => {}
                Spec::Type(t) => match self.mark_at(t.span) {
                    Some(Mark::Int128) => words.int128 = true,
                    Some(Mark::AutoType) => out.auto_type = true,
                    Some(Mark::BitInt(end)) => {
                        let start = self.span(t.span).start;
                        self.unseen_names(end);
                        match self.exact_width(start..end) {
                            Some(width) => words.exact = Some(width),
                            None => words.whole = Some(self.unsupported(start..end)),
                        }
                    }
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

    /// What stands in parentheses in `_BitInt(37)`, if it is a number.
    fn exact_width(&self, span: Span) -> Option<u32> {
        let (_, rest) = self.text(&span).split_once('(')?;
        let inner = rest.strip_suffix(')')?.trim();
        let crate::consteval::Number::Int { value, .. } =
            crate::consteval::number(inner, &self.unit.target)?
        else {
            return None;
        };
        // Where pointers have 32 bits, clang 19 lays wider ones out in two ways: initialisers of structs with one, which
        // measure bit-fields, are wrong.
        let most = match self.unit.target.pointer_bits {
            32 => 64,
            _ => u32::MAX,
        };
        u32::try_from(value).ok().filter(|n| *n <= most)
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
                    (BinaryInterchange, 16) => words.float = Some(FloatKind::Float16),
                    (BinaryInterchange, 32) => words.float = Some(FloatKind::Float),
                    (BinaryInterchange, 64) | (BinaryExtended, 32) => {
                        words.float = Some(FloatKind::Double)
                    }
                    (BinaryExtended, 64) => words.float = Some(FloatKind::LongDouble),
                    (BinaryInterchange, 128) => words.float = Some(FloatKind::Float128),
                    (DecimalInterchange, 32) => words.float = Some(FloatKind::Decimal32),
                    (DecimalInterchange, 64) => words.float = Some(FloatKind::Decimal64),
                    (DecimalInterchange, 128) => words.float = Some(FloatKind::Decimal128),
                    _ => words.whole = Some(self.unsupported(self.span(t.span))),
                }
            }
            TypeSpecifier::Atomic(name) => {
                let mut q = self.type_name(name);
                // Masked, or `typeof(typeof(int) *)`.
                let atomic = self.text(&self.span(t.span)).starts_with("_Atomic");
                q.is_atomic |= atomic;
                words.whole = Some(match self.mark_at(t.span) {
                    Some(Mark::Unqualified) => self.types.unqualified(q),
                    _ => q,
                });
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
                out.named = self.named_int(n);
            }
            TypeSpecifier::TypeOf(of) => {
                let q = self.type_of(of);
                words.whole = Some(match self.mark_at(t.span) {
                    Some(Mark::Unqualified) => self.types.unqualified(q),
                    _ => q,
                });
            }
        }
    }

    pub fn identifier(&self, n: &Node<ast::Identifier>) -> (String, Span) {
        let span = self.span(n.span);
        (self.text(&span).to_string(), span)
    }

    pub(crate) fn named_type(&mut self, n: &Node<ast::Identifier>) -> QualType {
        let (name, span) = self.identifier(n);
        self.typedef_name(&name, span)
    }

    fn named_int(&self, n: &Node<ast::Identifier>) -> Option<NamedInt> {
        let (name, _) = self.identifier(n);
        let s = self.unit.sym(self.lookup(&name)?);
        let own = s.system.then(|| NamedInt::of(&name)).flatten();
        own.or(s.named)
    }

    pub(crate) fn names_a_type(&mut self, n: &Node<ast::Identifier>) -> bool {
        let (name, _) = self.identifier(n);
        let named = self.lookup(&name);
        named.is_some_and(|s| self.unit.sym(s).kind == SymKind::Typedef)
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
    /// The width of a `_BitInt`.
    exact: Option<u32>,
    float: Option<FloatKind>,
}

impl Words {
    fn ty(&self) -> Option<Type> {
        let float = match (self.float, self.long) {
            (Some(FloatKind::Double), 1) => Some(FloatKind::LongDouble),
            (f, _) => f,
        };
        let integer = self.int
            || self.int128
            || self.exact.is_some()
            || self.char_
            || self.short
            || self.signed
            || self.unsigned
            || float.is_none() && self.long > 0;
        if let (true, true) = (self.complex, integer) {
            return Some(Type::ComplexInt(self.kind()));
        }
        if self.complex {
            return Some(Type::Complex(float.unwrap_or(FloatKind::Double)));
        }
        if let Some(f) = float {
            return Some(Type::Float(f));
        }
        Some(Type::Int(self.kind()))
    }

    fn kind(&self) -> IntKind {
        use IntKind::*;
        let u = self.unsigned;
        if let Some(width) = self.exact {
            return Bits { width, signed: !u };
        }
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
        }
    }
}
