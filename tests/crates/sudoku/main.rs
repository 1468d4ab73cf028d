//! Prints sixty of the solutions of a puzzle that has many.

use pc3::prelude::*;
use sudoku::Sudoku;

#[pc3::main]
fn main() {
    let puzzle = "...2...633....54.1..1..398........9....538....3........263..5..5.37....8.........";
    let puzzle = Sudoku::from_str_line(puzzle).unwrap();
    for solution in ck!(Sudoku::solutions_up_to(puzzle, 60)) {
        println!("{}", solution.to_str_line());
    }
}
