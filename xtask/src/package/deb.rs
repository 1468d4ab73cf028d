//! Debian's packages: pc3 with this machine's runtime, the runtime of each other target, the documents.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Result;

use super::{copy, put, write, VERSION};
use crate::env;

pub(super) fn packages(folder: &Path, tree: &Path, host: &str) -> Result<Vec<PathBuf>> {
    let all = folder.join("all");
    put(&all.join("usr"), tree)?;
    let mut made = Vec::new();
    let runtimes = Path::new("usr/lib/pc3/lib/pc3");
    let mut targets: Vec<PathBuf> = fs::read_dir(all.join(runtimes))?
        .map(|e| e.map(|e| e.path()))
        .collect::<Result<_, _>>()?;
    targets.sort();
    let machine = env::output(Command::new("dpkg").arg("--print-architecture"))?;
    let machine = machine.trim();
    for target in &targets {
        let name = target.file_name().unwrap_or_default().to_string_lossy();
        if name == host {
            continue;
        }
        let root = folder.join("one");
        copy(target, &root.join(runtimes).join(&*name))?;
        fs::remove_dir_all(target)?;
        let package = Package {
            name: format!("pc3-runtime-{}", name.replace('_', "-")),
            depends: format!("pc3 (= {VERSION})"),
            recommends: format!("gcc-{}", name.replace('_', "-")),
            about: "runtime of pc3 for programs on another machine",
            machine,
        };
        made.push(package.build(&root, folder)?);
    }
    let root = folder.join("one");
    let documents = Path::new("usr/share/doc/pc3");
    copy(&all.join(documents), &root.join("usr/share/doc/pc3-doc"))?;
    fs::remove_dir_all(all.join(documents))?;
    made.push(
        Package {
            name: "pc3-doc".into(),
            depends: String::new(),
            recommends: String::new(),
            about: "guide, reference and examples of pc3",
            machine: "all",
        }
        .build(&root, folder)?,
    );
    for name in ["LICENSE-APACHE", "LICENSE-MIT"] {
        copy(&env::root().join(name), &all.join(documents).join(name))?;
    }
    let needs = c_library(&all.join("usr/lib/pc3"))?;
    made.push(
        Package {
            name: "pc3".into(),
            depends: format!("libc6 (>= {needs}), gcc | clang | c-compiler, libc6-dev | libc-dev"),
            recommends: "pc3-doc".into(),
            about: "long-running C and MPI programs that move between machines",
            machine,
        }
        .build(&all, folder)?,
    );
    Ok(made)
}

struct Package<'a> {
    name: String,
    depends: String,
    recommends: String,
    about: &'a str,
    machine: &'a str,
}

impl Package<'_> {
    /// Makes the package of a root, which goes.
    fn build(&self, root: &Path, folder: &Path) -> Result<PathBuf> {
        let Package {
            name,
            about,
            machine,
            ..
        } = self;
        let mut control = format!(
            "Package: {name}\nVersion: {VERSION}\nArchitecture: {machine}\nSection: devel\nPriority: optional\n\
             Maintainer: the pc3 developers <pc3@localhost>\nDescription: {about}\n"
        );
        for (field, value) in [("Depends", &self.depends), ("Recommends", &self.recommends)] {
            if !value.is_empty() {
                control += &format!("{field}: {value}\n");
            }
        }
        write(&root.join("DEBIAN/control"), &control)?;
        let file = folder.join(format!("{name}_{VERSION}_{machine}.deb"));
        let mut build = Command::new("dpkg-deb");
        build
            .args(["--root-owner-group", "--build"])
            .arg(root)
            .arg(&file);
        env::output(&mut build)?;
        fs::remove_dir_all(root)?;
        Ok(file)
    }
}

/// The oldest glibc that has all that the programs and transports take from it.
fn c_library(tree: &Path) -> Result<String> {
    let mut newest = (2, 0);
    for folder in [
        "bin".into(),
        format!("lib/pc3/{}-linux-gnu", std::env::consts::ARCH),
    ] {
        for entry in fs::read_dir(tree.join(folder))? {
            let path = entry?.path();
            if path.extension().is_some_and(|e| e == "a" || e == "o") {
                continue;
            }
            let symbols = env::output(Command::new("objdump").arg("-T").arg(&path))?;
            for version in symbols.split("GLIBC_").skip(1) {
                let mut numbers = version.split(|c: char| !c.is_ascii_digit()).map(str::parse);
                if let (Some(Ok(major)), Some(Ok(minor))) = (numbers.next(), numbers.next()) {
                    newest = newest.max((major, minor));
                }
            }
        }
    }
    anyhow::ensure!(newest > (2, 0), "no program needs the C library");
    Ok(format!("{}.{}", newest.0, newest.1))
}
