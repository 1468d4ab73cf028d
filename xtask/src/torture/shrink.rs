//! Makes a program that went wrong small, without making it one whose meaning is open.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use anyhow::{Context, Result};
use pc3_tests::run::end_of;
use pc3_tests::torture::reduce::reduce;
use pc3_tests::torture::{Plan, Source, Stops, Verdict};

use crate::env;

/// What a smaller program must not be warned of.
const SOUND: [&str; 7] = [
    "-Wall",
    "-Werror=uninitialized",
    "-Werror=maybe-uninitialized",
    "-Werror=return-type",
    "-Werror=implicit-function-declaration",
    "-Werror=int-conversion",
    "-Werror=incompatible-pointer-types",
];

/// Writes what is left of the program to target/torture/NAME.c.
pub fn shrink(source: &Source, verdict: &Verdict, plan: &Plan) -> Result<()> {
    let dir = tempfile::tempdir()?;
    let mut small = source.clone();
    small.path = dir.path().join("small.c");
    let text = std::fs::read(&source.path).with_context(|| source.path.display().to_string())?;
    let text = String::from_utf8_lossy(&text).into_owned();
    std::fs::write(&small.path, &text)?;
    // Real programs may do what the checks find fault with; a smaller one may not do worse.
    let (sound, clean) = (sound(&small, dir.path()), clean(&small, dir.path()));
    // What is smaller has fewer places to stop at, and takes other journeys.
    let mut plan = plan.clone();
    if let Stops::Journeys(n) = &mut plan.stops {
        *n *= 4;
    }
    let mut tries = 0;
    let mut fails = |text: &str| {
        tries += 1;
        std::fs::write(&small.path, text).is_ok()
            && (!sound || self::sound(&small, dir.path()))
            && (!clean || self::clean(&small, dir.path()))
            && plan.torture(&small).kind == verdict.kind
    };
    let out = env::target_dir()
        .join("torture")
        .join(format!("{}.c", source.name.replace('/', "-")));
    if !fails(&text) {
        println!("{}: does not fail when tried again", source.name);
        return Ok(());
    }
    let left = reduce(&text, &mut fails);
    std::fs::write(&out, &left).with_context(|| out.display().to_string())?;
    println!(
        "{}: {} of {} bytes are left after {tries} tries: {}",
        source.name,
        left.len(),
        text.len(),
        out.display()
    );
    Ok(())
}

fn sound(source: &Source, dir: &Path) -> bool {
    let mut c = compiler(source, dir);
    c.arg("-O2").args(SOUND);
    ends_well(c, 30)
}

/// Built with the sanitizers it ends as it should.
fn clean(source: &Source, dir: &Path) -> bool {
    let mut c = compiler(source, dir);
    c.args([
        "-w",
        "-O1",
        "-fsanitize=undefined,address",
        "-fno-sanitize-recover=all",
    ]);
    ends_well(c, 60) && ends_well(Command::new(dir.join("checked")), 20)
}

fn compiler(source: &Source, dir: &Path) -> Command {
    let mut c = Command::new("cc");
    c.args(&source.flags)
        .arg(&source.path)
        .arg("-o")
        .arg(dir.join("checked"))
        .arg("-lm");
    c
}

fn ends_well(mut c: Command, seconds: u64) -> bool {
    c.stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    let ended = c
        .spawn()
        .map_err(Into::into)
        .and_then(|child| end_of(child, Duration::from_secs(seconds)));
    matches!(ended, Ok(Some(0)))
}
