//! Library calls that become calls of the runtime.

use super::cleared;
use crate::rewrite::unit::UnitCx;
use pc3_libc::state::{self, How};
use pc3_portability::datatypes::Counts;
use pc3_portability::heap::mpis_place;
use pc3_program::tables;
use pc3_program::walk::strip_casts;
use pc3_syntax::tree::*;
use pc3_typemetric::descriptor::{
    PC3_COUNTS_APART, PC3_COUNTS_EXTENTS, PC3_COUNTS_FIXED, PC3_COUNTS_PLACES, PC3_COUNTS_PLAIN,
    PC3_COUNTS_VARIES,
};
use pc3_unions::tracking::contains;

/// Runtime functions that take an allocation site as a last argument.
fn allocates(name: &str) -> Option<&'static str> {
    Some(match name {
        "malloc" | "__builtin_malloc" => "pc3_malloc",
        "calloc" | "__builtin_calloc" => "pc3_calloc",
        "realloc" | "__builtin_realloc" => "pc3_realloc",
        "reallocarray" => "pc3_reallocarray",
        "aligned_alloc" | "memalign" => "pc3_aligned_alloc",
        "posix_memalign" => "pc3_posix_memalign",
        "valloc" => "pc3_valloc",
        "mmap" | "mmap64" => "pc3_mmap",
        _ => return None,
    })
}

/// Runtime functions declared in the prelude that are called as the library's.
fn plain(name: &str, mpi: bool) -> Option<&'static str> {
    Some(match name {
        "free" | "__builtin_free" | "cfree" => "pc3_free",
        "strdup" | "__strdup" | "__builtin_strdup" => "pc3_strdup",
        "strndup" | "__strndup" | "__builtin_strndup" => "pc3_strndup",
        "exit" if mpi => "pc3_exit",
        _ => return None,
    })
}

/// Replaced with the same type as the library's: the unit declares them.
fn same_type(cx: &UnitCx, s: SymId, name: &str) -> Option<String> {
    let (mpi, jumps) = (cx.mpi, cx.has_points);
    let known = matches!(
        name,
        "getline"
            | "getdelim"
            | "malloc_usable_size"
            | "asprintf"
            | "vasprintf"
            | "fclose"
            | "close"
            | "setvbuf"
            | "setbuf"
            | "setbuffer"
            | "setlinebuf"
            | "munmap"
            | "mremap"
            | "mprotect"
            | "shmdt"
            | "read"
            | "signal"
            | "bsd_signal"
            | "ssignal"
            | "sysv_signal"
            | "__sysv_signal"
            | "sigset"
            | "sigaction"
            | "atexit"
            | "on_exit"
            | "timer_delete"
            | "fileno"
            | "siginterrupt"
            | "closefrom"
            | "close_range"
    ) || makes(name)
        || (mpi
            && matches!(
                name,
                "_Exit"
                    | "_exit"
                    | "abort"
                    | "chdir"
                    | "fchdir"
                    | "umask"
                    | "ftruncate"
                    | "ftruncate64"
                    | "alarm"
                    | "setitimer"
                    | "getitimer"
                    | "uselocale"
            ))
        || (mpi && (finds_holder(name) || asks_system(cx.u, s, name)))
        // No epoch comes to a program without a location.
        || (mpi && jumps && prints(cx.u, s, name));
    if matches!(
        name,
        "longjmp" | "_longjmp" | "siglongjmp" | "__longjmp_chk"
    ) {
        return jumps.then(|| "pc3_longjmp".into());
    }
    match name {
        "fopen64" | "freopen64" | "tmpfile64" | "open64" | "openat64" | "creat64" => {
            Some(format!("pc3_{}", name.trim_end_matches("64")))
        }
        "__getdelim" => Some("pc3_getdelim".into()),
        "fileno_unlocked" => Some("pc3_fileno".into()),
        "ftruncate" if mpi && declared_as(cx.u, s, |name| name.ends_with("64")) => {
            Some("pc3_ftruncate64".into())
        }
        "signal" if calls_once(cx.u, s) => Some("pc3_sysv_signal".into()),
        "bsd_signal" | "ssignal" => Some("pc3_signal".into()),
        "__sysv_signal" => Some("pc3_sysv_signal".into()),
        "_exit" | "_Exit" if mpi => Some("pc3__exit".into()),
        _ => known.then(|| format!("pc3_{name}")),
    }
}

