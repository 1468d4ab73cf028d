//! What a person reads when no rank can ever run again, or those that run only poll for what nobody can send.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ffi::{c_char, CStr};
use std::fmt::Write;
use std::sync::atomic::{fence, Ordering::*};
use std::sync::PoisonError;
use std::time::{Duration, Instant};

use pc3_runtime::rank::Rank;
use pc3_runtime::report::{die, say, EXIT_DEADLOCK};

use crate::coord::barrier;
use crate::mail::request::RequestKind;
use crate::p2p::{Request, ANY_SOURCE, ANY_TAG};
use crate::rank::{Call, RankState};
use crate::world::World;
use pc3_vmpi_objects::handle::abi;

/// More different lines than this are told without their arguments.
const LINES: usize = 24;
/// So many where they are part of a line.
const FEW: usize = 4;

/// All ranks that have not ended are blocked and nothing is in flight.
pub fn found(world: &World) {
    let text = format!(
        "deadlock: every rank waits and no message is under way\n{}",
        describe(world)
    );
    match world.on_deadlock.get() {
        Some(f) => f(&text),
        None => die(EXIT_DEADLOCK, text.trim_end()),
    }
}

/// `me` has polled in vain for a while.
pub(crate) fn polled(me: &RankState) {
    let world = me.world();
    let idle = &world.idle;
    if idle.told.load(Relaxed) || world.remote().is_some() {
        return;
    }
    let all = world.ranks().iter().all(RankState::is_idle) && !world.has_mail();
    let mut since = idle.since.lock().unwrap_or_else(PoisonError::into_inner);
    let start = *since.get_or_insert_with(Instant::now);
    if !all {
        *since = None;
    } else if start.elapsed() >= Duration::from_millis(idle.patience.load(Relaxed)) {
        idle.told.store(true, Relaxed);
        drop(since);
        polling(world, me, start.elapsed());
    }
}

fn polling(world: &World, me: &RankState, time: Duration) {
    let mut lines = BTreeMap::<String, Vec<u32>>::new();
    for r in world.ranks() {
        let text = if r.rank == me.rank {
            format!("polls: {}", line(r, true))
        } else {
            while_blocked(r).unwrap_or_else(|| polls(r))
        };
        lines.entry(text).or_default().push(r.rank);
    }
    let text = format!(
        "no progress for {} s: ranks poll while all others wait, so what they poll for can only come from themselves\n{}",
        time.as_secs(),
        written(lines)
    );
    match world.on_deadlock.get() {
        Some(f) => f(&text),
        None => say(text.trim_end()),
    }
}

/// Of a rank that runs.
fn polls(r: &RankState) -> String {
    match last_call(r) {
        Some(at) => format!("polls at {at}"),
        None => "polls".into(),
    }
}

/// Where a rank that may run was last seen to call MPI.
fn last_call(r: &RankState) -> Option<Cow<'static, str>> {
    let exec = r.exec.get();
    // SAFETY: an aligned pointer that its rank writes; any recent value is one to a string literal, or null.
    let at = (!exec.is_null()).then(|| unsafe { (&raw const (*exec).abi.at).read_volatile() });
    let at = at.filter(|at| !at.is_null())?;
    // SAFETY: generated code stores string literals there.
    Some(unsafe { CStr::from_ptr(at) }.to_string_lossy())
}

/// What each of these ranks does, for a message of one line: others of them run.
pub fn whereabouts<'a>(ranks: impl Iterator<Item = &'a RankState>) -> String {
    let mut lines = BTreeMap::<String, Vec<u32>>::new();
    for r in ranks {
        let text = while_blocked(r).unwrap_or_else(|| runs(r));
        lines.entry(text).or_default().push(r.rank);
    }
    let mut told: Vec<String> = by_first_rank(lines)
        .into_iter()
        .map(|(text, ranks)| told_of(&ranks, &text))
        .collect();
    if told.len() > FEW {
        told.truncate(FEW);
        told.push("and others".into());
    }
    told.join("; ")
}

/// Of a rank that is not blocked.
fn runs(r: &RankState) -> String {
    let exec = r.exec.get();
    // SAFETY: ranks live as long as the process.
    let critical = !exec.is_null() && unsafe { Rank::was_in_critical(exec) };
    match (critical, last_call(r)) {
        (true, _) => "between pc3_critical_begin and pc3_critical_end".into(),
        (false, Some(at)) => format!("runs, after the call at {at}"),
        (false, None) => "runs".into(),
    }
}

