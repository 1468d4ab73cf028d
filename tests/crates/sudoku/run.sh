#!/bin/sh
# Takes the solver of the package sudoku from crates.io, makes it checkpointable, lets it find sixty solutions of a puzzle, stopped
# at every seventh guess, each time going on under the next of four architectures, and compares with the package as it is.
set -e
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../../.." && pwd)
work=${CARGO_TARGET_DIR:-$root/target}/crates/sudoku
rm -rf "$work/fetch" "$work/plain" "$work/ours" "$work/run"
mkdir -p "$work/fetch/src" "$work/run"
export CARGO_TARGET_DIR="$work/target"
for gnu in s390x i686 aarch64; do
    upper=$(echo $gnu | tr a-z A-Z)_UNKNOWN_LINUX_GNU
    export "CARGO_TARGET_${upper}_LINKER=$gnu-linux-gnu-gcc"
    export "CARGO_TARGET_${upper}_RUSTFLAGS=-C target-feature=+crt-static"
done

printf '[package]\nname = "fetch"\nversion = "0.1.0"\nedition = "2021"\n[workspace]\n[dependencies]\nsudoku = "=0.8.0"\n' > "$work/fetch/Cargo.toml"
: > "$work/fetch/src/lib.rs"
package=$(cd "$work/fetch" && cargo metadata --quiet --format-version 1 | tr '"' '\n' | grep '/sudoku-0.8.0/Cargo.toml$' | head -1)
cp -r "$(dirname "$package")" "$work/plain"
# Its benchmarks and tests need packages that it does not.
rm -rf "$work"/plain/Cargo.lock "$work"/plain/benches "$work"/plain/tests "$work"/plain/examples
sed -i '/^\[dev-dependencies/,/^$/d; /^\[\[/,/^$/d' "$work/plain/Cargo.toml"
mkdir "$work/plain/examples"
cp -r "$work/plain" "$work/ours"
printf '\n[workspace]\n' >> "$work/plain/Cargo.toml"
cp "$here/main.rs" "$work/ours/examples/all.rs"
sed '/pc3/d; s/ck!(\(.*\)) {/\1 {/' "$here/main.rs" > "$work/plain/examples/all.rs"
sh "$here/changes.sh" "$work/ours" "$root/runtime/rust"
cp "$root/Cargo.lock" "$work/ours/Cargo.lock"
(cd "$work/plain" && cargo build --quiet --target-dir "$work/target/plain" --example all)
(cd "$work/ours" && cargo build --quiet --example all)
for gnu in s390x i686 aarch64; do
    (cd "$work/ours" && cargo build --quiet --example all --target $gnu-unknown-linux-gnu)
done

cd "$work/run"
"$work/target/plain/debug/examples/all" > expected
built() {
    case $1 in
    0) echo "$CARGO_TARGET_DIR/debug/examples/all" ;;
    1) echo "qemu-s390x $CARGO_TARGET_DIR/s390x-unknown-linux-gnu/debug/examples/all" ;;
    2) echo "$CARGO_TARGET_DIR/i686-unknown-linux-gnu/debug/examples/all" ;;
    3) echo "qemu-aarch64 $CARGO_TARGET_DIR/aarch64-unknown-linux-gnu/debug/examples/all" ;;
    esac
}
export PC3_DIR=checkpoints PC3_EVERY=${EVERY:-7}x PC3_STOP_AFTER=1
status=0 stops=0
$(built 0) > found || status=$?
while [ "$status" = 85 ]; do
    stops=$((stops + 1)) status=0
    PC3_RESTART=latest $(built $((stops % 4))) >> found || status=$?
done
cmp expected found
echo "stopped $stops times, moved each time; the same as without pc3: $(wc -l < found) solutions"
