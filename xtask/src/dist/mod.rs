//! `cargo xtask dist`: `bin/`, `include/` and one runtime archive per target under `target/dist`.

mod own_references;
mod prelink;
mod unwinding;

use std::fs;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{bail, Context, Result};

use crate::env;

/// Builds the tree and returns its path. `targets`: triples besides the host's, GNU or Rust spelling.
pub fn run(targets: &[String]) -> Result<PathBuf> {
    let dist = env::dist_dir();
    let host = format!("{}-linux-gnu", std::env::consts::ARCH);
    let crossed = crossed(targets, &host)?;
    // In directories of their own, so beside the rest, which ends with one crate that keeps one processor busy.
    let transports = std::thread::spawn(transports);
    env::run(build().args(["-p", "pc3cc", "-p", "pc3-tools", "-p", "pc3-capi"]))?;
    let release = env::target_dir().join("release");
    for bin in ["pc3cc", "pc3run", "pc3"] {
        install(&release.join(bin), &dist.join("bin").join(bin))?;
    }
    for header in ["pc3.h", "mpi.h"] {
        install(
            &env::root().join("runtime/include").join(header),
            &dist.join("include").join(header),
        )?;
    }
    let folder = |gnu: &str| dist.join("lib/pc3").join(gnu);
    install_runtime(&release.join("libpc3rt.a"), None, "", &folder(&host))?;
    if !crossed.is_empty() {
        let mut all = build();
        all.args(["-p", "pc3-capi"]);
        for arch in &crossed {
            all.args(["--target", arch.rust]);
            arch.links(&mut all);
        }
        env::run(&mut all)?;
    }
    for arch in crossed {
        let built = env::target_dir().join(arch.rust).join("release/libpc3rt.a");
        let unwinder = unwinder(arch)?;
        install_runtime(
            &built,
            unwinder.as_deref(),
            &env::prefix(arch),
            &folder(arch.gnu),
        )?;
    }
    let transports = transports.join();
    for (mpi, built) in transports.expect("says why there is none, and does not panic") {
        install(&built, &folder(&host).join(format!("libpc3_mpi_{mpi}.so")))?;
    }
    Ok(dist)
}

/// Those of `targets` that are not the host's, if all can be built for.
fn crossed(targets: &[String], host: &str) -> Result<Vec<&'static env::Arch>> {
    let mut all = Vec::new();
    for t in targets {
        let Some(arch) = env::targets().find(|a| a.gnu == t || a.rust == t) else {
            if *t == *host {
                continue;
            }
            bail!("unknown target '{t}' (known: {})", known());
        };
        let missing = env::missing(arch);
        if !missing.is_empty() {
            bail!(
                "cannot build for {t}: missing {} (PC3_TEST_ARCHS={} cargo xtask setup installs it)",
                missing.join(", "),
                arch.name
            );
        }
        all.push(arch);
    }
    Ok(all)
}

/// Native MPIs for which there is a transport; `mpicc.NAME` compiles for one.
const MPIS: [&str; 2] = ["openmpi", "mpich"];

/// Those that are installed, and the transports over them.
fn transports() -> Vec<(&'static str, PathBuf)> {
    // Programs for other machines do not load one.
    if std::env::consts::ARCH != "x86_64" {
        return Vec::new();
    }
    let mut made: Vec<(&str, PathBuf)> = Vec::new();
    let there = MPIS.into_iter().filter(|mpi| env::has_program(&mpicc(mpi)));
    for mpi in there {
        let first = made.first().filter(|_| !folder_of(mpi).exists());
        if let Some((other, _)) = first {
            begin_like(other, mpi);
        }
        made.extend(transport(mpi).map(|built| (mpi, built)));
    }
    made
}

fn mpicc(mpi: &str) -> String {
    format!("mpicc.{mpi}")
}

/// Where the transport over this one is built.
fn folder_of(mpi: &str) -> PathBuf {
    env::target_dir().join(format!("mpi-{mpi}"))
}

/// Cargo for a transport, in that folder.
fn of_transport(mpi: &str, folder: &Path, mut cargo: Command) -> Command {
    let manifest = env::root().join("runtime/transport/mpi/Cargo.toml");
    cargo.arg("--manifest-path").arg(manifest);
    cargo
        .env("MPICC", mpicc(mpi))
        .env("CARGO_TARGET_DIR", folder);
    cargo
}

/// The generator of bindings is the same for all, and most of the work; what it made is not, and cargo would not see that.
fn begin_like(other: &str, mpi: &str) {
    // Of its name when it is whole: what another MPI's headers say is not to be there after an interruption.
    let copied = folder_of(mpi).with_extension("new");
    let _ = fs::remove_dir_all(&copied);
    let mut copy = Command::new("cp");
    copy.arg("-a").args([&folder_of(other), &copied]);
    let mut clean = env::cargo();
    clean.args(["clean", "--quiet", "--release", "-p", "mpi-sys"]);
    let mut clean = of_transport(mpi, &copied, clean);
    let done = |c: &mut Command| c.status().is_ok_and(|s| s.success());
    if !done(&mut copy) || !done(&mut clean) || fs::rename(&copied, folder_of(mpi)).is_err() {
        let _ = fs::remove_dir_all(copied);
    }
}

/// Builds the transport over a native MPI.
fn transport(mpi: &str) -> Option<PathBuf> {
    let done = of_transport(mpi, &folder_of(mpi), build()).status();
    if !done.is_ok_and(|s| s.success()) {
        eprintln!("dist: no transport for {mpi}: it could not be built (libclang is needed)");
        return None;
    }
    Some(folder_of(mpi).join("release/libpc3_mpi.so"))
}

/// Who watches sees cargo's progress; a log is kept short.
fn build() -> Command {
    let mut cargo = env::cargo();
    cargo.args(["build", "--release"]);
    if !std::io::stderr().is_terminal() {
        cargo.arg("--quiet");
    }
    cargo
}

fn known() -> String {
    env::targets().map(|a| a.gnu).collect::<Vec<_>>().join(", ")
}

/// Rust's own for musl: that of the machine's gcc is made for the GNU C library.
fn unwinder(arch: &env::Arch) -> Result<Option<PathBuf>> {
    if !arch.rust.ends_with("-musl") {
        return Ok(None);
    }
    let mut rustc = Command::new("rustc");
    rustc.args(["--print", "target-libdir", "--target", arch.rust]);
    let libraries = env::output(&mut rustc)?;
    Ok(Some(
        Path::new(libraries.trim()).join("self-contained/libunwind.a"),
    ))
}

fn install_runtime(from: &Path, with: Option<&Path>, prefix: &str, to: &Path) -> Result<()> {
    let dir = tempfile::tempdir()?;
    let linked = prelink::linked(from, with, prefix, dir.path())?;
    install(&linked, &to.join("libpc3rt.a"))
}

/// Copies by rename, so that a running binary is not written to.
fn install(from: &Path, to: &Path) -> Result<()> {
    let dir = to.parent().context("no parent directory")?;
    fs::create_dir_all(dir)?;
    let temporary = to.with_extension("new");
    fs::copy(from, &temporary).with_context(|| format!("cannot copy {}", from.display()))?;
    fs::rename(&temporary, to)?;
    Ok(())
}
