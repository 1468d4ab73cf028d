//! The processes of a communicator as a tree, for what all tell.
//!
//! The tree is that of the numbers of processes, written with [`FAN`] as their base: below a process are those that differ from
//! it in one digit behind its last that is not 0. So a subtree has a run of processes, which begins where as many divide its
//! number; if ranks lie in blocks, one or two partial sums stand for all of them in a reduction.

use super::places::Places;
use crate::work::subtrees::subtrees;

/// So many processes, at most, tell each other. More tell it along the tree.
pub(crate) const FAN: usize = 4;

/// A process's place in it.
pub struct Tree {
    pub above: Option<u32>,
    /// Ascending; the last process below each of them.
    pub below: Box<[u32]>,
    last: Box<[u32]>,
    /// What is combined here, in the order of reductions.
    pub(crate) parts: Box<[Part]>,
    /// To which partial sums: their first members, and how many they have.
    pub(crate) sums: Box<[(usize, usize)]>,
}

/// A subtree of the order of reductions, as it is there before.
pub struct Part {
    pub(crate) first: usize,
    pub(crate) covers: usize,
    pub(crate) from: Source,
}

#[derive(Clone, Copy)]
pub enum Source {
    /// Given by the member itself.
    Here,
    /// The partial sum `number` of what is `below`.
    Below { below: usize, number: usize },
}

/// Of those that begin with `at`: as many as a power of the base has that divides it.
fn run(at: usize, all: usize) -> usize {
    let mut run = 1;
    while run < all && at % (run * FAN) == 0 {
        run *= FAN;
    }
    run
}

/// Those below `at`, and how many processes are in the subtree of each.
fn below(at: usize, all: usize) -> impl Iterator<Item = (usize, usize)> {
    let whole = run(at, all);
    let steps = std::iter::successors(Some(1), |step| Some(step * FAN));
    let digits = move |step| (1..FAN).map(move |digit| (at + digit * step, step));
    let there = steps.take_while(move |step| *step < whole).flat_map(digits);
    there.filter(move |b| b.0 < all)
}

fn above(at: usize, all: usize) -> Option<usize> {
    (at > 0).then(|| at - at % (run(at, all) * FAN))
}

impl Tree {
    /// The place of process `own`; `None`: they are few.
    pub(crate) fn new(places: &Places, own: u32) -> Option<Tree> {
        let all = places.len();
        if all <= FAN {
            return None;
        }
        let processes: Vec<u32> = places.keys().copied().collect();
        let at = processes.binary_search(&own).ok()?;
        let members = |at: usize, run: usize| {
            let within = processes.iter().skip(at).take(run);
            let mut members: Vec<usize> = within.flat_map(|p| &places[p]).copied().collect();
            members.sort_unstable();
            members
        };
        let under: Vec<(usize, usize)> = below(at, all).collect();
        let here = places[&own].iter().map(|m| Part {
            first: *m,
            covers: 1,
            from: Source::Here,
        });
        let mut parts: Vec<Part> = here.collect();
        for (below, (first, run)) in under.iter().enumerate() {
            let there = members(*first, *run);
            let of = |(number, (first, covers))| Part {
                first,
                covers,
                from: Source::Below { below, number },
            };
            parts.extend(subtrees(&there).enumerate().map(of));
        }
        parts.sort_unstable_by_key(|p| p.first);
        let own = members(at, run(at, all));
        let sums = match at {
            0 => vec![(0, own.len())],
            _ => subtrees(&own).collect(),
        };
        let last = |b: &(usize, usize)| processes[(b.0 + b.1).min(all) - 1];
        Some(Tree {
            above: above(at, all).map(|at| processes[at]),
            below: under.iter().map(|b| processes[b.0]).collect(),
            last: under.iter().map(last).collect(),
            parts: parts.into(),
            sums: sums.into(),
        })
    }

    /// Is that process in the subtree of the one that is `below`?
    pub fn leads(&self, below: usize, to: u32) -> bool {
        (self.below[below]..=self.last[below]).contains(&to)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_are_below_the_first() {
        for all in 1..200 {
            let mut found = vec![0; all];
            for at in 0..all {
                for (b, run) in below(at, all) {
                    assert_eq!(above(b, all), Some(at), "{b} of {all}");
                    assert_eq!(run, super::run(b, all), "{b} of {all}");
                    found[b] += 1;
                }
            }
            assert_eq!(found[0], 0);
            assert!(found[1..].iter().all(|n| *n == 1), "{all}: {found:?}");
        }
    }

    /// Frames that a process sends and gets.
    #[test]
    fn frames_grow_with_the_logarithm() {
        for all in FAN + 1..2000 {
            let most = (0..all).map(|at| 2 * (below(at, all).count() + usize::from(at > 0)));
            let bound = 2.0 * FAN as f64 * (all as f64).log(FAN as f64);
            assert!(most.max().unwrap() as f64 <= bound, "{all}");
        }
    }

    #[test]
    fn parts_become_the_sums_above() {
        let by_blocks = |i: usize, all: usize, each: usize| (i / each).min(all - 1);
        let in_turn = |i: usize, all: usize, _: usize| i % all;
        for place in [by_blocks, in_turn] {
            for (all, each) in [(5, 1), (6, 3), (17, 4), (23, 2)] {
                let mut places = Places::new();
                for i in 0..all * each {
                    let process = place(i, all, each) as u32 * 2;
                    places.entry(process).or_default().push(i);
                }
                for own in places.keys() {
                    let tree = Tree::new(&places, *own).unwrap();
                    let mut parts = tree.parts.iter().peekable();
                    for (first, covers) in &tree.sums {
                        let mut at = *first;
                        while let Some(p) = parts.next_if(|p| p.first < first + covers) {
                            assert_eq!(p.first, at);
                            at += p.covers;
                        }
                        assert_eq!(at, first + covers);
                    }
                    assert!(parts.next().is_none());
                }
            }
        }
    }
}
