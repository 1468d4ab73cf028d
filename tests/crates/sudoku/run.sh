#!/bin/sh
# Takes the solver of the package sudoku from crates.io, makes it checkpointable, lets it find sixty solutions of a puzzle, stopped
# at every seventh guess, each time going on under the next of four architectures, and compares with the package as it is.
set -e
package=sudoku=0.8.0
. "$(dirname "$0")/../common.sh"
fetched "$work/plain"
# Its benchmarks and tests need packages that it does not.
rm -rf "$work/plain/benches" "$work/plain/tests" "$work/plain/examples"
sed -i '/^\[dev-dependencies/,/^$/d; /^\[\[/,/^$/d' "$work/plain/Cargo.toml"
mkdir "$work/plain/examples"
cp -r "$work/plain" "$work/ours"
printf '\n[workspace]\n' >> "$work/plain/Cargo.toml"
sh "$here/changes.sh" "$work/ours" "$root/runtime/rust"
cp "$here/main.rs" "$work/ours/examples/all.rs"
sed '/pc3/d; s/ck!(\(.*\)) {/\1 {/' "$here/main.rs" > "$work/plain/examples/all.rs"
build --example all

cd "$work/run"
"$crates/plain/debug/examples/all" > expected
travel "${EVERY:-7}" examples/all
cmp expected found
echo "stopped $stops times, moved each time; the same as without pc3: $(wc -l < found) solutions"
