//! Operations that go on while the program does something else.
//!
//! Those of a [`scope`] borrow their buffers, and end with it.  Futures own what they send or receive: they are values, and
//! may be pending at a location, across a checkpoint and a restart.

use std::cell::{Cell, OnceCell, RefCell};
use std::marker::PhantomData;
use std::rc::Rc;

use pc3_vmpi::c::request::{
    MPI_Cancel, MPI_Request_free, MPI_Request_get_status, MPI_Test, MPI_Wait, MPI_Waitany,
};
use pc3_vmpi::c::status::CStatus;
use pc3_vmpi::guest;
use pc3_vmpi::handle::abi;
use pc3_vmpi::state::RankState;

use super::buffer::values;
use super::equivalence::{message, wire_size, Equivalence};
use super::point_to_point::{empty, int, one, Status};
use super::{fail, may_release, ok};
use crate::load::{LoadError, Loading, View};
use crate::loud::Loud;
use crate::save::Saver;
use crate::types::{layout, Layout, TypeId, Types};
use crate::Checkpointable;

fn wait(handle: &mut usize) -> Status {
    let mut c = empty();
    // SAFETY: the request's own handle.
    ok(unsafe { MPI_Wait(&raw mut *handle, &raw mut c) });
    Status::of(&c)
}

fn test(handle: &mut usize) -> Option<Status> {
    let (mut c, mut done) = (empty(), 0);
    // SAFETY: as above.
    ok(unsafe { MPI_Test(&raw mut *handle, &raw mut done, &raw mut c) });
    (done != 0).then(|| Status::of(&c))
}

fn is_done(handle: usize) -> bool {
    let mut done = 0;
    // SAFETY: as above; the status is not asked for.
    ok(unsafe { MPI_Request_get_status(handle, &raw mut done, std::ptr::null_mut::<CStatus>()) });
    done != 0
}

/// Waits for one of several; `None` if there is none.
fn any(handles: &mut [usize]) -> Option<(usize, Status)> {
    let (mut c, mut at) = (empty(), 0);
    // SAFETY: as above, so many of them.
    ok(unsafe {
        MPI_Waitany(
            int(handles.len()),
            handles.as_mut_ptr(),
            &raw mut at,
            &raw mut c,
        )
    });
    (at != abi::UNDEFINED).then(|| (at as usize, Status::of(&c)))
}

type Finish<'a> = Box<dyn FnOnce(&Status) + 'a>;

/// A request of a scope.
struct Open<'a> {
    handle: Cell<usize>,
    status: Cell<Option<Status>>,
    /// Puts what has arrived where it goes.
    finish: Cell<Option<Finish<'a>>>,
}

impl Open<'_> {
    fn completed(&self, status: Status) -> Status {
        self.handle.set(abi::REQUEST_NULL);
        self.status.set(Some(status));
        if let Some(finish) = self.finish.take() {
            finish(&status);
        }
        status
    }

    fn wait(&self) -> Status {
        match self.status.get() {
            Some(status) => status,
            None => {
                let mut handle = self.handle.get();
                self.completed(wait(&mut handle))
            }
        }
    }
}

/// Requests that borrow their buffers for `'a`.
pub struct LocalScope<'a> {
    open: RefCell<Vec<Rc<Open<'a>>>>,
    invariant: PhantomData<Cell<&'a ()>>,
}

impl<'a> LocalScope<'a> {
    pub(crate) fn add(&self, handle: usize, finish: impl FnOnce(&Status) + 'a) -> Request<'a> {
        let open = Rc::new(Open {
            handle: Cell::new(handle),
            status: Cell::new(None),
            finish: Cell::new(Some(Box::new(finish))),
        });
        let mut list = self.open.borrow_mut();
        if list.len() == list.capacity() {
            list.retain(|o| o.status.get().is_none());
        }
        list.push(open.clone());
        Request { open }
    }
}

impl Drop for LocalScope<'_> {
    fn drop(&mut self) {
        let open = self.open.take();
        if std::thread::panicking() && open.iter().any(|o| o.status.get().is_none()) {
            fail("a panic ended a scope with pending requests");
        }
        open.iter().for_each(|o| {
            o.wait();
        });
    }
}

/// Runs `f`, which may start requests; at its end all of them are waited for.  Nothing in it can be a location.
pub fn scope<'a, R>(f: impl FnOnce(&LocalScope<'a>) -> R) -> R {
    let scope = LocalScope {
        open: RefCell::default(),
        invariant: PhantomData,
    };
    f(&scope)
}