/// What each rank here does, of which some poll.
pub fn describe_running(world: &World) -> String {
    let mut lines = BTreeMap::<String, Vec<u32>>::new();
    for r in world.ranks() {
        let text = while_blocked(r).unwrap_or_else(|| polls(r));
        lines.entry(text).or_default().push(r.rank);
    }
    written(lines)
}

/// What each rank here does while a plan is put off: those that poll may go on at any time.
pub fn describe_plan(world: &World) -> String {
    let mut lines = BTreeMap::<String, Vec<u32>>::new();
    for r in world.ranks() {
        let text = match world.coord.lock().status(r.slot as usize) {
            barrier::RankStatus::Parked => STANDS.to_owned(),
            _ => while_blocked(r).unwrap_or_else(|| polls(r)),
        };
        lines.entry(text).or_default().push(r.rank);
    }
    written(lines)
}

const STANDS: &str = "waits at a checkpoint location";

/// Where a rank waits, if it does; others may wake it meanwhile.
fn while_blocked(r: &RankState) -> Option<String> {
    let sched = r.world().sched();
    if sched.has_ended(r.slot) {
        return Some("has ended".into());
    }
    if !sched.is_blocked(r.slot) {
        return None;
    }
    let place = WaitingCall {
        call: r.call.get(),
        at: r.exec().map_or(std::ptr::null(), |e| e.abi.at),
    };
    fence(SeqCst);
    // What was read while it ran may be torn.
    sched.is_blocked(r.slot).then(|| place.described(""))
}

/// Where each rank is, equal lines together.  No rank runs.
pub fn describe(world: &World) -> String {
    let full = group(world, true);
    let lines = if full.len() > LINES {
        group(world, false)
    } else {
        full
    };
    written(lines)
}

fn written(lines: BTreeMap<String, Vec<u32>>) -> String {
    let mut out = String::new();
    for (text, ranks) in by_first_rank(lines) {
        let _ = writeln!(out, "  {}", told_of(&ranks, &text));
    }
    out
}

/// What is true of each of them, of all.
fn told_of(ranks: &[u32], text: &str) -> String {
    let verbs = [
        ("waits", "wait"),
        ("polls", "poll"),
        ("runs", "run"),
        ("has ", "have "),
    ];
    let of_all = |(one, all): &(&str, &str)| Some(format!("{all}{}", text.strip_prefix(*one)?));
    let all = (ranks.len() > 1).then(|| verbs.iter().find_map(of_all));
    let text = all.flatten().unwrap_or_else(|| text.to_owned());
    format!("{} {}: {text}", noun(ranks), ranges(ranks))
}

fn noun(ranks: &[u32]) -> &'static str {
    match ranks.len() {
        1 => "rank",
        _ => "ranks",
    }
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
    if world.sched().has_ended(r.slot) {
        return "has ended".into();
    }
    if !world.coord.lock().is_running(r.slot as usize) {
        return STANDS.into();
    }
    let place = WaitingCall {
        call: r.call.get(),
        at: r.exec().map_or(std::ptr::null(), |e| e.abi.at),
    };
    let arguments = if arguments {
        described(r)
    } else {
        String::new()
    };
    place.described(&arguments)
}

struct WaitingCall {
    call: Call,
    at: *const c_char,
}

impl WaitingCall {
    fn described(&self, arguments: &str) -> String {
        let name = match self.call.name {
            "" => "waits",
            name => name,
        };
        let mut s = format!("{name}{arguments}");
        if !self.at.is_null() {
            // SAFETY: generated code stores string literals there.
            let at = unsafe { CStr::from_ptr(self.at) };
            let _ = write!(s, " at {}", at.to_string_lossy());
        }
        s
    }
}

/// The arguments that matter.
fn described(r: &RankState) -> String {
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
                RequestKind::Send(_) => {
                    format!(" (a send to rank {}, tag {})", q.peer, tag(q.key.tag))
                }
                RequestKind::Coll => format!(
                    " (a non-blocking {} that others have not started)",
                    q.collective().map_or("collective", |c| c.name())
                ),
                RequestKind::General => " (a generalised request)".into(),
                RequestKind::Recv => format!(
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

/// "rank 3", "ranks 0-3, 7"
pub fn ranks_text(ranks: &[u32]) -> String {
    format!("{} {}", noun(ranks), ranges(ranks))
}

/// 0-3, 7
pub fn ranges(ranks: &[u32]) -> String {
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
