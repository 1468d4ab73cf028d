//! Which compiler builds for which target, and where pc3's own files are.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use pc3_syntax::diag::{Code, Diagnostic};
use pc3_syntax::preprocess;
use pc3_typemetric::descriptor::{MARK, MARK_WORDS};

/// A target in the two spellings in use.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Target {
    /// GNU triple as Debian names cross compilers: `s390x-linux-gnu`.
    pub gnu: String,
    /// Rust triple: `s390x-unknown-linux-gnu`.
    pub rust: String,
}

impl Target {
    /// Accepts `arch-linux-gnu`, `arch-unknown-linux-gnu`, `arch-pc-linux-gnu` and the like.
    pub fn parse(text: &str) -> Target {
        let parts: Vec<&str> = text.split('-').collect();
        let arch = parts.first().copied().unwrap_or(text);
        let env = match parts.last() {
            Some(e) if parts.len() > 1 => *e,
            _ => "gnu",
        };
        let (gnu_arch, rust_arch) = match arch {
            "i386" | "i486" | "i586" | "i686" => ("i686", "i686"),
            "arm" | "armv7" | "armv7l" => {
                ("arm", if env.ends_with("hf") { "armv7" } else { "arm" })
            }
            "amd64" | "x86_64" => ("x86_64", "x86_64"),
            "arm64" | "aarch64" => ("aarch64", "aarch64"),
            "powerpc64le" | "ppc64le" => ("powerpc64le", "powerpc64le"),
            "riscv64" | "riscv64gc" => ("riscv64", "riscv64gc"),
            a => (a, a),
        };
        Target {
            gnu: format!("{gnu_arch}-linux-{env}"),
            rust: format!("{rust_arch}-unknown-linux-{env}"),
        }
    }

    pub(crate) fn is_x86(&self) -> bool {
        self.is_i686() || self.gnu.starts_with("x86_64-")
    }

    pub(crate) fn is_i686(&self) -> bool {
        self.gnu.starts_with("i686-")
    }

    pub(crate) fn is_musl(&self) -> bool {
        self.gnu.contains("-musl")
    }

    pub(crate) fn is_s390x(&self) -> bool {
        self.gnu.starts_with("s390x-")
    }
}

#[derive(Debug, thiserror::Error)]
pub enum ToolchainError {
    #[error("cannot run the compiler '{cc}': {source}")]
    NoCompiler {
        cc: String,
        package: String,
        source: std::io::Error,
    },
    #[error("no pc3 runtime for {triple}: {path} does not exist")]
    NoRuntime {
        triple: String,
        rust: String,
        path: String,
    },
    #[error("the pc3 runtime for {triple} is of another version than pc3cc: {path}")]
    OtherRuntime {
        triple: String,
        rust: String,
        path: String,
    },
    #[error("cannot find pc3's own files: no '{0}' beside pc3cc")]
    NoRoot(String),
}

impl ToolchainError {
    pub fn diagnostic(&self) -> Diagnostic {
        let help = match self {
            ToolchainError::NoCompiler { package, .. } => format!("install it (on Debian: apt-get install {package}), or name another with --cc=COMMAND or PC3_CC"),
            ToolchainError::NoRuntime { rust, .. } | ToolchainError::OtherRuntime { rust, .. } => {
                format!("build it with 'cargo xtask dist --target {rust}'")
            }
            ToolchainError::NoRoot(_) => {
                "build the tree with 'cargo xtask dist', or set PC3_ROOT to it".to_owned()
            }
        };
        Diagnostic::error(Code::Installation, self.to_string()).help(help)
    }
}

/// The underlying compiler with the options that pc3 relies on.
#[derive(Clone, Debug)]
pub struct Toolchain {
    /// Command words: `gcc`, or `ccache gcc`.
    pub cc: Vec<String>,
    pub target: Target,
    /// Directory that holds `bin`, `lib/pc3`, `include`.
    pub root: PathBuf,
    clang: OnceLock<bool>,
}

impl Toolchain {
    pub fn new(cc: Vec<String>, target: Target, root: PathBuf) -> Toolchain {
        let clang = OnceLock::new();
        Toolchain {
            cc,
            target,
            root,
            clang,
        }
    }

    /// As it says itself, whatever it is called. One that cannot be asked cannot compile either.
    pub fn is_clang(&self) -> bool {
        let asked = || {
            let mut c = self.command();
            let listing = preprocess::run(c.args(["-dM", "-E", "-x", "c", "/dev/null"]));
            listing.is_ok_and(|l| preprocess::parse_macros(&l).contains_key("__clang__"))
        };
        *self.clang.get_or_init(asked)
    }

    /// `cc`: the user's `--cc` (else `PC3_CC`, else `TARGET-gcc` or `cc`); `m32`: `-m32` was given.
    pub fn find(
        cc: Option<&str>,
        target: Option<&str>,
        m32: bool,
    ) -> Result<Toolchain, ToolchainError> {
        let host = Target::parse(&format!("{}-linux-gnu", std::env::consts::ARCH));
        let wanted = target.map(Target::parse);
        let named = cc.map(str::to_string).or_else(|| {
            std::env::var("PC3_CC")
                .ok()
                .filter(|s| !s.trim().is_empty())
        });
        let words: Vec<String> = match (&named, &wanted) {
            (Some(c), _) => c.split_whitespace().map(str::to_string).collect(),
            (None, Some(t)) if *t != host => vec![format!("{}-gcc", t.gnu)],
            _ => vec!["cc".to_string()],
        };
        let mut target = match wanted {
            Some(t) => t,
            None => {
                let machine =
                    dump_machine(&words).map_err(|source| ToolchainError::NoCompiler {
                        cc: words.join(" "),
                        package: "gcc".into(),
                        source,
                    })?;
                // Debian's `musl-gcc` is the machine's gcc, and says so.
                match words.iter().any(|w| w.contains("musl")) {
                    true => Target::parse(&machine.replace("-gnu", "-musl")),
                    false => Target::parse(&machine),
                }
            }
        };
        if m32 && target.gnu.starts_with("x86_64") {
            target = Target::parse("i686-linux-gnu");
        }
        Ok(Toolchain::new(words, target, root()?))
    }

