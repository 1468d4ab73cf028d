//! Sequential programs written by others, from Debian's source packages (`cargo xtask setup` fetches them): bzip2, zlib's
//! minigzip, and a small share of gcc's torture programs through the torture machine (`cargo xtask torture` tries them all).

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{bail, ensure, Context, Result};
use libtest_mimic::Trial;
use pc3_tests::arch::{self, Arch, HOST, S390X};
use pc3_tests::build;
use pc3_tests::clock;
use pc3_tests::program::{Abis, Program};
use pc3_tests::run::{Job, STOPPED};
use pc3_tests::torture::{Kind, Plan, Scope, Source, Stops};

/// Torture programs with state worth moving.
const TORTURE: &[&str] = &[
    "20000223-1",
    "20000605-1",
    "20000815-1",
    "20000914-1",
    "20001124-1",
    "20001203-2",
    "20010129-1",
    "20010910-1",
    "20011126-2",
    "20020402-3",
    "20020404-1",
    "20020406-1",
    "20020529-1",
    "20020615-1",
    "20021024-1",
    "20021120-1",
    "20030313-1",
    "20030717-1",
    "20031201-1",
    "20041218-1",
    "20050826-1",
    "20050826-2",
    "20071030-1",
    "20071120-1",
    "20071219-1",
    "20090113-1",
    "20090113-2",
    "20090113-3",
    "20100430-1",
    "20170401-1",
    "20180921-1",
    "20190820-1",
    "20191023-1",
    "920501-6",
    "960209-1",
    "990128-1",
    "990628-1",
    "991014-1",
    "arith-rand-ll",
    "ashldi-1",
    "ashrdi-1",
    "builtin-prefetch-2",
    "builtin-prefetch-3",
    "cbrt",
    "ipa-sra-2",
    "lshrdi-1",
    "postmod-1",
    "pr15262-1",
    "pr20601-1",
    "pr27285",
    "pr28982a",
    "pr28982b",
    "pr33870",
    "pr33870-1",
    "pr34176",
    "pr35800",
    "pr36038",
    "pr37573",
    "pr39100",
];

pub fn trials() -> Vec<Trial> {
    let sources = arch::target_dir().join("sources");
    let (bz, torture) = (
        sources.join("bzip2"),
        sources.join("gcc/gcc.c-torture/execute"),
    );
    let mut list = Vec::new();
    for way in [Way::Compress, Way::Decompress] {
        for ends in [Ends::Standard, Ends::Files] {
            let dir = bz.clone();
            let name = format!("debian::bzip2::{way:?}::{ends:?}").to_lowercase();
            list.push(trial(name, &bz, move || bzip2(&dir, way, ends)));
        }
    }
    let z = sources.join("zlib");
    for way in [Way::Compress, Way::Decompress] {
        let dir = z.clone();
        let name = format!("debian::minigzip::{way:?}").to_lowercase();
        list.push(trial(name, &z, move || minigzip(&dir, way)));
    }
    let lua = sources.join("lua/src");
    let scripts = ["tables", "objects", "strings", "closures", "metatables"];
    for script in arch::share("lua", scripts.into_iter(), 2) {
        let dir = lua.clone();
        list.push(trial(format!("debian::lua::{script}"), &lua, move || {
            moves_scripts(&dir, script)
        }));
    }
    for name in arch::share("torture", TORTURE.iter(), 4) {
        let source = torture.join(format!("{name}.c"));
        list.push(trial(
            format!("debian::torture::{name}"),
            &torture,
            move || torture_program(&source),
        ));
    }
    list
}

/// Ignored, and shown so, where the sources could not be had.
fn trial(name: String, sources: &Path, run: impl FnOnce() -> Result<()> + Send + 'static) -> Trial {
    clock::test(name, move || run().map_err(|e| format!("{e:#}").into()))
        .with_ignored_flag(!sources.is_dir())
}

/// Host → the others in turn → host.
fn round_trip() -> Vec<Arch> {
    let mut hops = vec![HOST];
    hops.extend(arch::round_of("bzip2").into_iter().filter(|a| *a != HOST));
    hops.push(HOST);
    hops
}

