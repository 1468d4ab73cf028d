//! Another compiler, another C library, another dialect: the programs of the repository built by them, stopped, moved to what the
//! machine's own compiler makes, and back.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{bail, ensure, Context, Result};

use crate::arch::{self, HOST};
use crate::build;
use crate::program::{Abis, Program};
use crate::run::{difference, Job, REFUSED, STOPPED};

/// A compiler, for this machine, with its C library and a dialect.
#[derive(Clone, Debug)]
pub struct Toolchain {
    /// With options.
    pub cc: String,
    /// As this compiler spells it: `-std=gnu2x`.
    pub dialect: String,
    /// Of another C library than the machine's.
    pub linked_statically: bool,
}

/// What came of a program, or of a file of `compiler/tests/ui`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ToolchainResult {
    /// It does what the plain build does, stopped and moved. Of a file: pc3cc says what it should.
    Same,
    /// It does so where it goes on in a build by the same compiler; a build by the machine's own one refuses the checkpoint.
    Own(String),
    /// The compiler, or its C library, does not have what the program uses.
    NotThere(String),
    /// By pc3cc, or at a restart.
    Refused(String),
    Bad(String),
}

/// What pc3cc says of files of `compiler/tests/ui` with clang only, or not with clang: that allows no jump to where a variable with
/// `cleanup` is in scope, and evaluates what is assigned before the place.
const BY_CLANG: [(&str, &str, bool); 2] = [
    ("cleanup.c", "cleanup.c:10 error[pc3::E0304", true),
    ("set_jump.c", "set_jump.c:13 error[pc3::E0305", false),
];

/// Checkpoints at which a program is stopped.
const STOPS: u64 = 2;

impl Toolchain {
    /// None if the compiler is not here or does not know the dialect under any of its names.
    pub fn find(cc: &str, dialect: &str, linked_statically: bool) -> Option<Toolchain> {
        let old = dialect.replace("23", "2x");
        let mut names = [dialect, old.as_str()].into_iter();
        names.find_map(|name| {
            let toolchain = Toolchain {
                cc: cc.to_owned(),
                dialect: format!("-std={name}"),
                linked_statically: linked_statically || cc.contains("musl"),
            };
            let mut c = toolchain.compiler();
            c.args([&toolchain.dialect, "-E", "-x", "c", "/dev/null"]);
            let done = c.output().ok()?;
            done.status.success().then_some(toolchain)
        })
    }

    /// The first line of its version.
    pub fn version(&self) -> String {
        let done = self.compiler().arg("--version").output();
        let said = done.map(|d| d.stdout).unwrap_or_default();
        let said = String::from_utf8_lossy(&said);
        said.lines().next().unwrap_or("").to_owned()
    }

    /// The C library, as its headers name it.
    pub fn library(&self) -> String {
        let mut c = self.compiler();
        c.args([
            "-include",
            "features.h",
            "-dM",
            "-E",
            "-x",
            "c",
            "/dev/null",
        ]);
        let said = c.output().map(|d| d.stdout).unwrap_or_default();
        let said = String::from_utf8_lossy(&said);
        let number = |name: &str| {
            let mut lines = said.lines().filter_map(|l| l.strip_prefix("#define "));
            lines.find_map(|l| l.strip_prefix(name)?.strip_prefix(' '))
        };
        match (number("__GLIBC__"), number("__GLIBC_MINOR__")) {
            (Some(major), Some(minor)) => format!("glibc {major}.{minor}"),
            _ if self.target().ends_with("musl") => "musl".to_owned(),
            _ => "unknown".to_owned(),
        }
    }

