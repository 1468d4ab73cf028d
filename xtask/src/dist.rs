//! `cargo xtask dist`: `bin/`, `include/` and one runtime archive per target under `target/dist`.

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
    // Each of these builds has a directory of its own, and ends with one crate that keeps one processor busy.
    let transports = MPIS.map(|mpi| std::thread::spawn(move || transport(mpi)));
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
    install_runtime(&release.join("libpc3rt.a"), &folder(&host), "strip")?;
    if !crossed.is_empty() {
        let mut all = build();
        all.args(["-p", "pc3-capi"]);
        for arch in &crossed {
            all.args(["--target", arch.rust]);
        }
        env::run(&mut all)?;
    }
    for arch in crossed {
        let built = env::target_dir().join(arch.rust).join("release/libpc3rt.a");
        install_runtime(&built, &folder(arch.gnu), &format!("{}-strip", arch.gnu))?;
    }
    for (mpi, built) in MPIS.iter().zip(transports) {
        if let Some(built) = built
            .join()
            .expect("says why there is none, and does not panic")
        {
            install(&built, &folder(&host).join(format!("libpc3_mpi_{mpi}.so")))?;
        }
    }
    Ok(dist)
}

/// Those of `targets` that are not the host's, if all can be built for.
fn crossed(targets: &[String], host: &str) -> Result<Vec<&'static env::Arch>> {
    let mut all = Vec::new();
    for t in targets {
        let Some(arch) = env::CROSS.iter().find(|a| a.gnu == t || a.rust == t) else {
            if *t == *host {
                continue;
            }
            bail!("unknown target '{t}' (known: {})", known());
        };
        let missing = arch.missing();
        if !missing.is_empty() {
            bail!(
                "cannot build for {t}: missing {} (cargo xtask setup installs it)",
                missing.join(", ")
            );
        }
        all.push(arch);
    }
    Ok(all)
}

/// Native MPIs for which there is a transport; `mpicc.NAME` compiles for one.
const MPIS: [&str; 2] = ["openmpi", "mpich"];

/// Builds the transport over a native MPI, if that is installed.
fn transport(mpi: &str) -> Option<PathBuf> {
    let mpicc = format!("mpicc.{mpi}");
    // Programs for other machines do not load one.
    if !env::has_program(&mpicc) || std::env::consts::ARCH != "x86_64" {
        return None;
    }
    let target = env::target_dir().join(format!("mpi-{mpi}"));
    let manifest = env::root().join("runtime/transport/mpi/Cargo.toml");
    let done = build()
        .arg("--manifest-path")
        .arg(manifest)
        .env("MPICC", &mpicc)
        .env("CARGO_TARGET_DIR", &target)
        .status();
    if !done.is_ok_and(|s| s.success()) {
        eprintln!("dist: no transport for {mpi}: it could not be built (libclang is needed)");
        return None;
    }
    Some(target.join("release/libpc3_mpi.so"))
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
    env::CROSS
        .iter()
        .map(|a| a.gnu)
        .collect::<Vec<_>>()
        .join(", ")
}

/// The library goes into every program: two thirds of it would be debugging information on Rust's sources.
fn install_runtime(from: &Path, to: &Path, strip: &str) -> Result<()> {
    install_with(from, &to.join("libpc3rt.a"), |copy| {
        // Without a strip for the target programs are larger, nothing else.
        let _ = Command::new(strip).arg("-g").arg(copy).status();
    })
}

fn install(from: &Path, to: &Path) -> Result<()> {
    install_with(from, to, |_| ())
}

/// Copies by rename, so that a running binary is not written to.
fn install_with(from: &Path, to: &Path, finish: impl FnOnce(&Path)) -> Result<()> {
    let dir = to.parent().context("no parent directory")?;
    fs::create_dir_all(dir)?;
    let temporary = to.with_extension("new");
    fs::copy(from, &temporary).with_context(|| format!("cannot copy {}", from.display()))?;
    finish(&temporary);
    fs::rename(&temporary, to)?;
    Ok(())
}
