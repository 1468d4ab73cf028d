//! What a run of the torture machine ends with.

use std::collections::BTreeMap;

use pc3_tests::torture::tally::{reasons, share, Kinds, Tally};
use pc3_tests::torture::{Scope, Source, Verdict};

use super::TortureOptions;

/// How many of each kind, and why.
pub fn kinds(verdicts: &BTreeMap<String, Verdict>) {
    for (kind, (n, whys)) in reasons(verdicts.values()) {
        println!("{n:>6}  {}", kind.name());
        for (why, n) in whys {
            println!("{:>6}  {n:>5}  {why}", "");
        }
    }
}

/// How to try a bad one again.
pub fn again(source: &Source, verdict: &Verdict, o: &TortureOptions, level: &str) {
    let scope = match o.scope() {
        Scope::Without => " --without",
        Scope::Same => " --same",
        Scope::Hop => " --hop",
        Scope::Both => "",
    };
    let others = o.others.map_or(String::new(), |n| format!(" --others {n}"));
    let stops = match o.star {
        Some(n) => format!("--star {n}"),
        None => format!("--seed {} --seeds {}", o.seed, o.seeds),
    };
    let cc = source
        .cc
        .as_ref()
        .map_or(String::new(), |cc| format!(" --cc '{cc}'"));
    println!(
        "{}: cargo xtask torture -v -O{level} {stops}{others}{scope}{cc} {}",
        verdict.kind.name(),
        source.named_by
    );
}

/// All levels side by side.
pub fn table(levels: &[(&str, Tally)], of: Kinds) {
    let row = |name: &str, cell: &dyn Fn(&Tally) -> String| {
        print!("{name:<34}");
        for (_, t) in levels {
            print!("{:>18}", cell(t));
        }
        println!();
    };
    let part = |n: usize, of: usize| format!("{n} ({:.1} %)", share(n, of));
    println!();
    print!("{:<34}", "");
    levels
        .iter()
        .for_each(|(level, _)| print!("{:>18}", format!("-O{level}")));
    println!();
    row("with a plain build to compare with", &|t| {
        t.referenced.to_string()
    });
    let moved = matches!(of.scope, Scope::Hop | Scope::Both);
    if of.scope == Scope::Without {
        row("same without locations", &|t| {
            part(t.complete, t.referenced)
        });
    } else {
        row("accepted", &|t| part(t.accepted, t.referenced));
    }
    if matches!(of.scope, Scope::Same | Scope::Both) {
        row("passed at home", &|t| part(t.stayed, t.accepted));
    }
    if moved {
        row("plain builds agree", &|t| part(t.agree, t.accepted));
        row("completed, moved", &|t| part(t.complete, t.agree));
    }
    if of.scope != Scope::Without {
        row("refused", &|t| part(t.refused, t.referenced));
        row("known to depend on the machine", &|t| t.depends.to_string());
        row("restarts survived", &|t| t.moves.to_string());
    }
    row("built otherwise than plainly", &|t| t.broken.to_string());
    row("wrong", &|t| t.wrong.to_string());
    row("crashed", &|t| t.crash.to_string());
    row("hung", &|t| t.hang.to_string());
}
