//! `cargo xtask check`: what is quick to find out, between two edits.

use anyhow::{bail, Result};

use crate::{env, tidy};

/// Format, lints of the packages that have changed (cargo knows which), rules of the house.
pub fn run() -> Result<()> {
    let steps: [(&str, &[&str]); 2] = [
        ("fmt", &["--all", "--check"]),
        (
            "clippy",
            &["--workspace", "--quiet", "--", "-D", "warnings"],
        ),
    ];
    for (tool, args) in steps {
        if !env::cargo().arg(tool).args(args).status()?.success() {
            bail!("cargo {tool} has found something");
        }
    }
    tidy::run()
}