/// A started operation on a buffer that outlives its scope.  One that is dropped is waited for when the scope ends.
///
/// The buffer is the operation's until then:
///
/// ```compile_fail,E0499
/// # use pc3::mpi::{request::scope, traits::*};
/// fn twice(world: &impl Communicator, buffer: &mut Vec<f64>) {
///     scope(|scope| {
///         let first = world.any_process().immediate_receive_into(scope, buffer);
///         let second = world.any_process().immediate_receive_into(scope, buffer);
///         (first.wait(), second.wait())
///     });
/// }
/// ```
#[must_use]
pub struct Request<'a> {
    open: Rc<Open<'a>>,
}

impl Request<'_> {
    /// Waits for its end.
    pub fn wait(self) -> Status {
        self.open.wait()
    }

    /// What came of it, if it has ended.
    pub fn test(self) -> Result<Status, Self> {
        if let Some(status) = self.open.status.get() {
            return Ok(status);
        }
        let mut handle = self.open.handle.get();
        match test(&mut handle) {
            Some(status) => Ok(self.open.completed(status)),
            None => Err(self),
        }
    }

    /// Takes a receive back that no message has come for; else nothing happens.  It is to be waited for all the same.
    pub fn cancel(&self) {
        if self.open.status.get().is_none() {
            let mut handle = self.open.handle.get();
            // SAFETY: a pending request's handle.
            ok(unsafe { MPI_Cancel(&raw mut handle) });
        }
    }
}

/// Waits for one of several requests and takes it out of the list: its place there, and what came of it.
pub fn wait_any(requests: &mut Vec<Request<'_>>) -> Option<(usize, Status)> {
    let ended = requests.iter().position(|r| r.open.status.get().is_some());
    if let Some(at) = ended {
        return Some((at, requests.remove(at).wait()));
    }
    let mut handles: Vec<usize> = requests.iter().map(|r| r.open.handle.get()).collect();
    let (at, status) = any(&mut handles)?;
    Some((at, requests.remove(at).open.completed(status)))
}

/// Waits for all of them.
pub fn wait_all(requests: Vec<Request<'_>>) -> Vec<Status> {
    requests.into_iter().map(Request::wait).collect()
}

/// A request with the buffer that it uses.
struct Held<T> {
    handle: usize,
    buffer: Box<[u8]>,
    me: Option<&'static RankState>,
    /// What a checkpoint keeps of a complete one: the values, as they are on every host.
    arrived: OnceCell<Vec<u8>>,
    values: PhantomData<fn() -> T>,
}

impl<T: Equivalence> Held<T> {
    fn new(handle: usize, buffer: Box<[u8]>) -> Held<T> {
        Held {
            handle,
            buffer,
            me: RankState::try_current(),
            arrived: OnceCell::new(),
            values: PhantomData,
        }
    }

    fn values(&self, status: &Status) -> Vec<T> {
        values(&self.buffer[..status.count::<T>() * wire_size::<T>()])
    }

    const LAYOUT: Layout<3> = layout([
        (usize::SIZE, usize::ALIGN),
        (bool::SIZE, bool::ALIGN),
        (<Vec<u8>>::SIZE, <Vec<u8>>::ALIGN),
    ]);
}

impl<T> Drop for Held<T> {
    fn drop(&mut self) {
        let Some(me) = self.me.filter(|_| self.handle != abi::REQUEST_NULL) else {
            return;
        };
        if !may_release() {
            // The operation goes on.
            me.keep_landing(self.handle, std::mem::take(&mut self.buffer));
            return;
        }
        // SAFETY: the request's own handle.
        unsafe {
            if guest::is_receive(me, self.handle) {
                ok(MPI_Cancel(&raw mut self.handle));
                ok(MPI_Wait(&raw mut self.handle, std::ptr::null_mut()));
                return;
            }
            if guest::needs_buffer(me, self.handle) {
                me.keep_landing(self.handle, std::mem::take(&mut self.buffer));
            }
            ok(MPI_Request_free(&raw mut self.handle));
        }
    }
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
                let mut bytes = Vec::new();
                // What is invalid will be found so again.
                let values = T::take(&self.buffer[..n]).unwrap_or_default();
                values.iter().for_each(|v| v.put(&mut bytes));
                bytes
            }),
        };
        let offsets = Self::LAYOUT.offsets.map(|o| at + o as usize);
        self.handle.save(out, offsets[0]);
        (if done.is_some() { &NO } else { &YES }).save(out, offsets[1]);
        arrived.save(out, offsets[2]);
    }

    fn load(from: &Loading, value: View) -> Result<Self, LoadError> {
        let members = from.members::<Self>(value, "pc3::mpi::Request")?;
        let handle = members.load("handle")?;
        let me = RankState::try_current();
        let gone = || LoadError::new("is a request that the checkpoint does not have");
        if members.load("pending")? {
            let buffer = me.and_then(|me| me.take_landing(handle)).ok_or_else(gone)?;
            return Ok(Held::new(handle, buffer));
        }
        let arrived: Vec<u8> = members.load("arrived")?;
        let mut rest = &arrived[..];
        let mut list = Vec::new();
        while !rest.is_empty() {
            list.push(T::get(&mut rest).map_err(|e| LoadError::new(e.to_string()))?);
        }
        let buffer = message(&list, &mut Vec::new()).into();
        Ok(Held::new(handle, buffer))
    }
}

