//! The program's descriptors at a checkpoint.  The system is asked what is open, so nothing escapes; what
//! the program was given and what is the runtime's own is left out.

use std::collections::BTreeMap;
use std::fs::File;
use std::mem::ManuallyDrop;
use std::os::fd::{FromRawFd, RawFd};
use std::os::unix::fs::FileExt;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use pc3_os::files::{LIST, S_IFCHR, S_IFDIR, S_IFIFO, S_IFREG, S_IFSOCK};

use super::baseline;
use super::locks;
use super::system::{self, Identity};
use pc3_format::library::{
    OpenMeta, Origin, ACCESS_APPEND, ACCESS_DIRECTORY, ACCESS_READ, ACCESS_WRITE,
};
use pc3_format::memory_reserve;
use pc3_format::meta::Span;
use pc3_os::own::is_own;

/// Contents of removed files are saved up to this length.
pub(crate) const REMOVED_LIMIT: u64 = 64 << 20;

/// What files hold that are open for update is saved up to this length: it may be overwritten in place.
pub(crate) const UPDATED_LIMIT: u64 = 16 << 20;

/// Who made a descriptor, and how.
#[derive(Clone, Debug)]
pub struct Opener {
    pub rank: usize,
    /// `open at a.c:12`.
    pub call: String,
    /// The program gave an absolute path.
    pub whole: bool,
}

static MADE: Mutex<BTreeMap<RawFd, Opener>> = Mutex::new(BTreeMap::new());

pub fn made() -> MutexGuard<'static, BTreeMap<RawFd, Opener>> {
    MADE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// An open file of the program.
#[derive(Clone, Debug)]
pub struct OpenFile {
    pub meta: OpenMeta,
    /// Of a removed file, or of one open for update.
    pub contents: Option<Vec<u8>>,
}

/// What is open, with the rank that it belongs to.
#[derive(Debug, Default)]
pub struct Scan {
    pub open: Vec<(usize, OpenFile)>,
    pub closed: Vec<u64>,
}

struct FoundDescriptor {
    fd: RawFd,
    identity: Identity,
    access: u64,
    inherited: Option<RawFd>,
    open: OpenFile,
}

/// All of it, or why it cannot be saved.  No rank runs.  `guests`: what is no file a guest has in values that are made again.
pub fn scan(guests: bool) -> Result<Scan, String> {
    let list = listed()?;
    let made = made();
    let all = list.iter().copied().filter(|fd| !is_own(*fd));
    let found = find(all.map(|fd| (fd, made.get(&fd))), guests)?;
    Ok(Scan {
        open: by_rank(found),
        closed: closed_standard(&list),
    })
}

/// Of one rank that takes its local checkpoint, while others run.
pub fn scan_one(rank: usize, guests: bool) -> Result<Scan, String> {
    // Whoever looks has descriptors open for that.
    let _alone = system::looking();
    let list = without_strangers(guests)?;
    let made: BTreeMap<RawFd, Opener> = made()
        .iter()
        .filter(|(_, m)| m.rank == rank)
        .map(|(fd, m)| (*fd, m.clone()))
        .collect();
    let own = list.iter().copied().filter(|fd| made.contains_key(fd));
    let own: Vec<RawFd> = own.filter(|fd| !is_own(*fd)).collect();
    if let Some(fd) = own.iter().find(|fd| is_everybodys(**fd)) {
        let call = made.get(fd).map_or("", |m| &m.call);
        return Err(format!(
            "descriptor {fd} (made by {call}) leads to the file of a standard stream, which all ranks share: use the barrier \
             protocol, or another file"
        ));
    }
    let found = find(own.into_iter().map(|fd| (fd, made.get(&fd))), guests)?;
    Ok(Scan {
        open: by_rank(found),
        closed: closed_standard(&list),
    })
}

/// Is it a standard descriptor that leads elsewhere now, or does it lead to the file of one?
fn is_everybodys(fd: RawFd) -> bool {
    let base = baseline::get();
    let Some(now) = system::of(fd).filter(|now| !base.is_unchanged(fd, now)) else {
        return false;
    };
    fd < 3 || now.is_regular() && (0..3).any(|n| base.leads_to(n, &now))
}

