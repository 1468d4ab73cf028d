//! The command `pc3` on checkpoints made by hand.
#![allow(clippy::unwrap_used)]

mod sample;

use std::io::Write;
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::time::Duration;

use expect_test::{expect, Expect};
use pc3_runtime::store::{Stalls, Store};
use pc3_typemetric::abi::Abi;

fn pc3(dir: &Path, args: &str) -> (i32, String, String) {
    let out = Command::new(env!("CARGO_BIN_EXE_pc3"))
        .args(args.split_whitespace())
        .current_dir(dir)
        .env_remove("PC3_DIR")
        .output()
        .unwrap();
    let text = |b: Vec<u8>| String::from_utf8(b).unwrap();
    (
        out.status.code().unwrap(),
        text(out.stdout),
        text(out.stderr),
    )
}

fn folder(ids: &[u64], abi: &Abi) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    std::fs::create_dir(dir.path().join("list.pc3")).unwrap();
    for id in ids {
        sample::write(&dir.path().join("list.pc3"), *id, abi);
    }
    dir
}

fn check(dir: &Path, args: &str, status: i32, expect: Expect) {
    let (got, out, err) = pc3(dir, args);
    expect.assert_eq(&format!("{out}{err}"));
    assert_eq!(got, status, "{args}");
}

