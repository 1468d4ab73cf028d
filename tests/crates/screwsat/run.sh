#!/bin/sh
# Takes the solver screwsat from crates.io, makes it checkpointable, lets it find out that eight pigeons do not fit into seven
# holes, stopped at every twentieth step, each time going on under the next of four architectures, and compares with the package as it is.
set -e
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../../.." && pwd)
work=${CARGO_TARGET_DIR:-$root/target}/crates/screwsat
rm -rf "$work/fetch" "$work/plain" "$work/ours" "$work/run"
mkdir -p "$work/fetch/src" "$work/run"
export CARGO_TARGET_DIR="$work/target"
for gnu in s390x i686 aarch64; do
    upper=$(echo $gnu | tr a-z A-Z)_UNKNOWN_LINUX_GNU
    export "CARGO_TARGET_${upper}_LINKER=$gnu-linux-gnu-gcc"
    export "CARGO_TARGET_${upper}_RUSTFLAGS=-C target-feature=+crt-static"
done

printf '[package]\nname = "fetch"\nversion = "0.1.0"\nedition = "2021"\n[workspace]\n[dependencies]\nscrewsat = "=1.0.1"\n' > "$work/fetch/Cargo.toml"
: > "$work/fetch/src/lib.rs"
package=$(cd "$work/fetch" && cargo metadata --quiet --format-version 1 | tr '"' '\n' | grep '/screwsat-1.0.1/Cargo.toml$' | head -1)
cp -r "$(dirname "$package")" "$work/plain"
cp -r "$work/plain" "$work/ours"
rm -f "$work"/plain/Cargo.lock "$work"/ours/Cargo.lock
printf '[workspace]\n' >> "$work/plain/Cargo.toml"
sh "$here/changes.sh" "$work/ours" "$root/runtime/rust"
cp "$root/Cargo.lock" "$work/ours/Cargo.lock"
(cd "$work/plain" && cargo build --quiet --target-dir "$work/target/plain")
(cd "$work/ours" && cargo build --quiet)
for gnu in s390x i686 aarch64; do
    (cd "$work/ours" && cargo build --quiet --target $gnu-unknown-linux-gnu)
done

# Each pigeon is in a hole, and no two are in the same.
cd "$work/run"
awk 'BEGIN { n = 7; print "p cnf", (n + 1) * n, (n + 1) + n * (n + 1) * n / 2
    for (p = 0; p <= n; p++) { for (h = 1; h <= n; h++) printf "%d ", p * n + h; print 0 }
    for (h = 1; h <= n; h++) for (p = 0; p <= n; p++) for (q = p + 1; q <= n; q++) print -(p * n + h), -(q * n + h), 0 }' > pigeons.cnf
"$work/target/plain/debug/screwsat" pigeons.cnf expected
built() {
    case $1 in
    0) echo "$CARGO_TARGET_DIR/debug/screwsat" ;;
    1) echo "qemu-s390x $CARGO_TARGET_DIR/s390x-unknown-linux-gnu/debug/screwsat" ;;
    2) echo "$CARGO_TARGET_DIR/i686-unknown-linux-gnu/debug/screwsat" ;;
    3) echo "qemu-aarch64 $CARGO_TARGET_DIR/aarch64-unknown-linux-gnu/debug/screwsat" ;;
    esac
}
export PC3_DIR=checkpoints PC3_EVERY=${EVERY:-20}x PC3_STOP_AFTER=1
status=0 stops=0
$(built 0) pigeons.cnf found || status=$?
while [ "$status" = 85 ]; do
    stops=$((stops + 1)) status=0
    PC3_RESTART=latest $(built $((stops % 4))) pigeons.cnf found || status=$?
done
cmp expected found
echo "stopped $stops times, moved each time; the same as without pc3: $(cat found)"
