//! A program whose checkpoints hold what has changed since the last one: killed at every step of a commit, with full disks
//! and damaged packs, moved, gone on from an older one.

#![allow(clippy::unwrap_used)]

#[path = "support/place.rs"]
#[allow(dead_code)]
mod place;
#[path = "support/targets.rs"]
mod targets;

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;
use std::sync::OnceLock;

use place::Place;
use targets::{build, Built};

fn built() -> &'static [Built] {
    static BUILT: OnceLock<Vec<Built>> = OnceLock::new();
    BUILT.get_or_init(|| build(&["walk"]))
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

fn run(place: &Place, on: &Built, vars: &[(&str, &str)]) -> place::Ran {
    // What lies in which pack is not to depend on this machine's speed.
    let increments = [("PC3_INCREMENTS", "on"), ("PC3_COMPRESS", "off")];
    place.run(on, &[&increments, vars].concat())
}

fn finishes_equal(place: &Place, on: &Built, vars: &[(&str, &str)], what: &str) -> String {
    let ran = run(place, on, vars);
    assert_eq!(ran.status, Some(7), "{what}: {}", ran.stderr);
    assert!(place.outputs() == *expected(), "{what}: output differs");
    ran.stderr
}

fn packs(place: &Place) -> Vec<PathBuf> {
    let names = place.leftovers().into_iter();
    let packs = names.filter(|n| n.ends_with(".pc3p"));
    let mut packs: Vec<_> = packs.map(|n| place.path("ckpt").join(n)).collect();
    packs.sort();
    packs
}

/// Nothing is there but checkpoints and packs that they name.
fn only_what_is_named(place: &Place, what: &str) {
    use pc3_runtime::format::sections::Sections;
    let mut named = BTreeSet::new();
    for path in place.checkpoints() {
        let packs = Sections::open(&path).unwrap().packs().unwrap();
        named.extend(packs.iter().map(|p| p.file_name()));
    }
    let there: BTreeSet<String> = place.leftovers().into_iter().collect();
    assert_eq!(there, named, "{what}");
}

const WAYS: [&str; 2] = ["sync", "async"];

#[test]
fn checkpoints_on_the_way_change_nothing() {
    for on in built() {
        for commit in WAYS {
            let place = Place::new();
            let vars = [("PC3_EVERY", "5x"), ("PC3_COMMIT", commit)];
            finishes_equal(&place, on, &vars, on.name);
            assert_eq!(place.checkpoints().len(), 2);
            assert!(!packs(&place).is_empty());
            only_what_is_named(&place, commit);
        }
    }
}

#[test]
fn moves_around_all_targets_and_back() {
    for first in 0..built().len() {
        let place = Place::new();
        let stop = [("PC3_EVERY", "9x"), ("PC3_STOP_AFTER", "3")];
        assert_eq!(run(&place, &built()[first], &stop).status, Some(85));
        for hop in 1..=built().len() * 2 {
            let on = &built()[(first + hop) % built().len()];
            let ran = run(&place, on, &[stop[0], stop[1], ("PC3_RESTART", "latest")]);
            assert_eq!(ran.status, Some(85), "{}: {}", on.name, ran.stderr);
        }
        let (on, vars) = (&built()[first], [("PC3_RESTART", "latest")]);
        finishes_equal(&place, on, &vars, on.name);
    }
}

#[test]
fn a_crash_at_any_step_of_a_commit_leaves_a_usable_checkpoint() {
    let packs = ["pack.created", "pack.written", "pack.synced"];
    let steps = [
        "created", "written", "synced", "renamed", "durable", "pruned",
    ];
    let steps = steps.map(|step| format!("commit.{step}"));
    for step in steps.iter().map(String::as_str).chain(packs) {
        for commit in WAYS {
            let place = Place::new();
            let fail = format!("{step}@4");
            let vars = [
                ("PC3_EVERY", "9x"),
                ("PC3_FAIL", &fail),
                ("PC3_COMMIT", commit),
            ];
            let ran = run(&place, &built()[0], &vars);
            assert_eq!(ran.status, None, "{step}: killed");
            let again = [("PC3_RESTART", "latest"), ("PC3_EVERY", "20x")];
            finishes_equal(&place, &built()[0], &again, step);
            only_what_is_named(&place, step);
        }
    }
}

