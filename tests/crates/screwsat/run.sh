#!/bin/sh
# Takes the solver screwsat from crates.io, makes it checkpointable, lets it find out that eight pigeons do not fit into seven
# holes, stopped at every twentieth step, each time going on under the next of four architectures, and compares with the package as it is.
set -e
package=screwsat=1.0.1
. "$(dirname "$0")/../common.sh"
fetched "$work/plain"
cp -r "$work/plain" "$work/ours"
printf '[workspace]\n' >> "$work/plain/Cargo.toml"
sh "$here/changes.sh" "$work/ours" "$root/runtime/rust"
build

# Each pigeon is in a hole, and no two are in the same.
cd "$work/run"
awk 'BEGIN { n = 7; print "p cnf", (n + 1) * n, (n + 1) + n * (n + 1) * n / 2
    for (p = 0; p <= n; p++) { for (h = 1; h <= n; h++) printf "%d ", p * n + h; print 0 }
    for (h = 1; h <= n; h++) for (p = 0; p <= n; p++) for (q = p + 1; q <= n; q++) print -(p * n + h), -(q * n + h), 0 }' > pigeons.cnf
"$crates/plain/debug/screwsat" pigeons.cnf expected
travel "${EVERY:-20}" screwsat pigeons.cnf answer
cmp expected answer
echo "stopped $stops times, moved each time; the same as without pc3: $(cat answer)"
