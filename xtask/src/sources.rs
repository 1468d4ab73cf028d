//! Programs of others that the suite runs: Debian source packages, fetched once into `target/sources`.
//!
//! apt-get fetches them (and checks their signatures) with lists and settings of its own, so that the machine's are
//! neither needed nor changed. What cannot be had is skipped with a line.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{bail, ensure, Context, Result};

use crate::env;

struct Package {
    name: &'static str,
    suite: &'static str,
    /// Folder under `target/sources`; present once it is complete.
    folder: &'static str,
    /// Programs that unpacking takes.
    needs: &'static [&'static str],
    /// From the folder with the downloads to the wanted files in `into`.
    unpack: fn(downloads: &Path, into: &Path) -> Result<()>,
}

const PACKAGES: &[Package] = &[
    Package {
        name: "bzip2",
        suite: BOOKWORM,
        folder: "bzip2",
        needs: &["tar", "gzip"],
        unpack: tree,
    },
    Package {
        name: "gcc-12",
        suite: BOOKWORM,
        folder: "gcc",
        needs: &["tar", "xz"],
        unpack: gcc_tests,
    },
    Package {
        name: "zlib",
        suite: BOOKWORM,
        folder: "zlib",
        needs: &["tar", "bzip2"],
        unpack: tree,
    },
    Package {
        name: "lua5.4",
        suite: BOOKWORM,
        folder: "lua",
        needs: &["tar", "gzip"],
        unpack: tree,
    },
    Package {
        name: "sqlite3",
        suite: BOOKWORM,
        folder: "sqlite",
        needs: &["tar", "xz"],
        unpack: tree,
    },
    Package {
        name: "mpich",
        suite: BOOKWORM,
        folder: "mpich",
        needs: &["tar", "xz"],
        unpack: mpich,
    },
    Package {
        name: "hpcc",
        suite: BOOKWORM,
        folder: "hpcc",
        needs: &["tar", "gzip"],
        unpack: tree,
    },
    Package {
        name: "tcc",
        suite: BOOKWORM,
        folder: "tcc",
        needs: &["tar", "bzip2"],
        unpack: tree,
    },
];
/// What only a benchmark asks for.
const ASKED: &[Package] = &[
    asked("gawk", BOOKWORM, &["tar", "xz"]),
    asked("jq", BOOKWORM, &["tar", "gzip", "autoreconf"]),
    asked("libzstd", BOOKWORM, &["tar", "xz"]),
    asked("suitesparse", BOOKWORM, &["tar", "xz"]),
    asked("quickjs", "trixie", &["tar", "xz"]),
];
const BOOKWORM: &str = "bookworm";
const ARCHIVE: &str = "http://deb.debian.org/debian";
const KEYS: &str = "/usr/share/keyrings/debian-archive-keyring.gpg";

const fn asked(name: &'static str, suite: &'static str, needs: &'static [&'static str]) -> Package {
    Package {
        name,
        suite,
        folder: name,
        needs,
        unpack: tree,
    }
}

pub fn folder() -> PathBuf {
    env::target_dir().join("sources")
}

/// Names of the packages that are not here.
pub fn missing() -> Vec<&'static str> {
    wanted().iter().map(|p| p.name).collect()
}

fn wanted() -> Vec<&'static Package> {
    PACKAGES
        .iter()
        .filter(|p| !folder().join(p.folder).is_dir())
        .collect()
}

pub fn fetch() {
    let wanted = wanted();
    if wanted.is_empty() {
        return;
    }
    let names: Vec<&str> = wanted.iter().map(|p| p.name).collect();
    if !env::has_program("apt-get") {
        println!(
            "setup: no apt-get, so tests with Debian's {} will be skipped",
            names.join(", ")
        );
        return;
    }
    println!("setup: fetching the sources of {}", names.join(", "));
    let downloads = folder().join("apt");
    for p in wanted {
        if let Err(e) = get(p, &downloads) {
            println!(
                "setup: tests with Debian's {} will be skipped: {e:#}",
                p.name
            );
        }
    }
    let _ = fs::remove_dir_all(downloads);
}

/// The sources of one package, which are fetched unless they are here.
pub fn one(name: &str) -> Result<PathBuf> {
    let mut known = PACKAGES.iter().chain(ASKED);
    let p = known.find(|p| p.name == name).context("no such package")?;
    let done = folder().join(p.folder);
    if !done.is_dir() {
        ensure!(env::has_program("apt-get"), "no apt-get to fetch it with");
        let downloads = folder().join("apt");
        let got = get(p, &downloads);
        let _ = fs::remove_dir_all(downloads);
        got?;
    }
    Ok(done)
}

