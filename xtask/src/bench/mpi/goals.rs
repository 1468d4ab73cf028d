//! The goals of the virtual MPI, and whether a run has met them.

use serde_json::{json, Value};
use std::collections::BTreeSet;

use super::{Floor, Row};

/// What a figure is held against.
enum Limit {
    Is(f64),
    /// The same; where the machine's memory takes longer to be written as often, that.
    OrCopies(f64),
    /// So many times another row's.
    Times(f64, &'static str),
}
use Limit::*;

const NEAR: &str = "pc3 2 ranks/2 workers";
const MANY: &str = "pc3 64 ranks/2 workers";
const ONE: &str = "pc3 2 ranks/1 worker";
const OPENMPI: &str = "openmpi 2 processes";
const MPICH: &str = "mpich 2 processes";
const OVER_OPENMPI: &str = "pc3 2 processes, openmpi";
const OVER_MPICH: &str = "pc3 2 processes, mpich";
/// A bandwidth of so much, as times.
const ALMOST: f64 = 1.0 / 0.95;

/// Row, column, limit.
const GOALS: &[(&str, &str, Limit)] = &[
    (ONE, "pingpong_8", Is(0.10)),
    (NEAR, "pingpong_8", Times(1.0, OPENMPI)),
    (NEAR, "pingpong_64k", Times(1.0 / 3.0, OPENMPI)),
    (NEAR, "pingpong_1m", Times(1.0 / 3.0, OPENMPI)),
    (NEAR, "pingpong_16m", Times(0.5, OPENMPI)),
    (ONE, "rate_8", Is(0.10)),
    (NEAR, "rate_8", Is(0.10)),
    (MANY, "barrier", Is(3.0)),
    (MANY, "allreduce_8", Is(3.0)),
    (MANY, "bcast_1m", OrCopies(700.0)),
    (MANY, "alltoall_4k", Is(800.0)),
    (OVER_OPENMPI, "pingpong_8", Times(1.15, OPENMPI)),
    (OVER_OPENMPI, "pingpong_1k", Times(1.15, OPENMPI)),
    (OVER_OPENMPI, "pingpong_1m", Times(ALMOST, OPENMPI)),
    (OVER_OPENMPI, "pingpong_16m", Times(ALMOST, OPENMPI)),
    (OVER_MPICH, "pingpong_8", Times(1.15, MPICH)),
    (OVER_MPICH, "pingpong_1k", Times(1.15, MPICH)),
    (OVER_MPICH, "pingpong_1m", Times(ALMOST, MPICH)),
    (OVER_MPICH, "pingpong_16m", Times(ALMOST, MPICH)),
];

fn verdict(figure: Option<f64>, limit: Option<f64>) -> &'static str {
    match (figure, limit) {
        (Some(f), Some(l)) if f <= l => "met",
        (Some(_), Some(_)) => "missed",
        _ => "not measured",
    }
}

impl Limit {
    fn at_most(&self, column: &str, rows: &[Row], floor: &Floor) -> Option<f64> {
        match self {
            Is(n) => Some(*n),
            OrCopies(n) => Some(n.max(floor.copy[1])),
            Times(k, peer) => best(rows, peer, column).map(|n| k * n),
        }
    }
}

fn best(rows: &[Row], row: &str, column: &str) -> Option<f64> {
    rows.iter().find(|r| r.name == row)?.best(column)
}

/// The rows of goals that are missed so far, and of what they are held against.
pub fn in_doubt(rows: &[Row], floor: &Floor) -> BTreeSet<&'static str> {
    let mut all = BTreeSet::new();
    for (row, column, limit) in GOALS {
        let most = limit.at_most(column, rows, floor);
        if verdict(best(rows, row, column), most) == "missed" {
            all.insert(*row);
            if let Times(_, peer) = limit {
                all.insert(*peer);
            }
        }
    }
    all
}

/// Prints the table; the same as JSON.
pub fn judge(rows: &[Row], floor: &Floor) -> Value {
    println!();
    println!(
        "{:28} {:14} {:>10} {:>10}  goal",
        "goals: best, µs", "", "figure", "at most"
    );
    let mut list = Vec::new();
    for (row, column, limit) in GOALS {
        let (figure, what) = (best(rows, row, column), describe(limit));
        let most = limit.at_most(column, rows, floor);
        let outcome = verdict(figure, most);
        let shown = |n: Option<f64>| n.map_or("-".into(), |n| format!("{n:.3}"));
        println!(
            "{row:28} {column:14} {:>10} {:>10}  {outcome:12} {what}",
            shown(figure),
            shown(most)
        );
        list.push(json!({ "configuration": row, "what": column, "figure": figure, "at_most": most, "goal": what, "outcome": outcome }));
    }
    list.into()
}

fn describe(limit: &Limit) -> String {
    match limit {
        Is(_) => String::new(),
        OrCopies(n) => format!("{n:.0}, or what the bare copies take"),
        Times(k, peer) => format!("{k:.2} times {peer}'s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_goal_is_met_or_missed_or_unknown() {
        let told = [
            (Some(1.0), Some(1.0)),
            (Some(1.1), Some(1.0)),
            (None, Some(1.0)),
            (Some(1.0), None),
        ];
        let outcomes = told.map(|(f, l)| verdict(f, l));
        assert_eq!(outcomes, ["met", "missed", "not measured", "not measured"]);
    }

    #[test]
    fn goals_speak_of_what_is_measured() {
        let columns = super::super::COLUMNS;
        assert!(GOALS.iter().all(|(_, column, _)| columns.contains(column)));
    }
}
