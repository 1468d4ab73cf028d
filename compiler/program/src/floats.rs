//! Does the program look at the floating-point environment, or change it?

use crate::program::{Callee, Program};
use memchr::memmem;
use pc3_syntax::parallel;
use pc3_syntax::tree::*;

/// Functions that do; `fenv.h`'s begin with `fe`.
fn touches(name: &str) -> bool {
    const OTHERS: &[&str] = &[
        "_mm_getcsr",
        "_mm_setcsr",
        "__builtin_ia32_ldmxcsr",
        "__builtin_ia32_stmxcsr",
        "__builtin_aarch64_get_fpcr",
        "__builtin_aarch64_set_fpcr",
        "__builtin_aarch64_get_fpsr",
        "__builtin_aarch64_set_fpsr",
        "__builtin_s390_sfpc",
        "__builtin_s390_efpc",
        "__builtin_arm_get_fpscr",
        "__builtin_arm_set_fpscr",
        "__builtin_riscv_frflags",
        "__builtin_riscv_fsflags",
        "__setfpucw",
    ];
    const STANDARD: &[&str] = &[
        "feclearexcept",
        "fedisableexcept",
        "feenableexcept",
        "fegetenv",
        "fegetexcept",
        "fegetexceptflag",
        "fegetmode",
        "fegetround",
        "feholdexcept",
        "feraiseexcept",
        "fesetenv",
        "fesetexcept",
        "fesetexceptflag",
        "fesetmode",
        "fesetround",
        "fetestexcept",
        "fetestexceptflag",
        "feupdateenv",
    ];
    STANDARD.contains(&name.strip_prefix("__builtin_").unwrap_or(name))
        || OTHERS.contains(&name)
        || name.starts_with("_MM_SET_")
        || name.starts_with("_MM_GET_")
}

/// Instructions that do.
const INSTRUCTIONS: &[&str] = &[
    "fldcw", "fldenv", "fnstcw", "fnstsw", "ldmxcsr", "stmxcsr", "fpcr", "fpsr", "fpscr", "sfpc",
    "efpc", "lfpc", "srnm", "fcsr", "frcsr", "fscsr", "frm", "frrm", "fsrm", "fflags", "frflags",
    "fsflags",
];

/// In the text of an inline assembler statement; builtins' names have a letter in front.
fn in_assembly(u: &Unit) -> bool {
    let text = u.text.as_bytes();
    let inside = |i: usize| {
        let before = i.checked_sub(1).map(|i| text[i]);
        before.is_some_and(|b| !b.is_ascii_alphanumeric() && b != b'_')
    };
    memmem::find(text, b"asm").is_some()
        && (INSTRUCTIONS.iter()).any(|name| memmem::find_iter(text, name).any(inside))
}

pub fn used(p: &Program) -> bool {
    let used = parallel::map(p.units, |i, u| {
        let mentioned = u.exprs.iter().any(|e| match e.kind {
            ExprKind::Ident(s) => {
                let known = u.sym(s).kind == SymKind::Func && touches(&u.sym(s).name);
                // Headers of the compiler define some by others.
                known
                    && !u.lines.position(e.span.start).file.ends_with("intrin.h")
                    && match p.resolve(i, s) {
                        Callee::External(_) => true,
                        Callee::Defined(f) => p.unit(f).lines.is_system(p.func(f).span.start),
                    }
            }
            _ => false,
        });
        mentioned || in_assembly(u)
    });
    used.contains(&true)
}