/// Moves a job along `hops`, each leg up to the `k`-th location it passes, the last one to its end.  The exit status,
/// and where the program ended.
fn travel(job: &Job, hops: &[Arch], k: u64) -> Result<(i32, Arch, u32)> {
    let every = format!("{k}x");
    for (i, arch) in hops.iter().enumerate() {
        let mut env = vec![("PC3_KEEP", "1")];
        if i > 0 {
            env.push(("PC3_RESTART", "latest"));
        }
        if i + 1 < hops.len() {
            env.extend([("PC3_EVERY", every.as_str()), ("PC3_STOP_AFTER", "1")]);
        }
        let done = job.run(*arch, &build::instrumented(&job.program, *arch)?, &env)?;
        if done.status != STOPPED || i + 1 == hops.len() {
            return Ok((done.status, *arch, i as u32));
        }
    }
    bail!("no architecture to run on")
}

/// Moves a job on to the next architecture at each `k`-th location, round and round until it ends: its exit status, and
/// how often it was moved.
fn wander(job: &Job, archs: &[Arch], k: u64) -> Result<(i32, u32)> {
    let every = format!("{k}x");
    let mut moves = 0;
    loop {
        let arch = archs[moves as usize % archs.len()];
        let mut env = vec![
            ("PC3_KEEP", "1"),
            ("PC3_EVERY", every.as_str()),
            ("PC3_STOP_AFTER", "1"),
        ];
        if moves > 0 {
            env.push(("PC3_RESTART", "latest"));
        }
        let done = job.run(arch, &build::instrumented(&job.program, arch)?, &env)?;
        if done.status != STOPPED {
            return Ok((done.status, moves));
        }
        moves += 1;
    }
}

// ---- Lua -----------------------------------------------------------------------------------

/// An interpreter all of whose objects lie elsewhere at each restart, in the middle of a script: at calls of `print`. Tables find
/// what has functions and tables as keys, and traversals go on. Then it goes round architectures.
fn moves_scripts(sources: &Path, script: &str) -> Result<()> {
    let program = lua_program(sources, script)?;
    let plain = Job::new(&program)?;
    let done = plain.run(HOST, &build::plain(&program, HOST)?, &[])?;
    ensure!(done.status == 0, "plain Lua fails: {}", done.stderr);
    let expected = plain.stdout();
    for k in ["2x", "5x"] {
        let job = Job::new(&program)?;
        let exe = build::instrumented(&program, HOST)?;
        let mut env = vec![
            ("PC3_KEEP", "1"),
            ("PC3_EVERY", k),
            ("PC3_STOP_AFTER", "1"),
            ("PC3_ADDRESSES", "elsewhere"),
        ];
        let mut moves = 0;
        let status = loop {
            let done = job.run(HOST, &exe, &env)?;
            if done.status != STOPPED {
                break done.status;
            }
            if moves == 0 {
                env.push(("PC3_RESTART", "latest"));
            }
            moves += 1;
        };
        let at = || format!("every {k}, {moves} moves\n{}", job.stderr());
        ensure!(status == 0, "exit status {status}, {}", at());
        ensure!(moves > 1, "too few locations, {}", at());
        ensure!(job.stdout() == expected, "output differs, {}", at());
    }
    let mut round = arch::available();
    // A buffer of 1,024 characters, where 32 bits have 512; numbers of addresses within objects to which nothing leads.
    let wide = ["strings", "objects"].contains(&script);
    round.retain(|a| a.bits == 64 || !wide);
    let every: &[u64] = if wide { &[3, 7] } else { &[3] };
    for k in every.iter().copied() {
        let job = Job::new(&program)?;
        let (status, moves) = wander(&job, &round, k)?;
        let at = || {
            format!(
                "every {k}th, {moves} moves round {round:?}\n{}",
                job.stderr()
            )
        };
        ensure!(status == 0, "exit status {status}, {}", at());
        ensure!(moves > 1, "too few locations, {}", at());
        ensure!(job.stdout() == expected, "output differs, {}", at());
    }
    Ok(())
}

fn lua_program(sources: &Path, script: &str) -> Result<Program> {
    let mut files: Vec<PathBuf> = std::fs::read_dir(sources)?
        .flatten()
        .map(|e| e.path())
        .filter(|p| p.extension().is_some_and(|e| e == "c") && !p.ends_with("luac.c"))
        .collect();
    files.sort();
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("data/lua");
    let script = data.join(format!("{script}.lua"));
    let said = data.join("annotations").display().to_string();
    Ok(Program {
        name: "lua".into(),
        sources: files,
        args: vec![script.display().to_string()],
        ranks: 0,
        abis: Abis::All,
        pc3_flags: vec![
            "--checkpoint-at=luaB_print".into(),
            format!("--annotations={said}"),
        ],
        flags: ["-O1", "-w", "-DLUA_USE_POSIX"].map(str::to_owned).to_vec(),
        stdin: None,
        cc: None,
    })
}

