//! `pc3`: what a person wants to know of checkpoints.
//!
//! * `find`: which file is meant; `directory`: commands on all of a directory; `request`: `pc3 checkpoint`.
//! * `image`: a rank's objects by address and by name; `value`: bytes as typed values.
//! * `calls`: its stack; `export`: arrays for NumPy; `diff`: two checkpoints, by variable.
//! * `messages`: how much of them a rank has; `text`, `json`: the two faces of `pc3 show`.
//! * `manual`: manual pages and completions of `pc3` and `pc3run`.

mod calls;
mod diff;
mod directory;
mod export;
mod find;
mod image;
mod json;
mod manual;
mod messages;
mod request;
mod text;
mod value;

use std::ffi::OsString;
use std::io::Write;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Parser, Subcommand};
use directory::{collect, copy, list, stat, verify};
use pc3_runtime::format::read::{Checkpoint, ReadError};

/// Lists, shows and verifies checkpoints of pc3 programs, and asks running ones for more.
#[derive(Parser, Debug)]
#[command(name = "pc3", version)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand, Debug)]
enum Command {
    /// List the checkpoints of a directory
    Ls {
        /// [default: PC3_DIR, or the only *.pc3 directory here]
        dir: Option<PathBuf>,
    },
    /// Show what a checkpoint holds: stack, globals and heap, with types, names and values
    Show {
        /// An id, `latest`, a file, or a directory (its newest)
        #[arg(value_name = "ID|FILE", default_value = "latest")]
        checkpoint: String,
        /// Where to look for an id [default: PC3_DIR, or the only *.pc3 directory here]
        #[arg(short, long)]
        dir: Option<PathBuf>,
        /// As JSON, complete
        #[arg(long)]
        json: bool,
        /// The table of the program's types instead, as the ABI that wrote the checkpoint lays them out
        #[arg(long, conflicts_with = "json")]
        types: bool,
        /// Only this rank [default: 0; all with --json]
        #[arg(long, value_name = "R")]
        rank: Option<u64>,
        /// Show at most so many elements of an array and objects of a heap [default: 12; all with --json]
        #[arg(long, value_name = "N")]
        limit: Option<usize>,
    },
    /// Where the values of two checkpoints differ, by variable; exit status 0 if nowhere, 1 if somewhere, 2 for errors
    ///
    /// Variables are compared by name and objects of the heap by the pointers that lead to them, so the two may be of
    /// different architectures.
    Diff {
        /// An id, `latest`, a file, or a directory (its newest)
        #[arg(value_name = "ID|FILE")]
        first: String,
        /// Likewise
        #[arg(value_name = "ID|FILE", default_value = "latest")]
        second: String,
        /// Where to look for an id [default: PC3_DIR, or the only *.pc3 directory here]
        #[arg(short, long)]
        dir: Option<PathBuf>,
        /// As JSON
        #[arg(long)]
        json: bool,
        /// Only this rank [default: all]
        #[arg(long, value_name = "R")]
        rank: Option<u64>,
        /// At most so many lines for each variable
        #[arg(long, value_name = "N", default_value_t = 12)]
        limit: usize,
    },
    /// Write a checkpoint's variables as NumPy arrays, in one file `.npz` (as JSON: `pc3 show --json`)
    ///
    /// Globals by name, locals as FUNCTION.NAME, what a variable points to by that variable's name, other objects of the
    /// heap as heap.N; with several ranks in front of that rankR.
    Export {
        /// An id, `latest`, a file, or a directory (its newest)
        #[arg(value_name = "ID|FILE", default_value = "latest")]
        checkpoint: String,
        /// Where to look for an id [default: PC3_DIR, or the only *.pc3 directory here]
        #[arg(short, long)]
        dir: Option<PathBuf>,
        /// Only this rank [default: all]
        #[arg(long, value_name = "R")]
        rank: Option<u64>,
        /// What to write [default: PROGRAM-ID.npz]
        #[arg(short, long, value_name = "FILE")]
        output: Option<PathBuf>,
    },
    /// Check every byte of checkpoints; exit status 1 if one is damaged
    Verify {
        /// A directory, a file, or an id [default: PC3_DIR, or the only *.pc3 directory here]
        #[arg(value_name = "DIR|FILE")]
        what: Option<String>,
        /// Where to look for an id
        #[arg(short, long)]
        dir: Option<PathBuf>,
    },
    /// What checkpoints take: how much of each is new, in how many chunks, and how much of the packs is in use
    Stat {
        /// [default: PC3_DIR, or the only *.pc3 directory here]
        dir: Option<PathBuf>,
    },
    /// Remove packs that no checkpoint names and what a killed job has left, in a directory where none runs
    Gc {
        /// [default: PC3_DIR, or the only *.pc3 directory here]
        dir: Option<PathBuf>,
    },
    /// Copy a checkpoint, or all of a directory, with the packs that they name; the copy is checked before it has its name
    Copy {
        /// An id, `latest`, a file, or a directory (all that it has)
        #[arg(value_name = "ID|FILE|DIR")]
        from: String,
        /// A directory that is not there, or is empty
        to: PathBuf,
        /// Where to look for an id [default: PC3_DIR, or the only *.pc3 directory here]
        #[arg(short, long)]
        dir: Option<PathBuf>,
    },
    /// Ask a running job for a checkpoint and wait until it is committed
    Checkpoint {
        /// The job's checkpoint directory or process
        #[arg(value_name = "DIR|PID")]
        job: String,
        /// End the job with status 85 behind it, and wait for that
        #[arg(long)]
        stop: bool,
        /// Give up waiting after so many seconds
        #[arg(long, value_name = "SECONDS", default_value_t = 600)]
        timeout: u64,
    },
    /// Print a script with which a shell completes options: `source <(pc3 completions bash)`
    Completions {
        shell: clap_complete::Shell,
        /// Whose options
        #[arg(value_enum, default_value = "pc3")]
        program: manual::Program,
    },
    /// Write the manual pages into a folder
    #[command(hide = true)]
    Manual { folder: PathBuf },
}

