//! What the compiler declares by itself: builtin types, functions and names.

use crate::diag::{Code, Diagnostic};
use crate::lower::scopes::NewSymbol;
use crate::lower::Lower;
use crate::tree::*;

impl Lower {
    pub fn declare_builtin_types(&mut self) {
        use FloatKind::*;
        let list = [
            ("__builtin_va_list", Type::VaList),
            ("__int128_t", Type::Int(IntKind::Int128)),
            ("__uint128_t", Type::Int(IntKind::UInt128)),
            ("__float128", Type::Float(Float128)),
            ("__float80", Type::Float(LongDouble)),
            ("__fp16", Type::Unsupported(0..0)),
            ("__bf16", Type::Unsupported(0..0)),
            ("__ibm128", Type::Unsupported(0..0)),
            ("__builtin_ms_va_list", Type::Unsupported(0..0)),
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
    pub fn declare_implicit(&mut self, name: &str, span: &Span) -> SymId {
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
        });
        self.globals.insert(name.into(), id);
        id
    }

    /// Return type of a builtin, or of a library function the compiler knows.
    fn builtin_ret(&mut self, name: &str) -> Option<QualType> {
        let is_builtin = name.starts_with("__builtin_")
            || name.starts_with("__sync_")
            || name.starts_with("__atomic_");
        let base = name.strip_prefix("__builtin_").unwrap_or(name);
        // __builtin___memcpy_chk
        let base = base
            .strip_prefix("__")
            .filter(|_| is_builtin)
            .unwrap_or(base);
        let base = base.strip_suffix("_chk").unwrap_or(base);
        let void = self.types.void();
        let char_ = self.types.int(IntKind::Char);
        let size = self.unit.target.size;
        Some(match base {
            "alloca"
            | "alloca_with_align"
            | "malloc"
            | "calloc"
            | "realloc"
            | "memcpy"
            | "memmove"
            | "memset"
            | "mempcpy"
            | "memchr"
            | "aligned_alloc"
            | "assume_aligned"
            | "return_address"
            | "frame_address"
            | "extract_return_addr"
            | "apply"
            | "apply_args"
            | "thread_pointer"
            | "eh_return_data_regno"
            | "extend_pointer"
            | "va_arg_pack_ptr"
            | "stack_save"
            | "launder" => self.types.pointer(void),
            "strcpy" | "strncpy" | "strcat" | "strncat" | "stpcpy" | "stpncpy" | "strchr"
            | "strrchr" | "strstr" | "strpbrk" | "strdup" | "strndup" | "index" | "rindex"
            | "FILE" | "FUNCTION" => self.types.pointer(char_),
            "strlen" | "strnlen" | "strspn" | "strcspn" | "object_size" | "dynamic_object_size" => {
                self.types.int(size)
            }
            "expect"
            | "expect_with_probability"
            | "labs"
            | "lround"
            | "lroundf"
            | "lroundl"
            | "lrint"
            | "lrintf"
            | "lrintl" => self.types.int(IntKind::Long),
            "llabs" | "llround" | "llroundf" | "llroundl" | "llrint" | "llrintf" | "llrintl" => {
                self.types.int(IntKind::LongLong)
            }
            "unreachable" | "trap" | "prefetch" | "va_start" | "va_end" | "va_copy"
            | "stdarg_start" | "exit" | "_exit" | "_Exit" | "abort" | "free" | "bzero"
            | "bcopy" | "return" | "init_trampoline" | "stack_restore" | "clear_cache"
            | "___clear_cache" | "longjmp" | "eh_return" | "unwind_init" | "cpu_init"
            | "clear_padding" | "ia32_pause" | "debugtrap" => void,
            "bswap16" => self.types.int(IntKind::UShort),
            "bswap32" => self.types.int(IntKind::UInt),
            "bswap64" => {
                let k = if self.unit.target.long_bits == 64 {
                    IntKind::ULong
                } else {
                    IntKind::ULongLong
                };
                self.types.int(k)
            }
            "bswap128" => self.types.int(IntKind::UInt128),
            "va_arg_pack"
            | "va_arg_pack_len"
            | "constant_p"
            | "classify_type"
            | "ffs"
            | "ffsl"
            | "ffsll"
            | "clz"
            | "clzl"
            | "clzll"
            | "ctz"
            | "ctzl"
            | "ctzll"
            | "clrsb"
            | "clrsbl"
            | "clrsbll"
            | "popcount"
            | "popcountl"
            | "popcountll"
            | "parity"
            | "parityl"
            | "parityll"
            | "isnan"
            | "isnanf"
            | "isnanl"
            | "isinf"
            | "isinff"
            | "isinfl"
            | "isinf_sign"
            | "isfinite"
            | "finite"
            | "finitef"
            | "finitel"
            | "isnormal"
            | "fpclassify"
            | "signbit"
            | "signbitf"
            | "signbitl"
            | "isgreater"
            | "isgreaterequal"
            | "isless"
            | "islessequal"
            | "islessgreater"
            | "isunordered"
            | "setjmp"
            | "memcmp"
            | "bcmp"
            | "strcmp"
            | "strncmp"
            | "strcasecmp"
            | "strncasecmp"
            | "printf"
            | "fprintf"
            | "sprintf"
            | "snprintf"
            | "vprintf"
            | "vfprintf"
            | "vsprintf"
            | "vsnprintf"
            | "puts"
            | "fputs"
            | "putchar"
            | "fputc"
            | "putc"
            | "printf_unlocked"
            | "fprintf_unlocked"
            | "puts_unlocked"
            | "fputs_unlocked"
            | "fwrite_unlocked"
            | "scanf"
            | "sscanf"
            | "fscanf"
            | "abs"
            | "toupper"
            | "tolower"
            | "isalpha"
            | "isdigit"
            | "isspace"
            | "isupper"
            | "islower"
            | "isalnum"
            | "isprint"
            | "ispunct"
            | "iscntrl"
            | "isgraph"
            | "isxdigit"
            | "isblank"
            | "toascii"
            | "isascii"
            | "ilogb"
            | "ilogbf"
            | "ilogbl"
            | "cpu_is"
            | "cpu_supports"
            | "speculation_safe_value"
            | "LINE"
            | "eq_gxx" => self.types.int(IntKind::Int),
            "fwrite" => self.types.int(size),
            _ if base.ends_with("_overflow") => self.types.plain(Type::Bool),
            _ if base.ends_with("_overflow_p") => self.types.plain(Type::Bool),
            // Typed by their arguments, see builtin_call_ty.
            "choose_expr" | "complex" | "shuffle" | "shufflevector" | "tgmath"
            | "convertvector" => self.types.int(IntKind::Int),
            _ if name.starts_with("__sync_") || name.starts_with("__atomic_") => void,
            _ => return self.math_ret(base),
        })
    }

