//! Packages from crates.io, each made checkpointable by a few lines (`tests/crates`), stopped and moved between this machine's
//! architecture and s390x, and compared with the package as it is. By hand, `run.sh` goes round four architectures.

use std::path::PathBuf;
use std::process::Command;

use anyhow::{bail, Result};
use libtest_mimic::Trial;
use pc3_tests::arch;
use pc3_tests::clock;

/// `run.sh` could not have the package.
const OUT_OF_REACH: i32 = 77;
/// One package in so many, where there are few processors.
const SHARE: usize = 3;

pub fn trials() -> Vec<Trial> {
    let far = arch::ALL.iter().find(|a| a.name == "s390x");
    let far = far.filter(|a| a.missing().is_none()).is_some();
    let Ok(folders) = std::fs::read_dir(arch::root().join("tests/crates")) else {
        return Vec::new();
    };
    let mut packages: Vec<PathBuf> = folders.flatten().map(|f| f.path()).collect();
    packages.retain(|p| p.join("run.sh").exists());
    packages.sort();
    arch::share("crates", packages.into_iter(), SHARE)
        .map(|package| {
            let name = package.file_name().unwrap_or_default().to_string_lossy();
            let name = format!("crates::{name}");
            clock::test(name.clone(), move || {
                moved(&name, package, far).map_err(|e| format!("{e:#}").into())
            })
        })
        .collect()
}

fn moved(name: &str, package: PathBuf, far: bool) -> Result<()> {
    let mut c = Command::new("sh");
    c.arg(package.join("run.sh"));
    c.env("MACHINES", if far { "s390x" } else { "" });
    c.env("CARGO_TARGET_DIR", arch::target_dir());
    let done = c.output()?;
    match done.status.code() {
        Some(0) => Ok(()),
        Some(OUT_OF_REACH) => {
            println!("skipped {name}: crates.io is out of reach");
            Ok(())
        }
        _ => bail!(
            "{}{}",
            String::from_utf8_lossy(&done.stdout),
            String::from_utf8_lossy(&done.stderr)
        ),
    }
}
