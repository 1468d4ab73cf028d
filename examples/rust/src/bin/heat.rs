//! Heat in a plate, with `ndarray`: explicit steps until it is nearly still, `heat LIMIT` (0.02).

use ndarray::{s, Array2, Zip};
use pc3::prelude::*;

#[checkpointable]
fn relax(plate: &mut Array2<f64>, limit: f64) -> (usize, f64) {
    let mut next = plate.clone();
    let mut steps = 0;
    loop {
        let (n, m) = plate.dim();
        Zip::from(next.slice_mut(s![1..n - 1, 1..m - 1]))
            .and(plate.slice(s![..n - 2, 1..m - 1]))
            .and(plate.slice(s![2.., 1..m - 1]))
            .and(plate.slice(s![1..n - 1, ..m - 2]))
            .and(plate.slice(s![1..n - 1, 2..]))
            .for_each(|new, a, b, c, d| *new = 0.25 * (a + b + c + d));
        let change = Zip::from(&next)
            .and(&*plate)
            .fold(0.0_f64, |most, a, b| most.max((a - b).abs()));
        std::mem::swap(plate, &mut next);
        steps += 1;
        checkpoint!();
        if steps % 50 == 0 {
            println!(
                "step {steps:4}  change {change:.9}  mean {:.9}",
                plate.sum() / plate.len() as f64
            );
        }
        if change < limit {
            break (steps, change);
        }
    }
}

#[pc3::main]
fn main() {
    let limit = std::env::args().nth(1);
    let limit = limit.map_or(0.02, |a| a.parse().expect("a number"));
    let mut plate = Array2::zeros((33, 48));
    plate.row_mut(0).fill(100.0);
    plate.column_mut(0).fill(50.0);
    let (steps, change) = ck!(relax(&mut plate, limit));
    println!(
        "after {steps} steps the last change is {change:.3e}, the centre has {:.9}",
        plate[[16, 24]]
    );
}
