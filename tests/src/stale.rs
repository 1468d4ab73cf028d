//! Are the installed tools and runtimes made of the sources that lie here?

use std::path::Path;
use std::time::SystemTime;

use crate::arch;

const SOURCES: &[&str] = &[
    "compiler/src",
    "compiler/syntax/src",
    "compiler/program/src",
    "compiler/libc",
    "compiler/portability/src",
    "compiler/unions/src",
    "compiler/instrument/src",
    "runtime/src",
    "runtime/abi/src",
    "runtime/checkpoint/src",
    "runtime/control/src",
    "runtime/include",
    "runtime/format/src",
    "runtime/heap/src",
    "runtime/os/src",
    "runtime/process/src",
    "runtime/state/src",
    "runtime/typemetric/src",
    "runtime/vmpi/api/src",
    "runtime/vmpi/coll/src",
    "runtime/vmpi/core/src",
    "runtime/vmpi/link/src",
    "runtime/vmpi/nonblocking/src",
    "runtime/vmpi/objects/src",
    "runtime/vmpi/sched/src",
    "runtime/vmpi/snapshot/src",
    "runtime/vmpi/transport/src",
    "runtime/vmpi/src",
    "tools/src",
];

fn changed(path: &Path) -> Option<SystemTime> {
    path.metadata().ok()?.modified().ok()
}

/// When the newest file below `path` was changed.
fn newest(path: &Path) -> Option<SystemTime> {
    if !path.is_dir() {
        return changed(path);
    }
    let list = std::fs::read_dir(path).ok()?.flatten();
    list.filter_map(|e| newest(&e.path())).max()
}

/// What is older than the sources: tests of it say nothing about them.
pub fn stale() -> Vec<String> {
    if std::env::var_os("PC3_ROOT").is_some() {
        return Vec::new();
    }
    let root = arch::root();
    let Some(sources) = SOURCES.iter().filter_map(|s| newest(&root.join(s))).max() else {
        return Vec::new();
    };
    let runtimes = arch::available().into_iter();
    let runtimes = runtimes.map(|a| format!("lib/pc3/{}/libpc3rt.a", a.gnu));
    let tools = ["bin/pc3cc", "bin/pc3", "bin/pc3run"].map(str::to_owned);
    let old = |name: &String| changed(&arch::dist().join(name)).is_some_and(|t| t < sources);
    tools.into_iter().chain(runtimes).filter(old).collect()
}
