//! `cargo xtask fuzz`: cases by their numbers, in a process of its own, whose memory is bounded and which is watched.

use std::fs::{self, File};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::{Duration, Instant};

use anyhow::{bail, Context, Result};
use clap::Parser;
use pc3_fuzz::{Corpus, Place};

/// Damages checkpoints of all versions, with right checksums, and reads them: none may crash, hang or take much memory
#[derive(Parser)]
#[command(name = "cargo xtask fuzz")]
struct Options {
    /// So many cases
    #[arg(long, default_value_t = 100_000)]
    runs: u64,
    /// Others with each number
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// The first case: to repeat one
    #[arg(long, default_value_t = 0)]
    from: u64,
    /// Where to read and write: what crashed stays there
    #[arg(long, hide = true)]
    dir: Option<PathBuf>,
}

/// Of address space, of which the corpus takes little.
const MEMORY: u64 = 2 << 30;
/// A case takes a few milliseconds.
const PATIENCE: Duration = Duration::from_secs(60);
const NUMBER: &str = "case";

fn main() -> ExitCode {
    let options = Options::parse();
    let done = match &options.dir {
        Some(dir) => cases(&options, dir),
        None => watched(&options),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn cases(options: &Options, dir: &Path) -> Result<()> {
    let limit = libc::rlimit {
        rlim_cur: MEMORY as libc::rlim_t,
        rlim_max: MEMORY as libc::rlim_t,
    };
    // SAFETY: a plain system call.
    if unsafe { libc::setrlimit(libc::RLIMIT_AS, &limit) } != 0 {
        bail!("setrlimit: {}", std::io::Error::last_os_error());
    }
    let corpus = Corpus::load()?;
    let place = Place::new(&corpus, dir)?;
    let note = File::create(dir.join(NUMBER))?;
    for number in options.from..options.from + options.runs {
        note.write_all_at(&number.to_le_bytes(), 0)?;
        place.run(options.seed, number)?;
    }
    Ok(())
}

fn watched(options: &Options) -> Result<()> {
    let dir = tempfile::tempdir()?;
    let mut child = Command::new(std::env::current_exe()?)
        .args(["--runs", &options.runs.to_string()])
        .args(["--seed", &options.seed.to_string()])
        .args(["--from", &options.from.to_string()])
        .arg("--dir")
        .arg(dir.path())
        .spawn()
        .context("cannot start")?;
    let start = Instant::now();
    let (mut last, mut since) = (None, start);
    let how = loop {
        if let Some(status) = child.try_wait()? {
            match status.success() {
                true => break None,
                false => break Some(status.to_string()),
            }
        }
        let now = number(dir.path());
        if now != last {
            (last, since) = (now, Instant::now());
        }
        if since.elapsed() > PATIENCE {
            child.kill()?;
            child.wait()?;
            break Some("it hangs".to_owned());
        }
        std::thread::sleep(Duration::from_millis(20));
    };
    let Some(how) = how else {
        let seconds = start.elapsed().as_secs_f64();
        println!(
            "{} cases in {seconds:.1} s, none of them crashed",
            options.runs
        );
        return Ok(());
    };
    let case = number(dir.path()).unwrap_or(options.from);
    let kept = dir.keep();
    let seed = options.seed;
    bail!(
        "case {case}: {how}; it lies in {}; again: --seed {seed} --from {case} --runs 1",
        kept.display()
    )
}

/// Of the case that runs.
fn number(dir: &Path) -> Option<u64> {
    let bytes = fs::read(dir.join(NUMBER)).ok()?;
    Some(u64::from_le_bytes(bytes.try_into().ok()?))
}
