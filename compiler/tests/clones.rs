//! Every program under `tests/c` (a file, or a folder of units): built plainly and instrumented, run without
//! checkpoints, with one at each location, and with one at every location.  All outputs must agree.
//!
//! For trying other code: PC3_PROGRAMS names another folder, PC3_ONLY a part of the names, PC3_EVERYWHERE=1
//! puts a location everywhere, PC3_SAMPLES changes how many locations are tried, PC3_KEEP=DIR keeps what is built.  A first line `/* flags: ... */` is for the compilers.

#![allow(clippy::unwrap_used)]

use pc3_instrument::rewrite::{instrument, Dialect, Options, Output};
use pc3_syntax::diag::Severity;
use pc3_syntax::locations::Locations;
use pc3_syntax::tree::Unit;
use pc3_syntax::types::Target;
use std::path::{Path, PathBuf};
use std::process::{Command, Output as Ran};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock};

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn target() -> Target {
    let out = Command::new("gcc")
        .args(["-dM", "-E", "-x", "c", "/dev/null"])
        .output()
        .unwrap();
    Target::from_macros(&pc3_syntax::preprocess::parse_macros(
        &String::from_utf8_lossy(&out.stdout),
    ))
}

/// gcc always is, since nothing works without a C compiler.
fn is_here(cc: &str) -> bool {
    cc == "gcc" || Command::new(cc).arg("--version").output().is_ok()
}

fn load(cc: &str, sources: &[PathBuf], flags: &[&str]) -> Vec<Unit> {
    let target = target();
    sources
        .iter()
        .map(|s| {
            let text = pc3_syntax::preprocess::run(
                Command::new(cc)
                    .args(["-E", "-D__PC3__=1"])
                    .args(flags)
                    .arg("-I")
                    .arg(root().join("tests/c"))
                    .arg(s),
            )
            .unwrap();
            let name = s.file_name().unwrap().to_str().unwrap();
            let (unit, diagnostics) = pc3_syntax::lower::build(name, text, &target);
            assert!(
                !diagnostics.has_errors(),
                "{}",
                diagnostics.render(pc3_syntax::diag::Format::Plain)
            );
            unit
        })
        .collect()
}

/// The prelude as this compiler's preprocessor leaves it.
fn prelude(cc: &str, main: bool) -> String {
    let file = tempfile::Builder::new().suffix(".c").tempfile().unwrap();
    std::fs::write(file.path(), pc3_instrument::rewrite::prelude(main)).unwrap();
    let out = Command::new(cc)
        .args(["-E", "-P", "-fno-pie"])
        .arg(file.path())
        .output()
        .unwrap();
    String::from_utf8(out.stdout).unwrap()
}

fn dialect(cc: &str) -> Arc<Dialect> {
    Arc::new(Dialect {
        clang: cc == "clang",
        unoptimised: false,
        teams: false,
        preludes: Some((prelude(cc, true), prelude(cc, false))),
    })
}

fn compile(cc: &str, flags: &[&str], sources: &[PathBuf], to: &Path) -> Ran {
    Command::new(cc)
        .args(["-fno-pie", "-no-pie", "-ffp-contract=off", "-I"])
        .arg(root().join("../runtime/include"))
        .arg("-I")
        .arg(root().join("tests/c"))
        .args(flags)
        .args(sources)
        .args(["-lm", "-o"])
        .arg(to)
        .output()
        .unwrap()
}

fn run(program: &Path, env: &[(&str, String)]) -> (Option<i32>, String, String) {
    let mut c = Command::new("timeout");
    c.arg("20")
        .arg(program)
        .current_dir(program.parent().unwrap());
    for (k, v) in env {
        c.env(k, v);
    }
    let out = c.output().unwrap();
    let text = |b: Vec<u8>| String::from_utf8_lossy(&b).into_owned();
    (out.status.code(), text(out.stdout), text(out.stderr))
}

struct Program {
    name: String,
    sources: Vec<PathBuf>,
}

fn programs() -> Vec<Program> {
    let mut list = Vec::new();
    let folder = std::env::var_os("PC3_PROGRAMS").map_or(root().join("tests/c"), PathBuf::from);
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        let only = std::env::var("PC3_ONLY").unwrap_or_default();
        if !name.contains(&only) {
            continue;
        }
        let sources = if path.is_dir() {
            let mut v: Vec<_> = std::fs::read_dir(&path)
                .unwrap()
                .map(|e| e.unwrap().path())
                .collect();
            v.retain(|p| p.extension().is_some_and(|e| e == "c"));
            v.sort();
            v
        } else if path.extension().is_some_and(|e| e == "c") {
            vec![path]
        } else {
            continue;
        };
        list.push(Program { name, sources });
    }
    list.sort_by(|a, b| a.name.cmp(&b.name));
    list
}

