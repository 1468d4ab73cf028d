//! Standard output and error below the launcher of a native MPI, which gives its processes pipes of its own: those on
//! `pc3run`'s machine write to its files themselves, so that a restart can cut them back, and nothing waits in a pipe
//! when the job is killed.  They share its open files, and with them one position: a program may cut a file off behind where it stands in it.

use std::fs::{self, File, OpenOptions};
use std::io::{Seek, SeekFrom};
use std::os::fd::AsRawFd;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::process;

use pc3_os::{files, processes};
use pc3_runtime::own_file;

/// Where `pc3run`'s own lead: `MACHINE:PROCESS DEVICE INODE PATH`.
const OUTPUTS: [(i32, &str); 2] = [(1, "PC3_STDOUT"), (2, "PC3_STDERR")];

/// To be called once, before the program's own start.  Programs that it starts do not see the variables.
pub(super) fn adopt() {
    for (fd, name) in OUTPUTS {
        if let Ok(text) = std::env::var(name) {
            lead(fd, &text);
        }
        std::env::remove_var(name);
    }
}

/// Leaves the descriptor as it is unless it is what the launcher gave, and the file is this machine's.
fn lead(fd: i32, text: &str) {
    let words: Vec<&str> = text.splitn(4, ' ').collect();
    let [machine, device, inode, path] = words[..] else {
        return;
    };
    let Some(process) = this_machine().and_then(|m| machine.strip_prefix(&m)) else {
        return;
    };
    if !is_launchers(fd) {
        return;
    }
    let same = |file: &File| {
        let told = |m: fs::Metadata| {
            (m.dev().to_string(), m.ino().to_string()) == (device.to_owned(), inode.to_owned())
        };
        file.metadata().is_ok_and(told)
    };
    let shared = process.strip_prefix(':').and_then(|p| p.parse().ok());
    let shared = shared
        .and_then(|p| processes::others_file(p, fd).map(File::from))
        .filter(same);
    if let Some(file) = shared.or_else(|| at_end(Path::new(path)).filter(same)) {
        keep_open(fd);
        // SAFETY: one of the standard ones, which the launcher gave.
        let _ = unsafe { files::duplicate_to(file.as_raw_fd(), fd, false) };
    }
}

/// Where the system does not let it have that.
fn at_end(path: &Path) -> Option<File> {
    let mut file = OpenOptions::new().append(true).open(path).ok()?;
    file.seek(SeekFrom::End(0)).ok()?;
    Some(file)
}

/// As long as this process lives: Open MPI's launcher takes one whose output and error have ended for one that has, and gives it
/// no more standard input.
fn keep_open(fd: i32) {
    if let Ok(new) = files::duplicate(fd, 3, true) {
        std::mem::forget(own_file(new.into()));
    }
}

/// Its start and its name.
fn this_machine() -> Option<String> {
    Some(format!(
        "{}:{}",
        processes::boot()?,
        processes::machine_name()?
    ))
}

/// Has nobody between the launcher and this process, such as a script, led it elsewhere?
fn is_launchers(fd: i32) -> bool {
    let leads = |process: u32| fs::read_link(files::path_to_others(process, fd)).ok();
    let own = leads(process::id());
    let mut above = processes::parent(process::id());
    while let Some(process) = above {
        match processes::first_variables(process) {
            Ok(variables) if !is_rank(&variables) => return true,
            Ok(_) if leads(process) == own => above = processes::parent(process),
            _ => return false,
        }
    }
    false
}

/// Do these variables, as they were when the process was started, say which rank it is?
fn is_rank(variables: &[u8]) -> bool {
    let names = [&b"OMPI_COMM_WORLD_RANK="[..], b"PMI_RANK=", b"PMIX_RANK="];
    let mut each = variables.split(|b| *b == 0);
    each.any(|v| names.iter().any(|n| v.starts_with(n)))
}
