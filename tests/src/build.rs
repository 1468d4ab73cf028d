//! Builds programs with pc3cc and with the plain compiler, once per test run.

use std::collections::HashMap;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, Mutex, OnceLock};

use anyhow::{bail, ensure, Context, Result};

use crate::arch::{self, Arch};
use crate::program::Program;

type Slot = Arc<OnceLock<Result<PathBuf, String>>>;
/// By name; what of, and where it is.
type Builds = HashMap<String, (Vec<PathBuf>, Slot)>;
static BUILT: OnceLock<Mutex<Builds>> = OnceLock::new();

/// The program instrumented for `arch`.
pub fn instrumented(p: &Program, arch: Arch) -> Result<PathBuf> {
    if let Some(name) = p.rust_binary() {
        return Ok(rust_examples(arch, false)?.join(name));
    }
    once(
        &format!("{}.pc3-{}", p.name, arch.name),
        &p.sources,
        |out| instrumented_command(p, arch, out),
    )
}

/// The program as the plain compiler makes it; sequential programs only.
pub fn plain(p: &Program, arch: Arch) -> Result<PathBuf> {
    if let Some(name) = p.rust_binary() {
        return Ok(rust_examples(arch, true)?.join(name));
    }
    once(
        &format!("{}.plain-{}", p.name, arch.name),
        &p.sources,
        |out| plain_command(p, arch, out),
    )
}

/// Builds all forms of the programs of `examples/rust` beside the suites that need none of them: these builds follow each
/// other, and whoever waits for one keeps a thread of the suites.
pub fn rust_ahead() {
    for arch in arch::round_of("rust-") {
        // Those who need one that cannot be built say so.
        drop(rust_examples(arch, false));
        if arch == arch::HOST {
            drop(rust_examples(arch, true));
        }
    }
}

/// The folder with all programs of `examples/rust`; `plain`: as they are without the attributes.
fn rust_examples(arch: Arch, plain: bool) -> Result<PathBuf> {
    // Builds follow each other: both forms have the same place in cargo's folder.
    static TURN: Mutex<()> = Mutex::new(());
    let _turn = TURN.lock().unwrap_or_else(|e| e.into_inner());
    let form = if plain { "plain" } else { "pc3" };
    let all = Program::rust_examples()?;
    let bins: Vec<&str> = all.iter().filter_map(Program::rust_binary).collect();
    let linker = match arch == arch::HOST {
        true => None,
        false => Some(static_linker(arch)?),
    };
    once(&format!("rust.{form}-{}", arch.name), &[], |out| {
        // What is not the programs' own is as `cargo xtask dist` has built it, if flags, linker and features of all crates are the same.
        let mut script = String::from("cargo build --release --quiet -p pc3-examples --bins");
        let mut built = arch::target_dir();
        if plain {
            script.push_str(" --features pc3-examples/plain");
        }
        if arch == arch::HOST {
            // Asks for the same features of `syn` as the tools do, and has no program of its own.
            script.push_str(" -p pc3-tests");
        } else {
            script.push_str(&format!(" --target {}", arch.rust));
            built.push(arch.rust);
        }
        if plain || arch != arch::HOST {
            // Their own code only, which takes half as long: emulated, it runs as fast, and what the plain form prints is all that it is for.
            script.push_str(" --config profile.release.package.pc3-examples.opt-level=1");
        }
        script.push_str(&format!(
            " && mkdir -p {out} && cd {} && cp {} {out}",
            built.join("release").display(),
            bins.join(" "),
            out = out.display()
        ));
        let mut c = Command::new("sh");
        c.args(["-ec", &script]).current_dir(arch::root());
        if let Some(dir) = &linker {
            arch.links(&mut c);
            let path = std::env::var("PATH").unwrap_or_default();
            c.env("PATH", format!("{}:{path}", dir.display()));
        }
        c
    })
}

