//! Static archives: their members, and a copy with some of them replaced.
//!
//! The copy is an ordinary archive in GNU's format, also of a thin one, whose members are files of their own.

use super::elf;
use object::read::archive::ArchiveFile;
use std::path::{Path, PathBuf};

#[derive(Debug, thiserror::Error)]
pub enum ArchiveError {
    #[error("cannot read {0}: {1}")]
    Read(PathBuf, std::io::Error),
    #[error("{0} is a damaged archive: {1}")]
    Damaged(PathBuf, object::read::Error),
    #[error("{0} is too large to be copied")]
    TooLarge(PathBuf),
}

pub struct Member {
    pub name: String,
    pub data: Vec<u8>,
    /// Of a thin archive: the file it is.
    pub file: Option<PathBuf>,
}

pub(crate) fn is_archive(start: &[u8]) -> bool {
    start.starts_with(&object::archive::MAGIC) || start.starts_with(&object::archive::THIN_MAGIC)
}

/// The members in their order.
pub fn members(path: &Path) -> Result<Vec<Member>, ArchiveError> {
    let bytes = std::fs::read(path).map_err(|e| ArchiveError::Read(path.into(), e))?;
    let damaged = |e| ArchiveError::Damaged(path.into(), e);
    let archive = ArchiveFile::parse(&*bytes).map_err(damaged)?;
    let mut list = Vec::new();
    for m in archive.members() {
        let m = m.map_err(damaged)?;
        let name = String::from_utf8_lossy(m.name()).into_owned();
        let file = m
            .is_thin()
            .then(|| path.parent().unwrap_or(Path::new("")).join(&name));
        let data = match &file {
            Some(f) => std::fs::read(f).map_err(|e| ArchiveError::Read(f.clone(), e))?,
            None => m.data(&*bytes).map_err(damaged)?.to_vec(),
        };
        list.push(Member { name, data, file });
    }
    Ok(list)
}

/// An archive of `members`, with a table of their symbols.
pub fn write(path: &Path, members: &[(String, &[u8])]) -> Result<Vec<u8>, ArchiveError> {
    let too_large = || ArchiveError::TooLarge(path.into());
    let tables: Vec<Vec<String>> = members
        .iter()
        .map(|(_, data)| elf::symbols(data).defined.into_iter().collect())
        .collect();
    let symbols: usize = tables.iter().map(Vec::len).sum();
    let text: usize = tables.iter().flatten().map(|s| s.len() + 1).sum();
    let index = (4 + 4 * symbols + text).next_multiple_of(2);

    let mut names = String::new();
    let fields: Vec<String> = members
        .iter()
        .map(|(name, _)| match name.len() {
            0..=15 => format!("{name}/"),
            _ => {
                let at = names.len();
                names += name;
                names += "/\n";
                format!("/{at}")
            }
        })
        .collect();
    if names.len() % 2 == 1 {
        names.push('\n');
    }

    let mut out = object::archive::MAGIC.to_vec();
    header(&mut out, "/", index);
    let index_at = out.len();
    out.resize(index_at + index, 0);
    if !names.is_empty() {
        header(&mut out, "//", names.len());
        out.extend(names.as_bytes());
    }
    let mut offsets = (symbols as u32).to_be_bytes().to_vec();
    for (((_, data), field), table) in members.iter().zip(&fields).zip(&tables) {
        let at = u32::try_from(out.len()).map_err(|_| too_large())?;
        table.iter().for_each(|_| offsets.extend(at.to_be_bytes()));
        header(&mut out, field, data.len());
        out.extend(*data);
        if out.len() % 2 == 1 {
            out.push(b'\n');
        }
    }
    for s in tables.iter().flatten() {
        offsets.extend(s.as_bytes());
        offsets.push(0);
    }
    out[index_at..index_at + offsets.len()].copy_from_slice(&offsets);
    Ok(out)
}

fn header(out: &mut Vec<u8>, name: &str, size: usize) {
    let text = format!("{name:<16}{:<12}{:<6}{:<6}{:<8}{size:<10}`\n", 0, 0, 0, 644);
    out.extend(text.as_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    fn run(c: &mut Command) -> String {
        let out = c.output().unwrap();
        assert!(
            out.status.success(),
            "{c:?} {}",
            String::from_utf8_lossy(&out.stderr)
        );
        String::from_utf8_lossy(&out.stdout).into_owned()
    }

    /// Carrying changes nothing else, and a linker takes what is written here.
    #[test]
    fn linkers_accept_copies_and_carriers() {
        for cc in ["gcc", "i686-linux-gnu-gcc", "s390x-linux-gnu-gcc"] {
            if Command::new(cc).arg("--version").output().is_err() {
                println!("skipped: no {cc}");
                continue;
            }
            let dir = tempfile::tempdir().unwrap();
            let path = |n: &str| dir.path().join(n);
            let long = "a_name_of_more_than_fifteen_letters";
            for (name, text) in [
                (
                    "main",
                    format!("int {long}(void); int main(void) {{ return {long}(); }}"),
                ),
                (
                    long,
                    format!("int odd(void); int {long}(void) {{ return odd(); }}"),
                ),
                (
                    "odd",
                    "const char text[3] = \"ab\"; int odd(void) { return 0; }".into(),
                ),
            ] {
                std::fs::write(path(&format!("{name}.c")), text).unwrap();
                let object = path(&format!("{name}.o"));
                run(Command::new(cc)
                    .arg("-c")
                    .arg(path(&format!("{name}.c")))
                    .arg("-o")
                    .arg(&object));
                let plain = std::fs::read(&object).unwrap();
                let with = elf::carry(&plain, name.as_bytes()).unwrap();
                assert_eq!(elf::carried(&with), Some(name.as_bytes()));
                assert_eq!(elf::carried(&plain), None);
                assert_eq!(elf::symbols(&with), elf::symbols(&plain));
                std::fs::write(&object, with).unwrap();
            }
            let read = |n: &str| std::fs::read(path(n)).unwrap();
            let (a, b) = (read(&format!("{long}.o")), read("odd.o"));
            let list = [(format!("{long}.o"), &a[..]), ("odd.o".into(), &b[..])];
            std::fs::write(path("lib.a"), write(&path("lib.a"), &list).unwrap()).unwrap();
            let back = members(&path("lib.a")).unwrap();
            assert_eq!(back.len(), 2);
            assert!(back
                .iter()
                .zip(&list)
                .all(|(m, (n, d))| m.name == *n && m.data == *d && m.file.is_none()));
            run(Command::new(cc)
                .arg(path("main.o"))
                .arg(path("lib.a"))
                .arg("-o")
                .arg(path("p")));
            let linked = std::fs::read(path("p")).unwrap();
            assert_eq!(elf::carried(&linked), None, "executables carry nothing");
            run(Command::new(cc)
                .args(["-r", "-nostdlib"])
                .arg(path("main.o"))
                .arg(path("odd.o"))
                .arg("-o")
                .arg(path("r.o")));
            assert_eq!(elf::carried(&read("r.o")), Some(&b"mainodd"[..]));
        }
    }
}
