//! The command `pc3run` with small shell programs.
#![allow(clippy::unwrap_used)]

use std::io::{BufRead, BufReader};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use expect_test::{expect, Expect};

fn command(dir: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_pc3run"));
    command.args(args).current_dir(dir).stdin(Stdio::null());
    for (name, _) in std::env::vars().filter(|(n, _)| n.starts_with("PC3_")) {
        command.env_remove(name);
    }
    command
}

fn run(args: &[&str]) -> (i32, String) {
    run_in(Path::new("."), args)
}

fn run_in(dir: &Path, args: &[&str]) -> (i32, String) {
    let out = command(dir, args).output().unwrap();
    let text = [out.stdout, out.stderr].concat();
    (out.status.code().unwrap(), String::from_utf8(text).unwrap())
}

fn check(args: &[&str], status: i32, expect: Expect) {
    let (got, text) = run(args);
    expect.assert_eq(&text);
    assert_eq!(got, status, "{args:?}");
}

#[test]
fn a_program_of_another_compiler_is_told_of() {
    let (status, text) = run(&["/bin/sh", "-c", "exit 3"]);
    assert_eq!(status, 3);
    assert!(
        text.contains("/bin/sh is run as it is: it has no checkpoints"),
        "{text}"
    );
    let (_, text) = run(&["-n", "4", "/bin/sh", "-c", "exit 3"]);
    assert!(text.contains("it has no 4 ranks (-n), and"), "{text}");
    let (status, text) = run(&["--restart", "/bin/sh", "-c", "exit 3"]);
    assert_eq!(status, 88);
    assert!(text.contains("it cannot be restarted"), "{text}");
    // Found in PATH: a shell, an interpreter, a launcher.
    check(&["sh", "-c", "exit 3"], 3, expect![""]);
}

/// An emulator's own words say nothing of what to do.
#[test]
fn a_loader_that_is_missing_is_told() {
    let dir = tempfile::tempdir().unwrap();
    let script = |status: &str| {
        let path = dir.path().join("qemu-s390x");
        std::fs::write(&path, format!("#!/bin/sh\nexit {status}\n")).unwrap();
        std::fs::set_permissions(&path, PermissionsExt::from_mode(0o755)).unwrap();
    };
    // The head of an executable for s390x with one entry, the loader's, and the mark of pc3cc's.
    let mut elf = vec![0; 64];
    elf[..6].copy_from_slice(b"\x7fELF\x02\x02");
    elf[19] = 22;
    elf[39] = 64;
    elf[55] = 56;
    elf[57] = 1;
    elf.extend([&[0, 0, 0, 3, 0, 0, 0, 0][..], &[0; 7], &[120], &[0; 40]].concat());
    elf.extend(b"/lib/no-such-ld64.so.1\0");
    let program = dir.path().join("heat");
    let run = |args: &[&str]| run_in(dir.path(), args);
    let told = "./heat is a program for s390x and asks for the loader /lib/no-such-ld64.so.1, which is not here: link it with -static";
    std::fs::write(&program, &elf).unwrap();
    script("255");
    let (status, text) = run(&["./qemu-s390x", "./heat"]);
    assert!(status == 255 && !text.contains("loader"), "{text}");
    elf.extend(pc3_runtime::MARK);
    std::fs::write(&program, &elf).unwrap();
    let (status, text) = run(&["./qemu-s390x", "./heat"]);
    assert!(status == 255 && text.contains(told), "{text}");
    std::fs::create_dir(dir.path().join("lib")).unwrap();
    std::fs::write(dir.path().join("lib/no-such-ld64.so.1"), "").unwrap();
    let (_, text) = run(&["./qemu-s390x", "-L", ".", "./heat"]);
    assert!(!text.contains("loader"), "{text}");
    script("3");
    let (status, text) = run(&["./qemu-s390x", "./heat"]);
    assert!(status == 3 && !text.contains("loader"), "{text}");
    // What else runs it may know of libraries elsewhere.
    let (status, text) = run(&["sh", "-c", "exit 1", "./heat"]);
    assert!(status == 1 && !text.contains("loader"), "{text}");
}

