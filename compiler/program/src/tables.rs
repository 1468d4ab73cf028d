//! What is known about library functions.

pub use pc3_syntax::names::is_mpi;
use pc3_syntax::tree::*;

/// Library functions that keep a pointer they are given.
pub fn retains(name: &str) -> bool {
    if let Some(rest) = name
        .strip_prefix("MPI_")
        .or_else(|| name.strip_prefix("PMPI_"))
    {
        return (rest.starts_with('I')
            && !matches!(
                rest,
                "Init"
                    | "Init_thread"
                    | "Initialized"
                    | "Info_create"
                    | "Is_thread_main"
                    | "Iprobe"
                    | "Improbe"
                    | "Intercomm_create"
                    | "Intercomm_merge"
            )
            && !rest.starts_with("Info_"))
            || rest.ends_with("_init")
            || rest.ends_with("_init_c")
            || rest.starts_with("File_i")
            || matches!(
                rest,
                "Buffer_attach"
                    | "Comm_create_keyval"
                    | "Comm_set_attr"
                    | "Keyval_create"
                    | "Type_create_keyval"
                    | "Type_set_attr"
                    | "Attr_put"
                    | "Win_create"
                    | "Win_create_c"
                    | "Win_create_keyval"
                    | "Win_set_attr"
                    | "Win_attach"
                    | "Grequest_start"
                    | "Register_datarep"
                    | "Register_datarep_c"
                    | "Get_address"
                    | "Address"
            );
    }
    matches!(
        name,
        "setvbuf"
            | "setbuf"
            | "setbuffer"
            | "putenv"
            | "signal"
            | "sigaltstack"
            | "pthread_create"
            | "pthread_setspecific"
            | "tsearch"
            | "hsearch"
            | "insque"
            | "fmemopen"
            | "open_memstream"
            | "aio_read"
            | "aio_write"
            | "lio_listio"
            | "on_exit"
            | "atexit"
            | "pc3_on"
            | "strtok"
            | "initstate"
            | "setstate"
            | "initstate_r"
            | "setstate_r"
            | "thrd_create"
            | "tss_set"
            | "hsearch_r"
            | "open_wmemstream"
            | "fopencookie"
            | "timer_create"
            | "makecontext"
            | "pthread_attr_setstack"
            | "obstack_init"
            | "glob"
            | "regcomp"
    )
}

/// Does the statement `e;` never finish?
pub(crate) fn never_returns(u: &Unit, e: ExprId) -> bool {
    let ExprKind::Call { callee, .. } = &u.expr(e).kind else {
        return false;
    };
    let ExprKind::Ident(s) = u.expr(*callee).kind else {
        return false;
    };
    let s = u.sym(s);
    s.is_global
        && !s.initialised
        && (matches!(
            s.name.as_str(),
            "exit"
                | "_Exit"
                | "_exit"
                | "abort"
                | "longjmp"
                | "__assert_fail"
                | "__builtin_unreachable"
                | "__builtin_trap"
                | "quick_exit"
        ) || s.attributes.iter().any(|a| a == "noreturn"))
}

/// A direct call of a function with that attribute.
pub fn is_declared_noreturn(u: &Unit, call: ExprId) -> bool {
    let ExprKind::Call { callee, .. } = &u.expr(call).kind else {
        return false;
    };
    matches!(u.expr(*callee).kind, ExprKind::Ident(s) if u.sym(s).kind == SymKind::Func
        && u.sym(s).attributes.iter().any(|a| a == "noreturn"))
}

/// Functions that return twice, and can be made to again after a restart.
pub(crate) fn is_jump_target(name: &str) -> bool {
    matches!(name, "setjmp" | "_setjmp" | "sigsetjmp" | "__sigsetjmp")
}

/// The record behind `jmp_buf`.
pub const JUMP_BUFFER: &str = "__jmp_buf_tag";

/// Functions that return twice.
pub fn is_setjmp(name: &str) -> bool {
    matches!(
        name,
        "setjmp"
            | "_setjmp"
            | "sigsetjmp"
            | "__sigsetjmp"
            | "__builtin_setjmp"
            | "vfork"
            | "getcontext"
    )
}

/// Is a value of that name what threads wait for each other with?  Only one C library's are known.
pub fn is_lock(u: &Unit, d: &Record, name: &str) -> bool {
    let fields = || d.fields.iter().flatten();
    let has = |name: &str| fields().any(|f| f.name.as_deref() == Some(name));
    let system = d.def.as_ref().is_some_and(|s| u.lines.is_system(s.start));
    system
        && d.is_union
        && match name {
            "pthread_mutex_t" | "pthread_rwlock_t" | "pthread_cond_t" => has("__data"),
            "mtx_t"
            | "cnd_t"
            | "pthread_barrier_t"
            | "sem_t"
            | "pthread_mutexattr_t"
            | "pthread_condattr_t"
            | "pthread_rwlockattr_t"
            | "pthread_barrierattr_t" => has("__size"),
            _ => false,
        }
}

/// Does an MPI function make a number of an address, its first argument, and put it where the second leads?
pub fn makes_number(name: &str) -> bool {
    matches!(
        name.strip_prefix('P').unwrap_or(name),
        "MPI_Get_address" | "MPI_Address"
    )
}
