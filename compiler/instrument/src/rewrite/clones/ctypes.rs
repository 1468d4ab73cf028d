//! Prints types as C, from the typed tree: declarations of live records, savers and temporaries.
//!
//! Records without a tag are given one (an insertion into the user's text); types declared inside
//! functions are known by their hoisted names.

use crate::rewrite::clones::literals::function_name;
use pc3_program::linear::TempTy;
use pc3_syntax::tree::*;
use pc3_syntax::types::int_name;
use std::cell::{Cell, OnceCell, RefCell};
use std::collections::{BTreeMap, BTreeSet, HashMap};

pub struct Names<'a> {
    pub u: &'a Unit,
    /// Tags given to records and enums that have none, to be inserted into the text.
    pub tags: RefCell<BTreeMap<u32, String>>,
    /// New names of hoisted records and enums.
    pub records: HashMap<RecordId, String>,
    pub enums: HashMap<EnumId, String>,
    /// Variables that hold runtime lengths: they are evaluated once, where the type is declared.
    pub lengths: HashMap<ExprId, String>,
    /// `constexpr` objects and enumerators of functions: their new names.
    pub constants: HashMap<SymId, String>,
    /// What is printed stands outside of functions.
    pub at_file_scope: Cell<bool>,
    /// Functions whose types were named there, and are not known there.
    pub missed: RefCell<BTreeSet<FuncId>>,
    /// What stands for a runtime length that has no name here.
    unknown_length: Cell<&'static str>,
    /// clang, which has attributes of accesses in typedefs only: those, and how many of them have been printed.
    accesses: RefCell<(Vec<String>, usize)>,
    /// All expressions by where they start.
    by_start: OnceCell<Vec<ExprId>>,
}

impl<'a> Names<'a> {
    pub fn new(u: &'a Unit) -> Self {
        Names {
            u,
            tags: RefCell::default(),
            records: HashMap::new(),
            enums: HashMap::new(),
            lengths: HashMap::new(),
            constants: HashMap::new(),
            at_file_scope: Cell::new(false),
            missed: RefCell::default(),
            unknown_length: Cell::new(""),
            accesses: RefCell::default(),
            by_start: OnceCell::new(),
        }
    }

    pub fn record(&self, r: RecordId) -> String {
        let d = &self.u.records[r.index()];
        let key = if d.is_union { "union" } else { "struct" };
        if let Some(n) = self.records.get(&r) {
            return format!("{key} {n}");
        }
        self.miss(d.scope);
        match (&d.tag, d.tag_at) {
            (Some(t), _) => format!("{key} {t}"),
            (None, Some(_)) if self.is_transparent(d) => d.typedef_name.clone().unwrap_or_default(),
            (None, Some(at)) => {
                let name = format!("pc3_anon_{}", r.0);
                self.tags.borrow_mut().insert(at, name.clone());
                format!("{key} {name}")
            }
            (None, None) => d
                .typedef_name
                .clone()
                .unwrap_or_else(|| format!("{key} pc3_unnamed_{}", r.0)),
        }
    }

    /// Whether an attribute of the typedef makes another type of this union than a tag would name.
    fn is_transparent(&self, d: &Record) -> bool {
        let Some(behind) = d.def.as_ref().map(|s| &self.u.text[s.end as usize..]) else {
            return false;
        };
        let end = behind.find(';').unwrap_or(behind.len());
        d.is_union && d.typedef_name.is_some() && behind[..end].contains("transparent_union")
    }

    pub fn enumeration(&self, e: EnumId) -> String {
        let d = &self.u.enums[e.index()];
        if d.tag.is_some() && !self.enums.contains_key(&e) {
            self.miss(d.scope);
        }
        match (self.enums.get(&e), &d.tag) {
            (Some(n), _) => format!("enum {n}"),
            (None, Some(t)) => format!("enum {t}"),
            // Its values and size are those of the underlying type.
            (None, None) => int_name(d.underlying).to_string(),
        }
    }

    fn miss(&self, scope: Option<FuncId>) {
        if self.at_file_scope.get() {
            self.missed.borrow_mut().extend(scope);
        }
    }

    /// A pointer to the type, for text that only asks for its size: runtime lengths do not matter to it.
    pub(crate) fn null_of(&self, q: QualType) -> String {
        let before = self.unknown_length.replace("1");
        let text = format!("(*({})0)", self.declare(q, "(*)"));
        self.unknown_length.set(before);
        text
    }

