//! Where the members of a communicator meet for non-blocking collectives.
//!
//! Members call them in one order, so the n-th call of one belongs with the n-th of the others, and
//! if it is persistent its starts with theirs.  Each leaves its request; whoever comes last does all of the work and completes the requests.
//! None is complete before all members have started it, which the standard allows, so a checkpoint
//! never finds one half done: it keeps the calls that wait for others, and nothing else.

use super::barrier::Gate;
use super::meeting::{at_once, same_kind};
use super::posted::{Posted, Work};
use crate::coll::meeting::Meeting;
use crate::error::{Class, Result};
use crate::p2p::request::Status;
use crate::p2p::Request;
use crate::state::RankState;
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

#[derive(Default)]
pub struct Rounds(Mutex<HashMap<(u64, u64), Vec<*const Request>>>);

/// Puts a request into its round; the last one to come completes them all.
///
/// # Safety
/// The request's buffers stay as MPI asks until it is complete.
pub unsafe fn join(me: &RankState, r: &Request) {
    let Some(p) = r.posted() else { return };
    let full = {
        let rounds = &p.meeting.rounds.0;
        let mut map = rounds.lock().unwrap_or_else(PoisonError::into_inner);
        let round = p.round();
        let list = map.entry(round).or_default();
        list.push(r as *const Request);
        (list.len() == p.meeting.size())
            .then(|| map.remove(&round))
            .flatten()
    };
    if let Some(list) = full {
        // SAFETY: requests in a round are pending, and the work of this one is ours alone.
        unsafe { complete(me, list, p.seat) };
    }
}

/// Puts back a request of a checkpoint, in which no round is complete.
pub fn wait(r: &Request) {
    if let Some(p) = r.posted() {
        let mut map = p
            .meeting
            .rounds
            .0
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        map.entry(p.round()).or_default().push(r);
    }
}

/// # Safety
/// All are pending.
unsafe fn complete(me: &RankState, mut list: Vec<*const Request>, runner: usize) {
    // SAFETY: the caller's promise.
    let all: Vec<(&Posted, u32)> = list
        .iter()
        .filter_map(|r| unsafe { Some(((**r).posted()?, (**r).owner)) })
        .collect();
    let seats: Vec<usize> = all.iter().map(|p| p.0.seat).collect();
    let mut order: Vec<usize> = (0..all.len()).collect();
    order.sort_unstable_by_key(|i| seats[*i]);
    let posted: Vec<&Posted> = order.iter().map(|i| all[*i].0).collect();
    let owners: Vec<u32> = order.iter().map(|i| all[*i].1).collect();
    list = order.iter().map(|i| list[*i]).collect();
    let outcomes = work(me, &posted, runner);
    for (i, outcome) in outcomes.into_iter().enumerate() {
        let error = outcome.err();
        let status = Status {
            error: error.as_ref().map_or(Class::SUCCESS, |e| e.class),
            ..Status::EMPTY
        };
        // SAFETY: nobody else completes it; it is not touched afterwards.
        unsafe {
            *posted[i].error.get() = error;
            Request::complete(
                list[i],
                me.world().rank(owners[i]),
                Some(me.worker()),
                status,
            );
        }
    }
}

/// What becomes of each member's call.
fn work(me: &RankState, all: &[&Posted], runner: usize) -> Vec<Result<()>> {
    if let Err(e) = same_kind(|i| all[i].kind, all.len(), runner) {
        return all.iter().map(|_| Err(e.clone())).collect();
    }
    match all[runner].work {
        Work::Gate => {
            let calls: Vec<Gate> = all.iter().map(|p| Gate(p.kind)).collect();
            at_once(&calls, runner)
        }
        Work::Move { .. } => {
            let calls: Vec<_> = all.iter().filter_map(|p| p.as_move()).collect();
            at_once(&calls, runner)
        }
        Work::Reduce(_) => {
            let calls: Vec<_> = all.iter().filter_map(|p| p.as_reduction()).collect();
            at_once(&calls, runner)
        }
        Work::Dup { .. } => {
            let id = me.world().late_id();
            let meeting = Meeting::new(all.len(), id);
            for p in all {
                if let Work::Dup { made, .. } = &p.work {
                    made.set(Some((id, meeting.clone())));
                }
            }
            all.iter().map(|_| Ok(())).collect()
        }
    }
}
