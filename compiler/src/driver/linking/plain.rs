//! The plain compiler's link: all there is to a program without a location.

use std::path::PathBuf;
use std::process::{Command, Stdio};

use crate::driver::build::{self, BuildError};
use crate::driver::carry::record;
use crate::driver::options::Options;
use crate::driver::temporary::Folder;
use crate::driver::toolchain::Toolchain;
use crate::driver::trace::{self, Trace};
use crate::driver::{diagnostics, inputs, recompile, source, Stop};
use pc3_syntax::diag::Diagnostics;

/// Flags of units that make a program one of pc3's.
pub const PROGRAM: u32 = record::LOCATION | record::MPI;

pub enum Plain {
    Done(i32),
    /// A member of an archive has a location.
    NeedsMore,
}

/// What the plain compiler makes of the command line.
pub fn plain(o: &Options, t: &Toolchain, members: Option<u32>) -> Result<Plain, Stop> {
    let mut c = source::plain(o, t, &o.plain);
    let (mut status, mut trace, mut said) = traced(&mut c, t)?;
    // Missing functions are the only sign of what an archive found by its name would bring.
    if status != 0 && said.contains("pc3_") {
        let stubs = Stubs::new(o, t)?;
        let mut c = source::plain(o, t, &o.plain);
        (status, trace, said) = traced(c.arg(stubs.object()), t)?;
    }
    let program = members.is_some_and(|f| f & PROGRAM != 0);
    if status != 0 && (program || said.contains("MPI_")) {
        return Ok(Plain::NeedsMore);
    }
    tell!("{said}");
    show!("{}", trace.rest);
    if status != 0 {
        return Ok(Plain::Done(status));
    }
    let taken = inputs::linker_inputs(&trace, &[])?;
    let first = taken.carriers.iter().find(|c| c.flags & PROGRAM != 0);
    if let (true, Some(c)) = (o.shared, first) {
        remove(o);
        return Err(diagnostics::stop(match c.flags & record::LOCATION {
            0 => diagnostics::shared_mpi(&c.name),
            _ => diagnostics::shared(&c.name),
        }));
    }
    if first.is_some() {
        return Ok(Plain::NeedsMore);
    }
    if !o.shared {
        no_location(o)?;
    }
    Ok(Plain::Done(0))
}

fn no_location(o: &Options) -> Result<(), Stop> {
    let mut diags = Diagnostics::default();
    diags.push(diagnostics::no_location());
    diagnostics::report(o, &diags)
}

/// Where the result goes.
pub fn output(o: &Options) -> PathBuf {
    o.output.clone().unwrap_or_else(|| "a.out".into())
}

pub fn remove(o: &Options) {
    let path = output(o);
    // Not `/dev/null`.
    if std::fs::symlink_metadata(&path).is_ok_and(|m| m.is_file() || m.is_symlink()) {
        let _ = std::fs::remove_file(path);
    }
}

/// Functions of `<pc3.h>` for a program that takes no checkpoints.
pub struct Stubs(Folder);

impl Stubs {
    pub fn new(o: &Options, t: &Toolchain) -> Result<Stubs, Stop> {
        let dir = Folder::new()?;
        let text = "void pc3_checkpoint(void) {} void pc3_critical_begin(void) {} void pc3_critical_end(void) {}\n\
            void pc3_on(int e, void (*c)(int, void *), void *x) { (void)e; (void)c; (void)x; }\n";
        std::fs::write(dir.path().join("stubs.c"), text)?;
        let stubs = Stubs(dir);
        let mut c = t.command();
        c.args(recompile::machine(o)).args(["-fPIC", "-c", "-o"]);
        c.arg(stubs.object()).arg(stubs.0.path().join("stubs.c"));
        match build::run(&mut c, t)? {
            0 => Ok(stubs),
            n => Err(BuildError::Failed(n).into()),
        }
    }

    pub fn object(&self) -> PathBuf {
        self.0.path().join("stubs.o")
    }
}

/// Runs a linking command and has it say what it takes.
pub(crate) fn traced(c: &mut Command, t: &Toolchain) -> Result<(i32, Trace, String), Stop> {
    let out = c.args(trace::OPTIONS).stdin(Stdio::null()).output();
    let out = out.map_err(|e| t.no_compiler(e))?;
    let trace = trace::parse(&String::from_utf8_lossy(&out.stdout));
    let said = String::from_utf8_lossy(&out.stderr).into_owned();
    Ok((build::status(out.status), trace, said))
}
