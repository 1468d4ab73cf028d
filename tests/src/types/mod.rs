//! Random types: what pc3 says of them must be what the compiler says, and their values must arrive on every ABI.
//!
//! For each program of types: pc3's table, taken from a checkpoint on each ABI, is compared with the debugging information
//! that the compiler writes there; the program's state goes round the ABIs, and in the end shows what the plain build shows.

mod dwarf;
pub mod generate;
mod layout;
mod source;

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{bail, ensure, Context, Result};

use crate::arch::{self, Arch, AARCH64, HOST, I686};
use crate::program::{Abis, Program};
use crate::run::{difference, Job, STOPPED};
use generate::Flavour;
use layout::Table;

/// One program of types.
#[derive(Clone, Debug)]
pub struct Plan {
    pub seed: u64,
    pub types: usize,
    pub flavour: Flavour,
    /// `-O0`, `-O2`.
    pub level: &'static str,
    /// Another compiler than the usual for this machine's programs.
    pub cc: Option<String>,
    /// Where programs are made, and stay if something differs.
    pub folder: PathBuf,
}

impl Plan {
    /// The `n`-th program of a run.
    pub fn nth(seed: u64, n: u64, types: usize, folder: &Path) -> Plan {
        let seed = seed.wrapping_mul(1_000_003).wrapping_add(n);
        let flavour = match n % 5 {
            1 => Flavour::Wide,
            3 => Flavour::Half,
            _ => Flavour::All,
        };
        Plan {
            seed,
            types,
            flavour,
            level: match (n % 3, flavour) {
                // gcc 12 merges stores into bit-fields of `__int128` wrongly.
                (0, Flavour::Wide) => "-O1",
                (0, _) => "-O2",
                _ => "-O0",
            },
            cc: None,
            folder: folder.to_path_buf(),
        }
    }

    fn archs(&self) -> Vec<Arch> {
        let mut list = arch::available();
        list.retain(|a| match self.flavour {
            Flavour::All => true,
            Flavour::Wide => *a != I686,
            Flavour::Half => [HOST, I686, AARCH64].contains(a),
        });
        list
    }

    /// How many types were looked at, on how many ABIs.
    pub fn check(&self) -> Result<(usize, usize)> {
        let name = format!("types{}", self.seed);
        let dir = self.folder.join(&name);
        // What an earlier run has left.
        let _ = std::fs::remove_dir_all(&dir);
        std::fs::create_dir_all(&dir)?;
        let done = self.run(&dir).with_context(|| {
            format!(
                "seed {} ({:?}, {}): {}",
                self.seed,
                self.flavour,
                self.level,
                dir.display()
            )
        })?;
        std::fs::remove_dir_all(&dir)?;
        Ok(done)
    }

    fn run(&self, dir: &Path) -> Result<(usize, usize)> {
        let types = generate::types(self.seed, self.types, self.flavour);
        let (program, objects) = (dir.join("types.c"), dir.join("objects.c"));
        std::fs::write(&program, source::program(&types, self.seed))?;
        std::fs::write(&objects, source::objects(&types))?;
        let p = Program {
            name: format!("types{}", self.seed),
            sources: vec![program],
            args: Vec::new(),
            ranks: 0,
            abis: Abis::All,
            pc3_flags: Vec::new(),
            flags: Vec::new(),
            stdin: None,
        };
        let plain = Job::new(&p)?;
        let built = dir.join("plain");
        self.build(HOST, &p.sources[0], &built, false)?;
        let status = plain.run(HOST, &built, &[])?.status;
        ensure!(status == 0, "the plain program exits with {status}");
        let archs = self.archs();
        let job = Job::new(&p)?;
        // Round once, and home.
        let legs: Vec<Arch> = archs.iter().copied().chain([HOST]).collect();
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
            if !last {
                self.compare(*arch, &job, &objects, dir)?;
            }
        }
        if let Some(d) = difference(&plain.stdout(), &job.stdout()) {
            bail!("values: {d}");
        }
        Ok((types.len(), archs.len()))
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

    fn compiler(&self, arch: Arch, pc3: bool) -> Command {
        let other = self.cc.as_ref().filter(|_| arch == HOST);
        let mut c = match (pc3, other) {
            (true, _) => Command::new(arch::dist().join("bin/pc3cc")),
            (false, Some(cc)) => Command::new(cc),
            (false, None) => Command::new(arch.cc()),
        };
        if pc3 {
            c.arg(format!("--target={}", arch.gnu));
            c.args(other.map(|cc| format!("--cc={cc}")));
        } else if other.is_none() {
            c.args(arch.plain_flags());
        }
        if arch == I686 && self.flavour == Flavour::Half {
            c.arg("-msse2");
        }
        c.args([self.level, "-w"]);
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

fn done(c: &mut Command) -> Result<()> {
    let done = c
        .output()
        .with_context(|| format!("{:?}", c.get_program()))?;
    ensure!(
        done.status.success(),
        "{c:?}\n{}",
        String::from_utf8_lossy(&done.stderr)
    );
    Ok(())
}
