//! pc3cc's own options as a person meets them: the help, and what is nearly one of them, which would be a riddle
//! in the words of the compiler below.

/// Names and whether a value follows after `=`.
const OPTIONS: &[(&str, bool)] = &[
    ("--cc", true),
    ("--target", true),
    ("--checkpoint-at", true),
    ("--checkpoint-everywhere", false),
    ("--annotations", true),
    ("--explain", false),
    ("--explain-code", true),
    ("--message-format", true),
    ("--warnings", true),
    ("--emit", true),
];

/// `--help`: pc3's part, in front of the compiler's.
pub(crate) const HELP: &str = "\
Usage: pc3cc [options] file...                 (as cc: sources, objects, archives)
Options of pc3cc:
  --checkpoint-at=FUNCTION   A checkpoint can be taken at each entry of FUNCTION.
  --checkpoint-at=FILE:LINE  ... before the statement on that line.
  --checkpoint-everywhere    ... at function entries, loops and calls: for testing.
  --annotations=FILE         What is said of types, for sources that stay untouched.
  --explain                  Say which functions are instrumented, why, and what they save.
  --explain=heap             Say what is allocated where, of which type, and why.
  --emit=c                   Print the instrumented C instead of compiling it.
  -fno-pc3-track-unions      Do not note which member of a union was written last.
  -fno-pc3-pieces            Do not note what arenas and pools hand out, which then cannot change architecture.
  --target=TRIPLE            Build for another machine, with TRIPLE-gcc.
  --cc=COMMAND               The compiler below (default: PC3_CC, else cc).
  --explain-code=CODE        Say what an error or warning means and what to do.
  --message-format=json      Errors and warnings as JSON.
  --warnings=all             Show all warnings of a kind, not only the first 20.
  -Wno-pc3[-NAME], -Werror=pc3[-NAME]
                             Silence pc3cc's warnings, or make them errors.
In the source: #pragma pc3 checkpoint, or pc3_checkpoint(); from <pc3.h>
All other options go to the compiler below, whose help follows.

";

#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Mistaken {
    #[error("unknown option '{0}'; {1} is meant?")]
    Misspelt(String, &'static str),
    #[error("'{0}' takes its value after an equals sign: {0}=VALUE")]
    NoEquals(&'static str),
    #[error("'{0}' takes no value")]
    Value(&'static str),
}

/// `a` is none of pc3's options; does it only look so?
pub(crate) fn mistaken(a: &str) -> Result<(), Mistaken> {
    let name = a.split('=').next().unwrap_or(a);
    if let Some((own, value)) = OPTIONS.iter().find(|o| o.0 == name) {
        return Err(if *value {
            Mistaken::NoEquals(own)
        } else {
            Mistaken::Value(own)
        });
    }
    // clang has a `-target` of its own.
    let long = name.starts_with("--") || name.starts_with('-') && name.len() > 8;
    let near = |o: &&(&str, bool)| long && o.0.len() > 5 && strsim::osa_distance(o.0, name) <= 2;
    match OPTIONS.iter().find(near) {
        Some((own, _)) => Err(Mistaken::Misspelt(a.to_string(), own)),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mistakes() {
        let check = |option: &str, said: &str| {
            let error = mistaken(option).err();
            assert_eq!(error.map(|e| e.to_string()).unwrap_or_default(), said);
        };
        let meant = |option: &str, own: &str| {
            check(
                option,
                &format!("unknown option '{option}'; {own} is meant?"),
            );
        };
        meant("--chekpoint-at=f", "--checkpoint-at");
        meant("-checkpoint-at=f", "--checkpoint-at");
        meant("--explian", "--explain");
        meant("--emti=c", "--emit");
        check(
            "--checkpoint-everywhere=1",
            "'--checkpoint-everywhere' takes no value",
        );
        check(
            "--checkpoint-at",
            "'--checkpoint-at' takes its value after an equals sign: --checkpoint-at=VALUE",
        );
        for other in [
            "-target",
            "--param",
            "--sysroot=/",
            "--entry=f",
            "--trace",
            "target",
            "-O2",
            "a.c",
        ] {
            check(other, "");
        }
    }

    #[test]
    fn help_names_every_option() {
        for (name, value) in OPTIONS {
            let shown = format!("  {name}{}", if *value { "=" } else { " " });
            assert!(HELP.contains(&shown), "{name}");
        }
    }
}
