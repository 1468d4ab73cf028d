//! Functions that exist nowhere, called from code that is never reached (`if (sizeof(int) == 3) link_error();`): the plain
//! compiler leaves these calls out.  In the clones of a function it may not see as much, so they get stand-ins, once the
//! plain build has been seen to link without them.

use std::path::{Path, PathBuf};

use crate::driver::build::{self, BuildError};
use crate::driver::options::Options;
use crate::driver::toolchain::Toolchain;
use crate::driver::{recompile, Stop};

/// The names that a linker misses: "undefined reference to `link_error'".  None if one of them is the runtime's.
pub fn missing(said: &str) -> Vec<String> {
    let parts = said.split("undefined reference to `").skip(1);
    let mut names: Vec<String> = parts
        .filter_map(|rest| Some(rest.split_once('\'')?.0.to_owned()))
        .collect();
    names.sort_unstable();
    names.dedup();
    let odd = |n: &String| {
        let plain = |c: char| c.is_ascii_alphanumeric() || c == '_';
        n.starts_with("pc3_") || !n.chars().all(plain)
    };
    if names.iter().any(odd) {
        names.clear();
    }
    names
}

/// An object with functions of these names that end the program.
pub(crate) fn stand_ins(
    names: &[String],
    o: &Options,
    t: &Toolchain,
    dir: &Path,
) -> Result<PathBuf, Stop> {
    let (source, object) = (dir.join("removed.c"), dir.join("removed.o"));
    let functions = names.iter().map(|n| {
        format!("void pc3_{n}(void) __asm__(\"{n}\"); void pc3_{n}(void) {{ __builtin_trap(); }}\n")
    });
    std::fs::write(&source, functions.collect::<String>())?;
    let mut c = t.command();
    c.args(recompile::machine(o)).args(["-w", "-c", "-o"]);
    c.arg(&object).arg(&source);
    match build::run(&mut c, t)? {
        0 => Ok(object),
        n => Err(BuildError::Failed(n).into()),
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn names_are_found() {
        let check = |said: &str, expected: &[&str]| assert_eq!(super::missing(said), expected);
        let b = "b.c:(.text+0x5): more undefined references to `b' follow\n";
        let said = format!(
            "a.c:(.text+0x5): undefined reference to `b'\nc.c: undefined reference to `a'\n{b}"
        );
        check(&said, &["a", "b"]);
        check(&said.replace("`a'", "`pc3_due'"), &[]);
        check("undefined reference to `f(int)'", &[]);
        check("ld: cannot find -lx", &[]);
    }
}