// ---- zlib's minigzip ------------------------------------------------------------------------

/// It reads standard input through a descriptor, ahead of what it has worked off.
fn minigzip(sources: &Path, way: Way) -> Result<()> {
    let data = tempfile::tempdir()?;
    let (text, packed) = (data.path().join("text"), data.path().join("packed"));
    std::fs::write(&text, sample(700_000))?;
    let plain = Job::new(&minigzip_program(sources, &text, &[])?)?;
    let done = plain.run(HOST, &build::plain(&plain.program, HOST)?, &[])?;
    ensure!(done.status == 0, "plain minigzip fails: {}", done.stderr);
    std::fs::write(&packed, plain.stdout())?;
    let (input, expected, args): (_, _, &[&str]) = match way {
        Way::Compress => (&text, &packed, &[]),
        Way::Decompress => (&packed, &text, &["-d"]),
    };
    let expected = std::fs::read(expected)?;
    for k in [5, 14] {
        let job = Job::new(&minigzip_program(sources, input, args)?)?;
        let (status, moves) = wander(&job, &arch::round_of("minigzip"), k)?;
        let at = || format!("k = {k}, {moves} moves\n{}", job.stderr());
        ensure!(status == 0, "exit status {status}, {}", at());
        ensure!(moves > 1, "too few locations, {}", at());
        ensure!(job.stdout() == expected, "output differs, {}", at());
    }
    Ok(())
}

fn minigzip_program(sources: &Path, stdin: &Path, args: &[&str]) -> Result<Program> {
    let mut files: Vec<PathBuf> = std::fs::read_dir(sources)?
        .flatten()
        .map(|e| e.path())
        .filter(|p| p.extension().is_some_and(|e| e == "c"))
        .collect();
    files.sort();
    files.push(sources.join("test/minigzip.c"));
    let include = format!("-I{}", sources.display());
    let flags = ["-O2", "-w", "-DHAVE_UNISTD_H", &include];
    let places = ["--checkpoint-at=gzwrite", "--checkpoint-at=gzread"];
    Ok(Program {
        name: "minigzip".into(),
        sources: files,
        args: args.iter().map(|a| a.to_string()).collect(),
        ranks: 0,
        cc: None,
        abis: Abis::All,
        pc3_flags: places.map(str::to_owned).to_vec(),
        flags: flags.map(str::to_owned).to_vec(),
        stdin: Some(stdin.to_path_buf()),
    })
}

// ---- bzip2 ------------------------------------------------------------------------------

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Way {
    Compress,
    Decompress,
}
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Ends {
    /// From standard input to standard output.
    Standard,
    /// Named on the command line; bzip2 opens, checks, and renames.
    Files,
}

/// Locations where blocks are sorted, coded and decoded: below BZ2_bzWrite, in the middle of a stream.
const BLOCKS: [&str; 3] = [
    "--checkpoint-at=BZ2_hbMakeCodeLengths",
    "--checkpoint-at=BZ2_blockSort",
    "--checkpoint-at=BZ2_hbCreateDecodeTables",
];

