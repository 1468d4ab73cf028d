#!/bin/sh
# Makes the solver of the package sudoku checkpointable: `changes.sh FOLDER PC3`, PC3 being this crate's folder.
# Thirteen lines of its library are new: five derives, six attributes, a location, a list that is copied back; seventeen are changed: seven marks
# of calls, a closure that is a `match`, and a type that held borrows of what it found and now has that itself.
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
sed -i "s/^enum Solutions<'a>/$derive\nenum Solutions/; s/^impl Solutions<'_>/impl Solutions/; s/Vector(&'a mut Vec<Sudoku>)/Vector(Vec<Sudoku>)/; s/Buffer(&'a mut \[\[u8; 81\]\], usize)/Buffer(Vec<[u8; 81]>, usize)/" src/solver.rs
sed -i 's/Solutions::Buffer(buffer, 0)/Solutions::Buffer(buffer.to_vec(), 0)/' src/solver.rs
sed -i '/pub fn solutions_up_to_buffer/,/^    }/s/^        solutions\.len()$/        if let Solutions::Buffer(found, _) = \&solutions { buffer.copy_from_slice(found) }\n&/' src/solver.rs
sed -i '/pub fn solutions_up_to(/,/^    }/{s/let mut solutions = vec!\[\];/let mut solutions = Solutions::Vector(vec![]);/;s/^        solutions$/        match solutions { Solutions::Vector(all) => all, _ => vec![] }/}' src/solver.rs
sed -i 's/self\._solutions_up_to(limit, &mut Solutions::Vector(&mut solutions));/pc3::ck!(Self::_solutions_up_to(self, limit, \&mut solutions));/' src/solver.rs
sed -i 's/self\.guess_bivalue_in_cell(limit, solutions)\.is_ok()/pc3::ck!(self.guess_bivalue_in_cell(limit, solutions)).is_ok()/' src/solver.rs
sed -i 's/^\( *\)\(\(self\|solver\)\.\(guess\|guess_some_cell\)(limit, solutions)\);/\1pc3::ck!(\2);/' src/solver.rs
sed -i '/pub fn solutions_up_to(/,/^    }/{s/^        SudokuSolver::from_sudoku(self)$/        match SudokuSolver::from_sudoku(self).ok() {/;s/^            \.ok()$/            Some(solver) => pc3::ck!(SudokuSolver::solutions_up_to(solver, limit)),/;s/^            \.map_or.*$/            None => vec![] }/}' src/board/sudoku.rs
