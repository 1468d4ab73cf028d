//! `cargo xtask demo`: what pc3 does, in a minute, on a program of this repository.

use std::fs::{self, File, OpenOptions};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{bail, ensure, Context, Result};

use crate::{dist, env};

const RANKS: &str = "16";
const STOPPED: i32 = 85;
/// Points per side, steps, steps between reports.
const ARGS: [&str; 3] = ["256", "2000", "400"];

pub fn run() -> Result<()> {
    let start = Instant::now();
    say("building pc3: compiler, runtime, tools (a minute or so the first time)");
    let mut tree = dist::run(&[])?;
    let work = env::target_dir().join("demo");
    let _ = fs::remove_dir_all(&work);
    fs::create_dir_all(&work)?;
    let source = env::root().join("examples/c/heat/heat.c");

    say("compiling an MPI program: pc3cc -O3 examples/c/heat/heat.c -o heat -lm");
    let exe = work.join("heat");
    compile(&tree, &source, &exe, &[])?;

    say("the uninterrupted run, 16 logical ranks on 4 threads: pc3run -n 16 -w 4 ./heat");
    let whole = Demo {
        tree: tree.clone(),
        work: work.clone(),
        name: "whole",
    };
    ensure!(whole.pc3run(&exe, &["-w", "4"])? == 0, "the run failed");
    let expected = fs::read_to_string(whole.output())?;
    print!("{}", indent(&expected));

    say("again, with a checkpoint every 100 steps, and kill -9 in the middle: pc3run -n 16 -w 4 --every 100x ./heat");
    let killed = Demo {
        tree: tree.clone(),
        work: work.clone(),
        name: "killed",
    };
    killed.run_and_kill(&exe)?;
    killed.list()?;
    say("on from there, on 2 threads: pc3run -n 16 -w 2 --restart ./heat");
    ensure!(
        killed.pc3run(&exe, &["-w", "2", "--restart", "latest"])? == 0,
        "the restart failed"
    );
    compare(&expected, &killed.output())?;

    if let Some(arch) = env::cross().find(|a| a.name == "s390x" && env::missing(a).is_empty()) {
        say("moving to a big-endian mainframe: building the runtime for s390x");
        tree = dist::run(&[arch.gnu.to_string()])?;
        let foreign = work.join("heat.s390x");
        compile(
            &tree,
            &source,
            &foreign,
            &["--target=s390x-linux-gnu", "-static"],
        )?;
        let moved = Demo {
            tree,
            work: work.clone(),
            name: "moved",
        };
        say("x86-64 to the 8th checkpoint, then s390x under qemu for 4 more, then x86-64 to the end");
        ensure!(
            moved.pc3run(&exe, &["-w", "4", "--every", "100x", "--stop-after", "8"])? == STOPPED,
            "not stopped"
        );
        ensure!(
            moved.emulated(arch.emulator().unwrap_or("qemu-s390x"), &foreign)? == STOPPED,
            "not stopped on s390x"
        );
        ensure!(
            moved.pc3run(&exe, &["-w", "3", "--restart", "latest"])? == 0,
            "the restart failed"
        );
        compare(&expected, &moved.output())?;
    } else {
        say("no s390x cross compiler and qemu-user here, so no move to another architecture (cargo xtask setup)");
    }
    say(&format!(
        "done in {:.0} s; everything is in {}",
        start.elapsed().as_secs_f64(),
        work.display()
    ));
    Ok(())
}

struct Demo {
    tree: PathBuf,
    work: PathBuf,
    name: &'static str,
}

impl Demo {
    fn output(&self) -> PathBuf {
        self.work.join(format!("{}.out", self.name))
    }

    fn checkpoints(&self) -> PathBuf {
        self.work.join(format!("{}.pc3", self.name))
    }

    fn appended(&self) -> Result<File> {
        Ok(OpenOptions::new()
            .create(true)
            .append(true)
            .open(self.output())?)
    }

    fn command(&self, exe: &Path, options: &[&str]) -> Result<Command> {
        let mut c = Command::new(self.tree.join("bin/pc3run"));
        c.args(["-n", RANKS, "-d"])
            .arg(self.checkpoints())
            .args(options)
            .arg("--")
            .arg(exe)
            .args(ARGS);
        c.stdout(self.appended()?).stdin(Stdio::null());
        Ok(c)
    }

    fn pc3run(&self, exe: &Path, options: &[&str]) -> Result<i32> {
        Ok(self
            .command(exe, options)?
            .status()
            .context("cannot run pc3run")?
            .code()
            .unwrap_or(-1))
    }

    fn emulated(&self, qemu: &str, exe: &Path) -> Result<i32> {
        let settings = [
            ("PC3_RANKS", RANKS),
            ("PC3_WORKERS", "1"),
            ("PC3_EVERY", "100x"),
            ("PC3_STOP_AFTER", "4"),
            ("PC3_RESTART", "latest"),
        ];
        let mut c = Command::new(qemu);
        c.arg(exe)
            .args(ARGS)
            .envs(settings)
            .env("PC3_DIR", self.checkpoints())
            .stdout(self.appended()?);
        Ok(c.status()
            .with_context(|| format!("cannot run {qemu}"))?
            .code()
            .unwrap_or(-1))
    }

    /// Starts the program itself (no launcher between us and it) and kills it after some checkpoints.
    fn run_and_kill(&self, exe: &Path) -> Result<()> {
        let mut c = Command::new(exe);
        c.args(ARGS)
            .env("PC3_RANKS", RANKS)
            .env("PC3_WORKERS", "4")
            .env("PC3_EVERY", "100x")
            .env("PC3_DIR", self.checkpoints());
        let mut child = c.stdout(self.appended()?).stdin(Stdio::null()).spawn()?;
        let start = Instant::now();
        while self.committed() < 7 {
            if let Some(s) = child.try_wait()? {
                bail!("the program ended before it could be killed: {s}");
            }
            if start.elapsed() > Duration::from_secs(60) {
                child.kill()?;
                bail!("no checkpoint appeared within a minute");
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        child.kill()?;
        let status = child.wait()?;
        println!("    killed: {status}");
        Ok(())
    }

    /// The newest committed checkpoint's number.
    fn committed(&self) -> u64 {
        let Ok(dir) = fs::read_dir(self.checkpoints()) else {
            return 0;
        };
        dir.flatten()
            .filter_map(|e| {
                let name = e.file_name().into_string().ok()?;
                name.strip_prefix("ckpt-")?
                    .strip_suffix(".pc3c")?
                    .parse::<u64>()
                    .ok()
            })
            .max()
            .unwrap_or(0)
    }

    fn list(&self) -> Result<()> {
        let out = Command::new(self.tree.join("bin/pc3"))
            .arg("ls")
            .arg(self.checkpoints())
            .output()?;
        print!("{}", indent(&String::from_utf8_lossy(&out.stdout)));
        Ok(())
    }
}

fn compile(tree: &Path, source: &Path, exe: &Path, options: &[&str]) -> Result<()> {
    env::run(
        Command::new(tree.join("bin/pc3cc"))
            .args(options)
            .arg("-O3")
            .arg(source)
            .arg("-o")
            .arg(exe)
            .arg("-lm"),
    )
}

fn compare(expected: &str, output: &Path) -> Result<()> {
    if fs::read_to_string(output)? != expected {
        bail!("the outputs differ: see {}", output.display());
    }
    println!("    the same output to the last byte");
    Ok(())
}

fn say(text: &str) {
    println!("\n==> {text}");
}

fn indent(text: &str) -> String {
    text.lines().map(|l| format!("    {l}\n")).collect()
}
