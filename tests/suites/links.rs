//! Ways to bring the same objects together: each builds `p`, which then runs through, and stops and goes on.
//!
//! A case is shell commands in a folder with the sources of `tests/projects/links` and objects of them (`main.o`, `a.o`,
//! `b.o`, `pure.o`) made by `$CC -O2 -c`.

use std::path::Path;
use std::process::Command;

use anyhow::{ensure, Context, Result};
use libtest_mimic::Trial;
use pc3_tests::arch::{self, HOST};

const OUTPUT: &str = "666 6\n";

const CASES: &[(&str, &str)] = &[
    ("objects", "$CC main.o a.o b.o -o p"),
    ("sources_too", "$CC -O2 main.c a.o b.c -o p"),
    ("archive", "ar rcs sub/libx.a a.o b.o; $CC main.o sub/libx.a -o p"),
    ("by_name", "ar rcs sub/libx.a a.o b.o; $CC main.o -Lsub -lx -o p"),
    ("in_linker_option", "ar rcs libx.a a.o b.o; $CC main.o -Wl,libx.a -o p"),
    ("whole_archive", "ar rcs libx.a a.o b.o; $CC main.o -Wl,--whole-archive libx.a -Wl,--no-whole-archive -o p"),
    ("group", "ar rcs liba.a a.o; ar rcs libb.a b.o pure.o; $CC main.o -Wl,--start-group libb.a liba.a -Wl,--end-group -o p"),
    ("thin_archive", "ar rcsT sub/libx.a a.o sub/../b.o; $CC main.o sub/libx.a -o p"),
    ("thin_by_name", "ar rcsT libx.a a.o b.o; $CC main.o -L. -lx -o p"),
    ("members_of_one_name", "cp a.o sub/b.o; ar q libx.a b.o sub/b.o; ranlib libx.a; $CC main.o libx.a -o p"),
    (
        "one_of_several_of_a_name",
        "echo 'int counter = 7; int main(void) { return counter; }' > sub/b.c; $CC -c sub/b.c -o sub/b.o; \
            ar q libx.a sub/b.o b.o sub/b.o; ranlib libx.a; $CC main.o a.o libx.a -o p",
    ),
    (
        "one_of_several_by_name",
        "echo 'int counter = 7;' > sub/b.c; $CC -c sub/b.c -o sub/b.o; \
            ar qT libx.a sub/b.o b.o pure.o; ranlib libx.a; $CC main.o a.o -L. -lx -o p",
    ),
    ("main_in_archive", "ar rcs libm1.a main.o; ar rcs libx.a a.o b.o; $CC -L. -lm1 -lx -o p"),
    ("two_mains", "echo 'int main(void) { return 9; }' > other.c; $CC -c other.c; ar rcs libx.a a.o other.o b.o; $CC main.o libx.a -o p"),
    ("moved", "mkdir new; cp a.o new/x.o; mv b.o new/y.o; rm a.o; $CC main.o new/x.o new/y.o -o p"),
    ("compiled_elsewhere", "(cd sub; $CC -O2 -c ../a.c); $CC main.o sub/a.o b.o -o p"),
    ("sources_gone", "rm *.c; $CC main.o a.o b.o -o p"),
    ("stripped", "strip -g a.o; objcopy --strip-unneeded b.o; $CC main.o a.o b.o -o p"),
    ("partial", "$CC -r -nostdlib a.o b.o -o r.o; $CC main.o r.o -o p"),
    ("partial_of_sources", "$CC -r -nostdlib -O2 a.c b.o -o r.o; $CC main.o r.o -o p"),
    ("partial_by_the_linker", "ld -r a.o b.o -o r.o; ar rcs libr.a r.o; $CC main.o libr.a -o p"),
    ("response_file", "echo 'main.o a.o b.o -o p' > words; $CC @words"),
    ("static_program", "ar rcs libx.a a.o b.o; $CC -static main.o libx.a -o p"),
    ("position_independent", "ar rcs libx.a a.o b.o; $CC -pie main.o libx.a -o p"),
    ("for_shared_libraries", "$CC -O2 -fPIC -c main.c a.c b.c; $CC main.o a.o b.o -o p"),
    ("sections_per_function", "$CC -ffunction-sections -fdata-sections -g3 -gz -c a.c b.c; $CC -Wl,--gc-sections main.o a.o b.o pure.o -o p"),
    ("assembly", "printf '.globl f\\nf:\\n.section .note.GNU-stack,\"\",%%progbits\\n' > f.s; $CC main.o a.o b.o f.s -o p"),
    ("preprocessed", "$CC -E main.c > m.i; $CC -O2 -c m.i; $CC m.o a.o b.o -o p"),
    ("link_time_optimisation", "$CC -O2 -flto -c a.c; $CC -flto main.o a.o b.o -o p"),
    ("warnings_are_errors", "$CC -Wall -Wextra -Werror -c main.c a.c b.c; $CC -Werror main.o a.o b.o -o p"),
    ("place_on_the_link", "sed -i /pragma/d main.c; $CC -c main.c; $CC --checkpoint-at=step main.o a.o b.o -o p"),
    ("place_on_compiling", "sed -i /pragma/d main.c; $CC -c main.c; $CC --checkpoint-at=step -c a.c; $CC main.o a.o b.o -o p"),
    ("at_once", "for n in 1 2 3 4; do $CC -O2 main.o a.o b.o -o p$n & done; wait; cmp p1 p2; cmp p3 p4; mv p4 p"),
    (
        "location_by_name",
        "echo '#include <mpi.h>' > m.c; sed 's/argc/&/; s/main(void) {/main(int c, char **v) { MPI_Init(\\&c, \\&v);/; \
            s/return 0;/MPI_Finalize(); &/' main.c >> m.c; $CC -c m.c; ar rcs libm1.a m.o a.o b.o; $CC -L. -lm1 -o p",
    ),
    (
        "calls_of_pc3_h",
        "printf '#include <pc3.h>\nint main(void) { pc3_critical_begin(); pc3_critical_end(); return 0; }' > q.c; \
            $CC q.c -o q; ./q; $CC -c q.c; $CC q.o -o q; ./q; ar rcs libq.a q.o; $CC -L. -lq -o q; ./q; \
            $CC main.o a.o b.o -o p",
    ),
    (
        "standard_input",
        "echo 'int main(void) { return 0; }' | $CC -x c - -o q; ./q; echo 'int main(void) { return 0; }' | $CC -c -x c - -o q.o; \
            $CC q.o -o q; ./q; $CC main.o a.o b.o -o p",
    ),
    (
        "large_units",
        "which make || exit 77; for u in a b; do awk -v unit=$u -f large.awk >> $u.c; $CC -O2 -c $u.c; done; \
            $CC main.o a.o b.o -o p; nm p | grep -q 'large_.*lto_priv'",
    ),
    ("no_cache", "PC3_CACHE=off $CC main.o a.o b.o -o p"),
    ("place_for_a_cache_gone", "PC3_CACHE=/dev/null/x $CC main.o a.o b.o -o p"),
    ("another_compiler", "which clang || exit 77; $CC --cc=clang -O2 -c a.c; $CC main.o a.o b.o -o p"),
    ("another_linker", "which ld.gold || exit 77; ar rcs libx.a a.o b.o; $CC -fuse-ld=gold main.o libx.a -o p"),
];

