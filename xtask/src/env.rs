//! What this machine has: paths, cross compilers, emulators, Rust targets.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{bail, Context, Result};

pub struct Arch {
    /// GNU triple.
    pub gnu: &'static str,
    pub rust: &'static str,
    /// qemu-user binary, where the host cannot run it natively.
    pub qemu: Option<&'static str>,
    /// Debian packages that provide compiler and C library.
    pub packages: &'static [&'static str],
}

/// The architectures that the suite moves programs between, besides the host.
pub const CROSS: &[Arch] = &[
    Arch {
        gnu: "s390x-linux-gnu",
        rust: "s390x-unknown-linux-gnu",
        qemu: Some("qemu-s390x"),
        packages: &["gcc-s390x-linux-gnu", "libc6-dev-s390x-cross"],
    },
    Arch {
        gnu: "i686-linux-gnu",
        rust: "i686-unknown-linux-gnu",
        qemu: None,
        packages: &["gcc-i686-linux-gnu", "libc6-dev-i386-cross"],
    },
    Arch {
        gnu: "aarch64-linux-gnu",
        rust: "aarch64-unknown-linux-gnu",
        qemu: Some("qemu-aarch64"),
        packages: &["gcc-aarch64-linux-gnu", "libc6-dev-arm64-cross"],
    },
];

/// Other C libraries of this machine, for programs that are linked statically.
pub const LIBRARIES: &[Arch] = &[Arch {
    gnu: "x86_64-linux-musl",
    rust: "x86_64-unknown-linux-musl",
    qemu: None,
    packages: &["musl-tools"],
}];

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

impl Arch {
    pub fn short(&self) -> &'static str {
        self.gnu.split('-').next().unwrap_or(self.gnu)
    }

    /// Of its binutils.
    pub fn prefix(&self) -> String {
        match self.short() == std::env::consts::ARCH {
            true => String::new(),
            false => format!("{}-", self.gnu),
        }
    }

    pub fn gcc(&self) -> String {
        format!("{}-gcc", self.gnu)
    }

    /// What is missing to build and run programs of this architecture.
    pub fn missing(&self) -> Vec<String> {
        let mut m = Vec::new();
        if !has_program(&self.gcc()) {
            m.push(format!("compiler {}", self.gcc()));
        }
        if let Some(q) = self.qemu {
            if !has_program(q) && !has_program(&format!("{q}-static")) {
                m.push(format!("emulator {q}"));
            }
        }
        if !rust_targets().iter().any(|t| t == self.rust) {
            m.push(format!("Rust library for {}", self.rust));
        }
        m
    }
}

/// All that there may be a runtime for, besides the host's.
pub fn targets() -> impl Iterator<Item = &'static Arch> {
    CROSS.iter().chain(LIBRARIES)
}

/// GNU triples of [`CROSS`] that can be built here.
pub fn available_targets() -> Vec<String> {
    available(CROSS)
}

/// Those among these that can be built here.
pub fn available(all: &[Arch]) -> Vec<String> {
    all.iter()
        .filter(|a| a.missing().is_empty())
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