    /// `sqrt`, `sqrtf`, `sqrtl`, `cabs`: by the suffix.
    fn math_ret(&mut self, name: &str) -> Option<QualType> {
        const REAL: &[&str] = &[
            "acos",
            "acosh",
            "asin",
            "asinh",
            "atan",
            "atan2",
            "atanh",
            "cbrt",
            "ceil",
            "copysign",
            "cos",
            "cosh",
            "drem",
            "erf",
            "erfc",
            "exp",
            "exp10",
            "exp2",
            "expm1",
            "fabs",
            "fdim",
            "floor",
            "fma",
            "fmax",
            "fmin",
            "fmod",
            "frexp",
            "gamma",
            "huge_val",
            "hypot",
            "inf",
            "j0",
            "j1",
            "jn",
            "ldexp",
            "lgamma",
            "log",
            "log10",
            "log1p",
            "log2",
            "logb",
            "modf",
            "nan",
            "nans",
            "nearbyint",
            "nextafter",
            "nexttoward",
            "pow",
            "pow10",
            "powi",
            "remainder",
            "remquo",
            "rint",
            "round",
            "roundeven",
            "scalb",
            "scalbln",
            "scalbn",
            "significand",
            "sin",
            "sinh",
            "sqrt",
            "tan",
            "tanh",
            "tgamma",
            "trunc",
            "y0",
            "y1",
            "yn",
            "cabs",
            "carg",
            "cimag",
            "creal",
        ];
        const COMPLEX: &[&str] = &[
            "cacos", "cacosh", "casin", "casinh", "catan", "catanh", "ccos", "ccosh", "cexp",
            "clog", "cpow", "cproj", "csin", "csinh", "csqrt", "ctan", "ctanh", "conj", "complex",
        ];
        let suffixes = [
            ("", FloatKind::Double),
            ("f", FloatKind::Float),
            ("l", FloatKind::LongDouble),
            ("f16", FloatKind::Float16),
            ("d32", FloatKind::Decimal32),
            ("d64", FloatKind::Decimal64),
            ("d128", FloatKind::Decimal128),
            ("f32", FloatKind::Float),
            ("f64", FloatKind::Double),
            ("f32x", FloatKind::Double),
            ("f64x", FloatKind::LongDouble),
            ("f128", FloatKind::Float128),
            ("q", FloatKind::Float128),
        ];
        suffixes.into_iter().find_map(|(s, kind)| {
            let stem = name.strip_suffix(s)?;
            if REAL.contains(&stem) {
                return Some(self.types.plain(Type::Float(kind)));
            }
            COMPLEX
                .contains(&stem)
                .then(|| self.types.plain(Type::Complex(kind)))
        })
    }

    /// Type of a call whose type depends on its arguments.
    pub fn builtin_call_ty(&mut self, name: &str, args: &[ExprId]) -> Option<QualType> {
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
                Some(crate::lower::typing::Arith::Float(k)) => {
                    Some(self.types.plain(Type::Complex(k)))
                }
                _ => None,
            },
            (
                "__builtin_shuffle"
                | "__builtin_shufflevector"
                | "__builtin_speculation_safe_value"
                | "__builtin_launder",
                [a, ..],
            ) => Some(self.value_ty(*a)),
            ("__builtin_tgmath", [_, rest @ ..]) => {
                // Functions first, then the arguments: the widest argument decides; integers count as double.
                let args: Vec<ExprId> = rest
                    .iter()
                    .copied()
                    .filter(|a| self.arith(*a).is_some())
                    .collect();
                let mut best = self.types.plain(Type::Float(FloatKind::Float));
                for a in args {
                    let ty = match self.arith(a)? {
                        crate::lower::typing::Arith::Int(_) => Type::Float(FloatKind::Double),
                        crate::lower::typing::Arith::Float(k) => Type::Float(k),
                        crate::lower::typing::Arith::Complex(_)
                        | crate::lower::typing::Arith::ComplexInt(_) => {
                            return Some(self.unsupported(self.unit.expr(a).span.clone()))
                        }
                    };
                    if let (Type::Float(k), Type::Float(b)) = (&ty, self.types.get(best.ty)) {
                        if crate::lower::typing::wider(*k, *b) == *k {
                            best = self.types.plain(ty);
                        }
                    }
                }
                Some(best)
            }
            _ => None,
        }
    }
}