/// What is open in the process.  An error if nobody knows which rank has made one of them, but for moments: a rank may be
/// about to note what it has just opened.
fn without_strangers(guests: bool) -> Result<Vec<RawFd>, String> {
    const TRIES: u32 = 50;
    let base = baseline::get();
    let mut tries = 0;
    loop {
        let list = listed()?;
        let strange = |fd: &RawFd| {
            let matters = |now: &Identity| !guests || now.is_of_a_path();
            let now = system::of(*fd).filter(matters);
            let known =
                |now: &Identity| base.is_unchanged(*fd, now) || base.has_connection(*fd, now);
            !is_own(*fd) && now.is_some_and(|now| !known(&now))
        };
        let unknown: Vec<RawFd> = list.iter().copied().filter(strange).collect();
        let made = made();
        let Some(fd) = unknown.into_iter().find(|fd| !made.contains_key(fd)) else {
            return Ok(list);
        };
        drop(made);
        tries += 1;
        if tries == TRIES {
            let path = system::path_of(fd);
            return Err(format!(
                "descriptor {fd} ({}) is open, and which rank has made it is not known: use the barrier protocol",
                String::from_utf8_lossy(&path)
            ));
        }
        std::thread::sleep(Duration::from_millis(1));
    }
}

fn listed() -> Result<Vec<RawFd>, String> {
    system::open_ones().map_err(|e| format!("{LIST} cannot be read: {e}"))
}

/// Describes descriptors of the program's, or says why one cannot be saved.
fn find<'a>(
    list: impl Iterator<Item = (RawFd, Option<&'a Opener>)>,
    guests: bool,
) -> Result<Vec<(usize, FoundDescriptor)>, String> {
    let base = baseline::get();
    let mut found: Vec<(usize, FoundDescriptor)> = Vec::new();
    for (fd, made) in list {
        let Some(identity) = system::of(fd) else {
            continue;
        };
        if base.is_unchanged(fd, &identity) || made.is_none() && base.has_connection(fd, &identity)
        {
            continue;
        }
        let rank = made.map_or(0, |m| m.rank);
        let access = system::access(fd);
        let number = (fd as u64, system::ends_with_exec(fd));
        let inherited = duplicate_of_standard(fd, &identity);
        if guests && inherited.is_none() && !identity.is_of_a_path() {
            continue;
        }
        // What has no position of its own is each rank's by itself: they may be in different processes behind a restart.
        let alike = |of: usize| of == rank && (inherited.is_some() || !identity.is_regular());
        let by_position = inherited.is_none() && identity.is_regular();
        let shared = found.iter_mut().find(|(of, f)| {
            f.identity.same(&identity)
                && f.access == access
                && f.inherited == inherited
                && (alike(*of) || by_position && system::share_position(f.fd, fd))
        });
        if let Some((_, first)) = shared {
            first.open.meta.numbers.push(number);
            continue;
        }
        let mut open = match inherited {
            Some(standard) => described(fd, &identity, access, Origin::Inherited(standard as u64)),
            None => program_file(fd, &identity, access, made, &found, guests)?,
        };
        open.meta.numbers.push(number);
        found.push((
            rank,
            FoundDescriptor {
                fd,
                identity,
                access,
                inherited,
                open,
            },
        ));
    }
    Ok(found)
}

fn closed_standard(list: &[RawFd]) -> Vec<u64> {
    let base = baseline::get();
    (0..3)
        .filter(|fd| base.had(*fd) && !list.contains(fd))
        .map(|fd| fd as u64)
        .collect()
}

/// References between removed files count within a rank.
fn by_rank(found: Vec<(usize, FoundDescriptor)>) -> Vec<(usize, OpenFile)> {
    let ranks: Vec<usize> = found.iter().map(|f| f.0).collect();
    let bytes: Vec<Option<Vec<u8>>> = found.iter().map(|f| f.1.open.contents.clone()).collect();
    let nth = |i: usize| ranks[..i].iter().filter(|r| **r == ranks[i]).count() as u64;
    found
        .into_iter()
        .map(|(rank, f)| {
            let mut open = f.open;
            if let Origin::Again(i) = open.meta.origin {
                let i = i as usize;
                if ranks[i] == rank {
                    open.meta.origin = Origin::Again(nth(i));
                } else {
                    open.contents = bytes[i].clone();
                    open.meta.origin = NOT_YET;
                }
            }
            (rank, open)
        })
        .collect()
}

/// The place of the contents is known when they are written.
const NOT_YET: Origin = Origin::Removed(Span {
    offset: 0,
    bytes: 0,
});

/// `dup(1)`, or a standard descriptor that is another's duplicate now.
fn duplicate_of_standard(fd: RawFd, identity: &Identity) -> Option<RawFd> {
    let base = baseline::get();
    if identity.kind == S_IFCHR && DEVICES.contains(&&system::path_of(fd)[..]) {
        return None;
    }
    let mut list = base.standard(fd, identity);
    if !identity.is_regular() {
        return list.next();
    }
    // The same file may have been opened once more.  Where the original is gone, it must be its duplicate.
    list.find(|standard| match system::of(*standard) {
        Some(now) if base.is_unchanged(*standard, &now) => system::share_position(*standard, fd),
        _ => true,
    })
}

