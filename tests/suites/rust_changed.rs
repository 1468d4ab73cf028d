//! A Rust program's checkpoint under `pc3` and `pc3run`, and under programs that differ from the one it is of (`tests/changed`):
//! those with fields that may be missing go on, the others are refused before they run, with what differs.

use std::path::Path;
use std::process::{Command, Output};

use anyhow::{ensure, Context, Result};
use libtest_mimic::Trial;
use pc3_tests::arch;
use pc3_tests::clock;
use serde_json::Value;

pub fn trials() -> Vec<Trial> {
    vec![clock::test("rust::changed", || {
        changed().map_err(|e| format!("{e:#}").into())
    })]
}

/// What is replaced by what, and a word of the refusal; none: it goes on, and prints that.
struct Change {
    name: &'static str,
    replace: &'static [(&'static str, &'static str)],
    refused: Option<&'static str>,
    prints: &'static str,
}

const CHANGES: &[Change] = &[
    Change {
        name: "same",
        replace: &[],
        refused: None,
        prints: "wool: [1.0, 1.5, 3.5, 5.5], mood: Busy { since: 5, with: Some(\"grass 5\") }",
    },
    Change {
        name: "static-added",
        replace: &[
            ("Cell::new(100);", "Cell::new(0);\n    static OTHER: Cell<u32> = Cell::new(7);"),
            ("SHEARS.get());", "SHEARS.get() + OTHER.get());"),
        ],
        refused: None,
        prints: "with: Some(\"grass 5\") } }] 113",
    },
    Change {
        name: "static-gone",
        replace: &[("static SHEARS: Cell<u32>", "static SHEARS_OF_ALL: Cell<u32>"), ("SHEARS.set(SHEARS.get()", "SHEARS_OF_ALL.set(SHEARS_OF_ALL.get()"), ("SHEARS.get());", "SHEARS_OF_ALL.get());")],
        refused: Some("static changed::SHEARS: exists only in the checkpoint"),
        prints: "",
    },
    Change {
        name: "static-retyped",
        replace: &[("static SHEARS: Cell<u32>", "static SHEARS: Cell<u64>")],
        refused: Some("static changed::SHEARS: .value: was u32 in the checkpoint, and is u64 here"),
        prints: "",
    },
    Change {
        name: "added",
        replace: &[
            ("    mood: Mood,\n", "    mood: Mood,\n    #[pc3(since = 2)]\n    age: u8,\n    #[pc3(default = home)]\n    home: String,\n"),
            ("mood: Mood::Calm,\n    };", "mood: Mood::Calm,\n        age: 7,\n        home: home(),\n    };"),
            ("#[pc3::main(", "fn home() -> String {\n    \"a hill\".to_owned()\n}\n\n#[pc3::main("),
        ],
        refused: None,
        prints: "mood: Busy { since: 5, with: Some(\"grass 5\") }, age: 0, home: \"a hill\" }",
    },
    Change {
        name: "missing",
        replace: &[
            ("    mood: Mood,\n", "    mood: Mood,\n    age: u8,\n"),
            ("mood: Mood::Calm,\n    };", "mood: Mood::Calm,\n        age: 7,\n    };"),
        ],
        refused: Some("age"),
        prints: "",
    },
    Change {
        name: "retyped",
        replace: &[("let mut shorn = 0_usize", "let mut shorn = 0_f32"), ("-> usize", "-> f32"), ("sheep.wool.len()", "sheep.wool.len() as f32")],
        refused: Some("shorn"),
        prints: "",
    },
    Change {
        name: "renamed",
        replace: &[("shear", "clip")],
        refused: Some("point 1 is shear"),
        prints: "",
    },
    Change {
        name: "variant",
        replace: &[("Busy", "Hasty")],
        refused: Some("Busy"),
        prints: "",
    },
    Change {
        name: "moved",
        replace: &[("        checkpoint!();\n        shorn += sheep.wool.len();", "        shorn += sheep.wool.len();\n        let half = shorn / 2;\n        checkpoint!();\n        shorn += half % 2;")],
        refused: Some("exists only in the checkpoint"),
        prints: "",
    },
    Change {
        name: "shifted",
        replace: &[
            ("        checkpoint!();\n", ""),
            ("        sheep.mood = match", "        checkpoint!();\n        sheep.mood = match"),
        ],
        refused: Some("has been moved among the statements"),
        prints: "",
    },
    Change {
        name: "edited",
        replace: &[("+ 0.5", "+ 0.25")],
        refused: None,
        prints: "wool: [1.0, 1.5, 3.5, 5.25], mood: Busy",
    },
    Change {
        name: "inserted",
        replace: &[("        checkpoint!();\n", "        sheep.name.push('!');\n        checkpoint!();\n")],
        refused: None,
        prints: "Shaun!\"",
    },
];