/// A folder with a linker of the usual name that makes of rustc's dynamic programs static ones: what a cross compiler's package brings
/// is not where a loader would be looked for, and all crates would be built again with the flag of rustc for this.
fn static_linker(arch: Arch) -> Result<PathBuf> {
    let dir = arch::target_dir()
        .join("e2e")
        .join(format!("static-{}", arch.name));
    std::fs::create_dir_all(&dir)?;
    let cc = arch.cc();
    let real = std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default())
        .map(|p| p.join(&cc))
        .find(|p| p.is_file())
        .with_context(|| format!("{cc} is not in PATH"))?;
    let script = format!(
        "#!/bin/sh\n\
         for a; do\n\
         \tshift\n\
         \tcase $a in -pie | -lgcc_s | -Wl,-Bdynamic) ;; *) set -- \"$@\" \"$a\" ;; esac\n\
         done\n\
         exec {} \"$@\" -static -Wl,--start-group -lgcc_eh -lgcc -lc -Wl,--end-group\n",
        real.display()
    );
    let file = dir.join(cc);
    std::fs::write(&file, script)?;
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o755))?;
    Ok(dir)
}

pub(crate) fn instrumented_command(p: &Program, arch: Arch, out: &Path) -> Command {
    let mut c = Command::new(arch::dist().join("bin/pc3cc"));
    c.arg(format!("--target={}", arch.gnu))
        .args(p.cc.as_ref().map(|_| format!("--cc={}", compiler(p, arch))))
        .args(&p.pc3_flags)
        .args(&p.flags);
    // The level that all have: the compiler takes two thirds of the time with a lesser one, and what runs emulated is as fast.
    if arch != arch::HOST
        && !arch::all_round()
        && p.flags.iter().filter(|f| f.starts_with("-O")).count() == 1
    {
        c.arg("-O1");
    }
    sources(&mut c, p, arch, out);
    c
}

pub(crate) fn plain_command(p: &Program, arch: Arch, out: &Path) -> Command {
    let compiler = compiler(p, arch);
    let mut words = compiler.split_whitespace();
    let mut c = Command::new(words.next().unwrap_or("cc"));
    c.args(words);
    c.args(arch.plain_flags()).args(&p.flags).arg("-w");
    // An ordinary compiler needs pc3.h only where a program includes it.
    c.arg("-I").arg(arch::dist().join("include"));
    sources(&mut c, p, arch, out);
    c
}

fn compiler(p: &Program, arch: Arch) -> String {
    match &p.cc {
        Some(cc) if arch == arch::HOST => cc.clone(),
        Some(cc) => format!("{cc} --target={}", arch.gnu),
        None => arch.cc(),
    }
}

fn sources(c: &mut Command, p: &Program, arch: Arch, out: &Path) {
    // What a cross compiler's package brings is not where a loader would be looked for.
    if arch != arch::HOST {
        c.arg("-static");
    }
    c.args(&p.sources).arg("-o").arg(out).arg("-lm");
}

fn once(
    name: &str,
    sources: &[PathBuf],
    command: impl FnOnce(&Path) -> Command,
) -> Result<PathBuf> {
    let slot = {
        let mut map = BUILT
            .get_or_init(Mutex::default)
            .lock()
            .unwrap_or_else(|e| e.into_inner());
        let first = || (sources.to_vec(), Slot::default());
        let (of, slot) = map.entry(name.to_string()).or_insert_with(first);
        ensure!(
            of == sources,
            "{name} is made of {of:?}, and of {sources:?}"
        );
        slot.clone()
    };
    let built = slot.get_or_init(|| {
        let dir = arch::target_dir().join("e2e");
        let go = || -> Result<PathBuf> {
            std::fs::create_dir_all(&dir)?;
            let out = dir.join(name);
            let mut c = command(&out);
            let done = c
                .output()
                .with_context(|| format!("{:?}", c.get_program()))?;
            if !done.status.success() {
                bail!("{c:?}\n{}", String::from_utf8_lossy(&done.stderr));
            }
            Ok(out)
        };
        go().map_err(|e| format!("{e:#}"))
    });
    built
        .clone()
        .map_err(|e| anyhow::anyhow!("build failed: {e}"))
}
