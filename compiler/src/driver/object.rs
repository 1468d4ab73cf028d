//! `pc3cc -c`: the object that the plain compiler makes, with the unit in it for the link.

use super::carry::{elf, record};
use super::options::Options;
use super::source::Source;
use super::temporary::Folder;
use super::toolchain::Toolchain;
use super::{build, cache, depends, diagnostics, source, Stop};
use pc3_program::annotations;
use pc3_syntax::diag::Diagnostics;
use std::path::Path;
use std::process::Stdio;

pub fn objects(o: &Options, t: &Toolchain) -> Result<i32, Stop> {
    if o.other_inputs().next().is_some() || o.sources.is_empty() {
        let status = build::run(&mut source::plain(o, t, &o.plain_with(None)), t)?;
        if status != 0 || o.sources.is_empty() {
            return Ok(status);
        }
    }
    let mut worst = 0;
    for i in 0..o.sources.len() {
        let to = source::object_of(o, i);
        worst = worst.max(object(o, t, i, &to)?);
    }
    Ok(worst)
}

/// The object of the `i`th source, which the options put at `path`.
pub fn object(o: &Options, t: &Toolchain, i: usize, path: &Path) -> Result<i32, Stop> {
    let mut diags = Diagnostics::default();
    let wanted = source::wanted(o, &mut diags);
    let said = source::annotations(o, &mut diags);
    diagnostics::report(o, &diags)?;
    let preprocessed = source::preprocess(o, t, i)?;
    let done = match &preprocessed {
        Some(s) => from_text(o, t, s, path)?,
        None => false,
    };
    let mut status = 0;
    if !done {
        let mut c = source::plain(o, t, &o.plain_with(Some(i)));
        if preprocessed
            .as_ref()
            .is_some_and(|s| source::has_pragma(&s.text))
        {
            c.arg("-Wno-unknown-pragmas");
        }
        status = build::run(c.stdin(Stdio::null()), t)?;
    }
    if status == 0 {
        depends::note(o, i)?;
    }
    let Some(preprocessed) = preprocessed.filter(|_| status == 0) else {
        return Ok(status);
    };
    // `-o /dev/null` asks whether it compiles.
    if !path.is_file() {
        return Ok(status);
    }
    let mut r = source::record(o, t, i, preprocessed.text);
    r.annotations = annotations::lines(&said);
    let placed = source::find_locations(o, t, &mut r, &wanted);
    if placed.is_err() {
        let _ = std::fs::remove_file(path);
        placed?;
    }
    let bytes = std::fs::read(path).map_err(|e| build::BuildError::Read(path.into(), e))?;
    note_symbols(&mut r, &bytes);
    match elf::carry(&bytes, &r.encode()) {
        Ok(with) => {
            std::fs::write(path, with).map_err(|e| build::BuildError::Write(path.into(), e))?;
        }
        // What the options made is no object of ours (`-c -S` in a wrapper, bitcode): linked as it is.
        Err(elf::ElfError::NotElf) => {}
        Err(e) => return Err(e.into()),
    }
    Ok(0)
}

/// Has the object been made from the preprocessed text, which saves preprocessing it twice?  Only where it is certain to be
/// the same to the byte, and nothing is to be said: warnings depend on macros, and so does debugging information.
fn from_text(o: &Options, t: &Toolchain, s: &Source, path: &Path) -> Result<bool, Stop> {
    const PLAIN: &[&str] = &[
        "-O", "-std=", "-ansi", "-w", "-f", "-m", "-pthread", "-pipe", "-g0",
    ];
    const NOT: &[&str] = &[
        "-fsanitize",
        "-finput-charset",
        "-fpreprocessed",
        "-fdirectives-only",
        "-fpch",
        "-fmacro",
        "-ffile",
        "-flto",
        "-fdiagnostics",
        "-fopt-info",
        "-fcallgraph-info",
        "-fsave-optimization-record",
        "-frecord-gcc-switches",
    ];
    let starts = |a: &str, list: &[&str]| list.iter().any(|p| a.starts_with(p));
    let suits = |a: &String| starts(a, PLAIN) && !starts(a, NOT) && !starts(a, cache::UNCACHED);
    let ordinary = path.metadata().map_or(true, |m| m.is_file());
    if !s.exact
        || !s.said.is_empty()
        || !ordinary
        || !o.dependencies.is_empty()
        || !o.compile.iter().all(suits)
        || t.is_clang()
    {
        return Ok(false);
    }
    let dir = Folder::new()?;
    let text = dir.path().join("text.i");
    std::fs::write(&text, &s.text)?;
    let mut c = t.command();
    c.args(build::portable_float(o, t)).args(&o.compile);
    c.args(["-x", "cpp-output", "-c", "-o"])
        .arg(path)
        .arg(&text);
    let out = c.stdin(Stdio::null()).output();
    let out = out.map_err(|e| t.no_compiler(e))?;
    Ok(out.status.success() && out.stderr.is_empty())
}

/// What the object says about its unit.
pub(crate) fn note_symbols(r: &mut record::UnitRecord, object: &[u8]) {
    let symbols = elf::symbols(object);
    let calls = |prefix: &str| symbols.undefined.iter().any(|s| s.starts_with(prefix));
    if calls("MPI_") || calls("PMPI_") {
        r.flags |= record::MPI;
    }
    r.symbols = symbols.defined;
}
