//! `cargo xtask simulate`: the coordination protocols in the simulator, which is built optimised.

use std::ffi::OsStr;
use std::process::Command;

use anyhow::{bail, Context, Result};

use crate::env;

pub fn command<S: AsRef<OsStr>>(args: &[S]) -> Command {
    let mut cargo = env::cargo();
    cargo.args(["run", "--release", "--quiet", "-p", "pc3-simulate", "--"]);
    cargo.args(args);
    cargo
}

pub fn run<S: AsRef<OsStr>>(args: &[S]) -> Result<()> {
    let done = command(args).status().context("cannot run cargo")?;
    if !done.success() {
        bail!("the simulator ended with {done}");
    }
    Ok(())
}
