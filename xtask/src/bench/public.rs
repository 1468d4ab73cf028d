//! Programs that others wrote, from Debian's sources and by their own builds: instructions with a location in what they do
//! over and over ÷ the plain compiler's, less those of a run that has nothing to do. No checkpoint is taken.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{ensure, Result};
use serde_json::{json, Value};

use super::{callgrind, Setup};
use crate::{env, sources};

struct Public {
    /// Debian's package.
    package: &'static str,
    location: &'static str,
    /// For a shell in a copy of the sources: `$CC` compiles, `$AT` is for the link.
    build: &'static str,
    exe: &'static str,
    /// What it is run with; with nothing to do.
    args: &'static [&'static str],
    idle: &'static [&'static str],
}

const ALL: &[Public] = &[
    Public {
        package: "gawk",
        location: "do_print",
        build: "./configure --quiet --disable-extensions --disable-nls --without-mpfr --without-readline CC=\"$CC\" CFLAGS=-O2 LDFLAGS=\"$AT\"
            touch *.c && make -C support && make gawk",
        exe: "gawk",
        args: &["-f", "words.awk"],
        idle: &["BEGIN { }"],
    },
    Public {
        package: "lua5.4",
        location: "luaB_print",
        build: "make -C src lua CC=\"$CC\" MYCFLAGS=-DLUA_USE_POSIX MYLDFLAGS=\"$AT\" MYLIBS=",
        exe: "src/lua",
        args: &["objects.lua", "1000"],
        idle: &["-e", "return"],
    },
    Public {
        package: "jq",
        location: "process",
        build: "autoreconf -i && ./configure --quiet --disable-docs --disable-maintainer-mode --without-oniguruma --disable-shared \\
                CC=\"$CC\" CFLAGS=-O2 LDFLAGS=\"$AT\"
            make src/builtin.inc && make jq",
        exe: "jq",
        args: &["-n", "[range(1500) | {k: \"a\\(. % 17)\", v: .}] | group_by(.k) | map({k: .[0].k, s: (map(.v) | add)}) | sort_by(.s)"],
        idle: &["-n", "1"],
    },
    Public {
        package: "libzstd",
        location: "ZSTD_compress_frameChunk",
        build: "make -C programs zstd CC=\"$CC\" LDFLAGS=\"$AT\" HAVE_THREAD=0 HAVE_ZLIB=0 HAVE_LZMA=0 HAVE_LZ4=0 ZSTD_NO_ASM=1",
        exe: "programs/zstd",
        args: &["-9", "-f", "-q", "text", "-o", "text.zst"],
        idle: &["--version"],
    },
    Public {
        package: "suitesparse",
        location: "umfdi_kernel",
        build: "make -C SuiteSparse_config static CC=\"$CC\" CUDA=no
            make -C AMD/Lib static CC=\"$CC\" CUDA=no
            make -C UMFPACK/Lib static CC=\"$CC\" CUDA=no UMFPACK_CONFIG='-DNBLAS -DNCHOLMOD'
            $CC $AT -O2 -IUMFPACK/Include -IAMD/Include -ISuiteSparse_config ../laplace.c -o laplace \\
                UMFPACK/Lib/libumfpack.a AMD/Lib/libamd.a SuiteSparse_config/libsuitesparseconfig.a -lm",
        exe: "laplace",
        args: &["40"],
        idle: &["1"],
    },
    Public {
        package: "quickjs",
        location: "js_print",
        build: "make qjs CONFIG_LTO= CC=\"$CC\" LDFLAGS=\"$AT\"",
        exe: "qjs",
        args: &["objects.js", "4"],
        idle: &["-e", "0"],
    },
];

pub fn run(s: &Setup) -> Result<Value> {
    let place = s.work.join("public");
    fs::create_dir_all(&place)?;
    let inputs = env::root().join("tests/bench/public");
    for e in fs::read_dir(&inputs)?.flatten() {
        fs::copy(e.path(), place.join(e.file_name()))?;
    }
    let text: String = (0..30_000u32)
        .map(|i| format!("{} {}\n", i % 977, i * i % 1013))
        .collect();
    fs::write(place.join("text"), text)?;
    println!(
        "{:14} {:>14} {:>14} {:>8}  (less a run with nothing to do)",
        "program", "plain instr", "pc3 instr", "ratio"
    );
    let mut rows = Vec::new();
    for p in ALL {
        match row(s, p, &place) {
            Ok(row) => rows.push(row),
            Err(e) => println!("{:14} skipped: {e:#}", p.package),
        }
    }
    Ok(json!(rows))
}

fn row(s: &Setup, p: &Public, place: &Path) -> Result<Value> {
    let from = sources::one(p.package)?;
    let pc3cc = s.tree.join("bin/pc3cc");
    let at = format!("--checkpoint-at={}", p.location);
    let plain = built(
        p,
        &from,
        &place.join(format!("{}.plain", p.package)),
        ("gcc", ""),
    )?;
    let ours = built(
        p,
        &from,
        &place.join(format!("{}.pc3", p.package)),
        (&pc3cc.to_string_lossy(), &at),
    )?;
    let count = |exe: &Path, args: &[&str]| -> Result<u64> {
        let mut c = Command::new(exe);
        c.args(args).current_dir(place);
        Ok(callgrind::instructions(&c, &place.join("callgrind.out"), &[])?.1)
    };
    let said = |exe: &Path| Command::new(exe).args(p.args).current_dir(place).output();
    let (a, b) = (said(&plain)?, said(&ours)?);
    ensure!(
        a.status.success() && a.stdout == b.stdout,
        "they do not say the same"
    );
    let work = |exe: &Path| Ok::<_, anyhow::Error>(count(exe, p.args)? - count(exe, p.idle)?);
    let (pi, oi) = (work(&plain)?, work(&ours)?);
    let ratio = oi as f64 / pi as f64;
    println!("{:14} {pi:14} {oi:14} {ratio:8.4}", p.package);
    Ok(
        json!({ "program": p.package, "plain_instructions": pi, "pc3_instructions": oi, "instruction_ratio": ratio }),
    )
}

fn built(p: &Public, from: &Path, to: &Path, (cc, at): (&str, &str)) -> Result<PathBuf> {
    let _ = fs::remove_dir_all(to);
    env::run(Command::new("cp").arg("-a").arg(from).arg(to))?;
    let log = fs::File::create(to.with_extension("log"))?;
    let done = Command::new("sh")
        .args(["-ec", p.build])
        .env("CC", cc)
        .env("AT", at)
        .env("MAKEFLAGS", "-j2")
        .current_dir(to)
        .stdin(Stdio::null())
        .stdout(log.try_clone()?)
        .stderr(log)
        .status()?;
    ensure!(
        done.success(),
        "its build failed: {}",
        to.with_extension("log").display()
    );
    Ok(to.join(p.exe))
}