/// Is `signal` declared as another of the library's, which calls a handler once?  Programs get that which ask for standard C alone.
fn calls_once(u: &Unit, s: SymId) -> bool {
    declared_as(u, s, |name| name == "__sysv_signal")
}

/// Is it declared to be another function, of such a name?
fn declared_as(u: &Unit, s: SymId, is: impl Fn(&str) -> bool) -> bool {
    let behind = |d: &Span| {
        u.text[d.end as usize..]
            .split(';')
            .next()
            .unwrap_or_default()
    };
    let mut decls = u.sym(s).decls.iter();
    decls.any(|d| behind(d).split('"').skip(1).step_by(2).any(&is))
}

/// Clocks and sources of random numbers: what they say may have to be logged. Where the unit has asked for times of another width
/// than the library's own, they are another function.
fn asks_system(u: &Unit, s: SymId, name: &str) -> bool {
    let known = matches!(
        name,
        "time"
            | "gettimeofday"
            | "clock_gettime"
            | "timespec_get"
            | "clock"
            | "times"
            | "getrusage"
            | "getrandom"
            | "getentropy"
            | "arc4random"
            | "arc4random_buf"
            | "arc4random_uniform"
    );
    known && !declared_as(u, s, |name| name.ends_with("64"))
}

/// What writes to a stream or descriptor that may be standard output or error: who does so may have to be known.
fn prints(u: &Unit, s: SymId, name: &str) -> bool {
    let known = matches!(
        name,
        "printf"
            | "vprintf"
            | "fprintf"
            | "vfprintf"
            | "dprintf"
            | "vdprintf"
            | "puts"
            | "fputs"
            | "fputs_unlocked"
            | "putchar"
            | "putchar_unlocked"
            | "putc"
            | "putc_unlocked"
            | "fputc"
            | "fputc_unlocked"
            | "fwrite"
            | "fwrite_unlocked"
            | "perror"
            | "write"
    );
    // Where `long double` is not the library's usual one they have other names.
    known && !declared_as(u, s, |_| true)
}

/// Ones that look at who holds what they are given.
fn finds_holder(name: &str) -> bool {
    matches!(
        name,
        "pthread_mutex_lock"
            | "pthread_mutex_trylock"
            | "pthread_mutex_unlock"
            | "pthread_mutex_timedlock"
            | "pthread_mutex_destroy"
            | "mtx_lock"
            | "mtx_trylock"
            | "mtx_unlock"
            | "mtx_timedlock"
            | "pthread_rwlock_rdlock"
            | "pthread_rwlock_wrlock"
            | "pthread_rwlock_tryrdlock"
            | "pthread_rwlock_trywrlock"
            | "pthread_rwlock_timedrdlock"
            | "pthread_rwlock_timedwrlock"
            | "pthread_rwlock_unlock"
    )
}

/// Replaced ones that make something, which a message may have to name with the place of the call.
fn makes(name: &str) -> bool {
    let name = match name {
        "fopen64" | "freopen64" | "tmpfile64" | "open64" | "openat64" | "creat64" => {
            name.trim_end_matches("64")
        }
        _ => name,
    };
    matches!(
        name,
        "fopen"
            | "freopen"
            | "fdopen"
            | "tmpfile"
            | "popen"
            | "fmemopen"
            | "open_memstream"
            | "open"
            | "openat"
            | "creat"
            | "pipe"
            | "pipe2"
            | "socketpair"
            | "sbrk"
            | "pthread_create"
            | "thrd_create"
            | "timer_create"
            | "posix_spawn"
            | "posix_spawnp"
    )
}

/// Does a call of `fcntl` make a descriptor: F_DUPFD, F_DUPFD_CLOEXEC?
fn duplicates(u: &Unit, call: ExprId) -> bool {
    let ExprKind::Call { args, .. } = &u.expr(call).kind else {
        return false;
    };
    let how = args.get(1).and_then(|a| u.view().eval(*a));
    matches!(how, Some(0 | 1030))
}