pub fn trials() -> Vec<Trial> {
    let trial = |(name, script): &(&str, &'static str)| {
        let script = *script;
        let run = move || check(script).map_err(|e| format!("{e:#}").into());
        Trial::test(format!("links::{name}"), run)
    };
    CASES.iter().map(trial).collect()
}

fn sh(dir: &Path, script: &str) -> Result<Option<i32>> {
    let out = Command::new("sh")
        .args(["-euc", script])
        .current_dir(dir)
        .env("CC", arch::dist().join("bin/pc3cc"))
        .env("PC3_CACHE", dir.join("cache"))
        .output()?;
    let text = |b: &[u8]| String::from_utf8_lossy(b).into_owned();
    let known = matches!(out.status.code(), Some(0 | 77));
    ensure!(
        known,
        "{script}\n{}{}",
        text(&out.stdout),
        text(&out.stderr)
    );
    Ok(out.status.code())
}

fn check(script: &str) -> Result<()> {
    let dir = tempfile::tempdir()?;
    let dir = dir.path();
    for e in std::fs::read_dir(arch::root().join("tests/projects/links"))? {
        let e = e?;
        std::fs::copy(e.path(), dir.join(e.file_name()))?;
    }
    sh(dir, "mkdir sub; $CC -O2 -c main.c a.c b.c pure.c")?;
    // Without the tool that the case is about.
    if sh(dir, script)? == Some(77) {
        return Ok(());
    }
    let run = |env: &[(&str, &str)]| -> Result<(String, Option<i32>)> {
        let out = Command::new(dir.join("p"))
            .current_dir(dir)
            .env("PC3_DIR", dir.join("ckpt"))
            .envs(env.iter().copied())
            .output()
            .with_context(|| format!("p on {}", HOST.name))?;
        Ok((
            String::from_utf8_lossy(&out.stdout).into_owned(),
            out.status.code(),
        ))
    };
    ensure!(
        run(&[])? == (OUTPUT.into(), Some(0)),
        "run through: {:?}",
        run(&[])?
    );
    let stopped = run(&[("PC3_EVERY", "1x"), ("PC3_STOP_AFTER", "3")])?;
    ensure!(stopped == (String::new(), Some(85)), "stopped: {stopped:?}");
    let resumed = run(&[("PC3_RESTART", "latest")])?;
    ensure!(resumed == (OUTPUT.into(), Some(0)), "resumed: {resumed:?}");
    Ok(())
}
