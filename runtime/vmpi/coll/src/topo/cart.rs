//! Cartesian topologies: row-major order of ranks.

use pc3_vmpi_objects::error::{fail, Class, Result};
use pc3_vmpi_objects::handle::abi::PROC_NULL;

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Cart {
    /// (size, periodic) of each dimension.
    pub dims: Vec<(i32, bool)>,
}

impl Cart {
    /// A grid that fits into `available` processes.
    pub fn new(dims: &[i32], periods: &[i32], available: usize) -> Result<Cart> {
        let mut n = 1usize;
        for &d in dims {
            if d <= 0 {
                return fail(Class::ERR_DIMS, format!("a dimension of the grid is {d}"));
            }
            n = n.saturating_mul(d as usize);
        }
        if n > available {
            return fail(
                Class::ERR_ARG,
                format!("a grid of {n} processes in a communicator of {available}"),
            );
        }
        Ok(Cart {
            dims: dims
                .iter()
                .zip(periods)
                .map(|(&d, &p)| (d, p != 0))
                .collect(),
        })
    }

    pub fn size(&self) -> usize {
        self.dims.iter().map(|d| d.0 as usize).product()
    }

    pub fn rank(&self, coords: &[i32]) -> Result<i32> {
        let mut rank = 0;
        for (&c, &(n, periodic)) in coords.iter().zip(&self.dims) {
            if !periodic && !(0..n).contains(&c) {
                return fail(
                    Class::ERR_ARG,
                    format!("coordinate {c} is outside of 0..{n}"),
                );
            }
            rank = rank * n + c.rem_euclid(n);
        }
        Ok(rank)
    }

    pub fn coords(&self, rank: usize) -> Result<Vec<i32>> {
        if rank >= self.size() {
            return fail(
                Class::ERR_RANK,
                format!("rank {rank} is not in a grid of {}", self.size()),
            );
        }
        let mut rest = rank as i32;
        let mut out: Vec<i32> = self
            .dims
            .iter()
            .rev()
            .map(|&(n, _)| (rest % n, rest /= n).0)
            .collect();
        out.reverse();
        Ok(out)
    }

    /// (source, destination) of a shift by `by` along dimension `dim`.
    pub fn shift(&self, rank: usize, dim: usize, by: i32) -> Result<(i32, i32)> {
        let Some(&(n, periodic)) = self.dims.get(dim) else {
            return fail(
                Class::ERR_ARG,
                format!("dimension {dim} of a grid with {}", self.dims.len()),
            );
        };
        let mut coords = self.coords(rank)?;
        let here = i64::from(coords[dim]);
        let mut at = |c: i64| {
            if !periodic && !(0..i64::from(n)).contains(&c) {
                return Ok(PROC_NULL);
            }
            coords[dim] = c.rem_euclid(i64::from(n)) as i32;
            self.rank(&coords)
        };
        Ok((at(here - i64::from(by))?, at(here + i64::from(by))?))
    }

    /// MPI_Cart_sub for one rank: its slice's number, its rank there, and the slice's grid.
    pub fn sub(&self, rank: usize, remain: &[bool]) -> Result<(i32, i32, Cart)> {
        let (mut color, mut key) = (0, 0);
        for ((c, &(n, _)), &keep) in self.coords(rank)?.into_iter().zip(&self.dims).zip(remain) {
            let to = if keep { &mut key } else { &mut color };
            *to = *to * n + c;
        }
        let dims = self
            .dims
            .iter()
            .zip(remain)
            .filter(|(_, keep)| **keep)
            .map(|(d, _)| *d)
            .collect();
        Ok((color, key, Cart { dims }))
    }
}

/// MPI_Dims_create: fills the zeros of `dims` so that the product is `nodes`, the filled ones as
/// close to each other as possible and not increasing.
pub fn dims_create(nodes: i32, dims: &mut [i32]) -> Result<()> {
    let mut fixed = 1i64;
    for &d in dims.iter() {
        if d < 0 {
            return fail(Class::ERR_DIMS, format!("a dimension is {d}"));
        }
        if d > 0 {
            fixed = fixed.saturating_mul(i64::from(d));
        }
    }
    let free = dims.iter().filter(|d| **d == 0).count();
    if nodes <= 0 || i64::from(nodes) % fixed != 0 || (free == 0 && fixed != i64::from(nodes)) {
        return fail(
            Class::ERR_DIMS,
            format!("{nodes} processes cannot fill a grid with {fixed} of them fixed"),
        );
    }
    let rest = (i64::from(nodes) / fixed) as i32;
    let mut best = Vec::new();
    if free > 0 {
        balanced(rest, free, rest, &mut Vec::new(), &mut best);
    }
    for (d, n) in dims.iter_mut().filter(|d| **d == 0).zip(best) {
        *d = n;
    }
    Ok(())
}

