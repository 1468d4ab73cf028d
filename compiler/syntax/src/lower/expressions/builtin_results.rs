//! What builtin functions, and those of the C library that the compiler knows, return.

use crate::lower::Lower;
use crate::tree::*;

/// What a function returns, whatever it is given.
#[derive(Clone, Copy)]
enum Returns {
    Void,
    VoidPointer,
    CharPointer,
    Size,
    Long,
    LongLong,
    UShort,
    UInt,
    /// `uint64_t`
    UInt64,
    UInt128,
    Int,
}

/// By the names without `__builtin_`.
const RETURNS: &[(Returns, &str)] = &[
    (
        Returns::VoidPointer,
        "alloca alloca_with_align malloc calloc realloc memcpy memmove memset mempcpy memchr \
        aligned_alloc assume_aligned return_address frame_address extract_return_addr apply \
        apply_args thread_pointer eh_return_data_regno extend_pointer va_arg_pack_ptr \
        stack_save launder",
    ),
    (
        Returns::CharPointer,
        "strcpy strncpy strcat strncat stpcpy stpncpy strchr strrchr strstr strpbrk strdup \
        strndup index rindex FILE FUNCTION",
    ),
    (
        Returns::Size,
        "strlen strnlen strspn strcspn object_size dynamic_object_size fwrite vectorelements",
    ),
    (
        Returns::Long,
        "expect expect_with_probability labs lround lroundf lroundl lrint lrintf lrintl",
    ),
    (
        Returns::LongLong,
        "llabs llround llroundf llroundl llrint llrintf llrintl",
    ),
    (
        Returns::Void,
        "unreachable trap prefetch va_start c23_va_start va_end va_copy stdarg_start exit _exit _Exit \
        abort free bzero bcopy return init_trampoline stack_restore clear_cache \
        ___clear_cache longjmp eh_return unwind_init cpu_init clear_padding ia32_pause \
        debugtrap",
    ),
    (Returns::UShort, "bswap16"),
    (Returns::UInt, "bswap32"),
    (Returns::UInt64, "bswap64"),
    (Returns::UInt128, "bswap128"),
    (
        Returns::Int,
        "va_arg_pack va_arg_pack_len constant_p classify_type ffs ffsl ffsll clz clzl clzll \
        ctz ctzl ctzll clrsb clrsbl clrsbll popcount popcountl popcountll parity parityl \
        parityll isnan isnanf isnanl isinf isinff isinfl isinf_sign isfinite finite finitef \
        finitel isnormal fpclassify signbit signbitf signbitl isgreater isgreaterequal \
        isless islessequal islessgreater isunordered setjmp memcmp bcmp strcmp strncmp \
        strcasecmp strncasecmp printf fprintf sprintf snprintf vprintf vfprintf vsprintf \
        vsnprintf puts fputs putchar fputc putc printf_unlocked fprintf_unlocked \
        puts_unlocked fputs_unlocked fwrite_unlocked scanf sscanf fscanf abs toupper tolower \
        isalpha isdigit isspace isupper islower isalnum isprint ispunct iscntrl isgraph \
        isxdigit isblank toascii isascii ilogb ilogbf ilogbl cpu_is cpu_supports \
        speculation_safe_value LINE eq_gxx",
    ),
];

/// Typed by their arguments, see `builtin_call_ty`.
const BY_ARGUMENTS: &str = "choose_expr complex shuffle shufflevector tgmath convertvector";

/// Of mathematics, with a real result: `sqrt`; `sqrtf` and `sqrtl` by their suffixes.
const REAL: &str =
    "acos acosh asin asinh atan atan2 atanh cbrt ceil copysign cos cosh drem erf erfc exp \
    exp10 exp2 expm1 fabs fdim floor fma fmax fmin fmod frexp gamma huge_val hypot inf j0 j1 \
    jn ldexp lgamma log log10 log1p log2 logb modf nan nans nearbyint nextafter nexttoward \
    pow pow10 powi remainder remquo rint round roundeven scalb scalbln scalbn significand \
    sin sinh sqrt tan tanh tgamma trunc y0 y1 yn cabs carg cimag creal";

/// With a complex one.
const COMPLEX: &str =
    "cacos cacosh casin casinh catan catanh ccos ccosh cexp clog cpow cproj csin csinh csqrt \
    ctan ctanh conj complex";

const SUFFIXES: &[(&str, FloatKind)] = &[
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

fn lists(names: &str, name: &str) -> bool {
    names.split_ascii_whitespace().any(|n| n == name)
}

impl Lower {
    /// Return type of a builtin, or of a library function the compiler knows.
    pub(super) fn builtin_ret(&mut self, name: &str) -> Option<QualType> {
        let is_atomic = name.starts_with("__sync_") || name.starts_with("__atomic_");
        let is_builtin = name.starts_with("__builtin_") || is_atomic;
        let base = name.strip_prefix("__builtin_").unwrap_or(name);
        // __builtin___memcpy_chk
        let base = base
            .strip_prefix("__")
            .filter(|_| is_builtin)
            .unwrap_or(base);
        let base = base.strip_suffix("_chk").unwrap_or(base);
        let known = RETURNS.iter().find(|(_, names)| lists(names, base));
        if let Some((returns, _)) = known {
            return Some(self.returned(*returns));
        }
        if base.ends_with("_overflow") || base.ends_with("_overflow_p") {
            return Some(self.types.plain(Type::Bool));
        }
        if lists(BY_ARGUMENTS, base) {
            return Some(self.types.int(IntKind::Int));
        }
        if is_atomic {
            return Some(self.types.void());
        }
        self.math_ret(base)
    }

    fn returned(&mut self, what: Returns) -> QualType {
        let kind = match what {
            Returns::Void => return self.types.void(),
            Returns::VoidPointer => {
                let void = self.types.void();
                return self.types.pointer(void);
            }
            Returns::CharPointer => {
                let char_ = self.types.int(IntKind::Char);
                return self.types.pointer(char_);
            }
            Returns::Size => self.unit.target.size,
            Returns::Long => IntKind::Long,
            Returns::LongLong => IntKind::LongLong,
            Returns::UShort => IntKind::UShort,
            Returns::UInt => IntKind::UInt,
            Returns::UInt64 if self.unit.target.long_bits == 64 => IntKind::ULong,
            Returns::UInt64 => IntKind::ULongLong,
            Returns::UInt128 => IntKind::UInt128,
            Returns::Int => IntKind::Int,
        };
        self.types.int(kind)
    }

    /// `sqrt`, `sqrtf`, `sqrtl`, `cabs`: by the suffix.
    fn math_ret(&mut self, name: &str) -> Option<QualType> {
        let of = |(suffix, kind): &(&str, FloatKind)| {
            let stem = name.strip_suffix(suffix)?;
            match (lists(REAL, stem), lists(COMPLEX, stem)) {
                (true, _) => Some(Type::Float(*kind)),
                (_, true) => Some(Type::Complex(*kind)),
                _ => None,
            }
        };
        let ty = SUFFIXES.iter().find_map(of)?;
        Some(self.types.plain(ty))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_function_is_in_two_lists() {
        let all = RETURNS.iter().map(|(_, names)| *names);
        let all = all.chain([BY_ARGUMENTS, REAL]);
        let mut names: Vec<&str> = all.flat_map(str::split_ascii_whitespace).collect();
        names.sort_unstable();
        let twice: Vec<_> = names.windows(2).filter(|w| w[0] == w[1]).collect();
        assert!(twice.is_empty(), "{twice:?}");
    }
}
