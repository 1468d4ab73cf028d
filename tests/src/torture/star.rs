//! Stars: a program is stopped at each of its first locations on each machine, and from each stop goes on to its end on every
//! machine, at home also with everything elsewhere.

use std::process::Command;

use anyhow::{ensure, Context, Result};

use super::journeys::{Addresses, IGNORE};
use super::trial::{Built, Reference, Stop, Trial};
use super::Kind;
use crate::run::{Job, STOPPED};

impl Trial<'_> {
    /// A refusal ends the trial last: another stop may show what is worse.
    pub fn star(
        &mut self,
        builds: &[Built],
        stops: u64,
        reference: &Reference,
    ) -> Result<(), Stop> {
        let mut refused = None;
        for from in builds {
            for k in 1..=stops {
                let job = self.job()?;
                let (every, told) = (format!("{k}x"), format!(" {}+{k}", from.arch.name));
                let env = [("PC3_EVERY", every.as_str()), ("PC3_STOP_AFTER", "1")];
                let status = self.leg(&job, from.arch, &from.exe, &env, reference, &told)?;
                if status != STOPPED {
                    self.compare(&job, status, reference, &told)?;
                    break;
                }
                for to in builds {
                    let home = to.arch == from.arch;
                    let moved = home.then_some(Addresses::Elsewhere);
                    for addresses in [Some(Addresses::Kept), moved].into_iter().flatten() {
                        match self.ray(&job, to, reference, addresses, &told) {
                            Err(Stop(v)) if v.kind == Kind::RefusedRestart => {
                                refused.get_or_insert(Stop(v));
                            }
                            other => other?,
                        }
                    }
                }
            }
        }
        refused.map_or(Ok(()), Err)
    }

    /// On from a copy of what the stopped job left.
    fn ray(
        &mut self,
        stopped: &Job,
        to: &Built,
        reference: &Reference,
        addresses: Addresses,
        told: &str,
    ) -> Result<(), Stop> {
        let job = self.job()?;
        copy(stopped, &job)?;
        let mut env = vec![("PC3_RESTART", "latest")];
        let mut told = format!("{told} {}", to.arch.name);
        if addresses == Addresses::Elsewhere {
            env.push(("PC3_ADDRESSES", "elsewhere"));
            told.push_str(" elsewhere");
        }
        match self.leg(&job, to.arch, &to.exe, &env, reference, &told) {
            Ok(status) => {
                self.moves += 1;
                self.compare(&job, status, reference, &told)
            }
            // It has addresses in numbers, as it should say.
            Err(Stop(v)) if addresses == Addresses::Elsewhere && v.detail.contains(IGNORE) => {
                Ok(())
            }
            Err(stop) => Err(stop),
        }
    }
}

fn copy(from: &Job, to: &Job) -> Result<()> {
    let mut c = Command::new("cp");
    c.arg("-a").arg(from.dir.path().join("."));
    let done = c.arg(to.dir.path()).status().context("cp")?;
    ensure!(done.success(), "cp: {done}");
    Ok(())
}
