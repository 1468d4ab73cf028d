//! The compiler driver: from a command line as users of gcc write it to objects and programs.
//!
//! `-c` makes ordinary objects that carry their preprocessed source ([`object`], [`carry`]); a link finds the units of
//! all that goes in ([`link`], [`inputs`]), has them instrumented as one program ([`program`]), compiles what that
//! changes ([`recompile`], [`cache`]) and puts it in the place of the objects ([`substitute`]).  What pc3 has nothing to do with
//! goes to the underlying compiler unchanged.

#[macro_use]
mod say;

mod command;
mod linking;
use command::{diagnostics, options, own, response, spelling};
use linking::{
    clashes, gaps, inputs, job, link, plain, program, recompile, removed, split, substitute, teams,
    trace,
};

mod build;
mod cache;
mod carry;
mod depends;
mod object;
mod probe;
mod source;
mod temporary;
mod toolchain;

use build::BuildError;
use options::{Emit, Mode, Options};
use pc3_syntax::diag::{Diagnostic, Diagnostics};
pub use split::assemble;
use std::path::Path;
use toolchain::{Toolchain, ToolchainError};

/// Ends the process.
pub fn end(status: i32) -> ! {
    temporary::wait_if_interrupted();
    std::process::exit(status)
}

/// Runs the command line (without the program's name) and returns the exit status.
pub fn main(args: Vec<String>) -> i32 {
    let mut options = match options::parse(args) {
        Ok(o) => o,
        Err(e) => return fail(&e),
    };
    probe::plain(&mut options, &std::env::current_dir().unwrap_or_default());
    if let Some(text) = options.explain_code {
        show!("{text}\n");
        return 0;
    }
    let m32 = options.user_has("-m32");
    let toolchain = match Toolchain::find(options.cc.as_deref(), options.target.as_deref(), m32) {
        Ok(t) => t,
        Err(e) => return report_one(&options, e.diagnostic()),
    };
    match drive(&options, &toolchain) {
        Ok(status) => status,
        Err(Stop::Said(status)) => status,
        Err(Stop::Told(d)) => report_one(&options, *d),
        Err(Stop::Error(e)) => fail(&*e),
    }
}

fn report_one(o: &Options, d: Diagnostic) -> i32 {
    let mut list = Diagnostics::default();
    list.push(d);
    match diagnostics::report(o, &list) {
        Err(Stop::Said(status)) => status,
        _ => 1,
    }
}

/// Why a build ends early.
enum Stop {
    /// The messages have been printed.
    Said(i32),
    /// An error that is still to be printed.
    Told(Box<Diagnostic>),
    Error(Box<dyn std::error::Error + Send + Sync>),
}

impl<E: std::error::Error + Send + Sync + 'static> From<E> for Stop {
    fn from(e: E) -> Stop {
        let e: Box<dyn std::error::Error + Send + Sync> = Box::new(e);
        let e = match e.downcast::<ToolchainError>() {
            Ok(missing) => return diagnostics::stop(missing.diagnostic()),
            Err(e) => e,
        };
        match e.downcast_ref::<BuildError>() {
            Some(BuildError::Toolchain(missing)) => diagnostics::stop(missing.diagnostic()),
            _ => Stop::Error(e),
        }
    }
}

fn drive(o: &Options, t: &Toolchain) -> Result<i32, Stop> {
    if o.lto && matches!(o.mode, Mode::Object | Mode::Link) {
        tell!("pc3cc: note: '-flto' is ignored: objects keep machine code\n");
    }
    match o.mode {
        Mode::PassThrough => {
            if o.plain.iter().any(|a| a == "--help") {
                show!("{}", own::HELP);
            } else if o.user_has("--version") {
                show!(
                    "pc3cc {} (portable checkpointing) over:\n",
                    env!("CARGO_PKG_VERSION")
                );
            } else if o.plain.is_empty() {
                return Err(diagnostics::stop(diagnostics::no_input()));
            }
            Ok(build::pass_through(o, t)?)
        }
        Mode::Object | Mode::Assembly | Mode::Link if o.emit != Emit::Executable => {
            link::link(o, t)
        }
        // Standard input cannot be read twice.
        Mode::Object | Mode::Partial | Mode::Link
            if o.sources.iter().any(|s| s == Path::new("-")) =>
        {
            diagnostics::report(o, &diagnostics::standard_input())?;
            Ok(build::run(&mut source::plain(o, t, &o.plain), t)?)
        }
        Mode::Preprocess | Mode::Assembly => {
            let status = build::pass_through(o, t)?;
            if status == 0 && o.mode == Mode::Preprocess {
                depends::show(o)?;
            }
            Ok(status)
        }
        Mode::Object => object::objects(o, t),
        Mode::Partial | Mode::Link => link::link(o, t),
    }
}

fn fail(e: &(dyn std::error::Error + 'static)) -> i32 {
    tell!("pc3cc: error: {e}\n");
    1
}
