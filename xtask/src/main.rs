//! `cargo xtask`: everything a person or CI asks of this repository.

mod bench;
mod check;
mod conformance;
mod demo;
mod dist;
mod env;
mod fuzz;
mod kills;
mod package;
mod semver;
mod setup;
mod simulate;
mod sources;
mod test;
mod tidy;
mod toolchains;
mod torture;
mod types;

use clap::{Parser, Subcommand};

#[derive(Parser)]
#[command(name = "cargo xtask", about = "Build, show, test and measure pc3")]
struct Cli {
    #[command(subcommand)]
    command: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Compile a C/MPI program, kill it, move it, and compare with the uninterrupted run
    Demo,
    /// Prepare what the full suite needs, then run all of it
    Test {
        /// Leave out setup (use what is installed)
        #[arg(long)]
        no_setup: bool,
        /// Only end-to-end cases whose name contains this
        filter: Option<String>,
    },
    /// Install or prepare cross compilers, qemu-user and Rust libraries for other architectures
    Setup,
    /// Put a relocatable tree under target/dist
    Dist {
        /// Also build the runtime for this triple (repeatable); the host's is always built
        #[arg(long)]
        target: Vec<String>,
        /// Build the runtime for every target whose toolchain is installed
        #[arg(long, conflicts_with = "target")]
        all: bool,
    },
    /// Put pc3 under a prefix: programs, manual pages, completions, files for pkg-config, CMake and modules
    Install {
        #[arg(long)]
        prefix: std::path::PathBuf,
        /// Also the runtime for this triple (repeatable)
        #[arg(long)]
        target: Vec<String>,
    },
    /// Make an archive that runs from any folder, and Debian's packages, under target/package
    Package {
        /// Also the runtime for this triple (repeatable)
        #[arg(long)]
        target: Vec<String>,
    },
    /// Stop and move many programs at random places, and compare with the plain build
    Torture(torture::TortureOptions),
    /// Build all programs by other compilers, with other C libraries and dialects, stop and move them, and compare
    Toolchains(toolchains::ToolchainsOptions),
    /// Compare random types with the compiler's debugging information, and move values of them between all ABIs
    Types(types::TypesOptions),
    /// Kill programs at random moments, go on with other processes, MPIs and architectures, and compare
    Kills(kills::KillsOptions),
    /// Run MPICH's own tests on pc3's MPI
    Conformance(conformance::ConformanceOptions),
    /// Compare what users of the crate pc3 may name with an earlier revision (needs cargo-semver-checks)
    Semver {
        /// Another one than the usual
        revision: Option<String>,
    },
    /// Run the coordination protocols in a simulator (`simulate --help` lists what it does)
    #[command(disable_help_flag = true)]
    Simulate {
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        args: Vec<std::ffi::OsString>,
    },
    /// Damage checkpoints of all versions and read them (`fuzz --help` lists how)
    #[command(disable_help_flag = true)]
    Fuzz {
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        args: Vec<std::ffi::OsString>,
    },
    /// Between two edits: format, lints of what has changed, rules of the house
    Check,
    /// Measure the rules of the house: sizes, circles of imports, lengths of documents
    Tidy,
    /// Measure pc3 beside its peers; tables here, JSON under target/bench
    Bench {
        /// One of the tables of docs/benchmarks.md; all when absent
        name: Option<String>,
    },
}

fn main() {
    if let Err(e) = run(Cli::parse().command) {
        eprintln!("error: {e:#}");
        std::process::exit(1);
    }
}

fn run(task: Task) -> anyhow::Result<()> {
    match task {
        Task::Demo => demo::run(),
        Task::Test { no_setup, filter } => test::run(!no_setup, filter.as_deref()),
        Task::Setup => setup::run(),
        Task::Dist { target, all } => {
            let targets = if all {
                env::available_targets()
            } else {
                target
            };
            dist::run(&targets).map(|_| ())
        }
        Task::Install { prefix, target } => package::install(&prefix, &target),
        Task::Package { target } => package::package(&target),
        Task::Torture(options) => torture::run(&options),
        Task::Toolchains(options) => toolchains::run(&options),
        Task::Types(options) => types::run(&options),
        Task::Kills(options) => kills::run(&options),
        Task::Conformance(options) => conformance::run(&options),
        Task::Semver { revision } => semver::run(revision.as_deref()),
        Task::Simulate { args } => simulate::run(&args),
        Task::Fuzz { args } => fuzz::run(&args),
        Task::Check => check::run(),
        Task::Tidy => tidy::run(),
        Task::Bench { name } => bench::run(name.as_deref()),
    }
}
