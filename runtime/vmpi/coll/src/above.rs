//! What collectives ask of a protocol that has to know of them while a checkpoint is under way.  All on cold paths.

use pc3_protocol::Entries;

use crate::meeting::waiting::Over;
use crate::remote::elsewhere::Topic;
use pc3_vmpi_core::p2p::Request;
use pc3_vmpi_core::rank::RankState;
use pc3_vmpi_core::world::World;
use pc3_vmpi_objects::error::Result;
use pc3_vmpi_objects::group::Group;
use pc3_vmpi_objects::wire::{Read, Reader, Writer};

/// A call whose result may have to be kept, and put in place again when the call is repeated.
pub trait Outcome {
    fn result(&self, me: usize, members: usize, w: &mut Writer) -> bool;
    fn put_result(&self, me: usize, members: usize, r: &mut Reader, world: &World) -> Read<()>;
}

/// A member that has entered, and has to say what came of it.
pub struct Ticket {
    pub group: pc3_protocol::Group,
    pub n: u64,
    pub epoch: u32,
    pub generation: u64,
}

pub enum Entered {
    /// Its result is known.
    Again(Result<()>),
    /// To be done like any other.
    Now(Option<Ticket>),
}

/// How often each member has come to a meeting; counts this time.
pub type Seats<'a> = (&'a dyn Fn(usize) -> u32, &'a dyn Fn());

pub trait Epochs: Sync {
    /// Member `seat` of a meeting enters, of which there were so many rounds between processes (the name's third part).  `come` of
    /// the seats is called unless the result is known.
    fn enter(
        &self,
        me: &RankState,
        name: (u32, u32, u64),
        ranks: &Group,
        seat: usize,
        seats: Seats<'_>,
        call: &dyn Outcome,
    ) -> Entered;
    /// It leaves again, with a result.
    fn leave(
        &self,
        me: &RankState,
        ticket: &Ticket,
        place: (usize, usize),
        call: &dyn Outcome,
        ok: bool,
    );
    /// Puts a request into its round.
    ///
    /// # Safety
    /// The request's buffers stay as MPI asks until it is complete.
    unsafe fn join(&self, me: &RankState, r: &Request);
    /// The work of a collective of several processes is done.
    fn finished(&self, world: &World, over: Over, entries: &Entries, from: Option<u32>);
    /// What members here bring to a blocking collective goes to another process; `others`: how those have entered that it speaks of
    /// beside them.
    fn bring(
        &self,
        me: &RankState,
        to: u32,
        topic: Topic,
        ranks: &Group,
        others: &Entries,
        bytes: &[u8],
    );
    /// What the others bring is there: how they have entered.
    fn brought(
        &self,
        me: &RankState,
        topic: Topic,
        ranks: &Group,
        entered: &dyn Fn(usize) -> u32,
        elsewhere: &Entries,
    );
}
