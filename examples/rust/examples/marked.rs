//! The most that marks cost: calls in the innermost loop, of a function that does little and has a location.

#![forbid(unsafe_code)]

use pc3::prelude::*;

#[derive(Checkpointable)]
struct Matrix {
    starts: Vec<usize>,
    columns: Vec<usize>,
    values: Vec<f64>,
}

impl Matrix {
    /// A grid's.
    fn new(n: usize) -> Matrix {
        let mut m = Matrix {
            starts: vec![0],
            columns: Vec::new(),
            values: Vec::new(),
        };
        for i in 0..n * n {
            let near = [
                i.checked_sub(n),
                i.checked_sub(1),
                Some(i),
                Some(i + 1),
                Some(i + n),
            ];
            for j in near.into_iter().flatten().filter(|j| *j < n * n) {
                m.columns.push(j);
                m.values.push(if i == j { 4.5 } else { -1.0 });
            }
            m.starts.push(m.columns.len());
        }
        m
    }

    #[checkpointable]
    fn row(&self, i: usize, x: &[f64]) -> f64 {
        let mut sum = 0.0;
        for k in self.starts[i]..self.starts[i + 1] {
            sum += self.values[k] * x[self.columns[k]];
        }
        checkpoint!();
        sum
    }

    #[checkpointable]
    fn times(&self, x: &[f64], out: &mut [f64]) {
        for (i, value) in out.iter_mut().enumerate() {
            *value = ck!(self.row(i, x));
        }
    }
}

#[pc3::main]
fn main() {
    let m = Matrix::new(60);
    let mut x = vec![1.0; 3600];
    let mut y = vec![0.0; 3600];
    let mut norm = 0.0;
    for _ in 0..150 {
        ck!(m.times(&x, &mut y));
        norm = y.iter().map(|v| v * v).sum::<f64>().sqrt();
        x = y.iter().map(|v| v / norm).collect();
    }
    println!("{norm:.9}");
}
