//! One program under trial: its builds, plain and instrumented, and single runs of them.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result};
use fastrand::Rng;

use super::plan::{Plan, Scope};
use super::verdict::{codes, reason};
use super::{Kind, Source, Verdict};
use crate::arch::{self, Arch, HOST};
use crate::build::{instrumented_command, plain_command};
use crate::program::Program;
use crate::run::{difference, end_of, tie, Job, STOPPED};

/// Exit statuses by which the runtime says that it does not go on, and why.
const NOT_HERE: i32 = 89;
const CANNOT_GO_ON: i32 = 90;

/// One architecture's build of the program.
pub struct Built {
    pub arch: Arch,
    pub exe: PathBuf,
}

/// What a run is compared with.
#[derive(Clone, PartialEq, Eq)]
pub struct Reference {
    pub status: i32,
    stdout: Vec<u8>,
}

/// Ends the trial with a verdict: the error of the functions below.
pub struct Stop(pub Box<Verdict>);

impl From<Verdict> for Stop {
    fn from(v: Verdict) -> Stop {
        Stop(Box::new(v))
    }
}
impl From<anyhow::Error> for Stop {
    fn from(e: anyhow::Error) -> Stop {
        Stop(Box::new(Verdict::new(Kind::Broken, format!("{e:#}"))))
    }
}
impl From<std::io::Error> for Stop {
    fn from(e: std::io::Error) -> Stop {
        Stop::from(anyhow::Error::from(e))
    }
}

pub fn stop<T>(kind: Kind, detail: impl Into<String>) -> Result<T, Stop> {
    Err(Verdict::new(kind, detail).into())
}

/// Names that the linker misses: "undefined reference to `link_error'".
fn undefined(said: &str) -> impl Iterator<Item = &str> {
    said.split("undefined reference to `")
        .skip(1)
        .filter_map(|rest| rest.split('\'').next())
}

/// Another program, another sequence.
fn seed(seed: u64, name: &str) -> u64 {
    name.bytes().fold(seed ^ 0x9e37_79b9_7f4a_7c15, |h, b| {
        (h ^ u64::from(b)).wrapping_mul(0x0100_0000_01b3)
    })
}

pub struct Trial<'a> {
    pub plan: &'a Plan,
    dir: &'a Path,
    program: Program,
    pub rng: Rng,
    /// Restarts survived.
    pub moves: u64,
    /// See [`Verdict::stayed`].
    pub stayed: bool,
}

