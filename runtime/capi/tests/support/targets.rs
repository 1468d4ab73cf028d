//! The test programs, built for every target of this machine.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

pub struct Target {
    pub name: &'static str,
    pub triple: &'static str,
    pub cc: &'static str,
    pub flags: &'static [&'static str],
    pub qemu: Option<&'static str>,
}

pub const TARGETS: [Target; 4] = [
    Target {
        name: "x86_64",
        triple: "x86_64-unknown-linux-gnu",
        cc: "cc",
        flags: &[],
        qemu: None,
    },
    Target {
        name: "s390x",
        triple: "s390x-unknown-linux-gnu",
        cc: "s390x-linux-gnu-gcc",
        flags: &["-static"],
        qemu: Some("qemu-s390x"),
    },
    Target {
        name: "i686",
        triple: "i686-unknown-linux-gnu",
        cc: "i686-linux-gnu-gcc",
        flags: &["-static", "-msse2", "-mfpmath=sse"],
        qemu: None,
    },
    Target {
        name: "aarch64",
        triple: "aarch64-unknown-linux-gnu",
        cc: "aarch64-linux-gnu-gcc",
        flags: &["-static"],
        qemu: Some("qemu-aarch64"),
    },
];

pub const STEPS: &str = "120";

/// Runs it; only what must succeed says why it does not.
pub fn quietly(command: &mut Command, target: &Target) -> bool {
    let own = target.triple == TARGETS[0].triple;
    command.stderr(if own { Stdio::inherit() } else { Stdio::null() });
    command.status().is_ok_and(|s| s.success())
}

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

/// libpc3rt.a for a target, with failpoints.
pub fn library(target: &Target) -> Option<PathBuf> {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join("programs");
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args([
        "build",
        "-q",
        "-p",
        "pc3-capi",
        "--features",
        "failpoints",
        "--target",
        target.triple,
    ]);
    cargo
        .arg("--target-dir")
        .arg(&dir)
        .current_dir(env!("CARGO_MANIFEST_DIR"));
    let built = quietly(&mut cargo, target);
    built.then(|| dir.join(target.triple).join("debug/libpc3rt.a"))
}

pub fn compile(target: &Target, library: &Path, source: &str, defines: &[&str], to: &Path) -> bool {
    let mut cc = Command::new(target.cc);
    cc.args([
        "-O2",
        "-fno-pie",
        "-no-pie",
        "-Wl,--wrap=main",
        "-ffp-contract=off",
    ])
    .args(target.flags)
    .args(defines);
    cc.arg("-I").arg(runtime_dir().join("include"));
    cc.arg(runtime_dir().join("tests/c").join(source))
        .arg(library);
    quietly(cc.args(["-lpthread", "-ldl", "-lm", "-o"]).arg(to), target)
}

pub struct Built {
    pub name: &'static str,
    pub qemu: Option<&'static str>,
    pub walk: PathBuf,
    pub library: PathBuf,
    pub ring: PathBuf,
}

/// The targets this machine can build for and run; the first is always there.
pub fn built() -> &'static [Built] {
    static BUILT: OnceLock<Vec<Built>> = OnceLock::new();
    BUILT.get_or_init(|| {
        let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join("programs");
        let mut all = Vec::new();
        for target in &TARGETS {
            let program = |name: &str| dir.join(format!("{name}.{}", target.name));
            let ring = program("ring");
            let (walk, second) = (program("walk"), program("library"));
            let runs = target
                .qemu
                .is_none_or(|q| works(Command::new(q).arg("--version")));
            let made = runs
                && works(Command::new(target.cc).arg("--version"))
                && library(target).is_some_and(|lib| {
                    compile(target, &lib, "walk.c", &[], &walk)
                        && compile(target, &lib, "library.c", &[], &second)
                        && compile(target, &lib, "ring.c", &[], &ring)
                });
            if made {
                all.push(Built {
                    name: target.name,
                    qemu: target.qemu,
                    walk,
                    library: second,
                    ring,
                });
            } else {
                eprintln!(
                    "SKIPPED: {} (no cross compiler, Rust library or qemu)",
                    target.name
                );
            }
        }
        assert!(
            !all.is_empty(),
            "this machine's own library could not be built"
        );
        all
    })
}