/// What notes a call before it is made.
fn noted_before(name: &str) -> Option<&'static str> {
    match () {
        () if state::is(name, How::Listed) => Some("pc3_listed"),
        () if state::is(name, How::Begun) => Some("pc3_begun"),
        () => None,
    }
}

/// Begins a list of the library's anew, or ends it.
fn ends_list(name: &str) -> bool {
    name.strip_prefix("end")
        .or(name.strip_prefix("set"))
        .is_some_and(|rest| state::is(&format!("get{rest}"), How::Listed))
}

/// What ends an object of the library, given to it as the only argument.
fn ends(name: &str) -> bool {
    matches!(
        name,
        "freelocale"
            | "catclose"
            | "dlclose"
            | "fts_close"
            | "endmntent"
            | "sem_close"
            | "freeaddrinfo"
            | "freeifaddrs"
            | "if_freenameindex"
    )
}

#[derive(Default)]
pub struct Call {
    /// Replaces the callee's text.
    pub callee: Option<String>,
    /// Goes behind the last argument.
    pub extra: String,
    /// A call that this one's result is the last argument of, up to there.
    pub around: Option<String>,
}

/// What a direct call of library function `s` becomes.
pub(crate) fn library_call(cx: &UnitCx, call: ExprId, s: SymId, name: &str) -> Call {
    let mut r = Call::default();
    if !cx.noted.is_empty() && copies_unions(cx, call) {
        let name = name.trim_start_matches("__builtin_");
        let noted = noted_object(cx, call).and_then(|t| cleared::arguments(cx, name, t));
        let new = match (name, noted.is_some()) {
            ("memset", false) => Some("pc3_union_memset"),
            ("memcpy", false) => Some("pc3_union_memcpy"),
            ("memmove", false) => Some("pc3_union_memmove"),
            ("memset", true) => Some("pc3_noted_memset"),
            ("memcpy", true) => Some("pc3_noted_memcpy"),
            ("memmove", true) => Some("pc3_noted_memmove"),
            _ => None,
        };
        r.extra = noted.filter(|_| new.is_some()).unwrap_or_default();
        r.callee = new.map(str::to_string);
    }
    if let Some(new) = allocates(name) {
        // One that is no object of the heap may have to be named.
        r.callee = Some(match new {
            "pc3_mmap" => format!("(pc3_call_at({}), {new})", place(cx, call)),
            _ => new.into(),
        });
        r.extra = format!(", {}", site_argument(cx, call));
    } else if let Some(new) = mpis(cx, name) {
        r.callee = Some(format!("(pc3_at({}), {new})", place(cx, call)));
        r.extra = format!(", {}", site_argument(cx, call));
        r.around = told_of_numbers(cx, call);
    } else if let Some(new) = plain(name, cx.mpi) {
        r.callee = Some(new.into());
    } else if !cx.p.is_librarys(name) {
        return r;
    } else if let Some(new) = same_type(cx, s, name) {
        cx.replaced.borrow_mut().insert(new.clone(), s);
        r.callee = Some(if makes(name) {
            format!("(pc3_call_at({}), {new})", place(cx, call))
        } else {
            new
        });
    } else if name.starts_with("fcntl") && duplicates(cx.u, call) {
        r.around = Some(format!("pc3_descriptor(\"fcntl\", {}, ", place(cx, call)));
    } else if let Some(note) = state::noted(name) {
        r.around = Some(format!("{note}(\"{name}\", {}, ", place(cx, call)));
    } else if let Some(note) = noted_before(name) {
        r.callee = Some(format!("({note}(\"{name}\", {}), {name})", place(cx, call)));
    } else if name.starts_with("aio_return") {
        r.callee = Some(format!("(pc3_ended(), {name})"));
    } else if ends_list(name) {
        r.callee = Some(format!("(pc3_list_ends(\"{name}\"), {name})"));
    } else if ends(name) {
        r.callee = Some(format!("{name}(pc3_let_go"));
        r.extra = ")".into();
    } else if cx.mpi && tables::is_mpi(name) {
        r.callee = Some(format!("(pc3_at({}), {name})", place(cx, call)));
        r.around = told_of_numbers(cx, call);
    }
    r
}

