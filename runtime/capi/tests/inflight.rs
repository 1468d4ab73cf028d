//! Messages and requests that are in flight at a checkpoint, from one architecture to the next and
//! from one back end and number of workers to another: the result is that of an uninterrupted run.

#![allow(clippy::unwrap_used)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

/// Rust's name, C compiler, emulator.
const TARGETS: [(&str, &str, Option<&str>); 4] = [
    ("x86_64-unknown-linux-gnu", "cc", None),
    (
        "s390x-unknown-linux-gnu",
        "s390x-linux-gnu-gcc",
        Some("qemu-s390x"),
    ),
    ("i686-unknown-linux-gnu", "i686-linux-gnu-gcc", None),
    (
        "aarch64-unknown-linux-gnu",
        "aarch64-linux-gnu-gcc",
        Some("qemu-aarch64"),
    ),
];

fn succeeds(c: &mut Command) -> bool {
    c.output().is_ok_and(|o| o.status.success())
}

/// The program for a target, if this machine can build and run it.
fn build(&(triple, cc, qemu): &(&str, &str, Option<&str>)) -> Option<Vec<PathBuf>> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join("programs");
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args([
        "build",
        "-q",
        "-p",
        "pc3-capi",
        "--features",
        "failpoints",
        "--target",
        triple,
    ]);
    let library = dir.join(triple).join("debug/libpc3rt.a");
    let program = dir.join(format!("inflight.{triple}"));
    let mut c = Command::new(cc);
    c.args([
        "-O2",
        "-fno-pie",
        "-no-pie",
        "-Wl,--wrap=main",
        "-static",
        "-I",
    ])
    .arg(here.join("../include"));
    c.arg(here.join("../tests/c/inflight.c")).arg(library);
    c.args(["-lpthread", "-ldl", "-lm", "-o"]).arg(&program);
    let runs = qemu.is_none_or(|q| succeeds(Command::new(q).arg("--version")));
    let made =
        runs && succeeds(cargo.arg("--target-dir").arg(&dir).current_dir(here)) && succeeds(&mut c);
    made.then(|| {
        qemu.map(PathBuf::from)
            .into_iter()
            .chain([program])
            .collect()
    })
}

fn built() -> &'static [Vec<PathBuf>] {
    static BUILT: OnceLock<Vec<Vec<PathBuf>>> = OnceLock::new();
    let built = BUILT.get_or_init(|| {
        let one = |t| {
            build(t).or_else(|| {
                eprintln!("SKIPPED: {}", t.0);
                None
            })
        };
        TARGETS.iter().filter_map(one).collect()
    });
    assert!(!built.is_empty(), "nothing could be built");
    built
}

/// Status, output, messages.
fn run(on: &[PathBuf], steps: &str, vars: &[(&str, &str)]) -> (Option<i32>, String, String) {
    let mut c = Command::new(&on[0]);
    c.args(&on[1..]).arg(steps).envs(vars.iter().copied());
    let out = c.output().unwrap();
    (
        out.status.code(),
        String::from_utf8_lossy(&out.stdout).into_owned(),
        String::from_utf8_lossy(&out.stderr).into_owned(),
    )
}

/// Checkpoints that an earlier version may have written, one format after the other.
#[test]
fn samples_of_all_formats_go_on() {
    let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/samples");
    let mut tried = 0;
    for format in fs::read_dir(samples).unwrap().flatten() {
        for arch in ["x86_64", "s390x"] {
            let sample = format.path().join(format!("inflight.{arch}.pc3c"));
            if !sample.exists() {
                continue;
            }
            for on in built() {
                let want = run(on, "6", &[("PC3_RANKS", "2")]);
                let dir = tempfile::tempdir().unwrap();
                fs::copy(&sample, dir.path().join("ckpt-000001.pc3c")).unwrap();
                let vars = [
                    ("PC3_DIR", dir.path().to_str().unwrap()),
                    ("PC3_RESTART", "latest"),
                ];
                let got = run(on, "6", &vars);
                let what = format!("{} on {on:?}: {}", sample.display(), got.2);
                assert_eq!((got.0, got.1), (Some(0), want.1), "{what}");
                tried += 1;
            }
        }
    }
    assert!(tried >= 2 * built().len());
}

#[test]
fn what_is_in_flight_moves_along() {
    let built = built();
    let run = |on: &[PathBuf], vars: &[(&str, &str)]| run(on, "18", vars);
    for ranks in ["1", "2", "5"] {
        let dir = tempfile::tempdir().unwrap();
        let dir = dir.path().to_str().unwrap();
        let want = run(&built[0], &[("PC3_RANKS", ranks)]);
        assert_eq!(want.0, Some(0), "{}", want.2);
        let mut restart = vec![("PC3_RANKS", ranks)];
        let how = [
            ("1", "threads"),
            ("3", "coroutines"),
            ("2", "threads"),
            ("4", "coroutines"),
        ];
        // Every 3rd of 18 locations: six stops at most, fewer if some rank was ahead.
        for hop in 0.. {
            let (workers, sched) = how[hop % how.len()];
            let mut vars = vec![
                ("PC3_DIR", dir),
                ("PC3_EVERY", "3x"),
                ("PC3_STOP_AFTER", "1"),
                ("PC3_WORKERS", workers),
                ("PC3_SCHED", sched),
            ];
            vars.append(&mut restart);
            let got = run(&built[hop % built.len()], &vars);
            restart = vec![("PC3_RESTART", "latest")];
            if got.0 == Some(85) {
                assert!(hop < 7, "it never ends");
                continue;
            }
            assert_eq!(
                (got.0, got.1),
                (want.0, want.1),
                "after {hop} hops: {}",
                got.2
            );
            assert!(hop >= 3, "only {hop} hops");
            break;
        }
    }
}