fn must_instrument(units: &[Unit], options: &Options) -> Output {
    let out = instrument(units, options);
    let errors: Vec<_> = out
        .diagnostics
        .list
        .iter()
        .filter(|d| d.severity == Severity::Error)
        .collect();
    assert!(errors.is_empty(), "{errors:#?}");
    out
}

/// Flags from a first line `/* flags: ... */`.
fn own_flags(p: &Program) -> Vec<String> {
    let text = std::fs::read_to_string(&p.sources[0]).unwrap();
    let first = text.lines().next().unwrap_or("");
    match first.strip_prefix("/* flags:") {
        Some(rest) => rest
            .trim_end_matches("*/")
            .split_whitespace()
            .map(String::from)
            .collect(),
        None => Vec::new(),
    }
}

fn check(p: &Program) -> Result<usize, String> {
    let dir = tempfile::tempdir().unwrap();
    let dir = match std::env::var("PC3_KEEP") {
        Ok(d) => PathBuf::from(d),
        Err(_) => dir.path().to_path_buf(),
    };
    std::fs::create_dir_all(&dir).unwrap();
    let own = own_flags(p);
    let own: Vec<&str> = own.iter().map(String::as_str).collect();
    let expected = plain_run(p, &own, &dir)?;
    let mut runs = 0;
    let ways = [("gcc", "-O0"), ("gcc", "-O3"), ("clang", "-O2")];
    for (cc, opt) in ways.into_iter().filter(|w| is_here(w.0)) {
        let program = instrumented(p, (cc, opt), &own, &dir)?;
        let mut compare = |env: &[(&str, String)]| -> Result<String, String> {
            let got = run(&program, env);
            runs += 1;
            if (got.0, &got.1) != (expected.0, &expected.1) {
                return Err(format!(
                    "{cc} {opt} {env:?}: status {:?}, expected {:?}\n--- got\n{}\n--- expected\n{}\n--- stderr\n{}",
                    got.0, expected.0, got.1, expected.1, got.2
                ));
            }
            Ok(got.2)
        };
        stop_everywhere(&mut compare)?;
    }
    Ok(runs)
}

/// What the program does as the plain compiler builds it.
fn plain_run(
    p: &Program,
    own: &[&str],
    dir: &Path,
) -> Result<(Option<i32>, String, String), String> {
    let stub = dir.join("stub.c");
    std::fs::write(&stub, "void pc3_checkpoint(void) {}\nint MPI_Init(int *c, char ***v) { return 0; }\nint MPI_Finalize(void) { return 0; }\n").unwrap();
    let mut sources = p.sources.clone();
    sources.push(stub);
    let plain = dir.join("plain");
    let flags = [own, &["-O1", "-w"]].concat();
    let out = compile("gcc", &flags, &sources, &plain);
    match out.status.success() {
        true => Ok(run(&plain, &[])),
        false => Err(format!(
            "plain build: {}",
            String::from_utf8_lossy(&out.stderr)
        )),
    }
}

/// The program as pc3cc writes it, with the runtime that only goes back into frames.
fn instrumented(
    p: &Program,
    (cc, opt): (&str, &str),
    own: &[&str],
    dir: &Path,
) -> Result<PathBuf, String> {
    let everywhere = std::env::var_os("PC3_EVERYWHERE").is_some();
    let mut units = load(cc, &p.sources, own);
    if everywhere {
        let at = Vec::new();
        units = pc3_syntax::front::place(units, &Locations { at, everywhere }, &[], true).0;
    }
    let options = Options {
        everywhere,
        dialects: vec![dialect(cc); units.len()],
        ..Options::default()
    };
    let out = std::panic::catch_unwind(|| must_instrument(&units, &options))
        .map_err(|e| e.downcast_ref::<String>().cloned().unwrap_or_default())?;
    let mut files: Vec<PathBuf> = Vec::new();
    for (i, t) in out.texts.iter().enumerate() {
        let f = dir.join(format!("{}-{i}.i", p.name));
        std::fs::write(&f, t).unwrap();
        files.push(f);
    }
    files.push(mini_runtime().to_path_buf());
    let program = dir.join("instrumented");
    let flags = [own, &[opt, "-Wl,--wrap=main"]].concat();
    let built = compile(cc, &flags, &files, &program);
    let messages = String::from_utf8_lossy(&built.stderr);
    if !built.status.success() {
        return Err(format!("{cc} {opt}: {messages}"));
    }
    let of_ours = |l: &str| l.contains("warning:") && l.contains("pc3_");
    match messages.lines().any(of_ours) {
        true => Err(format!("{cc} {opt} warns of generated code: {messages}")),
        false => Ok(program),
    }
}

