//! What a person reads when no rank can ever run again.

use std::collections::BTreeMap;
use std::ffi::CStr;
use std::fmt::Write;

use pc3_runtime::tell::{die, EXIT_DEADLOCK};

use crate::handle::abi;
use crate::p2p::request::What;
use crate::p2p::{Request, ANY_SOURCE, ANY_TAG};
use crate::state::{RankState, World};

/// More different lines than this are told without their arguments.
const LINES: usize = 24;

/// All ranks that have not ended are blocked and nothing is in flight.
pub(crate) fn found(world: &World) {
    let text = format!(
        "deadlock: every rank waits and no message is under way\n{}",
        describe(world)
    );
    match world.on_deadlock.get() {
        Some(f) => f(&text),
        None => die(EXIT_DEADLOCK, text.trim_end()),
    }
}

/// Where each rank is, equal lines together.  No rank runs.
pub(crate) fn describe(world: &World) -> String {
    let full = group(world, true);
    let lines = if full.len() > LINES {
        group(world, false)
    } else {
        full
    };
    let mut out = String::new();
    for (text, ranks) in by_first_rank(lines) {
        let many = if ranks.len() == 1 { "rank" } else { "ranks" };
        let _ = writeln!(out, "  {many} {}: {text}", ranges(&ranks));
    }
    out
}

fn group(world: &World, arguments: bool) -> BTreeMap<String, Vec<u32>> {
    let mut lines = BTreeMap::<String, Vec<u32>>::new();
    for r in world.ranks() {
        lines.entry(line(r, arguments)).or_default().push(r.rank);
    }
    lines
}

fn by_first_rank(lines: BTreeMap<String, Vec<u32>>) -> Vec<(String, Vec<u32>)> {
    let mut v: Vec<_> = lines.into_iter().collect();
    v.sort_by_key(|(_, ranks)| ranks[0]);
    v
}

fn line(r: &RankState, arguments: bool) -> String {
    let world = r.world();
    if world.sched().has_ended(r.rank) {
        return "has ended".into();
    }
    if !world.coord.lock().is_running(r.rank as usize) {
        return "waits at a checkpoint location".into();
    }
    let call = r.call.get();
    let mut s = String::from(if call.name.is_empty() {
        "waits"
    } else {
        call.name
    });
    if arguments {
        s.push_str(&told(r));
    }
    let at = r.exec().map_or(std::ptr::null(), |e| e.abi.at);
    if !at.is_null() {
        // SAFETY: generated code stores string literals there.
        let _ = write!(s, " at {}", unsafe { CStr::from_ptr(at) }.to_string_lossy());
    }
    s
}

/// The arguments that matter.
fn told(r: &RankState) -> String {
    let call = r.call.get();
    let comm = match call.comm {
        0 => String::new(),
        abi::COMM_WORLD => ", MPI_COMM_WORLD".into(),
        abi::COMM_SELF => ", MPI_COMM_SELF".into(),
        h => format!(", communicator {h:#x}"),
    };
    let rank = |r: i32| {
        if r == ANY_SOURCE {
            "MPI_ANY_SOURCE".into()
        } else {
            format!("{r}")
        }
    };
    let tag = |t: i32| {
        if t == ANY_TAG {
            "MPI_ANY_TAG".into()
        } else {
            format!("{t}")
        }
    };
    if let Some(peer) = call.peer {
        return format!("(rank {}, tag {}{comm})", rank(peer), tag(call.tag));
    }
    let w = r.waiting();
    if w > RankState::ANY {
        let held = r.requests.borrow();
        let pending = held.iter().map(|(_, q)| q.ptr()).find(|p| *p as usize == w);
        if let Some(p) = pending {
            // SAFETY: a request in the rank's own table.
            let q: &Request = unsafe { &*p };
            return match q.what {
                What::Send(_) => format!(" (a send to rank {}, tag {})", q.peer, tag(q.key.tag)),
                What::Recv => format!(
                    " (a receive from rank {}, tag {})",
                    rank(q.key.src),
                    tag(q.key.tag)
                ),
            };
        }
    }
    if comm.is_empty() {
        comm
    } else {
        format!("({})", &comm[2..])
    }
}

/// 0-3, 7
fn ranges(ranks: &[u32]) -> String {
    let mut out = String::new();
    let mut i = 0;
    while i < ranks.len() {
        let mut j = i;
        while j + 1 < ranks.len() && ranks[j + 1] == ranks[j] + 1 {
            j += 1;
        }
        let sep = if out.is_empty() { "" } else { ", " };
        let _ = match j - i {
            0 => write!(out, "{sep}{}", ranks[i]),
            _ => write!(out, "{sep}{}-{}", ranks[i], ranks[j]),
        };
        i = j + 1;
    }
    out
}

#[cfg(test)]
mod tests {
    #[test]
    fn ranges_are_short() {
        assert_eq!(super::ranges(&[0, 1, 2, 5, 7, 8]), "0-2, 5, 7-8");
    }
}