    pub fn command(&self) -> Command {
        let mut c = Command::new(&self.cc[0]);
        c.args(&self.cc[1..]);
        c
    }

    pub(crate) fn include_dir(&self) -> PathBuf {
        self.root.join("include")
    }

    /// The runtime archive for the target, and what is in it.
    pub fn runtime(&self) -> Result<(PathBuf, Vec<u8>), ToolchainError> {
        let path = self
            .root
            .join("lib/pc3")
            .join(&self.target.gnu)
            .join("libpc3rt.a");
        let (triple, rust) = (self.target.gnu.clone(), self.target.rust.clone());
        let shown = path.display().to_string();
        match std::fs::read(&path) {
            Ok(bytes) if belongs(&bytes) => Ok((path, bytes)),
            Ok(_) => Err(ToolchainError::OtherRuntime {
                triple,
                rust,
                path: shown,
            }),
            Err(_) => Err(ToolchainError::NoRuntime {
                triple,
                rust,
                path: shown,
            }),
        }
    }

    /// The compiler's own support library: it must come before the runtime's archive, which brings other versions
    /// of some of its functions (complex division) that round differently.
    pub(crate) fn support_library(&self, options: &[String]) -> Option<PathBuf> {
        let out = self
            .command()
            .args(options)
            .arg("-print-libgcc-file-name")
            .output()
            .ok()?;
        let path = PathBuf::from(String::from_utf8_lossy(&out.stdout).trim());
        path.is_file().then_some(path)
    }

    /// Debian's, of a compiler for the target.
    fn package(&self) -> String {
        match self.target.gnu.split_once('-') {
            Some((arch, rest)) if arch != std::env::consts::ARCH => {
                format!("gcc-{}-{rest}", arch.replace('_', "-"))
            }
            _ => "gcc".into(),
        }
    }

    pub(crate) fn no_compiler(&self, source: std::io::Error) -> ToolchainError {
        ToolchainError::NoCompiler {
            cc: self.cc.join(" "),
            package: self.package(),
            source,
        }
    }
}

/// Has the runtime been built with this pc3cc's header?  Those that do not say so are asked when the program starts.
fn belongs(runtime: &[u8]) -> bool {
    let has = |words: &[u8]| memchr::memmem::find(runtime, words).is_some();
    has(&MARK) || !has(MARK_WORDS)
}

fn dump_machine(cc: &[String]) -> std::io::Result<String> {
    let out = Command::new(&cc[0])
        .args(&cc[1..])
        .arg("-dumpmachine")
        .output()?;
    Ok(String::from_utf8_lossy(&out.stdout).trim().to_string())
}

fn root() -> Result<PathBuf, ToolchainError> {
    if let Some(r) = std::env::var_os("PC3_ROOT") {
        return Ok(PathBuf::from(r));
    }
    let exe = std::env::current_exe()
        .and_then(std::fs::canonicalize)
        .unwrap_or_default();
    let root = exe
        .parent()
        .and_then(Path::parent)
        .map(Path::to_path_buf)
        .unwrap_or_default();
    if root.join("include/pc3.h").is_file() {
        return Ok(root);
    }
    Err(ToolchainError::NoRoot(
        root.join("include/pc3.h").display().to_string(),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clang_by_another_name() {
        let dir = tempfile::tempdir().expect("a folder");
        for (listing, is_clang) in [
            ("#define __clang__ 1", true),
            ("#define __GNUC__ 15", false),
        ] {
            let script = dir.path().join("listing");
            std::fs::write(&script, listing).expect("a file");
            let words =
                ["sh", "-c", "cat \"$0\"", &script.display().to_string()].map(str::to_owned);
            let t = Toolchain::new(
                words.to_vec(),
                Target::parse("x86_64-linux-gnu"),
                "/".into(),
            );
            assert_eq!(t.is_clang(), is_clang);
        }
    }

    #[test]
    fn triples() {
        let check = |text: &str, gnu: &str, rust: &str| {
            assert_eq!(
                Target::parse(text),
                Target {
                    gnu: gnu.into(),
                    rust: rust.into()
                }
            );
        };
        check(
            "s390x-linux-gnu",
            "s390x-linux-gnu",
            "s390x-unknown-linux-gnu",
        );
        check(
            "s390x-unknown-linux-gnu",
            "s390x-linux-gnu",
            "s390x-unknown-linux-gnu",
        );
        check(
            "x86_64-pc-linux-gnu",
            "x86_64-linux-gnu",
            "x86_64-unknown-linux-gnu",
        );
        check("i386-linux-gnu", "i686-linux-gnu", "i686-unknown-linux-gnu");
        check(
            "arm-linux-gnueabihf",
            "arm-linux-gnueabihf",
            "armv7-unknown-linux-gnueabihf",
        );
        check(
            "aarch64-linux-gnu",
            "aarch64-linux-gnu",
            "aarch64-unknown-linux-gnu",
        );
        check(
            "riscv64-linux-gnu",
            "riscv64-linux-gnu",
            "riscv64gc-unknown-linux-gnu",
        );
        check(
            "x86_64-linux-musl",
            "x86_64-linux-musl",
            "x86_64-unknown-linux-musl",
        );
    }
}