    pub fn target(&self) -> &'static str {
        match self.cc.contains("musl") {
            true => "x86_64-linux-musl",
            false => HOST.gnu,
        }
    }

    fn compiler(&self) -> Command {
        let mut words = self.cc.split_whitespace();
        let mut c = Command::new(words.next().unwrap_or("cc"));
        c.args(words).stdin(Stdio::null());
        c
    }

    /// Unless it says by itself what it is written in.
    fn dialect_of(&self, p: &Program) -> Option<&str> {
        let mut own = p.flags.iter().chain(&p.pc3_flags);
        let own = own.any(|f| f.starts_with("-std="));
        (!own).then_some(self.dialect.as_str())
    }

    fn plain(&self, p: &Program) -> Command {
        let mut c = self.compiler();
        c.args(["-w", "-ffp-contract=off"])
            .args(self.dialect_of(p))
            .args(&p.flags)
            .arg("-I")
            .arg(arch::dist().join("include"));
        c
    }

    fn instrumented(&self, p: &Program) -> Command {
        let mut c = self.pc3cc();
        c.args(self.dialect_of(p)).args(&p.pc3_flags).args(&p.flags);
        c
    }

    fn pc3cc(&self) -> Command {
        let mut c = Command::new(arch::dist().join("bin/pc3cc"));
        c.arg(format!("--target={}", self.target()))
            .arg(format!("--cc={}", self.cc))
            .arg("-w")
            .stdin(Stdio::null());
        c
    }

    fn linked(&self, mut c: Command, p: &Program, out: &Path) -> Command {
        if self.linked_statically {
            c.arg("-static");
        }
        c.args(&p.sources).arg("-o").arg(out).arg("-lm");
        c
    }

    /// Builds the program, runs it, stops and moves it.
    pub fn examine(&self, p: &Program) -> ToolchainResult {
        match self.outcome(p) {
            Ok(outcome) => outcome,
            Err(e) => ToolchainResult::Bad(format!("{e:#}")),
        }
    }

    fn outcome(&self, p: &Program) -> Result<ToolchainResult> {
        let dir = tempfile::tempdir()?;
        let reference = match self.reference(p, dir.path())? {
            Ok(reference) => reference,
            Err(why) => return Ok(ToolchainResult::NotThere(why)),
        };
        let exe = dir.path().join("pc3");
        let done = said(&mut self.linked(self.instrumented(p), p, &exe))?;
        if let Err(text) = done {
            if ["undefined reference to `__kmpc_", "libgomp.a", "find -lomp"]
                .iter()
                .any(|n| text.contains(n))
            {
                return Ok(ToolchainResult::NotThere("OpenMP's library".into()));
            }
            return Ok(refused(&text).map_or(ToolchainResult::Bad(text), ToolchainResult::Refused));
        }
        let native = build::instrumented(p, HOST)?;
        let (expected, status) = match reference {
            Some(plain) => plain,
            // Without pc3 it needs an MPI.
            None => ended(&Job::new(p)?, &exe, &[])?,
        };
        let journeys = Journeys {
            p,
            expected,
            status,
        };
        let alike = journeys.same(&native)?;
        let passages = match journeys.unstopped(&exe)? {
            Ok(passages) => passages,
            Err(refusal) => return Ok(refusal),
        };
        let own = [exe.as_path(); 3];
        let mut legs = own;
        if alike && p.abis != Abis::Own {
            legs[1] = native.as_path();
        }
        let mut not_there = None;
        for i in 0..STOPS.min(passages) {
            let k = 1 + i * (passages - 1) / (STOPS - 1);
            let mut refusal = journeys.journey(&legs, k)?;
            if let (Some(ToolchainResult::Refused(why)), true) = (&refusal, legs != own) {
                not_there = Some(why.clone());
                legs = own;
                refusal = journeys.journey(&legs, k)?;
            }
            if let Some(refusal) = refusal {
                return Ok(refusal);
            }
        }
        Ok(not_there.map_or(ToolchainResult::Same, ToolchainResult::Own))
    }

    /// What the plain build prints, and its status; none if it needs an MPI; an error says what the compiler lacks.
    #[allow(clippy::type_complexity)]
    fn reference(&self, p: &Program, dir: &Path) -> Result<Result<Option<(Vec<u8>, i32)>, String>> {
        let exe = dir.join("plain");
        let mut c = match p.is_mpi() {
            true => self.plain(p),
            false => self.linked(self.plain(p), p, &exe),
        };
        if p.is_mpi() {
            c.arg("-fsyntax-only").args(&p.sources);
        }
        if let Err(text) = said(&mut c)? {
            return Ok(Err(first_error(&text)));
        }
        if p.is_mpi() {
            return Ok(Ok(None));
        }
        let job = Job::new(p)?;
        let status = job.run(HOST, &exe, &[])?.status;
        if status >= 128 {
            return Ok(Err(format!("the plain build ends with status {status}")));
        }
        Ok(Ok(Some((job.stdout(), status))))
    }

    /// Does pc3cc say of a file of `compiler/tests/ui` what it says with the machine's own compiler, at the same places?  None: the
    /// file is more than one to be read.
    pub fn diagnoses(&self, file: &Path) -> Result<Option<ToolchainResult>> {
        let text = std::fs::read_to_string(file)?;
        let first = text.lines().next().unwrap_or("");
        if first.starts_with("// run:") || first.starts_with("// tool:") {
            return Ok(None);
        }
        let options = first.strip_prefix("// pc3cc:").unwrap_or("");
        let options: Vec<&str> = options.split_whitespace().collect();
        if options
            .iter()
            .any(|o| o.starts_with("-std=") || o.starts_with("--target"))
        {
            return Ok(None);
        }
        let folder = file.parent().unwrap_or(Path::new("."));
        let name = file.file_name().unwrap_or_default();
        let mut c = Command::new(arch::dist().join("bin/pc3cc"));
        c.arg(format!("--cc={}", self.cc))
            .args([&self.dialect, "--emit=c"])
            .args(&options)
            .arg(name)
            .current_dir(folder)
            .env("LC_ALL", "C")
            .stdin(Stdio::null());
        let done = c.output().with_context(|| format!("{c:?}"))?;
        let got = told(&String::from_utf8_lossy(&done.stderr));
        let wanted = std::fs::read_to_string(file.with_extension("stderr"))?;
        let wanted = self.tells(name, told(&wanted));
        if got == wanted {
            return Ok(Some(ToolchainResult::Same));
        }
        let plain = options.iter().filter(|o| !is_own(o));
        let mut c = self.compiler();
        c.args(["-w", "-fsyntax-only", &self.dialect]).args(plain);
        c.arg("-I").arg(arch::dist().join("include")).arg(name);
        if let Err(text) = said(c.current_dir(folder))? {
            return Ok(Some(ToolchainResult::NotThere(first_error(&text))));
        }
        let less = |a: &[String], b: &[String]| {
            let left: Vec<&str> = a
                .iter()
                .filter(|l| !b.contains(l))
                .map(String::as_str)
                .collect();
            left.join("; ")
        };
        let (lost, new) = (less(&wanted, &got), less(&got, &wanted));
        if self.target().ends_with("musl") && new.contains("error[pc3::E0301") {
            return Ok(Some(ToolchainResult::Refused(new)));
        }
        Ok(Some(ToolchainResult::Bad(format!(
            "not said: {lost}\nsaid: {new}"
        ))))
    }

    /// What the machine's own compiler is told of a file, as it has to be with this one.
    fn tells(&self, file: &OsStr, mut told: Vec<String>) -> Vec<String> {
        if !self.version().contains("clang") {
            return told;
        }
        for (name, line, is_said) in BY_CLANG {
            if file == name {
                told.retain(|l| l != line);
                told.extend(is_said.then(|| line.to_owned()));
            }
        }
        told.sort();
        told
    }
}