/// The object of that runtime.
fn mini_runtime() -> &'static Path {
    static BUILT: OnceLock<PathBuf> = OnceLock::new();
    BUILT.get_or_init(|| {
        let object = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("mini.o");
        let source = [root().join("tests/mini_runtime.c")];
        let built = compile("gcc", &["-O1", "-c", "-DPC3_MINI"], &source, &object);
        let said = String::from_utf8_lossy(&built.stderr);
        assert!(built.status.success(), "{said}");
        object
    })
}

/// Runs the program with these variables and compares its output; what it said besides.
type Compare<'a> = dyn FnMut(&[(&str, String)]) -> Result<String, String> + 'a;

/// Leaves the program at a sample of the locations that it passes, and at many of them in one run.
fn stop_everywhere(compare: &mut Compare) -> Result<(), String> {
    let stderr = compare(&[("MINI_COUNT", "1".into())])?;
    let passed: u64 = stderr
        .lines()
        .find_map(|l| l.strip_prefix("passed "))
        .and_then(|n| n.trim().parse().ok())
        .unwrap_or(0);
    if passed == 0 {
        return Err("no location was passed".into());
    }
    let samples: u64 = std::env::var("PC3_SAMPLES").map_or(25, |n| n.parse().unwrap());
    let often = |n: u64| n.max(passed / (samples * 800)).to_string();
    compare(&[("MINI_EVERY", often(1))])?;
    let step = (passed / samples).max(1);
    for k in (1..=passed).step_by(step as usize) {
        compare(&[("MINI_AT", k.to_string())])?;
    }
    compare(&[("MINI_AT", passed.to_string())])?;
    compare(&[("MINI_EVERY", often(3))])?;
    Ok(())
}

#[test]
fn both_clones_compute_what_the_plain_program_does() {
    let (left, failed) = (Mutex::new(programs()), Mutex::new(Vec::new()));
    let total = AtomicUsize::new(0);
    let next = || left.lock().unwrap().pop();
    let work = || {
        while let Some(p) = next() {
            match check(&p) {
                Ok(runs) => drop(total.fetch_add(runs, Ordering::Relaxed)),
                Err(e) => failed.lock().unwrap().push(format!("==== {}\n{e}", p.name)),
            }
        }
    };
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|s| (0..processors).for_each(|_| drop(s.spawn(work))));
    let (failed, total) = (failed.into_inner().unwrap(), total.into_inner());
    assert!(
        failed.is_empty(),
        "{}\n{} programs failed",
        failed.join("\n"),
        failed.len()
    );
    assert!(total > 0);
    eprintln!("{total} runs");
}

#[test]
fn generated_code_gives_no_messages() {
    gives_no_messages("clean.c");
    gives_no_messages("clean_mpi.c");
}

fn gives_no_messages(source: &str) {
    let source = [root().join("tests/c").join(source)];
    let dir = tempfile::tempdir().unwrap();
    for cc in ["gcc", "clang"].into_iter().filter(|cc| is_here(cc)) {
        for std in ["-std=c89", "-std=c99", "-std=gnu17"] {
            let options = Options {
                dialects: vec![dialect(cc)],
                ..Options::default()
            };
            let out = must_instrument(&load(cc, &source, &[std]), &options);
            let text = dir.path().join("clean.i");
            std::fs::write(&text, &out.texts[0]).unwrap();
            for opt in ["-O0", "-O3"] {
                let words = "-c -g -pedantic-errors -Wall -Wextra -Wstrict-prototypes -Wmissing-prototypes \
                             -Wcast-qual -Wpointer-arith -Wshadow -Wconversion -Wdeclaration-after-statement";
                let out = Command::new(cc)
                    .args([std, opt])
                    .args(words.split_whitespace())
                    .args(["-o", "/dev/null"])
                    .arg(&text)
                    .output()
                    .unwrap();
                let said = String::from_utf8_lossy(&out.stderr);
                assert!(
                    out.status.success() && said.is_empty(),
                    "{cc} {std} {opt}: {said}"
                );
            }
        }
    }
}