fn described(fd: RawFd, identity: &Identity, access: u64, origin: Origin) -> OpenFile {
    let regular = identity.is_regular();
    OpenFile {
        meta: OpenMeta {
            origin,
            path: system::path_of(fd),
            below: None,
            access,
            position: system::position(fd).filter(|_| regular),
            length: if regular { identity.length } else { 0 },
            written: None,
            contents: None,
            numbers: Vec::new(),
        },
        contents: None,
    }
}

fn program_file(
    fd: RawFd,
    identity: &Identity,
    access: u64,
    made: Option<&Opener>,
    earlier: &[(usize, FoundDescriptor)],
    guests: bool,
) -> Result<OpenFile, String> {
    let by = made.map_or(String::new(), |m| format!(" (made by {})", m.call));
    let refuse = |what: &str| Err(format!("descriptor {fd} is {what}{by}"));
    let mut open = described(fd, identity, access, Origin::Path);
    let path = open.meta.path.clone();
    match identity.kind {
        S_IFREG | S_IFDIR if made.is_none() && !guests => {
            return refuse(&format!(
                "{}, opened by code that pc3cc did not compile",
                String::from_utf8_lossy(&path)
            ));
        }
        S_IFREG => {}
        S_IFDIR => open.meta.access |= ACCESS_DIRECTORY,
        S_IFCHR if DEVICES.contains(&&path[..]) => return Ok(open),
        S_IFCHR => return refuse(&format!("the device {}", String::from_utf8_lossy(&path))),
        S_IFSOCK => return refuse("a socket"),
        S_IFIFO => return refuse("a pipe"),
        _ => return refuse(&format!("no file: {}", String::from_utf8_lossy(&path))),
    }
    if let Some(of) = system::of_kernel(fd) {
        return refuse(&format!(
            "{}, a file of {of}",
            String::from_utf8_lossy(&path)
        ));
    }
    match locks::of_descriptor(fd) {
        Ok(bits) => open.meta.access |= bits,
        Err(what) => return refuse(&format!("{}: {what}", String::from_utf8_lossy(&path))),
    }
    if !made.is_some_and(|m| m.whole) {
        open.meta.below = baseline::get().below(&path);
    }
    let named = system::of_path(&path).is_some_and(|i| i.same(identity));
    if identity.links > 0 && named {
        let update = ACCESS_READ | ACCESS_WRITE;
        if identity.is_regular() && access & (update | ACCESS_APPEND) == update {
            open.meta.written = Some(identity.written);
            // What cannot be read is told at the restart, if it has been written meanwhile.
            let small = identity.length <= UPDATED_LIMIT;
            open.contents = small.then(|| contents(fd, identity.length).ok()).flatten();
        }
        return Ok(open);
    }
    if !identity.is_regular() {
        return refuse("a directory that has been removed");
    }
    // Its name is gone, or another file's now.
    if identity.links > 0 && access & ACCESS_WRITE != 0 {
        return refuse(&format!(
            "{}, a file that is written and has another name",
            String::from_utf8_lossy(&path)
        ));
    }
    if let Some(i) = earlier
        .iter()
        .position(|(_, f)| f.identity.same(identity) && f.inherited.is_none())
    {
        open.meta.origin = match earlier[i].1.open.meta.origin {
            Origin::Again(first) => Origin::Again(first),
            _ => Origin::Again(i as u64),
        };
        return Ok(open);
    }
    if identity.length > REMOVED_LIMIT {
        return refuse(&format!(
            "a removed file of {} bytes, and at most {REMOVED_LIMIT} are saved",
            identity.length
        ));
    }
    open.meta.origin = NOT_YET;
    open.contents = Some(contents(fd, identity.length).map_err(|e| {
        format!("descriptor {fd} is a removed file{by}, which cannot be read: {e}")
    })?);
    Ok(open)
}

const DEVICES: [&[u8]; 6] = [
    b"/dev/null",
    b"/dev/zero",
    b"/dev/full",
    b"/dev/random",
    b"/dev/urandom",
    b"/dev/tty",
];

/// The descriptor itself may be for writing only.
fn contents(fd: RawFd, length: u64) -> std::io::Result<Vec<u8>> {
    let mut bytes = memory_reserve::vec(length as usize)?;
    bytes.resize(length as usize, 0);
    if system::access(fd) & ACCESS_READ != 0 {
        // SAFETY: the program's descriptor, which stays open: to close any one of a file ends its locks.
        let file = ManuallyDrop::new(unsafe { File::from_raw_fd(fd) });
        file.read_exact_at(&mut bytes, 0)?;
    } else {
        File::open(system::path_to(fd))?.read_exact_at(&mut bytes, 0)?;
    }
    Ok(bytes)
}

/// Is what is written through it to be taken back?
pub fn writes(meta: &OpenMeta) -> bool {
    meta.access & (ACCESS_WRITE | ACCESS_APPEND) != 0 && meta.access & ACCESS_DIRECTORY == 0
}
