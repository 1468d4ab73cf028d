//! The typed tree: what every later phase sees of a translation unit.
//!
//! The front-end (`parse`, `lower`) builds it from the parser's tree and throws the parser's tree
//! away; nothing after it names the parser.  Nodes live in arenas and are addressed by ids, so
//! that analyses keep their results in side tables.  Every span is a byte range of
//! [`Unit::text`], the preprocessed source: rewriting splices that text.
//!
//! Invariants: every identifier is resolved to a [`Symbol`]; every expression has a type (array
//! and function types are not decayed: an array-typed operand that is not under `&` or `sizeof` decays); spans nest and carry no trailing
//! blanks.

use crate::preprocess::LineMap;
use crate::types::Target;
use std::ops::Range;

/// Byte range in [`Unit::text`].
pub type Span = Range<u32>;

macro_rules! ids { ($($(#[$m:meta])* $n:ident),*) => {$(
    $(#[$m])* #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)] pub struct $n(pub u32);
    impl $n { pub fn index(self) -> usize { self.0 as usize } }
)*} }
ids!(TypeId, SymId, ExprId, StmtId, RecordId, EnumId, FuncId, LabelId);

/// A type with its qualifiers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct QualType {
    pub ty: TypeId,
    pub is_const: bool,
    pub is_volatile: bool,
    pub is_atomic: bool,
    pub is_restrict: bool,
    /// By a typedef: what has this type may be accessed as any other (`may_alias`), and where its alignment is less than the
    /// type's (`aligned`).
    pub may_alias: bool,
    pub unaligned: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum IntKind {
    Char,
    SChar,
    UChar,
    Short,
    UShort,
    Int,
    UInt,
    Long,
    ULong,
    LongLong,
    ULongLong,
    Int128,
    UInt128,
    /// `_BitInt(width)`
    Bits {
        width: u32,
        signed: bool,
    },
}
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum FloatKind {
    Float16,
    Float,
    Double,
    LongDouble,
    Float128,
    Decimal32,
    Decimal64,
    Decimal128,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum ArrayLen {
    /// Constant, where the front-end can evaluate it portably; the text is kept for the emitter.
    Const(u64),
    /// Constant for the target's compiler only (`sizeof` inside): the span of the expression.
    Target(Span),
    /// Runtime value.
    Vla(ExprId),
    /// `[]`: flexible member, incomplete extern, parameter; or completed by an initialiser elsewhere.
    Unknown,
}

/// Canonical (typedef-free) types, interned: equal ids mean the same type.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Type {
    Void,
    Bool,
    Int(IntKind),
    Float(FloatKind),
    Complex(FloatKind),
    /// GNU C.
    ComplexInt(IntKind),
    Pointer(QualType),
    Array {
        elem: QualType,
        len: ArrayLen,
    },
    /// Parameter types after adjustment. `prototype` is false for `()` and K&R definitions.
    Function {
        ret: QualType,
        params: Vec<QualType>,
        variadic: bool,
        prototype: bool,
    },
    Record(RecordId),
    Enum(EnumId),
    /// `__builtin_va_list`.
    VaList,
    /// GNU vector type; the text of its declaration cannot be rebuilt, so never hoisted.
    Vector {
        elem: QualType,
        bytes: u64,
    },
    /// A type this version cannot represent.
    Unsupported(Unknown),
}

#[derive(Clone, Debug)]
pub struct Record {
    pub tag: Option<String>,
    /// First typedef of an anonymous record: a way to name it.
    pub typedef_name: Option<String>,
    pub is_union: bool,
    /// None while incomplete.
    pub fields: Option<Vec<Field>>,
    /// Function whose body declares it; None at file scope.
    pub scope: Option<FuncId>,
    /// `struct tag { ... }` including a trailing attribute, where defined.
    pub def: Option<Span>,
    /// Where a tag can be inserted if it has none (just before `{`).
    pub tag_at: Option<u32>,
    /// Span of the tag identifier in the definition.
    pub tag_span: Option<Span>,
    pub packed: bool,
    /// Its scalars are stored in the other order of bytes (`scalar_storage_order`).
    pub reversed: bool,
    /// The first of this tag with the same members, in a scope that this one does not see: the same type (C23).
    pub like: Option<RecordId>,
}
impl Record {
    /// How C names it: by its tag, or the typedef of one without.
    pub fn c_name(&self) -> Option<String> {
        let key = if self.is_union { "union" } else { "struct" };
        let tag = self.tag.as_ref().map(|t| format!("{key} {t}"));
        tag.or_else(|| self.typedef_name.clone())
    }

    /// Is there a word of alignments in its definition?
    pub fn says_alignment(&self, u: &Unit) -> bool {
        let def = self.def.as_ref().map_or("", |s| u.slice(s));
        def.contains("align") || def.contains("_Alignas")
    }
}
#[derive(Clone, Debug)]
pub struct Field {
    /// None: anonymous struct/union member or unnamed bit-field.
    pub name: Option<String>,
    pub ty: QualType,
    /// Span of the width expression.
    pub bit_width: Option<Span>,
    /// Its value, where the front-end can evaluate it.
    pub width: Option<u32>,
    pub span: Span,
    /// What its integers are by name.
    pub named: Option<NamedInt>,
}
/// An integer type that has the name of a standard header: the kind behind such a name is another one on other ABIs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NamedInt {
    /// `size_t`: as wide as `long`.
    Word,
    /// `int64_t`: eight bytes.
    Eight,
}

impl NamedInt {
    pub(crate) fn of(name: &str) -> Option<NamedInt> {
        Some(match name.trim_start_matches('_') {
            "size_t" | "ssize_t" | "ptrdiff_t" | "intptr_t" | "uintptr_t" => NamedInt::Word,
            "int64_t" | "uint64_t" | "int_least64_t" | "uint_least64_t" | "intmax_t"
            | "uintmax_t" => NamedInt::Eight,
            _ => return None,
        })
    }
}

#[derive(Clone, Debug)]
pub struct EnumDef {
    pub tag: Option<String>,
    pub typedef_name: Option<String>,
    pub scope: Option<FuncId>,
    pub def: Option<Span>,
    /// As in [`Record`].
    pub tag_at: Option<u32>,
    pub tag_span: Option<Span>,
    pub constants: Vec<SymId>,
    /// The integer type the compiler gives it (GNU rules).
    pub underlying: IntKind,
    /// The type is said in its declaration.
    pub fixed: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Storage {
    Typedef,
    Extern,
    Static,
    Auto,
    Register,
}
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SymKind {
    Var,
    Param,
    Func,
    Typedef,
    EnumConst,
}

/// Among the attributes of a `constexpr` object.
pub(crate) const CONSTANT: &str = "constexpr";
/// Among those of clang's functions that share their name with others.
pub(crate) const OVERLOADABLE: &str = "overloadable";
/// Among those of `int a[];`, which gets one element at the end of the unit.
pub(crate) const ONE_ELEMENT: &str = "[]";

/// Is it among the attributes of a function?
pub(crate) fn is_overloadable(attributes: &[String]) -> bool {
    attributes.iter().any(|a| a == OVERLOADABLE)
}

#[derive(Clone, Debug)]
pub struct Symbol {
    pub name: String,
    pub kind: SymKind,
    pub ty: QualType,
    pub storage: Storage,
    pub thread_local: bool,
    /// Function whose body (or parameter list) declares it; None at file scope and for
    /// the parameters of mere prototypes.
    pub func: Option<FuncId>,
    /// Has linkage (file scope, or block-scope extern).
    pub is_global: bool,
    /// Variable: has an initialiser; function: has a body; file-scope tentative definition: false.
    pub initialised: bool,
    /// File-scope/static variable: some declaration defines it (tentative ones included).
    pub defined: bool,
    /// Every identifier token that declares it (declarators), in order.
    pub decls: Vec<Span>,
    /// Value of an enumerator or a `constexpr` number, where known.
    pub value: Option<i128>,
    /// Declared in a system header (line marker flag 3).
    pub system: bool,
    /// Implicitly declared function.
    pub implicit: bool,
    /// Names of the attributes on its declarations, without underscores: `noreturn`, `cleanup`, `alias`.
    pub attributes: Vec<String>,
    /// What gives it, or the typedef that is its type, an alignment of its own: `_Alignas(x)`, or `aligned(x)` of an attribute.
    pub alignments: Vec<Span>,
    /// What the integers of its type are by name.
    pub named: Option<NamedInt>,
}

impl Symbol {
    /// Is it an array whose declarations do not say how long it is?
    pub fn has_one_element(&self) -> bool {
        self.attributes.iter().any(|a| a == ONE_ELEMENT)
    }

    /// May other functions have its name?
    pub(crate) fn is_overloadable(&self) -> bool {
        is_overloadable(&self.attributes)
    }

    /// Is it a constant to the compiler?
    pub fn is_constant(&self) -> bool {
        self.kind == SymKind::EnumConst || self.attributes.iter().any(|a| a == CONSTANT)
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum UnOp {
    Plus,
    Minus,
    BitNot,
    Not,
    Real,
    Imag,
    PreInc,
    PreDec,
    PostInc,
    PostDec,
}
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BinOp {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    Shl,
    Shr,
    Lt,
    Gt,
    Le,
    Ge,
    Eq,
    Ne,
    And,
    Xor,
    Or,
    LogAnd,
    LogOr,
}

impl BinOp {
    pub fn compares(self) -> bool {
        use BinOp::*;
        matches!(self, Lt | Gt | Le | Ge | Eq | Ne)
    }
}

#[derive(Clone, Debug)]
pub enum ExprKind {
    Ident(SymId),
    /// Integer and character constants (value where it fits), enumerators are `Ident`.
    Int(i128),
    Float,
    /// Bytes without the terminator; `wide` for any prefix.
    Str {
        bytes: Vec<u8>,
        wide: bool,
    },
    Call {
        callee: ExprId,
        args: Vec<ExprId>,
    },
    /// `base.name` / `base->name`; path through anonymous members already resolved: `ty` is right.
    Member {
        base: ExprId,
        arrow: bool,
        name: String,
    },
    Index {
        base: ExprId,
        index: ExprId,
    },
    AddrOf(ExprId),
    Deref(ExprId),
    Unary {
        op: UnOp,
        arg: ExprId,
    },
    Binary {
        op: BinOp,
        lhs: ExprId,
        rhs: ExprId,
    },
    Assign {
        op: Option<BinOp>,
        lhs: ExprId,
        rhs: ExprId,
    },
    /// `then` is None for GNU `a ?: b`.
    Cond {
        cond: ExprId,
        then: Option<ExprId>,
        els: ExprId,
    },
    Comma(Vec<ExprId>),
    Cast {
        to: QualType,
        arg: ExprId,
    },
    /// Operand is not evaluated (unless a VLA).
    SizeofExpr(ExprId),
    SizeofType(QualType),
    Alignof,
    Offsetof {
        ty: QualType,
        member: String,
        /// Of arrays on the way to it, in order.
        indices: Vec<ExprId>,
    },
    CompoundLit {
        ty: QualType,
        init: Init,
    },
    StmtExpr(StmtId),
    VaArg {
        list: ExprId,
        ty: QualType,
    },
    Generic {
        control: ExprId,
        chosen: ExprId,
    },
    LabelAddr(LabelId),
    /// `__builtin_types_compatible_p`, `__func__` and other leaves that need no rewriting.
    Builtin,
}
/// `__func__` as a call: what calls a macro may have it among its arguments.
pub const FUNCTION_CALL: &str = "__builtin_FUNCTION";
#[derive(Clone, Debug)]
pub struct Expr {
    pub kind: ExprKind,
    pub ty: QualType,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub enum Init {
    Expr(ExprId),
    List { items: Vec<InitItem>, span: Span },
}
#[derive(Clone, Debug)]
pub struct InitItem {
    /// Index expressions inside designators (`[i] = `), usually constants.
    pub designators: Vec<ExprId>,
    pub value: Init,
}

#[derive(Clone, Debug)]
pub struct VarDecl {
    pub sym: SymId,
    /// The declarator with its initialiser: `*p = f(x)`.
    pub span: Span,
    pub init: Option<Init>,
    /// VLA length expressions evaluated when the declaration is reached, outermost first.
    pub vla_lens: Vec<ExprId>,
}
/// One declaration: `specifiers d1, d2;`.
#[derive(Clone, Debug)]
pub struct DeclGroup {
    pub specifiers: Span,
    /// Spans of top-level `const` keywords in the specifiers (removed where a variable is restored).
    pub vars: Vec<VarDecl>,
    pub is_typedef: bool,
    /// A record or enum is defined in the specifiers.
    pub defines_type: bool,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub enum ForInit {
    None,
    Expr(ExprId),
    Decl(DeclGroup),
}

#[derive(Clone, Debug)]
pub enum StmtKind {
    Expr(Option<ExprId>),
    Decl(DeclGroup),
    Block(Vec<StmtId>),
    If {
        cond: ExprId,
        then: StmtId,
        els: Option<StmtId>,
    },
    While {
        cond: ExprId,
        body: StmtId,
    },
    DoWhile {
        body: StmtId,
        cond: ExprId,
    },
    For {
        init: ForInit,
        cond: Option<ExprId>,
        step: Option<ExprId>,
        body: StmtId,
    },
    Switch {
        cond: ExprId,
        body: StmtId,
    },
    /// `case lo ... hi: stmt`.
    Case {
        lo: ExprId,
        hi: Option<ExprId>,
        stmt: StmtId,
    },
    Default(StmtId),
    Label {
        label: LabelId,
        stmt: StmtId,
    },
    Goto(LabelId),
    GotoComputed(ExprId),
    Continue,
    Break,
    Return(Option<ExprId>),
    /// With its operand expressions (all of them may be read and written).
    Asm(Vec<ExprId>),
    /// A function within a function (GNU C).
    Nested {
        sym: SymId,
        body: StmtId,
    },
    /// `pc3_checkpoint();`, a pragma (blanked to that call for the parser), or a location from the command line.
    Checkpoint,
    /// Text is kept, `unsupported` says what to refuse.
    Other {
        unsupported: Option<String>,
    },
}
#[derive(Clone, Debug)]
pub struct Stmt {
    pub kind: StmtKind,
    pub span: Span,
}

/// A type name declared inside a function, used at `span` (definitions included).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TypeRef {
    pub span: Span,
    pub to: TypeRefTo,
}
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TypeRefTo {
    Record(RecordId),
    Enum(EnumId),
    Typedef(SymId),
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TextName {
    pub span: Span,
    pub sym: SymId,
}

#[derive(Clone, Debug)]
pub struct Label {
    pub name: String,
    pub func: FuncId,
    /// `__label__`: of a block, not of the function.
    pub local: bool,
}

#[derive(Clone, Debug)]
pub struct Function {
    pub sym: SymId,
    pub params: Vec<SymId>,
    /// The whole definition.
    pub span: Span,
    /// From the start of the specifiers to just before the body's `{` (K&R declarations included).
    pub head: Span,
    /// The body block, braces included.
    pub body: StmtId,
    pub ret: QualType,
    pub variadic: bool,
    pub kr_style: bool,
    pub is_inline: bool,
    /// Function-scope statics, block-scope externs and all locals declared in it.
    pub locals: Vec<SymId>,
}

/// A file-scope declaration other than a function definition.
#[derive(Clone, Debug)]
pub enum TopItem {
    Decl(DeclGroup),
    Function(FuncId),
    Other(Span),
}

/// What spells a type that no other kind describes.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Unknown {
    /// The text of its declaration.
    Written(Span),
    /// A name that the compiler has for it.
    Named(&'static str),
}

impl Unknown {
    pub fn spelled<'u>(&self, u: &'u Unit) -> &'u str {
        match self {
            Unknown::Written(span) => u.slice(span),
            Unknown::Named(name) => name,
        }
    }
}

/// One translation unit.
#[derive(Clone, Debug, Default)]
pub struct Unit {
    /// Path as given on the command line.
    pub path: String,
    /// What saved state calls it: the file's name, behind directories where several units have it.
    pub name: String,
    /// Preprocessed source, line markers and pragmas included.
    pub text: String,
    pub types: Vec<Type>,
    pub records: Vec<Record>,
    pub enums: Vec<EnumDef>,
    pub symbols: Vec<Symbol>,
    pub exprs: Vec<Expr>,
    pub stmts: Vec<Stmt>,
    pub labels: Vec<Label>,
    pub functions: Vec<Function>,
    pub items: Vec<TopItem>,
    /// Where each byte of `text` comes from.
    pub lines: LineMap,
    /// Integer widths and the like of the ABI the text was preprocessed for.
    pub target: Target,
    /// `#pragma omp` lines.
    pub openmp: Vec<Span>,
    /// The `Unsupported` types among `types` that are integers all the same: gcc computes with bit-fields wider
    /// than `int` in exactly their width.
    pub odd_integers: std::collections::HashSet<TypeId>,
    /// Attributes `noreturn`, `pure` and `const` of the user's own text.
    pub promises: Vec<Span>,
    /// `__label__ a, b;`
    pub label_decls: Vec<Span>,
    /// Operands of `__typeof__` inside functions.
    pub typeofs: Vec<ExprId>,
    /// Uses of type names declared inside functions.
    pub type_refs: Vec<TypeRef>,
    /// Members and enumerators of types that have been defined before (C23).
    pub repeated: Vec<Span>,
    /// Uses of locals and their like in text that is no expression of the tree, in order.
    pub text_names: Vec<TextName>,
}

impl Unit {
    pub fn slice(&self, s: &Span) -> &str {
        &self.text[s.start as usize..s.end as usize]
    }
    pub fn expr(&self, e: ExprId) -> &Expr {
        &self.exprs[e.index()]
    }
    pub fn stmt(&self, s: StmtId) -> &Stmt {
        &self.stmts[s.index()]
    }
    pub fn sym(&self, s: SymId) -> &Symbol {
        &self.symbols[s.index()]
    }
    pub fn ty(&self, t: TypeId) -> &Type {
        &self.types[t.index()]
    }
    pub fn func(&self, f: FuncId) -> &Function {
        &self.functions[f.index()]
    }
    /// Of functions that share a name the one that the library has: it is not `overloadable` itself.
    pub fn plain_function(&self, s: SymId) -> Option<SymId> {
        let name = &self.sym(s).name;
        let all = || {
            self.symbols
                .iter()
                .enumerate()
                .filter(|(_, o)| o.kind == SymKind::Func && o.name == *name)
        };
        all().find(|(_, o)| o.is_overloadable())?;
        all()
            .find(|(_, o)| !o.is_overloadable())
            .map(|(i, _)| SymId(i as u32))
    }
}
