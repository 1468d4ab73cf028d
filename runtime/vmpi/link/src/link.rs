//! The link to the other processes: what it consists of.

use std::ops::Deref;
use std::sync::atomic::{AtomicBool, AtomicU64};
use std::sync::{Arc, Mutex};

use crate::collectives::board::Board;
use crate::frame::Arrivals;
use crate::messages::credit::Credits;
use crate::messages::traffic::Traffic;
use crate::pointers::Pointers;
use crate::post::{lock, Post};
use crate::processes::desk::Desk;
use crate::processes::node::Node;
use crate::processes::total_order::TotalOrder;
use pc3_vmpi_core::world::World;
use pc3_vmpi_sched::brief::Brief;

pub struct Link {
    pub(crate) post: Post,
    pub(crate) arrivals: Mutex<Arrivals>,
    /// Is there anything?
    pub(crate) any: AtomicBool,
    /// Of whoever handles what arrives: lists to be filled next.
    pub(crate) hands: Brief<Arrivals>,
    /// How often workers have looked.
    pub(crate) looks: AtomicU64,
    /// A worker has gone to sleep since the porter last asked.
    pub(crate) rested: AtomicBool,
    pub traffic: Traffic,
    pub(crate) credits: Credits,
    pub board: Board,
    pub pointers: Pointers,
    pub total_order: TotalOrder,
    pub desk: Desk,
    pub node: Node,
    /// All processes know their ranks.
    pub(crate) begun: AtomicBool,
    /// The porter is to end.
    pub(crate) over: AtomicBool,
    /// Nobody is missed any more.
    pub(crate) closing: AtomicBool,
    /// Another process is gone without a word.
    pub(crate) bereft: AtomicBool,
    pub(crate) byes: AtomicU64,
}

impl Deref for Link {
    type Target = Post;
    fn deref(&self) -> &Post {
        &self.post
    }
}

/// The link of this process, for those who end it from anywhere.
pub(crate) static LINK: Mutex<Option<Arc<Link>>> = Mutex::new(None);

/// That of this process.
#[inline]
pub fn joined() -> Option<Arc<Link>> {
    lock(&LINK).clone()
}

/// As a part of a job.
pub struct Linked(pub Option<Arc<Link>>);

/// The other processes, if there are any.
#[inline]
pub fn remote(world: &World) -> Option<&Link> {
    world.part::<Linked>().0.as_deref()
}

/// Only where ranks of other processes are known to exist.
#[inline]
pub fn link(world: &World) -> &Link {
    match remote(world) {
        Some(link) => link,
        None => unreachable!("all ranks are here"),
    }
}
