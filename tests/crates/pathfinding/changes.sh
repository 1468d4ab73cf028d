#!/bin/sh
# Makes the search idastar of the package pathfinding checkpointable: `changes.sh FOLDER PC3`, PC3 being this crate's folder.
# Three lines of its library are new, two attributes and a location; five are changed, four bounds and a marked call; and a loop of
# eight lines stands for an iterator of sixteen, which called the search from a closure.
set -e
cd "$1"
sed -i "s|^\[dependencies.indexmap\]|[dependencies.pc3]\npath = \"$2\"\nfeatures = [\"indexmap\"]\n\n&|" Cargo.toml
printf '\n[workspace]\n' >> Cargo.toml
file=src/directed/idastar.rs
sed -i 's/^\(pub fn idastar\|fn search\)</#[pc3::checkpointable]\n&/' $file
sed -i 's/^    N: Eq + Clone + Hash,/    N: Eq + Clone + Hash + pc3::Checkpointable,/; s/^    C: Zero + Ord + Copy,/    C: Zero + Ord + Copy + pc3::Checkpointable,/' $file
sed -i 's/^    let neighbs = {/    pc3::checkpoint!();\n&/' $file
sed -i 's/match search(path, cost + extra, bound, successors, heuristic, success)?/match pc3::ck!(search(path, cost + extra, bound, successors, heuristic, success))?/' $file
sed -i '/^    std::iter::repeat(())$/,/^        .unwrap_or_default()/c\
    let mut bound = heuristic(start);\
    loop {\
        match pc3::ck!(search(\&mut path, Zero::zero(), bound, \&mut successors, \&mut heuristic, \&mut success)) {\
            ControlFlow::Break(found) => return Some(found),\
            ControlFlow::Continue(Some(next)) => bound = next,\
            ControlFlow::Continue(None) => return None,\
        }\
    }' $file