impl Toolchain {
    /// Does pc3cc read a file that the compiler accepts, and does the compiler accept what is printed, with a location everywhere?
    /// None: it does not accept the file. In parts: that is so of some of its lines, and the others are read.
    pub fn reads(&self, file: &Path, in_parts: bool) -> Result<Option<ToolchainResult>> {
        let dir = tempfile::tempdir()?;
        let folder = file.parent().unwrap_or(Path::new("."));
        let copy = dir.path().join(file.file_name().unwrap_or_default());
        let text = String::from_utf8_lossy(&std::fs::read(file)?).into_owned();
        match self.accepted(&text, &copy, folder)? {
            Some(whole) if whole != in_parts => {}
            _ => return Ok(None),
        }
        let mut c = self.pc3cc();
        c.args([&self.dialect, "--emit=c", "--checkpoint-everywhere"]);
        c.arg("-iquote").arg(folder).arg(&copy);
        let printed = match patiently(&mut c)? {
            Ok(printed) => printed,
            Err(text) => {
                let why = refused(&text);
                let read = !text.contains("error[pc3::E01");
                return Ok(Some(match why.filter(|_| read) {
                    Some(why) => ToolchainResult::Refused(why),
                    None => ToolchainResult::Bad(first_error(&text)),
                }));
            }
        };
        // What is in C of the library follows as a unit of its own.
        let printed = String::from_utf8_lossy(&printed).into_owned();
        let end = printed.match_indices("# 1 \"pc3_rt.h\" 3\n").nth(1);
        let path = dir.path().join("printed.c");
        std::fs::write(&path, &printed[..end.map_or(printed.len(), |e| e.0)])?;
        let mut c = self.compiler();
        c.args(["-w", "-fsyntax-only", &self.dialect, "-x", "cpp-output"]);
        c.arg(path);
        Ok(Some(match patiently(&mut c)? {
            Ok(_) => ToolchainResult::Same,
            Err(text) => ToolchainResult::Bad(format!("printed: {}", first_error(&text))),
        }))
    }

