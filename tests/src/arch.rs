//! The architectures of this machine: natively, or under qemu-user.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

/// When the suite tries an architecture.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Tried {
    Always,
    /// With four processors or more: a runtime takes minutes, and others have its order of bytes, its width and its characters
    /// without a sign.
    WithProcessors,
    /// If `PC3_TEST_ARCHS` says so: by its name, or `all`.
    WhenAsked,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Arch {
    /// As in case names: `x86_64`.
    pub name: &'static str,
    /// Triples as Debian's compilers and Rust have them.
    pub gnu: &'static str,
    pub rust: &'static str,
    /// Of an address and of `long`.
    pub bits: u8,
    /// Of qemu-user, where the host cannot run it natively.
    qemu: Option<&'static str>,
    /// Debian packages that provide compiler and C library.
    pub packages: &'static [&'static str],
    pub tried: Tried,
}

pub const HOST: Arch = Arch {
    name: "x86_64",
    gnu: "x86_64-linux-gnu",
    rust: "x86_64-unknown-linux-gnu",
    bits: 64,
    qemu: None,
    packages: &["gcc"],
    tried: Tried::Always,
};
pub const S390X: Arch = Arch {
    name: "s390x",
    gnu: "s390x-linux-gnu",
    rust: "s390x-unknown-linux-gnu",
    bits: 64,
    qemu: Some("qemu-s390x"),
    packages: &["gcc-s390x-linux-gnu", "libc6-dev-s390x-cross"],
    tried: Tried::Always,
};
pub const I686: Arch = Arch {
    name: "i686",
    gnu: "i686-linux-gnu",
    rust: "i686-unknown-linux-gnu",
    bits: 32,
    qemu: None,
    packages: &["gcc-i686-linux-gnu", "libc6-dev-i386-cross"],
    tried: Tried::Always,
};
pub const AARCH64: Arch = Arch {
    name: "aarch64",
    gnu: "aarch64-linux-gnu",
    rust: "aarch64-unknown-linux-gnu",
    bits: 64,
    qemu: Some("qemu-aarch64"),
    packages: &["gcc-aarch64-linux-gnu", "libc6-dev-arm64-cross"],
    tried: Tried::WithProcessors,
};
const RISCV64: Arch = Arch {
    name: "riscv64",
    gnu: "riscv64-linux-gnu",
    rust: "riscv64gc-unknown-linux-gnu",
    bits: 64,
    qemu: Some("qemu-riscv64"),
    packages: &["gcc-riscv64-linux-gnu", "libc6-dev-riscv64-cross"],
    tried: Tried::WhenAsked,
};
const ARMHF: Arch = Arch {
    name: "armhf",
    gnu: "arm-linux-gnueabihf",
    rust: "armv7-unknown-linux-gnueabihf",
    bits: 32,
    qemu: Some("qemu-arm"),
    packages: &["gcc-arm-linux-gnueabihf", "libc6-dev-armhf-cross"],
    tried: Tried::WhenAsked,
};

/// The host, and those that the suite moves programs between besides it, in the order of a way round: little-endian 64 → big-endian
/// 64 → little-endian 32 → ARM and others.
pub const ALL: [Arch; 6] = [HOST, S390X, I686, AARCH64, RISCV64, ARMHF];

/// Other C libraries of this machine, for programs that are linked statically.
pub const LIBRARIES: [Arch; 1] = [Arch {
    name: "musl",
    gnu: "x86_64-linux-musl",
    rust: "x86_64-unknown-linux-musl",
    bits: 64,
    qemu: None,
    packages: &["musl-tools"],
    tried: Tried::WithProcessors,
}];

pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .map(Path::to_path_buf)
        .unwrap_or_default()
}

pub fn target_dir() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), |d| root().join(d))
}

pub fn dist() -> PathBuf {
    std::env::var_os("PC3_ROOT").map_or_else(|| target_dir().join("dist"), PathBuf::from)
}

pub fn in_path(name: &str) -> bool {
    std::env::var_os("PATH")
        .is_some_and(|p| std::env::split_paths(&p).any(|d| d.join(name).is_file()))
}

impl Arch {
    /// Why programs of this architecture cannot be built or run here; None if they can.
    pub fn missing(&self) -> Option<String> {
        if *self != HOST && !in_path(&self.cc()) {
            return Some(format!("{}: no compiler {}", self.name, self.cc()));
        }
        if let Some(q) = self.qemu {
            if !in_path(q) {
                return Some(format!("{}: no {q}", self.name));
            }
        }
        let lib = dist().join("lib/pc3").join(self.gnu).join("libpc3rt.a");
        (!lib.is_file()).then(|| {
            format!(
                "{}: no runtime (cargo xtask dist --target {})",
                self.name, self.gnu
            )
        })
    }

    pub fn cc(&self) -> String {
        if *self == HOST {
            "cc".into()
        } else {
            format!("{}-gcc", self.gnu)
        }
    }

