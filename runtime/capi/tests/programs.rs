//! Hand-instrumented C programs linked with libpc3rt.a: killed, stopped and restarted, on this ABI
//! and others, with damaged checkpoints, crashes during a commit and full disks.

#![allow(clippy::unwrap_used)]

#[path = "support/place.rs"]
mod place;
#[path = "support/targets.rs"]
mod targets;

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::OnceLock;

use place::Place;
use targets::{build, runtime_dir, works, Built};

fn built() -> &'static [Built] {
    static BUILT: OnceLock<Vec<Built>> = OnceLock::new();
    BUILT.get_or_init(|| build(&["walk", "library", "ring"]))
}

/// What the uninterrupted run prints and writes.
fn expected() -> &'static (String, String) {
    static EXPECTED: OnceLock<(String, String)> = OnceLock::new();
    EXPECTED.get_or_init(|| {
        let place = Place::new();
        assert_eq!(place.run(&built()[0], &[]).status, Some(7));
        place.outputs()
    })
}

fn finishes_equal(place: &Place, on: &Built, vars: &[(&str, &str)], what: &str) -> String {
    let ran = place.run(on, vars);
    assert_eq!(ran.status, Some(7), "{what}: {}", ran.stderr);
    assert!(place.outputs() == *expected(), "{what}: output differs");
    ran.stderr
}

#[test]
fn checkpoints_on_the_way_change_nothing() {
    for on in built() {
        let place = Place::new();
        finishes_equal(&place, on, &[("PC3_EVERY", "5x")], on.name);
        assert_eq!(place.checkpoints().len(), 2);
        assert_eq!(place.leftovers(), Vec::<String>::new());
    }
}

#[test]
fn every_checkpoint_of_a_while_can_be_continued() {
    for k in 1..=25 {
        let place = Place::new();
        let k = k.to_string();
        let ran = place.run(&built()[0], &[("PC3_EVERY", "3x"), ("PC3_STOP_AFTER", &k)]);
        assert_eq!(ran.status, Some(85), "{}", ran.stderr);
        let said = finishes_equal(&place, &built()[0], &[("PC3_RESTART", "latest")], &k);
        assert_eq!(said, "");
    }
}

#[test]
fn moves_around_all_targets_and_back() {
    for first in 0..built().len() {
        let place = Place::new();
        let stop = [("PC3_EVERY", "23x"), ("PC3_STOP_AFTER", "1")];
        assert_eq!(place.run(&built()[first], &stop).status, Some(85));
        for hop in 1..=built().len() * 2 {
            let on = &built()[(first + hop) % built().len()];
            let ran = place.run(on, &[stop[0], stop[1], ("PC3_RESTART", "latest")]);
            assert_eq!(ran.status, Some(85), "{}: {}", on.name, ran.stderr);
        }
        finishes_equal(
            &place,
            &built()[first],
            &[("PC3_RESTART", "latest")],
            built()[first].name,
        );
    }
}

fn copy_packs(from: &Path, to: &Path) {
    for entry in fs::read_dir(from).unwrap().flatten() {
        if entry.path().extension().is_some_and(|e| e == "pc3p") {
            fs::copy(entry.path(), to.join(entry.file_name())).unwrap();
        }
    }
}

/// Checkpoints that an earlier version may have written, one format after the other.
#[test]
fn samples_of_all_formats_go_on() {
    let samples = runtime_dir().join("../tests/samples");
    let mut tried = 0;
    for format in fs::read_dir(samples).unwrap().flatten() {
        for arch in ["x86_64", "s390x"] {
            let sample = format.path().join(format!("walk.{arch}.pc3c"));
            if !sample.exists() {
                continue;
            }
            for on in built() {
                let whole = Place::library(&["8", "log"]);
                let whole = Place {
                    walk: true,
                    ..whole
                };
                let status = whole.run(on, &[]).status;
                let (out, log) = whole.outputs();
                let place = Place::new();
                fs::create_dir(place.path("ckpt")).unwrap();
                fs::copy(&sample, place.path("ckpt/ckpt-000004.pc3c")).unwrap();
                copy_packs(&format.path(), &place.path("ckpt"));
                fs::write(place.path("log"), &log).unwrap();
                let ran = place.run(on, &[("PC3_RESTART", "latest")]);
                let what = format!("{} on {}: {}", sample.display(), on.name, ran.stderr);
                assert_eq!(ran.status, status, "{what}");
                let (rest, again) = place.outputs();
                assert_eq!(again, log, "{what}");
                // The output of before is in another file.
                assert!(
                    !rest.is_empty() && out.ends_with(&rest),
                    "{what}\n{out}\n{rest}"
                );
                tried += 1;
            }
        }
    }
    assert!(tried >= 2 * built().len());
}