fn bzip2(sources: &Path, way: Way, ends: Ends) -> Result<()> {
    let data = tempfile::tempdir()?;
    let (text, packed) = (data.path().join("text"), data.path().join("packed"));
    std::fs::write(&text, sample(2_500_000))?;
    // What the plain program makes of the sample, on the host.
    let plain = Job::new(&bzip2_program(sources, &text, &["-1"]))?;
    let done = plain.run(HOST, &build::plain(&plain.program, HOST)?, &[])?;
    ensure!(done.status == 0, "plain bzip2 fails: {}", done.stderr);
    std::fs::write(&packed, plain.stdout())?;

    let (input, expected, option) = match way {
        Way::Compress => (&text, &packed, "-1"),
        Way::Decompress => (&packed, &text, "-d"),
    };
    let expected = std::fs::read(expected)?;
    let mut hops = round_trip();
    if way == Way::Compress {
        // The compressor's memory holds words at one time and bytes at another: it stays little-endian.
        hops.retain(|a| *a != S390X);
        if S390X.missing().is_none() {
            refused_elsewhere(sources, input, option)?;
        }
    }
    for k in [1, 7, 20] {
        let mut program = bzip2_program(sources, input, &[option]);
        if ends == Ends::Files {
            program.args = vec![option.into(), "-k".into(), "file.bz2".into()];
            if way == Way::Compress {
                program.args[2] = "file".into();
            }
            program.stdin = None;
        }
        let job = Job::new(&program)?;
        if ends == Ends::Files {
            std::fs::copy(input, job.dir.path().join(&program.args[2]))?;
        }
        let (status, _, legs) = travel(&job, &hops, k)?;
        let at = || format!("k = {k}\n{}", job.stderr());
        ensure!(status == 0, "exit status {status}, {}", at());
        ensure!(
            legs as usize + 1 == hops.len(),
            "ended after {legs} moves: too few locations, {}",
            at()
        );
        let got = match ends {
            Ends::Standard => job.stdout(),
            Ends::Files => {
                let made = if way == Way::Compress {
                    "file.bz2"
                } else {
                    "file"
                };
                std::fs::read(job.dir.path().join(made)).with_context(at)?
            }
        };
        ensure!(
            got == expected,
            "{} bytes differ from the expected {}, {}",
            got.len(),
            expected.len(),
            at()
        );
    }
    Ok(())
}

/// A machine of the other byte order says which memory it cannot take over.
fn refused_elsewhere(sources: &Path, input: &Path, option: &str) -> Result<()> {
    let job = Job::new(&bzip2_program(sources, input, &[option]))?;
    let (status, arch, _) = travel(&job, &[HOST, S390X, HOST], 2)?;
    let stderr = job.stderr();
    ensure!(
        status == 89 && arch == S390X && stderr.contains("bzlib.c:17"),
        "exit status {status} on {}: {stderr}",
        arch.name
    );
    Ok(())
}

fn bzip2_program(sources: &Path, stdin: &Path, args: &[&str]) -> Program {
    let files = [
        "blocksort",
        "huffman",
        "crctable",
        "randtable",
        "compress",
        "decompress",
        "bzlib",
        "bzip2",
    ];
    Program {
        name: "bzip2".into(),
        sources: files
            .iter()
            .map(|f| sources.join(format!("{f}.c")))
            .collect(),
        args: args.iter().map(|a| a.to_string()).collect(),
        ranks: 0,
        cc: None,
        abis: Abis::All,
        pc3_flags: BLOCKS.iter().map(|b| b.to_string()).collect(),
        flags: vec!["-O2".into(), "-w".into(), "-D_FILE_OFFSET_BITS=64".into()],
        stdin: Some(stdin.to_path_buf()),
    }
}

/// Words of skewed frequency with runs between them: compresses about as text does.
fn sample(bytes: usize) -> Vec<u8> {
    let mut state = 12_345_u32;
    let mut next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        state >> 8
    };
    let words: Vec<Vec<u8>> = (0..600)
        .map(|_| {
            (0..2 + next() % 9)
                .map(|_| b'a' + (next() % 26) as u8)
                .collect()
        })
        .collect();
    let mut out = Vec::with_capacity(bytes + 300);
    while out.len() < bytes {
        let (a, b) = (next() as usize % words.len(), next() as usize % words.len());
        out.extend_from_slice(&words[a.min(b)]);
        out.push(if next() % 11 == 0 { b'\n' } else { b' ' });
        if next() % 5000 == 0 {
            out.extend(std::iter::repeat_n(b'-', 200 + next() as usize % 60));
        }
    }
    out.truncate(bytes);
    out
}

// ---- gcc's torture programs -----------------------------------------------------------------

fn torture_program(path: &Path) -> Result<()> {
    let plan = Plan {
        level: "-O2".into(),
        scope: Scope::Both,
        seed: 1,
        stops: Stops::Journeys(2),
        limit: Duration::from_secs(300),
        patience: Duration::from_secs(60),
        others: (!arch::all_round()).then_some(1),
    };
    let v = plan.torture(&Source::file(path));
    ensure!(v.kind == Kind::Pass, "{v}\n{}", v.detail);
    ensure!(v.moves > 0, "never moved");
    Ok(())
}
