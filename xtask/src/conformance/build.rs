//! Builds the programs, with pc3cc or with the compiler of a native MPI.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{ensure, Context, Result};

use super::suite::Program;

/// What MPICH's configure would find on any system that we run on.
const CONFIG: &str = "\
#include <stdint.h>
#define HAVE_STDINT_H 1
#define HAVE_INTTYPES_H 1
#define HAVE_STDARG_H 1
#define HAVE_STDLIB_H 1
#define HAVE_STRING_H 1
#define HAVE_STRINGS_H 1
#define HAVE_MEMORY_H 1
#define HAVE_UNISTD_H 1
#define HAVE_STRDUP 1
#define HAVE_USLEEP 1
#define HAVE_SYS_TYPES_H 1
#define HAVE_SYS_STAT_H 1
#define HAVE_SYS_TIME_H 1
#define HAVE_SYS_RESOURCE_H 1
#define HAVE_GETRUSAGE 1
#define HAVE_LONG_LONG 1
#define HAVE_LONG_DOUBLE 1
#define HAVE__BOOL 1
#define HAVE_FLOAT__COMPLEX 1
#define HAVE_DOUBLE__COMPLEX 1
#define HAVE_LONG_DOUBLE__COMPLEX 1
#define USE_LONG_DOUBLE_COMPLEX 1
#define HAVE_MPI_IO 1
#define HAVE_MPI_WIN_CREATE 1
#define MPIO_USES_MPI_REQUEST 1
#define HAVE_PTHREAD_H 1
#define THREAD_PACKAGE_NAME THREAD_PACKAGE_POSIX
#define POINTERINT_t intptr_t
#define SIZEOF_SHORT __SIZEOF_SHORT__
#define SIZEOF_INT __SIZEOF_INT__
#define SIZEOF_LONG __SIZEOF_LONG__
#define SIZEOF_LONG_LONG __SIZEOF_LONG_LONG__
#define SIZEOF_VOID_P __SIZEOF_POINTER__
#define SIZEOF_MPI_OFFSET 8
";
/// Code that all programs share.
const COMMON: &[&str] = &[
    "util/mtest.c",
    "util/mtest_common.c",
    "util/mtest_single.c",
    "util/dtypes.c",
];

pub struct Builder {
    pub compiler: PathBuf,
    root: PathBuf,
    /// Headers and objects of ours.
    dir: PathBuf,
    common: Vec<PathBuf>,
    /// The pool of datatypes; not every MPI still has the names that it uses.
    pool: Result<Vec<PathBuf>, String>,
}

impl Builder {
    /// Builds what all programs share.
    pub fn new(compiler: PathBuf, root: &Path, dir: PathBuf) -> Result<Builder> {
        // A header of the pool's includes its configuration as lying one folder up.
        fs::create_dir_all(dir.join("include"))?;
        fs::write(dir.join("mpitestconf.h"), CONFIG)?;
        fs::write(dir.join("dtpoolsconf.h"), "#include \"mpitestconf.h\"\n")?;
        let mut b = Builder {
            compiler,
            root: root.to_path_buf(),
            dir,
            common: Vec::new(),
            pool: Ok(Vec::new()),
        };
        for file in COMMON {
            b.common.push(b.object(&root.join(file))?);
        }
        let mut pool: Vec<PathBuf> = fs::read_dir(root.join("dtpools/src"))?
            .flatten()
            .map(|e| e.path())
            .filter(|p| p.extension().is_some_and(|x| x == "c"))
            .collect();
        pool.sort();
        let objects: Result<_> = pool.iter().map(|f| b.object(f)).collect();
        b.pool = objects.map_err(|e| reason(&e.to_string()));
        Ok(b)
    }

    fn command(&self) -> Command {
        let mut c = Command::new(&self.compiler);
        let at = |d: &str| format!("-I{}", self.root.join(d).display());
        c.args(["-w", "-O1", "-g", "-Werror=implicit-function-declaration"])
            .arg(format!("-I{}", self.dir.display()))
            .arg(format!("-I{}/include", self.dir.display()))
            .args([at("include"), at("dtpools/include")])
            .env_remove("PC3_CC")
            .stdin(Stdio::null());
        c
    }

    fn object(&self, source: &Path) -> Result<PathBuf> {
        let name = source.file_stem().context("no file name")?;
        let object = self.dir.join(name).with_extension("o");
        let out = self
            .command()
            .arg("-c")
            .arg(source)
            .arg("-o")
            .arg(&object)
            .output()?;
        ensure!(
            out.status.success(),
            "{}: {}",
            source.display(),
            String::from_utf8_lossy(&out.stderr)
        );
        Ok(object)
    }

    /// The program, or why there is none.
    pub fn build(&self, p: &Program) -> Result<PathBuf, String> {
        let folder = self.dir.join(p.folder);
        fs::create_dir_all(&folder).map_err(|e| e.to_string())?;
        let exe = folder.join(&p.name);
        let pool = if p.pooled {
            self.pool.as_ref().map_err(String::clone)?.as_slice()
        } else {
            &[]
        };
        let mut c = self.command();
        c.args(&p.defines)
            .args(&p.sources)
            .args(&self.common)
            .args(pool)
            .args(["-lm", "-o"])
            .arg(&exe);
        let out = c.output().map_err(|e| e.to_string())?;
        if out.status.success() {
            return Ok(exe);
        }
        Err(reason(&String::from_utf8_lossy(&out.stderr)))
    }
}

/// What a compiler complains of, in short: the MPI names that are missing, or its first error.
fn reason(stderr: &str) -> String {
    let mut missing: Vec<&str> = stderr
        .lines()
        .filter(|l| {
            [
                "E0103",
                "undeclared",
                "implicit",
                "unknown type",
                "undefined",
            ]
            .iter()
            .any(|w| l.contains(w))
        })
        .flat_map(|l| l.split(|c: char| !c.is_alphanumeric() && c != '_'))
        .filter(|w| w.starts_with("MPI_") || w.starts_with("PMPI_"))
        .collect();
    missing.sort_unstable();
    missing.dedup();
    if !missing.is_empty() {
        return format!("does not build: {}", missing.join(" "));
    }
    let first = stderr.lines().find(|l| l.contains("error"));
    format!("does not build: {}", first.unwrap_or("no message").trim())
}
