//! `cargo xtask setup`: installs what the full suite needs where it may, else says what is missing.

use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::Result;

use crate::{env, sources};

pub fn run() -> Result<()> {
    let mut packages: Vec<&str> = Vec::new();
    for arch in env::wanted() {
        if !env::has_program(&arch.cc()) {
            packages.extend(arch.packages);
        }
        if env::lacking_emulator(arch).is_some() {
            packages.push("qemu-user");
        }
    }
    let extras = env::EXTRAS.iter().filter(|(p, _)| !env::has_extra(p));
    packages.extend(extras.flat_map(|(_, names)| names.split(' ')));
    packages.sort_unstable();
    packages.dedup();
    if !packages.is_empty() {
        install_packages(&packages);
    }
    let have = env::rust_targets();
    let wanted: Vec<&str> = env::wanted()
        .filter(|a| env::has_program(&a.cc()))
        .map(|a| a.rust)
        .filter(|t| !have.iter().any(|h| h == t))
        .collect();
    if !wanted.is_empty() && env::has_program("rustup") {
        println!("setup: adding Rust libraries for {}", wanted.join(", "));
        let done = Command::new("rustup")
            .args(["target", "add"])
            .args(&wanted)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status();
        if !done.is_ok_and(|s| s.success()) {
            println!("setup: 'rustup target add {}' failed", wanted.join(" "));
        }
    }
    let oldest = env::oldest_rust();
    if env::has_program("rustup") {
        let mut c = Command::new("rustup");
        c.args(["toolchain", "install", &oldest, "--profile", "minimal"]);
        c.arg("--no-self-update");
        c.stdout(Stdio::null()).stderr(Stdio::null());
        if !has_rust(&oldest) && !c.status().is_ok_and(|s| s.success()) {
            println!("setup: Rust {oldest}, with which the crate is to build, cannot be installed");
        }
    }
    if env::has_program("rustup") && !has_analyzer() {
        println!("setup: adding rust-analyzer");
        let mut c = Command::new("rustup");
        c.args(["component", "add", "rust-analyzer", "rust-src"]);
        c.stdout(Stdio::null()).stderr(Stdio::null());
        if !c.status().is_ok_and(|s| s.success()) {
            println!("setup: rust-analyzer cannot be installed; its test will be skipped");
        }
    }
    sources::fetch();
    for arch in env::wanted() {
        let missing = env::missing(arch);
        if !missing.is_empty() {
            println!(
                "setup: {} will be skipped: missing {}",
                arch.gnu,
                missing.join(", ")
            );
        }
    }
    Ok(())
}

fn has_rust(version: &str) -> bool {
    let mut c = Command::new("rustup");
    c.args(["run", version, "rustc", "--version"]);
    c.stdout(Stdio::null()).stderr(Stdio::null());
    c.status().is_ok_and(|s| s.success())
}

/// With the library's sources, of which it knows what types are.
fn has_analyzer() -> bool {
    let mut c = Command::new("rust-analyzer");
    c.arg("--version")
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    let sysroot = Command::new("rustc").args(["--print", "sysroot"]).output();
    let sources = sysroot.ok().and_then(|o| String::from_utf8(o.stdout).ok());
    let sources = sources.map(|s| Path::new(s.trim()).join("lib/rustlib/src/rust/library"));
    sources.is_some_and(|s| s.is_dir()) && c.status().is_ok_and(|s| s.success())
}

/// Root on Debian or Ubuntu: apt-get; otherwise a sentence that says what to install.
fn install_packages(packages: &[&str]) {
    let root = Command::new("id")
        .arg("-u")
        .output()
        .is_ok_and(|o| o.stdout.starts_with(b"0\n"));
    if !root || !env::has_program("apt-get") {
        println!("setup: please install: {}", packages.join(" "));
        return;
    }
    println!("setup: installing {}", packages.join(" "));
    let apt = |args: &[&str]| {
        Command::new("apt-get")
            .args(args)
            .env("DEBIAN_FRONTEND", "noninteractive")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status()
            .is_ok_and(|s| s.success())
    };
    // Lists may fail to refresh for a while: the packages may be there all the same.
    apt(&["update"]);
    let mut all = vec!["install", "-y", "--no-install-recommends"];
    all.extend(packages);
    if !apt(&all) {
        // One package that is not to be had must not keep the others away.
        for p in packages {
            if !apt(&["install", "-y", "--no-install-recommends", p]) {
                println!("setup: could not install {p}");
            }
        }
    }
}
