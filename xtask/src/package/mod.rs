//! `cargo xtask install` and `cargo xtask package`: pc3 as a user has it, without its sources and without Rust.
//!
//! The tree of `cargo xtask dist` lies whole under `lib/pc3`, so that its `mpi.h` hides no other; the programs find it from where
//! they are. Links to them lie in `bin`.

mod deb;
mod pages;

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use crate::{dist, env};

const PROGRAMS: [&str; 3] = ["pc3cc", "pc3run", "pc3"];
pub(crate) const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Under the prefix: what a build that does not know pc3 asks for.
const FILES: &[(&str, &str)] = &[
    ("share/pkgconfig/pc3.pc", include_str!("pc3.pc")),
    ("share/pc3/toolchain.cmake", include_str!("toolchain.cmake")),
    ("share/modulefiles/pc3", include_str!("modulefile")),
];
/// A shell, where it looks for completions, and what it calls the file.
const SHELLS: [(&str, &str, &str, &str); 3] = [
    ("bash", "share/bash-completion/completions", "", ""),
    ("zsh", "share/zsh/site-functions", "_", ""),
    ("fish", "share/fish/vendor_completions.d", "", ".fish"),
];
/// What is read, beside the manual pages.
const DOCUMENTS: [&str; 5] = [
    "README.md",
    "LICENSE-APACHE",
    "LICENSE-MIT",
    "docs",
    "examples/c",
];

/// Puts pc3, with the runtimes of these targets, under a folder that may be a user s own.
pub fn install(prefix: &Path, targets: &[String]) -> Result<()> {
    let tree = dist::run(targets)?;
    put(prefix, &tree)?;
    println!(
        "pc3 {VERSION} is in {0}; its programs in {0}/bin",
        prefix.display()
    );
    Ok(())
}

/// Makes archives under target/package: one that runs from any folder and, where `dpkg-deb` is, Debian's packages.
pub fn package(targets: &[String]) -> Result<()> {
    let tree = dist::run(targets)?;
    let folder = env::target_dir().join("package");
    let _ = fs::remove_dir_all(&folder);
    let host = format!("{}-linux-gnu", std::env::consts::ARCH);
    let name = format!("pc3-{VERSION}-{host}");
    put(&folder.join(&name), &tree)?;
    let archive = folder.join(format!("{name}.tar.zst"));
    pack(&folder, &name, &archive)?;
    println!("{}", archive.display());
    fs::remove_dir_all(folder.join(name))?;
    match env::has_program("dpkg-deb") {
        true => {
            for made in deb::packages(&folder, &tree, &host)? {
                println!("{}", made.display());
            }
        }
        false => println!("no Debian packages: there is no dpkg-deb"),
    }
    Ok(())
}

fn pack(folder: &Path, name: &str, archive: &Path) -> Result<()> {
    let mut tar = Command::new("tar");
    tar.args(["--zstd", "--owner=0", "--group=0", "--sort=name", "-cf"]);
    env::run(tar.arg(archive).arg("-C").arg(folder).arg(name))
}

/// All of it under a prefix; what is there of an earlier one goes.
fn put(prefix: &Path, tree: &Path) -> Result<()> {
    let whole = prefix.join("lib/pc3");
    let _ = fs::remove_dir_all(&whole);
    copy(tree, &whole)?;
    for program in PROGRAMS {
        link(
            &format!("../lib/pc3/bin/{program}"),
            &prefix.join("bin").join(program),
        )?;
    }
    link("../lib/pc3/include/pc3.h", &prefix.join("include/pc3.h"))?;
    for (path, text) in FILES {
        write(&prefix.join(path), &text.replace("@VERSION@", VERSION))?;
    }
    let pc3 = prefix.join("bin/pc3");
    for (shell, folder, front, end) in SHELLS {
        for program in ["pc3", "pc3run"] {
            let script = env::output(Command::new(&pc3).args(["completions", shell, program]))?;
            write(
                &prefix.join(folder).join(format!("{front}{program}{end}")),
                &script,
            )?;
        }
    }
    let manual = prefix.join("share/man/man1");
    fs::create_dir_all(&manual)?;
    env::run(Command::new(&pc3).arg("manual").arg(&manual))?;
    let help = env::output(Command::new(prefix.join("bin/pc3cc")).arg("--help"))?;
    write(&manual.join("pc3cc.1"), &pages::pc3cc(&help))?;
    let documents = prefix.join("share/doc/pc3");
    let _ = fs::remove_dir_all(&documents);
    for name in DOCUMENTS {
        copy(&env::root().join(name), &documents.join(name))?;
    }
    Ok(())
}

