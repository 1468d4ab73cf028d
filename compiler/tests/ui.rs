//! What users read: each `ui/*.c` through the built pc3cc, its standard error and exit status beside it in `*.stderr`.
//!
//! `// pc3cc: OPTIONS` in the first line adds options to `--emit=c FILE`.  Otherwise the first lines may be whole command
//! lines, in which ROOT is a folder of their own: `// run: ARGUMENTS` of pc3cc, `// tool: COMMAND` of something else,
//! whose output does not count.  `UPDATE_EXPECT=1` writes what comes out.

#![allow(clippy::unwrap_used)]

use pc3_syntax::diag::{Code, Severity};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/ui")
}

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// A tree that has the headers and no runtime.
fn root() -> tempfile::TempDir {
    let root = tempfile::tempdir().unwrap();
    let include = root.path().join("include");
    fs::create_dir(&include).unwrap();
    let headers = Path::new(env!("CARGO_MANIFEST_DIR")).join("../runtime/include");
    for h in ["pc3.h", "mpi.h"] {
        fs::copy(headers.join(h), include.join(h)).unwrap();
    }
    root
}

/// The programs to run, with their arguments; None: pc3cc.
fn commands(file: &str, source: &str, root: &Path) -> Vec<(Option<String>, Vec<String>)> {
    let root = root.display().to_string();
    let words = |s: &str| {
        let word = |w: &str| w.replace("ROOT", &root);
        s.split_whitespace().map(word).collect::<Vec<String>>()
    };
    let mut list = Vec::new();
    for line in source.lines() {
        if let Some(line) = line.strip_prefix("// run:") {
            list.push((None, words(line)));
        } else if let Some(line) = line.strip_prefix("// tool:") {
            let mut all = words(line);
            list.push((Some(all.remove(0)), all));
        } else {
            break;
        }
    }
    if list.is_empty() {
        let mut args = vec!["--emit=c".to_string()];
        if let Some(line) = source.strip_prefix("// pc3cc:") {
            args.extend(words(line.lines().next().unwrap_or("")));
        }
        args.push(file.to_string());
        list.push((None, args));
    }
    list
}

/// The one that `cargo xtask test` has installed, which is an optimised one; by itself, the tests' own.
fn pc3cc() -> PathBuf {
    let installed = std::env::var_os("PC3_TEST_COMPILER");
    installed.map_or_else(|| env!("CARGO_BIN_EXE_pc3cc").into(), PathBuf::from)
}

fn said(root: &Path, commands: &[(Option<String>, Vec<String>)]) -> String {
    let mut text = String::new();
    for (program, args) in commands {
        let out = Command::new(program.as_ref().map_or_else(pc3cc, PathBuf::from))
            .args(args)
            .current_dir(folder())
            .env("PC3_ROOT", root)
            .env_remove("PC3_CC")
            .env("LC_ALL", "C")
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&out.stderr);
        if program.is_some() {
            assert!(out.status.success(), "{program:?} {args:?}\n{said}");
            continue;
        }
        text += &said.replace(&root.display().to_string(), "ROOT");
        text += &format!("exit status {}\n", out.status.code().unwrap_or(-1));
    }
    text
}

fn sources() -> Vec<PathBuf> {
    let mut list: Vec<PathBuf> = fs::read_dir(folder())
        .unwrap()
        .map(|e| e.unwrap().path())
        .filter(|p| p.extension().is_some_and(|e| e == "c"))
        .collect();
    list.sort();
    list
}

