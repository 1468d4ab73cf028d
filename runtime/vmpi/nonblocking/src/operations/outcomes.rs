//! Outcomes that another run could have otherwise: what tests, probes, clocks and sources of random numbers say.

use crate::machines::machines;
use crate::state::outcome::Outcome;
use pc3_runtime::rank::Rank;
use pc3_runtime::report::{die, EXIT_FATAL};
use pc3_vmpi_core::poll::poll;

use crate::machines::{course_only, done};
use crate::state::Stage;
use pc3_vmpi_core::p2p::wait::wait_done;
use pc3_vmpi_core::p2p::Request;
use pc3_vmpi_core::rank::RankState;

/// What was said the first time, if this is done again.
pub(crate) fn replayed(me: &RankState) -> Option<Outcome> {
    let world = me.world();
    let mut s = machines(world).enter(me);
    let outcome = s.member(me.slot).replayed_outcome();
    done(world, s);
    outcome
}

/// The calling rank prints to an output: has it done so the first time, which the output still has?
pub fn has_printed(me: &RankState, output: u8) -> bool {
    let world = me.world();
    let mut s = machines(world).enter(me);
    let has = s.stage == Stage::Replaying && s.member(me.slot).has_printed(output);
    done(world, s);
    has
}

/// What is said now.
fn said(me: &RankState, outcome: Outcome) {
    let world = me.world();
    let mut s = machines(world).enter(me);
    if let (Outcome::Said(bytes), Some(taken)) = (&outcome, &mut s.taken[me.slot as usize]) {
        taken.said += bytes.len();
    }
    s.member(me.slot).outcome(outcome);
    done(world, s);
}

/// The program does not ask again what it asked before.
pub fn differs(me: &RankState, outcome: &Outcome) -> ! {
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
pub fn flag(me: &RankState, live: impl FnOnce() -> bool, reach: impl FnOnce()) -> bool {
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
                poll(me);
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
pub fn which<'a>(
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
                poll(me);
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
pub fn logging() -> Option<&'static RankState> {
    RankState::try_current().filter(|me| me.world().nonblocking.is_slow() && in_course(me))
}

#[cold]
fn in_course(me: &RankState) -> bool {
    me.exec().is_none_or(Rank::in_course)
}

/// `MPI_Wtime`.
#[inline]
pub fn clock(live: impl FnOnce() -> f64) -> f64 {
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
pub fn system(
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