/// Tries every factorisation of `n` into `k` non-increasing factors, none above `limit`, behind
/// those `chosen`, in lexicographic order.  The best has the least distance from its greatest factor
/// to its least, then the least sum; of several, the last one (as MPICH has it).
fn balanced(n: i32, k: usize, limit: i32, chosen: &mut Vec<i32>, best: &mut Vec<i32>) {
    let rating = |v: &[i32]| (v[0] - v[v.len() - 1], v.iter().sum::<i32>());
    if k == 1 {
        chosen.push(n);
        if n <= limit && (best.is_empty() || rating(chosen) <= rating(best)) {
            best.clone_from(chosen);
        }
        chosen.pop();
        return;
    }
    // The greatest of the factors left is at least their geometric mean.
    let enough = |d: i32| {
        (0..k)
            .try_fold(1i64, |p, _| {
                Some(p * i64::from(d)).filter(|p| *p < i64::from(n))
            })
            .is_none()
    };
    let mut divisors: Vec<i32> = (1..)
        .take_while(|d| i64::from(*d) * i64::from(*d) <= i64::from(n))
        .filter(|d| n % d == 0)
        .flat_map(|d| [d, n / d])
        .collect();
    divisors.sort_unstable();
    divisors.dedup();
    for d in divisors
        .into_iter()
        .filter(|d| *d <= limit && (*d == n || enough(*d)))
    {
        chosen.push(d);
        balanced(n / d, k - 1, d, chosen, best);
        chosen.pop();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dims() {
        for (n, given, want) in [
            (24, vec![0, 0, 0], vec![4, 3, 2]),
            (16, vec![0, 0], vec![4, 4]),
            (12, vec![0, 0], vec![4, 3]),
            (7, vec![0, 0], vec![7, 1]),
            (36, vec![0, 0, 0], vec![4, 3, 3]),
            (6, vec![0, 3, 0], vec![2, 3, 1]),
            (1, vec![0, 0, 0], vec![1, 1, 1]),
            (1024, vec![0, 0, 0], vec![16, 8, 8]),
            (5040, vec![0, 0, 0], vec![21, 16, 15]),
            (6240, vec![0, 0, 0], vec![26, 16, 15]),
            (5616, vec![0; 4], vec![13, 9, 8, 6]),
            (98784, vec![0; 5], vec![14, 14, 9, 8, 7]),
            (1 << 20, vec![0; 10], vec![4; 10]),
            (5, vec![], vec![]),
        ] {
            let mut d = given;
            let r = dims_create(n, &mut d);
            assert_eq!(r.is_ok(), !want.is_empty() || n == 1, "{n}");
            assert_eq!(d, want);
        }
        assert!(dims_create(6, &mut [4, 0]).is_err());
    }

    #[test]
    fn grid() {
        let g = Cart::new(&[2, 3, 4], &[0, 1, 0], 30).unwrap();
        for r in 0..24 {
            assert_eq!(g.rank(&g.coords(r).unwrap()).unwrap(), r as i32);
        }
        assert_eq!(g.coords(17).unwrap(), [1, 1, 1]);
        assert_eq!(g.shift(17, 0, 1).unwrap(), (5, PROC_NULL));
        assert_eq!(g.shift(17, 1, 1).unwrap(), (13, 21));
        assert_eq!(g.shift(13, 1, 1).unwrap(), (21, 17));
        assert_eq!(g.shift(0, 1, -4).unwrap(), (4, 8));
        assert_eq!(g.sub(17, &[false, true, true]).unwrap().0, 1);
        assert_eq!(g.sub(17, &[false, true, true]).unwrap().1, 5);
        assert_eq!(g.sub(17, &[true, false, true]).unwrap().0, 1);
        assert!(g.rank(&[2, 0, 0]).is_err() && g.coords(24).is_err() && g.shift(0, 3, 1).is_err());
        assert!(Cart::new(&[5, 5], &[0, 0], 24).is_err() && Cart::new(&[0], &[0], 24).is_err());
    }
}