    /// Writes the text to a file without the lines that the compiler has errors for, and with a `main`. Are these all lines?
    fn accepted(&self, text: &str, to: &Path, folder: &Path) -> Result<Option<bool>> {
        let mut lines: Vec<&str> = text.lines().collect();
        if !text.contains("main") {
            lines.push("int main(void) { return 0; }");
        }
        for round in 0..ROUNDS {
            std::fs::write(to, lines.join("\n") + "\n")?;
            let mut c = self.compiler();
            c.args(["-w", "-fsyntax-only", &self.dialect]);
            c.arg("-iquote").arg(folder).arg(to);
            let Err(said) = patiently(&mut c)? else {
                let left = lines.iter().filter(|l| is_code(l)).count();
                return Ok((left > 1).then_some(round == 0));
            };
            let place = format!("{}:", to.display());
            let mut bad = Vec::new();
            for line in said.lines().filter(|l| l.contains("error: ")) {
                let number = line.strip_prefix(&place).and_then(|l| l.split(':').next());
                bad.extend(number.and_then(|n| n.parse::<usize>().ok()));
            }
            if bad.is_empty() {
                return Ok(None);
            }
            for i in bad {
                if let Some(line) = lines.get_mut(i - 1) {
                    *line = "";
                }
            }
        }
        Ok(None)
    }
}

/// How often lines with errors are taken away.
const ROUNDS: usize = 12;

fn is_code(line: &str) -> bool {
    let line = line.trim();
    !line.is_empty() && !line.starts_with("//")
}

/// What it prints, or what it says if it fails, takes more than a minute of a processor's time or waits for ever.
fn patiently(c: &mut Command) -> Result<Result<Vec<u8>, String>> {
    let mut patient = Command::new("sh");
    patient.args(["-c", "ulimit -t 60; exec timeout 900 \"$@\"", "sh"]);
    patient.arg(c.get_program()).args(c.get_args());
    let done = patient.stdin(Stdio::null()).output();
    let done = done.with_context(|| format!("{c:?}"))?;
    let said = String::from_utf8_lossy(&done.stderr);
    Ok(match done.status.success() {
        true => Ok(done.stdout),
        false => Err(format!("{said}\nerror: {}", done.status)),
    })
}

/// For pc3cc alone.
fn is_own(option: &str) -> bool {
    let parts = [
        "pc3",
        "--checkpoint",
        "--annotations",
        "--explain",
        "--message",
    ];
    parts.iter().any(|p| option.contains(p))
}

/// Lines and codes, in order: in text that macros made, compilers differ in the columns.
fn told(text: &str) -> Vec<String> {
    let heads = text
        .lines()
        .filter(|l| l.contains("[pc3::") && !l.starts_with(' '));
    let mut all: Vec<String> = heads
        .map(|l| {
            let (place, kind) = l.split_once(' ').unwrap_or((l, ""));
            let line = place.trim_end_matches(':').rsplit_once(':');
            let kind = kind.split("]: ").next().unwrap_or(kind);
            format!("{} {kind}", line.map_or(place, |(line, _)| line))
        })
        .collect();
    all.sort();
    all.dedup();
    all
}

/// What it says if it fails.
fn said(c: &mut Command) -> Result<Result<(), String>> {
    let done = c.output().with_context(|| format!("{c:?}"))?;
    let text = String::from_utf8_lossy(&done.stderr).into_owned();
    Ok(match done.status.success() {
        true => Ok(()),
        false => Err(text),
    })
}

fn first_error(text: &str) -> String {
    let mut lines = text.lines();
    let line = lines.find(|l| l.contains("error") || l.contains("undefined"));
    line.unwrap_or("no message").to_owned()
}

/// The line with a code of pc3's by which something is refused, and what it announces.
fn refused(text: &str) -> Option<String> {
    let mut lines = text.lines();
    let line = lines.find(|l| l.contains("error[pc3::E"))?;
    let next = lines.next().filter(|_| line.ends_with(':'));
    Some(line.to_owned() + next.unwrap_or(""))
}

