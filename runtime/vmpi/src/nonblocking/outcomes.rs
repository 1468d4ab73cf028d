//! Outcomes that another run could have otherwise: what tests, probes, clocks and sources of random numbers say.

use pc3_runtime::rank::Rank;
use pc3_runtime::report::{die, EXIT_FATAL};

use super::{course_only, done, Stage};
use crate::p2p::wait::wait_done;
use crate::p2p::Request;
use crate::state::RankState;

use pc3_protocol::Name;

#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Outcome {
    /// Something was complete, or there.
    Flag(bool),
    /// These requests were reported, of those that were asked about.
    Which(Vec<u32>),
    /// A probe saw this message; one that has no name was sent when nobody logged.
    Message(Option<(u32, Name)>),
    Clock(f64),
    /// What the system has said, in a form that is the same everywhere.
    Said(Vec<u8>),
}

/// What the system was asked: the first byte of what it said.
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Question {
    Time,
    TimeOfDay,
    Clock,
    Processor,
    Times,
    Usage,
    Random,
    Device,
    Number,
}

/// Bytes of which a program makes numbers are others where their order is another; the log says which.
pub(crate) const ORDER: u8 = cfg!(target_endian = "big") as u8;

/// Does a log that is read have bytes of which a program may have made other numbers than it would make here?
pub(crate) fn is_foreign(said: &[u8]) -> bool {
    let bytes = [Question::Random, Question::Device].map(|q| q as u8);
    matches!(said, [question, order, ..] if bytes.contains(question) && *order != ORDER)
}

/// What was said the first time, if this is done again.
pub(crate) fn replayed(me: &RankState) -> Option<Outcome> {
    let world = me.world();
    let mut s = world.nonblocking.enter(me);
    let outcome = s.member(me.slot).replayed_outcome();
    done(world, s);
    outcome
}

/// The calling rank prints to an output: has it done so the first time, which the output still has?
pub(crate) fn has_printed(me: &RankState, output: u8) -> bool {
    let world = me.world();
    let mut s = world.nonblocking.enter(me);
    let has = s.stage == Stage::Replaying && s.member(me.slot).has_printed(output);
    done(world, s);
    has
}

/// What is said now.
fn said(me: &RankState, outcome: Outcome) {
    let world = me.world();
    let mut s = world.nonblocking.enter(me);
    if let (Outcome::Said(bytes), Some(taken)) = (&outcome, &mut s.taken[me.slot as usize]) {
        taken.said += bytes.len();
    }
    s.member(me.slot).outcome(outcome);
    done(world, s);
}

/// The program does not ask again what it asked before.
pub(crate) fn differs(me: &RankState, outcome: &Outcome) -> ! {
    die(
        EXIT_FATAL,
        &format!(
            "rank {} does not do what it did behind its checkpoint: it asks for something else than the first time, when the \
             answer was {outcome:?}; results depend on something that is not logged (a file that has changed, a clock that is asked by other ways than the C library's functions)",
            me.rank
        ),
    )
}

/// The answer to a test: `live` finds it; the first time's is waited for by `reach`.
#[inline]
pub(crate) fn flag(me: &RankState, live: impl FnOnce() -> bool, reach: impl FnOnce()) -> bool {
    if !me.world().nonblocking.is_slow() {
        return live();
    }
    flag_slow(me, live, reach)
}

#[cold]
fn flag_slow(me: &RankState, live: impl FnOnce() -> bool, reach: impl FnOnce()) -> bool {
    course_only(me);
    match replayed(me) {
        Some(Outcome::Flag(on)) => {
            if on {
                reach();
            } else {
                me.poll();
            }
            on
        }
        Some(other) => differs(me, &other),
        None => {
            let on = live();
            said(me, Outcome::Flag(on));
            on
        }
    }
}

/// Which of several requests are reported.
#[inline]
pub(crate) fn which<'a>(
    me: &RankState,
    live: impl FnOnce() -> Vec<usize>,
    request: impl Fn(usize) -> Option<&'a Request>,
) -> Vec<usize> {
    if !me.world().nonblocking.is_slow() {
        return live();
    }
    which_slow(me, live, request)
}

#[cold]
fn which_slow<'a>(
    me: &RankState,
    live: impl FnOnce() -> Vec<usize>,
    request: impl Fn(usize) -> Option<&'a Request>,
) -> Vec<usize> {
    course_only(me);
    match replayed(me) {
        Some(Outcome::Which(list)) => {
            let list: Vec<usize> = list.into_iter().map(|i| i as usize).collect();
            for i in &list {
                match request(*i) {
                    Some(r) => wait_done(me, r),
                    None => differs(me, &Outcome::Which(vec![*i as u32])),
                }
            }
            if list.is_empty() {
                me.poll();
            }
            list
        }
        Some(other) => differs(me, &other),
        None => {
            let list = live();
            said(me, Outcome::Which(list.iter().map(|i| *i as u32).collect()));
            list
        }
    }
}

/// The calling rank, if what the system says to it now has to be logged: an epoch is under way, and this is a step of the
/// rank's course.
#[inline]
pub(crate) fn logging() -> Option<&'static RankState> {
    RankState::try_current().filter(|me| me.world().nonblocking.is_slow() && in_course(me))
}

#[cold]
fn in_course(me: &RankState) -> bool {
    me.exec().is_none_or(Rank::in_course)
}

/// `MPI_Wtime`.
#[inline]
pub(crate) fn clock(live: impl FnOnce() -> f64) -> f64 {
    match logging() {
        None => live(),
        Some(me) => match replayed(me) {
            Some(Outcome::Clock(t)) => t,
            Some(other) => differs(me, &other),
            None => {
                let t = live();
                said(me, Outcome::Clock(t));
                t
            }
        },
    }
}

/// What the system says, or has said the first time; `fits`: can that be an answer to this question?
#[cold]
pub(crate) fn system(
    me: &RankState,
    live: impl FnOnce() -> Vec<u8>,
    fits: impl FnOnce(&[u8]) -> bool,
) -> Vec<u8> {
    match replayed(me) {
        Some(Outcome::Said(bytes)) if fits(&bytes) => bytes,
        Some(other) => differs(me, &other),
        None => {
            let bytes = live();
            said(me, Outcome::Said(bytes.clone()));
            bytes
        }
    }
}
