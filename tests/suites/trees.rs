//! Source trees of others, configured, built and checked by their own means with `CC=pc3cc`, from Debian's source packages
//! (`cargo xtask setup` fetches them).
//!
//! What the check prints must be what it prints with `CC=cc`.  Then programs of the tree are built anew with a location in
//! their main loop, stopped at checkpoints, and go on: the pieces of their output are the whole.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{ensure, Context, Result};
use libtest_mimic::Trial;
use pc3_tests::arch::{self, Arch, HOST, S390X};
use pc3_tests::clock;
use pc3_tests::run::STOPPED;
use pc3_tests::statements;

struct Tree {
    name: &'static str,
    /// Programs without which it cannot be built.
    needs: &'static [&'static str],
    /// Shell, in a copy of the tree; `$CC` is the compiler.
    build: &'static str,
    /// Shell; its output is compared.
    check: &'static str,
    located: &'static [Located],
    elsewhere: Option<Elsewhere>,
}

/// A program that is stopped and cannot go on with another order of bytes: what the refusal names.
struct Elsewhere {
    /// Shell; makes `program.$ARCH` with `$CC`, for this machine and another one.
    build: &'static str,
    run: &'static str,
    status: i32,
    every: &'static str,
    /// What is told next to the compiler, and what a restart then says.
    annotations: &'static str,
    says: &'static [&'static str],
    /// A line that keeps what the order of bytes gave, which a restart names first.
    order: &'static str,
}

/// A program built anew with a location.
struct Located {
    /// Shell, with the program as the tree's own build made it.
    prepare: &'static str,
    build: &'static str,
    /// Its command, which may read `input`.
    run: &'static str,
    /// Exit status of a run to the end.
    status: i32,
    every: &'static [&'static str],
}