#[test]
fn the_program_gets_its_variables_and_arguments_and_nothing_else_is_printed() {
    let script = r#"echo "$PC3_RANKS,$PC3_WORKERS,$PC3_EVERY,$PC3_DIR,$PC3_RESTART,$PC3_KEEP" "$@"; exit 85"#;
    let args = [
        "-n",
        "16",
        "-w",
        "4",
        "--every",
        "5x",
        "-d",
        "my dir",
        "--restart",
        "sh",
        "-c",
        script,
        "x",
        "--keep",
        "-n",
    ];
    check(
        &args,
        85,
        expect![[r#"
        16,4,5x,my dir,latest, --keep -n
    "#]],
    );
}

#[test]
fn the_environment_counts_too() {
    let out = command(
        Path::new("."),
        &["-n", "2", "sh", "-c", "echo $PC3_RANKS $PC3_KEEP"],
    )
    .env("PC3_KEEP", "7")
    .env("PC3_RANKS", "9")
    .output();
    assert_eq!(out.unwrap().stdout, b"2 7\n");
    let out = command(Path::new("."), &["true"])
        .env("PC3_KEEP", "none")
        .output()
        .unwrap();
    assert_eq!(out.status.code(), Some(86));
    expect![[r#"
        pc3run: PC3_KEEP=none: expected a whole number
        pc3run: nothing was run
    "#]]
    .assert_eq(&String::from_utf8(out.stderr).unwrap());
}

#[test]
fn statuses() {
    for (script, status) in [
        ("exit 0", 0),
        ("exit 7", 7),
        ("kill -9 $$", 137),
        ("kill -TERM $$", 143),
    ] {
        assert_eq!(
            run(&["sh", "-c", script]),
            (status, String::new()),
            "{script}"
        );
    }
    check(
        &["-n", "0", "-p", "0", "true"],
        86,
        expect![[r#"
        pc3run: --procs 0: expected a whole number of at least 1
        pc3run: --ranks 0: must be at least 1
        pc3run: nothing was run
    "#]],
    );
    assert_eq!(run(&["--nonsense", "true"]).0, 86);
    assert_eq!(run(&[]).0, 86);
    assert_eq!(run(&["--version"]).0, 0);
}

#[test]
fn programs_that_cannot_run() {
    check(
        &["no-such-program"],
        127,
        expect![[r#"
        pc3run: no-such-program: no such program
    "#]],
    );
    check(
        &["./no-such-program"],
        127,
        expect![[r#"
        pc3run: ./no-such-program: no such program
    "#]],
    );
    let dir = tempfile::tempdir().unwrap();
    let file = |name: &str, bytes: &[u8], mode| {
        let path = dir.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        std::fs::set_permissions(&path, PermissionsExt::from_mode(mode)).unwrap();
    };
    file("heat", b"exit 5", 0o755);
    file("notes", b"text", 0o644);
    // An executable's head with a machine number that nobody has.
    let mut other = vec![0; 200];
    other[..6].copy_from_slice(&[0x7f, b'E', b'L', b'F', 2, 2]);
    other[18..20].copy_from_slice(&[0x7f, 0xff]);
    file("heat.other", &other, 0o755);
    let check = |args: &[&str], status, expect: Expect| {
        let (got, text) = run_in(dir.path(), args);
        expect.assert_eq(&text);
        assert_eq!(got, status);
    };
    check(&["./heat"], 5, expect![""]);
    check(
        &["heat"],
        127,
        expect![[r#"
        pc3run: heat: no such program in PATH; ./heat exists: say pc3run ./heat
    "#]],
    );
    check(
        &["--restart", "lastest", "./heat"],
        127,
        expect![[r#"
        pc3run: lastest: no such program, and --restart takes latest, auto or a checkpoint's id (pc3 ls DIR lists them)
    "#]],
    );
    check(
        &["./notes"],
        126,
        expect![[r#"
        pc3run: ./notes cannot be executed: Permission denied (os error 13)
    "#]],
    );
    check(
        &["./heat.other"],
        126,
        expect![[r#"
        pc3run: ./heat.other is a program for a machine unknown here (ELF machine 32767)
    "#]],
    );
}

/// Starts a script and waits for its first line.
fn started(script: &str) -> (Child, BufReader<std::process::ChildStdout>, String) {
    let mut command = command(Path::new("."), &["sh", "-c", script]);
    command.stdout(Stdio::piped());
    // SAFETY: only calls signal.
    unsafe {
        // A shell that runs this test in the background has it ignore some, and then `trap` does nothing.
        command.pre_exec(|| {
            for s in [libc::SIGINT, libc::SIGQUIT, libc::SIGHUP] {
                libc::signal(s, libc::SIG_DFL);
            }
            Ok(())
        })
    };
    let mut child = command.spawn().unwrap();
    let mut out = BufReader::new(child.stdout.take().unwrap());
    let mut line = String::new();
    out.read_line(&mut line).unwrap();
    (child, out, line)
}

#[test]
fn signals_reach_the_program() {
    for signal in [
        libc::SIGUSR1,
        libc::SIGUSR2,
        libc::SIGTERM,
        libc::SIGINT,
        libc::SIGHUP,
    ] {
        let script = "for s in USR1 USR2 TERM INT HUP; do trap \"echo $s; exit 42\" $s; done; echo ready; while :; do sleep 0.01; done";
        let (mut child, mut out, _) = started(script);
        // SAFETY: a child not waited for yet.
        unsafe { libc::kill(child.id() as i32, signal) };
        let mut line = String::new();
        out.read_line(&mut line).unwrap();
        assert!(!line.is_empty());
        assert_eq!(child.wait().unwrap().code(), Some(42), "signal {signal}");
    }
}

#[test]
fn a_killed_pc3run_takes_the_program_with_it() {
    let (mut child, mut out, _) = started("echo ready; while :; do sleep 0.01; done");
    child.kill().unwrap();
    child.wait().unwrap();
    // The end of its output shows that the program is gone.
    let mut line = String::new();
    assert_eq!(out.read_line(&mut line).unwrap(), 0);
}