    /// `base` without declarator parts.
    fn base(&self, t: TypeId) -> String {
        match self.u.ty(t) {
            Type::Void => "void".into(),
            Type::Bool => "_Bool".into(),
            Type::Int(k) => int_name(*k).into(),
            Type::Float(k) => self.u.float_name(*k).into(),
            Type::Complex(k) => format!("{} _Complex", self.u.float_name(*k)),
            Type::ComplexInt(k) => format!("{} _Complex", int_name(*k)),
            Type::Record(r) => self.record(*r),
            Type::Enum(e) => self.enumeration(*e),
            Type::VaList => "__builtin_va_list".into(),
            Type::Vector { elem, bytes } => format!(
                "__attribute__((vector_size({bytes}))) {}",
                self.base(elem.ty)
            ),
            Type::Unsupported(s) => s.spelled(self.u).to_string(),
            Type::Pointer(_) if self.u.is_null_type(t) => "__typeof__(nullptr)".into(),
            Type::Pointer(_) | Type::Array { .. } | Type::Function { .. } => {
                unreachable!("derived types have declarators")
            }
        }
    }

    /// A declaration of `name` with type `q`, qualifiers and all.
    pub fn declare(&self, q: QualType, name: &str) -> String {
        self.go(q, name.to_string(), true)
    }

    /// The same for something that will be assigned to: without the object's own qualifiers.
    pub(crate) fn declare_plain(&self, q: QualType, name: &str) -> String {
        let mut name = name.to_string();
        let mut q = q;
        while let Type::Array { elem, len } = self.u.ty(q.ty) {
            name += &self.length(len);
            q = *elem;
        }
        self.go(q.unqualified(), name, true)
    }

    /// The same, qualified as the user has it but for `const`.
    pub(crate) fn declare_mutable(&self, q: QualType, name: &str) -> String {
        let mut name = name.to_string();
        let mut q = q;
        let mut is_volatile = false;
        while let Type::Array { elem, len } = self.u.ty(q.ty) {
            name += &self.length(len);
            is_volatile |= q.is_volatile;
            q = *elem;
        }
        let is_volatile = is_volatile || q.is_volatile;
        self.go(
            QualType {
                is_const: false,
                is_volatile,
                ..q
            },
            name,
            true,
        )
    }

    pub fn type_name(&self, q: QualType) -> String {
        self.declare(q, "")
    }

    pub(crate) fn declare_temp(&self, t: TempTy, name: &str) -> String {
        match t {
            TempTy::Int => format!("int {name}"),
            TempTy::Odd => format!("long long {name}"),
            TempTy::Value(q) if self.is_vm(q) => format!("void *{name}"),
            TempTy::Value(q) => self.declare_plain(q, name),
            TempTy::PointerTo(q) if self.is_vm(q) => format!("void *{name}"),
            TempTy::PointerTo(q) => self.pointer_to(q, name),
        }
    }

    /// `T *name`.
    pub fn pointer_to(&self, q: QualType, name: &str) -> String {
        let inner = format!("*{name}");
        match self.u.ty(q.ty) {
            Type::Array { .. } | Type::Function { .. } => self.go(q, format!("({inner})"), true),
            _ => self.go(q, inner, true),
        }
    }

    fn length(&self, len: &ArrayLen) -> String {
        match len {
            ArrayLen::Const(n) => format!("[{n}]"),
            ArrayLen::Target(s) => format!("[{}]", self.constant_length(s)),
            ArrayLen::Vla(e) => match self.lengths.get(e) {
                Some(name) if self.unknown_length.get().is_empty() => format!("[{name}]"),
                _ => format!("[{}]", self.unknown_length.get()),
            },
            ArrayLen::Unknown => "[]".into(),
        }
    }

    /// What stands in `__typeof__(x)` where `x` cannot: its type. `typeof((x))` has a value, since no type stands in more parentheses.
    pub(crate) fn typeof_operand(&self, x: &Expr) -> String {
        let before = self.u.slice(&(0..x.span.start)).trim_end();
        let before = before.strip_suffix('(').map_or("", str::trim_end);
        match before.ends_with('(') {
            true => format!("*({})0", self.declare(x.ty, "(*)")),
            false => self.type_name(x.ty),
        }
    }

    /// A constant length as it can stand anywhere in the unit: `sizeof` of a local is that of its type.
    pub(crate) fn constant_length(&self, s: &Span) -> String {
        let u = self.u;
        let local = |x: &Expr| matches!(x.kind, ExprKind::Ident(v) if u.sym(v).func.is_some());
        let named = |x: &Expr| function_name(u.slice(&x.span)).is_some();
        let mut text = u.slice(s).to_string();
        if (self.inside(s).map(|e| u.expr(e))).any(|x| local(x) || named(x)) {
            let mut found: Vec<(&Span, String)> = Vec::new();
            for x in self.inside(s).map(|e| u.expr(e)) {
                match x.kind {
                    ExprKind::SizeofExpr(a) => {
                        let size = format!("sizeof({})", self.type_name(u.expr(a).ty));
                        found.push((&x.span, size));
                    }
                    // `constexpr`, or an enumerator with a new name.
                    ExprKind::Ident(v) if local(x) => {
                        let name = self.constants.get(&v).cloned();
                        found.extend(name.map(|text| (&x.span, text)));
                    }
                    _ => {}
                }
            }
            let operands = u.typeofs.iter().map(|e| u.expr(*e));
            let inside = operands.filter(|x| s.start <= x.span.start && x.span.end <= s.end);
            found.extend(inside.map(|x| (&x.span, self.typeof_operand(x))));
            found.sort_by_key(|(x, _)| (x.start, u32::MAX - x.end));
            found.dedup_by(|b, a| b.0.end <= a.0.end);
            for (x, text_of) in found.into_iter().rev() {
                let at = (x.start - s.start) as usize..(x.end - s.start) as usize;
                text.replace_range(at, &text_of);
            }
        }
        crate::rewrite::text::join_lines(&mut text);
        text
    }