    pub fn emulator(&self) -> Option<&'static str> {
        self.qemu
    }

    /// Has a cargo that is started link by this compiler for the architecture.
    pub fn links(&self, cargo: &mut Command) {
        let triple = self.rust.to_uppercase().replace('-', "_");
        cargo.env(format!("CARGO_TARGET_{triple}_LINKER"), self.cc());
    }

    /// Options that make a plain build comparable: the same floating point everywhere.
    pub fn plain_flags(&self) -> &'static [&'static str] {
        if *self == I686 {
            &["-ffp-contract=off", "-msse2", "-mfpmath=sse"]
        } else {
            &["-ffp-contract=off"]
        }
    }
}

/// Those of [`ALL`] that work here and are tried.
pub fn available() -> Vec<Arch> {
    let mut all = ALL.to_vec();
    all.retain(|a| is_tried(a) && a.missing().is_none());
    all
}

/// Is it tried here, if it works?
pub fn is_tried(arch: &Arch) -> bool {
    match (asked(), arch.tried) {
        (Some(names), _) => arch == &HOST || names.iter().any(|n| n == "all" || n == arch.name),
        (None, Tried::Always) => true,
        (None, Tried::WithProcessors) => all_round(),
        (None, Tried::WhenAsked) => false,
    }
}

/// The words of `PC3_TEST_ARCHS`: names of architectures to try besides the host's, with commas in between, or `all`.
fn asked() -> Option<Vec<String>> {
    let said = std::env::var("PC3_TEST_ARCHS").ok()?;
    Some(said.split(',').map(|n| n.trim().to_owned()).collect())
}

/// Is all tried?  With few processors that takes an hour and more.
pub fn all_round() -> bool {
    match asked() {
        Some(names) => names.iter().any(|n| n == "all"),
        None => std::thread::available_parallelism().is_ok_and(|n| n.get() >= 4),
    }
}

/// All of these; with few processors one in `n`, and others at another commit.
pub fn share<T>(name: &str, all: impl Iterator<Item = T>, n: usize) -> impl Iterator<Item = T> {
    let (first, step) = match all_round() {
        true => (0, 1),
        false => (turn_of(name, n), n),
    };
    all.skip(first).step_by(step)
}

/// Programs that qemu-user sometimes fails: it looks twice at what a signal does, and jumps to what another thread has just made of
/// that (address 1, if it is to be ignored; with four workers always).
const NOT_EMULATED: [&str; 1] = ["mpi_handlers_at_once"];

/// Programs with numbers in pointers that are addresses where a program begins at 64 KiB, as linkers for these have it: refused there.
const NUMBERS: [&str; 1] = ["pointer_numbers"];
const BEGIN_LOW: [Arch; 2] = [RISCV64, ARMHF];

/// Those of [`available`] where a program can be tried.
pub fn available_for(name: &str) -> Vec<Arch> {
    let mut all = available();
    all.retain(|a| a.qemu.is_none() || !NOT_EMULATED.contains(&name));
    all.retain(|a| !BEGIN_LOW.contains(a) || !NUMBERS.contains(&name));
    all
}

/// Those that a program goes round: with few processors, if none are asked for, the host and one other, in turn the big-endian one and
/// 32 bits.  Programs in Rust are built together, so for the same: the big-endian one.
pub fn round_of(name: &str) -> Vec<Arch> {
    let mut round = available_for(name);
    if !all_round() && asked().is_none() {
        let other = if name.starts_with("rust-") {
            vec![S390X]
        } else {
            in_turn(name, [S390X, I686])
        };
        round.retain(|a| *a == HOST || other.contains(a));
    }
    round
}

/// All of these; with few processors one for each name, and another one at another commit.
pub fn in_turn<T>(name: &str, all: impl IntoIterator<Item = T>) -> Vec<T> {
    let mut all: Vec<T> = all.into_iter().collect();
    if all_round() || all.is_empty() {
        return all;
    }
    let chosen = turn_of(name, all.len());
    vec![all.swap_remove(chosen)]
}

/// One of the numbers below `n`, which is not 0: another one for another name, and at another commit.
pub fn turn_of(name: &str, n: usize) -> usize {
    let letters: u32 = name.bytes().map(u32::from).sum();
    (letters + turn()) as usize % n
}

/// A number that this commit has, and the next one has not.  `PC3_TEST_TURN`: this instead, in hexadecimal; without a repository 0.
fn turn() -> u32 {
    static TURN: OnceLock<u32> = OnceLock::new();
    *TURN.get_or_init(|| {
        let told = std::env::var("PC3_TEST_TURN").ok().or_else(commit);
        let number = told.and_then(|t| u32::from_str_radix(t.trim(), 16).ok());
        number.unwrap_or(0)
    })
}

/// The first digits of the commit's name.
fn commit() -> Option<String> {
    let mut git = Command::new("git");
    git.args(["rev-parse", "--short=4", "HEAD"]);
    let told = git.current_dir(root()).output().ok()?;
    let mut name = String::from_utf8(told.stdout).ok()?;
    name.truncate(4);
    Some(name)
}
