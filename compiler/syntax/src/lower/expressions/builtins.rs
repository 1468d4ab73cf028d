//! What the compiler declares by itself: builtin types, functions and names.

use crate::diag::{Code, Diagnostic};
use crate::lower::scopes::NewSymbol;
use crate::lower::typing::{wider, Arith};
use crate::lower::Lower;
use crate::tree::*;

impl Lower {
    pub(crate) fn declare_builtin_types(&mut self) {
        use FloatKind::*;
        let list = [
            ("__builtin_va_list", Type::VaList),
            ("__int128_t", Type::Int(IntKind::Int128)),
            ("__uint128_t", Type::Int(IntKind::UInt128)),
            ("__float128", Type::Float(Float128)),
            ("__float80", Type::Float(LongDouble)),
            ("__fp16", Type::Unsupported(Unknown::Named("__fp16"))),
            ("__bf16", Type::Unsupported(Unknown::Named("__bf16"))),
            ("__ibm128", Type::Unsupported(Unknown::Named("__ibm128"))),
            (
                "__builtin_ms_va_list",
                Type::Unsupported(Unknown::Named("__builtin_ms_va_list")),
            ),
        ];
        for (name, ty) in list {
            let ty = self.types.plain(ty);
            self.declare(NewSymbol {
                name: name.into(),
                span: None,
                kind: SymKind::Typedef,
                ty,
                storage: None,
                thread_local: false,
                initialised: false,
                attributes: Vec::new(),
            });
        }
    }

    /// A function that is called without having been declared.
    pub(crate) fn declare_implicit(&mut self, name: &str, span: &Span) -> SymId {
        let ret = self.builtin_ret(name);
        if ret.is_none() && name.starts_with("__builtin_") {
            let d = Diagnostic::warning(
                Code::UnknownBuiltin,
                format!("the type of `{name}` is not known to pc3cc"),
            );
            self.diags
                .push(d.at_text(&self.p.lines, &self.p.text, span));
        }
        let ret = match ret {
            Some(ret) => ret,
            None if name.starts_with("__builtin_") => self.unsupported(span.clone()),
            None => self.types.int(IntKind::Int),
        };
        let ty = self.types.plain(Type::Function {
            ret,
            params: Vec::new(),
            variadic: false,
            prototype: false,
        });
        if let Some(&s) = self.globals.get(name) {
            // Declared in another block.
            return s;
        }
        let id = SymId(self.unit.symbols.len() as u32);
        self.unit.symbols.push(Symbol {
            name: name.into(),
            kind: SymKind::Func,
            ty,
            storage: Storage::Extern,
            thread_local: false,
            func: None,
            is_global: true,
            initialised: false,
            defined: false,
            decls: Vec::new(),
            value: None,
            system: false,
            implicit: true,
            attributes: Vec::new(),
            alignments: Vec::new(),
            named: None,
        });
        self.globals.insert(name.into(), id);
        id
    }

    /// Type of a call whose type depends on its arguments.
    pub(crate) fn builtin_call_ty(&mut self, name: &str, args: &[ExprId]) -> Option<QualType> {
        let pointee = |l: &mut Lower| {
            let p = l.value_ty(*args.first()?);
            l.types.pointee(p).map(QualType::unqualified)
        };
        if let Some(op) = name.strip_prefix("__sync_") {
            return match op {
                "synchronize" | "lock_release" => Some(self.types.void()),
                _ if op.starts_with("bool_") => Some(self.types.plain(Type::Bool)),
                _ => pointee(self),
            };
        }
        if let Some(op) = name.strip_prefix("__atomic_") {
            return match op {
                "load_n" | "exchange_n" => pointee(self),
                "compare_exchange" | "compare_exchange_n" | "test_and_set" | "always_lock_free"
                | "is_lock_free" => Some(self.types.plain(Type::Bool)),
                _ if op.starts_with("fetch_") || op.ends_with("_fetch") => pointee(self),
                _ => Some(self.types.void()),
            };
        }
        match (name, args) {
            ("__builtin_choose_expr", [c, ..]) => {
                // Of which nobody knows what it chooses.
                let span = self.unit.expr(*c).span.clone();
                Some(self.unsupported(span))
            }
            ("__builtin_complex", [a, _]) => match self.arith(*a) {
                Some(Arith::Float(k)) => Some(self.types.plain(Type::Complex(k))),
                _ => None,
            },
            (
                "__builtin_shuffle"
                | "__builtin_shufflevector"
                | "__builtin_speculation_safe_value"
                | "__builtin_launder",
                [a, ..],
            ) => Some(self.value_ty(*a)),
            ("__builtin_tgmath", all) => self.tgmath(all),
            _ => None,
        }
    }

    /// What the function gives that `__builtin_tgmath` calls: functions first, of as many parameters as arguments follow. The
    /// arguments of parameters that differ between the functions decide, the widest of them; integers count as double.
    fn tgmath(&mut self, all: &[ExprId]) -> Option<QualType> {
        let mut functions = Vec::new();
        for e in all {
            let ty = self.value_ty(*e);
            match self.types.pointee(ty).map(|f| self.types.get(f.ty)) {
                Some(Type::Function { ret, params, .. }) => {
                    functions.push((ret.unqualified(), params.iter().map(|q| q.ty).collect()));
                }
                _ => break,
            }
        }
        let functions: Vec<(QualType, Vec<TypeId>)> = functions;
        let args = all.get(functions.len()..)?;
        let (_, first) = functions.first()?;
        let differs = |i: &usize| functions.iter().any(|(_, p)| p.get(*i) != first.get(*i));
        let deciding: Vec<usize> = (0..args.len()).filter(differs).collect();
        let (mut widest, mut complex) = (FloatKind::Float16, false);
        for i in &deciding {
            let kind = match self.arith(args[*i])? {
                Arith::Int(_) => FloatKind::Double,
                Arith::Float(k) => k,
                Arith::Complex(k) => {
                    complex = true;
                    k
                }
                Arith::ComplexInt(_) => {
                    complex = true;
                    FloatKind::Double
                }
            };
            widest = wider(widest, kind);
        }
        let at = *deciding.first()?;
        let takes = |wanted: &Type| {
            let of = |p: &Vec<TypeId>| p.get(at).is_some_and(|t| self.types.get(*t) == wanted);
            functions.iter().find(|(_, p)| of(p)).map(|(ret, _)| *ret)
        };
        // Functions of complex numbers alone take others, too.
        let real = takes(&Type::Float(widest)).filter(|_| !complex);
        let found = real.or_else(|| takes(&Type::Complex(widest)));
        Some(found.unwrap_or_else(|| self.unsupported(self.unit.expr(args[at]).span.clone())))
    }
}
