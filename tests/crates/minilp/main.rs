//! Which of twelve plants sends how much to which of fifteen towns, and which roads may be used: transport problems with side
//! conditions.
use minilp::{ComparisonOp, OptimizationDirection, Problem};
use pc3::prelude::*;

const PLANTS: usize = 12;
const TOWNS: usize = 15;

/// The same numbers in each run.
fn next(seed: &mut u32) -> f64 {
    *seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
    f64::from(*seed >> 20) / 16.0
}

fn transport(month: u32) -> Problem {
    let mut seed = 7 + month;
    let mut problem = Problem::new(OptimizationDirection::Minimize);
    let mut amounts = Vec::new();
    for _ in 0..PLANTS * TOWNS {
        let cost = 1.0 + next(&mut seed);
        amounts.push(problem.add_var(cost, (0.0, 40.0)));
    }
    for plant in 0..PLANTS {
        let row = (0..TOWNS).map(|t| (amounts[plant * TOWNS + t], 1.0));
        problem.add_constraint(row.collect::<Vec<_>>(), ComparisonOp::Le, 120.0 + next(&mut seed));
    }
    for town in 0..TOWNS {
        let column = (0..PLANTS).map(|p| (amounts[p * TOWNS + town], 1.0));
        problem.add_constraint(column.collect::<Vec<_>>(), ComparisonOp::Ge, 30.0 + next(&mut seed) / 8.0);
    }
    for road in 0..20 {
        let pair = [(amounts[road], 1.0), (amounts[road + 40], -0.5)];
        problem.add_constraint(&pair, ComparisonOp::Eq, 0.0);
    }
    problem
}

#[pc3::main]
fn main() {
    for month in 0..3 {
        #[reeval]
        let problem = transport(month);
        match ck!(problem.solve()) {
            Ok(found) => {
                println!("month {month}: {:?}", found.objective());
                for (road, amount) in found.iter().filter(|(_, amount)| **amount != 0.0) {
                    println!("{} to {}: {amount:?}", road.idx() / TOWNS, road.idx() % TOWNS);
                }
            }
            Err(e) => println!("month {month}: {e}"),
        }
    }
}