#[test]
fn a_full_disk_is_reported_and_the_program_goes_on() {
    for step in ["pack.created", "pack.written", "pack.synced"] {
        let place = Place::new();
        let fail = format!("{step}@2:enospc");
        let vars = [("PC3_EVERY", "30x"), ("PC3_FAIL", &fail)];
        let said = finishes_equal(&place, &built()[0], &vars, step);
        assert!(said.contains("No space left"), "{said}");
        only_what_is_named(&place, step);
    }
}

/// A job stopped after three checkpoints.
fn stopped() -> Place {
    let place = Place::new();
    let vars = [("PC3_EVERY", "30x"), ("PC3_STOP_AFTER", "3")];
    let ran = run(&place, &built()[0], &vars);
    assert_eq!(ran.status, Some(85), "{}", ran.stderr);
    place
}

#[test]
fn damaged_cut_and_missing_packs_are_named() {
    let place = stopped();
    let newest = packs(&place).pop().unwrap();
    let name = newest.file_name().unwrap().to_str().unwrap();
    assert_eq!(name, "pack-000003-0.pc3p");
    let good = fs::read(&newest).unwrap();
    let (out, log) = place.outputs();
    let n = good.len();
    let mut cases: Vec<(String, Option<Vec<u8>>)> = vec![("missing".to_owned(), None)];
    for at in [0, 9, 16, 24, 33, 100, 4095, 4096, 4097, n / 2, n - 1] {
        let mut bad = good.clone();
        bad[at] ^= 0x10;
        cases.push((format!("byte {at}"), Some(bad)));
    }
    for at in [0, 1, 4096, n - 1] {
        cases.push((format!("cut at {at}"), Some(good[..at].to_vec())));
    }
    for (what, bad) in cases {
        match bad {
            Some(bad) => fs::write(&newest, bad).unwrap(),
            None => fs::remove_file(&newest).unwrap(),
        }
        let _ = fs::remove_file(newest.with_file_name("course"));
        fs::write(place.path("out"), &out).unwrap();
        fs::write(place.path("log"), &log).unwrap();
        let said = finishes_equal(&place, &built()[0], &[("PC3_RESTART", "latest")], &what);
        assert!(
            said.contains("ckpt-000003.pc3c is skipped") && said.contains(name),
            "{what}: {said}"
        );
    }
    let ran = run(&place, &built()[0], &[("PC3_RESTART", "3")]);
    assert_eq!(ran.status, Some(88), "{}", ran.stderr);
    assert!(
        ran.stderr.contains("rank 0: walk.c:field"),
        "{}",
        ran.stderr
    );
}

/// An older one, and on from there; without increments; with them again.
#[test]
fn another_course_and_the_other_form() {
    let place = stopped();
    let go = |id, increments, stop| {
        let vars = [
            ("PC3_RESTART", id),
            ("PC3_EVERY", "11x"),
            ("PC3_STOP_AFTER", stop),
            ("PC3_INCREMENTS", increments),
        ];
        let ran = place.run(&built()[0], &vars);
        assert_eq!(ran.status, Some(85), "{}", ran.stderr);
    };
    go("2", "on", "2");
    assert!(!place.path("ckpt/ckpt-000003.pc3c").exists());
    assert!(!place.path("ckpt/pack-000003-0.pc3p").exists());
    go("latest", "on", "1");
    go("latest", "off", "2");
    assert!(packs(&place).is_empty(), "whole checkpoints name none");
    go("latest", "on", "1");
    finishes_equal(&place, &built()[0], &[("PC3_RESTART", "latest")], "at last");
}

#[test]
fn a_copy_of_the_directory_goes_on_and_a_file_alone_does_not() {
    let place = stopped();
    let copy = place.path("copy");
    fs::create_dir(&copy).unwrap();
    for name in place
        .leftovers()
        .into_iter()
        .filter(|n| n.ends_with("pc3p"))
    {
        fs::rename(place.path("ckpt").join(&name), copy.join(&name)).unwrap();
    }
    let ran = run(&place, &built()[0], &[("PC3_RESTART", "latest")]);
    assert_eq!(ran.status, Some(88), "{}", ran.stderr);
    let missing = "pack-000003-0.pc3p is missing";
    assert!(ran.stderr.contains(missing), "{}", ran.stderr);
    for path in place.checkpoints() {
        fs::copy(&path, copy.join(path.file_name().unwrap())).unwrap();
    }
    let vars = [
        ("PC3_RESTART", "latest"),
        ("PC3_DIR", copy.to_str().unwrap()),
    ];
    finishes_equal(&place, &built()[0], &vars, "the copy");
}
