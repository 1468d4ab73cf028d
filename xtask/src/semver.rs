//! `cargo xtask semver`: is what users of the crate may name still what it was at an earlier revision?  Nothing has been
//! published, so that is one of this repository's.

use anyhow::{bail, Result};

use crate::env;

/// The surface is to be compatible with that of this revision.
const BASELINE: &str = "59f2a2c";

pub const TOOL: &str = "semver-checks";

/// What the tool is told; names below `pc3::point`, and others with `#[doc(hidden)]`, are for what the attributes write,
/// which the tool leaves out.
pub fn arguments(baseline: Option<&str>) -> [&str; 4] {
    ["-p", "pc3", "--baseline-rev", baseline.unwrap_or(BASELINE)]
}

pub fn run(baseline: Option<&str>) -> Result<()> {
    let mut c = env::cargo();
    c.arg(TOOL).args(arguments(baseline));
    match c.status()?.success() {
        true => Ok(()),
        false => bail!("not compatible, or cargo {TOOL} is not installed (cargo install --locked cargo-{TOOL})"),
    }
}