#[test]
fn time_alone_asks_for_checkpoints() {
    let place = Place::new();
    let vars = [("PC3_EVERY", "50ms"), ("WALK_SLOWLY", "1")];
    finishes_equal(&place, &built()[0], &vars, "every 50 ms");
    assert!(!place.checkpoints().is_empty());
}

#[test]
fn files_strings_and_callbacks_move_along() {
    let files = |place: &Place| {
        ["out", "append", "update"].map(|f| fs::read_to_string(place.path(f)).unwrap())
    };
    let reference = Place::library(&["in"]);
    assert_eq!(reference.run(&built()[0], &[]).status, Some(3));
    for n in 1..=4 {
        let place = Place::library(&["in"]);
        let stop = n.to_string();
        let vars = [("PC3_EVERY", "5x"), ("PC3_STOP_AFTER", &stop)];
        let ran = place.run(&built()[0], &vars);
        assert_eq!(ran.status, Some(85), "{}", ran.stderr);
        let on = &built()[n % built().len()];
        let ran = place.run(
            on,
            &[
                ("PC3_EVERY", "3x"),
                ("PC3_STOP_AFTER", "1"),
                ("PC3_RESTART", "latest"),
            ],
        );
        assert!(
            matches!(ran.status, Some(85 | 3)),
            "{}: {}",
            on.name,
            ran.stderr
        );
        if ran.status == Some(85) {
            let ran = place.run(&built()[0], &[("PC3_RESTART", "latest")]);
            assert_eq!(ran.status, Some(3), "{}", ran.stderr);
        }
        assert_eq!(files(&place), files(&reference));
    }
}

#[test]
fn ranks_of_an_mpi_program_move_along() {
    let ring = || Place {
        library: Some(&["60"]),
        ring: true,
        ..Place::new()
    };
    for ranks in ["1", "2", "7"] {
        let reference = ring();
        assert_eq!(
            reference.run(&built()[0], &[("PC3_RANKS", ranks)]).status,
            Some(5)
        );
        for first in 0..built().len() {
            let place = ring();
            let stop = [
                ("PC3_EVERY", "11x"),
                ("PC3_STOP_AFTER", "1"),
                ("PC3_WORKERS", "3"),
            ];
            let ran = place.run(
                &built()[first],
                &[stop[0], stop[1], stop[2], ("PC3_RANKS", ranks)],
            );
            assert_eq!(ran.status, Some(85), "{}", ran.stderr);
            let next = &built()[(first + 1) % built().len()];
            let ran = place.run(
                next,
                &[
                    stop[0],
                    stop[1],
                    ("PC3_RESTART", "latest"),
                    ("PC3_WORKERS", "2"),
                ],
            );
            assert_eq!(ran.status, Some(85), "{}: {}", next.name, ran.stderr);
            let ran = place.run(next, &[("PC3_RESTART", "latest"), ("PC3_RANKS", "5")]);
            assert_eq!(ran.status, Some(89), "{}: {}", next.name, ran.stderr);
            let last = &built()[(first + 2) % built().len()];
            let ran = place.run(last, &[("PC3_RESTART", "latest")]);
            assert_eq!(ran.status, Some(5), "{}: {}", last.name, ran.stderr);
            assert_eq!(
                fs::read(place.path("out")).unwrap(),
                fs::read(reference.path("out")).unwrap()
            );
        }
    }
}

#[test]
fn untyped_memory_stays_on_its_abi() {
    let reference = Place::library(&["in", "untyped"]);
    assert_eq!(reference.run(&built()[0], &[]).status, Some(3));
    let place = Place::library(&["in", "untyped"]);
    assert_eq!(
        place
            .run(&built()[0], &[("PC3_EVERY", "5x"), ("PC3_STOP_AFTER", "2")])
            .status,
        Some(85)
    );
    for on in &built()[1..] {
        let ran = place.run(on, &[("PC3_RESTART", "latest")]);
        assert_eq!(ran.status, Some(89), "{}: {}", on.name, ran.stderr);
        assert!(ran.stderr.contains("untyped"), "{}", ran.stderr);
    }
    assert_eq!(
        place.run(&built()[0], &[("PC3_RESTART", "latest")]).status,
        Some(3)
    );
    assert_eq!(
        fs::read(place.path("out")).unwrap(),
        fs::read(reference.path("out")).unwrap()
    );
}

