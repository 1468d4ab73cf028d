//! What the compiler says of programs with `#[checkpointable]`.  Of those in `tests/rust` whose names begin with `same` it
//! says what it says without the attribute; of the others, what stands at their ends (`UPDATE_EXPECT=1` writes it).

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{bail, ensure, Context, Result};
use libtest_mimic::Trial;
use pc3_tests::arch;
use pc3_tests::clock;
use serde_json::Value;

/// The compiler's own texts differ from version to version.
const THEIRS: &[&str] = &["E0080", "E0433", "E0599"];
/// What one of them says is ours.
const OURS: &str = "E0080";
const EXPECTED: &str = "//= ";

pub fn trials() -> Vec<Trial> {
    vec![clock::test("rust::diagnostics", || {
        messages().map_err(|e| format!("{e:#}").into())
    })]
}

struct Message {
    rendered: String,
    line: String,
}

fn messages() -> Result<()> {
    let sources = arch::root().join("tests/rust");
    let dir = arch::target_dir().join("rustgen");
    let package = dir.join("messages");
    let _ = std::fs::remove_dir_all(package.join("src"));
    std::fs::create_dir_all(package.join("src/bin"))?;
    super::rust::manifest(&package, "messages")?;
    let mut programs: Vec<PathBuf> = Vec::new();
    for entry in std::fs::read_dir(&sources)? {
        programs.push(entry?.path());
    }
    programs.sort();
    for p in &programs {
        let name = p.file_name().unwrap_or_default();
        std::fs::copy(p, package.join("src/bin").join(name))?;
    }
    let mut c = Command::new("cargo");
    c.args(["build", "--offline", "--quiet", "--keep-going", "--bins"]);
    c.args(["--message-format=json", "--jobs=2"]);
    c.current_dir(&package)
        .env("CARGO_TARGET_DIR", dir.join("target"));
    let said = String::from_utf8(c.output()?.stdout)?;
    let mut wrong = Vec::new();
    for p in &programs {
        let name = p.file_stem().unwrap_or_default().to_string_lossy();
        let mut found = Vec::new();
        for line in said.lines() {
            let v: Value = serde_json::from_str(line)?;
            if v["target"]["name"] == *name {
                found.extend(message(&v["message"]));
            }
        }
        let checked = match name.starts_with("same") {
            true => same(p, &dir.join("without"), &found),
            false => recorded(p, &found),
        };
        if let Err(e) = checked {
            wrong.push(format!("{name}: {e:#}"));
        }
    }
    wrong.extend(table()?);
    ensure!(wrong.is_empty(), "{}", wrong.join("\n"));
    Ok(())
}

/// What the document's table of errors tells of and nothing says.
fn table() -> Result<Vec<String>> {
    let text = std::fs::read_to_string(arch::root().join("docs/rust.md"))?;
    let (_, behind) = text
        .split_once("| the compiler says |")
        .context("no table of errors")?;
    let mut said = String::new();
    for dir in ["compiler/checkpointable", "runtime/rust/src", "tests/rust"] {
        gather(&arch::root().join(dir), &mut said)?;
    }
    let rows = behind.lines().skip(2).take_while(|l| l.starts_with('|'));
    let texts = rows.filter_map(|l| l.split('|').nth(1)?.split(" (").next());
    let texts = texts.map(str::trim).filter(|t| !t.starts_with('…'));
    let unsaid = texts.filter(|t| !said.contains(t));
    Ok(unsaid.map(|t| format!("docs/rust.md: {t}")).collect())
}

fn gather(dir: &Path, into: &mut String) -> Result<()> {
    for entry in std::fs::read_dir(dir)? {
        let path = entry?.path();
        match path.is_dir() {
            true => gather(&path, into)?,
            false => into.push_str(&std::fs::read_to_string(&path)?),
        }
    }
    Ok(())
}

fn message(m: &Value) -> Option<Message> {
    let list = m["spans"].as_array()?;
    let own = |s: &&Value| {
        s["file_name"]
            .as_str()
            .is_some_and(|f| f.starts_with("src/bin"))
    };
    let at = list.iter().find(|s| s["is_primary"] == true && own(s))?;
    let text = at["text"][0]["text"].as_str()?.trim_end();
    let column = |s: &str| at[s].as_u64().map(|n| n as usize - 1);
    let (from, mut to) = (column("column_start")?, column("column_end")?);
    if at["line_start"] != at["line_end"] {
        to = text.len();
    }
    let code = m["code"]["code"].as_str();
    let what = match code {
        Some(OURS) => ours(m["message"].as_str()?).unwrap_or(OURS),
        Some(code) if THEIRS.contains(&code) => code,
        None if m["level"] == "note" => "note",
        _ => m["message"].as_str()?,
    };
    let word = text.get(from..to).unwrap_or(text);
    Some(Message {
        rendered: m["rendered"].as_str()?.to_owned(),
        line: format!("{}:{} `{word}`: {what}", at["line_start"], from + 1),
    })
}

