//! What a build takes, plain cc ÷ pc3cc: separate compilation with make, from nothing, with one job and with four.
//!
//! Trees made here (a hundred files; one function with a thousand calls that reach a location; five thousand small functions with
//! one each), lua and sqlite3 (Debian's sources, where `cargo xtask setup` could have them).
//! Seconds are those that pass; processor time, of all processes, is what a busy machine changes least.

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{ensure, Result};
use serde_json::{json, Value};

use super::{median, timed, Setup};
use crate::{env, sources};

/// Of a build of seconds; longer ones are measured once.
const ROUNDS: usize = 3;
const LONG: f64 = 8.0;
const FILES: usize = 100;
const CALLS: usize = 1000;
const FUNCTIONS: usize = 5000;

struct Tree {
    name: &'static str,
    folder: PathBuf,
    /// Without `.c`.
    units: Vec<String>,
    flags: &'static str,
    libraries: &'static str,
    location: &'static str,
}

pub fn run(s: &Setup) -> Result<Value> {
    let mut trees = vec![hundred(s)?, calls(s)?, functions(s)?];
    trees.extend(lua(s)?);
    trees.extend(sqlite(s)?);
    let pc3cc = s.tree.join("bin/pc3cc").display().to_string();
    println!(
        "{:14} {:>4} {:>9} {:>9} {:>9} {:>7} {:>7} {:>7} {:>7}",
        "tree", "jobs", "plain s", "without", "with", "ratio", "ratio", "work", "work"
    );
    let mut rows = Vec::new();
    for t in &trees {
        let with = format!("{pc3cc} --checkpoint-at={}", t.location);
        let compilers = ["cc", pc3cc.as_str(), with.as_str()];
        for jobs in [1, 4] {
            let mut seconds = vec![Vec::new(); compilers.len()];
            let mut work = vec![Vec::new(); compilers.len()];
            for round in 0..ROUNDS {
                if round > 0 && seconds[0][0] > LONG {
                    break;
                }
                for (i, cc) in compilers.iter().enumerate() {
                    let (passed, used) = make(t, cc, jobs)?;
                    seconds[i].push(passed);
                    work[i].push(used);
                }
            }
            let seconds: Vec<f64> = seconds.into_iter().map(median).collect();
            let work: Vec<f64> = work.into_iter().map(median).collect();
            let ratio = |i: usize| seconds[i] / seconds[0];
            println!(
                "{:14} {jobs:4} {:9.2} {:9.2} {:9.2} {:7.2} {:7.2} {:7.2} {:7.2}",
                t.name,
                seconds[0],
                seconds[1],
                seconds[2],
                ratio(1),
                ratio(2),
                work[1] / work[0],
                work[2] / work[0]
            );
            rows.push(json!({ "tree": t.name, "jobs": jobs, "location": t.location,
                "plain_seconds": seconds[0], "without_location_seconds": seconds[1], "with_location_seconds": seconds[2],
                "plain_processor_seconds": work[0], "without_location_processor_seconds": work[1], "with_location_processor_seconds": work[2],
                "without_location_ratio": ratio(1), "with_location_ratio": ratio(2),
                "without_location_processor_ratio": work[1] / work[0], "with_location_processor_ratio": work[2] / work[0] }));
        }
    }
    Ok(json!({ "rows": rows }))
}

/// Builds from nothing; seconds that passed, and that processors worked.
fn make(t: &Tree, cc: &str, jobs: usize) -> Result<(f64, f64)> {
    let objects: Vec<String> = t.units.iter().map(|u| format!("{u}.o")).collect();
    let text = format!(
        "CC = cc\nprogram: {0}\n\t$(CC) {1} -o program {0} {2}\n%.o: %.c\n\t$(CC) {1} -c -o $@ $<\n",
        objects.join(" "),
        t.flags,
        t.libraries
    );
    fs::write(t.folder.join("bench.mk"), text)?;
    for o in objects.iter().map(String::as_str).chain(["program"]) {
        let _ = fs::remove_file(t.folder.join(o));
    }
    let before = children();
    let mut c = Command::new("make");
    c.args([
        "-s",
        "-f",
        "bench.mk",
        &format!("-j{jobs}"),
        &format!("CC={cc}"),
    ])
    .current_dir(&t.folder)
    .env("PC3_CACHE", "off");
    let (_, seconds) = timed(&mut c)?;
    ensure!(
        t.folder.join("program").is_file(),
        "{} was not made",
        t.name
    );
    Ok((seconds, children() - before))
}

