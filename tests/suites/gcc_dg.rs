//! gcc's `gcc.dg`, from Debian's sources: a share of its files is read, and programs among them are stopped and go on, in turn by the
//! commit. `front_dg` and `cargo xtask torture` try all (docs/torture.md).

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use anyhow::{ensure, Context, Result};
use libtest_mimic::Trial;
use pc3_tests::torture::{Kind, Plan, Scope, Source, Stops};
use pc3_tests::{arch, clock, dg};

/// One of so many files is read, in so many cases.
const SHARES: usize = 100;
const CASES: usize = 3;

/// What C does not have: gcc's internal forms.
const INTERNAL: [&str; 2] = ["__GIMPLE", "__RTL"];

/// What is not read, with a code that says so.
const UNREAD: [&str; 11] = [
    "anon-struct-12.c",
    "bitfld-9.c",
    "c99-scope-2.c",
    "declspec-15.c",
    "declspec-16.c",
    "declspec-17.c",
    "lto/pr54702_1.c",
    "pr67784-3.c",
    "pr67784-4.c",
    "pr67784-5.c",
    "rtl/x86_64/pr82933.c",
];

/// Programs; so many of them in a turn.
const PROGRAMS: [&str; 36] = [
    "20010822-1",
    "array-13",
    "atomic/stdatomic-lockfree",
    "builtins-6",
    "c99-fordecl-1",
    "cpp/strify4",
    "doloop-2",
    "graphite/pr43012",
    "ipa/ipa-pta-1",
    "ipa/pr103083-1",
    "pr101403",
    "pr18921-1",
    "pr38615",
    "pr50310-1",
    "pr58981",
    "pr78241",
    "pr85529",
    "pr93210",
    "pr97555",
    "sms-10",
    "strlenopt-1",
    "strlenopt-32",
    "strlenopt-79",
    "torture/20131122-0",
    "torture/pr100672",
    "torture/pr103237",
    "torture/pr27116",
    "torture/pr38405",
    "torture/pr46398",
    "torture/pr52943",
    "torture/pr57359-2",
    "torture/pr58553",
    "torture/pr61787",
    "torture/pr68721",
    "torture/pr79187",
    "torture/pr86945",
];
const IN_TURN: usize = 3;

pub fn trials() -> Vec<Trial> {
    let folder = arch::target_dir().join("sources/gcc/gcc.dg");
    let here = folder.is_dir();
    let mut list = Vec::new();
    for case in 0..CASES {
        let folder = folder.clone();
        let name = format!("gcc_dg::read::{case}");
        let run = move || some(&folder, case).map_err(|e| format!("{e:#}").into());
        list.push(clock::test(name, run).with_ignored_flag(!here));
    }
    let first = arch::turn_of("gcc_dg", PROGRAMS.len() / IN_TURN) * IN_TURN;
    for name in &PROGRAMS[first..first + IN_TURN] {
        let source = folder.join(format!("{name}.c"));
        let name = format!("gcc_dg::{}", name.replace('/', "::"));
        let run = move || goes_on(&source).map_err(|e| format!("{e:#}").into());
        list.push(clock::test(name, run).with_ignored_flag(!here));
    }
    list
}

fn some(folder: &Path, case: usize) -> Result<()> {
    let mut files = Vec::new();
    in_folder(folder, &mut files)?;
    files.sort();
    let share = arch::turn_of("gcc_dg", SHARES);
    let share = files.iter().skip(share).step_by(SHARES);
    let (mut accepted, mut unread) = (0, Vec::new());
    for file in share.skip(case).step_by(CASES) {
        let name = file.strip_prefix(folder)?.display().to_string();
        if let (false, Some(said)) = (UNREAD.contains(&name.as_str()), read(file)?) {
            accepted += 1;
            if said.contains("error[pc3::E01") || said.contains("panicked") {
                unread.push(format!("{name}: {said}"));
            }
        }
    }
    ensure!(accepted > 0, "gcc accepts no file");
    ensure!(unread.is_empty(), "{}", unread.join("\n"));
    Ok(())
}

fn in_folder(folder: &Path, out: &mut Vec<PathBuf>) -> Result<()> {
    for e in std::fs::read_dir(folder)? {
        let path = e?.path();
        if path.is_dir() {
            in_folder(&path, out)?;
        } else if path.extension().is_some_and(|e| e == "c") {
            out.push(path);
        }
    }
    Ok(())
}

/// What pc3cc says of a file without a location; None if the compiler does not accept it by itself.
fn read(file: &Path) -> Result<Option<String>> {
    let text = String::from_utf8_lossy(&std::fs::read(file)?).into_owned();
    let internal = INTERNAL.iter().any(|w| text.contains(w));
    let Some(options) = dg::options(&text).filter(|_| !internal) else {
        return Ok(None);
    };
    let folder = file.parent().context("no folder")?;
    let run = |program: &Path, more: &str| {
        let mut c = Command::new(program);
        c.args(["-w", more]).args(&options).arg(file);
        c.current_dir(folder).stdin(Stdio::null());
        c.output().with_context(|| format!("{c:?}"))
    };
    if !run(Path::new("cc"), "-fsyntax-only")?.status.success() {
        return Ok(None);
    }
    let done = run(&arch::dist().join("bin/pc3cc"), "--emit=c")?;
    Ok(Some(String::from_utf8_lossy(&done.stderr).into_owned()))
}

/// With a location everywhere, at home.
fn goes_on(source: &Path) -> Result<()> {
    let plan = Plan {
        level: "-O1".into(),
        scope: Scope::Same,
        seed: 1,
        stops: Stops::Journeys(1),
        limit: Duration::from_secs(300),
        patience: Duration::from_secs(60),
        others: None,
    };
    let v = plan.torture(&Source::file(source));
    ensure!(v.kind == Kind::Pass, "{v}\n{}", v.detail);
    Ok(())
}