fn write(path: &Path, text: &str) -> Result<()> {
    fs::create_dir_all(path.parent().unwrap_or(path))?;
    fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))
}

fn link(to: &str, at: &Path) -> Result<()> {
    fs::create_dir_all(at.parent().unwrap_or(at))?;
    let _ = fs::remove_file(at);
    symlink(to, at).with_context(|| format!("cannot write {}", at.display()))
}

/// A file, or a folder with all that is in it.
fn copy(from: &Path, to: &Path) -> Result<()> {
    if from.is_dir() {
        fs::create_dir_all(to).with_context(|| format!("cannot write {}", to.display()))?;
        let mut names: Vec<PathBuf> = fs::read_dir(from)?
            .map(|e| e.map(|e| e.path()))
            .collect::<Result<_, _>>()?;
        names.sort();
        return names.iter().try_for_each(|path| match path.file_name() {
            Some(name) => copy(path, &to.join(name)),
            None => Ok(()),
        });
    }
    fs::create_dir_all(to.parent().unwrap_or(to))?;
    let copied = fs::copy(from, to).map(|_| ());
    copied.with_context(|| format!("cannot copy {} to {}", from.display(), to.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of a program in that installation, in a folder.
    fn said(prefix: &Path, at: &Path, line: &str, status: i32) -> String {
        let path = format!("{}/bin:/usr/bin:/bin", prefix.display());
        let out = Command::new("sh")
            .args(["-c", line])
            .current_dir(at)
            .env("PATH", path)
            .output();
        let out = out.unwrap();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        assert_eq!(
            out.status.code(),
            Some(status),
            "{line}: {}",
            text(&out.stderr)
        );
        text(&out.stdout)
    }

    /// The first page of the guide: compile, run, stop, go on.
    fn works(prefix: &Path, at: &Path) {
        let heat = prefix.join("share/doc/pc3/examples/c/heat/heat.c");
        said(
            prefix,
            at,
            &format!("pc3cc -O2 '{}' -o heat -lm", heat.display()),
            0,
        );
        let plain = said(prefix, at, "pc3run -n 4 ./heat 32 60", 0);
        let first = said(
            prefix,
            at,
            "pc3run -n 4 --every 20x --stop-after 1 ./heat 32 60",
            85,
        );
        let rest = said(prefix, at, "pc3run --restart ./heat", 0);
        assert_eq!(first + &rest, plain);
        assert!(said(prefix, at, "pc3 ls heat.pc3", 0).contains("heat"));
    }

    #[test]
    fn an_installation_works_wherever_it_is() {
        let tree = dist::run(&[]).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let prefix = folder.path().join("a user s own");
        put(&prefix, &tree).unwrap();
        put(&prefix, &tree).unwrap();
        works(&prefix, &folder.path().join(""));
        for page in ["pc3cc.1", "pc3run.1", "pc3.1", "pc3-ls.1"] {
            let text = fs::read_to_string(prefix.join("share/man/man1").join(page)).unwrap();
            assert!(
                text.contains(".SH NAME") && text.lines().count() > 10,
                "{page}: {text}"
            );
        }
        let page = fs::read_to_string(prefix.join("share/man/man1/pc3cc.1")).unwrap();
        assert!(page.contains("checkpoint\\-at=FUNCTION"), "{page}");
        let found = said(
            &prefix,
            folder.path(),
            "PKG_CONFIG_PATH=\"$(dirname \"$(dirname \"$(command -v pc3)\")\")/share/pkgconfig\"; grep -c Version \"$PKG_CONFIG_PATH/pc3.pc\"",
            0,
        );
        assert_eq!(found, "1\n");
        if !env::has_program("zstd") {
            return;
        }
        pack(
            folder.path(),
            "a user s own",
            &folder.path().join("pc3.tar.zst"),
        )
        .unwrap();
        let other = folder.path().join("elsewhere");
        fs::create_dir(&other).unwrap();
        fs::rename(&prefix, folder.path().join("gone")).unwrap();
        let mut tar = Command::new("tar");
        tar.arg("-xf")
            .arg(folder.path().join("pc3.tar.zst"))
            .arg("-C")
            .arg(&other);
        env::run(&mut tar).unwrap();
        works(&other.join("a user s own"), &other);
    }
}