const TREES: &[Tree] = &[
    Tree {
        name: "zlib",
        needs: &[],
        build: "./configure && make -j4 && make check",
        check: "./minigzip < deflate.c | cksum; ./example64; ./examplesh",
        located: &[
            Located {
                prepare: "find . -name '*.c' | sort | xargs cat > input",
                build:
                    "rm -f minigzip *.o libz.a; make libz.a minigzip CC=\"$CC --checkpoint-at=gzwrite\"",
                run: "exec ./minigzip < input",
                status: 0,
                every: &["9x", "20x"],
            },
            Located {
                prepare: "PC3_EVERY= ./minigzip < input > packed",
                build:
                    "rm -f minigzip *.o libz.a; make libz.a minigzip CC=\"$CC --checkpoint-at=gzread\"",
                run: "exec ./minigzip -d < packed",
                status: 0,
                every: &["1x", "7x"],
            },
        ],
        elsewhere: None,
    },
    Tree {
        name: "bzip2",
        needs: &[],
        build: "make -j4 CC=\"$CC\" bzip2 bzip2recover && make CC=\"$CC\" test",
        check: "./bzip2 -9 < decompress.c | cksum; ./bzip2 -d < sample1.bz2 | cksum; ./bzip2 -t sample2.bz2; ./bzip2 -L 2>&1 | head -n 3",
        located: &[Located {
            prepare: "cat *.c *.ref > input",
            build: "rm -f bzip2 *.o libbz2.a; make bzip2 CC=\"$CC --checkpoint-at=BZ2_bzWrite\"",
            run: "exec ./bzip2 -1 < input",
            status: 0,
            every: &["9x", "61x"],
        }],
        elsewhere: None,
    },
    Tree {
        name: "lua",
        needs: &[],
        build: "make -j4 linux CC=\"$CC -std=gnu99\" && make test",
        check: "echo 'print(#arg, string.format(\"%.14g\", math.pi), pcall(error, {}, 0) and 1, \
            select(2, load(\"x = \")), table.concat({(\"a b c\"):byte(1, -1)}, \",\"))' > t.lua; \
            src/luac -o t.out t.lua; src/lua t.out 1 2; src/lua -v",
        located: &[
            Located {
                prepare: "cat > moved.lua < \"$DATA/moved.lua\"",
                build: "cd src; rm lua; $CC --checkpoint-at=luaB_print -O2 -o lua lua.o liblua.a -lm -Wl,-E -ldl",
                run: "exec src/lua moved.lua",
                status: 0,
                every: &["5x", "31x"],
            },
            Located {
                prepare: "",
                build: "cd src; rm lua; line=$(sed -n '/vmfetch();/=' lvm.c); \
                    $CC --checkpoint-at=lvm.c:$line -O2 -o lua lua.o liblua.a -lm -Wl,-E -ldl",
                run: "exec src/lua moved.lua",
                status: 0,
                every: &["499x"],
            },
        ],
        elsewhere: None,
    },
    Tree {
        name: "tcc",
        needs: &[],
        build: "./configure --cc=\"$CC\" && make -j4; make test > test.log 2>&1 || { cat test.log; exit 1; }; make -C tests libtcc_test && mv tests/libtcc_test .",
        check: "tcc='./tcc -B. -Iinclude -I.'; $tcc -run examples/ex3.c 20; $tcc examples/ex5.c -o five && ./five; \
            $tcc -DONE_SOURCE=1 -DTCC_TARGET_X86_64 -c tcc.c -o again.o; cksum < again.o; grep -E '^(---|Test:)' test.log; ./libtcc_test -B. -I. -Iinclude",
        located: &[Located {
            prepare: "",
            build: "rm -f tcc libtcc.a *.o; make -j4 CC=\"$CC --checkpoint-at=block\" tcc",
            run: "./tcc -B. -Iinclude -I. -DONE_SOURCE=1 -DTCC_TARGET_X86_64 -c tcc.c -o made.o || exit; cat made.o",
            status: 0,
            every: &["1501x"],
        }],
        elsewhere: None,
    },
    Tree {
        name: "sqlite",
        needs: &["tclsh"],
        build: "./configure --disable-tcl --disable-readline CFLAGS=-O0 && make -j4 sqlite3",
        check: "./sqlite3 < \"$DATA/thousand.sql\" 2>&1 || true",
        located: &[Located {
            prepare: "",
            build: "rm sqlite3; make sqlite3 CC=\"$CC --checkpoint-at=sqlite3_step\"",
            run: "exec ./sqlite3 < \"$DATA/thousand.sql\" 2> errors",
            status: 1,
            every: &["23x", "300x"],
        }],
        elsewhere: Some(Elsewhere {
            build: "order=$([ $ARCH = s390x ] && echo 4321 || echo 1234); \
                $CC -w -O1 -I. -DSQLITE_OS_UNIX=1 -D_HAVE_SQLITE_CONFIG_H -DNDEBUG -DSQLITE_THREADSAFE=0 \
                -DSQLITE_BYTEORDER=$order -DSHA3_BYTEORDER=$order -static shell.c sqlite3.c -o program.$ARCH -lm \
                --checkpoint-at=sqlite3_step --annotations=said.txt 2> said",
            run: "exec $RUN ./program.$ARCH < \"$DATA/thousand.sql\"",
            status: 1,
            every: "300x",
            annotations: "union sqlite3_value.u by flags: pDef = any 0x8000, r = any 8, i = any 0x24, nZero = any 0x400, \
                zPType = any 0x800, none = *\n\
                union VdbeOp.p4 by p4type: i = -3, none = 0, p = *\n",
            says: &["heap object", "unknown type", "sqlite3.c:", "(malloc)"],
            order: "sqlite3.c:118916",
        }),
    },
];

