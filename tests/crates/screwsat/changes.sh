#!/bin/sh
# Makes the solver of the package screwsat checkpointable: `changes.sh FOLDER PC3`, PC3 being this crate's folder.
# Four lines of its library are new; in its program three are, and one is changed.
set -e
cd "$1"
sed -i "s|^\[dependencies\]|&\npc3 = { path = \"$2\" }|" Cargo.toml
printf '[workspace]\n' >> Cargo.toml
sed -i 's/^    pub struct Solver {/    #[derive(pc3::Checkpointable)]\n&/' src/lib.rs
sed -i 's/^        pub fn solve(/        #[pc3::checkpointable]\n&/' src/lib.rs
sed -i 's/^            let start = Instant::now();/            #[transient]\n&/' src/lib.rs
sed -i '/pub fn solve(/,/^        }/s/^            loop {/&\n                pc3::checkpoint!();/' src/lib.rs
sed -i 's/^use screwsat::/use pc3::prelude::*;\n&/' src/main.rs
sed -i 's/^fn main() {/#[pc3::main]\n&/' src/main.rs
sed -i 's/^    let output_file = rest_args/    #[reeval]\n&/' src/main.rs
sed -i 's/solver\.solve(None)/ck!(solver.solve(None))/' src/main.rs
