//! Which files a linker takes: it is asked to name them (`-t`), members of archives included.

use pc3_syntax::paths::plain;
use std::collections::HashSet;
use std::path::{Path, PathBuf};

/// Twice: GNU ld then names members, too.
pub const OPTIONS: [&str; 2] = ["-Wl,-t", "-Wl,-t"];

#[derive(Default, Debug, PartialEq, Eq)]
pub struct Trace {
    /// Objects, archives, shared objects, members of thin archives, in the linker's order.
    pub files: Vec<PathBuf>,
    /// Archive and member.
    pub members: HashSet<(PathBuf, String)>,
    /// Archives whose members have been given names of their own ([`own_name`]): several had the same.
    pub renamed: HashSet<PathBuf>,
    /// Lines that name nothing: for the user.
    pub rest: String,
}

pub fn parse(output: &str) -> Trace {
    let mut t = Trace::default();
    let mut seen = HashSet::new();
    let mut add = |files: &mut Vec<PathBuf>, path: &str| {
        let path = plain(Path::new(path));
        if seen.insert(path.clone()) {
            files.push(path);
        }
    };
    for line in output.lines() {
        let name = line.strip_prefix("trace: ").unwrap_or(line);
        if Path::new(name).is_file() {
            add(&mut t.files, name);
        } else if let Some((archive, member)) = member(name) {
            add(&mut t.files, archive);
            t.members
                .insert((plain(Path::new(archive)), member.to_string()));
        } else if !names_a_file(name) {
            t.rest += line;
            t.rest.push('\n');
        }
    }
    t
}

/// A name that no other member of the archive has.
pub(crate) fn own_name(index: usize, name: &str) -> String {
    format!("{index}.{}", name.replace('/', "-"))
}

/// The compiler's own temporary objects are gone by now.
fn names_a_file(line: &str) -> bool {
    let ends = [".o", ".a", ")"].iter().any(|e| line.ends_with(e));
    !line.contains(' ') && (ends || line.contains(".so"))
}

impl Trace {
    /// What is here and not in `other`.
    pub fn without(mut self, other: &Trace) -> Trace {
        self.files.retain(|f| !other.files.contains(f));
        self.members.retain(|m| !other.members.contains(m));
        self
    }

    pub fn join(&mut self, more: Trace) {
        self.files.extend(more.files);
        self.members.extend(more.members);
        self.renamed.extend(more.renamed);
    }
}

/// `(lib.a)a.o` as GNU ld writes it, `lib.a(a.o)` as others do.
fn member(line: &str) -> Option<(&str, &str)> {
    let (text, between) = match line.strip_prefix('(') {
        Some(rest) => (rest, ')'),
        None => (line.strip_suffix(')')?, '('),
    };
    let mut splits = text.match_indices(between);
    splits
        .find(|(i, _)| Path::new(&text[..*i]).is_file())
        .map(|(i, _)| (&text[..i], &text[i + 1..]))
        .filter(|(_, m)| !m.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn linkers_name_members_in_two_ways() {
        let dir = tempfile::tempdir().unwrap();
        let at = |n: &str| dir.path().join(n);
        for f in ["a.o", "lib.a"] {
            std::fs::write(at(f), "").unwrap();
        }
        let d = dir.path().display();
        let t = parse(&format!(
            "{d}/./a.o\n({d}/lib.a)x.o\n{d}/lib.a(y(1).o)\n{d}/gone.o\nhello there\n"
        ));
        assert_eq!(t.files, [at("a.o"), at("lib.a")]);
        assert_eq!(
            t.members,
            [(at("lib.a"), "x.o".into()), (at("lib.a"), "y(1).o".into())].into()
        );
        assert_eq!(t.rest, "hello there\n");
    }
}
