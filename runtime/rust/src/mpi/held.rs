//! Requests that own their buffers: values that may be pending at a location.

use std::cell::OnceCell;
use std::marker::PhantomData;

use pc3_vmpi::c::persistent::MPI_Start;
use pc3_vmpi::c::request::{MPI_Cancel, MPI_Request_free, MPI_Wait};
use pc3_vmpi::guest;
use pc3_vmpi::handle::abi;
use pc3_vmpi::state::RankState;

use crate::mpi::buffer::values;
use crate::mpi::equivalence::{message, wire_size, Equivalence};
use crate::mpi::ok;
use crate::mpi::point_to_point::Status;
use crate::mpi::request::owned::may_release;
use crate::value::load::{LoadError, Loading, View};
use crate::value::save::Saver;
use crate::value::types::{layout, Layout, TypeId, Types};
use crate::Checkpointable;

/// What the request is of.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Checkpointable)]
pub(in crate::mpi) enum Of {
    /// One message.
    Message,
    /// Messages, one after the other.
    Messages,
    Collective,
}

/// A request with the buffer that it uses.
pub(in crate::mpi) struct Held<T> {
    pub handle: usize,
    pub buffer: Box<[u8]>,
    of: Of,
    /// What is sent comes first in the buffer, so many values; what is received follows.
    sent: usize,
    me: Option<&'static RankState>,
    /// What a checkpoint keeps of a complete one: the values, as they are on every host.
    arrived: OnceCell<Vec<u8>>,
    values: PhantomData<fn() -> T>,
}

impl<T: Equivalence> Held<T> {
    pub fn new(of: Of, handle: usize, buffer: Box<[u8]>, sent: usize) -> Held<T> {
        Held {
            handle,
            buffer,
            of,
            sent,
            me: RankState::try_current(),
            arrived: OnceCell::new(),
            values: PhantomData,
        }
    }

    /// What a message has brought.
    pub fn values(&self, status: &Status) -> Vec<T> {
        values(&self.buffer[..status.count::<T>() * wire_size::<T>()])
    }

    /// What a collective has brought.
    pub fn results(&self) -> Vec<T> {
        values(&self.buffer[self.sent * wire_size::<T>()..])
    }

    /// Is it a persistent one that is under way?
    pub fn is_active(&self) -> bool {
        self.me.is_some_and(|me| guest::is_active(me, self.handle))
    }

    /// Starts a persistent one.
    pub fn start(&mut self) {
        self.arrived = OnceCell::new();
        // SAFETY: the request's own handle; the buffer stays until it has ended.
        ok(unsafe { MPI_Start(&raw mut self.handle) });
    }

    const LAYOUT: Layout<5> = layout([
        (usize::SIZE, usize::ALIGN),
        (bool::SIZE, bool::ALIGN),
        (<Vec<u8>>::SIZE, <Vec<u8>>::ALIGN),
        (usize::SIZE, usize::ALIGN),
        (Of::SIZE, Of::ALIGN),
    ]);
}

impl<T: Equivalence> Checkpointable for Held<T> {
    const SIZE: u64 = Self::LAYOUT.size;
    const ALIGN: u64 = Self::LAYOUT.align;

    fn describe(types: &mut Types) -> TypeId {
        types.record::<Self>("pc3::mpi::Request".to_owned(), |types| {
            let at = Self::LAYOUT.offsets;
            vec![
                ("handle".to_owned(), usize::describe(types), at[0]),
                ("pending".to_owned(), bool::describe(types), at[1]),
                ("arrived".to_owned(), <Vec<u8>>::describe(types), at[2]),
                ("sent".to_owned(), usize::describe(types), at[3]),
                ("of".to_owned(), Of::describe(types), at[4]),
            ]
        })
    }

    fn save<'a>(&'a self, out: &mut Saver<'a>, at: usize) {
        static NOTHING: Vec<u8> = Vec::new();
        static YES: bool = true;
        static NO: bool = false;
        let done = self.me.and_then(|me| guest::received(me, self.handle));
        let arrived = match done {
            None => &NOTHING,
            Some(n) => self.arrived.get_or_init(|| {
                let there = match self.of {
                    Of::Collective => &self.buffer[self.sent * wire_size::<T>()..],
                    Of::Message | Of::Messages => &self.buffer[..n],
                };
                let mut bytes = Vec::new();
                // What is invalid will be found so again.
                let values = T::take(there).unwrap_or_default();
                values.iter().for_each(|v| v.put(&mut bytes));
                bytes
            }),
        };
        let offsets = Self::LAYOUT.offsets.map(|o| at + o as usize);
        self.handle.save(out, offsets[0]);
        (if done.is_some() { &NO } else { &YES }).save(out, offsets[1]);
        arrived.save(out, offsets[2]);
        self.sent.save(out, offsets[3]);
        self.of.save(out, offsets[4]);
    }

    fn load(from: &Loading, value: View) -> Result<Self, LoadError> {
        let members = from.members::<Self>(value, "pc3::mpi::Request")?;
        let (handle, of) = (members.load("handle")?, members.load("of")?);
        let me = RankState::try_current();
        let pending: bool = members.load("pending")?;
        let gone = || LoadError::new("is a request that the checkpoint does not have");
        let landing = || me.and_then(|me| me.take_landing(handle)).ok_or_else(gone);
        if pending {
            return Ok(Held::new(of, handle, landing()?, members.load("sent")?));
        }
        let arrived: Vec<u8> = members.load("arrived")?;
        let mut rest = &arrived[..];
        let mut list = Vec::new();
        while !rest.is_empty() {
            list.push(T::get(&mut rest).map_err(|e| LoadError::new(e.to_string()))?);
        }
        let mut copy = Vec::new();
        let there = message(&list, &mut copy);
        if of == Of::Messages {
            let mut buffer = landing()?;
            let front = buffer.get_mut(..there.len()).ok_or_else(gone)?;
            front.copy_from_slice(there);
            return Ok(Held::new(of, handle, buffer, 0));
        }
        Ok(Held::new(of, handle, there.into(), 0))
    }
}

impl<T> Drop for Held<T> {
    fn drop(&mut self) {
        let Some(me) = self.me.filter(|_| self.handle != abi::REQUEST_NULL) else {
            return;
        };
        // The operation goes on; MPI lets nobody give up a collective.
        if !may_release() || self.of == Of::Collective {
            me.keep_landing(self.handle, std::mem::take(&mut self.buffer));
            return;
        }
        // SAFETY: the request's own handle.
        unsafe {
            if guest::is_receive(me, self.handle) {
                if guest::is_active(me, self.handle) {
                    ok(MPI_Cancel(&raw mut self.handle));
                    ok(MPI_Wait(&raw mut self.handle, std::ptr::null_mut()));
                }
            } else if guest::needs_buffer(me, self.handle) {
                me.keep_landing(self.handle, std::mem::take(&mut self.buffer));
            }
            if self.handle != abi::REQUEST_NULL {
                ok(MPI_Request_free(&raw mut self.handle));
            }
        }
    }
}
