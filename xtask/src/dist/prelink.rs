//! The runtime goes into every program, so it is linked once as far as it can be: programs then link one object of some dozen sections
//! instead of hundreds with 20,000, which halves what `pc3cc` takes for a small one.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{bail, Result};

use super::{own_references, unwinding};
use crate::env;

/// Gives the library anew, with one object. `with`: what it needs of another; `prefix`: of the target's binutils; `dir`: a place for it
/// and what it is made from.
pub fn linked(library: &Path, with: Option<&Path>, prefix: &str, dir: &Path) -> Result<PathBuf> {
    let [names, roots, script, others, linked, whole, own, bare, object, archive] = [
        "names",
        "roots",
        "script",
        "others",
        "linked.o",
        "whole.o",
        "own.o",
        "bare.o",
        "pc3rt.o",
        "libpc3rt.a",
    ]
    .map(|n| dir.join(n));
    let tool = |name: &str| Command::new(format!("{prefix}{name}"));
    let listed = env::output(tool("nm").args(["-g", "--defined-only"]).arg(library))?;
    let interface = interface(&listed);
    if interface.is_empty() {
        bail!("{} defines nothing that programs use", library.display());
    }
    fs::write(&names, interface.join("\n"))?;
    fs::write(&roots, format!("-u {}", interface.join(" -u ")))?;
    fs::write(&script, SECTIONS)?;
    let arguments = |file: &Path| format!("@{}", file.display());
    let link = |option: Option<&str>, to: &Path| {
        let mut ld = tool("ld");
        ld.args(["-r", "--force-group-allocation"]).args(option);
        ld.arg("-T").arg(&script).arg(arguments(&roots));
        env::run(ld.arg("-o").arg(to).arg(library).args(with))
    };
    link(Some("--gc-sections"), &linked)?;
    if prefix.starts_with("riscv64-") {
        link(None, &whole)?;
        let repaired = unwinding::repaired(&fs::read(&linked)?, &fs::read(&whole)?)?;
        fs::write(&linked, repaired)?;
    }
    // What else it has, of Rust's library and of its compiler's, is its own: it is in nobody's way. Names stay, for debuggers;
    // debugging information on Rust's sources would be two thirds of it, and LLVM's form of the code is for a link by LLVM.
    env::run(
        tool("objcopy")
            .arg("--strip-debug")
            .args(["-R", ".llvmbc", "-R", ".llvmcmd"])
            .arg(format!("--keep-global-symbols={}", names.display()))
            .args([&linked, &own]),
    )?;
    // Functions that are gone leave the names that they referred to; a static link would warn of some.
    env::run(tool("objcopy").arg("--strip-unneeded").args([&own, &bare]))?;
    let [all, needed] = [&own, &bare].map(|o| env::output(tool("nm").arg("-u").arg(o)));
    let [all, needed] = [all?, needed?];
    let needed: HashSet<&str> = needed.lines().filter_map(name).collect();
    let mut left: Vec<&str> = all.lines().filter_map(name).collect();
    left.retain(|n| !needed.contains(n));
    let mut strip = tool("objcopy");
    // It takes no empty list.
    if !left.is_empty() {
        fs::write(&others, left.join("\n"))?;
        strip.arg(format!("--strip-symbols={}", others.display()));
    }
    env::run(strip.args([&own, &object]))?;
    let direct = own_references::by_section(&fs::read(&object)?)?;
    fs::write(&object, direct)?;
    env::run(tool("ar").arg("rcs").args([&archive, &object]))?;
    Ok(archive)
}

/// How the names begin that programs and what `pc3cc` makes of them refer to.
const INTERFACE: [&str; 4] = ["pc3_", "MPI_", "PMPI_", "__wrap_"];

/// Those among what `nm` lists.
fn interface(listed: &str) -> Vec<&str> {
    let mut names: Vec<&str> = listed
        .lines()
        .filter_map(name)
        .filter(|n| INTERFACE.iter().any(|i| n.starts_with(i)))
        .collect();
    names.sort_unstable();
    names.dedup();
    names
}

/// The name in a line of `nm`, which has a letter in front of it; headers of members have not.
fn name(line: &str) -> Option<&str> {
    Some(line.rsplit_once(' ')?.1)
}

/// A section for all of a kind: there is none for each function, as nearly all are needed. Nothing refers to what unwinds frames,
/// which debuggers, backtraces and C++ exceptions of the program's own functions below ours need.
const SECTIONS: &str = "SECTIONS {
  .text : { *(.text .text.*) }
  .rodata : { *(.rodata .rodata.*) }
  .data.rel.ro : { *(.data.rel.ro .data.rel.ro.*) }
  .data : { *(.data .data.*) }
  .bss : { *(.bss .bss.*) }
  .tdata : { *(.tdata .tdata.*) }
  .tbss : { *(.tbss .tbss.*) }
  .eh_frame : { KEEP(*(.eh_frame)) }
  .gcc_except_table : { *(.gcc_except_table .gcc_except_table.*) }
}
";
