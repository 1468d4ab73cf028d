//! Saying something to a process, and waiting for its answer.

use std::sync::atomic::{AtomicU8, Ordering::*};
use std::sync::{Mutex, PoisonError};

use pc3_runtime::report::{die, EXIT_FATAL};
use pc3_vmpi_core::above::Letter;
use pc3_vmpi_core::rank::RankState;
use pc3_vmpi_core::world::World;
use pc3_vmpi_objects::error::{Class, MpiError, Result};
use pc3_vmpi_objects::wire::{Read, Reader, Writer};

use crate::name::Name;

/// The verb of an answer, behind those of `remote`.
pub(crate) const ANSWER: i32 = 10;

/// Fruitless polls in a row, after which it matters whether anything has come of an operation.
const WONDER: u32 = 64;

/// Has the rank polled in vain for a while? Programs that wait for others with operations on windows do the same ones again and
/// again, to no effect; those that have one have not waited.
#[inline]
pub fn wonders(me: &RankState) -> bool {
    me.polls.load(Relaxed) >= WONDER
}

/// What has become of a question.
const ASKED: u8 = 0;
/// Others come first.
const WAITS: u8 = 1;
const DONE: u8 = 2;

type Answer = Result<Box<[u8]>>;

/// Where a rank waits for an answer.
struct Asked {
    rank: u32,
    state: AtomicU8,
    answer: Mutex<Option<Answer>>,
}

impl Asked {
    fn is(&self, state: u8) -> bool {
        self.state.load(Acquire) == state
    }
}

/// A question that has been asked; its answer has to be waited for.
#[must_use]
pub(crate) struct Question {
    asked: Box<Asked>,
    quiet: bool,
}

fn letter(window: Name, verb: i32, bytes: &[u8]) -> Letter<'_> {
    Letter {
        window,
        verb,
        token: 0,
        quiet: false,
        bytes,
    }
}

/// Says something that is not answered.
pub(crate) fn say(world: &World, process: u32, window: Name, (verb, bytes): (i32, &[u8])) {
    world
        .other()
        .write_to(process, &letter(window, verb, bytes));
}

pub(crate) fn ask(
    me: &RankState,
    process: u32,
    window: Name,
    (verb, bytes): (i32, &[u8]),
) -> Question {
    let asked = Box::new(Asked {
        rank: me.rank,
        state: AtomicU8::new(ASKED),
        answer: Mutex::default(),
    });
    let quiet = wonders(me);
    let letter = Letter {
        token: std::ptr::from_ref(&*asked) as u64,
        quiet,
        ..letter(window, verb, bytes)
    };
    me.world().other().write_to(process, &letter);
    Question { asked, quiet }
}

impl Question {
    pub(crate) fn answer(self, me: &RankState) -> Answer {
        let asked = &*self.asked;
        let what = std::ptr::from_ref(asked) as usize;
        // That it has been answered is no reason to poll again, nor is it one not to.
        let polls = me.polls.load(Relaxed);
        while asked.is(ASKED) {
            match self.quiet {
                // Who polls is not blocked.
                true => me.yield_now(),
                false => me.wait_on(what, || !asked.is(ASKED)),
            }
        }
        me.polls.store(polls, Relaxed);
        if !asked.is(DONE) {
            while !asked.is(DONE) {
                me.wait_on(what, || asked.is(DONE));
            }
            me.happened();
        }
        let mut answer = asked.answer.lock().unwrap_or_else(PoisonError::into_inner);
        answer.take().unwrap_or_else(|| Ok(Box::default()))
    }
}

/// Who asks hears that others come first; `None`: what it has asked for.
pub(crate) fn reply(
    world: &World,
    window: Name,
    (process, token): (u32, u64),
    quiet: bool,
    answer: Option<Result<Vec<u8>>>,
) {
    let mut w = Writer::default();
    w.u8(if answer.is_some() { DONE } else { WAITS });
    if let Some(answer) = answer {
        w.outcome(&answer, |w, bytes| w.0.extend_from_slice(bytes));
    }
    let letter = Letter {
        token,
        quiet,
        ..letter(window, ANSWER, &w.0)
    };
    world.other().write_to(process, &letter);
}

fn read(bytes: &[u8]) -> Read<(u8, Option<Answer>)> {
    let mut r = Reader(bytes);
    let state = r.u8()?;
    let answer = (state == DONE).then(|| r.outcome(|r| Ok(r.0.into())));
    Ok((state, answer.transpose()?))
}

/// An answer has come.
pub(crate) fn answered(world: &World, token: u64, bytes: &[u8]) {
    let Ok((state, answer)) = read(bytes) else {
        die(
            EXIT_FATAL,
            "internal error: an answer about a window that makes no sense",
        )
    };
    let what = token as usize;
    // SAFETY: who asks waits until it is done, and is gone then at once.
    let rank = unsafe {
        let asked = &*(what as *const Asked);
        if let Some(answer) = answer {
            *asked.answer.lock().unwrap_or_else(PoisonError::into_inner) = Some(answer);
        }
        let rank = asked.rank;
        asked.state.store(state, Release);
        rank
    };
    world.rank(rank).answered(what);
}

/// What cannot be, as it was checked before it was said.
pub(crate) fn senseless(e: &MpiError) -> ! {
    let Class(class) = e.class;
    let text = format!(
        "internal error: an operation on a window failed ({class}): {}",
        e.detail
    );
    die(EXIT_FATAL, &text)
}
