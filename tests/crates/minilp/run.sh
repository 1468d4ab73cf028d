#!/bin/sh
# Takes the package minilp from crates.io, makes its simplex solver checkpointable, lets it solve three transport problems, stopped at
# every fifth pivot, each time going on under the next of four architectures, and compares with the package as it is, to the last digit.
set -e
package=minilp=0.2.2
. "$(dirname "$0")/../common.sh"
fetched "$work/plain"
# Its tests and examples need packages that it does not.
rm -rf "$work/plain/examples"
sed -i '/^\[dev-dependencies/,/^$/d' "$work/plain/Cargo.toml"
mkdir "$work/plain/examples"
cp -r "$work/plain" "$work/ours"
printf '\n[workspace]\n' >> "$work/plain/Cargo.toml"
sh "$here/changes.sh" "$work/ours" "$root/runtime/rust"
cp "$here/main.rs" "$work/ours/examples/transport.rs"
sed '/^use pc3/d; /#\[pc3/d; /#\[reeval\]/d; s/ck!(\(.*\)) {$/\1 {/' "$here/main.rs" > "$work/plain/examples/transport.rs"
build --example transport

cd "$work/run"
"$crates/plain/debug/examples/transport" > expected
travel "${EVERY:-5}" examples/transport
cmp expected found
echo "stopped $stops times, moved each time; the same as without pc3: $(grep month found | tr '\n' ' ')"