/// What an allocator of MPI becomes.
fn mpis(cx: &UnitCx, name: &str) -> Option<&'static str> {
    mpis_place(name).filter(|_| cx.mpi && cx.p.is_librarys(name))?;
    Some(match name.contains("Win_") {
        true => "pc3_win_allocate",
        false => "pc3_alloc_mem",
    })
}

/// What tells the runtime what numbers of bytes in a call are.
fn told_of_numbers(cx: &UnitCx, call: ExprId) -> Option<String> {
    let n = cx.datatypes.iter().position(|d| d.call == call)?;
    let of = &cx.datatypes[n];
    let lengths = counted(of.lengths, &format!("pc3_lengths_{n}"));
    let places = counted(of.places, &format!("pc3_places_{n}"));
    Some(format!("pc3_counted({lengths}, {places}, "))
}

/// What the runtime is told of numbers; `row`: of those that count objects of a type.
fn counted(of: Counts, row: &str) -> String {
    match of {
        Counts::Unknown | Counts::Unseen => "0".into(),
        Counts::Varies => PC3_COUNTS_VARIES.to_string(),
        Counts::Extents => PC3_COUNTS_EXTENTS.to_string(),
        Counts::Plain => PC3_COUNTS_PLAIN.to_string(),
        Counts::Nothing | Counts::Fixed => PC3_COUNTS_FIXED.to_string(),
        Counts::Multiple(_) => format!("{row}->id"),
        Counts::Place(_) => format!("{PC3_COUNTS_PLACES} + {row}->id"),
        Counts::Apart(_) => format!("{PC3_COUNTS_APART} + {row}->id"),
    }
}

/// What is copied or set, by its type, if that has noted unions.
fn noted_object(cx: &UnitCx, call: ExprId) -> Option<TypeId> {
    let ExprKind::Call { args, .. } = &cx.u.expr(call).kind else {
        return None;
    };
    let of = |a: &ExprId| match cx.u.ty(cx.u.expr(strip_casts(cx.u, *a)).ty.ty) {
        Type::Pointer(q) | Type::Array { elem: q, .. } => Some(q.ty),
        _ => None,
    };
    let mut types = args.iter().take(2).filter_map(of);
    types.find(|t| contains(cx.u, cx.noted, *t))
}

/// Can what is copied have unions in it?
fn copies_unions(cx: &UnitCx, call: ExprId) -> bool {
    let ExprKind::Call { args, .. } = &cx.u.expr(call).kind else {
        return false;
    };
    // An array of characters that has a name is nothing else.
    let named = args.first().map(|a| cx.u.expr(strip_casts(cx.u, *a)).ty.ty);
    if let Some(Type::Array { elem, .. }) = named.map(|t| cx.u.ty(t)) {
        if matches!(cx.u.ty(elem.ty), Type::Int(_)) {
            return false;
        }
    }
    // `memset` has one pointer.
    args.iter().take(2).all(|a| {
        let inner = strip_casts(cx.u, *a);
        let of = match cx.u.ty(cx.u.expr(inner).ty.ty) {
            Type::Pointer(q) | Type::Array { elem: q, .. } => q.ty,
            _ => return true,
        };
        match cx.u.ty(of) {
            Type::Void | Type::Int(IntKind::Char | IntKind::SChar | IntKind::UChar) => true,
            _ => contains(cx.u, cx.noted, of),
        }
    })
}

fn place(cx: &UnitCx, call: ExprId) -> String {
    cx.place(cx.u.expr(call).span.start)
}

/// A call of one of the program's own allocation wrappers: the caller leaves its site.
pub(crate) fn wrapper_call(cx: &UnitCx, call: ExprId, callee: &str) -> Option<String> {
    wrapper_site(cx, call).map(|site| format!("({site}, {callee})"))
}

