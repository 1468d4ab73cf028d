#!/bin/sh
# Takes the package roots from crates.io, makes two of its methods checkpointable, lets them find the rates of four loans, stopped at
# every third step, each time going on under the next of four architectures, and compares with the package as it is, to the last digit.
set -e
package=roots=0.0.8
. "$(dirname "$0")/../common.sh"
fetched "$work/plain"
# Its benchmarks need packages that it does not.
sed -i '/^\[\[bench\]\]/,$d; s/^version = .*/&\nedition = "2021"/' "$work/plain/Cargo.toml"
mkdir -p "$work/plain/examples"
cp -r "$work/plain" "$work/ours"
printf '\n[workspace]\n' >> "$work/plain/Cargo.toml"
sh "$here/changes.sh" "$work/ours" "$root/runtime/rust"
cp "$here/main.rs" "$work/ours/examples/loans.rs"
sed '/^use pc3/d; /#\[pc3/d; s/ck!(\(.*\));$/\1;/' "$here/main.rs" > "$work/plain/examples/loans.rs"
build --example loans

cd "$work/run"
"$crates/plain/debug/examples/loans" > expected
travel "${EVERY:-3}" examples/loans
cmp expected found
echo "stopped $stops times, moved each time; the same as without pc3: $(tail -1 found)"
