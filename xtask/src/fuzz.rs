//! `cargo xtask fuzz`: readers of checkpoints, built optimised, on damaged ones.

use std::ffi::OsString;

use anyhow::{bail, Context, Result};

use crate::env;

pub fn run(args: &[OsString]) -> Result<()> {
    let mut cargo = env::cargo();
    cargo.args(["run", "--release", "--quiet", "-p", "pc3-fuzz", "--"]);
    let done = cargo.args(args).status().context("cannot run cargo")?;
    if !done.success() {
        bail!("it ended with {done}");
    }
    Ok(())
}
