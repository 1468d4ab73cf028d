//! Random types: 2,000 of them are laid out as the compiler says, and their values move between all ABIs.  Frames with vectors
//! that the compiler moves as aligned ones.

use anyhow::{ensure, Result};
use libtest_mimic::Trial;
use pc3_tests::arch::{self, Arch, AARCH64, HOST, I686, S390X};
use pc3_tests::build;
use pc3_tests::clock;
use pc3_tests::program::Program;
use pc3_tests::run::{difference, Job, STOPPED};
use pc3_tests::types::{TypesPlan, CLANG_OF_BITS};

/// Programs, and types of each.
const PROGRAMS: u64 = 12;
const TYPES: usize = 170;

/// The first program with `_BitInt`.
const BITS: u64 = 5;

/// Name, program, where, options.
const ALIGNED: &[(&str, &str, Arch, &[&str])] = &[
    ("avx", "over_aligned", HOST, &["-O2", "-mavx2"]),
    ("avx_ranks", "mpi_over_aligned", HOST, &["-O2", "-mavx2"]),
    ("avx_clang", "over_aligned", HOST, &["-O2", "-mavx2", CLANG]),
    ("avx512", "over_aligned", HOST, &["-O2", "-mavx512f"]),
    (
        "avx512_clang",
        "over_aligned",
        HOST,
        &["-O2", "-mavx512f", CLANG],
    ),
    ("clang", "over_aligned", HOST, &["-O1", CLANG]),
    ("s390x", "over_aligned", S390X, &["-O2", "-march=z13"]),
    ("i686", "over_aligned", I686, &["-O2", "-msse2"]),
    ("aarch64", "over_aligned", AARCH64, &["-O2"]),
];
const CLANG: &str = "--cc=clang";

pub fn trials() -> Vec<Trial> {
    let folder = arch::target_dir().join("e2e/types");
    let trial = |n| {
        let plan = TypesPlan::nth(2026, n, TYPES, &folder);
        clock::test(format!("types::{n:02}"), move || {
            let done = plan.check();
            done.map(|_| ()).map_err(|e| format!("{e:#}").into())
        })
    };
    let mut all: Vec<Trial> = (0..PROGRAMS).map(trial).collect();
    let exact = move || {
        let mut plan = TypesPlan::nth(0, BITS, 0, &arch::target_dir().join("e2e/types"));
        let source = arch::root().join("tests/types/bit_precise.c");
        (0..3)
            .try_for_each(|first| {
                plan.first = first;
                plan.moves(&source)
            })
            .map_err(|e| format!("{e:#}").into())
    };
    let no_clang = !arch::in_path(CLANG_OF_BITS);
    all.push(clock::test("types::bit_precise", exact).with_ignored_flag(no_clang));
    for (name, program, arch, options) in ALIGNED {
        let cannot = arch.missing().is_some()
            || options.iter().any(|o| !has(o))
            || options.contains(&CLANG) && !arch::in_path("clang");
        let run =
            move || aligned(name, program, *arch, options).map_err(|e| format!("{e:#}").into());
        all.push(clock::test(format!("types::{name}"), run).with_ignored_flag(cannot));
    }
    all
}

/// Does this machine have what an option asks for?
fn has(option: &str) -> bool {
    #[cfg(target_arch = "x86_64")]
    match option {
        "-mavx2" => return std::arch::is_x86_feature_detected!("avx2"),
        "-mavx512f" => return std::arch::is_x86_feature_detected!("avx512f"),
        _ => {}
    }
    !option.starts_with("-mavx")
}

/// Stopped at every other checkpoint, and restarted with everything somewhere else.
fn aligned(name: &str, program: &str, arch: Arch, options: &[&str]) -> Result<()> {
    let path = arch::root().join(format!("tests/programs/{program}.c"));
    let mut p = Program::load(&path)?;
    p.flags = options.iter().map(|o| (*o).to_owned()).collect();
    p.name = format!("types_{name}");
    let exe = build::instrumented(&p, arch)?;
    let whole = Job::new(&p)?;
    let done = whole.run(arch, &exe, &[])?;
    ensure!(done.status == 0, "{done:?}");
    let job = Job::new(&p)?;
    for leg in 0.. {
        ensure!(leg < 40, "no end");
        let restart = if leg > 0 { "latest" } else { "" };
        let env = [
            ("PC3_EVERY", "1x"),
            ("PC3_STOP_AFTER", "2"),
            ("PC3_ADDRESSES", "elsewhere"),
            ("PC3_RESTART", restart),
        ];
        let done = job.run(arch, &exe, &env)?;
        if done.status != STOPPED {
            ensure!(done.status == 0 && leg > 2, "leg {leg}: {done:?}");
            break;
        }
    }
    match difference(&whole.stdout(), &job.stdout()) {
        Some(d) => anyhow::bail!("{d}"),
        None => Ok(()),
    }
}