macro_rules! future {
    ($(#[$doc:meta])* $name:ident, $text:literal) => {
        $(#[$doc])*
        #[must_use]
        pub struct $name<T: Equivalence>(Held<T>);

        impl<T: Equivalence> $name<T> {
            pub(crate) fn new(handle: usize, buffer: Box<[u8]>) -> Self {
                $name(Held::new(handle, buffer))
            }

            /// Has it ended?
            pub fn is_done(&self) -> bool {
                is_done(self.0.handle)
            }
        }

        // They are waited for; where one is not, and a checkpoint drops it, the operation goes on.
        impl<T: Equivalence> Loud for $name<T> {}

        impl<T: Equivalence> Checkpointable for $name<T> {
            const SIZE: u64 = Held::<T>::SIZE;
            const ALIGN: u64 = Held::<T>::ALIGN;

            fn describe(types: &mut Types) -> TypeId {
                types.record::<Self>($text.to_owned(), |types| {
                    vec![("request".to_owned(), Held::<T>::describe(types), 0)]
                })
            }
            fn save<'a>(&'a self, out: &mut Saver<'a>, at: usize) {
                self.0.save(out, at);
            }
            fn load(from: &Loading, value: View) -> Result<Self, LoadError> {
                let members = from.members::<Self>(value, $text)?;
                Ok($name(members.load("request")?))
            }
        }
    };
}

future! {
    /// A value that is being received.  Dropped, it is received no more.
    ReceiveFuture, "pc3::mpi::ReceiveFuture"
}
future! {
    /// Values that are being received.  Dropped, they are received no more.
    ReceiveVecFuture, "pc3::mpi::ReceiveVecFuture"
}
future! {
    /// Values that are being sent.  Dropped, they are sent all the same.
    SendFuture, "pc3::mpi::SendFuture"
}

impl<T: Equivalence> ReceiveFuture<T> {
    /// Waits for the value.
    pub fn get(mut self) -> (T, Status) {
        let status = wait(&mut self.0.handle);
        (one(self.0.values(&status), &status), status)
    }

    /// The value, if it has arrived.
    pub fn r#try(mut self) -> Result<(T, Status), Self> {
        match test(&mut self.0.handle) {
            Some(status) => Ok((one(self.0.values(&status), &status), status)),
            None => Err(self),
        }
    }
}

impl<T: Equivalence> ReceiveVecFuture<T> {
    /// Waits for the values.
    pub fn get(mut self) -> (Vec<T>, Status) {
        let status = wait(&mut self.0.handle);
        (self.0.values(&status), status)
    }

    /// The values, if they have arrived.
    pub fn r#try(mut self) -> Result<(Vec<T>, Status), Self> {
        match test(&mut self.0.handle) {
            Some(status) => Ok((self.0.values(&status), status)),
            None => Err(self),
        }
    }

    /// Waits for one of several and takes it out of the list: its place there, and what has arrived.
    pub fn get_any(list: &mut Vec<Self>) -> Option<(usize, Vec<T>, Status)> {
        let mut handles: Vec<usize> = list.iter().map(|f| f.0.handle).collect();
        let (at, status) = any(&mut handles)?;
        let mut ended = list.remove(at);
        ended.0.handle = abi::REQUEST_NULL;
        Some((at, ended.0.values(&status), status))
    }
}

impl<T: Equivalence> SendFuture<T> {
    /// Waits until it is sent.
    pub fn wait(mut self) {
        wait(&mut self.0.handle);
    }
}

/// A barrier that the rank has come to.
#[must_use]
#[derive(Debug, Checkpointable)]
pub struct BarrierFuture {
    handle: usize,
}

impl BarrierFuture {
    pub(crate) fn new(handle: usize) -> BarrierFuture {
        BarrierFuture { handle }
    }

    /// Waits until all have come.
    pub fn wait(mut self) {
        wait(&mut self.handle);
    }

    /// Have all come?
    pub fn is_done(&self) -> bool {
        is_done(self.handle)
    }
}