#[test]
fn messages() {
    let root = root();
    let update = std::env::var_os("UPDATE_EXPECT").is_some();
    let mut wrong = Vec::new();
    for path in sources() {
        let file = path.file_name().unwrap().to_string_lossy().into_owned();
        let source = fs::read_to_string(&path).unwrap();
        let got = said(root.path(), &commands(&file, &source, root.path()));
        let expected = path.with_extension("stderr");
        let wanted = fs::read_to_string(&expected).unwrap_or_default();
        if got == wanted {
            continue;
        }
        if update {
            fs::write(&expected, got).unwrap();
        } else {
            wrong.push(format!("== {file}\n-- expected\n{wanted}-- got\n{got}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Each code of the table has a file here, and is a line of its own: no dead codes.
#[test]
fn every_code_is_shown() {
    let mut seen = BTreeSet::new();
    for path in sources() {
        let text = fs::read_to_string(path.with_extension("stderr")).unwrap_or_default();
        for c in Code::ALL {
            if text.contains(&format!("[pc3::{}]: ", c.id())) {
                seen.insert(c.id());
            }
        }
    }
    let missing: Vec<_> = Code::ALL
        .iter()
        .map(|c| c.id())
        .filter(|id| !seen.contains(id))
        .collect();
    assert!(missing.is_empty(), "no file in tests/ui shows {missing:?}");
}

/// An error at a place shows that place and its line; one with or without says what to do.
#[test]
fn every_message_has_a_place() {
    for path in sources() {
        let text = fs::read_to_string(path.with_extension("stderr")).unwrap_or_default();
        let lines: Vec<&str> = text.lines().collect();
        for (i, line) in lines.iter().enumerate() {
            let Some(at) = line.find(": error[").or_else(|| line.find(": warning[")) else {
                continue;
            };
            let next = lines.get(i + 1).copied().unwrap_or("");
            let shown = if line[..at].contains(':') {
                next.contains(" | ")
            } else {
                next.starts_with("  = help:")
            };
            assert!(shown, "{}: {line}", path.display());
        }
    }
}

/// A file here whose expected messages show the code.
fn shows(code: Code) -> PathBuf {
    let wanted = format!("[pc3::{}]: ", code.id());
    let shown = |p: &PathBuf| {
        fs::read_to_string(p.with_extension("stderr")).is_ok_and(|t| t.contains(&wanted))
    };
    sources().into_iter().find(shown).unwrap()
}

/// What a file's commands say with further options, none of those for warnings that the file itself has.
fn said_with(path: &Path, more: &[String]) -> String {
    let root = root();
    let file = path.file_name().unwrap().to_string_lossy().into_owned();
    let source = fs::read_to_string(path).unwrap();
    let mut list = commands(&file, &source, root.path());
    for (program, args) in &mut list {
        if program.is_none() {
            args.retain(|a| {
                !a.starts_with("-W") && a != "-w" && !a.starts_with("--message-format")
            });
            args.extend(more.iter().cloned());
        }
    }
    said(root.path(), &list)
}

/// Every warning can be silenced and made an error, alone, by its name.
#[test]
fn every_warning_has_its_switches() {
    let warnings = Code::ALL
        .iter()
        .filter(|c| c.severity() == Severity::Warning);
    for c in warnings {
        let (id, name) = (c.id(), c.switch());
        let path = shows(*c);
        let count = |more: &[String], kind: &str| {
            let text = said_with(&path, more);
            text.matches(&format!(" {kind}[pc3::{id}]: ")).count()
        };
        let on = format!("-Wpc3-{name}");
        assert!(
            count(std::slice::from_ref(&on), "warning") > 0,
            "{id}: {on}"
        );
        let off = [on.clone(), format!("-Wno-pc3-{name}")];
        assert_eq!(
            count(&off, "warning") + count(&off, "error"),
            0,
            "{id}: {off:?}"
        );
        let error = [format!("-Werror=pc3-{name}")];
        assert!(count(&error, "error") > 0, "{id}: {error:?}");
        assert_eq!(count(&error, "warning"), 0, "{id}: {error:?}");
        let not = [error[0].clone(), format!("-Wno-error=pc3-{name}")];
        assert_eq!(count(&not, "error"), 0, "{id}: {not:?}");
        assert!(said_with(&path, &error).contains("exit status 1"), "{id}");
    }
}

/// Every code as editors read it: an object a line, with code, switch, message and what to do.
#[test]
fn every_code_as_json() {
    for c in Code::ALL {
        let mut more = vec!["--message-format=json".to_string()];
        if c.severity() == Severity::Warning {
            more.push(format!("-Wpc3-{}", c.switch()));
        }
        let text = said_with(&shows(*c), &more);
        let objects = text.lines().filter(|l| l.starts_with('{'));
        let objects: Vec<serde_json::Value> =
            objects.map(|l| serde_json::from_str(l).unwrap()).collect();
        let own = |o: &&serde_json::Value| o["code"] == format!("pc3::{}", c.id());
        let found = objects.iter().find(own);
        let Some(o) = found else {
            panic!("{} is not among\n{text}", c.id());
        };
        assert!(o["message"].as_str().is_some_and(|m| m.len() > 5), "{o}");
        let warning = c.severity() == Severity::Warning;
        assert_eq!(o["kind"], if warning { "warning" } else { "error" });
        assert_eq!(o["option"].is_string(), warning, "{o}");
        for l in o["locations"].as_array().unwrap() {
            assert!(l["caret"]["line"].as_u64() >= Some(1), "{o}");
            assert!(l["caret"]["file"].is_string(), "{o}");
        }
    }
}

/// `--explain-code` prints the section of the page, for pc3cc's codes and running programs', and knows no others.
#[test]
fn every_code_is_explained() {
    let explain = |code: &str| {
        let mut own = Command::new(pc3cc());
        let out = own.args(["--explain-code", code]).output().unwrap();
        let said = String::from_utf8(out.stdout).unwrap();
        (out.status.success(), said)
    };
    let of_runs = pc3_typemetric::codes::ALL.iter().map(|c| c.0);
    for id in Code::ALL.iter().map(|c| c.id()).chain(of_runs) {
        let (done, text) = explain(id);
        let body = text.split_once('\n').map_or("", |(_, body)| body.trim());
        assert!(done && text.contains(id) && body.len() > 60, "{id}: {text}");
    }
    for unknown in ["E0999", "W0100", "nonsense"] {
        assert!(!explain(unknown).0, "{unknown}");
    }
}

/// What running programs say is shown with them, word for word (`tests/suites/messages.rs`).
#[test]
fn every_code_of_running_programs_is_shown() {
    let folder = repository().join("tests/diagnostics");
    let files = fs::read_dir(folder).unwrap().map(|e| e.unwrap().path());
    let said: Vec<PathBuf> = files
        .filter(|p| p.extension().is_some_and(|e| e == "stderr"))
        .collect();
    for p in &said {
        assert!(p.with_extension("c").exists(), "{}", p.display());
    }
    let texts = said.iter().map(|p| fs::read_to_string(p).unwrap());
    let text: String = texts.collect();
    for (id, _) in pc3_typemetric::codes::ALL {
        assert!(text.contains(&format!("[pc3::{id}]: ")), "{id}");
    }
}

/// No message has a code that is in neither table.
#[test]
fn no_code_is_made_up() {
    let of_runs = pc3_typemetric::codes::ALL.iter().map(|c| c.0);
    let known: BTreeSet<&str> = Code::ALL.iter().map(|c| c.id()).chain(of_runs).collect();
    let mut folders: Vec<PathBuf> = ["compiler", "runtime", "tools"]
        .map(|f| repository().join(f))
        .into();
    let mut seen = 0;
    while let Some(folder) = folders.pop() {
        for path in fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()) {
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == "rs" || e == "c") {
                let text = fs::read_to_string(&path).unwrap();
                for rest in text.split("[pc3::").skip(1) {
                    let id = rest.split(']').next().unwrap_or_default();
                    let code = id.len() == 5 && id[1..].bytes().all(|b| b.is_ascii_digit());
                    assert!(!code || known.contains(id), "{}: {id}", path.display());
                    seen += usize::from(code);
                }
            }
        }
    }
    assert!(seen > 0);
}

/// The page of limitations names every code, and none that does not exist.
#[test]
fn limitations_name_every_code() {
    let page = fs::read_to_string(repository().join("docs/limitations.md")).unwrap();
    let of_runs = pc3_typemetric::codes::ALL.iter().map(|c| c.0);
    let all: Vec<&str> = Code::ALL.iter().map(|c| c.id()).chain(of_runs).collect();
    for id in &all {
        assert!(page.contains(id), "{id} is not explained");
    }
    for word in page.split(|c: char| !c.is_ascii_alphanumeric()) {
        let code = word.len() == 5
            && matches!(word.as_bytes()[0], b'E' | b'W')
            && word[1..].bytes().all(|b| b.is_ascii_digit());
        assert!(!code || all.contains(&word), "{word} is no code");
    }
}
