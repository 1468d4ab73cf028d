//! What means something else on another architecture: a restart there is refused, with what and where; where it came from
//! the program goes on.

use anyhow::{ensure, Context, Result};
use libtest_mimic::Trial;
use pc3_tests::arch::{self, Arch, HOST, I686, S390X};
use pc3_tests::build;
use pc3_tests::clock;
use pc3_tests::program::Program;
use pc3_tests::run::{Job, STOPPED};

struct Hop {
    program: &'static str,
    from: Arch,
    to: Arch,
    /// Of the refusal.
    words: &'static [&'static str],
}

const HOPS: &[Hop] = &[
    Hop {
        program: "network",
        from: HOST,
        to: S390X,
        words: &["E0510", "network.c:12", "network.c:13", "order of bytes"],
    },
    Hop {
        program: "network",
        from: S390X,
        to: HOST,
        words: &["E0510", "network.c:12", "network.c:13"],
    },
    Hop {
        program: "limits",
        from: I686,
        to: HOST,
        words: &["E0505", "search.best", "`LONG_MAX` (", "limits.c:9)"],
    },
    Hop {
        program: "bit_words",
        from: I686,
        to: HOST,
        words: &["E0510", "bit_words.c:10", "width of `long`"],
    },
    Hop {
        program: "bit_words",
        from: HOST,
        to: I686,
        words: &["E0510", "bit_words.c:10"],
    },
    Hop {
        program: "offsets",
        from: I686,
        to: HOST,
        words: &["E0510", "offsets.c:16", "members of structs"],
    },
    Hop {
        program: "offsets_in_arrays",
        from: HOST,
        to: I686,
        words: &["E0510", "offsets_in_arrays.c:18", "members of structs"],
    },
    Hop {
        program: "sums_in_arrays",
        from: HOST,
        to: I686,
        words: &["E0505", "main.first[1]", "sums_in_arrays.c:22"],
    },
    Hop {
        program: "distances",
        from: HOST,
        to: I686,
        words: &[
            "E0510",
            "distances.c:21",
            "distances.c:30",
            "members of structs",
        ],
    },
    Hop {
        program: "partial_totals",
        from: HOST,
        to: I686,
        words: &[
            "E0505",
            "used: ",
            "partial_totals.c:",
            "#pragma pc3 bytes used of",
        ],
    },
    Hop {
        program: "past_totals",
        from: HOST,
        to: I686,
        words: &["E0505", "before: ", "`#pragma pc3 bytes before of"],
    },
    Hop {
        program: "two_totals",
        from: HOST,
        to: I686,
        words: &["E0505", "heap.young: ", "two_totals.c:"],
    },
    Hop {
        program: "chars",
        from: HOST,
        to: S390X,
        words: &["E0505", "step.dx: -1", "-fsigned-char"],
    },
    Hop {
        program: "records",
        from: HOST,
        to: S390X,
        words: &["E0510", "records.c:20", "files that are open"],
    },
    Hop {
        program: "directions",
        from: HOST,
        to: S390X,
        words: &["E0510", "directions.c:6", "numbers of fenv.h"],
    },
    Hop {
        program: "copied",
        from: HOST,
        to: S390X,
        words: &["E0510", "copied.c:17", "order of bytes"],
    },
    Hop {
        program: "variants",
        from: HOST,
        to: I686,
        words: &[
            "E0505",
            "'struct object'.data[1]",
            "'struct number' (at variants.c:13)",
        ],
    },
    Hop {
        program: "counted",
        from: HOST,
        to: I686,
        words: &[
            "E0505",
            "'struct point'",
            "24 bytes",
            "16 here",
            "counted.c:10",
        ],
    },
    Hop {
        program: "walked",
        from: HOST,
        to: I686,
        words: &["E0505", "'struct record'", "walked.c:25"],
    },
    Hop {
        program: "arena_overwritten",
        from: HOST,
        to: S390X,
        words: &["E0504", "arena_overwritten.c:10 (malloc)"],
    },
    Hop {
        program: "among_characters",
        from: HOST,
        to: I686,
        words: &[
            "E0505",
            "among_characters.c:last",
            "'struct node' in an object of characters",
        ],
    },
    Hop {
        program: "pool_as_buffer",
        from: HOST,
        to: I686,
        words: &["E0504", "pool_as_buffer.c:19 (malloc)"],
    },
    Hop {
        program: "pointer_keys",
        from: HOST,
        to: S390X,
        words: &[
            "E0507",
            "pointer_keys.c:24",
            "pointer_keys.c:33",
            "pointer_keys.c:45",
        ],
    },
    Hop {
        program: "pointer_keys",
        from: I686,
        to: HOST,
        words: &[
            "E0507",
            "pointer_keys.c:24",
            "pointer_keys.c:33",
            "pointer_keys.c:45",
        ],
    },
    Hop {
        program: "sizes_beyond",
        from: HOST,
        to: I686,
        words: &["E0505", "main.total", "sizes_beyond.c:16"],
    },
    Hop {
        program: "sizes_floating",
        from: HOST,
        to: I686,
        words: &["E0510", "sizes_floating.c:15"],
    },
    Hop {
        program: "own_pointer",
        from: HOST,
        to: S390X,
        words: &["E0510", "own_pointer.c:32", "member of a union"],
    },
    Hop {
        program: "sizes_counted",
        from: HOST,
        to: I686,
        words: &["E0505", "main.n", "sizes_counted.c:12"],
    },
    Hop {
        program: "sizes_taken",
        from: HOST,
        to: I686,
        words: &["E0505", "sizes_taken.c:14"],
    },
    Hop {
        program: "tags",
        from: HOST,
        to: S390X,
        words: &["E0510", "tags.c:30", "member of a union"],
    },
    Hop {
        program: "sizes_waiting",
        from: I686,
        to: HOST,
        words: &["E0510", "sizes_waiting.c:18"],
    },
];

pub fn trials() -> Vec<Trial> {
    HOPS.iter()
        .map(|h| {
            let name = format!("elsewhere::{}_{}_{}", h.program, h.from.name, h.to.name);
            clock::test(name, move || check(h).map_err(|e| format!("{e:#}").into()))
        })
        .collect()
}

fn check(h: &Hop) -> Result<()> {
    if let Some(why) = h.from.missing().or_else(|| h.to.missing()) {
        println!("skipped: {why}");
        return Ok(());
    }
    let path = arch::root().join(format!("tests/elsewhere/{}.c", h.program));
    let program = Program::load(&path)?;
    let whole = Job::new(&program)?;
    let exe = build::instrumented(&program, h.from)?;
    ensure!(whole.run(h.from, &exe, &[])?.status == 0, "run through");

    let job = Job::new(&program)?;
    let stop = [("PC3_EVERY", "1x"), ("PC3_STOP_AFTER", "1")];
    let done = job.run(h.from, &exe, &stop)?;
    ensure!(done.status == STOPPED, "not stopped: {}", done.stderr);
    let again = [("PC3_RESTART", "latest")];
    let there = build::instrumented(&program, h.to)?;
    let refused = job.run(h.to, &there, &again)?;
    ensure!(
        refused.status == 89,
        "{}: {}",
        refused.status,
        refused.stderr
    );
    for w in h.words {
        ensure!(
            refused.stderr.contains(w),
            "no `{w}` in: {}",
            refused.stderr
        );
    }
    let done = job.run(h.from, &exe, &again).context("back")?;
    ensure!(
        done.status == 0 && job.stdout() == whole.stdout(),
        "where it came from: {}",
        done.stderr
    );
    Ok(())
}
