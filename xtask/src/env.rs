//! What this machine has: paths, cross compilers, emulators, Rust targets.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{bail, Context, Result};
use pc3_tests::arch;

pub use pc3_tests::arch::{Arch, Tried};

/// The architectures that the suite moves programs between, besides the host.
pub fn cross() -> impl Iterator<Item = &'static Arch> {
    arch::ALL.iter().filter(|a| **a != arch::HOST)
}

/// Programs, and libraries for clang, that single tests use, with their Debian packages.
pub const EXTRAS: &[(&str, &str)] = &[
    ("mpicc.openmpi", "libopenmpi-dev"),
    ("mpirun.openmpi", "openmpi-bin"),
    ("mpicc.mpich", "libmpich-dev"),
    ("mpiexec.mpich", "mpich"),
    ("clang", "clang"),
    ("libomp.so", "libomp-dev"),
    ("gdb", "gdb"),
    ("xz", "xz-utils"),
    ("make", "make"),
    ("cmake", "cmake"),
    ("ccache", "ccache"),
    ("bzip2", "bzip2"),
    ("csmith", "csmith libcsmith-dev"),
    ("tclsh", "tcl"),
];

pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .map(Path::to_path_buf)
        .unwrap_or_default()
}

pub fn target_dir() -> PathBuf {
    match std::env::var_os("CARGO_TARGET_DIR") {
        Some(d) => root().join(d),
        None => root().join("target"),
    }
}

/// The oldest version of Rust that the packages promise to build with.
pub fn oldest_rust() -> String {
    env!("CARGO_PKG_RUST_VERSION").to_owned()
}

pub fn dist_dir() -> PathBuf {
    target_dir().join("dist")
}

pub fn has_program(name: &str) -> bool {
    std::env::var_os("PATH")
        .is_some_and(|p| std::env::split_paths(&p).any(|d| d.join(name).is_file()))
}

/// Is one of [`EXTRAS`] there?
pub fn has_extra(name: &str) -> bool {
    if !name.ends_with(".so") {
        return has_program(name);
    }
    // Clang's libraries lie beside its resources.
    let Ok(out) = Command::new("clang").arg("-print-resource-dir").output() else {
        return false;
    };
    let resources = String::from_utf8_lossy(&out.stdout);
    let mut folders = Path::new(resources.trim()).ancestors().skip(1);
    folders.any(|f| f.ends_with("lib") && f.join(name).exists())
}

/// Rust targets whose standard library is installed.
pub fn rust_targets() -> Vec<String> {
    let Ok(out) = Command::new("rustc").args(["--print", "sysroot"]).output() else {
        return Vec::new();
    };
    let lib = Path::new(String::from_utf8_lossy(&out.stdout).trim()).join("lib/rustlib");
    let Ok(dir) = std::fs::read_dir(lib) else {
        return Vec::new();
    };
    dir.flatten()
        .filter(|e| e.path().join("lib").is_dir())
        .filter_map(|e| e.file_name().into_string().ok())
        .collect()
}

/// Of its binutils.
pub fn prefix(arch: &Arch) -> String {
    match arch.gnu.starts_with(std::env::consts::ARCH) {
        true => String::new(),
        false => format!("{}-", arch.gnu),
    }
}

/// What is missing to build and run programs of this architecture.
pub fn missing(arch: &Arch) -> Vec<String> {
    let mut m = Vec::new();
    if !has_program(&arch.cc()) {
        m.push(format!("compiler {}", arch.cc()));
    }
    if let Some(q) = lacking_emulator(arch) {
        m.push(format!("emulator {q}"));
    }
    if !rust_targets().iter().any(|t| t == arch.rust) {
        m.push(format!("Rust library for {}", arch.rust));
    }
    m
}

pub fn lacking_emulator(arch: &Arch) -> Option<&'static str> {
    let q = arch.emulator()?;
    (!has_program(q) && !has_program(&format!("{q}-static"))).then_some(q)
}

/// All that there may be a runtime for, besides the host's.
pub fn targets() -> impl Iterator<Item = &'static Arch> {
    cross().chain(&arch::LIBRARIES)
}

/// Those that setup installs: what nobody asks for is left out.
pub fn wanted() -> impl Iterator<Item = &'static Arch> {
    targets().filter(|a| a.tried != Tried::WhenAsked || arch::is_tried(a))
}

/// GNU triples of those that can be built here.
pub fn available_targets() -> Vec<String> {
    available(targets())
}

/// Likewise of the architectures that programs are moved between.
pub fn tried_targets() -> Vec<String> {
    available(cross().filter(|a| arch::is_tried(a)))
}

/// Those among these that can be built here.
pub fn available(all: impl Iterator<Item = &'static Arch>) -> Vec<String> {
    all.filter(|a| missing(a).is_empty())
        .map(|a| a.gnu.to_string())
        .collect()
}

/// Runs a command and fails with its command line if it does.
pub fn run(cmd: &mut Command) -> Result<()> {
    let status = cmd
        .status()
        .with_context(|| format!("cannot run {:?}", cmd.get_program()))?;
    if !status.success() {
        bail!("{cmd:?} failed: {status}");
    }
    Ok(())
}

/// What it writes to its standard output.
pub fn output(cmd: &mut Command) -> Result<String> {
    let done = cmd
        .output()
        .with_context(|| format!("cannot run {:?}", cmd.get_program()))?;
    if !done.status.success() {
        let said = String::from_utf8_lossy(&done.stderr);
        bail!("{cmd:?} failed: {}\n{said}", done.status);
    }
    Ok(String::from_utf8_lossy(&done.stdout).into_owned())
}

pub fn cargo() -> Command {
    let mut c = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    c.current_dir(root());
    c
}
