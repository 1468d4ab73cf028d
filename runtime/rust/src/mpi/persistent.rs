//! Requests that are made once and started many times.  They own their buffers, so that they may be at a location, under way
//! or not:
//!
//! ```
//! use pc3::mpi::traits::*;
//!
//! fn around(world: &impl Communicator) -> f64 {
//!     let n = world.size();
//!     let mut out = world.process_at_rank((world.rank() + 1) % n).persistent_send::<f64>(1);
//!     let mut into = world.process_at_rank((world.rank() + n - 1) % n).persistent_receive::<f64>(1);
//!     let mut sum = 1.0;
//!     for _ in 0..n {
//!         into.start();
//!         out.start(&[sum]);
//!         sum += into.wait().0[0];
//!         out.wait();
//!     }
//!     sum
//! }
//! ```

use pc3_vmpi::c::persistent::{MPI_Recv_init_c, MPI_Send_init_c, MPI_Ssend_init_c};
use pc3_vmpi::handle::abi;

use super::equivalence::{message, wire, wire_size, Equivalence};
use super::point_to_point::{address, Status};
use super::point_to_point::{Destination, Source};
use super::request::wait;
pub use super::request::{PersistentReceive, PersistentSend};
use super::{fail, ok, Tag};

impl<T: Equivalence> PersistentSend<T> {
    /// Starts to send as many values as were named when the request was made.
    pub fn start(&mut self, values: &[T]) {
        if self.0.is_active() {
            fail("a persistent send is started while it is under way: wait for it first");
        }
        let mut copy = Vec::new();
        let bytes = message(values, &mut copy);
        if bytes.len() != self.0.buffer.len() {
            fail(&format!(
                "a persistent send of {} values is started with {}",
                self.0.buffer.len() / wire_size::<T>().max(1),
                values.len()
            ));
        }
        self.0.buffer.copy_from_slice(bytes);
        self.0.start();
    }

    /// Waits until it is sent.
    pub fn wait(&mut self) {
        wait(&mut self.0.handle);
    }
}

impl<T: Equivalence> PersistentReceive<T> {
    /// Starts to receive at most as many values as were named when the request was made; more end the job.
    pub fn start(&mut self) {
        if self.0.is_active() {
            fail("a persistent receive is started while it is under way: wait for it first");
        }
        self.0.start();
    }

    /// Waits for the values.
    pub fn wait(&mut self) -> (Vec<T>, Status) {
        if !self.0.is_active() {
            fail("a persistent receive is waited for that was not started");
        }
        let status = wait(&mut self.0.handle);
        (self.0.values(&status), status)
    }
}

/// Makes requests of messages to it.
pub trait PersistentDestination: Destination {
    /// Messages of so many values.
    fn persistent_send<T: Equivalence>(&self, count: usize) -> PersistentSend<T> {
        self.persistent_send_with_tag(count, 0)
    }

    fn persistent_send_with_tag<T: Equivalence>(
        &self,
        count: usize,
        tag: Tag,
    ) -> PersistentSend<T> {
        let (to, wire, mut buffer) = (self.to(), wire::<T>(), room::<T>(count));
        let mut handle = 0;
        // SAFETY: the request keeps the buffer.
        ok(unsafe {
            MPI_Send_init_c(
                address(&mut buffer),
                (count * wire.units) as i64,
                wire.basic,
                to.rank,
                tag,
                to.comm,
                &raw mut handle,
            )
        });
        PersistentSend::new(handle, buffer, 0)
    }

    /// Messages that are sent when they are being received.
    fn persistent_synchronous_send<T: Equivalence>(&self, count: usize) -> PersistentSend<T> {
        self.persistent_synchronous_send_with_tag(count, 0)
    }

    fn persistent_synchronous_send_with_tag<T: Equivalence>(
        &self,
        count: usize,
        tag: Tag,
    ) -> PersistentSend<T> {
        let (to, wire, mut buffer) = (self.to(), wire::<T>(), room::<T>(count));
        let mut handle = 0;
        // SAFETY: as above.
        ok(unsafe {
            MPI_Ssend_init_c(
                address(&mut buffer),
                (count * wire.units) as i64,
                wire.basic,
                to.rank,
                tag,
                to.comm,
                &raw mut handle,
            )
        });
        PersistentSend::new(handle, buffer, 0)
    }
}

impl<D: Destination + ?Sized> PersistentDestination for D {}

/// Makes requests of messages from it.
pub trait PersistentSource: Source {
    /// Messages of at most so many values.
    fn persistent_receive<T: Equivalence>(&self, most: usize) -> PersistentReceive<T> {
        self.persistent_receive_with_tag(most, abi::ANY_TAG)
    }

    fn persistent_receive_with_tag<T: Equivalence>(
        &self,
        most: usize,
        tag: Tag,
    ) -> PersistentReceive<T> {
        let (from, wire, mut buffer) = (Source::from(self), wire::<T>(), room::<T>(most));
        let mut handle = 0;
        // SAFETY: the request keeps the buffer.
        ok(unsafe {
            MPI_Recv_init_c(
                address(&mut buffer),
                (most * wire.units) as i64,
                wire.basic,
                from.rank,
                tag,
                from.comm,
                &raw mut handle,
            )
        });
        PersistentReceive::new(handle, buffer, 0)
    }
}

impl<S: Source + ?Sized> PersistentSource for S {}

fn room<T: Equivalence>(n: usize) -> Box<[u8]> {
    vec![0; n * wire_size::<T>()].into_boxed_slice()
}