#[test]
fn one_state_of_two_architectures_is_equal() {
    let dir = folder(&[3], &Abi::X86_64);
    let other = folder(&[3], &Abi::S390X);
    let to = |dir: &tempfile::TempDir| dir.path().join("list.pc3").display().to_string();
    let args = format!("diff {} {}", to(&dir), to(&other));
    check(
        dir.path(),
        &args,
        0,
        expect![[r#"
        1: checkpoint 3 of list, 2027-01-15 08:00:00 UTC, x86_64, passage 7
        2: checkpoint 3 of list, 2027-01-15 08:00:00 UTC, s390x, passage 7

        rank 0: equal (9 variables, 3 objects behind pointers, 304 B)

        rank 1: equal (5 variables, 0 objects behind pointers, 64 B)
    "#]],
    );
    check(
        dir.path(),
        "diff 3 4",
        2,
        expect![[r#"
        pc3: list.pc3: no checkpoint 4 in it; it has 3
    "#]],
    );
}

/// Names and the heads that NumPy reads, and what is behind them.
fn arrays(file: &Path) -> String {
    let mut zip = zip::ZipArchive::new(std::fs::File::open(file).unwrap()).unwrap();
    let mut out = String::new();
    for n in 0..zip.len() {
        let mut entry = zip.by_index(n).unwrap();
        let mut bytes = Vec::new();
        std::io::Read::read_to_end(&mut entry, &mut bytes).unwrap();
        let length = usize::from(u16::from_le_bytes([bytes[8], bytes[9]]));
        let (head, rest) = bytes.split_at(10 + length);
        assert_eq!((&head[..8], head.len() % 64), (&b"\x93NUMPY\x01\0"[..], 0));
        let text = std::str::from_utf8(&head[10..]).unwrap();
        out.push_str(&format!("{} {}", entry.name(), text.trim_end()));
        out.push_str(&format!(" {} bytes\n", rest.len()));
    }
    out
}

#[test]
fn export() {
    for (abi, expect) in [
        (
            Abi::X86_64,
            expect![[r#"
            rank0.end.npy {'descr': '<u8', 'fortran_order': False, 'shape': (), } 8 bytes
            rank0.head.npy {'descr': [('key', '<i4'), ('', '|V4'), ('next', '<u8'), ('w', '<f8', (2,)), ('', '|V8')], 'fortran_order': False, 'shape': (), } 40 bytes
            rank0.heap.2.npy {'descr': '<f8', 'fortran_order': False, 'shape': (20,), } 160 bytes
            rank0.list.c:name.npy {'descr': '|S24', 'fortran_order': False, 'shape': (), } 24 bytes
            rank0.list.c:step.seen.npy {'descr': '<u8', 'fortran_order': False, 'shape': (2,), } 16 bytes
            rank0.main.list.npy {'descr': [('key', '<i4'), ('', '|V4'), ('next', '<u8'), ('w', '<f8', (2,)), ('', '|V8')], 'fortran_order': False, 'shape': (), } 40 bytes
            rank0.main.n.npy {'descr': '<i4', 'fortran_order': False, 'shape': (), } 4 bytes
            rank0.main.sum.npy {'descr': '<f8', 'fortran_order': False, 'shape': (), } 8 bytes
            rank0.main.x.npy {'descr': '<f8', 'fortran_order': False, 'shape': (), } 8 bytes
            rank0.message.npy {'descr': '<u8', 'fortran_order': False, 'shape': (), } 8 bytes
        "#]],
        ),
        (
            Abi::S390X,
            expect![[r#"
            rank0.end.npy {'descr': '>u8', 'fortran_order': False, 'shape': (), } 8 bytes
            rank0.head.npy {'descr': [('key', '>i4'), ('', '|V4'), ('next', '>u8'), ('w', '>f8', (2,)), ('', '|V8')], 'fortran_order': False, 'shape': (), } 40 bytes
            rank0.heap.2.npy {'descr': '>f8', 'fortran_order': False, 'shape': (20,), } 160 bytes
            rank0.list.c:name.npy {'descr': '|S24', 'fortran_order': False, 'shape': (), } 24 bytes
            rank0.list.c:step.seen.npy {'descr': '>u8', 'fortran_order': False, 'shape': (2,), } 16 bytes
            rank0.main.list.npy {'descr': [('key', '>i4'), ('', '|V4'), ('next', '>u8'), ('w', '>f8', (2,)), ('', '|V8')], 'fortran_order': False, 'shape': (), } 40 bytes
            rank0.main.n.npy {'descr': '>i4', 'fortran_order': False, 'shape': (), } 4 bytes
            rank0.main.sum.npy {'descr': '>f8', 'fortran_order': False, 'shape': (), } 8 bytes
            rank0.main.x.npy {'descr': '>f8', 'fortran_order': False, 'shape': (), } 8 bytes
            rank0.message.npy {'descr': '>u8', 'fortran_order': False, 'shape': (), } 8 bytes
        "#]],
        ),
    ] {
        let dir = folder(&[3], &abi);
        let (status, out, _) = pc3(dir.path(), "export --rank 0 -o a.npz");
        assert_eq!((status, &*out), (0, "a.npz: 10 arrays\n"));
        expect.assert_eq(&arrays(&dir.path().join("a.npz")));
        let (status, _, err) = pc3(dir.path(), "export -o missing/a.npz");
        assert_eq!(status, 1);
        assert!(err.contains("missing/a.npz: No such file"), "{err}");
    }
}

#[test]
fn show() {
    let dir = folder(&[3], &Abi::X86_64);
    check(
        dir.path(),
        "show 3",
        0,
        expect![[r#"
            checkpoint 3 of list, 2027-01-15 08:00:00 UTC
            2 ranks on 2 workers, x86_64, passage 7, protocol barrier, 3.3 KiB, written by pc3 test

            rank 0, passage 7
              stack, innermost first
                #0 list.c:step at list.c:11, checkpoint
                #1 main at list.c:40, calls step
                  n: int = -5
                  list: struct node * = &heap[1]
                  x: double = 0.1
                  sum: double = 2.5
              globals
                head: struct node * = &heap[0]
                list.c:name: char[24] = "a \"list\""
                message: char * = "hello\n"
                list.c:step.seen: void *[2] = {&list.c:step, 0x999 (no object)}
                end: double * = &heap[2][20] (one past the end)
              heap: 3 objects, 240 B
                double: 1 object, 160 B
                struct node: 2 objects, 80 B
                heap[0]: struct node = {
                  key = 1
                  next = &heap[1]
                  w = {0.5, -2.0}
                  red = -2
                  blue = 1027
                  i = -1
                  u = 4294967295
                }
                heap[1]: struct node = {
                  key = 2
                  next = null
                  w = {1e300, inf}
                  red = -2
                  blue = 1027
                  i = -1
                  u = 4294967295
                }
                heap[2]: double[20] = {0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 11.0, … 8 more}
              files
                stdout at byte 12 of 12

            1 other rank: --rank R
        "#]],
    );
}

#[test]
fn every_abi_shows_the_same_values() {
    let tree = |abi: &Abi| {
        let dir = folder(&[3], abi);
        let (status, text, err) = pc3(dir.path(), "show");
        assert_eq!((status, err.as_str()), (0, ""));
        let (_, body) = text.split_once("rank 0").unwrap();
        // Sizes differ, as they should.
        body.lines()
            .filter(|l| !l.contains("object"))
            .collect::<Vec<_>>()
            .join("\n")
    };
    let first = tree(&Abi::X86_64);
    assert!(first.contains("blue = 1027"));
    for abi in Abi::PRESETS {
        assert_eq!(tree(&abi), first, "{}", abi.name);
    }
}

#[test]
fn json() {
    let dir = folder(&[3], &Abi::S390X);
    let (status, out, _) = pc3(dir.path(), "show --json");
    assert_eq!(status, 0);
    let all: serde_json::Value = serde_json::from_str(&out).unwrap();
    let rank = &all["rank"][0];
    let check = |pointer: &str, expect: Expect| {
        expect.assert_eq(&rank.pointer(pointer).unwrap().to_string())
    };
    assert_eq!(all["rank"].as_array().unwrap().len(), 2);
    assert_eq!(all["rank"][1]["finished"], 3);
    check(
        "/frames/1/variables",
        expect![[
            r#"{"n":{"type":"int","value":-5},"list":{"type":"struct node *","value":{"to":"heap[1]","path":""}},"x":{"type":"double","value":0.1},"sum":{"type":"double","value":2.5}}"#
        ]],
    );
    check(
        "/globals/head",
        expect![[r#"{"type":"struct node *","value":{"to":"heap[0]","path":""}}"#]],
    );
    check(
        "/globals/end/value",
        expect![[r#"{"to":"heap[2]","path":"[20] (one past the end)"}"#]],
    );
    check(
        "/globals/list.c:step.seen/value",
        expect![[r#"[{"function":"list.c:step"},{"address":"0x999"}]"#]],
    );
    check(
        "/heap/object/1/value",
        expect![[
            r#"{"key":2,"next":null,"w":[1e+300,"inf"],"red":-2,"blue":1027,"i":-1,"u":4294967295}"#
        ]],
    );
    check("/heap/object/2/value/19", expect!["19.0"]);
}

#[test]
fn ls() {
    let dir = folder(&[3, 4, 12], &Abi::I686);
    let damaged = dir.path().join("list.pc3/ckpt-000004.pc3c");
    let bytes = std::fs::read(&damaged).unwrap();
    std::fs::write(damaged, &bytes[..bytes.len() - 1]).unwrap();
    check(
        dir.path(),
        "ls",
        0,
        expect![[r#"
            ID  TIME (UTC)           PROGRAM  RANKS  ABI   DATA   SIZE     STATE
            3   2027-01-15 08:00:00  list     2      i686  468 B  3.3 KiB  complete
            4   -                    -        -      -     -      3.3 KiB  incomplete: the end is missing
            12  2027-01-15 08:00:00  list     2      i686  468 B  3.3 KiB  complete
        "#]],
    );
    check(
        dir.path(),
        "show 5",
        1,
        expect![[r#"
        pc3: list.pc3: no checkpoint 5 in it; it has 3, 4, 12
    "#]],
    );
    check(
        dir.path(),
        "show 4",
        1,
        expect![[r#"
        pc3: list.pc3/ckpt-000004.pc3c: incomplete: the end is missing
    "#]],
    );
    check(
        dir.path(),
        "show 3 --rank 2",
        1,
        expect![[r#"
        pc3: list.pc3/ckpt-000003.pc3c: it has ranks 0 to 1, no rank 2
    "#]],
    );
    check(
        dir.path(),
        "show nothing",
        1,
        expect![[r#"
        pc3: nothing: neither a checkpoint's id nor a file or directory
    "#]],
    );
    check(
        dir.path(),
        "checkpoint list.pc3",
        1,
        expect![[r#"
        pc3: no job runs in list.pc3
    "#]],
    );
    check(
        dir.path(),
        "checkpoint 999999999",
        1,
        expect![[r#"
        pc3: there is no process 999999999
    "#]],
    );
    let empty = tempfile::tempdir().unwrap();
    check(
        empty.path(),
        "ls",
        1,
        expect![[r#"
        pc3: there is no *.pc3 directory here; name one, or set PC3_DIR
    "#]],
    );
    check(
        empty.path(),
        "ls .",
        1,
        expect![[r#"
        pc3: .: no checkpoints in it
    "#]],
    );
    std::fs::create_dir(empty.path().join("a.pc3")).unwrap();
    std::fs::create_dir(empty.path().join("b.pc3")).unwrap();
    check(
        empty.path(),
        "verify",
        1,
        expect![[r#"
        pc3: there are several checkpoint directories here: a.pc3, b.pc3; name one
    "#]],
    );
}

/// What is said to be given up is what a restart does not take.
#[test]
fn ls_says_what_a_restart_takes() {
    let dir = folder(&[1, 2, 3], &Abi::X86_64);
    let course = dir.path().join("list.pc3/course");
    std::fs::write(&course, "1 3\n").unwrap();
    check(
        dir.path(),
        "ls",
        0,
        expect![[r#"
            ID  TIME (UTC)           PROGRAM  RANKS  ABI     DATA   SIZE     STATE
            1   2027-01-15 08:00:00  list     2      x86_64  520 B  3.3 KiB  complete
            2   2027-01-15 08:00:00  list     2      x86_64  520 B  3.3 KiB  complete, given up
            3   2027-01-15 08:00:00  list     2      x86_64  520 B  3.3 KiB  complete, given up
        "#]],
    );
    let (_, out, _) = pc3(dir.path(), "show");
    assert!(out.starts_with("checkpoint 1 of list"), "{out}");
    std::fs::remove_file(dir.path().join("list.pc3/ckpt-000001.pc3c")).unwrap();
    check(
        dir.path(),
        "ls",
        0,
        expect![[r#"
            ID  TIME (UTC)           PROGRAM  RANKS  ABI     DATA   SIZE     STATE
            2   2027-01-15 08:00:00  list     2      x86_64  520 B  3.3 KiB  complete
            3   2027-01-15 08:00:00  list     2      x86_64  520 B  3.3 KiB  complete
        "#]],
    );
    // A run that began afresh, and has none.
    std::fs::write(&course, "0 3\n").unwrap();
    check(
        dir.path(),
        "ls",
        0,
        expect![[r#"
            ID  TIME (UTC)           PROGRAM  RANKS  ABI     DATA   SIZE     STATE
            2   2027-01-15 08:00:00  list     2      x86_64  520 B  3.3 KiB  complete, of an earlier run
            3   2027-01-15 08:00:00  list     2      x86_64  520 B  3.3 KiB  complete, of an earlier run
            the last run to begin here has no checkpoint yet: a restart goes on from 3
        "#]],
    );
    sample::write(&dir.path().join("list.pc3"), 4, &Abi::X86_64);
    let (_, out, _) = pc3(dir.path(), "ls");
    assert_eq!(out.matches("complete, given up").count(), 2, "{out}");
}

#[test]
fn verify_finds_every_flipped_bit_and_every_truncation() {
    let dir = folder(&[1], &Abi::X86_64);
    let path = dir.path().join("list.pc3/ckpt-000001.pc3c");
    let good = std::fs::read(&path).unwrap();
    check(
        dir.path(),
        "verify list.pc3",
        0,
        expect![[r#"
            list.pc3/ckpt-000001.pc3c: good (checkpoint 1, 2 ranks, 3.3 KiB)
        "#]],
    );
    let step = 37;
    for at in (0..good.len()).step_by(step) {
        let mut bad = good.clone();
        bad[at] ^= 1 << (at % 8);
        std::fs::write(&path, &bad).unwrap();
        let (status, out, _) = pc3(dir.path(), "verify 1");
        assert_eq!(status, 1, "byte {at}: {out}");
        assert!(
            out.contains("damaged")
                || out.contains("not a pc3")
                || out.contains("version")
                || out.contains("incomplete"),
            "{out}"
        );
        std::fs::write(&path, &good[..at]).unwrap();
        assert_eq!(pc3(dir.path(), "verify 1").0, 1, "length {at}");
    }
}

/// Two checkpoints of a program on two architectures, which share packs.
fn series() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    let to = dir.path().join("walk.pc3");
    std::fs::create_dir(&to).unwrap();
    let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/samples/v3");
    for entry in std::fs::read_dir(samples).unwrap().flatten() {
        let name = entry.file_name().into_string().unwrap();
        let name = match &*name {
            "walk.x86_64.pc3c" => "ckpt-000002.pc3c",
            "walk.s390x.pc3c" => "ckpt-000004.pc3c",
            pack => pack,
        };
        std::fs::copy(entry.path(), to.join(name)).unwrap();
    }
    dir
}

fn names(dir: &Path) -> Vec<String> {
    let all = std::fs::read_dir(dir).unwrap().flatten();
    let mut names: Vec<_> = all.map(|e| e.file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn stat() {
    check(
        series().path(),
        "stat",
        0,
        expect![[r#"
            ID  DATA      NEW                 SIZE      CHUNKS  COMPRESSED  PATCHES  PACKS
            2   31.9 KiB  8.6 KiB (27.1 %)    26.8 KiB  3       0           2        2
            4   32.4 KiB  32.4 KiB (100.0 %)  22.3 KiB  3       1           0        1

            PACK                SIZE      IN USE    CHECKPOINTS
            pack-000001-0.pc3p  44.0 KiB  32.0 KiB  2
            pack-000002-0.pc3p  20.0 KiB  16.0 KiB  2
            pack-000004-0.pc3p  16.0 KiB  12.0 KiB  4
            3 in all            80.0 KiB  60.0 KiB
        "#]],
    );
    let dir = folder(&[3], &Abi::X86_64);
    check(
        dir.path(),
        "stat",
        0,
        expect![[r#"
        ID  DATA   NEW              SIZE     CHUNKS  COMPRESSED  PATCHES  PACKS
        3   520 B  520 B (100.0 %)  3.3 KiB  -       -           -        -
    "#]],
    );
}

#[test]
fn gc_removes_what_nobody_names() {
    let dir = series();
    let walk = dir.path().join("walk.pc3");
    let before = names(&walk);
    for left in [
        ".ckpt-000005.tmp",
        "pack-000005-1.pc3p",
        "pack-000004-7.pc3p",
    ] {
        std::fs::write(walk.join(left), "left").unwrap();
    }
    std::fs::write(walk.join("notes"), "mine").unwrap();
    check(
        dir.path(),
        "gc walk.pc3",
        0,
        expect![[r#"
            .ckpt-000005.tmp: 4 B
            pack-000004-7.pc3p: 4 B
            pack-000005-1.pc3p: 4 B
            removed 3 files, 12 B
        "#]],
    );
    std::fs::remove_file(walk.join("notes")).unwrap();
    assert_eq!(names(&walk), before);
    std::fs::remove_file(walk.join("ckpt-000004.pc3c")).unwrap();
    check(
        dir.path(),
        "gc",
        0,
        expect![[r#"
            pack-000004-0.pc3p: 16.0 KiB
            removed 1 file, 16.0 KiB
        "#]],
    );
    assert_eq!(pc3(dir.path(), "verify 2").0, 0);
    // What cannot be read may name any of them.
    std::fs::write(walk.join("ckpt-000001.pc3c"), "PC3CKPT").unwrap();
    std::fs::write(walk.join("pack-000001-7.pc3p"), "left").unwrap();
    check(
        dir.path(),
        "gc",
        1,
        expect![[r#"
        pc3: walk.pc3/ckpt-000001.pc3c: incomplete: the header; which packs it needs is not known, so all stay
    "#]],
    );
    assert!(walk.join("pack-000001-7.pc3p").exists());
    check(
        dir.path(),
        "gc nowhere",
        1,
        expect![[r#"
        pc3: nowhere: No such file or directory (os error 2)
    "#]],
    );
    assert!(!dir.path().join("nowhere").exists());
}

/// This process plays one: a lock is no obstacle to its own.
#[test]
fn gc_leaves_a_running_job_alone() {
    let dir = series();
    let walk = dir.path().join("walk.pc3");
    let _store = Store::open(&walk, 2, None).unwrap();
    std::fs::write(walk.join("pack-000005-0.pc3p"), "being written").unwrap();
    let (status, _, err) = pc3(dir.path(), "gc");
    let me = std::process::id();
    let told = format!(
        "pc3: walk.pc3: process {me} runs there, and removes itself what it does not need\n"
    );
    assert_eq!((status, err), (1, told));
    assert!(walk.join("pack-000005-0.pc3p").exists());
}

#[test]
fn copies_are_whole_or_not_there() {
    let dir = series();
    let walk = dir.path().join("walk.pc3");
    std::fs::write(walk.join("course"), "2 3\n").unwrap();
    std::fs::write(walk.join("pack-000003-7.pc3p"), "left").unwrap();
    check(
        dir.path(),
        "copy walk.pc3 all.pc3",
        0,
        expect![[r#"
            all.pc3: 2 checkpoints and 3 packs, 93.1 KiB
        "#]],
    );
    let (mut all, copied) = (names(&walk), names(&dir.path().join("all.pc3")));
    all.retain(|n| n != "pack-000003-7.pc3p");
    assert_eq!(copied, all);
    check(
        dir.path(),
        "verify all.pc3",
        0,
        expect![[r#"
            all.pc3/ckpt-000002.pc3c: good (checkpoint 2, 1 rank, 26.8 KiB for 31.9 KiB of data)
            all.pc3/ckpt-000004.pc3c: good (checkpoint 4, 1 rank, 22.3 KiB for 32.4 KiB of data)
        "#]],
    );
    std::fs::create_dir(dir.path().join("one.pc3")).unwrap();
    check(
        dir.path(),
        "copy 2 one.pc3 -d walk.pc3",
        0,
        expect![[r#"
        one.pc3: 1 checkpoint and 2 packs, 70.8 KiB
    "#]],
    );
    check(
        dir.path(),
        "copy 2 one.pc3 -d walk.pc3",
        1,
        expect![[r#"
        pc3: one.pc3: it is there, and not empty: name a directory that is not
    "#]],
    );
    assert_eq!(pc3(dir.path(), "verify one.pc3").0, 0);
    let pack = walk.join("pack-000002-0.pc3p");
    let mut bytes = std::fs::read(&pack).unwrap();
    bytes[4100] ^= 1;
    std::fs::write(&pack, bytes).unwrap();
    check(
        dir.path(),
        "copy walk.pc3 bad.pc3",
        1,
        expect![[r#"
        pc3: walk.pc3/ckpt-000002.pc3c: damaged: rank 0: walk.c:counters: pack-000002-0.pc3p is damaged; nothing is copied
    "#]],
    );
    std::fs::remove_file(&pack).unwrap();
    check(
        dir.path(),
        "copy walk.pc3/ckpt-000002.pc3c bad.pc3",
        1,
        expect![[r#"
            pc3: walk.pc3/pack-000002-0.pc3p: No such file or directory (os error 2)
        "#]],
    );
    assert_eq!(names(dir.path()), ["all.pc3", "one.pc3", "walk.pc3"]);
}

static ASKED: AtomicBool = AtomicBool::new(false);

extern "C" fn asked(_: i32) {
    ASKED.store(true, SeqCst);
}

/// This process plays a running job.
#[test]
fn a_running_job_is_asked() {
    let dir = tempfile::tempdir().unwrap();
    let ckpt = dir.path().join("job.pc3");
    let mut store = Store::open(&ckpt, 2, Some(libc::SIGUSR1)).unwrap();
    // SAFETY: the handler stores to an atomic.
    unsafe { libc::signal(libc::SIGUSR1, asked as extern "C" fn(i32) as usize) };
    let me = std::process::id().to_string();
    let ms = Duration::from_millis;
    let two = Stalls(vec![(0, ms(3)), (1, ms(4))]);
    let many = Stalls((0..9).map(|r| (r, ms(r + 1))).collect());
    for (job, id, stalls, told) in [
        (
            "job.pc3",
            1,
            two,
            ", stood still: rank 0 3 ms, rank 1 4 ms: ",
        ),
        (
            me.as_str(),
            2,
            many,
            ", 9 ranks stood still: 5 ms on average, rank 0 1 ms (least) to rank 8 9 ms (most): ",
        ),
    ] {
        ASKED.store(false, SeqCst);
        let (status, out, err) = std::thread::scope(|s| {
            let pc3 = s.spawn(|| pc3(dir.path(), &format!("checkpoint {job} --timeout 60")));
            while !ASKED.load(SeqCst) && !pc3.is_finished() {
                std::thread::yield_now();
            }
            let mut begun = store.begin().unwrap();
            let how = begun.file.write_all(b"twelve bytes");
            let id = store.commit(begun.written(how).unwrap());
            store.note_stalls(id.unwrap(), &stalls);
            pc3.join().unwrap()
        });
        assert_eq!((status, err.as_str()), (0, ""));
        assert!(
            out.starts_with(&format!("checkpoint {id}: 12 B, committed after ")),
            "{out}"
        );
        assert!(out.contains(told), "{out}");
    }
    let (status, out, _) = pc3(dir.path(), "ls");
    assert_eq!(status, 0);
    assert!(out.contains(&format!("in use by process {me}")), "{out}");
    let (status, _, err) = pc3(dir.path(), "checkpoint job.pc3 --timeout 0");
    assert_eq!(status, 1);
    assert!(err.contains("no checkpoint within 0 s"), "{err}");
}

#[test]
fn a_foreign_process_is_not_signalled() {
    let dir = tempfile::tempdir().unwrap();
    let mut sleeper = Command::new("sleep").arg("60").spawn().unwrap();
    let (status, _, err) = pc3(dir.path(), &format!("checkpoint {}", sleeper.id()));
    assert_eq!(status, 1);
    assert!(err.contains("takes no request"), "{err}");
    assert!(sleeper.try_wait().unwrap().is_none(), "it still runs");
    sleeper.kill().unwrap();
    sleeper.wait().unwrap();
}

/// Checkpoints of all formats that were released.
#[test]
fn samples_are_read() {
    let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/samples");
    let mut read = 0;
    for format in std::fs::read_dir(samples).unwrap().flatten() {
        for file in std::fs::read_dir(format.path()).into_iter().flatten() {
            let file = file.unwrap().path();
            if file.extension().is_some_and(|e| e == "pc3p") {
                continue;
            }
            let name = file.display().to_string();
            let (status, out, err) = pc3(Path::new("."), &format!("verify {name}"));
            assert_eq!(status, 0, "{name}: {out}{err}");
            let (status, out, err) = pc3(Path::new("."), &format!("show {name}"));
            assert!(status == 0 && out.contains("rank 0"), "{name}: {err}");
            let (status, out, err) = pc3(Path::new("."), &format!("show --json {name}"));
            assert!(status == 0 && out.contains("passage"), "{name}: {err}");
            read += 1;
        }
    }
    assert!(read >= 6);
}
