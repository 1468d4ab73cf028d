//! What a collective is to the members' meeting: its kind, what all calls must agree on, the work, and what goes to other processes.

use super::all::All;
use super::kind::{Algorithm, Brief, Kind};
use crate::above::Epochs;
use crate::remote::elsewhere::Elsewhere;
use crate::remote::few::{Addressed, CallSignature, Few, Heard, Told};
use crate::remote::kept::Keep;
use crate::remote::members::Members;
use crate::remote::tree::Tree;
use crate::remote::zero_copy::RemoteProcess;
use crate::work::process_contribution::Contribution;
use pc3_vmpi_core::rank::RankState;
use pc3_vmpi_core::world::World;
use pc3_vmpi_objects::error::{fail, Class, Result};
use pc3_vmpi_objects::wire::{bad, Read, Reader, Writer};

/// What a collective needs of the scheduler, for the calling rank.
pub trait Crew {
    /// Suspends the caller until woken; may return early.
    fn block(&self, what: &'static str);
    /// Wakes a rank of MPI_COMM_WORLD.
    fn wake(&self, world: u32);
    /// Looks for `ready` for as long as that is cheaper than to be woken.
    fn linger(&self, ready: impl Fn() -> bool);
    /// Suspends the caller until a rank of its worker releases it.
    fn park(&self);
    /// Lets ranks go on, by their places, that have parked on the caller's worker.
    fn release(&self, places: impl Iterator<Item = u32>);
    fn workers(&self) -> usize;
    /// Worker and place of a rank of MPI_COMM_WORLD, if it is of this process.
    fn place_of(&self, world: u32) -> Option<(u32, u32)>;
    /// The calling rank, if a checkpoint is under way that has to know of collectives.
    fn nonblocking(&self) -> Option<(&RankState, &dyn Epochs)> {
        None
    }
    /// The way to members in other processes, if the job has any.
    fn elsewhere(&self) -> Option<&dyn Elsewhere> {
        None
    }
}

/// One member's arguments to a collective.
pub trait Call: Sized {
    fn kind(&self) -> Kind;
    /// Root that all members must agree on, or 0.
    fn root(&self) -> usize {
        0
    }
    /// Checks what only all calls together show, and says who is to work.
    fn algorithm(all: &All<Self>, workers: usize) -> Result<Algorithm>;
    /// Member `i`'s share.
    fn share(all: &All<Self>, i: usize) -> Result<()>;
    /// The shares of these members, who wait.
    fn shares(all: &All<Self>, members: impl Iterator<Item = usize> + Clone) {
        for i in members {
            if let Err(e) = Self::share(all, i) {
                all.fail(i, e);
            }
        }
    }
    /// All of the work, on the stack of member `runner`; results by member go to [`All::fail`].
    fn whole(all: &All<Self>, runner: usize) {
        let _ = runner;
        Self::shares(all, 0..all.len());
    }
    /// If members do not have to see each other's calls.
    fn brief(&self) -> Option<Brief> {
        None
    }
    /// Writes the contribution that the brief speaks of.
    ///
    /// # Safety
    /// There is room for it.
    unsafe fn give(&self, _to: *mut u8) {}
    /// Combines the contributions of so many members; `parts`: one's, and of how many from this one on it is already.
    ///
    /// # Safety
    /// They can be read, and there is room for the result.
    unsafe fn combine(
        &self,
        _parts: impl Fn(usize) -> (*const u8, usize),
        _members: usize,
        _to: *mut u8,
    ) {
    }
    /// The same for 2^k members whose contributions lie in the order of their reversed bits, so that those to be combined first are half the
    /// room apart; what is in the room then is nobody's any more.
    ///
    /// # Safety
    /// As above.
    unsafe fn combine_halves(&self, _room: *mut u8, _members: usize, _to: *mut u8) {}
    /// Can contributions of a subtree of the order be combined first?
    const SUBTREES: bool = false;
    /// Takes the result as member `me`.
    ///
    /// # Safety
    /// It is one of `combine`.
    unsafe fn take(&self, _me: usize, _from: *const u8) {}
    /// Can its members be in several processes?
    const APART: bool = false;
    /// What another process lends is read before any work is done: that may write to what was lent.
    const READ_AT_ONCE: bool = false;
    /// What some of the members `here` give together, instead of each by itself.
    fn together(_: &All<Self>, _here: &[usize]) -> Contribution {
        Contribution::default()
    }
    /// What the calls of the members `here`, all of one kind, amount to, if other processes can be told so
    /// ([`crate::remote::inline_collective`]).
    fn record(_: &All<Self>, _here: &[usize], _: &Members) -> Option<CallSignature> {
        None
    }
    /// What the members `here` give the members `to` of another process, beside the record.
    fn tell(_: &All<Self>, _here: &[usize], _to: &[usize], _into: &mut Few) {}
    /// All records are alike: does the work of the members `here`.
    fn hear(_: &All<Self>, _here: &[usize], _: &Heard) {}
    /// What the members `here` and those of the processes below give together: to the process above, or, where there is none, what
    /// comes of the collective.
    fn gather(_: &All<Self>, _here: &[usize], _: &Tree, _below: &[(u32, Told)]) -> Vec<u8> {
        Vec::new()
    }
    /// The one member that gets what comes of it, if it is one.
    fn receiver(_: &All<Self>, _here: &[usize]) -> Option<usize> {
        None
    }
    /// The members `here` get that.
    fn spread(_: &All<Self>, _here: &[usize], _result: &[u8]) {}
    /// To whom the members `here` export something else than to others, if that may go along the tree.
    fn addressed(_: &All<Self>, _here: &[usize]) -> Option<Addressed> {
        None
    }
    /// What one other process needs of member `me`'s call.
    fn export(&self, _me: usize, _to: &RemoteProcess, _w: &mut Writer) {}
    /// Member `me`'s call, from elsewhere, as the members `here` need it; `like`: the call of one of them.
    fn import(
        _r: &mut Reader,
        _me: usize,
        _here: &[usize],
        _like: &Self,
        _keep: &mut Keep<Self>,
    ) -> Read<Self> {
        bad("a collective of one process only")
    }
    /// What one member's work ([`Algorithm::Member`]) gives the members `to` of another process; `None`: nothing.
    fn results(_: &All<Self>, _to: &[usize]) -> Option<Vec<u8>> {
        None
    }
    /// Takes that for the members `here`.
    fn accept(_: &All<Self>, _here: &[usize], _: &mut Reader) -> Read<()> {
        Ok(())
    }
    /// What has come of it for member `me` of so many, to be done again without the others; false: that cannot be written down.
    fn result(&self, _me: usize, _members: usize, _w: &mut Writer) -> bool {
        false
    }
    /// Does that again.
    fn put_result(&self, _me: usize, _members: usize, _r: &mut Reader, _world: &World) -> Read<()> {
        bad("a result that cannot be kept")
    }
    /// Does a [`Algorithm::Member`] give others results?
    fn gives(&self) -> bool {
        false
    }
}

impl<C: Call> All<'_, C> {
    pub(crate) fn compare_roots(&self, me: usize) -> Result<()> {
        let root = self.get(me).root();
        match (0..self.len()).find(|&i| self.get(i).root() != root) {
            None => Ok(()),
            Some(i) => fail(
                Class::ERR_ROOT,
                format!(
                    "{}: rank {me} names root {root}, rank {i} root {}",
                    self.get(me).kind().name(),
                    self.get(i).root()
                ),
            ),
        }
    }
}
