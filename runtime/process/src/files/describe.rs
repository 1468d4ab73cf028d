//! What a checkpoint says of a rank's streams, and of files that it has written and closed.

use pc3_os::streams;
use pc3_os::types::FILE;

use super::standard::leads_to;
use super::system::stands_at;
use super::{baseline, stream, system, Written, NO_DESCRIPTOR};
use pc3_format::library::{AppendedMeta, FileKind, FileMeta, STATE_CONSUMED};

pub fn gone(addr: usize) -> FileMeta {
    FileMeta {
        addr: addr as u64,
        descriptor: NO_DESCRIPTOR,
        kind: FileKind::Closed,
        path: String::new(),
        mode: String::new(),
        position: None,
        length: 0,
        state: 0,
        tail: None,
        pushed: Vec::new(),
        pending: Vec::new(),
        buffer: None,
        memory: None,
        held: None,
    }
}

pub fn as_it_is(w: &Written) -> Option<AppendedMeta> {
    let now = system::of_path(&w.path).filter(|i| i.is_regular())?;
    Some(AppendedMeta {
        below: baseline::get().below(&w.path).filter(|_| !w.whole),
        path: w.path.clone(),
        length: now.length,
    })
}

pub(crate) fn describe(kind: FileKind, stream: *mut FILE, path: String, mode: String) -> FileMeta {
    // SAFETY: an open stream (the program closes them through us).
    let (fd, standing, used, back) = unsafe {
        (
            streams::number(stream),
            stream::standing(stream),
            stream::is_used(stream),
            stream::to_go_back(stream),
        )
    };
    let length = system::length_of(fd);
    let position = if mode.is_empty() && kind != FileKind::Stdin {
        stands_at(fd)
    } else {
        system::position(fd).map(|at| at.saturating_sub(back))
    };
    // A log that holds nothing of the program's is whoever's else.
    let own = |at: &u64| kind != FileKind::Stderr || baseline::get().has_logged(*at);
    let position = position.filter(|at| length.is_some() && own(at));
    let output = mode.is_empty() && kind != FileKind::Stdin;
    // SAFETY: likewise.
    let held = unsafe { stream::held(stream) }.filter(|_| !output);
    let consumed = kind == FileKind::Stdin && length.is_none() && mode.is_empty() && used;
    FileMeta {
        addr: stream as usize as u64,
        descriptor: u64::try_from(fd).unwrap_or(NO_DESCRIPTOR),
        kind,
        path: if mode.is_empty() { leads_to(fd) } else { path },
        mode,
        position,
        tail: position
            .filter(|_| output)
            .and_then(|at| system::tail(fd, at)),
        length: length.unwrap_or(0),
        state: standing.state | if consumed { STATE_CONSUMED } else { 0 },
        pushed: standing.pushed,
        pending: standing.pending,
        buffer: None,
        memory: None,
        held,
    }
}