pub fn trials() -> Vec<Trial> {
    let there = |tool: &str| {
        let mut asked = Command::new("sh");
        asked.args(["-c", &format!("command -v {tool}")]);
        asked.output().is_ok_and(|o| o.status.success())
    };
    let make = there("make");
    let trial = |t: &'static Tree| {
        let sources = arch::target_dir().join("sources").join(t.name);
        let ignored = !make || !t.needs.iter().all(|n| there(n)) || !sources.is_dir();
        let run = move || check(t, &sources).map_err(|e| format!("{e:#}").into());
        clock::test(format!("trees::{}", t.name), run).with_ignored_flag(ignored)
    };
    if arch::all_round() {
        return TREES.iter().map(trial).collect();
    }
    // SQLite takes nearly twice as long as the next.
    let tried = TREES.iter().filter(|t| t.name != "sqlite");
    arch::in_turn("trees", tried)
        .into_iter()
        .map(trial)
        .collect()
}

/// Where a tree lies, and what is built in it.
struct Copy {
    dir: PathBuf,
    data: PathBuf,
    cc: String,
}

impl Copy {
    fn sh(&self, script: &str) -> Result<String> {
        let out = self.command("-euc", script).output()?;
        let text = |b: &[u8]| String::from_utf8_lossy(b).into_owned();
        let said = text(&out.stderr);
        ensure!(
            out.status.success(),
            "CC={} {script}\n{}{said}",
            self.cc,
            text(&out.stdout)
        );
        Ok(text(&out.stdout))
    }

    fn command(&self, how: &str, script: &str) -> Command {
        let mut c = Command::new("sh");
        c.args([how, script])
            .current_dir(&self.dir)
            .env("CC", &self.cc)
            .env("DATA", &self.data)
            .env("PC3_CACHE", self.dir.join("cache-of-pc3"));
        c
    }

    fn output(&self, l: &Located, env: &[(&str, &str)]) -> Result<(Vec<u8>, Option<i32>)> {
        let out = self
            .command("-c", l.run)
            .env("PC3_DIR", self.dir.join("ckpt"))
            .envs(env.iter().copied())
            .output()
            .context("sh")?;
        Ok((out.stdout, out.status.code()))
    }
}

fn built(t: &Tree, sources: &Path, copy: Copy) -> Result<(Copy, String)> {
    let copied = Command::new("cp")
        .arg("-r")
        .arg(sources)
        .arg(&copy.dir)
        .status()?;
    ensure!(copied.success(), "cannot copy {}", sources.display());
    copy.sh(t.build)?;
    let checked = copy.sh(t.check)?;
    Ok((copy, checked))
}

fn check(t: &Tree, sources: &Path) -> Result<()> {
    let dir = tempfile::tempdir()?;
    let data = dir.path().join("data");
    std::fs::create_dir(&data)?;
    std::fs::write(data.join("thousand.sql"), statements::thousand())?;
    std::fs::copy(
        arch::root().join("tests/projects/moved.lua"),
        data.join("moved.lua"),
    )?;
    let own = arch::dist().join("bin/pc3cc").display().to_string();
    let copy = |name: &str, cc: &str| Copy {
        dir: dir.path().join(name),
        data: data.clone(),
        cc: cc.to_owned(),
    };
    let (_, expected) = built(t, sources, copy("plain", "cc"))?;
    let (tree, got) = built(t, sources, copy("ours", &own))?;
    ensure!(expected == got, "cc: {expected}\npc3cc: {got}");
    for l in t.located {
        located(l, &tree).with_context(|| l.run)?;
    }
    match &t.elsewhere {
        // It is built twice more for this, which takes as long as all else.
        Some(e) if arch::all_round() => elsewhere(e, &tree).context("elsewhere"),
        _ => Ok(()),
    }
}

