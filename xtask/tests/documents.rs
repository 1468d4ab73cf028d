//! Links of the repository's documents lead somewhere: to files that there are, and to headings in them.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

fn root() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    root.canonicalize().expect("the repository")
}

/// Lines outside of code blocks, with their numbers.
fn prose(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut code = false;
    text.lines().zip(1..).filter_map(move |(line, number)| {
        let fence = line.starts_with("```");
        code ^= fence;
        (!code && !fence).then_some((number, line))
    })
}

/// Text and places of `[text](place)`; what is in backticks is no link.
fn links(line: &str) -> Vec<(&str, &str)> {
    let mut found = Vec::new();
    let mut quoted = false;
    let mut open = None;
    for (i, c) in line.char_indices() {
        match c {
            '`' => quoted = !quoted,
            '[' if !quoted => open = Some(i),
            ']' if !quoted && line[i..].starts_with("](") => {
                let place = line[i + 2..].split(')').next().unwrap_or_default();
                found.extend(open.take().map(|o| (&line[o + 1..i], place)));
            }
            _ => {}
        }
    }
    found
}

/// As GitHub names a heading: lower case, blanks as hyphens, no other punctuation.
fn anchor(heading: &str) -> String {
    let mut text = heading.to_string();
    for (words, place) in links(heading) {
        text = text.replace(&format!("[{words}]({place})"), words);
    }
    let kept = |c: &char| c.is_alphanumeric() || "-_ ".contains(*c);
    let lower = text.trim().to_lowercase();
    lower
        .chars()
        .filter(kept)
        .collect::<String>()
        .replace(' ', "-")
}

fn anchors(text: &str) -> BTreeSet<String> {
    let mut times = BTreeMap::new();
    let headings = prose(text).filter_map(|(_, line)| {
        let words = line.trim_start_matches('#');
        (words.len() < line.len() && words.starts_with(' ')).then(|| anchor(words))
    });
    let number = |a: String| {
        let before = times.entry(a.clone()).or_insert(0);
        *before += 1;
        match *before {
            1 => a,
            n => format!("{a}-{}", n - 1),
        }
    };
    headings.map(number).collect()
}

/// Documents that a line speaks of in backticks by their place in the tree.
fn named(line: &str) -> impl Iterator<Item = &str> {
    let words = line.split('`').skip(1).step_by(2);
    words.filter(|w| w.starts_with("docs/") && w.ends_with(".md"))
}

/// Files and folders of the sources, as documents call them: without `src`, `mod.rs` and `.rs`, from any folder on.
fn sources() -> BTreeSet<String> {
    let listed = Command::new("git")
        .args(["ls-files"])
        .current_dir(root())
        .output();
    let listed = String::from_utf8(listed.expect("git").stdout).expect("names");
    let mut all = BTreeSet::new();
    for file in listed.lines() {
        let names = plain(file);
        for end in 1..=names.len() {
            all.extend((0..end).map(|begin| names[begin..end].join("/")));
        }
    }
    all
}

fn plain(path: &str) -> Vec<&str> {
    let path = path.trim_end_matches('/').trim_end_matches(".rs");
    let path = path.strip_suffix("/mod").unwrap_or(path);
    path.split('/').filter(|name| *name != "src").collect()
}

/// `a/{b,c}` is `a/b` and `a/c`.
fn each(path: &str) -> Vec<String> {
    let parts = path.split_once('{').and_then(|(front, rest)| {
        let (names, behind) = rest.split_once('}')?;
        Some((front, names, behind))
    });
    let Some((front, names, behind)) = parts else {
        return vec![path.to_string()];
    };
    let names = names.split(',');
    names
        .flat_map(|n| each(&format!("{front}{n}{behind}")))
        .collect()
}

/// Paths of sources in backticks that lead nowhere.
fn lost(line: &str, sources: &BTreeSet<String>) -> Vec<String> {
    let letter = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "_/.{},".contains(c);
    let quoted = line.split('`').skip(1).step_by(2);
    let paths =
        quoted.filter(|w| w.contains('/') && w.starts_with(|c: char| c.is_ascii_lowercase()));
    let paths = paths.filter(|w| w.chars().all(letter)).flat_map(each);
    paths
        .filter(|p| !plain(p).is_empty() && !sources.contains(&plain(p).join("/")))
        .collect()
}