/// A job stopped after three checkpoints.
fn stopped() -> Place {
    let place = Place::new();
    let ran = place.run(
        &built()[0],
        &[("PC3_EVERY", "30x"), ("PC3_STOP_AFTER", "3")],
    );
    assert_eq!(ran.status, Some(85), "{}", ran.stderr);
    place
}

#[test]
fn damaged_and_cut_checkpoints_are_skipped() {
    let place = stopped();
    let newest = place.checkpoints().pop().unwrap();
    let good = fs::read(&newest).unwrap();
    let (out, log) = place.outputs();
    let n = good.len();
    let damage: Vec<usize> = (0..40)
        .map(|i| i * n / 40)
        .chain([7, 9, 16, 60, n - 1, n - 20, n - 44])
        .collect();
    let cuts: Vec<usize> = (0..12)
        .map(|i| i * n / 12)
        .chain([1, 63, 64, n - 1, n - 8])
        .collect();
    let mut cases: Vec<(String, Vec<u8>)> = Vec::new();
    for at in damage {
        let mut bad = good.clone();
        bad[at] ^= 0x10;
        cases.push((format!("byte {at}"), bad));
    }
    cases.extend(
        cuts.into_iter()
            .map(|at| (format!("cut at {at}"), good[..at].to_vec())),
    );
    for (what, bad) in cases {
        fs::write(&newest, &bad).unwrap();
        // What the restart of the case before gave up.
        let _ = fs::remove_file(newest.with_file_name("course"));
        fs::write(place.path("out"), &out).unwrap();
        fs::write(place.path("log"), &log).unwrap();
        let said = finishes_equal(&place, &built()[0], &[("PC3_RESTART", "latest")], &what);
        assert!(
            said.contains("ckpt-000003.pc3c is skipped"),
            "{what}: {said}"
        );
    }
    let ran = place.run(&built()[0], &[("PC3_RESTART", "3")]);
    assert_eq!(ran.status, Some(88), "{}", ran.stderr);
}

#[test]
fn a_crash_at_any_step_of_a_commit_leaves_a_usable_checkpoint() {
    for step in [
        "created", "written", "synced", "renamed", "durable", "pruned",
    ] {
        let place = Place::new();
        let fail = format!("commit.{step}@4");
        let ran = place.run(&built()[0], &[("PC3_EVERY", "9x"), ("PC3_FAIL", &fail)]);
        assert_eq!(ran.status, None, "{step}: killed");
        finishes_equal(&place, &built()[0], &[("PC3_RESTART", "latest")], step);
        assert_eq!(place.leftovers(), Vec::<String>::new(), "{step}");
    }
}

/// The program has gone on, and its end waits.
#[test]
fn a_crash_behind_the_ranks_costs_one_checkpoint() {
    for step in ["created", "written", "synced"] {
        let place = Place::new();
        let fail = format!("commit.{step}@3:late");
        let ran = place.run(&built()[0], &[("PC3_EVERY", "9x"), ("PC3_FAIL", &fail)]);
        assert_eq!(ran.status, None, "{step}: killed");
        assert_eq!(place.checkpoints().len(), 2, "{step}");
        finishes_equal(&place, &built()[0], &[("PC3_RESTART", "latest")], step);
        assert_eq!(place.leftovers(), Vec::<String>::new(), "{step}");
    }
}

#[test]
fn the_end_waits_for_the_last_checkpoint() {
    let left = |commit| {
        let place = Place::new();
        let vars = [
            ("PC3_EVERY", "200x"),
            ("PC3_COMMIT", commit),
            ("PC3_FAIL", "commit.written:slow"),
        ];
        finishes_equal(&place, &built()[0], &vars, "at the end");
        assert_eq!(place.leftovers(), Vec::<String>::new());
        let all = place.checkpoints().into_iter();
        all.map(|p| p.file_name().map(ToOwned::to_owned))
            .collect::<Vec<_>>()
    };
    let there = left("async");
    assert!(!there.is_empty());
    assert_eq!(there, left("sync"));
}

