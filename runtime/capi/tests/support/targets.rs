//! The test programs, built for every target of this machine.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use pc3_tests::arch::{self, Arch, HOST, I686};

pub fn works(command: &mut Command) -> bool {
    command
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|s| s.success())
}

pub fn runtime_dir() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Where the libraries and programs are.
fn folder() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("programs")
}

/// libpc3rt.a for every target this machine can build for and run; its own with failpoints.
fn libraries() -> Vec<(&'static Arch, PathBuf)> {
    let runs = |t: &&Arch| {
        let qemu = |q| works(Command::new(q).arg("--version"));
        // Each takes a minute and more of a processor.
        let wanted = arch::is_tried(t) && (**t != I686 || arch::all_round());
        wanted && t.emulator().is_none_or(qemu) && works(Command::new(t.cc()).arg("--version"))
    };
    let mut targets: Vec<_> = arch::ALL.iter().filter(runs).collect();
    // Cargo builds several beside each other, but none if Rust's own library is missing for one.
    if !cargo(&targets) {
        targets.retain(|t| cargo(&[t]));
    }
    for missing in arch::ALL.iter().filter(|t| !targets.contains(t)) {
        let name = missing.name;
        eprintln!("SKIPPED: {name} (no cross compiler, Rust library or qemu, few processors, or not asked for)");
    }
    let built = |t: &Arch| folder().join(t.rust).join("debug/libpc3rt.a");
    let library = |t| made(t).unwrap_or_else(|| built(t));
    targets.into_iter().map(|t| (t, library(t))).collect()
}

/// Under `cargo xtask test`: this machine's as it was built beside the tests, those of others as users have them. Failpoints are
/// tried on this machine alone.
fn made(target: &Arch) -> Option<PathBuf> {
    let own = PathBuf::from(std::env::var_os("PC3_TEST_RUNTIME")?);
    if *target == HOST {
        return Some(own);
    }
    let library = pc3_tests::arch::dist().join("lib/pc3").join(target.gnu);
    Some(library.join("libpc3rt.a")).filter(|l| l.exists())
}

fn cargo(targets: &[&Arch]) -> bool {
    let missing: Vec<_> = targets.iter().filter(|t| made(t).is_none()).collect();
    if missing.is_empty() {
        return true;
    }
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["build", "-q", "-p", "pc3-capi", "--features", "failpoints"]);
    for target in &missing {
        cargo.args(["--target", target.rust]);
    }
    cargo.arg("--target-dir").arg(folder());
    // Nobody looks into these programs, of which there is one for each source and target.
    cargo.env("CARGO_PROFILE_DEV_DEBUG", "false");
    cargo.current_dir(env!("CARGO_MANIFEST_DIR"));
    let own = missing.contains(&&&HOST);
    cargo.stderr(if own { Stdio::inherit() } else { Stdio::null() });
    cargo.status().is_ok_and(|s| s.success())
}

/// The programs of one target.
pub struct Built {
    pub name: &'static str,
    /// Where they are.
    pub folder: PathBuf,
    pub target: &'static Arch,
    pub library: PathBuf,
}

impl Built {
    fn program(&self, source: &str) -> PathBuf {
        self.folder.join(format!("{source}.{}", self.name))
    }

    /// What runs the program made of `source`.
    pub fn command(&self, source: &str) -> Command {
        let program = self.program(source);
        let Some(qemu) = self.target.emulator() else {
            return Command::new(program);
        };
        let mut command = Command::new(qemu);
        command.arg(program);
        command
    }

    pub fn compile(&self, source: &str, defines: &[&str]) {
        let mut cc = Command::new(self.target.cc());
        cc.args(["-O2", "-fno-pie", "-no-pie", "-Wl,--wrap=main"]);
        cc.args(self.target.plain_flags());
        if *self.target != HOST {
            cc.arg("-static");
        }
        cc.args(defines);
        cc.arg("-I").arg(runtime_dir().join("include"));
        cc.arg(runtime_dir().join(format!("tests/c/{source}.c")));
        cc.arg(&self.library).args(["-lpthread", "-ldl", "-lm"]);
        let made = cc.arg("-o").arg(self.program(source)).output().unwrap();
        let said = String::from_utf8_lossy(&made.stderr);
        assert!(made.status.success(), "{source}, {}: {said}", self.name);
    }
}

/// The programs for the targets this machine can build for and run; the first is always there.
pub fn build(sources: &[&str]) -> Vec<Built> {
    let all: Vec<Built> = libraries()
        .into_iter()
        .map(|(target, library)| Built {
            name: target.name,
            folder: folder(),
            target,
            library,
        })
        .collect();
    let own = all.first().map(|b| b.name);
    assert_eq!(own, Some(HOST.name), "this machine's own library");
    std::fs::create_dir_all(folder()).unwrap();
    for built in &all {
        for source in sources {
            built.compile(source, &[]);
        }
    }
    all
}
