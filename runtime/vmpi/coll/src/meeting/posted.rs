//! A non-blocking or persistent collective call, kept until it is complete.

use super::kind::Kind;
use super::MeetingRef;
use crate::comm::Comm;
use crate::work::moves::Move;
use crate::work::reduce::Reduction;
use crate::work::shapes::DealShape;
use crate::work::side::{Ints, KeptSide};
use pc3_vmpi_core::mail::request::{Collective, Request};
use pc3_vmpi_objects::datatype::TypeRef;
use pc3_vmpi_objects::error::MpiError;
use pc3_vmpi_objects::group::GroupRef;
use pc3_vmpi_objects::op::{Kernel, Op};
use std::any::Any;
use std::cell::{Cell, UnsafeCell};
use std::sync::atomic::Ordering::Relaxed;
use std::sync::Arc;

use crate::topo::neighbors::Neighbors;

pub struct Posted {
    pub kind: Kind,
    pub work: Work,
    /// The communicator, which the program may free meanwhile.
    pub id: u32,
    pub all: GroupRef,
    pub seat: usize,
    pub meeting: MeetingRef,
    /// The place of this call among those that this rank has made on the communicator.
    pub place: u64,
    /// How often it has been started (persistent ones may be in any order).
    pub times: Cell<u64>,
    /// Written by who completes it.
    pub error: UnsafeCell<Option<MpiError>>,
}

pub enum Work {
    Gate,
    Move {
        root: usize,
        send: KeptSide,
        recv: KeptSide,
        shape: KeptShape,
    },
    Reduce(KeptReduction),
    /// MPI_Comm_idup: the handle of the new communicator, which gets its id when all have called.
    Dup {
        handle: usize,
        made: Cell<Option<(u32, MeetingRef)>>,
    },
}

pub struct KeptReduction {
    pub root: usize,
    pub send: *const u8,
    pub recv: *mut u8,
    pub count: usize,
    pub counts: Box<[isize]>,
    pub ty: TypeRef,
    pub handle: usize,
    pub op: Op,
    pub kernel: Option<Kernel>,
    pub shape: KeptShape,
    pub contributes: bool,
}

#[derive(Clone)]
pub enum KeptShape {
    Intra,
    Inter { low: usize },
    Neighbors(Arc<Neighbors>),
}

impl KeptShape {
    pub fn shape(&self) -> DealShape<'_> {
        match self {
            KeptShape::Intra => DealShape::Intra,
            KeptShape::Inter { low } => DealShape::Inter { low: *low },
            KeptShape::Neighbors(n) => DealShape::Neighbors(n),
        }
    }
}

/// A buffer of a call, without gaps.
pub struct Stretch<'a> {
    pub ptr: *mut u8,
    pub count: usize,
    pub ty: &'a TypeRef,
}

impl Stretch<'_> {
    pub fn bytes(&self) -> Option<usize> {
        self.ty.bytes(self.count)
    }
}

impl Collective for Posted {
    fn name(&self) -> &'static str {
        self.kind.name()
    }
    fn any(&self) -> &dyn Any {
        self
    }
    fn any_mut(&mut self) -> &mut dyn Any {
        self
    }
}

impl Posted {
    /// The call of a collective request.
    pub fn of(r: &Request) -> Option<&Posted> {
        r.collective()?.any().downcast_ref()
    }

    pub fn new(comm: &Comm, kind: Kind, work: Work) -> Posted {
        Posted {
            kind,
            work,
            id: comm.id,
            all: comm.everyone().clone(),
            seat: comm.seat(),
            meeting: comm.meeting.clone(),
            place: comm.rounds.fetch_add(1, Relaxed),
            times: Cell::new(0),
            error: UnsafeCell::new(None),
        }
    }

    /// What it has in common with the calls of the others that it belongs with.
    pub fn round(&self) -> (u64, u64) {
        (self.place, self.times.get())
    }

    pub fn as_move(&self) -> Option<Move<'_>> {
        let Work::Move {
            root,
            send,
            recv,
            shape,
        } = &self.work
        else {
            return None;
        };
        Some(Move {
            kind: self.kind,
            root: *root,
            send: send.side(),
            recv: recv.side(),
            shape: shape.shape(),
        })
    }

    pub fn as_reduction(&self) -> Option<Reduction<'_>> {
        let Work::Reduce(r) = &self.work else {
            return None;
        };
        Some(Reduction {
            kind: self.kind,
            root: r.root,
            send: r.send,
            recv: r.recv,
            count: r.count,
            counts: Ints::Aint(&r.counts),
            ty: &r.ty,
            handle: r.handle,
            op: r.op,
            kernel: r.kernel,
            shape: r.shape.shape(),
            contributes: r.contributes,
            covers: 1,
            remote: false,
            odd: None,
            everywhere: true,
        })
    }

    /// The datatypes that it holds, in order.
    pub fn types(&self) -> Vec<&TypeRef> {
        match &self.work {
            Work::Move { send, recv, .. } => send.types().iter().chain(recv.types()).collect(),
            Work::Reduce(r) => vec![&r.ty],
            Work::Gate | Work::Dup { .. } => Vec::new(),
        }
    }

    /// What it sends and what it receives, each from one stretch of memory; `None`: it has no buffers, or others.
    pub fn memory(&self) -> Option<[Option<Stretch<'_>>; 2]> {
        let members = self.all.size();
        let stretch = |side: &'_ KeptSide| -> Option<Option<(*mut u8, usize)>> {
            match *side {
                KeptSide::None => Some(None),
                KeptSide::One { ptr, count, .. } => Some(Some((ptr, count))),
                KeptSide::Blocks { ptr, count, .. } => Some(Some((ptr, count * members))),
                KeptSide::InPlace | KeptSide::Each { .. } | KeptSide::Typed { .. } => None,
            }
        };
        match &self.work {
            Work::Move {
                send, recv, shape, ..
            } => {
                if !matches!(shape, KeptShape::Intra) {
                    return None;
                }
                let of = |side| {
                    let found: Option<(*mut u8, usize)> = stretch(side)?;
                    let ty = KeptSide::types(side).first();
                    Some(
                        found
                            .zip(ty)
                            .map(|((ptr, count), ty)| Stretch { ptr, count, ty }),
                    )
                };
                Some([of(send)?, of(recv)?])
            }
            Work::Reduce(r) => {
                let received = match self.kind {
                    Kind::ReduceScatter => return None,
                    Kind::ReduceScatterBlock => r.count / members,
                    _ => r.count,
                };
                let receives = self.kind != Kind::Reduce || r.root == self.seat;
                let part = |ptr, count| Stretch {
                    ptr,
                    count,
                    ty: &r.ty,
                };
                let sent = part(r.send.cast_mut(), r.count);
                Some([Some(sent), receives.then(|| part(r.recv, received))])
            }
            Work::Gate | Work::Dup { .. } => None,
        }
    }

    /// Gives it other buffers of that kind.
    pub fn place(&mut self, sent: *mut u8, received: *mut u8) {
        let put = |side: &mut KeptSide, at| match side {
            KeptSide::One { ptr, .. } | KeptSide::Blocks { ptr, .. } => *ptr = at,
            KeptSide::None | KeptSide::InPlace | KeptSide::Each { .. } | KeptSide::Typed { .. } => {
            }
        };
        match &mut self.work {
            Work::Move { send, recv, .. } => {
                put(send, sent);
                put(recv, received);
            }
            Work::Reduce(r) => {
                r.send = sent;
                r.recv = received;
            }
            Work::Gate | Work::Dup { .. } => {}
        }
    }
}