fn get(p: &Package, downloads: &Path) -> Result<()> {
    if let Some(program) = p.needs.iter().find(|n| !env::has_program(n)) {
        bail!("{program} is not installed (cargo xtask setup as root installs what is missing)");
    }
    let apt = Apt::prepare(&downloads.join(p.suite), p.suite)?;
    let dir = downloads.join(p.name);
    fs::create_dir_all(&dir)?;
    apt.run(
        &dir,
        &[
            "source",
            "--download-only",
            "--tar-only",
            "--only-source",
            p.name,
        ],
    )?;
    let (new, done) = (dir.join("new"), folder().join(p.folder));
    fs::create_dir_all(&new)?;
    (p.unpack)(&dir, &new)?;
    fs::rename(&new, &done)?;
    Ok(())
}

/// apt-get with everything of its own under one folder.
struct Apt {
    options: Vec<String>,
}

impl Apt {
    fn prepare(dir: &Path, suite: &str) -> Result<Apt> {
        for d in ["lists/partial", "cache/archives/partial"] {
            fs::create_dir_all(dir.join(d))?;
        }
        let keys = if Path::new(KEYS).is_file() {
            format!(" [signed-by={KEYS}]")
        } else {
            String::new()
        };
        let list = dir.join("sources.list");
        fs::write(&list, format!("deb-src{keys} {ARCHIVE} {suite} main\n"))?;
        let at = |d: &str| dir.join(d).display().to_string();
        let settings = [
            format!("Dir::Etc::SourceList={}", list.display()),
            "Dir::Etc::SourceParts=/dev/null".into(),
            format!("Dir::State::Lists={}", at("lists")),
            format!("Dir::Cache={}", at("cache")),
            "APT::Sandbox::User=root".into(),
            "APT::Update::Error-Mode=any".into(),
            "Acquire::Languages=none".into(),
            "Acquire::http::Timeout=30".into(),
        ];
        let apt = Apt {
            options: settings
                .into_iter()
                .flat_map(|s| ["-o".to_string(), s])
                .collect(),
        };
        if !dir.join("updated").is_file() {
            apt.run(dir, &["update"])
                .context("the list of source packages cannot be had")?;
            fs::write(dir.join("updated"), "")?;
        }
        Ok(apt)
    }

    fn run(&self, dir: &Path, args: &[&str]) -> Result<()> {
        let done = Command::new("apt-get")
            .arg("-q")
            .args(&self.options)
            .args(args)
            .current_dir(dir)
            .stdin(Stdio::null())
            .output()?;
        let text = String::from_utf8_lossy(&done.stderr);
        let why = text.lines().rfind(|l| l.starts_with("E:")).unwrap_or("");
        ensure!(done.status.success(), "apt-get {} failed {why}", args[0]);
        Ok(())
    }
}

/// All of it, as its own build wants it.
fn tree(downloads: &Path, into: &Path) -> Result<()> {
    let mut c = Command::new("tar");
    c.arg("-xf").arg(orig(downloads)?).arg("-C").arg(into);
    env::run(&mut c)?;
    // Some tarballs have a folder around everything.
    let inside: Vec<PathBuf> = fs::read_dir(into)?.flatten().map(|e| e.path()).collect();
    if let [one] = inside.as_slice() {
        for e in fs::read_dir(one)?.flatten() {
            fs::rename(e.path(), into.join(e.file_name()))?;
        }
        fs::remove_dir(one)?;
    }
    Ok(())
}

/// Only the tests.
fn mpich(downloads: &Path, into: &Path) -> Result<()> {
    env::run(
        Command::new("tar")
            .arg("-xf")
            .arg(orig(downloads)?)
            .arg("-C")
            .arg(into)
            .args(["--strip-components=1", "--wildcards", "*/test/mpi/*"]),
    )
}

/// Only tests: the tarball holds gcc's own, which is read without being written out.
fn gcc_tests(downloads: &Path, into: &Path) -> Result<()> {
    let mut outer = Command::new("tar")
        .arg("-xOf")
        .arg(orig(downloads)?)
        .args(["--wildcards", "*/gcc-12*.tar.xz"])
        .stdout(Stdio::piped())
        .spawn()?;
    let gcc = outer.stdout.take().context("no output of tar")?;
    let inner = Command::new("tar")
        .args(["-xJf", "-", "-C"])
        .arg(into)
        .args(["--strip-components=3", "--wildcards"])
        .arg("*/gcc/testsuite/gcc.c-torture/execute/*")
        .arg("*/gcc/testsuite/gcc.dg/*")
        .stdin(gcc)
        .status()?;
    // The inner one may stop reading before the end.
    outer.wait()?;
    ensure!(inner.success(), "the tarball cannot be unpacked");
    Ok(())
}

fn orig(dir: &Path) -> Result<PathBuf> {
    for e in fs::read_dir(dir)?.flatten() {
        if e.file_name().to_string_lossy().contains(".orig.tar.") {
            return Ok(e.path());
        }
    }
    bail!("no .orig.tar among the downloads")
}
