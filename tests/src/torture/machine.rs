//! Tries one program: builds it plain and instrumented, stops it at random places, moves it.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use anyhow::{Context, Result};
use fastrand::Rng;

use super::state;
use super::verdict::{codes, reason};
use super::{Kind, Source, Verdict};
use crate::arch::{self, Arch, HOST};
use crate::build::{instrumented_command, plain_command};
use crate::program::Program;
use crate::run::{difference, end_of, Job, STOPPED};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Scope {
    /// Stays on the host.
    Same,
    /// Moves between the architectures that are here.
    Hop,
    /// First the one, then the other.
    Both,
}

#[derive(Clone, Debug)]
pub struct Plan {
    /// `-O2`.
    pub level: String,
    pub scope: Scope,
    pub seed: u64,
    /// Journeys tried in each scope.
    pub journeys: usize,
    /// Longest time that a run may take.
    pub limit: Duration,
}

/// Exit statuses by which the runtime says that it does not go on, and why.
const NOT_HERE: i32 = 89;
const CANNOT_GO_ON: i32 = 90;
/// Locations at which each is tried as the first probe of a program.
const PROBE: u64 = 24;
/// Orders of magnitude of passages looked for beyond the probe.
const FAR: [u64; 4] = [100_000, 10_000, 1_000, 100];

/// One architecture's build of the program.
struct Built {
    arch: Arch,
    exe: PathBuf,
}

/// What a run is compared with.
#[derive(Clone, PartialEq, Eq)]
struct Reference {
    status: i32,
    stdout: Vec<u8>,
}

/// Ends the trial with a verdict: the error of the functions below.
struct Stop(Verdict);

impl From<anyhow::Error> for Stop {
    fn from(e: anyhow::Error) -> Stop {
        Stop(Verdict::new(Kind::Broken, format!("{e:#}")))
    }
}
impl From<std::io::Error> for Stop {
    fn from(e: std::io::Error) -> Stop {
        Stop::from(anyhow::Error::from(e))
    }
}

fn stop<T>(kind: Kind, detail: impl Into<String>) -> Result<T, Stop> {
    Err(Stop(Verdict::new(kind, detail)))
}

impl Plan {
    pub fn torture(&self, source: &Source) -> Verdict {
        let v = self.attempt(source).unwrap_or_else(|Stop(verdict)| verdict);
        if !matches!(v.kind, Kind::Wrong | Kind::Crash | Kind::Hang) {
            return v;
        }
        match self.optimised_away(source) {
            Ok(Some(told)) => Verdict::new(Kind::Depends, format!("{told}\n{}", v.detail))
                .because("on the optimiser"),
            _ => v,
        }
    }

