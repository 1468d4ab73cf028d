//! Messages and requests that are in flight at a checkpoint, from one architecture to the next and
//! from one back end and number of workers to another: the result is that of an uninterrupted run.

#![allow(clippy::unwrap_used)]

#[path = "support/targets.rs"]
mod targets;

use std::fs;
use std::sync::OnceLock;

use targets::{build, runtime_dir, Built};

fn built() -> &'static [Built] {
    static BUILT: OnceLock<Vec<Built>> = OnceLock::new();
    BUILT.get_or_init(|| build(&["inflight"]))
}

/// Status, output, messages.
fn run(on: &Built, steps: &str, vars: &[(&str, &str)]) -> (Option<i32>, String, String) {
    let mut c = on.command("inflight");
    c.arg(steps).envs(vars.iter().copied());
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
    let samples = runtime_dir().join("../tests/samples");
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
                let what = format!("{} on {}: {}", sample.display(), on.name, got.2);
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
    let run = |on: &Built, vars: &[(&str, &str)]| run(on, "18", vars);
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