#[derive(Debug, thiserror::Error)]
enum Error {
    #[error("the first has {0} ranks, the second {1}: they are not of one job")]
    OtherRanks(u64, u64),
    #[error(transparent)]
    Find(#[from] find::FindError),
    #[error(transparent)]
    Request(#[from] request::RequestError),
    #[error(transparent)]
    Collect(#[from] collect::CollectError),
    #[error(transparent)]
    Copy(#[from] copy::CopyError),
    #[error("{}: {error}", path.display())]
    Read { path: PathBuf, error: ReadError },
    #[error("{}: {error}", path.display())]
    Export {
        path: PathBuf,
        error: export::ExportError,
    },
    #[error("{}: {error}", path.display())]
    Manual {
        path: PathBuf,
        error: std::io::Error,
    },
    #[error("{}: it has ranks 0 to {}, no rank {rank}", path.display(), ranks - 1)]
    NoRank {
        path: PathBuf,
        rank: u64,
        ranks: u64,
    },
}

pub fn main(args: impl IntoIterator<Item = OsString>) -> ExitCode {
    let cli = Cli::parse_from(args);
    let failed = match cli.command {
        // As the command diff does: 1 says that they differ.
        Command::Diff { .. } => ExitCode::from(2),
        _ => ExitCode::FAILURE,
    };
    let (text, good) = match run(cli.command) {
        Ok(done) => done,
        Err(error) => {
            eprintln!("pc3: {error}");
            return failed;
        }
    };
    // Whoever closed the pipe has seen enough.
    let _ = std::io::stdout().write_all(text.as_bytes());
    if good {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

/// What a command prints, or what is wrong with it.
pub fn said(args: impl IntoIterator<Item = OsString>) -> Result<String, String> {
    let cli = Cli::try_parse_from(args).map_err(|e| e.to_string())?;
    let done = run(cli.command).map_err(|e| e.to_string())?;
    Ok(done.0)
}

/// What to print, and whether all is well.
fn run(command: Command) -> Result<(String, bool), Error> {
    match command {
        Command::Ls { dir } => Ok((list::list(&find::directory(dir.as_deref())?)?, true)),
        Command::Show {
            checkpoint,
            dir,
            json,
            types,
            rank,
            limit,
        } => {
            let path = find::checkpoint(&checkpoint, dir.as_deref())?;
            if types {
                let opened = Checkpoint::open(&path);
                let read = |error| Error::Read { path, error };
                return Ok((opened.map_err(read)?.types.to_string(), true));
            }
            Ok((show(path, json, rank, limit)?, true))
        }
        Command::Diff {
            first,
            second,
            dir,
            json,
            rank,
            limit,
        } => {
            let paths = [first, second].map(|w| find::checkpoint(&w, dir.as_deref()));
            let [a, b] = paths;
            compare([a?, b?], rank, &diff::How { json, limit })
        }
        Command::Export {
            checkpoint,
            dir,
            rank,
            output,
        } => export(find::checkpoint(&checkpoint, dir.as_deref())?, rank, output),
        Command::Verify { what, dir } => Ok(verify::verify(&find::several(
            what.as_deref(),
            dir.as_deref(),
        )?)),
        Command::Stat { dir } => Ok(stat::stat(&find::directory(dir.as_deref())?)?),
        Command::Gc { dir } => Ok((collect::collect(&find::directory(dir.as_deref())?)?, true)),
        Command::Copy { from, to, dir } => {
            let files = find::several(Some(&from), dir.as_deref())?;
            let series = Path::new(&from).is_dir();
            Ok((copy::copy(&files, series, &to)?, true))
        }
        Command::Checkpoint { job, stop, timeout } => {
            Ok((request::request(&job, stop, timeout)?, true))
        }
        Command::Completions { shell, program } => Ok((manual::completions(shell, program), true)),
        Command::Manual { folder } => match manual::pages(&folder) {
            Ok(()) => Ok((String::new(), true)),
            Err(error) => Err(Error::Manual {
                path: folder,
                error,
            }),
        },
    }
}

fn export(
    path: PathBuf,
    rank: Option<u64>,
    output: Option<PathBuf>,
) -> Result<(String, bool), Error> {
    let opened = Checkpoint::open(&path);
    let checkpoint = opened.map_err(|error| Error::Read {
        path: path.clone(),
        error,
    })?;
    let wanted = ranks(&checkpoint, path, rank, 0..checkpoint.job.ranks)?;
    let named = || format!("{}-{}.npz", checkpoint.job.program, checkpoint.id());
    let to = output.unwrap_or_else(|| named().into());
    let count = export::export(&checkpoint, wanted, &to);
    let count = count.map_err(|error| Error::Export {
        path: to.clone(),
        error,
    })?;
    Ok((format!("{}: {count} arrays\n", to.display()), true))
}

/// The rank that is asked for, or these.
fn ranks(
    checkpoint: &Checkpoint,
    path: PathBuf,
    rank: Option<u64>,
    otherwise: Range<u64>,
) -> Result<Range<u64>, Error> {
    let ranks = checkpoint.job.ranks;
    match rank {
        Some(rank) if rank >= ranks => Err(Error::NoRank { path, rank, ranks }),
        Some(rank) => Ok(rank..rank + 1),
        None => Ok(otherwise),
    }
}

fn compare(
    paths: [PathBuf; 2],
    rank: Option<u64>,
    how: &diff::How,
) -> Result<(String, bool), Error> {
    let open = |path: &PathBuf| {
        let path = path.clone();
        Checkpoint::open(&path).map_err(|error| Error::Read { path, error })
    };
    let [a, b] = paths.each_ref().map(open);
    let (a, b) = (a?, b?);
    let [path, _] = paths;
    if a.job.ranks != b.job.ranks {
        return Err(Error::OtherRanks(a.job.ranks, b.job.ranks));
    }
    let wanted = ranks(&a, path.clone(), rank, 0..a.job.ranks)?;
    let done = diff::show([&a, &b], wanted, how);
    done.map_err(|error| Error::Read { path, error })
}

fn show(
    path: PathBuf,
    json: bool,
    rank: Option<u64>,
    limit: Option<usize>,
) -> Result<String, Error> {
    let read = |error| Error::Read {
        path: path.clone(),
        error,
    };
    let checkpoint = Checkpoint::open(&path).map_err(read)?;
    let otherwise = match json {
        true => 0..checkpoint.job.ranks,
        false => 0..checkpoint.job.ranks.min(1),
    };
    let wanted = ranks(&checkpoint, path.clone(), rank, otherwise)?;
    let mut images = Vec::new();
    for rank in wanted {
        images.push(
            checkpoint
                .rank(rank)
                .map(|image| (rank, image))
                .map_err(read)?,
        );
    }
    if json {
        Ok(json::show(
            &checkpoint,
            &images,
            limit.unwrap_or(usize::MAX),
        ))
    } else {
        Ok(text::show(&checkpoint, &images, limit.unwrap_or(12)))
    }
}
