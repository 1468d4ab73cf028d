//! What an object depends on besides headers: the files of `--annotations`. Build systems are told so in the files that
//! `-MMD` and the like ask for, and caches of compilations in what `-E` prints.

use super::options::Options;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use xxhash_rust::xxh3::xxh3_64;

/// Adds the files to those that the `i`th source's object depends on.
pub fn note(o: &Options, i: usize) -> std::io::Result<()> {
    let Some(path) = dependency_file(o, i).filter(|_| !o.annotations.is_empty()) else {
        return Ok(());
    };
    match fs::read_to_string(&path) {
        Ok(text) => fs::write(path, with(&text, &o.annotations)),
        Err(_) => Ok(()),
    }
}

/// Behind each rule's target: `a.o: a.c` becomes `a.o: types.txt a.c`.
fn with(text: &str, files: &[String]) -> String {
    let named: String = files
        .iter()
        .map(|f| format!(" {}", f.replace(' ', "\\ ").replace('$', "$$")))
        .collect();
    // Targets may contain colons, but none with a space behind.
    match text.find(": ").or_else(|| text.find(":\n")) {
        Some(at) => format!("{}{named}{}", &text[..=at], &text[at + 1..]),
        None => text.to_owned(),
    }
}

/// Where the compiler writes what the `i`th source depends on.
fn dependency_file(o: &Options, i: usize) -> Option<PathBuf> {
    let words = &o.dependencies;
    let wanted = |w: &String| {
        matches!(w.as_str(), "-MD" | "-MMD")
            || w.starts_with("-Wp,-MD")
            || w.starts_with("-Wp,-MMD")
    };
    let asked = words.iter().find(|w| wanted(w))?;
    if let Some(file) = asked.split(',').nth(2) {
        return Some(file.into());
    }
    if let Some(at) = words.iter().rposition(|w| w == "-MF") {
        return words.get(at + 1).map(PathBuf::from);
    }
    let name = match &o.output {
        Some(out) => out.clone(),
        None => Path::new(o.sources.get(i)?.file_name()?).to_owned(),
    };
    Some(name.with_extension("d"))
}

/// The same for caches of compilations, which ask for the preprocessed text.
pub fn show(o: &Options) -> std::io::Result<()> {
    match &o.output {
        None => show!("{}", markers(o)),
        Some(path) if path.is_file() && !o.annotations.is_empty() => {
            let mut file = fs::File::options().append(true).open(path)?;
            file.write_all(markers(o).as_bytes())?;
        }
        Some(_) => {}
    }
    Ok(())
}

/// Line markers that name the files, and what is in them.
fn markers(o: &Options) -> String {
    let marker = |f: &String| {
        let hash = xxh3_64(&fs::read(f).unwrap_or_default());
        format!("# 1 \"{f}\" 1\n# 1 \"<annotations {hash:016x}>\"\n")
    };
    o.annotations.iter().map(marker).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::driver::options::parse;

    #[test]
    fn files_become_prerequisites() {
        let files = ["types.txt".to_owned(), "a b".to_owned()];
        assert_eq!(
            with("x.o y.o: a.c \\\n b.h\n", &files),
            "x.o y.o: types.txt a\\ b a.c \\\n b.h\n"
        );
        assert_eq!(with("", &files), "");
    }

    #[test]
    fn where_the_compiler_writes() {
        let check = |args: &str, file: Option<&str>| {
            let o = parse(args.split(' ').map(String::from)).unwrap();
            assert_eq!(dependency_file(&o, 0), file.map(PathBuf::from), "{args}");
        };
        check("-c a/b.c", None);
        check("-c -MMD a/b.c", Some("b.d"));
        check("-c -MD a/b.c -o x/c.o", Some("x/c.d"));
        check("-c -MMD -MF f.d a.c", Some("f.d"));
        check("-c -Wp,-MMD,g.d a.c", Some("g.d"));
    }
}
