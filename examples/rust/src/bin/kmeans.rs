//! Clusters the points of a table of comma-separated values: `kmeans FILE K`, or a built-in table and 4.

#![forbid(unsafe_code)]

use std::fs;

use pc3::prelude::*;

#[derive(Checkpointable, Clone, Debug, PartialEq)]
struct Point {
    name: String,
    at: (f64, f64),
}

#[derive(Checkpointable)]
enum Input {
    File(String),
    BuiltIn { points: usize },
}

fn table(n: usize) -> String {
    let mut state = 7_u32;
    let mut random = move || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        f64::from(state >> 8) / f64::from(1 << 24)
    };
    let line = |i: usize| {
        let (cx, cy) = [(0.0, 0.0), (5.0, 1.0), (2.0, 6.0), (-4.0, 3.0)][i % 4];
        format!("p{i},{:.4},{:.4}\n", cx + random(), cy + random())
    };
    (0..n).map(line).collect()
}

#[checkpointable]
fn read(input: Input) -> Result<Vec<Point>, String> {
    let text = match input {
        Input::File(path) => fs::read_to_string(&path).map_err(|e| format!("{path}: {e}"))?,
        Input::BuiltIn { points } => table(points),
    };
    let mut points = Vec::new();
    let mut n = 0;
    for line in text.lines() {
        n += 1;
        checkpoint!();
        let mut parts = line.split(',');
        let (Some(name), Some(x), Some(y)) = (parts.next(), parts.next(), parts.next()) else {
            return Err(format!("line {n}: three columns are expected"));
        };
        let number = |s: &str| {
            s.trim()
                .parse::<f64>()
                .map_err(|e| format!("line {n}: {e}"))
        };
        points.push(Point {
            name: name.to_owned(),
            at: (number(x)?, number(y)?),
        });
    }
    Ok(points)
}

fn nearest(centres: &[(f64, f64)], p: (f64, f64)) -> usize {
    let d = |c: &(f64, f64)| (c.0 - p.0).powi(2) + (c.1 - p.1).powi(2);
    let mut best = 0;
    for (i, c) in centres.iter().enumerate() {
        if d(c) < d(&centres[best]) {
            best = i;
        }
    }
    best
}

#[checkpointable]
fn cluster(points: &[Point], k: usize) -> Vec<(f64, f64)> {
    let mut centres: Vec<(f64, f64)> = points.iter().take(k).map(|p| p.at).collect();
    loop {
        let mut sums = vec![((0.0, 0.0), 0usize); k];
        for p in points {
            let i = nearest(&centres, p.at);
            let (sum, n) = &mut sums[i];
            sum.0 += p.at.0;
            sum.1 += p.at.1;
            *n += 1;
            checkpoint!();
        }
        let new: Vec<(f64, f64)> = sums
            .iter()
            .zip(&centres)
            .map(|((s, n), old)| {
                if *n == 0 {
                    *old
                } else {
                    (s.0 / *n as f64, s.1 / *n as f64)
                }
            })
            .collect();
        if new == centres {
            break centres;
        }
        centres = new;
    }
}

#[pc3::main]
fn main() -> Result<(), String> {
    let mut arguments = std::env::args().skip(1);
    let input = arguments
        .next()
        .map_or(Input::BuiltIn { points: 48 }, Input::File);
    let k = arguments.next().map_or(Ok(4), |k| {
        k.parse::<usize>().map_err(|e| format!("{k}: {e}"))
    })?;
    let points = ck!(read(input))?;
    let centres = ck!(cluster(&points, k));
    for (i, c) in centres.iter().enumerate() {
        let members: Vec<&str> = points
            .iter()
            .filter(|p| nearest(&centres, p.at) == i)
            .map(|p| p.name.as_str())
            .collect();
        println!("({:.6}, {:.6}): {}", c.0, c.1, members.join(" "));
    }
    Ok(())
}
