#!/bin/sh
# Takes the exact cover solver dlx-rs from crates.io, makes it checkpointable, lets its example count the solutions of the problem
# of the queens, stopped at every thirtieth solution, each time going on under the next of four architectures, and compares with the package as it is.
set -e
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../../.." && pwd)
work=${CARGO_TARGET_DIR:-$root/target}/crates/dlx-rs
rm -rf "$work/fetch" "$work/plain" "$work/ours" "$work/run"
mkdir -p "$work/fetch/src" "$work/run"
export CARGO_TARGET_DIR="$work/target"
for gnu in s390x i686 aarch64; do
    upper=$(echo $gnu | tr a-z A-Z)_UNKNOWN_LINUX_GNU
    export "CARGO_TARGET_${upper}_LINKER=$gnu-linux-gnu-gcc"
    export "CARGO_TARGET_${upper}_RUSTFLAGS=-C target-feature=+crt-static"
done

printf '[package]\nname = "fetch"\nversion = "0.1.0"\nedition = "2021"\n[workspace]\n[dependencies]\ndlx-rs = "=1.3.0"\n' > "$work/fetch/Cargo.toml"
: > "$work/fetch/src/lib.rs"
package=$(cd "$work/fetch" && cargo metadata --quiet --format-version 1 | tr '"' '\n' | grep '/dlx-rs-1.3.0/Cargo.toml$' | head -1)
cp -r "$(dirname "$package")" "$work/plain"
# Its benchmarks, and one of its examples, need packages that it does not.
rm -rf "$work"/plain/Cargo.lock "$work"/plain/benches "$work"/plain/examples/aztec.rs
sed -i '/^\[\[bench\]\]/,/^$/d; /^\[dev-dependencies/,/^$/d; /^\[\[example\]\]/{N;/aztec/{N;d}}' "$work/plain/Cargo.toml"
cp -r "$work/plain" "$work/ours"
printf '\n[workspace]\n' >> "$work/plain/Cargo.toml"
sh "$here/changes.sh" "$work/ours" "$root/runtime/rust"
cp "$root/Cargo.lock" "$work/ours/Cargo.lock"
(cd "$work/plain" && cargo build --quiet --target-dir "$work/target/plain" --example queens)
(cd "$work/ours" && cargo build --quiet --example queens)
for gnu in s390x i686 aarch64; do
    (cd "$work/ours" && cargo build --quiet --example queens --target $gnu-unknown-linux-gnu)
done

cd "$work/run"
"$work/target/plain/debug/examples/queens" > expected
built() {
    case $1 in
    0) echo "$CARGO_TARGET_DIR/debug/examples/queens" ;;
    1) echo "qemu-s390x $CARGO_TARGET_DIR/s390x-unknown-linux-gnu/debug/examples/queens" ;;
    2) echo "$CARGO_TARGET_DIR/i686-unknown-linux-gnu/debug/examples/queens" ;;
    3) echo "qemu-aarch64 $CARGO_TARGET_DIR/aarch64-unknown-linux-gnu/debug/examples/queens" ;;
    esac
}
export PC3_DIR=checkpoints PC3_EVERY=${EVERY:-30}x PC3_STOP_AFTER=1
status=0 stops=0
$(built 0) > found || status=$?
while [ "$status" = 85 ]; do
    stops=$((stops + 1)) status=0
    PC3_RESTART=latest $(built $((stops % 4))) >> found || status=$?
done
cmp expected found
echo "stopped $stops times, moved each time; the same as without pc3: $(tail -1 found)"
