//! How the process was when it started: its folder, and the descriptors it was given.

use std::collections::BTreeMap;
use std::os::fd::RawFd;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};
use std::sync::{LazyLock, OnceLock};

use super::connections::Connections;
use super::system::stands_at;
use super::system::{self, Identity};
use crate::variables;
use pc3_control::report::said;
use pc3_format::library::{ACCESS_READ, ACCESS_WRITE};
use pc3_os::files::S_IFSOCK;
use pc3_os::own::is_own;

#[derive(Debug, Default)]
pub struct Baseline {
    pub directory: Vec<u8>,
    pub umask: u32,
    /// Where standard error stood, if it is a file.
    log: Option<u64>,
    /// What we had said by then.
    said: u64,
    /// With what they may be used for.
    inherited: BTreeMap<RawFd, (Identity, u64)>,
    connections: Connections,
}

fn uses(fd: RawFd) -> u64 {
    system::access(fd) & (ACCESS_READ | ACCESS_WRITE)
}

static BASELINE: OnceLock<Baseline> = OnceLock::new();

/// To be called before anything of the program, but its constructors, runs.
pub fn note() {
    variables::note();
    let directory = std::env::current_dir().map_or(Vec::new(), |d| d.into_os_string().into_vec());
    let list = system::open_ones().unwrap_or_else(|_| (0..3).collect());
    let inherited: BTreeMap<RawFd, (Identity, u64)> = list
        .into_iter()
        .filter(|fd| !is_own(*fd))
        .filter_map(|fd| Some((fd, (system::of(fd)?, uses(fd)))))
        .collect();
    let sockets = inherited.iter().filter(|(_, i)| i.0.kind == S_IFSOCK);
    let connections = Connections::of(sockets.map(|(fd, _)| *fd));
    let _ = BASELINE.set(Baseline {
        directory,
        umask: pc3_os::files::mask(),
        log: stands_at(pc3_os::files::STDERR_FILENO),
        said: said(),
        inherited,
        connections,
    });
}

/// Has it been noted?  Engines' own tests run ranks without a process of theirs.
pub fn is_known() -> bool {
    BASELINE.get().is_some()
}

pub fn get() -> &'static Baseline {
    static NONE: LazyLock<Baseline> = LazyLock::new(|| Baseline {
        umask: 0o22,
        ..Baseline::default()
    });
    BASELINE.get().unwrap_or_else(|| &NONE)
}

/// Where a folder of the checkpoint may lie here, the likelier first.
pub fn places(path: &[u8], below: Option<&[u8]>) -> impl Iterator<Item = PathBuf> {
    let list = get().candidates(path, below);
    list.into_iter()
        .map(|p| Path::new(std::ffi::OsStr::from_bytes(&p)).to_owned())
}

/// Where a descriptor leads: the path, and the same below the folder of the start.
pub fn named(fd: RawFd) -> (Vec<u8>, Option<Vec<u8>>) {
    let path = system::path_of(fd);
    let below = get().below(&path);
    (path, below)
}

impl Baseline {
    /// Has anything but our own messages been written to standard error, which stands there, since the start?
    pub(crate) fn has_logged(&self, place: u64) -> bool {
        let with_ours = |start: u64| start + (said() - self.said);
        self.log.map(with_ours) != Some(place)
    }

    pub fn had(&self, fd: RawFd) -> bool {
        self.inherited.contains_key(&fd)
    }

    /// Does it still lead where it led?
    pub fn is_unchanged(&self, fd: RawFd, now: &Identity) -> bool {
        self.leads_to(fd, now)
    }

    /// Is it a socket of the library that connects the processes, though it came later?  For one that no call of the
    /// program's has made.
    pub(super) fn has_connection(&self, fd: RawFd, now: &Identity) -> bool {
        now.kind == S_IFSOCK && self.connections.have(fd)
    }

    /// Did it lead to this file?
    pub fn leads_to(&self, fd: RawFd, file: &Identity) -> bool {
        self.inherited.get(&fd).is_some_and(|i| i.0.same(file))
    }

    /// The standard descriptors, as they were, that led to where `fd` leads and were used alike.
    pub fn standard(&self, fd: RawFd, file: &Identity) -> impl Iterator<Item = RawFd> + '_ {
        let (file, uses) = (*file, uses(fd));
        let alike = move |i: &(Identity, u64)| i.0.same(&file) && i.1 == uses;
        (0..3).filter(move |fd| self.inherited.get(fd).is_some_and(alike))
    }

    /// A path relative to the folder of the start.
    pub fn below(&self, path: &[u8]) -> Option<Vec<u8>> {
        let rest = path.strip_prefix(&self.directory[..])?;
        match (self.directory.ends_with(b"/"), rest) {
            (_, []) => Some(Vec::new()),
            (true, rest) => Some(rest.to_vec()),
            (false, [b'/', rest @ ..]) => Some(rest.to_vec()),
            _ => None,
        }
        .filter(|_| !self.directory.is_empty())
    }

    /// Where a path of the checkpoint may lie here, the likelier first.
    pub fn candidates(&self, path: &[u8], below: Option<&[u8]>) -> Vec<Vec<u8>> {
        let moved = below.map(|rest| [&self.directory[..], rest].join(&b'/'));
        let mut list: Vec<Vec<u8>> = moved.into_iter().chain([path.to_vec()]).collect();
        list.dedup();
        list
    }
}
