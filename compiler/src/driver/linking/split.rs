//! Large units, compiled in parts at the same time.
//!
//! A compiler takes one function after the other, so one large file (`sqlite3.c`) takes as long as it does however
//! many processors there are.  gcc's link-time optimisation, of this one unit alone and into an object, optimises it as
//! a whole all the same and generates code in parts, for a tenth more work.  Each part's assembly gets its gaps
//! ([`crate::driver::gaps`]) from this program, which stands in for the assembler.  Where any of this does not work the unit is
//! compiled as others are.

use std::ffi::{OsStr, OsString};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use xxhash_rust::xxh3::xxh3_64;

use crate::driver::build::{self, BuildError};
use crate::driver::cache;
use crate::driver::carry::private;
use crate::driver::gaps;
use crate::driver::job::Job;

/// Bytes of text that are worth the beginning.
const LARGE: usize = 1 << 20;
/// The real assembler, for this program in its place.
const ASSEMBLER: &str = "PC3_ASSEMBLER";

/// The unit's object at `object`, from its text at `text`; false: not in this way.
pub fn object(job: &Job, text: &Path, object: &Path) -> Result<bool, BuildError> {
    if !suits(job) {
        return Ok(false);
    }
    let dir = object.with_extension("parts");
    Ok(made(job, text, object, &dir).unwrap_or(false))
}

fn suits(job: &Job) -> bool {
    let options = &job.options.compile;
    let level = options.iter().rfind(|a| a.starts_with("-O"));
    let others = [
        "-fsanitize",
        "-fno-lto",
        "-fwhole-program",
        "-fno-toplevel-reorder",
    ];
    let strange = |a: &String| {
        let mut known = cache::UNCACHED.iter().chain(&others);
        known.any(|k| a.starts_with(k))
    };
    job.text.len() >= LARGE
        && !job.clang
        && job.source.is_none()
        && level.is_some_and(|l| l != "-O0")
        && !options.iter().any(strange)
        && !has_file_assembly(job.text)
        && on_path("make")
}

/// None: something is missing or went wrong.
fn made(job: &Job, text: &Path, object: &Path, dir: &Path) -> Option<bool> {
    let (t, o) = (job.toolchain, job.options);
    let real = run(t.command().args(&o.compile).arg("-print-prog-name=as"))?;
    let real = String::from_utf8(real.stdout).ok()?.trim_end().to_string();
    std::fs::create_dir(dir).ok()?;
    std::os::unix::fs::symlink(std::env::current_exe().ok()?, dir.join("as")).ok()?;
    let command = |first: &[OsString]| {
        let mut c = t.command();
        c.args(first)
            .args(build::portable_float(o, t))
            .args(build::whole_lines(o, t))
            .args(job.own_arithmetic())
            .args(job.position.compiling(o))
            .args(o.compile.iter().filter(|a| *a != "-pipe"))
            .args(["-fno-section-anchors", "-w"])
            .env("TMPDIR", dir);
        if job.directory.is_dir() {
            c.current_dir(job.directory);
        }
        c
    };
    let (whole, joined) = (dir.join("whole.o"), dir.join("joined.o"));
    let mut c = command(&[]);
    c.args(["-flto", "-x", "cpp-output", "-c", "-o"]);
    run(c.arg(&whole).arg(text))?;
    let processors = std::thread::available_parallelism().map_or(1, |n| n.get());
    let mut assembler = OsString::from("-B");
    assembler.push(dir.join(""));
    let mut c = command(&[assembler]);
    c.env(ASSEMBLER, real).env_remove("MAKE");
    c.args(["-r", "-nostdlib", "-flinker-output=nolto-rel"]);
    c.arg(format!("-flto={processors}")).arg("-o");
    run(c.arg(&joined).arg(&whole))?;
    let bytes = std::fs::read(&joined).ok()?;
    let tag = format!("{:x}", xxh3_64(job.text.as_bytes()));
    std::fs::write(object, private::distinguish(&bytes, &tag).ok()?).ok()?;
    let _ = std::fs::remove_dir_all(dir);
    Some(true)
}

/// None: it failed, or has something to say.
fn run(c: &mut Command) -> Option<Output> {
    let out = c.stdin(Stdio::null()).output().ok()?;
    (out.status.success() && out.stderr.is_empty()).then_some(out)
}

fn on_path(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|d| d.join(program).is_file())
}

/// Assembler at file scope may speak of what another part defines.  Also yes where a statement within a function begins
/// with it.
fn has_file_assembly(text: &str) -> bool {
    text.match_indices("asm").any(|(at, _)| {
        let directive = |text: &str| {
            text.rsplit('\n')
                .next()
                .filter(|l| l.starts_with('#'))
                .map(str::len)
        };
        let mut before = text[..at].trim_end_matches('_');
        if directive(before).is_some() {
            return false;
        }
        before = before.trim_end();
        while let Some(line) = directive(before) {
            before = before[..before.len() - line].trim_end();
        }
        let word = text[at + 3..].trim_start_matches('_');
        (before.is_empty() || before.ends_with([';', '{', '}']))
            && !word.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '$')
    })
}

/// This program as the assembler of a part: its arguments, and the status if it is.
pub fn assemble(name: Option<&OsStr>, arguments: &[OsString]) -> Option<i32> {
    let real = std::env::var_os(ASSEMBLER)?;
    if Path::new(name?).file_name() != Some(OsStr::new("as")) {
        return None;
    }
    let texts =
        (arguments.iter().map(PathBuf::from)).filter(|a| a.extension() == Some("s".as_ref()));
    for path in texts {
        if gaps::separate_file(&path).is_err() {
            return Some(1);
        }
    }
    let e = Command::new(&real).args(arguments).exec();
    tell!("pc3cc: error: cannot run {}: {e}\n", real.to_string_lossy());
    Some(1)
}

#[cfg(test)]
mod tests {
    #[test]
    fn assembly_at_file_scope_is_seen() {
        let check = |text: &str, expect: bool| {
            assert_eq!(super::has_file_assembly(text), expect, "{text}");
        };
        check("int a;\nasm(\".globl f\");", true);
        check(
            "int f(void) { }\n# 3 \"x\"\n# 4 \"y;\"\n __asm__ volatile(\"nop\");",
            true,
        );
        check("asm(\"\");", true);
        check(
            "int f(int) __asm__(\"g\"); int\n# 1 \"a;\"\nh(void)\n__asm__ (\"i\");",
            false,
        );
        check(
            "int a;\n# 1 \"/usr/include/asm/types.h\" 1 3\nint b;",
            false,
        );
        check("int plasma; asmodeus;int __asmx;", false);
    }
}
