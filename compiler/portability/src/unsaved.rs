//! State outside of the program's own variables: what a checkpoint does not hold, or what keeps one from being
//! taken, told where the program makes it.

use pc3_libc as library;
use pc3_libc::state::{self, How};
use pc3_program::program::{Callee, Program};
use pc3_syntax::diag::{Code, Diagnostic, Diagnostics};
use pc3_syntax::tree::*;
use std::collections::HashSet;

/// What `errno` calls for its place.
pub const ERRNO: &str = "__errno_location";
/// Calls of `mmap` for private memory of no file, which is the program's own: what is called there.
pub(crate) fn own_memory(u: &Unit) -> HashSet<ExprId> {
    let calls = u.exprs.iter().filter_map(|x| match &x.kind {
        ExprKind::Call { callee, args } => Some((*callee, args)),
        _ => None,
    });
    let flags = |args: &[ExprId]| args.get(3).and_then(|a| u.view().eval(*a));
    // MAP_PRIVATE | MAP_ANONYMOUS, and not MAP_FIXED.
    let own = calls.filter(|(_, args)| flags(args).is_some_and(|f| f & 0x32 == 0x22));
    own.map(|(callee, _)| callee).collect()
}

/// Where the address of `errno` is taken: what is called there.
fn addresses_of_errno(u: &Unit) -> HashSet<ExprId> {
    let targets = |of: fn(&ExprKind) -> Option<ExprId>| -> HashSet<ExprId> {
        u.exprs.iter().filter_map(|x| of(&x.kind)).collect()
    };
    let read = targets(|k| match k {
        ExprKind::Deref(e) => Some(*e),
        _ => None,
    });
    let addressed = targets(|k| match k {
        ExprKind::AddrOf(e) => Some(*e),
        _ => None,
    });
    let back = addressed.iter().filter_map(|e| match u.expr(*e).kind {
        ExprKind::Deref(of) => Some(of),
        _ => None,
    });
    let back: HashSet<ExprId> = back.collect();
    let calls = u
        .exprs
        .iter()
        .enumerate()
        .filter_map(|(i, x)| match x.kind {
            ExprKind::Call { callee, .. } => Some((ExprId(i as u32), callee)),
            _ => None,
        });
    let kept = calls.filter(|(call, _)| !read.contains(call) || back.contains(call));
    kept.map(|(_, callee)| callee).collect()
}

/// The first unit that keeps the address of `errno`, which is an object of the main thread's then.
pub fn keeps_errno(p: &Program) -> Option<usize> {
    p.units.iter().position(|u| {
        let is = |s: SymId| u.sym(s).name == ERRNO && u.sym(s).kind == SymKind::Func;
        u.symbols.iter().any(|s| s.name == ERRNO)
            && (addresses_of_errno(u).iter())
                .any(|e| matches!(u.expr(*e).kind, ExprKind::Ident(s) if is(s)))
    })
}

/// One warning per function, at its first use. Calls in the C library's own headers are not the user's.
pub fn library_state(p: &Program, mpi: bool, out: &mut Diagnostics) {
    let mut said = HashSet::new();
    for (i, u) in p.units.iter().enumerate() {
        let own = own_memory(u);
        let errno = addresses_of_errno(u);
        let scans = library::scans_to_memory(u, false);
        for (k, e) in u.exprs.iter().enumerate() {
            let ExprKind::Ident(s) = e.kind else { continue };
            // The macro `errno` counts as text of its header.
            let system = u.lines.is_system(e.span.start) && u.sym(s).name != ERRNO;
            if u.sym(s).kind != SymKind::Func || system {
                continue;
            }
            let Callee::External(name) = p.resolve(i, s) else {
                continue;
            };
            if name == ERRNO {
                // Without ranks it is saved, and pointers to it lead to this process's.
                let kept = mpi && errno.contains(&ExprId(k as u32));
                if kept && said.insert("errno".into()) {
                    out.push(Diagnostic::advice(
                        u,
                        &e.span,
                        Code::UnsavedState,
                        "a pointer to `errno`: after a restart it leads nowhere",
                        "use `errno` itself, or take its address again in a callback: pc3_on(PC3_RESTART, ...)",
                    ));
                }
                continue;
            }
            if name.starts_with("mmap") && own.contains(&ExprId(k as u32)) {
                if said.insert("memory of its own".into()) {
                    out.push(Diagnostic::advice(
                        u,
                        &e.span,
                        Code::UntypedAllocation,
                        format!("memory that `{name}` makes has no type: a checkpoint with it cannot change architecture if it holds pointers"),
                        "use malloc, with sizeof in the size",
                    ));
                }
                continue;
            }
            let scanned = scans.contains(&ExprId(k as u32)).then_some((
                How::Lost,
                "memory of the library's",
                "finish using it before a checkpoint can happen, or copy it with strdup",
            ));
            let Some((how, what, help)) = scanned.or_else(|| state::remark(&name)) else {
                continue;
            };
            let message = match how {
                How::Ranks | How::Shared if !mpi => continue,
                How::Ranks | How::Lost => {
                    format!("`{name}` leaves {what} behind, which a restart does not bring back")
                }
                How::Shared => {
                    format!("`{name}` changes {what} of all ranks that share a process")
                }
                _ => format!("`{name}` makes {what}; no checkpoint is taken while it is there"),
            };
            if said.contains(&name) {
                continue;
            }
            out.push(Diagnostic::advice(
                u,
                &e.span,
                Code::UnsavedState,
                message,
                help,
            ));
            said.insert(name);
        }
    }
}
