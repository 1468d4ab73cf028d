#!/bin/sh
# Takes the package mos6502 from crates.io, makes it checkpointable, stops a program for it 60 times, each time going on under
# the next of four architectures, and compares with the package as it is.
set -e
package=mos6502=0.6.2
. "$(dirname "$0")/../common.sh"
mkdir -p "$work/plain/src" "$work/ours/src"
fetched "$work/plain/mos6502"
cp -r "$work/plain/mos6502" "$work/ours/mos6502"
sh "$here/changes.sh" "$work/ours/mos6502" "$root/runtime/rust"
for each in plain ours; do
    printf '[package]\nname = "computer"\nversion = "0.1.0"\nedition = "2021"\n[workspace]\nexclude = ["mos6502"]\n[dependencies]\nmos6502 = { path = "mos6502" }\n' > "$work/$each/Cargo.toml"
done
printf 'pc3 = { path = "%s" }\n' "$root/runtime/rust" >> "$work/ours/Cargo.toml"
cp "$here/main.rs" "$work/ours/src/main.rs"
sed '/pc3::prelude/d; s/#\[pc3::main\]//; s/ck!(\(.*\));/\1;/' "$here/main.rs" > "$work/plain/src/main.rs"
build

cd "$work/run"
"$crates/plain/debug/computer" > expected
travel "${EVERY:-600}" computer
cmp expected found
echo "stopped $stops times, moved each time; the same as without pc3: $(cat found)"