fn changed() -> Result<()> {
    let dir = arch::target_dir().join("rustgen");
    let text = std::fs::read_to_string(arch::root().join("tests/changed/program.rs"))?;
    let built = CHANGES.iter().map(|change| -> Result<_> {
        let mut text = text.clone();
        for (old, new) in change.replace {
            ensure!(text.contains(old), "{}: {old}", change.name);
            text = text.replace(old, new);
        }
        build(&dir, change.name, &text)
    });
    let built: Vec<_> = built.collect::<Result<_>>()?;
    let work = tempfile::tempdir()?;
    let work = work.path();
    let first = work.join("first");
    let stop = [("PC3_EVERY", "1x"), ("PC3_STOP_AFTER", "4")];
    let done = run(&built[0], work, &first, &stop)?;
    ensure!(done.status.code() == Some(85), "{}", said(&done));
    tools(work, &first, &built[0])?;
    for (change, exe) in CHANGES.iter().zip(&built) {
        let own = work.join(change.name);
        copy(&first, &own)?;
        let done = run(exe, work, &own, &[("PC3_RESTART", "latest")])?;
        let said = said(&done);
        match change.refused {
            None => ensure!(
                done.status.success()
                    && said.contains(change.prints)
                    && said.matches("set up").count() == 1,
                "{}: {said}",
                change.name
            ),
            Some(word) => ensure!(
                done.status.code() == Some(89)
                    && done.stdout.is_empty()
                    && said.contains("E0501")
                    && said.contains(word),
                "{}: {:?} {said}",
                change.name,
                done.status
            ),
        }
    }
    Ok(())
}

/// In a crate of the same name, so that functions have the same.
fn build(dir: &Path, name: &str, text: &str) -> Result<std::path::PathBuf> {
    let package = dir.join("changed").join(name);
    std::fs::create_dir_all(package.join("src"))?;
    super::rust::manifest(&package, "changed")?;
    std::fs::write(package.join("src/main.rs"), text)?;
    let target = dir.join("target");
    let mut c = Command::new("cargo");
    c.args(["build", "--offline", "--quiet"]);
    c.current_dir(&package).env("CARGO_TARGET_DIR", &target);
    let done = c.output()?;
    ensure!(done.status.success(), "{name}: {}", said(&done));
    let exe = package.join("program");
    std::fs::copy(target.join("debug/changed"), &exe)?;
    Ok(exe)
}

fn run(exe: &Path, work: &Path, dir: &Path, env: &[(&str, &str)]) -> Result<Output> {
    let mut c = Command::new(exe);
    c.current_dir(work).env("PC3_DIR", dir);
    c.envs(env.iter().copied());
    c.output().context("the program")
}

fn said(done: &Output) -> String {
    format!(
        "{}{}",
        String::from_utf8_lossy(&done.stdout),
        String::from_utf8_lossy(&done.stderr)
    )
}

fn copy(from: &Path, to: &Path) -> Result<()> {
    let done = Command::new("cp").arg("-r").args([from, to]).status()?;
    ensure!(done.success(), "cp");
    Ok(())
}

/// What the tools say of it, and `pc3run` makes of it.
fn tools(work: &Path, checkpoints: &Path, exe: &Path) -> Result<()> {
    let tool = |args: &[&str]| -> Result<String> {
        let mut c = Command::new(arch::dist().join("bin/pc3"));
        let done = c.args(args).arg(checkpoints).current_dir(work).output()?;
        ensure!(done.status.success(), "pc3 {args:?}: {}", said(&done));
        Ok(said(&done))
    };
    let list = tool(&["ls"])?;
    ensure!(
        list.contains("x86_64") || list.contains(std::env::consts::ARCH),
        "{list}"
    );
    tool(&["verify"])?;
    let shown = tool(&["show"])?;
    for word in [
        "changed::shear",
        "changed::main",
        "shorn",
        "Dolly",
        "Shaun",
        "= Busy {",
        "grass 3",
        "wool",
        "program.rs:34",
    ] {
        let word = word.replace("program.rs", "main.rs");
        ensure!(shown.contains(&word), "{word} is not in\n{shown}");
    }
    ensure!(!shown.contains("Calm = {}"), "{shown}");
    let json: Value = serde_json::from_str(&tool(&["show", "--json"])?)?;
    ensure!(json.is_object(), "{json}");
    let own = work.join("again");
    copy(checkpoints, &own)?;
    let mut c = Command::new(arch::dist().join("bin/pc3run"));
    c.args(["--restart", "--dir"]).arg(&own).arg(exe);
    let done = c.current_dir(work).output()?;
    ensure!(
        done.status.success() && said(&done).contains("Busy { since: 5"),
        "pc3run: {}",
        said(&done)
    );
    Ok(())
}
