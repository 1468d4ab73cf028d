//! Instrumented text to objects.

use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use crate::driver::build::{self, BuildError};
use crate::driver::cache::{self, Cache};
use crate::driver::job::Job;
use crate::driver::options::Options;
use crate::driver::split;
use pc3_syntax::parallel;

/// The objects, in the jobs' order, in `dir`.
pub fn objects(jobs: &[Job], dir: &Path) -> Result<Vec<PathBuf>, BuildError> {
    let cache = Cache::find();
    let made = parallel::map(jobs, |i, job| {
        let object = dir.join(format!("{i}-{}.pc3.o", job.stem));
        job.object(&object, cache.as_ref()).map(|()| object)
    });
    made.into_iter().collect()
}

impl Job<'_> {
    fn object(&self, object: &Path, cache: Option<&Cache>) -> Result<(), BuildError> {
        let write = |path: &Path, bytes: &[u8]| {
            std::fs::write(path, bytes).map_err(|e| BuildError::Write(path.into(), e))
        };
        let cached = cache.and_then(|c| Some((c, cache::key(self)?)));
        if let Some(bytes) = cached.as_ref().and_then(|(c, key)| c.get(key)) {
            return write(object, &bytes);
        }
        let (text, asm) = (object.with_extension("i"), object.with_extension("s"));
        write(&text, self.text.as_bytes())?;
        let split = split::object(self, &text, object)?;
        let silent = split || self.compile(&text, &asm)?;
        if !split {
            self.assemble(&asm, object)?;
        }
        // What the compiler has to say it must say again.
        if let (Some((cache, key)), true) = (cached, silent) {
            let bytes = std::fs::read(object).map_err(|e| BuildError::Read(object.into(), e))?;
            cache.put(&key, &bytes);
        }
        Ok(())
    }

    /// What is computed beforehand would be rounded as usual, and raise nothing: in one clone, and not in the other, where
    /// the values are restored.
    pub(crate) fn own_arithmetic(&self) -> Option<&'static str> {
        let knows = !self.clang || self.toolchain.target.is_x86();
        (self.floats && knows).then_some("-frounding-math")
    }

    /// Did the compiler say nothing?
    fn compile(&self, text: &Path, asm: &Path) -> Result<bool, BuildError> {
        let (o, t) = (self.options, self.toolchain);
        let mut c = t.command();
        c.args(build::portable_float(o, t))
            .args(build::whole_lines(o, t))
            .args(self.own_arithmetic())
            .args(self.position.compiling(o))
            .args(o.compile.iter().filter(|a| !leaves_files(a)));
        if !self.clang {
            c.arg("-fno-section-anchors");
            // Guesses about ways through a function, of which there are more than the user's: those into its midst.
            c.args(["-Wno-maybe-uninitialized", "-Wno-clobbered"]);
        }
        // The compiler has said what it has to say when the object was made.
        if self.source.is_none() {
            c.arg("-w");
        }
        c.args(["-x", "cpp-output", "-S", "-o"])
            .arg(asm)
            .arg(text)
            .stdin(Stdio::null());
        if self.directory.is_dir() {
            c.current_dir(self.directory);
        }
        // Its excerpts would show the generated text.
        if self.clang {
            c.arg("-fno-caret-diagnostics");
        }
        if std::io::stderr().is_terminal() && !o.user_has("-fdiagnostics-color") {
            c.arg("-fdiagnostics-color=always");
        }
        let done = c.stdout(Stdio::inherit()).output();
        let done = done.map_err(|e| t.no_compiler(e))?;
        if done.status.success() {
            tell!("{}", String::from_utf8_lossy(&done.stderr));
            return Ok(done.stderr.is_empty());
        }
        tell!("{}", self.rejected(&done.stderr)?);
        Err(BuildError::Failed(build::status(done.status)))
    }

    /// What the compiler says of the user's own text, where the errors stand once; `said`: of what became of it.
    fn rejected(&self, said: &[u8]) -> Result<String, BuildError> {
        let (o, t) = (self.options, self.toolchain);
        let text = String::from_utf8_lossy(said);
        let name = match self.source {
            Some((source, given)) => {
                let mut c = build::of_source(given, t, source, "-fsyntax-only");
                c.arg("-Wno-unknown-pragmas").stdin(Stdio::null());
                if std::io::stderr().is_terminal() && !o.user_has("-fdiagnostics-color") {
                    c.arg("-fdiagnostics-color=always");
                }
                let own = c.stdout(Stdio::null()).output();
                let own = own.map_err(|e| t.no_compiler(e))?;
                if !own.status.success() {
                    return Ok(String::from_utf8_lossy(&own.stderr).into_owned());
                }
                source.display().to_string()
            }
            None => self.name.to_string(),
        };
        Ok(format!("{text}pc3cc: error: the compiler accepts {name}, but not what pc3cc made of it: a bug in pc3cc\n  = help: please report it with {name} and what --emit=c prints\n"))
    }

    /// Assembles a unit with its objects set apart ([`crate::driver::gaps`]).
    fn assemble(&self, asm: &Path, object: &Path) -> Result<(), BuildError> {
        let (o, t) = (self.options, self.toolchain);
        crate::driver::gaps::separate_file(asm)?;
        let mut c = t.command();
        c.args(machine(o)).args(["-c", "-o"]).arg(object).arg(asm);
        if self.directory.is_dir() {
            c.current_dir(self.directory);
        }
        match build::run(c.stdin(Stdio::null()), t)? {
            0 => Ok(()),
            n => Err(BuildError::Failed(n)),
        }
    }
}

/// Nobody would find what they leave beside an object that is gone after the link; debugging information stays in it.
fn leaves_files(option: &str) -> bool {
    const LEAVE: &[&str] = &[
        "-gsplit-dwarf",
        "-save-temps",
        "--save-temps",
        "-fstack-usage",
    ];
    LEAVE.iter().any(|l| option.starts_with(l))
}

/// Options that say which machine code.
pub fn machine(o: &Options) -> impl Iterator<Item = &String> {
    let about = ["-m", "-Wa,", "-B", "--sysroot", "--target"];
    (o.compile.iter()).filter(move |a| about.iter().any(|p| a.starts_with(p)))
}