#[test]
fn the_maps_name_files_that_there_are() {
    let internals = fs::read_dir(root().join("docs/internals")).unwrap();
    let mut documents: Vec<PathBuf> = internals.map(|e| e.unwrap().path()).collect();
    documents.extend(
        [
            "ARCHITECTURE.md",
            "CONTRIBUTING.md",
            "docs/protocols.md",
            "docs/processes.md",
        ]
        .map(|d| root().join(d)),
    );
    let (sources, mut all) = (sources(), Vec::new());
    for document in &documents {
        let text = fs::read_to_string(document).unwrap();
        for (number, line) in prose(&text) {
            let lost = lost(line, &sources);
            all.extend(
                lost.iter()
                    .map(|p| format!("{}:{number}: {p}", document.display())),
            );
        }
    }
    assert!(all.is_empty(), "lead nowhere:\n{}", all.join("\n"));
    assert_eq!(
        lost(
            "`xtask/src/{main,nothing}.rs` `tests/documents`, `a/b` A/b",
            &sources
        ),
        ["xtask/src/nothing.rs", "a/b"]
    );
}

/// What leads nowhere in a document.
fn broken(document: &Path, text: &str) -> Vec<String> {
    let mut all = Vec::new();
    for (number, line) in prose(text) {
        let mut say = |what: &str| all.push(format!("{}:{number}: {what}", document.display()));
        for (_, link) in links(line).iter().filter(|(_, l)| !l.contains("://")) {
            let (file, heading) = link.split_once('#').unwrap_or((link, ""));
            let place = document.with_file_name(file).canonicalize();
            let there = match (file, place) {
                ("", _) => text.to_string(),
                (_, Ok(_)) if heading.is_empty() => continue,
                (_, Ok(place)) => fs::read_to_string(place).expect("a document"),
                (_, Err(_)) => {
                    say(link);
                    continue;
                }
            };
            if !heading.is_empty() && !anchors(&there).contains(heading) {
                say(link);
            }
        }
        named(line)
            .filter(|n| !root().join(n).exists())
            .for_each(say);
    }
    all
}

#[test]
fn links_lead_somewhere() {
    let folders = [
        "",
        "docs",
        "docs/internals",
        "examples/c",
        "tests/programs",
        "tests/samples",
    ];
    let (mut documents, mut count, mut all) = (0, 0, Vec::new());
    for folder in folders.map(|f| root().join(f)) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_some_and(|e| e == "md") {
                let text = fs::read_to_string(&path).unwrap();
                documents += 1;
                count += prose(&text).map(|(_, l)| links(l).len()).sum::<usize>();
                all.extend(broken(&path, &text));
            }
        }
    }
    assert!(
        documents > 10 && count > 30,
        "{documents} documents, {count} links"
    );
    assert!(all.is_empty(), "lead nowhere:\n{}", all.join("\n"));
}

#[test]
fn broken_ones_are_noticed() {
    let text = "# Some `words`, and more\n## [Far](docs/guide.md) away\n## Twice\n## Twice\n\
                [a](#some-words-and-more) [b](#far-away) [c](#twice-1) [d](README.md) [e](docs/guide.md#run-and-restart)\n\
                ```\n[no](nowhere)\n```\n`[no](nowhere)` <https://example.org> [f](https://example.org/x#y) `docs/guide.md`\n\
                [g](nowhere.md) [h](#twice-2)\n[i](docs/guide.md#runing) `docs/gide.md`\n";
    let document = root().join("imagined.md");
    let found = broken(&document, text);
    let said: Vec<&str> = found.iter().filter_map(|f| f.rsplit(": ").next()).collect();
    assert_eq!(
        said,
        [
            "nowhere.md",
            "#twice-2",
            "docs/guide.md#runing",
            "docs/gide.md"
        ]
    );
}