/// What stands behind the place that the text begins with.
fn ours(message: &str) -> Option<&str> {
    let (_, behind) = message.split_once(".rs:")?;
    Some(behind.split_once(": ")?.1)
}

fn recorded(program: &Path, found: &[Message]) -> Result<()> {
    // The compiler may say the same once for each part of a type, and once for each form of a function.
    let mut lines: Vec<&str> = found.iter().map(|m| &m.line[..]).collect();
    lines.dedup();
    let text = std::fs::read_to_string(program)?;
    let recorded = text.lines().filter_map(|l| l.strip_prefix(EXPECTED));
    let mut expected: Vec<&str> = recorded.collect();
    expected.dedup();
    if lines == expected && !lines.is_empty() {
        return Ok(());
    }
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        let mut new: Vec<String> = text.lines().map(str::to_owned).collect();
        new.retain(|l| !l.starts_with(EXPECTED));
        while new.last().is_some_and(String::is_empty) {
            new.pop();
        }
        new.push(String::new());
        new.extend(lines.iter().map(|l| format!("{EXPECTED}{l}")));
        std::fs::write(program, new.join("\n") + "\n")?;
        return Ok(());
    }
    bail!(
        "the compiler says\n{}\ninstead of\n{}",
        lines.join("\n"),
        expected.join("\n")
    )
}

/// All that is said without the attribute is said with it; the other forms may add to errors, where there are some, and not to
/// warnings.
fn same(program: &Path, dir: &Path, found: &[Message]) -> Result<()> {
    let name = program.file_name().unwrap_or_default();
    std::fs::create_dir_all(dir.join("src/bin"))?;
    let text = std::fs::read_to_string(program)?;
    let text = text
        .replace("use pc3::prelude::*;", "")
        .replace("#[checkpointable]", "")
        .replace("#[derive(Checkpointable)]", "")
        .replace("#[pc3::main]", "")
        .replace("checkpoint!();", "();");
    let at = Path::new("src/bin").join(name);
    std::fs::write(dir.join(&at), text)?;
    let mut c = Command::new("rustc");
    c.args(["--edition=2021", "--error-format=json", "--emit=metadata"]);
    c.args(["-o", "nothing"]).arg(&at).current_dir(dir);
    let said = String::from_utf8(c.output().context("rustc")?.stderr)?;
    let place = |m: &Message| m.line.split(':').next().unwrap_or_default().to_owned();
    let (mut count, mut places) = (0, Vec::new());
    for line in said.lines() {
        let v: Value = serde_json::from_str(line)?;
        let Some(m) = message(&v) else { continue };
        count += 1;
        let spans = v["spans"].as_array().into_iter().flatten();
        places.extend(spans.map(|s| s["line_start"].to_string()));
        ensure!(
            found
                .iter()
                .any(|f| shown(&f.rendered) == shown(&m.rendered)),
            "without the attribute the compiler says\n{}and with it\n{}",
            m.rendered,
            found.iter().map(|f| &f.rendered[..]).collect::<String>()
        );
    }
    ensure!(count > 3, "{count} messages without the attribute");
    if let Some(m) = found.iter().find(|m| !places.contains(&place(m))) {
        bail!("only with the attribute there is\n{}", m.rendered);
    }
    let warns = |m: &&Message| m.rendered.starts_with("warning");
    let ours = found.iter().filter(warns).count();
    if found.len() == ours {
        let ours_text: String = found.iter().map(|f| &f.rendered[..]).collect();
        ensure!(
            ours == count,
            "{ours} warnings instead of {count}:\n{ours_text}"
        );
    }
    Ok(())
}

/// Without the lines themselves, which differ by the attribute.
fn shown(rendered: &str) -> Vec<&str> {
    let code = |l: &&str| !l.contains('|') || l.contains('^');
    rendered.lines().filter(code).collect()
}
