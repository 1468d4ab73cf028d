//! Programs that a build makes to find out about the compiler (autoconf's, CMake's, Meson's): the options of the
//! real ones, which one variable holds for all, do not concern them, and what is said to them counts as a failure.

use super::options::{LinkItem, Options};
use std::path::{Component, Path};

/// Leaves out what is about checkpoints if the command line is such a program's.
pub fn plain(o: &mut Options, directory: &Path) {
    if !is_probe(o, directory) {
        return;
    }
    o.locations.clear();
    o.annotations.clear();
    o.everywhere = false;
    o.levels.none();
}

fn is_probe(o: &Options, directory: &Path) -> bool {
    let inputs = || {
        let objects = o.link.iter().filter_map(|i| match i {
            LinkItem::Input(a) => Some(Path::new(a)),
            _ => None,
        });
        o.sources.iter().map(|s| s.as_path()).chain(objects)
    };
    // Libraries may stand beside them.
    let own = |p: &Path| {
        let extension = p.extension().and_then(|e| e.to_str());
        matches!(extension, Some("c" | "i" | "o"))
    };
    let made =
        |p: &Path| p.file_stem().is_some_and(|s| s == "conftest") || within(p) || within(directory);
    inputs().any(own) && inputs().filter(|p| own(p)).all(made)
}

fn within(p: &Path) -> bool {
    let folder = |c: Component| {
        matches!(
            c.as_os_str().to_str(),
            Some("CMakeTmp" | "CMakeScratch" | "meson-private")
        )
    };
    p.components().any(folder)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::driver::options::parse;

    #[test]
    fn probes_are_known_by_where_they_are() {
        let check = |args: &str, directory: &str, probe: bool| {
            let args = format!("--checkpoint-at=step {args}");
            let mut o = parse(args.split_whitespace().map(String::from)).unwrap();
            plain(&mut o, Path::new(directory));
            assert_eq!(o.locations.is_empty(), probe, "{args} in {directory}");
        };
        check("-O2 conftest.c -lm -o conftest", "/build", true);
        check("conftest.o libx.a -o conftest", "/build", true);
        check("-c /b/CMakeFiles/CMakeScratch/TryCompile-x/t.c", "/b", true);
        check(
            "CMakeFiles/cmTC_1.dir/t.c.o",
            "/b/CMakeFiles/CMakeTmp",
            true,
        );
        check("/b/meson-private/tmp1/testfile.c", "/b", true);
        check("main.c", "/build", false);
        check("conftest.c main.c", "/build", false);
        check("conftest.d/main.c", "/build", false);
        check("libx.a", "/build", false);
    }
}