/// What leaves the site.
pub(crate) fn wrapper_site(cx: &UnitCx, call: ExprId) -> Option<String> {
    let Some(n) = cx.sites.get(&call) else {
        let silent = cx.heap.silent[cx.unit].contains(&call);
        return silent.then(|| "pc3_me->site = 0".into());
    };
    let site = &cx.heap.sites[cx.unit][*n];
    if let Some(head) = headed(cx, call).filter(|_| site.of_wrapper && site.in_wrapper) {
        let left = match takes(cx, call) {
            true => "pc3_for",
            false => "pc3_me->site",
        };
        return Some(format!("pc3_me->site = pc3_behind({head}, {left})"));
    }
    if site.of_wrapper && site.in_wrapper && takes(cx, call) {
        return Some("pc3_me->site = pc3_for".into());
    }
    (site.of_wrapper && !site.in_wrapper).then(|| format!("pc3_me->site = &pc3_site_{n}"))
}

/// Is it in a function that has taken its caller's site?
fn takes(cx: &UnitCx, call: ExprId) -> bool {
    let at = cx.u.expr(call).span.start;
    let inside = cx.u.functions.iter().position(|f| f.span.contains(&at));
    inside.is_some_and(|f| cx.heap.takes.contains(&cx.id(FuncId(f as u32))))
}

/// The row of the head that an allocation of this function puts in front of what its callers want.
fn headed(cx: &UnitCx, call: ExprId) -> Option<String> {
    let all = cx.heap.headed.iter().filter(|h| h.unit == cx.unit);
    let mut first = 0;
    for h in all {
        let rows: Vec<String> = h
            .heads
            .iter()
            .map(|head| match head {
                Some(_) => {
                    first += 1;
                    format!("&pc3_heads[{}]", first - 1)
                }
                None => "(const struct pc3_head *)0".into(),
            })
            .collect();
        if h.call == call {
            let cond = h.cond.map(|c| cx.u.slice(&cx.u.expr(c).span));
            return Some(match (cond, &rows[..]) {
                (Some(cond), [a, b]) => format!("(({cond}) ? {a} : {b})"),
                _ => rows.first()?.clone(),
            });
        }
    }
    None
}

fn site_argument(cx: &UnitCx, call: ExprId) -> String {
    let head = headed(cx, call);
    match cx.sites.get(&call) {
        Some(n) if cx.heap.sites[cx.unit][*n].in_wrapper && head.is_some() => {
            let left = match takes(cx, call) {
                true => "pc3_for",
                false => "pc3_take_site(0)",
            };
            format!("pc3_behind({}, {left})", head.unwrap_or_default())
        }
        Some(n) if cx.heap.sites[cx.unit][*n].in_wrapper && takes(cx, call) => {
            format!("(pc3_for ? pc3_for : &pc3_site_{n})")
        }
        Some(n) if cx.heap.sites[cx.unit][*n].in_wrapper => format!("pc3_take_site(&pc3_site_{n})"),
        Some(n) => format!("&pc3_site_{n}"),
        None => "0".into(),
    }
}

/// What a library function becomes where its address is taken.
pub(crate) fn library_reference(cx: &UnitCx, s: SymId, name: &str) -> Option<String> {
    if let Some(new) = plain(name, cx.mpi) {
        return Some(new.into());
    }
    if !cx.p.is_librarys(name) && !matches!(name, "malloc" | "calloc" | "realloc") {
        return None;
    }
    if let Some(new) = same_type(cx, s, name) {
        cx.replaced.borrow_mut().insert(new.clone(), s);
        return Some(new);
    }
    match name {
        "malloc" | "calloc" | "realloc" => {
            let new = format!("pc3_plain_{name}");
            cx.plain.borrow_mut().insert(name.to_string());
            Some(new)
        }
        _ => None,
    }
}

/// Allocators whose address is taken: with the library's signatures, the type of what they allocate unknown.
pub(crate) fn plain_allocators(cx: &UnitCx) -> String {
    let mut out = String::new();
    for name in cx.plain.borrow().iter() {
        let (params, args) = match name.as_str() {
            "malloc" => ("pc3_size a", "a"),
            "calloc" => ("pc3_size a, pc3_size b", "a, b"),
            _ => ("void *a, pc3_size b", "a, b"),
        };
        out += &format!(
            "__attribute__((weak)) void *pc3_plain_{name}({params}) {{ static struct pc3_site s = {{0, \"{name}\", 1, 0}}; return pc3_{name}({args}, pc3_take_site(&s)); }} "
        );
    }
    out
}