/// Output and status.
fn ended(job: &Job, exe: &Path, env: &[(&str, &str)]) -> Result<(Vec<u8>, i32)> {
    let status = job.run(HOST, exe, env)?.status;
    Ok((job.stdout(), status))
}

/// A program and what it is to do.
struct Journeys<'a> {
    p: &'a Program,
    expected: Vec<u8>,
    status: i32,
}

impl Journeys<'_> {
    /// Does this build print the same by itself?  The compilers' own choices may be part of what a program prints.
    fn same(&self, exe: &Path) -> Result<bool> {
        let (got, status) = ended(&Job::new(self.p)?, exe, &[])?;
        Ok(status == self.status && got == self.expected)
    }

    /// With a checkpoint at each passage, to the end: how many there are.
    fn unstopped(&self, exe: &Path) -> Result<Result<u64, ToolchainResult>> {
        let job = Job::new(self.p)?;
        let done = job.run(HOST, exe, &[("PC3_EVERY", "1x"), ("PC3_KEEP", "1")])?;
        if let Some(refusal) = self.refusal(done.status, &done.stderr) {
            return Ok(Err(refusal));
        }
        self.compare(&job, done.status, "with a checkpoint at each passage")?;
        let files = job.checkpoint_files();
        let newest = files.iter().filter_map(|f| {
            let name = f.file_stem()?.to_str()?.strip_prefix("ckpt-")?;
            name.parse().ok()
        });
        let newest: u64 = newest.max().unwrap_or(0);
        ensure!(
            newest > 0,
            "the program passes no location\n{}",
            done.stderr
        );
        Ok(Ok(newest))
    }

    /// `k` checkpoints in each build, in the last one to the end.
    fn journey(&self, legs: &[&Path], k: u64) -> Result<Option<ToolchainResult>> {
        let job = Job::new(self.p)?;
        let stop_after = k.to_string();
        for (i, exe) in legs.iter().enumerate() {
            let mut env = vec![("PC3_KEEP", "1")];
            if i + 1 < legs.len() {
                env.extend([("PC3_EVERY", "1x"), ("PC3_STOP_AFTER", stop_after.as_str())]);
            }
            if i > 0 {
                env.push(("PC3_RESTART", "latest"));
            }
            let done = job.run(HOST, exe, &env)?;
            if let Some(refusal) = self.refusal(done.status, &done.stderr) {
                return Ok(Some(refusal));
            }
            if done.status != STOPPED || self.status == STOPPED {
                let at = format!("stopped after {k}, leg {}", i + 1);
                self.compare(&job, done.status, &at)?;
                return Ok(None);
            }
        }
        bail!("stopped after {k}: the last leg did not end")
    }

    fn refusal(&self, status: i32, stderr: &str) -> Option<ToolchainResult> {
        let why = || refused(stderr).map(ToolchainResult::Refused);
        (status == REFUSED && self.status != REFUSED).then(why)?
    }

    fn compare(&self, job: &Job, status: i32, at: &str) -> Result<()> {
        ensure!(
            status == self.status,
            "{at}: exit status {status} instead of {}\n{}",
            self.status,
            job.stderr()
        );
        match difference(&self.expected, &job.stdout()) {
            Some(d) => bail!("{at}: {d}\n{}", job.stderr()),
            None => Ok(()),
        }
    }
}

/// What is built by each toolchain.
pub fn programs() -> Result<Vec<Program>> {
    let mut all = Vec::new();
    for folder in ["tests/programs", "examples/c"] {
        all.extend(Program::load_all(&arch::root().join(folder))?);
    }
    Ok(all)
}

/// The files of `compiler/tests/ui`.
pub fn ui() -> Result<Vec<PathBuf>> {
    sources(&arch::root().join("compiler/tests/ui"))
}

/// The sources in C in a folder.
pub fn sources(folder: &Path) -> Result<Vec<PathBuf>> {
    let entries = std::fs::read_dir(folder).with_context(|| folder.display().to_string())?;
    let paths = entries.flatten().map(|e| e.path());
    let mut files: Vec<PathBuf> = paths
        .filter(|p| p.extension().is_some_and(|e| e == "c"))
        .collect();
    files.sort();
    Ok(files)
}