fn elsewhere(e: &Elsewhere, tree: &Copy) -> Result<()> {
    if let Some(why) = S390X.missing() {
        println!("skipped: {why}");
        return Ok(());
    }
    let build = |arch: Arch| {
        let target = format!("{} --target={}", tree.cc, arch.gnu);
        let script = format!("ARCH={}; CC='{target}'; {}", arch.name, e.build);
        tree.sh(&script)
    };
    let run = |arch: Arch, env: &[(&str, &str)]| {
        let mut c = tree.command("-c", e.run);
        c.env("ARCH", arch.name)
            .env("RUN", arch.emulator().unwrap_or(""));
        c.env("PC3_DIR", tree.dir.join("ckpt"))
            .envs(env.iter().copied());
        c.output().context("sh")
    };
    let _ = std::fs::remove_dir_all(tree.dir.join("ckpt"));
    std::fs::write(tree.dir.join("said.txt"), e.annotations)?;
    build(HOST)?;
    let expected = run(HOST, &[])?;
    ensure!(
        expected.status.code() == Some(e.status),
        "run through: {}",
        expected.status
    );
    let stop = [("PC3_EVERY", e.every), ("PC3_STOP_AFTER", "1")];
    let first = run(HOST, &stop)?;
    ensure!(
        first.status.code() == Some(STOPPED),
        "it did not stop: {}",
        first.status
    );
    build(S390X)?;
    let refused = |env: &[(&str, &str)], words: &[&str]| {
        let done = run(S390X, env)?;
        let said = String::from_utf8_lossy(&done.stderr).into_owned();
        ensure!(done.status.code() == Some(89), "{}: {said}", done.status);
        for word in words {
            ensure!(said.contains(word), "no `{word}` in: {said}");
        }
        Ok(said)
    };
    let restart = ("PC3_RESTART", "latest");
    refused(&[restart], &["error[pc3::E0510]", e.order])?;
    let said = refused(&[restart, ("PC3_BYTE_ORDER", "ignore")], e.says)?;
    lines_are_right(&said, tree)?;
    let last = run(HOST, &[("PC3_RESTART", "latest")])?;
    ensure!(
        [first.stdout, last.stdout].concat() == expected.stdout,
        "where it came from its output differs"
    );
    Ok(())
}

/// Every `FILE:LINE (FUNCTION)` it names is a line that calls the function, in whatever letters.
fn lines_are_right(said: &str, tree: &Copy) -> Result<()> {
    for line in said.lines().filter(|l| l.starts_with("  ")) {
        let (place, called) = line
            .trim()
            .split_once(' ')
            .context("a place and what is called")?;
        let (file, n) = place.rsplit_once(':').context("a line")?;
        let text = std::fs::read_to_string(tree.dir.join(file)).context("a file of the tree")?;
        let source = text
            .lines()
            .nth(n.parse::<usize>()? - 1)
            .unwrap_or_default();
        let called = called.trim_matches(['(', ')']).to_lowercase();
        ensure!(
            source.to_lowercase().contains(&called),
            "{line}: `{source}`"
        );
    }
    Ok(())
}

fn located(l: &Located, tree: &Copy) -> Result<()> {
    tree.sh(l.prepare)?;
    let expected = tree.output(l, &[])?;
    ensure!(
        expected.1 == Some(l.status),
        "run through: exit status {:?}",
        expected.1
    );
    tree.sh(l.build)?;
    for every in l.every {
        stopped(l, tree, every, &expected.0).with_context(|| format!("every {every}"))?;
    }
    Ok(())
}

/// Stops after each checkpoint until it is done.
fn stopped(l: &Located, tree: &Copy, every: &str, expected: &[u8]) -> Result<()> {
    let out = tree.dir.join("out");
    let _ = std::fs::remove_file(&out);
    let _ = std::fs::remove_dir_all(tree.dir.join("ckpt"));
    let mut stops = 0;
    loop {
        let mut env = vec![("PC3_EVERY", every), ("PC3_STOP_AFTER", "1")];
        if stops > 0 {
            env.push(("PC3_RESTART", "latest"));
        }
        let (bytes, status) = tree.output(l, &env)?;
        let mut whole = std::fs::read(&out).unwrap_or_default();
        whole.extend(bytes);
        std::fs::write(&out, &whole)?;
        if status == Some(STOPPED) && stops < 1000 {
            stops += 1;
            continue;
        }
        ensure!(
            status == Some(l.status),
            "leg {stops}: exit status {status:?}"
        );
        ensure!(stops > 1, "it did not stop");
        ensure!(
            whole == expected,
            "stopped {stops} times, its output differs"
        );
        return Ok(());
    }
}
