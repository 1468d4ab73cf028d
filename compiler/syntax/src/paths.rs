//! Paths as text: no file system is asked.

use std::path::{Component, Path, PathBuf};

/// Without `.` and with `dir/..` taken out: two spellings of a path are one.
pub fn plain(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for c in path.components() {
        match c {
            Component::CurDir => {}
            Component::ParentDir
                if matches!(out.components().next_back(), Some(Component::Normal(_))) =>
            {
                out.pop();
            }
            c => out.push(c),
        }
    }
    out
}

/// How files named relative to `directory` are named from `here`: what goes in front.
pub fn between(here: &Path, directory: &Path) -> PathBuf {
    match directory.strip_prefix(here) {
        Ok(below) => below.to_path_buf(),
        Err(_) => directory.to_path_buf(),
    }
}

/// The shortest ends of the paths that tell them apart, file names at least; equal paths are counted.
pub fn distinct_ends(paths: &[PathBuf]) -> Vec<String> {
    let ends = |path: &Path, n: usize| {
        let all: Vec<_> = path.components().collect();
        let end: PathBuf = all[all.len().saturating_sub(n)..].iter().collect();
        end.display().to_string()
    };
    let mut out: Vec<String> = Vec::new();
    for (i, p) in paths.iter().enumerate() {
        let same = paths[..i].iter().filter(|q| *q == p).count();
        let unique = |n: &usize| {
            let mine = ends(p, *n);
            paths.iter().all(|q| q == p || ends(q, *n) != mine)
        };
        let n = (1..=p.components().count()).find(unique).unwrap_or(1);
        out.push(match same {
            0 => ends(p, n),
            _ => format!("{}#{}", ends(p, n), same + 1),
        });
    }
    out
}

/// The last part of a path.
pub fn base_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_compared_without_detours() {
        let check = |a: &str, b: &str| assert_eq!(plain(Path::new(a)), Path::new(b));
        check("./a/../b.o", "b.o");
        check("../x/./b.o", "../x/b.o");
        check("../../b.o", "../../b.o");
    }

    #[test]
    fn ends_tell_apart() {
        let paths = [
            "/p/a/util.c",
            "/p/b/util.c",
            "/p/main.c",
            "/p/main.c",
            "/q/b/util.c",
        ];
        let ends = distinct_ends(&paths.map(PathBuf::from));
        assert_eq!(
            ends,
            ["a/util.c", "p/b/util.c", "main.c", "main.c#2", "q/b/util.c"]
        );
    }

    #[test]
    fn files_of_other_directories() {
        let check =
            |dir: &str, b: &str| assert_eq!(between(Path::new("/p"), Path::new(dir)), Path::new(b));
        check("/p", "");
        check("/p/sub", "sub");
        check("/q", "/q");
    }
}
