//! State outside of the program's own variables: what a checkpoint does not hold, told where the
//! program makes it.

use super::program::{Callee, Program};
use crate::diag::{Code, Diagnostic, Diagnostics};
use crate::tree::*;
use std::collections::HashSet;

const AGAIN: &str = "do it again in a callback: pc3_on(PC3_RESTART, ...)";
const DESCRIPTOR: &str =
    "use fopen or fdopen, whose streams are saved, or open it again in a callback: pc3_on(PC3_RESTART, ...)";

/// What a library function leaves behind that a restart does not bring back, and what to do.
fn left_behind(name: &str) -> Option<(&'static str, &'static str)> {
    Some(match name {
        "setlocale" | "uselocale" => ("the locale", AGAIN),
        "open" | "open64" | "openat" | "creat" | "socket" | "accept" | "pipe" | "pipe2" | "dup"
        | "dup2" | "mkstemp" | "epoll_create" | "epoll_create1" | "eventfd" | "timerfd_create" => {
            ("a file descriptor", DESCRIPTOR)
        }
        "popen" | "fmemopen" | "open_memstream" | "opendir" | "fopencookie" => {
            ("a stream", "close it before a checkpoint can happen")
        }
        "mmap" | "mmap64" | "shmat" | "sbrk" | "brk" => {
            ("memory that pc3 does not know", "use malloc")
        }
        "dlopen" => ("a library", AGAIN),
        "pthread_create" | "thrd_create" => (
            "a thread",
            "join it before a checkpoint can happen: only the thread that reaches the location is saved",
        ),
        "alarm" | "setitimer" | "timer_create" => ("a timer", AGAIN),
        "sigprocmask" | "pthread_sigmask" | "sigaltstack" => ("the signals' state", AGAIN),
        "sigaction" | "signal" | "bsd_signal" | "sysv_signal" | "sigset" => {
            ("a signal's handler", AGAIN)
        }
        "atexit" | "on_exit" | "at_quick_exit" => ("a function to be called at the end", AGAIN),
        "chdir" | "fchdir" | "chroot" => ("the working directory", AGAIN),
        "umask" | "setrlimit" | "setpriority" | "nice" => ("an attribute of the process", AGAIN),
        "setenv" | "unsetenv" | "putenv" | "clearenv" => ("the environment", AGAIN),
        _ => return None,
    })
}

/// One warning per function, at its first use. Calls in the C library's own headers are not the user's.
pub fn library_state(p: &Program, out: &mut Diagnostics) {
    let mut said = HashSet::new();
    let streams = p.units.iter().any(|u| {
        u.exprs
            .iter()
            .any(|e| matches!(e.kind, ExprKind::Ident(s) if u.sym(s).name == "fdopen"))
    });
    for (i, u) in p.units.iter().enumerate() {
        for e in &u.exprs {
            let ExprKind::Ident(s) = e.kind else { continue };
            if u.sym(s).kind != SymKind::Func || u.lines.is_system(e.span.start) {
                continue;
            }
            let Callee::External(name) = p.resolve(i, s) else {
                continue;
            };
            let Some((what, help)) = left_behind(&name) else {
                continue;
            };
            if (streams && help == DESCRIPTOR) || said.contains(&name) {
                continue;
            }
            out.push(Diagnostic::advice(
                u,
                &e.span,
                Code::UnsavedState,
                format!("`{name}` leaves {what} behind, which a restart does not bring back"),
                help,
            ));
            said.insert(name);
        }
    }
}

/// A constructor runs before the program's state exists, and again at each restart.
pub fn constructors(p: &Program, out: &mut Diagnostics) {
    for f in p.ids() {
        let sym = p.unit(f).sym(p.func(f).sym);
        if sym.attributes.iter().any(|a| a == "constructor") && !sym.system {
            out.push(Diagnostic::advice(
                p.unit(f),
                &sym.decls.first().cloned().unwrap_or(0..0),
                Code::UnsavedState,
                format!("the constructor `{}` runs again at each restart, and what it allocates is not saved", sym.name),
                "call it in main",
            ));
        }
    }
}