    /// Does the plain program do what it does only as long as the compiler inlines and folds?
    fn optimised_away(&self, source: &Source) -> Result<Option<String>, Stop> {
        let dir = tempfile::tempdir()?;
        let t = Trial::new(self, source, dir.path());
        let all = arch::available();
        let archs = all
            .iter()
            .filter(|a| self.scope != Scope::Same || **a == HOST);
        for arch in archs {
            let Some(reference) = t.reference(*arch, &[])? else {
                continue;
            };
            for less in [["-O0", "-D__OPTIMIZE__=1"], ["-fno-inline", "-fno-ipa-cp"]] {
                let found = t.reference(*arch, &less)?;
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

    fn attempt(&self, source: &Source) -> Result<Verdict, Stop> {
        let dir = tempfile::tempdir()?;
        let mut t = Trial::new(self, source, dir.path());
        let reference = t.reference(HOST, &[])?.map_or_else(
            || stop(Kind::NoReference, "the plain build does not work"),
            Ok,
        )?;
        t.front(source, &reference)?;
        let host = t.instrumented(HOST, &reference)?;
        let passages = t.probe(&host, &reference)?;
        if passages == 0 {
            return Ok(Verdict::new(Kind::Unstopped, ""));
        }
        let mut builds = vec![host];
        if self.scope != Scope::Hop {
            for _ in 0..self.journeys {
                t.journey(&builds, passages, &reference)?;
            }
        }
        let mut disagree = Vec::new();
        if self.scope != Scope::Same {
            for arch in arch::available().into_iter().filter(|a| *a != HOST) {
                match t.reference(arch, &[])? {
                    Some(r) => {
                        let built = t.instrumented(arch, &r)?;
                        if r == reference {
                            builds.push(built);
                        } else {
                            disagree.push(arch.name);
                        }
                    }
                    None => disagree.push(arch.name),
                }
            }
            if builds.len() > 1 {
                for _ in 0..self.journeys {
                    t.journey(&builds, passages, &reference)?;
                }
            }
        }
        let kind = if disagree.is_empty() {
            Kind::Pass
        } else {
            Kind::Disagree
        };
        let mut verdict = Verdict::new(kind, "").because(disagree.join(" "));
        verdict.moves = t.moves;
        Ok(verdict)
    }
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

struct Trial<'a> {
    plan: &'a Plan,
    dir: &'a Path,
    program: Program,
    rng: Rng,
    moves: u64,
}

impl<'a> Trial<'a> {
    fn new(plan: &'a Plan, source: &Source, dir: &'a Path) -> Trial<'a> {
        Trial {
            plan,
            dir,
            program: source.program(&plan.level, true),
            rng: Rng::with_seed(seed(plan.seed, &source.name)),
            moves: 0,
        }
    }

    /// What the plain build does; none if it cannot be built, fails or changes its mind.
    fn reference(&self, arch: Arch, more: &[&str]) -> Result<Option<Reference>, Stop> {
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
            let Some(status) = end_of(job.start(arch, &exe, &[])?, self.plan.limit / 4)? else {
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
    fn front(&self, source: &Source, reference: &Reference) -> Result<(), Stop> {
        let exe = self.dir.join("front");
        let program = source.program(&self.plan.level, false);
        let (status, said) = self.compile(instrumented_command(&program, HOST, &exe))?;
        let codes = codes(&said);
        match status {
            Some(0) => {}
            Some(n) if n < 100 && !codes.is_empty() && !said.contains("panicked") => {
                let why = format!("{}, even without a location", codes.join(" "));
                return Err(Stop(Verdict::new(Kind::Refused, said).because(why)));
            }
            _ => return stop(Kind::Front, said),
        }
        let job = self.job()?;
        self.same(&job, HOST, &exe, &[], reference, "without a location")
    }

    /// Builds for `arch`, and tries it unstopped.
    fn instrumented(&self, arch: Arch, reference: &Reference) -> Result<Built, Stop> {
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
                    return Err(Stop(v.because("links only if the compiler removes calls")));
                }
                return stop(Kind::Uncompilable, said);
            }
            Some(_) => {
                return Err(Stop(
                    Verdict::new(Kind::Refused, said).because(codes.join(" ")),
                ))
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
        let child = c.spawn().with_context(|| format!("{c:?}"))?;
        // A location everywhere makes much of a long function.
        let status = end_of(child, self.plan.limit * 5)?;
        let said = std::fs::read(&path)?;
        Ok((status, String::from_utf8_lossy(&said).into_owned()))
    }

    fn job(&self) -> Result<Job, Stop> {
        let mut job = Job::new(&self.program)?;
        job.limit = self.plan.limit;
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

    fn compare(&self, job: &Job, status: i32, reference: &Reference, at: &str) -> Result<(), Stop> {
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
    fn leg(
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
            let mut v = Verdict::new(Kind::RefusedRestart, format!("{at}\n{said}")).because(why);
            v.moves = self.moves;
            return Err(Stop(v));
        }
        Ok(status)
    }

    /// Takes checkpoints at the first locations and goes on; finds how many locations there are, about.
    fn probe(&self, host: &Built, reference: &Reference) -> Result<u64, Stop> {
        let try_with = |every: u64, stop_after: u64, at: &str| -> Result<(i32, u64), Stop> {
            let job = self.job()?;
            let (every, after) = (format!("{every}x"), stop_after.to_string());
            let env = [
                ("PC3_KEEP", "1"),
                ("PC3_EVERY", every.as_str()),
                ("PC3_STOP_AFTER", after.as_str()),
            ];
            let status = self.leg(&job, host.arch, &host.exe, &env, reference, at)?;
            if status != STOPPED {
                self.compare(&job, status, reference, at)?;
            }
            Ok((status, taken(&job)))
        };
        let (status, taken) = try_with(1, PROBE, "a checkpoint at every location")?;
        if status != STOPPED {
            return Ok(taken);
        }
        for n in FAR {
            if try_with(n, 1, "going on to the end")?.0 == STOPPED {
                return Ok(n);
            }
        }
        Ok(PROBE)
    }

    /// Where the first move of a journey leads from and to: is what the program holds there the same on both machines,
    /// without pc3 having moved anything?  If it is not, its result depends on where it computes what.
    fn native_difference(&self, legs: &[(&Built, u64)]) -> Result<Option<String>, Stop> {
        let mut passage = 0;
        for pair in legs.windows(2) {
            let ((from, k), (to, _)) = (pair[0], pair[1]);
            passage += k;
            if from.arch == to.arch {
                continue;
            }
            let (a, b) = (self.state(from, passage)?, self.state(to, passage)?);
            if let (Some(a), Some(b)) = (a, b) {
                if let Some(d) = state::difference(&a, &b) {
                    let names = (from.arch.name, to.arch.name);
                    let told = format!("at passage {passage}, {} and {}: {d}", names.0, names.1);
                    return Ok(Some(told));
                }
            }
        }
        Ok(None)
    }

    /// What the program holds when it passes its `k`-th location, having run on one machine only.
    fn state(&self, b: &Built, k: u64) -> Result<Option<serde_json::Value>, Stop> {
        let job = self.job()?;
        let every = format!("{k}x");
        let env = [("PC3_EVERY", every.as_str()), ("PC3_STOP_AFTER", "1")];
        // The program's name is part of its state.
        std::os::unix::fs::symlink(&b.exe, job.dir.path().join("program"))?;
        let child = job.start(b.arch, Path::new("./program"), &env)?;
        let status = end_of(child, job.limit)?;
        Ok(match status {
            Some(STOPPED) => Some(state::of(&job.checkpoints())?),
            _ => None,
        })
    }

    /// Several legs, each to a random location on a random machine, the last one to the end.
    fn journey(
        &mut self,
        builds: &[Built],
        passages: u64,
        reference: &Reference,
    ) -> Result<(), Stop> {
        let job = self.job()?;
        let stops = 1 + self.rng.usize(0..4);
        let mut told = String::new();
        let mut legs = Vec::new();
        for i in 0..=stops {
            let b = &builds[self.rng.usize(0..builds.len())];
            let far = self.rng.u64(1..=passages.div_ceil(stops as u64));
            // Near the beginning as often as anywhere.
            let k = if self.rng.bool() {
                far
            } else {
                self.rng.u64(1..=far)
            };
            let every = format!("{k}x");
            let mut env = vec![("PC3_KEEP", "1")];
            if i > 0 {
                env.push(("PC3_RESTART", "latest"));
            }
            if i < stops {
                env.extend([("PC3_EVERY", every.as_str()), ("PC3_STOP_AFTER", "1")]);
            }
            told.push_str(&format!(" {}+{k}", b.arch.name));
            legs.push((b, k));
            let end = match self.leg(&job, b.arch, &b.exe, &env, reference, &told) {
                Ok(STOPPED) => {
                    self.moves += 1;
                    continue;
                }
                Ok(status) => self.compare(&job, status, reference, &told),
                Err(stop) => Err(stop),
            };
            return match end {
                Err(Stop(v)) if matches!(v.kind, Kind::Wrong | Kind::Hang | Kind::Crash) => {
                    match self.native_difference(&legs)? {
                        Some(d) => Err(Stop(
                            Verdict::new(Kind::Depends, format!("{d}\n{}", v.detail))
                                .because("on the machine"),
                        )),
                        None => Err(Stop(v)),
                    }
                }
                other => other,
            };
        }
        Ok(())
    }
}

/// The id of the job's last checkpoint, which is the number it has taken.
fn taken(job: &Job) -> u64 {
    let entries = std::fs::read_dir(job.checkpoints()).into_iter().flatten();
    entries
        .flatten()
        .filter_map(|e| {
            let name = e.file_name().into_string().ok()?;
            let (id, _) = name.strip_prefix("ckpt-")?.split_once('.')?;
            id.parse().ok()
        })
        .max()
        .unwrap_or(0)
}