/// Processor time of all children so far.
fn children() -> f64 {
    let mut u = std::mem::MaybeUninit::<libc::rusage>::zeroed();
    // SAFETY: the call fills what it is given.
    let u = unsafe {
        libc::getrusage(libc::RUSAGE_CHILDREN, u.as_mut_ptr());
        u.assume_init()
    };
    let seconds = |t: libc::timeval| t.tv_sec as f64 + t.tv_usec as f64 / 1e6;
    seconds(u.ru_utime) + seconds(u.ru_stime)
}

/// A hundred units of a page or two each; the location is where every sixth of them calls.
fn hundred(s: &Setup) -> Result<Tree> {
    let folder = s.work.join("hundred");
    fs::create_dir_all(&folder)?;
    let mut header = String::from(
        "#include <math.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n\
         struct item { struct item *next; int key; double value; char name[16]; };\nvoid step(int);\n",
    );
    let mut units = Vec::new();
    for i in 0..FILES {
        writeln!(header, "double run_{i}(int, double);")?;
        let name = format!("unit{i}");
        fs::write(folder.join(format!("{name}.c")), unit(i))?;
        units.push(name);
    }
    fs::write(folder.join("all.h"), header)?;
    let calls: String = (0..FILES)
        .map(|i| format!("    sum += run_{i}(n, sum);\n"))
        .collect();
    let main = format!(
        "#include \"all.h\"\nvoid step(int i) {{ if (i < 0) puts(\"never\"); }}\n\
         int main(int argc, char **argv) {{\n    int n = argc > 1 ? atoi(argv[1]) : 10;\n    double sum = 0;\n{calls}    printf(\"%.6f\\n\", sum);\n    return 0;\n}}\n"
    );
    fs::write(folder.join("main.c"), main)?;
    units.push("main".into());
    Ok(Tree {
        name: "100 files",
        folder,
        units,
        flags: "-O2",
        libraries: "-lm",
        location: "step",
    })
}

/// A unit of which only the location is in another.
fn generated(s: &Setup, name: &'static str, text: String) -> Result<Tree> {
    let folder = s.work.join(name.replace(' ', "-"));
    fs::create_dir_all(&folder)?;
    fs::write(folder.join("main.c"), text)?;
    fs::write(folder.join("step.c"), "int step(int i) { return i; }\n")?;
    Ok(Tree {
        name,
        folder,
        units: vec!["main".into(), "step".into()],
        flags: "-O2",
        libraries: "",
        location: "step",
    })
}

fn calls(s: &Setup) -> Result<Tree> {
    let calls: String = (0..CALLS)
        .map(|i| format!("    int v{i} = step({i});\n    s += v{i};\n"))
        .collect();
    let text = format!(
        "#include <stdio.h>\nint step(int);\nint main(void) {{\n    int s = 0;\n{calls}    printf(\"%d\\n\", s);\n    return 0;\n}}\n"
    );
    generated(s, "1000 calls", text)
}

/// Called by the hundred.
fn functions(s: &Setup) -> Result<Tree> {
    let mut text = String::from("#include <stdio.h>\nint step(int);\n");
    let groups = FUNCTIONS / 100;
    for i in 0..FUNCTIONS {
        writeln!(text, "static int f{i}(int n, int *a) {{\n    int i, s = {i};\n    for (i = 0; i < n; i++) {{\n        s += step(a[i]) ^ {i};\n        a[i] = s;\n    }}\n    return s;\n}}")?;
    }
    for g in 0..groups {
        let calls: String = (100 * g..100 * (g + 1))
            .map(|i| format!("    s += f{i}(n, a);\n"))
            .collect();
        writeln!(
            text,
            "static int group{g}(int n, int *a) {{\n    int s = 0;\n{calls}    return s;\n}}"
        )?;
    }
    let calls: String = (0..groups)
        .map(|g| format!("    s += group{g}(4, a);\n"))
        .collect();
    writeln!(
        text,
        "int main(void) {{\n    int a[4] = {{0}}, s = 0;\n{calls}    printf(\"%d\\n\", s);\n    return 0;\n}}"
    )?;
    generated(s, "5000 functions", text)
}

