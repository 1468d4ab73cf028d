#!/bin/sh
# Takes the package mos6502 from crates.io, makes it checkpointable, stops its program 60 times, each time going on under
# the other one of this machine's architecture and s390x, and compares with the package as it is.
set -e
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../../.." && pwd)
work=${CARGO_TARGET_DIR:-$root/target}/crates/mos6502
rm -rf "$work/plain" "$work/ours" "$work/run"
mkdir -p "$work/plain/src" "$work/ours/src" "$work/run"
export CARGO_TARGET_DIR="$work/target"
export CARGO_TARGET_S390X_UNKNOWN_LINUX_GNU_LINKER=s390x-linux-gnu-gcc
export CARGO_TARGET_S390X_UNKNOWN_LINUX_GNU_RUSTFLAGS="-C target-feature=+crt-static"

manifest() {
    printf '[package]\nname = "%s"\nversion = "0.1.0"\nedition = "2021"\n[workspace]\nexclude = ["mos6502"]\n[dependencies]\nmos6502 = "=0.6.2"\n' "$1"
}
manifest plain > "$work/plain/Cargo.toml"
sed '/pc3::prelude/d; s/#\[pc3::main\]//; s/ck!(\(.*\));/\1;/' "$here/main.rs" > "$work/plain/src/main.rs"
(cd "$work/plain" && cargo build --quiet)

package=$(cd "$work/plain" && cargo metadata --format-version 1 | tr '"' '\n' | grep '/mos6502-0.6.2/Cargo.toml$' | head -1)
cp -r "$(dirname "$package")" "$work/ours/mos6502"
rm -f "$work/ours/mos6502/Cargo.lock"
sh "$here/changes.sh" "$work/ours/mos6502" "$root/runtime/rust"
manifest ours > "$work/ours/Cargo.toml"
printf 'pc3 = { path = "%s" }\n[patch.crates-io]\nmos6502 = { path = "mos6502" }\n' "$root/runtime/rust" >> "$work/ours/Cargo.toml"
cp "$root/Cargo.lock" "$work/ours/Cargo.lock"
cp "$here/main.rs" "$work/ours/src/main.rs"
(cd "$work/ours" && cargo build --quiet && cargo build --quiet --target s390x-unknown-linux-gnu)

cd "$work/run"
"$CARGO_TARGET_DIR/debug/plain" > expected
here_exe="$CARGO_TARGET_DIR/debug/ours"
there_exe="qemu-s390x $CARGO_TARGET_DIR/s390x-unknown-linux-gnu/debug/ours"
export PC3_DIR=checkpoints PC3_EVERY=600x PC3_STOP_AFTER=1
status=0 stops=0
$there_exe > found || status=$?
while [ "$status" = 85 ]; do
    stops=$((stops + 1)) status=0
    if [ $((stops % 2)) = 0 ]; then next=$there_exe; else next=$here_exe; fi
    PC3_RESTART=latest $next >> found || status=$?
done
cmp expected found
echo "stopped $stops times, moved each time; the same as without pc3: $(cat found)"
