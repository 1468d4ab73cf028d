//! Journeys: a program is stopped at random places and goes on elsewhere, until it ends.

use std::path::Path;

use anyhow::Result;

use super::state;
use super::trial::{Built, Reference, Stop, Trial};
use super::Kind;
use crate::run::{end_of, Job, STOPPED};

/// Locations at which each is tried as the first probe of a program.
const PROBE: u64 = 24;
/// Orders of magnitude of passages looked for beyond the probe.
const FAR: [u64; 4] = [100_000, 10_000, 1_000, 100];

/// What refusals for the sake of addresses in numbers name.
pub const IGNORE: &str = "PC3_ADDRESSES=ignore";

/// Where objects are after a restart on the same machine.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Addresses {
    Kept,
    Elsewhere,
}

impl Trial<'_> {
    /// Takes checkpoints at the first locations and goes on; finds how many locations there are, about.
    pub fn probe(&self, host: &Built, reference: &Reference) -> Result<u64, Stop> {
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
    pub fn journey(
        &mut self,
        builds: &[Built],
        passages: u64,
        reference: &Reference,
        addresses: Addresses,
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
                if addresses == Addresses::Elsewhere {
                    env.push(("PC3_ADDRESSES", "elsewhere"));
                }
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
                // It has addresses in numbers, as it should say.
                Err(Stop(v)) if addresses == Addresses::Elsewhere && v.detail.contains(IGNORE) => {
                    return Ok(());
                }
                Err(stop) => Err(stop),
            };
            return match end {
                Err(Stop(mut v)) if matches!(v.kind, Kind::Wrong | Kind::Hang | Kind::Crash) => {
                    if let Some(d) = self.native_difference(&legs)? {
                        v.detail = format!("{d}\n{}", v.detail);
                    }
                    Err(Stop(v))
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
