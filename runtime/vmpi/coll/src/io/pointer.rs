//! The pointer that the members of a file share: where it is kept, and who may move it.

use std::sync::atomic::{AtomicI64, Ordering::Relaxed};

use crate::comm::Comm;
use crate::common::common;
use crate::remote::elsewhere::{Elsewhere, Name};
use crate::remote::places::hash;
use pc3_vmpi_core::rank::RankState;

/// As one member knows it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Keeper {
    /// All members are in this process.
    Contribution,
    /// A process has it: that of the first member.
    Process(u32, Name),
}

fn elsewhere(me: &RankState) -> &dyn Elsewhere {
    common(me.world()).elsewhere(me)
}

impl Keeper {
    pub fn of(me: &RankState, comm: &Comm) -> Keeper {
        let world = me.world();
        match (world.spans(&comm.group), comm.group.ranks().first()) {
            (true, Some(first)) => {
                let name = Name {
                    comm: comm.id,
                    group: hash(&comm.group),
                };
                Keeper::Process(world.process_of(*first), name)
            }
            _ => Keeper::Contribution,
        }
    }

    pub(crate) fn is_apart(self) -> bool {
        self != Keeper::Contribution
    }

    /// By the first member, before others know of the file: where its pointer begins.
    pub fn open(self, me: &RankState, at: i64) {
        if let Keeper::Process(_, name) = self {
            elsewhere(me).set_pointer(name, at);
        }
    }

    /// By the first member, while no other uses it.
    pub fn set(self, me: &RankState, here: &AtomicI64, at: i64) {
        match self {
            Keeper::Contribution => here.store(at, Relaxed),
            Keeper::Process(_, name) => elsewhere(me).set_pointer(name, at),
        }
    }

    /// Moves it on by so many elements; where it was.
    pub fn advance(self, me: &RankState, here: &AtomicI64, by: i64) -> i64 {
        let Keeper::Process(process, name) = self else {
            return here.fetch_add(by, Relaxed);
        };
        elsewhere(me).advance_pointer(process, name, by)
    }

    /// By the first member, when nobody uses the file any more.
    pub fn forget(self, me: &RankState) {
        if let Keeper::Process(_, name) = self {
            elsewhere(me).forget_pointer(name);
        }
    }
}
