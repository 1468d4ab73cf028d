#!/bin/sh
# Takes the package pathfinding from crates.io, makes its search by iterative deepening checkpointable, lets it order three
# sliding puzzles, stopped at every three hundredth node, each time going on under the next of four architectures, and compares with the
# package as it is.
set -e
package=pathfinding=4.16.0
. "$(dirname "$0")/../common.sh"
fetched "$work/plain"
# Its benchmarks, tests and examples need packages that it does not.
rm -rf "$work/plain/benches" "$work/plain/tests" "$work/plain/examples"
sed -i '/^\[dev-dependencies/,/^$/d; /^\[\[/,/^$/d; /^autoexamples/d' "$work/plain/Cargo.toml"
mkdir "$work/plain/examples"
cp -r "$work/plain" "$work/ours"
printf '\n[workspace]\n' >> "$work/plain/Cargo.toml"
sh "$here/changes.sh" "$work/ours" "$root/runtime/rust"
cp "$here/main.rs" "$work/ours/examples/puzzle.rs"
sed '/^use pc3/d; /^#\[pc3/d; s/, Checkpointable//; s/ck!(\(.*\));$/\1;/' "$here/main.rs" > "$work/plain/examples/puzzle.rs"
build --example puzzle

cd "$work/run"
"$crates/plain/debug/examples/puzzle" > expected
travel "${EVERY:-300}" examples/puzzle
cmp expected found
echo "stopped $stops times, moved each time; the same as without pc3: $(grep moves found | tr '\n' ' ')"
