//! `cargo xtask test`: setup, dist, unit and integration tests, end-to-end suites, and a plain summary.

use anyhow::{bail, Result};

use crate::{dist, env, setup};

pub fn run(with_setup: bool, filter: Option<&str>) -> Result<()> {
    if with_setup {
        setup::run()?;
    }
    let targets = env::available_targets();
    dist::run(&targets)?;
    let mut failed = Vec::new();
    let mut step = |name: &str, cmd: &mut std::process::Command| {
        println!("\n== {name}");
        if !cmd.status().is_ok_and(|s| s.success()) {
            failed.push(name.to_string());
        }
    };
    if filter.is_none() {
        step("formatting", env::cargo().args(["fmt", "--all", "--check"]));
        step(
            "clippy",
            env::cargo().args([
                "clippy",
                "--quiet",
                "--workspace",
                "--all-targets",
                "--",
                "-D",
                "warnings",
            ]),
        );
        step(
            "unit and integration tests",
            env::cargo().args(["test", "--quiet", "--workspace", "--exclude", "pc3-tests"]),
        );
    }
    let mut e2e = env::cargo();
    e2e.args([
        "test",
        "--quiet",
        "--release",
        "-p",
        "pc3-tests",
        "--test",
        "e2e",
        "--",
    ])
    .args(filter);
    step("end-to-end", &mut e2e);

    println!("\n== summary");
    let mut have = vec![std::env::consts::ARCH.to_string()];
    have.extend(
        targets
            .iter()
            .map(|t| t.split('-').next().unwrap_or(t).to_string()),
    );
    println!("architectures: {}", have.join(", "));
    for arch in env::CROSS.iter().filter(|a| !a.missing().is_empty()) {
        println!(
            "skipped: {} (missing {})",
            arch.gnu,
            arch.missing().join(", ")
        );
    }
    if failed.is_empty() {
        println!("all passed");
        return Ok(());
    }
    bail!("failed: {}", failed.join(", "))
}