fn unit(i: usize) -> String {
    let call = if i % 6 == 0 { "step(k);" } else { "" };
    let mut out = String::from("#include \"all.h\"\n");
    for k in 0..6 {
        out += &format!(
            "static double sum_{k}(const double *a, int n, double f) {{\n    double s = f;\n    for (int i = 0; i < n; i++)\n        s += a[i] * {k} + (i % {} ? fabs(a[i]) : -s / 3);\n    return s;\n}}\n\
             static struct item *add_{k}(struct item *list, int key, double value) {{\n    struct item *p = malloc(sizeof *p);\n    if (!p) exit(1);\n    p->next = list;\n    p->key = key * {};\n    p->value = value;\n    snprintf(p->name, sizeof p->name, \"%d\", key);\n    return p;\n}}\n\
             static int find_{k}(struct item *list, const char *name) {{\n    for (; list; list = list->next)\n        if (!strcmp(list->name, name) && list->key % {} != 1)\n            return list->key;\n    return -1;\n}}\n",
            k + 2,
            k + 1,
            i + k + 2
        );
    }
    out += &format!("double run_{i}(int n, double start) {{\n    double *a = calloc(n + 1, sizeof *a), total = start;\n    struct item *list = 0;\n    if (!a) exit(1);\n    for (int k = 0; k < n; k++) {{\n        a[k] = k * .5 + total / 1e6;\n");
    for k in 0..6 {
        out += &format!("        list = add_{k}(list, k + {k}, a[k]);\n        total += sum_{k}(a, k, start) * 1e-3 + find_{k}(list, \"{k}\");\n");
    }
    out += &format!("        {call}\n    }}\n    while (list) {{\n        struct item *next = list->next;\n        free(list);\n        list = next;\n    }}\n    free(a);\n    return fmod(total, 1000);\n}}\n");
    out
}

fn copied(s: &Setup, package: &str, from: &Path, name: &str) -> Result<Option<PathBuf>> {
    if !from.is_dir() {
        println!("{name}: skipped, no sources of Debian's {package} (cargo xtask setup)");
        return Ok(None);
    }
    let to = s.work.join(name);
    let _ = fs::remove_dir_all(&to);
    env::run(Command::new("cp").arg("-a").arg(from).arg(&to))?;
    Ok(Some(to))
}

fn lua(s: &Setup) -> Result<Option<Tree>> {
    let Some(folder) = copied(s, "lua5.4", &sources::folder().join("lua/src"), "lua")? else {
        return Ok(None);
    };
    let mut units = Vec::new();
    for e in fs::read_dir(&folder)?.flatten() {
        let name = e.file_name().to_string_lossy().into_owned();
        if let Some(unit) = name.strip_suffix(".c").filter(|n| *n != "luac") {
            units.push(unit.to_string());
        }
    }
    units.sort();
    Ok(Some(Tree {
        name: "lua",
        folder,
        units,
        flags: "-O2 -DLUA_COMPAT_5_3 -DLUA_USE_POSIX",
        libraries: "-lm",
        location: "luaB_print",
    }))
}

/// The library as one file, and the shell.
fn sqlite(s: &Setup) -> Result<Option<Tree>> {
    let Some(folder) = copied(s, "sqlite3", &sources::folder().join("sqlite"), "sqlite")? else {
        return Ok(None);
    };
    if !env::has_program("tclsh") {
        println!("sqlite: skipped, tclsh is not installed, with which sqlite3.c is made");
        return Ok(None);
    }
    let mut configure = Command::new("sh");
    configure
        .args(["./configure", "--quiet"])
        .current_dir(&folder);
    timed(&mut configure)?;
    let mut amalgamate = Command::new("make");
    amalgamate
        .args(["-s", "sqlite3.c", "shell.c"])
        .current_dir(&folder);
    timed(&mut amalgamate)?;
    Ok(Some(Tree {
        name: "sqlite3",
        folder,
        units: vec!["sqlite3".into(), "shell".into()],
        flags: "-O2",
        libraries: "-lm -ldl -lpthread",
        location: "sqlite3_step",
    }))
}
