#!/bin/sh
# Makes the exact cover solver of the package dlx-rs checkpointable: `changes.sh FOLDER PC3`, PC3 being this crate's folder.
# Seven lines of its library are new, derives all; of its example `queens` two are, and one is changed.
set -e
cd "$1"
printf '\n[dependencies]\npc3 = { path = "%s" }\n[workspace]\n' "$2" >> Cargo.toml
for type in 'enum Link' 'struct OptionElement' 'struct Spacer' 'struct Item' 'pub struct Solver' 'enum Stage'; do
    sed -i "s/^$type\b/#[derive(pc3::Checkpointable)]\n&/" src/solver.rs
done
sed -i 's/^pub struct Queens/#[derive(pc3::Checkpointable)]\n&/' src/queens.rs
sed -i 's/^use dlx_rs::/use pc3::prelude::*;\n&/' examples/queens.rs
sed -i 's/^fn main() {/#[pc3::main]\n&/' examples/queens.rs
sed -i 's/^        let nq = q.count();/        let mut nq = 0; for _ in q { nq += 1; checkpoint!(); }/' examples/queens.rs
