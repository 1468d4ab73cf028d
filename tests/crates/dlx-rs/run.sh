#!/bin/sh
# Takes the exact cover solver dlx-rs from crates.io, makes it checkpointable, lets its example count the solutions of the problem
# of the queens, stopped at every thirtieth solution, each time going on under the next of four architectures, and compares with the package as it is.
set -e
package=dlx-rs=1.3.0
. "$(dirname "$0")/../common.sh"
fetched "$work/plain"
# Its benchmarks, and one of its examples, need packages that it does not.
rm -rf "$work/plain/benches" "$work/plain/examples/aztec.rs"
sed -i '/^\[\[bench\]\]/,/^$/d; /^\[dev-dependencies/,/^$/d; /^\[\[example\]\]/{N;/aztec/{N;d}}' "$work/plain/Cargo.toml"
cp -r "$work/plain" "$work/ours"
printf '\n[workspace]\n' >> "$work/plain/Cargo.toml"
sh "$here/changes.sh" "$work/ours" "$root/runtime/rust"
build --example queens

cd "$work/run"
"$crates/plain/debug/examples/queens" > expected
travel "${EVERY:-30}" examples/queens
cmp expected found
echo "stopped $stops times, moved each time; the same as without pc3: $(tail -1 found)"
