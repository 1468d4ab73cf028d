# What the run.sh of each package shares; sourced with $package (NAME=VERSION) set. Gives $here, $root, $work and the functions.
# $MACHINES are the architectures besides this machine's.
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../../.." && pwd)
name=${package%=*} version=${package#*=}
others=${MACHINES-s390x i686 aarch64}
crates=${CARGO_TARGET_DIR:-$root/target}/crates
work=$crates/$name
rm -rf "$work/fetch" "$work/plain" "$work/ours" "$work/run"
mkdir -p "$work/fetch/src" "$work/run"
# What they have in common is built once, as it is for the suites of packages in Rust (tests/suites/rust.rs), whose place this is.
export CARGO_TARGET_DIR="${crates%/crates}/rustgen/target" CARGO_PROFILE_DEV_DEBUG=false
for gnu in $others; do
    upper=$(echo $gnu | tr a-z A-Z)_UNKNOWN_LINUX_GNU
    export "CARGO_TARGET_${upper}_LINKER=$gnu-linux-gnu-gcc"
    export "CARGO_TARGET_${upper}_RUSTFLAGS=-C target-feature=+crt-static"
done

# fetched DIR: the package as crates.io has it, in DIR, without the lock file that names packages of another time; ends with 77
# where crates.io is out of reach.
fetched() {
    printf '[package]\nname = "fetch"\nversion = "0.1.0"\nedition = "2021"\n[workspace]\n[dependencies]\n%s = "=%s"\n' \
        "$name" "$version" > "$work/fetch/Cargo.toml"
    : > "$work/fetch/src/lib.rs"
    (cd "$work/fetch" && cargo metadata --quiet --format-version 1 > metadata) || exit 77
    manifest=$(tr '"' '\n' < "$work/fetch/metadata" | grep "/$name-$version/Cargo.toml\$" | head -1)
    cp -r "$(dirname "$manifest")" "$1"
    rm -f "$1/Cargo.lock"
}

# build [OPTION…]: what is in $work/plain for this machine, what is in $work/ours for all four architectures.
build() {
    cp "$root/Cargo.lock" "$work/ours/Cargo.lock"
    (cd "$work/plain" && cargo build --quiet --target-dir "$crates/plain" "$@")
    (cd "$work/ours" && cargo build --quiet "$@")
    for gnu in $others; do
        (cd "$work/ours" && cargo build --quiet "$@" --target $gnu-unknown-linux-gnu)
    done
}

# built K PROGRAM: the command that runs the program on the Kth of the architectures, counted round and round.
built() {
    at=$(($1 % $(echo x86_64 $others | wc -w)))
    [ $at = 0 ] && echo "$CARGO_TARGET_DIR/debug/$2" && return
    gnu=$(echo $others | cut -d' ' -f$at)
    case $gnu in i686) emulator= ;; *) emulator="qemu-$gnu " ;; esac
    echo "$emulator$CARGO_TARGET_DIR/$gnu-unknown-linux-gnu/debug/$2"
}

# travel EVERY PROGRAM [ARGUMENT…]: stopped at every EVERYth location, each time going on under the next architecture, to the
# end; its output is added to $work/run/found. Sets $stops.
travel() {
    export PC3_DIR=checkpoints PC3_EVERY="$1x" PC3_STOP_AFTER=1
    program=$2
    shift 2
    status=0 stops=0
    $(built 0 "$program") "$@" >> found || status=$?
    while [ "$status" = 85 ]; do
        stops=$((stops + 1)) status=0
        PC3_RESTART=latest $(built $stops "$program") "$@" >> found || status=$?
    done
    [ "$status" = 0 ] && [ "$stops" -gt 0 ]
}
