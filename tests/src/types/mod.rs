//! Random types: what pc3 says of them must be what the compiler says, and their values must arrive on every ABI.
//!
//! For each program of types: pc3's table, taken from a checkpoint on each ABI, is compared with the debugging information
//! that the compiler writes there; the program's state goes round the ABIs, and in the end shows what the plain build shows.
//!
//! What compilers do wrong by themselves, and how programs keep out of its way:
//! * gcc 12 merges stores into bit-fields of `__int128` wrongly, and takes the parts of a packed complex number to be aligned:
//!   values are initialisers, and complex numbers are read as a whole.
//! * clang 14's debugging information takes a bit-field as wide as its type for another member: [`Record::narrow`].
//! * clang 19 lays `_BitInt` of more than 64 bits out in two ways on i686: [`Flavour::WideBits`].

mod dwarf;
mod generate;
pub mod kinds;
mod layout;
mod source;
mod values;

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{bail, ensure, Context, Result};

use crate::arch::{self, Arch, AARCH64, HOST, I686, S390X};
use crate::program::{Abis, Program};
use crate::run::{difference, Job, STOPPED};
use generate::Record;
use kinds::Flavour;
use layout::Table;

/// One program of types.
#[derive(Clone, Debug)]
pub struct TypesPlan {
    pub seed: u64,
    pub types: usize,
    pub flavour: Flavour,
    /// `-O0`, `-O2`.
    pub level: &'static str,
    /// Another compiler than the usual: clang for all ABIs, others for this machine's.
    pub cc: Option<String>,
    /// Which of the ABIs the program begins on.
    pub first: usize,
    /// Where programs are made, and stay if something differs.
    pub folder: PathBuf,
}

/// With the types that only clang has.
pub const CLANG_OF_BITS: &str = "clang-19";

impl TypesPlan {
    /// The `n`-th program of a run.
    pub fn nth(seed: u64, n: u64, types: usize, folder: &Path) -> TypesPlan {
        let (flavour, cc) = match n % 6 {
            5 if n % 12 == 11 => (Flavour::WideBits, Some(CLANG_OF_BITS)),
            1 => (Flavour::Wide, None),
            2 => (Flavour::All, Some("clang")),
            3 => (Flavour::Half, None),
            5 => (Flavour::Bits, Some(CLANG_OF_BITS)),
            _ => (Flavour::All, None),
        };
        let cc = cc.filter(|cc| arch::in_path(cc));
        TypesPlan {
            seed: seed.wrapping_mul(1_000_003).wrapping_add(n),
            types,
            flavour: match (flavour, cc) {
                (Flavour::Bits | Flavour::WideBits, None) => Flavour::All,
                _ => flavour,
            },
            // Frames differ by it, and it takes four times as long.
            level: if n % 8 == 4 { "-O1" } else { "-O0" },
            cc: cc.map(str::to_owned),
            first: (n / 3) as usize,
            folder: folder.to_path_buf(),
        }
    }

    /// In the order of the way round.
    fn archs(&self) -> Vec<Arch> {
        let mut list = arch::ALL.to_vec();
        list.retain(|a| {
            arch::is_tried(a)
                && a.missing().is_none()
                && match self.flavour {
                    Flavour::All | Flavour::Bits => true,
                    Flavour::Wide | Flavour::WideBits => a.bits == 64,
                    Flavour::Half => [HOST, I686, AARCH64].contains(a),
                }
        });
        let first = self.first % list.len().max(1);
        list.rotate_left(first);
        list
    }

    /// How many types were looked at, on how many ABIs.
    pub fn check(&self) -> Result<(usize, usize)> {
        self.within(&format!("types{}", self.seed), |dir| self.run(dir))
    }

    /// The same way for a program that somebody wrote.
    pub fn moves(&self, source: &Path) -> Result<()> {
        let name = source.file_stem().unwrap_or_default().to_string_lossy();
        self.within(&name, |dir| self.round(dir, source, None).map(|_| ()))
    }

    fn within<T>(&self, name: &str, run: impl Fn(&Path) -> Result<T>) -> Result<T> {
        let dir = self.folder.join(name);
        // What an earlier run has left.
        let _ = std::fs::remove_dir_all(&dir);
        std::fs::create_dir_all(&dir)?;
        let done = run(&dir).with_context(|| {
            format!(
                "seed {} ({:?}, {} {}): {}",
                self.seed,
                self.flavour,
                self.cc.as_deref().unwrap_or("cc"),
                self.level,
                dir.display()
            )
        })?;
        std::fs::remove_dir_all(&dir)?;
        Ok(done)
    }

    fn run(&self, dir: &Path) -> Result<(usize, usize)> {
        let mut types = generate::types(self.seed, self.types, self.flavour);
        // The debugging information of clang 14 takes those for members of another kind.
        if self.is_clang() {
            types.iter_mut().for_each(Record::narrow);
        }
        let (program, objects) = (dir.join("types.c"), dir.join("objects.c"));
        std::fs::write(&program, source::program(&types, self.seed, self.flavour))?;
        std::fs::write(&objects, source::objects(&types, self.flavour))?;
        let archs = self.round(dir, &program, Some(&objects))?;
        Ok((types.len(), archs))
    }

