//! `cargo xtask simulate`: the coordination protocols in the simulator, which is built optimised.

use std::ffi::OsStr;

use anyhow::{bail, Context, Result};

use crate::env;

pub fn run<S: AsRef<OsStr>>(args: &[S]) -> Result<()> {
    let done = env::cargo()
        .args(["run", "--release", "--quiet", "-p", "pc3-simulate", "--"])
        .args(args)
        .status()
        .context("cannot run cargo")?;
    if !done.success() {
        bail!("the simulator ended with {done}");
    }
    Ok(())
}
