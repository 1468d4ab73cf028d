//! Counts verdicts and says which of the bounds of a run are missed.

use std::collections::BTreeMap;

use super::{Kind, Scope, Verdict};

/// Shares mean nothing among fewer programs.
const FEW: usize = 100;
/// At least this share is accepted, passes and, of what is moved, completes; of csmith's programs at most this is refused.
const ACCEPTED: f64 = 95.0;
const COMPLETE: f64 = 80.0;
const REFUSED: f64 = 5.0;

#[derive(Clone, Default, PartialEq, Debug)]
pub struct Tally {
    /// Those with a plain build to compare with.
    pub referenced: usize,
    pub accepted: usize,
    /// Accepted ones that passed on their own machine, unstopped, and stopped and resumed.
    pub stayed: usize,
    /// Accepted ones that did not, and need not: [`super::Kind::Depends`].
    pub excused: usize,
    /// Accepted ones whose plain builds agree on all machines, and those among them that went on to the end wherever moved.
    pub agree: usize,
    pub complete: usize,
    /// By pc3cc or by a restart.
    pub refused: usize,
    /// Of gcc's, known to depend on the machine.
    pub depends: usize,
    pub wrong: usize,
    pub crash: usize,
    pub hang: usize,
    /// Bad otherwise: what is built is not what the plain compiler builds, or nothing.
    pub broken: usize,
    pub moves: u64,
}

/// What a run is about.
#[derive(Clone, Copy)]
pub struct Kinds {
    pub scope: Scope,
    pub csmith: bool,
}

impl Tally {
    pub fn of<'a>(verdicts: impl Iterator<Item = &'a Verdict>) -> Tally {
        let mut t = Tally::default();
        for v in verdicts.filter(|v| v.kind != Kind::NoReference) {
            t.count(v);
        }
        t
    }

    fn count(&mut self, v: &Verdict) {
        self.referenced += 1;
        self.moves += v.moves;
        let accepted = !matches!(
            v.kind,
            Kind::Refused | Kind::Front | Kind::Uncompilable | Kind::Broken
        );
        let agree = accepted && v.kind != Kind::Disagree;
        self.accepted += usize::from(accepted);
        self.stayed += usize::from(accepted && v.stayed);
        self.excused += usize::from(v.kind == Kind::Depends && !v.stayed);
        self.agree += usize::from(agree);
        match v.kind {
            Kind::Pass | Kind::Unstopped => self.complete += 1,
            Kind::Refused | Kind::RefusedRestart => self.refused += 1,
            Kind::Depends => self.depends += 1,
            Kind::Wrong => self.wrong += 1,
            Kind::Crash => self.crash += 1,
            Kind::Hang => self.hang += 1,
            Kind::Front | Kind::Uncompilable | Kind::Broken => self.broken += 1,
            Kind::Disagree | Kind::NoReference => {}
        }
    }

    /// What a run must reach and has not.
    pub fn missed(&self, of: Kinds) -> Vec<String> {
        let mut missed = Vec::new();
        let mut never = |n: usize, what: &str| {
            if n > 0 {
                missed.push(format!("{n} {what}"));
            }
        };
        never(self.wrong, "wrong");
        never(self.crash, "crashed");
        never(self.hang, "hung");
        never(self.broken, "not built as the plain compiler builds them");
        if matches!(of.scope, Scope::Same | Scope::Both) {
            never(
                self.accepted - self.stayed - self.excused,
                "accepted that did not pass at home",
            );
        }
        if self.referenced < FEW || of.scope == Scope::Without {
            return missed;
        }
        if of.csmith {
            let refused = share(self.refused, self.referenced);
            if refused > REFUSED {
                missed.push(format!(
                    "{refused:.1} % refused, at most {REFUSED} % may be"
                ));
            }
            return missed;
        }
        let mut least = |is: f64, bound: f64, what: &str| {
            if is < bound {
                missed.push(format!("{is:.1} % {what}, {bound} % must be"));
            }
        };
        least(share(self.accepted, self.referenced), ACCEPTED, "accepted");
        if of.scope != Scope::Same {
            least(
                share(self.complete, self.agree),
                COMPLETE,
                "of the moved ones completed",
            );
        }
        missed
    }
}

pub fn share(n: usize, of: usize) -> f64 {
    100.0 * n as f64 / of.max(1) as f64
}

/// How many, and how many of each reason.
pub type Counts<'a> = (usize, Vec<(&'a str, usize)>);

/// How many there are of each kind, and of each reason within it, the most frequent first.
pub fn reasons<'a>(verdicts: impl Iterator<Item = &'a Verdict>) -> BTreeMap<Kind, Counts<'a>> {
    let mut counts: BTreeMap<Kind, (usize, BTreeMap<&str, usize>)> = BTreeMap::new();
    for v in verdicts {
        let (n, whys) = counts.entry(v.kind).or_default();
        *n += 1;
        if !v.why.is_empty() {
            *whys.entry(&v.why).or_default() += 1;
        }
    }
    let sorted = |whys: BTreeMap<&'a str, usize>| {
        let mut whys: Vec<_> = whys.into_iter().collect();
        whys.sort_by_key(|(why, n)| (std::cmp::Reverse(*n), *why));
        whys
    };
    counts
        .into_iter()
        .map(|(kind, (n, whys))| (kind, (n, sorted(whys))))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdicts(list: &[(Kind, bool, usize)]) -> Vec<Verdict> {
        let one = |(kind, stayed, n): &(Kind, bool, usize)| {
            let mut v = Verdict::new(*kind, "");
            v.stayed = *stayed;
            vec![v; *n]
        };
        list.iter().flat_map(one).collect()
    }

    #[test]
    fn bounds_are_checked() {
        let check = |scope, csmith, list: &[(Kind, bool, usize)], expected: &[&str]| {
            let all = verdicts(list);
            assert_eq!(
                Tally::of(all.iter()).missed(Kinds { scope, csmith }),
                expected
            );
        };
        let (pass, no) = ((Kind::Pass, true, 95), (Kind::Refused, false, 5));
        check(Scope::Both, false, &[pass, no], &[]);
        check(Scope::Both, true, &[pass, no], &[]);
        let more = [pass, no, no];
        check(
            Scope::Both,
            false,
            &more,
            &["90.5 % accepted, 95 % must be"],
        );
        check(
            Scope::Both,
            true,
            &more,
            &["9.5 % refused, at most 5 % may be"],
        );
        check(Scope::Without, false, &more, &[]);
        let halfway = (Kind::RefusedRestart, true, 20);
        check(Scope::Both, false, &[pass, halfway], &[]);
        check(
            Scope::Both,
            false,
            &[pass, halfway, halfway],
            &["70.4 % of the moved ones completed, 80 % must be"],
        );
        check(
            Scope::Same,
            false,
            &[(Kind::RefusedRestart, false, 1)],
            &["1 accepted that did not pass at home"],
        );
        check(Scope::Same, false, &[(Kind::Depends, false, 3)], &[]);
        let bad = [(Kind::Wrong, false, 1), (Kind::Front, false, 2)];
        check(
            Scope::Hop,
            false,
            &bad,
            &["1 wrong", "2 not built as the plain compiler builds them"],
        );
    }

    #[test]
    fn like_reasons_count_together() {
        let v = |why: &str| Verdict::new(Kind::Refused, "").because(why);
        let all = [v("E0305"), v("E0301"), v("E0301"), v("")];
        let told = reasons(all.iter());
        assert_eq!(told[&Kind::Refused], (4, vec![("E0301", 2), ("E0305", 1)]));
    }
}