    /// Round the ABIs; how many there are.
    fn round(&self, dir: &Path, source: &Path, objects: Option<&Path>) -> Result<usize> {
        let p = Program {
            name: format!("types{}", self.seed),
            sources: vec![source.to_path_buf()],
            args: Vec::new(),
            ranks: 0,
            abis: Abis::All,
            pc3_flags: Vec::new(),
            flags: Vec::new(),
            stdin: None,
            cc: None,
        };
        let plain = Job::new(&p)?;
        let built = dir.join("plain");
        self.build(HOST, &p.sources[0], &built, false)?;
        let status = plain.run(HOST, &built, &[])?.status;
        ensure!(status == 0, "the plain program exits with {status}");
        let archs = self.archs();
        let job = Job::new(&p)?;
        // Round once, and back to the first.
        let legs: Vec<Arch> = archs.iter().chain(archs.first()).copied().collect();
        for (leg, arch) in legs.iter().enumerate() {
            let exe = dir.join(format!("pc3-{}", arch.name));
            if !exe.is_file() {
                self.build(*arch, &p.sources[0], &exe, true)?;
            }
            let mut env = vec![("PC3_EVERY", "1x"), ("PC3_ADDRESSES", "elsewhere")];
            if leg > 0 {
                env.push(("PC3_RESTART", "latest"));
            }
            let last = leg + 1 == legs.len();
            if !last {
                env.push(("PC3_STOP_AFTER", "1"));
            }
            let done = job.run(*arch, &exe, &env)?;
            let expected = if last { 0 } else { STOPPED };
            ensure!(
                done.status == expected,
                "leg {leg} on {}: exit status {}\n{}",
                arch.name,
                done.status,
                done.stderr
            );
            if let (false, Some(objects)) = (last, objects) {
                self.compare(*arch, &job, objects, dir)?;
            }
        }
        if let Some(d) = difference(&plain.stdout(), &job.stdout()) {
            bail!("values: {d}");
        }
        Ok(archs.len())
    }

    /// The table in the newest checkpoint and the compiler's debugging information.
    fn compare(&self, arch: Arch, job: &Job, objects: &Path, dir: &Path) -> Result<()> {
        let files = job.checkpoint_files();
        let file = files.last().context("no checkpoint")?;
        let shown = Command::new(arch::dist().join("bin/pc3"))
            .args(["show", "--types"])
            .arg(file)
            .output()?;
        ensure!(shown.status.success(), "{shown:?}");
        let table = Table::parse(&String::from_utf8_lossy(&shown.stdout))?;
        let described = dir.join(format!("objects-{}", arch.name));
        let mut c = self.compiler(arch, false);
        // For gdb, older ones of clang write bit-fields in the way of DWARF 3.
        c.args(self.is_clang().then_some("-glldb"));
        c.args(["-gdwarf-5", "-nostdlib", "-Wl,-e,0", "-static"]);
        done(c.arg(objects).arg("-o").arg(&described))?;
        let mut compared = 0;
        for (name, compiler) in dwarf::layouts(&std::fs::read(&described)?)? {
            let Some(ours) = table.layout(&name) else {
                bail!("{}: {name} is not in pc3's table", arch.name);
            };
            if let Some(d) = ours.difference(&compiler) {
                bail!("{}: {name}: {d}", arch.name);
            }
            compared += 1;
        }
        ensure!(
            compared == self.types,
            "{}: only {compared} types",
            arch.name
        );
        Ok(())
    }

    fn is_clang(&self) -> bool {
        self.cc.as_ref().is_some_and(|cc| cc.contains("clang"))
    }

    fn compiler(&self, arch: Arch, pc3: bool) -> Command {
        let is_clang = self.is_clang();
        let other = self.cc.as_ref().filter(|_| is_clang || arch == HOST);
        let mut c = match (pc3, other) {
            (true, _) => Command::new(arch::dist().join("bin/pc3cc")),
            (false, Some(cc)) => Command::new(cc),
            (false, None) => Command::new(arch.cc()),
        };
        let target = format!("--target={}", arch.gnu);
        match (pc3, other) {
            (true, Some(cc)) if is_clang => c.arg(&target).arg(format!("--cc={cc} {target}")),
            (true, Some(cc)) => c.arg(&target).arg(format!("--cc={cc}")),
            (true, None) => c.arg(&target),
            (false, Some(_)) if is_clang => c.arg(&target),
            (false, _) => &mut c,
        };
        if !pc3 && other.is_none() {
            c.args(arch.plain_flags());
        }
        if matches!(self.flavour, Flavour::Bits | Flavour::WideBits) {
            c.arg("-std=gnu2x");
        }
        if arch == I686 && self.flavour == Flavour::Half {
            c.arg("-msse2");
        }
        if self.level != "-O0" {
            c.args(vectors(arch));
        }
        c.args([
            self.level,
            "-w",
            "-Wno-psabi",
            "-Wno-incompatible-ms-struct",
        ]);
        c
    }

    fn build(&self, arch: Arch, source: &Path, out: &Path, pc3: bool) -> Result<()> {
        let mut c = self.compiler(arch, pc3);
        if arch != HOST {
            c.arg("-static");
        }
        done(c.arg(source).arg("-o").arg(out).arg("-lm"))
    }
}

/// An option by which compilers move vectors as aligned ones.
fn vectors(arch: Arch) -> Option<&'static str> {
    #[cfg(target_arch = "x86_64")]
    if arch == HOST {
        return match std::arch::is_x86_feature_detected!("avx512f") {
            true => Some("-mavx512f"),
            false => std::arch::is_x86_feature_detected!("avx2").then_some("-mavx2"),
        };
    }
    (arch == S390X).then_some("-march=z13")
}

fn done(c: &mut Command) -> Result<()> {
    let done = c
        .output()
        .with_context(|| format!("{:?}", c.get_program()))?;
    let errors = String::from_utf8_lossy(&done.stderr);
    let errors: Vec<&str> = errors.lines().filter(|l| l.contains("error")).collect();
    let first = &errors[..errors.len().min(10)];
    ensure!(done.status.success(), "{c:?}\n{}", first.join("\n"));
    Ok(())
}