    /// The expressions in a stretch of text.
    pub fn inside(&self, s: &Span) -> impl Iterator<Item = ExprId> + use<'_> {
        let u = self.u;
        let sorted = self.by_start.get_or_init(|| {
            let mut all: Vec<ExprId> = (0..u.exprs.len() as u32).map(ExprId).collect();
            all.sort_by_key(|e| u.expr(*e).span.start);
            all
        });
        let (first, end) = (
            sorted.partition_point(|e| u.expr(*e).span.start < s.start),
            s.end,
        );
        let behind = move |e: &ExprId| u.expr(*e).span.start < end;
        let here = sorted[first..].iter().copied().take_while(behind);
        here.filter(move |e| u.expr(*e).span.end <= end)
    }

    fn go(&self, q: QualType, inner: String, quals: bool) -> String {
        let mut words = String::new();
        if quals {
            for (on, w) in [
                (q.is_const, "const "),
                (q.is_volatile, "volatile "),
                (q.is_atomic, "_Atomic "),
            ] {
                if on {
                    words += w;
                }
            }
        }
        match self.u.ty(q.ty) {
            Type::Pointer(to) if !self.u.is_null_type(q.ty) => {
                let own = format!("*{words}{inner}");
                match self.u.ty(to.ty) {
                    Type::Array { .. } | Type::Function { .. } => {
                        self.go(*to, format!("({own})"), true)
                    }
                    _ => self.go(*to, own, true),
                }
            }
            Type::Array { elem, len } => {
                let mut e = *elem;
                e.is_const |= q.is_const;
                e.is_volatile |= q.is_volatile;
                self.go(e, format!("{inner}{}", self.length(len)), true)
            }
            Type::Function {
                ret,
                params,
                variadic,
                prototype,
            } => {
                let list = if !prototype {
                    String::new()
                } else if params.is_empty() && !variadic {
                    "void".into()
                } else {
                    // `int (*)[*]` in a prototype.
                    let before = self.unknown_length.replace("*");
                    let mut l: Vec<String> = params.iter().map(|p| self.type_name(*p)).collect();
                    self.unknown_length.set(before);
                    if *variadic {
                        l.push("...".into());
                    }
                    l.join(", ")
                };
                self.go(*ret, format!("{inner}({list})"), true)
            }
            _ => {
                let mut base = self.base(q.ty);
                let accessed = [(q.may_alias, "may_alias"), (q.unaligned, "aligned(1)")];
                let accessed = accessed.iter().filter(|(on, _)| quals && *on);
                let accessed: Vec<&str> = accessed.map(|(_, a)| *a).collect();
                if !accessed.is_empty() {
                    base = self.accessed(&base, &accessed.join(", "));
                }
                if inner.is_empty() {
                    format!("{words}{base}")
                } else {
                    format!("{words}{base} {inner}")
                }
            }
        }
    }

    /// A type of which accesses are as the attributes say.
    fn accessed(&self, base: &str, attributes: &str) -> String {
        if !self.u.target.left_to_right {
            return format!("__typeof__(__typeof__({base}) __attribute__(({attributes})))");
        }
        if self.at_file_scope.get() {
            return base.into();
        }
        let text = |k| format!("typedef {base} pc3_accessed_{k} __attribute__(({attributes}));");
        let list = &mut self.accesses.borrow_mut().0;
        let known = (0..list.len()).find(|k| list[*k] == text(*k));
        let k = known.unwrap_or(list.len());
        if known.is_none() {
            list.push(text(k));
        }
        format!("pc3_accessed_{k}")
    }

    /// The typedefs that have come to be needed, for where they are needed.
    pub(crate) fn typedefs(&self) -> String {
        let (list, printed) = &mut *self.accesses.borrow_mut();
        let from = std::mem::replace(printed, list.len());
        list[from..].iter().map(|t| format!(" {t}")).collect()
    }

    /// The runtime lengths in a type, outermost first.
    pub fn runtime_lengths(&self, q: QualType) -> Vec<ExprId> {
        let mut list = Vec::new();
        pc3_program::walk::runtime_lengths(self.u, q, &mut list);
        list
    }

    /// Does the type depend on a runtime length?
    pub(crate) fn is_vm(&self, q: QualType) -> bool {
        match self.u.ty(q.ty) {
            Type::Pointer(t) => self.is_vm(*t),
            Type::Array { elem, len } => matches!(len, ArrayLen::Vla(_)) || self.is_vm(*elem),
            _ => false,
        }
    }
}
