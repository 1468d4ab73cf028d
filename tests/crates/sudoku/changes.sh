#!/bin/sh
# Makes the solver of the package sudoku checkpointable: `changes.sh FOLDER PC3`, PC3 being this crate's folder.
# Eleven lines of its library are new: four derives, six attributes, a location; ten are changed: seven marks of calls, and a closure that is a `match`.
set -e
cd "$1"
sed -i "s|^\[dependencies.crunchy\]|[dependencies.pc3]\npath = \"$2\"\n\n&|" Cargo.toml
printf '\n[workspace]\n' >> Cargo.toml
derive='#[derive(pc3::Checkpointable)]'
sed -i "s/^pub(crate) struct Unsolvable/$derive\n&/" src/helper.rs
sed -i "s/^pub(crate) struct SudokuSolver/$derive\n&/; s/^struct UncheckedIndexArray/$derive\n&/" src/solver.rs
sed -i "s/^pub struct Sudoku(/$derive\n&/" src/board/sudoku.rs
attribute='    #[pc3::checkpointable]'
sed -i "s/^    fn _solutions_up_to(/$attribute\n&/; s/^    pub fn solutions_up_to(/$attribute\n&/; s/^    fn guess(/$attribute\n&/" src/solver.rs
sed -i "s/^    fn guess_bivalue_in_cell(/$attribute\n&/; s/^    fn guess_some_cell(/$attribute\n&/" src/solver.rs
sed -i "s/^    pub fn solutions_up_to(/$attribute\n&/" src/board/sudoku.rs
sed -i 's/^    fn guess(.*{$/&\n        pc3::checkpoint!();/' src/solver.rs
sed -i 's/self\._solutions_up_to(limit, &mut Solutions::Vector(&mut solutions));/pc3::ck!(Self::_solutions_up_to(self, limit, \&mut Solutions::Vector(\&mut solutions)));/' src/solver.rs
sed -i 's/self\.guess_bivalue_in_cell(limit, solutions)\.is_ok()/pc3::ck!(self.guess_bivalue_in_cell(limit, solutions)).is_ok()/' src/solver.rs
sed -i 's/^\( *\)\(\(self\|solver\)\.\(guess\|guess_some_cell\)(limit, solutions)\);/\1pc3::ck!(\2);/' src/solver.rs
sed -i '/pub fn solutions_up_to(/,/^    }/{s/^        SudokuSolver::from_sudoku(self)$/        match SudokuSolver::from_sudoku(self).ok() {/;s/^            \.ok()$/            Some(solver) => pc3::ck!(SudokuSolver::solutions_up_to(solver, limit)),/;s/^            \.map_or.*$/            None => vec![] }/}' src/board/sudoku.rs
