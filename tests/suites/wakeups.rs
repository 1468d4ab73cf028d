//! A worker that goes to sleep is woken under every emulator: with the very file of the runtime.  QEMU's ARM lets a load
//! overtake a store-release, which no other program here shows but once in thousands of runs.

use std::process::Command;
use std::time::Duration;

use anyhow::{ensure, Context, Result};
use libtest_mimic::Trial;
use pc3_tests::arch::{self, Arch};
use pc3_tests::clock;
use pc3_tests::run::end_of;

pub fn trials() -> Vec<Trial> {
    let one = |arch: Arch| {
        clock::test(format!("wakeups::{}", arch.name), move || {
            woken(arch).map_err(|e| format!("{e:#}").into())
        })
    };
    let all = arch::available().into_iter();
    all.filter(|a| a.emulator().is_some()).map(one).collect()
}

fn woken(arch: Arch) -> Result<()> {
    let dir = tempfile::tempdir()?;
    let exe = dir.path().join("wakeups");
    let mut rustc = Command::new(std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()));
    rustc.args(["-O", "--edition", "2021", "-o"]).arg(&exe);
    rustc.args(["-C", "target-feature=+crt-static", "-C"]);
    rustc.arg(format!("linker={}", arch.cc()));
    rustc.args(["--target", arch.rust]);
    let built = rustc
        .arg(arch::root().join("tests/data/wakeups.rs"))
        .output()?;
    ensure!(
        built.status.success(),
        "{}",
        String::from_utf8_lossy(&built.stderr)
    );
    let emulator = arch.emulator().context("none")?;
    let child = Command::new(emulator).arg(&exe).spawn()?;
    let status = end_of(child, Duration::from_secs(120))?;
    ensure!(
        status.context("a sleeper was not woken")? == 0,
        "{status:?}"
    );
    Ok(())
}
