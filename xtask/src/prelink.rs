//! The runtime goes into every program, so it is linked once as far as it can be: programs then link one object of some dozen sections
//! instead of hundreds with 20,000, which halves what `pc3cc` takes for a small one.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{bail, Result};

use crate::env;

/// Gives the library anew, with one object. `prefix`: of the target's binutils; `dir`: a place for it and what it is made from.
pub fn linked(library: &Path, prefix: &str, dir: &Path) -> Result<PathBuf> {
    let [names, undefined, script, linked, object, archive] = [
        "names",
        "undefined",
        "script",
        "linked.o",
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
    fs::write(&undefined, format!("-u {}", interface.join(" -u ")))?;
    fs::write(&script, SECTIONS)?;
    let arguments = |file: &Path| format!("@{}", file.display());
    env::run(
        tool("ld")
            .args(["-r", "--gc-sections", "--force-group-allocation", "-T"])
            .arg(&script)
            .arg(arguments(&undefined))
            .arg("-o")
            .arg(&linked)
            .arg(library),
    )?;
    // What else it has, of Rust's library and of its compiler's, is its own: it is in nobody's way. Names stay, for debuggers;
    // debugging information on Rust's sources would be two thirds of it, and LLVM's form of the code is for a link by LLVM.
    env::run(
        tool("objcopy")
            .arg("--strip-debug")
            .args(["-R", ".llvmbc", "-R", ".llvmcmd"])
            .arg(format!("--keep-global-symbols={}", names.display()))
            .args([&linked, &object]),
    )?;
    env::run(tool("ar").arg("rcs").args([&archive, &object]))?;
    Ok(archive)
}

/// How the names begin that programs and what `pc3cc` makes of them refer to.
const INTERFACE: [&str; 4] = ["pc3_", "MPI_", "PMPI_", "__wrap_"];

/// Those among what `nm` lists.
fn interface(listed: &str) -> Vec<&str> {
    let mut names: Vec<&str> = listed
        .lines()
        .filter_map(|l| l.split(' ').next_back())
        .filter(|n| INTERFACE.iter().any(|i| n.starts_with(i)))
        .collect();
    names.sort_unstable();
    names.dedup();
    names
}

/// A section for all of a kind: there is none for each function, as nearly all are needed.
const SECTIONS: &str = "SECTIONS {
  .text : { *(.text .text.*) }
  .rodata : { *(.rodata .rodata.*) }
  .data.rel.ro : { *(.data.rel.ro .data.rel.ro.*) }
  .data : { *(.data .data.*) }
  .bss : { *(.bss .bss.*) }
  .tdata : { *(.tdata .tdata.*) }
  .tbss : { *(.tbss .tbss.*) }
  .gcc_except_table : { *(.gcc_except_table .gcc_except_table.*) }
}
";
