//! Operations that go on while the program does something else.
//!
//! Those of a [`scope`] borrow their buffers, and end with it.  Futures own what they send or receive: they are values, and
//! may be pending at a location, across a checkpoint and a restart.

pub(in crate::mpi) mod owned;

use std::cell::{Cell, RefCell};
use std::marker::PhantomData;
use std::rc::Rc;

use pc3_vmpi::c::request::{MPI_Cancel, MPI_Request_get_status, MPI_Test, MPI_Wait};
use pc3_vmpi::c::requests::MPI_Waitany;
use pc3_vmpi::c::status::CStatus;
use pc3_vmpi::handle::abi;

use super::equivalence::Equivalence;
use super::held::{Held, Of};
use super::point_to_point::{empty, int, one, Status};
use super::{fail, ok};
use crate::point::questions::loud::Loud;
use crate::value::load::{LoadError, Loading, View};
use crate::value::save::Saver;
use crate::value::types::{TypeId, Types};
use crate::Checkpointable;

pub(super) fn wait(handle: &mut usize) -> Status {
    let mut c = empty();
    // SAFETY: the request's own handle.
    ok(unsafe { MPI_Wait(&raw mut *handle, &raw mut c) });
    Status::of(&c)
}

pub(super) fn test(handle: &mut usize) -> Option<Status> {
    let (mut c, mut done) = (empty(), 0);
    // SAFETY: as above.
    ok(unsafe { MPI_Test(&raw mut *handle, &raw mut done, &raw mut c) });
    (done != 0).then(|| Status::of(&c))
}

pub(super) fn is_done(handle: usize) -> bool {
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
struct ScopedRequest<'a> {
    handle: Cell<usize>,
    status: Cell<Option<Status>>,
    /// Puts what has arrived where it goes.
    finish: Cell<Option<Finish<'a>>>,
}

impl ScopedRequest<'_> {
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
    open: RefCell<Vec<Rc<ScopedRequest<'a>>>>,
    invariant: PhantomData<Cell<&'a ()>>,
}

impl<'a> LocalScope<'a> {
    pub(crate) fn add(&self, handle: usize, finish: impl FnOnce(&Status) + 'a) -> Request<'a> {
        let open = Rc::new(ScopedRequest {
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
    open: Rc<ScopedRequest<'a>>,
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

/// Waits for a request when it is dropped.
///
/// ```
/// use pc3::mpi::request::{scope, CancelGuard, WaitGuard};
/// use pc3::mpi::topology::{CommunicatorRelation, SystemCommunicator};
/// use pc3::mpi::{point_to_point::send_receive, traits::*};
///
/// fn to_itself(world: &SystemCommunicator) {
///     let (sent, mut arrived, mut nothing) = (7u64, 0u64, 0u64);
///     scope(|scope| {
///         let _nothing = CancelGuard::from(
///             world.this_process().immediate_receive_into_with_tag(scope, &mut nothing, 9),
///         );
///         let _arriving = WaitGuard::from(world.this_process().immediate_receive_into(scope, &mut arrived));
///         world.this_process().send(&sent);
///     });
///     let (back, _status): (u64, _) =
///         send_receive(&arrived, &world.this_process(), &world.this_process());
///     assert_eq!((arrived, back, nothing), (7, 7, 0));
///     assert_eq!(world.compare(&world.duplicate()), CommunicatorRelation::Congruent);
/// }
///
/// #[pc3::main(mpi)]
/// fn main() {
///     let universe = pc3::mpi::initialize().expect("MPI can be initialized once");
///     to_itself(&universe.world());
/// }
/// ```
#[must_use]
pub struct WaitGuard<'a>(Option<Request<'a>>);

impl<'a> From<Request<'a>> for WaitGuard<'a> {
    fn from(request: Request<'a>) -> Self {
        WaitGuard(Some(request))
    }
}

impl Drop for WaitGuard<'_> {
    fn drop(&mut self) {
        // In a panic the scope ends the job.
        if let Some(request) = self.0.take().filter(|_| !std::thread::panicking()) {
            request.wait();
        }
    }
}

/// Takes a request back when it is dropped, as far as that can be, and waits for it.
#[must_use]
pub struct CancelGuard<'a>(WaitGuard<'a>);

impl<'a> From<Request<'a>> for CancelGuard<'a> {
    fn from(request: Request<'a>) -> Self {
        CancelGuard(request.into())
    }
}

impl Drop for CancelGuard<'_> {
    fn drop(&mut self) {
        if let Some(request) = &self.0 .0 {
            request.cancel();
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

macro_rules! future {
    ($(#[$doc:meta])* $name:ident, $text:literal, $of:ident) => {
        $(#[$doc])*
        #[must_use]
        pub struct $name<T: Equivalence>(pub(super) Held<T>);

        impl<T: Equivalence> $name<T> {
            /// The first `sent` values in the buffer are what is sent.
            pub(super) fn new(handle: usize, buffer: Box<[u8]>, sent: usize) -> Self {
                $name(Held::new(Of::$of, handle, buffer, sent))
            }

            /// Has it ended?
            pub fn is_done(&self) -> bool {
                $crate::mpi::request::is_done(self.0.handle)
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
    ReceiveFuture, "pc3::mpi::ReceiveFuture", Message
}
future! {
    /// Values that are being received.  Dropped, they are received no more.
    ReceiveVecFuture, "pc3::mpi::ReceiveVecFuture", Message
}
future! {
    /// Values that are being sent.  Dropped, they are sent all the same.
    SendFuture, "pc3::mpi::SendFuture", Message
}

future! {
    /// Values that a collective brings.  Dropped, it goes on all the same.
    CollectiveFuture, "pc3::mpi::CollectiveFuture", Collective
}
future! {
    /// Messages to one process.  Dropped, the last one is sent all the same.
    PersistentSend, "pc3::mpi::PersistentSend", Messages
}
future! {
    /// Messages from a process.  Dropped, none is received any more.
    PersistentReceive, "pc3::mpi::PersistentReceive", Messages
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
