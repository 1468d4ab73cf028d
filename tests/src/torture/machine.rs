//! Tries one program: builds it plain and instrumented, stops it at random places, moves it.

use std::time::Instant;

use super::journeys::Addresses;
use super::plan::{Plan, Scope, Stops};
use super::trial::{Stop, Trial};
use super::{dependent, Kind, Source, Verdict};
use crate::arch::{self, HOST};

impl Plan {
    pub fn torture(&self, source: &Source) -> Verdict {
        let start = Instant::now();
        let mut v = self.examine(source);
        v.seconds = start.elapsed().as_secs_f64();
        v
    }

    fn examine(&self, source: &Source) -> Verdict {
        let dir = match tempfile::tempdir() {
            Ok(dir) => dir,
            Err(e) => return Verdict::new(Kind::Broken, format!("{e:#}")),
        };
        let mut t = Trial::new(self, source, dir.path());
        let mut v = match t.go(source) {
            Ok(verdict) => verdict,
            Err(Stop(verdict)) => *verdict,
        };
        v.moves = t.moves;
        v.stayed = t.stayed;
        if !matches!(v.kind, Kind::Wrong | Kind::Crash | Kind::Hang) {
            return v;
        }
        if let Some(why) = dependent::reason(&source.name) {
            v.kind = Kind::Depends;
            return v.because(why);
        }
        if let Ok(Some(told)) = t.optimised_away() {
            v.detail = format!("{told}\n{}", v.detail);
        }
        v
    }
}

impl Trial<'_> {
    fn go(&mut self, source: &Source) -> Result<Verdict, Stop> {
        let reference = match self.reference(HOST, &[])? {
            Some(r) => r,
            None => return super::trial::stop(Kind::NoReference, "the plain build does not work"),
        };
        if self.plan.scope != Scope::Hop {
            self.front(source, &reference)?;
        }
        if self.plan.scope == Scope::Without {
            self.stayed = true;
            return Ok(Verdict::new(Kind::Pass, ""));
        }
        let host = self.instrumented(HOST, &reference)?;
        let passages = self.probe(&host, &reference)?;
        if passages == 0 {
            self.stayed = true;
            return Ok(Verdict::new(Kind::Unstopped, ""));
        }
        let mut builds = vec![host];
        if self.plan.scope != Scope::Hop {
            for i in 0..self.journeys() {
                let addresses = [Addresses::Elsewhere, Addresses::Kept][i % 2];
                self.journey(&builds, passages, &reference, addresses)?;
            }
        }
        self.stayed = true;
        let mut disagree = Vec::new();
        if self.plan.scope != Scope::Same {
            for arch in self.others() {
                match self.reference(arch, &[])? {
                    Some(r) => {
                        let built = self.instrumented(arch, &r)?;
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
                for _ in 0..self.journeys() {
                    self.journey(&builds, passages, &reference, Addresses::Kept)?;
                }
            }
        }
        if let Stops::Star(stops) = self.plan.stops {
            self.star(&builds, stops.min(passages), &reference)?;
        }
        let kind = if disagree.is_empty() {
            Kind::Pass
        } else {
            Kind::Disagree
        };
        Ok(Verdict::new(kind, "").because(disagree.join(" ")))
    }

    fn journeys(&self) -> usize {
        match self.plan.stops {
            Stops::Journeys(n) => n,
            Stops::Star(_) => 0,
        }
    }

    /// The other architectures that this program meets.
    fn others(&mut self) -> Vec<arch::Arch> {
        let mut all: Vec<_> = arch::available()
            .into_iter()
            .filter(|a| *a != HOST)
            .collect();
        self.rng.shuffle(&mut all);
        all.truncate(self.plan.others.unwrap_or(all.len()));
        all
    }
}