impl<'a> Trial<'a> {
    pub fn new(plan: &'a Plan, source: &Source, dir: &'a Path) -> Trial<'a> {
        Trial {
            plan,
            dir,
            program: source.program(&plan.level, true),
            rng: Rng::with_seed(seed(plan.seed, &source.name)),
            moves: 0,
            stayed: false,
        }
    }

    /// Does the plain program do what it does only as long as the compiler inlines and folds?
    pub(crate) fn optimised_away(&self) -> Result<Option<String>, Stop> {
        let all = arch::available();
        let archs = all
            .iter()
            .filter(|a| self.plan.scope != Scope::Same || **a == HOST);
        for arch in archs {
            let Some(reference) = self.reference(*arch, &[])? else {
                continue;
            };
            for less in [["-O0", "-D__OPTIMIZE__=1"], ["-fno-inline", "-fno-ipa-cp"]] {
                let found = self.reference(*arch, &less)?;
                if found.is_none_or(|f| f != reference) {
                    return Ok(Some(format!(
                        "so does the plain build on {} with {}",
                        arch.name,
                        less.join(" ")
                    )));
                }
            }
        }
        Ok(None)
    }

    /// What the plain build does; none if it cannot be built, fails or changes its mind.
    pub fn reference(&self, arch: Arch, more: &[&str]) -> Result<Option<Reference>, Stop> {
        let exe = self.dir.join(format!("plain-{}", arch.name));
        let mut c = plain_command(&self.program, arch, &exe);
        let (status, _) = self.compile({
            c.args(more);
            c
        })?;
        if status != Some(0) {
            return Ok(None);
        }
        let mut first = None;
        for _ in 0..2 {
            let job = self.job()?;
            let Some(status) = end_of(job.start(arch, &exe, &[])?, self.plan.patience)? else {
                return Ok(None);
            };
            let this = Reference {
                status,
                stdout: job.stdout(),
            };
            if status >= 128 || first.as_ref().is_some_and(|f| *f != this) {
                return Ok(None);
            }
            first = Some(this);
        }
        Ok(first.filter(|r| r.status != STOPPED))
    }

    /// Without a location pc3cc is the plain compiler.
    pub fn front(&self, source: &Source, reference: &Reference) -> Result<(), Stop> {
        let exe = self.dir.join("front");
        let program = source.program(&self.plan.level, false);
        let (status, said) = self.compile(instrumented_command(&program, HOST, &exe))?;
        let codes = codes(&said);
        match status {
            Some(0) => {}
            Some(n) if n < 100 && !codes.is_empty() && !said.contains("panicked") => {
                return Err(Verdict::new(Kind::Front, said)
                    .because(codes.join(" "))
                    .into());
            }
            _ => return stop(Kind::Front, said),
        }
        let job = self.job()?;
        self.same(&job, HOST, &exe, &[], reference, "without a location")
    }

    /// Builds for `arch`, and tries it unstopped.
    pub fn instrumented(&self, arch: Arch, reference: &Reference) -> Result<Built, Stop> {
        let exe = self.dir.join(format!("pc3-{}", arch.name));
        let (status, said) = self.compile(instrumented_command(&self.program, arch, &exe))?;
        let codes = codes(&said);
        match status {
            Some(0) => {}
            None => return stop(Kind::Hang, "pc3cc does not end"),
            Some(n) if n >= 100 || said.contains("panicked") => return stop(Kind::Broken, said),
            Some(_) if codes.is_empty() => {
                if self.calls_what_does_not_exist(&said)? {
                    let v = Verdict::new(Kind::Refused, said);
                    return Err(v.because("links only if the compiler removes calls").into());
                }
                return stop(Kind::Uncompilable, said);
            }
            Some(_) => {
                return Err(Verdict::new(Kind::Refused, said)
                    .because(codes.join(" "))
                    .into())
            }
        }
        let job = self.job()?;
        let at = format!("unstopped on {}", arch.name);
        self.same(&job, arch, &exe, &[], reference, &at)?;
        Ok(Built { arch, exe })
    }

    /// Some programs call functions that do not exist, from code that is never reached.
    fn calls_what_does_not_exist(&self, said: &str) -> Result<bool, Stop> {
        let mut text = String::new();
        for source in &self.program.sources {
            text.push_str(&String::from_utf8_lossy(&std::fs::read(source)?));
        }
        let mut missing = undefined(said).peekable();
        Ok(missing.peek().is_some() && missing.all(|name| text.contains(name)))
    }

    fn compile(&self, mut c: Command) -> Result<(Option<i32>, String), Stop> {
        let path = self.dir.join("said");
        let said = std::fs::File::create(&path)?;
        c.stdin(Stdio::null()).stdout(Stdio::null()).stderr(said);
        tie(&mut c);
        let child = c.spawn().with_context(|| format!("{c:?}"))?;
        // A location everywhere makes much of a long function.
        let status = end_of(child, self.plan.limit * 5)?;
        let said = std::fs::read(&path)?;
        Ok((status, String::from_utf8_lossy(&said).into_owned()))
    }

    pub fn job(&self) -> Result<Job, Stop> {
        let mut job = Job::new(&self.program)?;
        job.limit = self.plan.limit;
        job.tied = true;
        Ok(job)
    }

    /// Runs to the end and compares all that the job printed.
    fn same(
        &self,
        job: &Job,
        arch: Arch,
        exe: &Path,
        env: &[(&str, &str)],
        reference: &Reference,
        at: &str,
    ) -> Result<(), Stop> {
        let status = self.leg(job, arch, exe, env, reference, at)?;
        self.compare(job, status, reference, at)
    }

    pub fn compare(
        &self,
        job: &Job,
        status: i32,
        reference: &Reference,
        at: &str,
    ) -> Result<(), Stop> {
        let tell = |what: String| format!("{at}: {what}\n{}", job.stderr());
        if status != reference.status {
            let kind = match status {
                // What a program does that finds an error itself.
                134 => Kind::Wrong,
                128.. => Kind::Crash,
                _ => Kind::Wrong,
            };
            return stop(kind, tell(format!("exit status {status}")));
        }
        match difference(&reference.stdout, &job.stdout()) {
            Some(d) => stop(Kind::Wrong, tell(d)),
            None => Ok(()),
        }
    }

    /// One run; refusals and hangs end the trial.
    pub fn leg(
        &self,
        job: &Job,
        arch: Arch,
        exe: &Path,
        env: &[(&str, &str)],
        reference: &Reference,
        at: &str,
    ) -> Result<i32, Stop> {
        let Some(status) = end_of(job.start(arch, exe, env)?, job.limit)? else {
            return stop(Kind::Hang, format!("{at}\n{}", job.stderr()));
        };
        if status == NOT_HERE || status == CANNOT_GO_ON && status != reference.status {
            let said = job.stderr();
            let why = reason(&said);
            let v = Verdict::new(Kind::RefusedRestart, format!("{at}\n{said}"));
            return Err(v.because(why).into());
        }
        Ok(status)
    }
}
