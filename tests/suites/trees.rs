//! Source trees of others, configured, built and checked by their own means with `CC=pc3cc`, from Debian's source packages
//! (`cargo xtask setup` fetches them).
//!
//! What the check prints must be what it prints with `CC=cc`.  Where a tree has a program with a location, that is then
//! stopped and goes on.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{ensure, Context, Result};
use libtest_mimic::Trial;
use pc3_tests::arch;
use pc3_tests::run::STOPPED;

struct Tree {
    name: &'static str,
    /// Shell, in a copy of the tree; `$CC` is the compiler.
    build: &'static str,
    /// Shell; its output is compared.
    check: &'static str,
    located: Option<Located>,
}

/// A program built anew with a location.
struct Located {
    build: &'static str,
    /// Its command, which reads `input`.
    run: &'static str,
    every: &'static str,
}

const TREES: &[Tree] = &[
    Tree {
        name: "zlib",
        build: "./configure && make -j4 && make check",
        check: "./minigzip < deflate.c | cksum; ./example64; ./examplesh",
        located: Some(Located {
            build:
                "rm -f minigzip *.o libz.a; make libz.a minigzip CC=\"$CC --checkpoint-at=gzwrite\"",
            run: "exec ./minigzip < input",
            every: "9x",
        }),
    },
    Tree {
        name: "lua",
        build: "make -j4 linux CC=\"$CC -std=gnu99\"",
        check: "echo 'print(#arg, string.format(\"%.14g\", math.pi), pcall(error, {}, 0) and 1, \
            select(2, load(\"x = \")), table.concat({(\"a b c\"):byte(1, -1)}, \",\"))' > t.lua; \
            src/luac -o t.out t.lua; src/lua t.out 1 2; src/lua -v; \
            echo 'local t, co = {}, coroutine.wrap(function() for i = 1, 99 do coroutine.yield(i * i) end end) \
            for i = 1, 40 do t[i] = i .. tostring(pcall(function() if i % 7 == 0 then error(\"seven\") end return i end)) \
            print(i, co(), #t, t[#t], (\"ab\"):rep(i % 5), collectgarbage(\"step\")) end' > moved.lua",
        located: Some(Located {
            build: "cd src; rm lua; $CC --checkpoint-at=luaB_print -O2 -o lua lua.o liblua.a -lm -Wl,-E -ldl",
            run: "exec src/lua moved.lua",
            every: "7x",
        }),
    },
    Tree {
        name: "tcc",
        build: "./configure --cc=\"$CC\" && make -j4; make -C tests libtcc_test && mv tests/libtcc_test .",
        check: "tcc='./tcc -B. -Iinclude -I.'; $tcc -run examples/ex3.c 20; $tcc examples/ex5.c -o five && ./five; \
            $tcc -DONE_SOURCE=1 -DTCC_TARGET_X86_64 -c tcc.c -o again.o; cksum < again.o; ./libtcc_test -B. -I. -Iinclude",
        located: None,
    },
];

pub fn trials() -> Vec<Trial> {
    let make = Command::new("make").arg("--version").output().is_ok();
    let trial = |t: &'static Tree| {
        let sources = arch::target_dir().join("sources").join(t.name);
        let ignored = !make || !sources.is_dir();
        let run = move || check(t, &sources).map_err(|e| format!("{e:#}").into());
        Trial::test(format!("trees::{}", t.name), run).with_ignored_flag(ignored)
    };
    TREES.iter().map(trial).collect()
}

fn sh(dir: &Path, script: &str, cc: &str) -> Result<String> {
    let out = Command::new("sh")
        .args(["-euc", script])
        .current_dir(dir)
        .env("CC", cc)
        .env("PC3_CACHE", dir.join("cache-of-pc3"))
        .output()?;
    let text = |b: &[u8]| String::from_utf8_lossy(b).into_owned();
    let said = text(&out.stderr);
    ensure!(
        out.status.success(),
        "CC={cc} {script}\n{}{said}",
        text(&out.stdout)
    );
    Ok(text(&out.stdout))
}

fn built(t: &Tree, sources: &Path, to: PathBuf, cc: &str) -> Result<(PathBuf, String)> {
    let copied = Command::new("cp")
        .arg("-r")
        .arg(sources)
        .arg(&to)
        .status()?;
    ensure!(copied.success(), "cannot copy {}", sources.display());
    sh(&to, t.build, cc)?;
    let checked = sh(&to, t.check, cc)?;
    Ok((to, checked))
}

fn check(t: &Tree, sources: &Path) -> Result<()> {
    let dir = tempfile::tempdir()?;
    let own = arch::dist().join("bin/pc3cc").display().to_string();
    let (_, expected) = built(t, sources, dir.path().join("plain"), "cc")?;
    let (tree, got) = built(t, sources, dir.path().join("ours"), &own)?;
    ensure!(expected == got, "cc: {expected}\npc3cc: {got}");
    match &t.located {
        Some(l) => stopped(l, &tree, &own),
        None => Ok(()),
    }
}

/// Stops after each checkpoint until it is done: the pieces of its output are the whole.
fn stopped(l: &Located, tree: &Path, cc: &str) -> Result<()> {
    let sources = sh(tree, "find . -name '*.c' | sort | xargs cat", cc)?;
    std::fs::write(tree.join("input"), sources)?;
    let expected = output(l, tree, &[])?;
    ensure!(
        expected.1 == Some(0),
        "run through: exit status {:?}",
        expected.1
    );
    sh(tree, l.build, cc)?;
    let out = tree.join("out");
    let mut stops = 0;
    loop {
        let mut env = vec![("PC3_EVERY", l.every), ("PC3_STOP_AFTER", "1")];
        if stops > 0 {
            env.push(("PC3_RESTART", "latest"));
        }
        let (bytes, status) = output(l, tree, &env)?;
        let mut whole = std::fs::read(&out).unwrap_or_default();
        whole.extend(bytes);
        std::fs::write(&out, &whole)?;
        if status == Some(STOPPED) && stops < 1000 {
            stops += 1;
            continue;
        }
        ensure!(status == Some(0), "leg {stops}: exit status {status:?}");
        ensure!(stops > 1, "it did not stop");
        ensure!(
            whole == expected.0,
            "stopped {stops} times, its output differs"
        );
        return Ok(());
    }
}

fn output(l: &Located, tree: &Path, env: &[(&str, &str)]) -> Result<(Vec<u8>, Option<i32>)> {
    let out = Command::new("sh")
        .args(["-c", l.run])
        .current_dir(tree)
        .env("PC3_DIR", tree.join("ckpt"))
        .envs(env.iter().copied())
        .output()
        .context("sh")?;
    Ok((out.stdout, out.status.code()))
}
