//! Compiles instrumented text with the underlying compiler and links it with the runtime.

use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::thread;

use super::options::{LinkItem, Options};
use super::toolchain::{Toolchain, ToolchainError};

#[derive(Debug, thiserror::Error)]
pub enum BuildError {
    #[error(transparent)]
    Toolchain(#[from] ToolchainError),
    #[error("cannot write {0}: {1}")]
    Write(String, std::io::Error),
    /// The compiler has said why.
    #[error("the compiler failed")]
    Failed(i32),
}

/// Libraries that Rust's standard library asks of the system.
const SYSTEM_LIBS: &[&str] = &["-lpthread", "-ldl", "-lm", "-lrt", "-lutil"];

/// The command that preprocesses `source`.
pub fn preprocess(o: &Options, t: &Toolchain, source: &Path) -> Command {
    of_source(o, t, source, "-E")
}

fn of_source(o: &Options, t: &Toolchain, source: &Path, action: &str) -> Command {
    let mut c = t.command();
    c.arg(action)
        .arg("-D__PC3__=1")
        .args(portable_float(o, t))
        .args(&o.cpp)
        .arg("-I")
        .arg(t.include_dir());
    no_macros(o, &mut c);
    // Some comments are for the compiler.
    let falls = |a: &&String| {
        matches!(a.as_str(), "-W" | "-Wextra") || a.starts_with("-Wimplicit-fallthrough")
    };
    if action == "-E" && o.plain.iter().any(|a| falls(&a)) {
        c.arg("-C");
    }
    c.arg(source);
    c
}

/// `-g3` would put the macros' definitions into the text.
fn no_macros(o: &Options, c: &mut Command) {
    if o.plain
        .iter()
        .any(|a| a.starts_with("-g") && a.ends_with('3'))
    {
        c.arg("-g0");
    }
}

/// The runtime's declarations as the user's compiler options leave them: what is compiled is
/// preprocessed text, in which names like `linux` are not expanded a second time.
pub fn preludes(o: &Options, t: &Toolchain) -> Result<(String, String), PreludeError> {
    let one = |main: bool| -> Result<String, PreludeError> {
        let file = tempfile::Builder::new().suffix(".c").tempfile()?;
        std::fs::write(file.path(), crate::rewrite::prelude(main))?;
        let mut c = t.command();
        c.args(position(o, false)).args(&o.compile);
        no_macros(o, &mut c);
        c.args(["-w", "-E", "-P", "-x", "c"]).arg(file.path());
        Ok(crate::preprocess::run(&mut c)?)
    };
    Ok((one(true)?, one(false)?))
}

#[derive(Debug, thiserror::Error)]
pub enum PreludeError {
    #[error("cannot write a temporary file: {0}")]
    Write(#[from] std::io::Error),
    #[error(transparent)]
    Preprocess(#[from] crate::preprocess::PreprocessError),
}

/// Runs the underlying compiler on the user's own command line (`-E`, `-M`, `--version`, ...).
pub fn pass_through(o: &Options, t: &Toolchain) -> Result<i32, BuildError> {
    let mut c = t.command();
    c.args(&o.plain);
    if !o.sources.is_empty() {
        c.arg("-D__PC3__=1").arg("-I").arg(t.include_dir());
    }
    status(c.status().map_err(|e| t.no_compiler(e))?)
}

/// Compiles the instrumented units in parallel and links them.
pub fn executable(
    o: &Options,
    t: &Toolchain,
    dir: &Path,
    instrumented: &[String],
    clang: bool,
) -> Result<i32, BuildError> {
    let runtime = t.runtime()?;
    let files = write_units(o, dir, instrumented)?;
    let results: Vec<Result<(), BuildError>> = thread::scope(|s| {
        let jobs: Vec<_> = files
            .iter()
            .enumerate()
            .map(|(i, f)| s.spawn(move || compile_unit(o, t, f, o.sources.get(i), clang)))
            .collect();
        jobs.into_iter()
            .map(|j| j.join().unwrap_or(Err(BuildError::Failed(1))))
            .collect()
    });
    for r in results {
        r?;
    }
    let mut c = t.command();
    for item in &o.link {
        match item {
            LinkItem::Source(i) => c.arg(object(&files[*i])),
            LinkItem::Arg(a) => c.arg(a),
        };
    }
    c.args(position(o, true))
        .arg("-o")
        .arg(o.output.clone().unwrap_or_else(|| "a.out".into()));
    c.args(t.support_library(&o.compile));
    c.arg(runtime).args(SYSTEM_LIBS);
    c.args(["-Wl,--gc-sections", "-Wl,--wrap=main"]);
    let linked = c.stdin(Stdio::null()).stdout(Stdio::inherit()).output();
    let linked = linked.map_err(|e| t.no_compiler(e))?;
    eprint!(
        "{}",
        users_messages(&String::from_utf8_lossy(&linked.stderr))
    );
    status(linked.status)
}

/// What the linker says, less its notes on functions of Rust's standard library that a static program
/// would need shared libraries for: the runtime never calls them.
fn users_messages(said: &str) -> String {
    let ours = |line: &str| line.contains("libpc3rt.a(") && line.contains(": in function `");
    let note = |line: &str| line.contains("in statically linked applications requires at runtime");
    let lines: Vec<&str> = said.split_inclusive('\n').collect();
    let mut out = String::new();
    for (i, line) in lines.iter().enumerate() {
        let of_ours = i > 0 && ours(lines[i - 1]) && note(line);
        let before_note = ours(line) && lines.get(i + 1).is_some_and(|l| note(l));
        if !of_ours && !before_note {
            out.push_str(line);
        }
    }
    out
}

/// Compiles and links without instrumentation: no location, nothing that pc3 has to do.
pub fn plain(o: &Options, t: &Toolchain) -> Result<i32, BuildError> {
    let mut c = t.command();
    c.args(portable_float(o, t))
        .args(&o.plain)
        .arg("-D__PC3__=1")
        .arg("-I")
        .arg(t.include_dir());
    status(c.status().map_err(|e| t.no_compiler(e))?)
}

fn write_units(o: &Options, dir: &Path, texts: &[String]) -> Result<Vec<PathBuf>, BuildError> {
    let mut files = Vec::new();
    for (i, text) in texts.iter().enumerate() {
        let stem = o.sources[i]
            .file_stem()
            .map(|s| s.to_string_lossy().into_owned())
            .unwrap_or_default();
        let file = dir.join(format!("{i}-{stem}.pc3.i"));
        std::fs::write(&file, text)
            .map_err(|e| BuildError::Write(file.display().to_string(), e))?;
        files.push(file);
    }
    Ok(files)
}

fn compile_unit(
    o: &Options,
    t: &Toolchain,
    file: &Path,
    source: Option<&PathBuf>,
    clang: bool,
) -> Result<(), BuildError> {
    let mut c = t.command();
    c.args(portable_float(o, t))
        .args(position(o, false))
        .args(&o.compile);
    // Link-time optimisation leaves nothing to assemble here.
    let apart = !o.plain.iter().any(|a| a.starts_with("-flto"));
    let (stop, result) = match apart {
        true => ("-S", file.with_extension("s")),
        false => ("-c", object(file)),
    };
    if !clang {
        c.arg("-fno-section-anchors");
    }
    c.args(["-x", "cpp-output", stop, "-o"])
        .arg(&result)
        .arg(file)
        .stdin(Stdio::null());
    // Its excerpts would show the generated text.
    if clang {
        c.arg("-fno-caret-diagnostics");
    }
    if std::io::stderr().is_terminal() && !o.user_has("-fdiagnostics-color") {
        c.arg("-fdiagnostics-color=always");
    }
    let done = c.stdout(Stdio::inherit()).output();
    let done = done.map_err(|e| t.no_compiler(e))?;
    let status = status(done.status)?;
    match source {
        Some(source) if status != 0 => {
            eprint!("{}", rejected(o, t, source, &done.stderr)?);
        }
        _ => eprint!("{}", String::from_utf8_lossy(&done.stderr)),
    }
    match status {
        0 if apart => assemble(o, t, &result, &object(file)),
        0 => Ok(()),
        n => Err(BuildError::Failed(n)),
    }
}

/// What the compiler says of the user's own text, where the errors stand once; `said`: of what became of it.
fn rejected(o: &Options, t: &Toolchain, source: &Path, said: &[u8]) -> Result<String, BuildError> {
    let mut c = of_source(o, t, source, "-fsyntax-only");
    c.args(&o.compile)
        .arg("-Wno-unknown-pragmas")
        .stdin(Stdio::null());
    if std::io::stderr().is_terminal() && !o.user_has("-fdiagnostics-color") {
        c.arg("-fdiagnostics-color=always");
    }
    let own = c.stdout(Stdio::null()).output();
    let own = own.map_err(|e| t.no_compiler(e))?;
    let text = String::from_utf8_lossy(if own.status.success() {
        said
    } else {
        &own.stderr
    });
    Ok(match own.status.success() {
        false => text.into_owned(),
        true => format!("{text}pc3cc: error: the compiler accepts {0}, but not what pc3cc made of it: a bug in pc3cc\n  = help: please report it with {0} and what --emit=c prints\n", source.display()),
    })
}

/// Assembles a unit with its objects set apart ([`super::gaps`]).
fn assemble(o: &Options, t: &Toolchain, asm: &Path, object: &Path) -> Result<(), BuildError> {
    let broken = |e| BuildError::Write(asm.display().to_string(), e);
    // As Latin-1 every byte is kept: names and literals need not be UTF-8.
    let bytes = std::fs::read(asm).map_err(broken)?;
    let text: String = bytes.iter().map(|&b| char::from(b)).collect();
    let apart: Vec<u8> = super::gaps::separate(&text)
        .chars()
        .map(|c| c as u8)
        .collect();
    std::fs::write(asm, apart).map_err(broken)?;
    let machine = |a: &&String| {
        ["-m", "-Wa,", "-B", "--sysroot", "--target"]
            .iter()
            .any(|p| a.starts_with(p))
    };
    let mut c = t.command();
    c.args(o.compile.iter().filter(machine))
        .args(["-c", "-o"])
        .arg(object)
        .arg(asm);
    match status(
        c.stdin(Stdio::null())
            .status()
            .map_err(|e| t.no_compiler(e))?,
    )? {
        0 => Ok(()),
        n => Err(BuildError::Failed(n)),
    }
}

fn object(file: &Path) -> PathBuf {
    file.with_extension("o")
}

/// Results must agree across architectures unless the user wants otherwise.
fn portable_float(o: &Options, t: &Toolchain) -> Vec<&'static str> {
    let mut f = Vec::new();
    if !o.user_has("-ffp-contract") && !o.user_has("-ffast-math") && !o.user_has("-Ofast") {
        f.push("-ffp-contract=off");
    }
    if t.target.is_i686()
        && !o.user_has("-mfpmath")
        && !o.user_has("-mno-sse")
        && !o.user_has("-mno-sse2")
    {
        f.extend(["-msse2", "-mfpmath=sse"]);
    }
    f
}

/// Fixed addresses reach globals and thread-locals in one instruction.
fn position(o: &Options, linking: bool) -> Vec<&'static str> {
    let user = ["-fPIE", "-fpie", "-pie", "-fPIC", "-fpic", "-static-pie"];
    if user.iter().any(|f| o.user_has(f)) {
        return Vec::new();
    }
    if linking {
        vec!["-no-pie"]
    } else {
        vec!["-fno-pie"]
    }
}

fn status(s: ExitStatus) -> Result<i32, BuildError> {
    use std::os::unix::process::ExitStatusExt;
    Ok(s.code().unwrap_or_else(|| 128 + s.signal().unwrap_or(0)))
}

#[cfg(test)]
mod tests {
    #[test]
    fn notes_on_the_runtime_are_not_the_users() {
        let said = "ld: lib/libpc3rt.a(x.o): in function `home':\nos.rs:1: warning: Using 'getpwuid_r' in statically linked applications requires at runtime the shared libraries\n\
            ld: a.o: in function `main':\na.c:3: warning: Using 'getpwnam' in statically linked applications requires at runtime the shared libraries\n\
            ld: lib/libpc3rt.a(y.o): in function `g':\nundefined reference to `f'\n";
        assert_eq!(
            super::users_messages(said),
            said.split_inclusive('\n').skip(2).collect::<String>()
        );
    }
}