#[test]
fn a_full_disk_is_reported_and_the_program_goes_on() {
    let place = Place::new();
    let vars = [
        ("PC3_EVERY", "30x"),
        ("PC3_FAIL", "commit.created@2:enospc"),
    ];
    let said = finishes_equal(&place, &built()[0], &vars, "full disk");
    assert!(
        said.contains("no checkpoint was taken") && said.contains("No space left"),
        "{said}"
    );
    assert_eq!(place.leftovers(), Vec::<String>::new());
}

#[test]
fn refusals() {
    let here = &built()[0];
    let check = |place: &Place, on: &Built, vars: &[(&str, &str)], status: i32, words: &str| {
        let ran = place.run(on, vars);
        assert_eq!(ran.status, Some(status), "{vars:?}: {}", ran.stderr);
        assert!(ran.stderr.contains(words), "{vars:?}: {}", ran.stderr);
    };
    let empty = Place::new();
    check(
        &empty,
        here,
        &[("PC3_RESTART", "latest")],
        88,
        "no usable checkpoint",
    );
    check(
        &empty,
        here,
        &[("PC3_EVERY", "often")],
        86,
        "PC3_EVERY=often",
    );
    check(&empty, here, &[("PC3_RANKS", "4")], 86, "does not call MPI");
    fs::write(empty.path("file"), "").unwrap();
    let file = empty.path("file/x");
    check(
        &empty,
        here,
        &[("PC3_EVERY", "5x"), ("PC3_DIR", file.to_str().unwrap())],
        87,
        "file/x",
    );
    check(
        &stopped(),
        here,
        &[("PC3_RESTART", "17")],
        88,
        "no checkpoint 17",
    );

    // Another program.
    let place = stopped();
    let other = Built {
        folder: place.path(""),
        library: here.library.clone(),
        ..*here
    };
    other.compile("walk", &["-DOTHER"]);
    let words = "global walk.c:added exists only in this program";
    check(&place, &other, &[("PC3_RESTART", "latest")], 89, words);

    // A value that does not fit.
    if let Some(narrow) = built().iter().find(|b| b.name == "i686") {
        let place = Place::new();
        let vars = [
            ("PC3_EVERY", "30x"),
            ("PC3_STOP_AFTER", "1"),
            ("WALK_BIG", "1"),
        ];
        assert_eq!(place.run(here, &vars).status, Some(85));
        let went_on = "what a run elsewhere went on to write\n".repeat(50);
        fs::write(place.path("log"), went_on).unwrap();
        let before = place.outputs();
        check(
            &place,
            narrow,
            &[("PC3_RESTART", "latest")],
            89,
            "heap object 'struct node'.weight: 50000000",
        );
        assert_eq!(place.outputs(), before, "a refused restart changes no file");
    }
}

#[test]
fn a_running_job_holds_its_directory_and_takes_requests() {
    let place = Place::new();
    let mut command = place.command(&built()[0], &[("WALK_SLOWLY", "1")]);
    let mut first = command.stderr(Stdio::piped()).spawn().unwrap();
    // It is ready when it has printed something.
    let wait = |done: &dyn Fn() -> bool| {
        for _ in 0..3000 {
            if done() {
                return;
            }
            std::thread::sleep(std::time::Duration::from_millis(10));
        }
        panic!("nothing happened");
    };
    wait(&|| fs::metadata(place.path("out")).is_ok_and(|m| m.len() > 0));
    let holder = pc3_runtime::store::holder(&place.path("ckpt"))
        .unwrap()
        .unwrap();
    assert_eq!(holder.pid, i32::try_from(first.id()).unwrap());
    let second = place.run(&built()[0], &[]);
    assert_eq!(second.status, Some(87), "{}", second.stderr);
    assert!(
        second.stderr.contains("in use by a running job"),
        "{}",
        second.stderr
    );
    let signal = |number: i32| {
        // The shell's own: the program is in a package that a machine may lack.
        let kill = format!("kill -{number} {}", first.id());
        assert!(works(Command::new("sh").args(["-c", &kill])));
    };
    signal(holder.signal.unwrap());
    wait(&|| place.checkpoints().len() == 1);
    signal(libc::SIGUSR2);
    assert_eq!(first.wait().unwrap().code(), Some(85));
    assert_eq!(
        pc3_runtime::store::holder(&place.path("ckpt")).unwrap(),
        None
    );
    let said = finishes_equal(
        &place,
        &built()[0],
        &[("PC3_RESTART", "latest")],
        "after a request",
    );
    std::io::stderr().write_all(said.as_bytes()).unwrap();
}
