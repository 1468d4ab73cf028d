//! MPI_Type_create_darray (MPI 3.1 section 4.1.4): a process's part of an array that is spread over a
//! grid of processes.

use super::constructor::{ArrayOrder, Dim};
use crate::error::{fail, Class, Result};

pub(super) const NONE: i32 = 16;

pub(super) const BLOCK: i32 = 17;

pub(super) const CYCLIC: i32 = 18;

pub(super) const DEFAULT: i32 = 19;

/// The arguments of a call.
pub struct DarrayArguments<'a> {
    pub size: i32,
    pub rank: i32,
    pub sizes: &'a [i64],
    pub distribs: &'a [i32],
    pub args: &'a [i32],
    pub procs: &'a [i32],
}

impl DarrayArguments<'_> {
    /// Checked; processes are counted with the last dimension fastest, whatever the order of the array.
    pub fn dims(&self, _: ArrayOrder) -> Result<Vec<Dim>> {
        let bad = |what: &str| fail(Class::ERR_ARG, format!("MPI_Type_create_darray: {what}"));
        let n = self.sizes.len();
        let grid = self.procs.iter().try_fold(1i64, |all, p| {
            all.checked_mul(i64::from(*p)).filter(|_| *p > 0)
        });
        if grid != Some(i64::from(self.size)) {
            return bad("the grid does not have as many processes as there are");
        }
        if !(0..self.size).contains(&self.rank) {
            return bad("the rank is not one of the processes");
        }
        let mut left = self.rank as usize;
        let mut dims = Vec::with_capacity(n);
        for i in (0..n).rev() {
            let procs = self.procs[i] as usize;
            let Ok(size) = usize::try_from(self.sizes[i]) else {
                return bad("a size is negative");
            };
            let (distrib, arg) = (self.distribs[i], self.args[i]);
            match distrib {
                NONE if procs == 1 => {}
                NONE => return bad("a dimension that is not spread has several processes"),
                BLOCK if arg == DEFAULT || arg > 0 && arg as usize * procs >= size => {}
                CYCLIC if arg == DEFAULT || arg > 0 => {}
                BLOCK | CYCLIC => return bad("the argument of a distribution"),
                _ => return bad("an unknown distribution"),
            }
            dims.push(Dim {
                size,
                distrib,
                arg,
                procs,
                place: left % procs,
            });
            left /= procs;
        }
        dims.reverse();
        Ok(dims)
    }
}

impl Dim {
    /// Runs of elements that belong to this process: start and length.
    pub fn runs(&self) -> Vec<(usize, usize)> {
        let block = match (self.distrib, self.arg) {
            (NONE, _) => self.size,
            (BLOCK, DEFAULT) => self.size.div_ceil(self.procs),
            (CYCLIC, DEFAULT) => 1,
            (_, n) => n as usize,
        };
        if block == 0 {
            return Vec::new();
        }
        let rounds = (self.place * block..self.size).step_by(block.saturating_mul(self.procs));
        rounds.map(|at| (at, block.min(self.size - at))).collect()
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    /// Each element of the array belongs to exactly one process.
    #[test]
    fn processes_share_the_array_out() {
        for (distrib, arg) in [(BLOCK, DEFAULT), (BLOCK, 5), (CYCLIC, DEFAULT), (CYCLIC, 3)] {
            let mut seen = [0; 13 * 4];
            for rank in 0..6 {
                let given = DarrayArguments {
                    size: 6,
                    rank,
                    sizes: &[13, 4],
                    distribs: &[distrib, CYCLIC],
                    args: &[arg, DEFAULT],
                    procs: &[3, 2],
                };
                let dims = given.dims(ArrayOrder::C).unwrap();
                for (i, n) in dims[0].runs() {
                    for (j, m) in dims[1].runs() {
                        for at in (i..i + n).flat_map(|i| (j..j + m).map(move |j| i * 4 + j)) {
                            seen[at] += 1;
                        }
                    }
                }
            }
            assert_eq!(seen, [1; 13 * 4], "{distrib} {arg}");
        }
    }
}
