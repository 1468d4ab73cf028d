//! Shared pointers of files that ranks of several processes have open: the process of a file's first member keeps it,
//! ranks of the others ask for its value, and for moving it on, with one frame each.

use std::collections::HashMap;
use std::sync::Mutex;

use pc3_transport::Head;

use crate::frame::Frame;
use crate::kind::Kind;
use crate::post::{fail, lock, Post};
use pc3_vmpi_coll::remote::elsewhere::Name;
use pc3_vmpi_core::rank::RankState;

#[derive(Default)]
pub struct Pointers {
    kept: Mutex<HashMap<Name, i64>>,
    /// What ranks here have been told, until they look.
    answers: Mutex<HashMap<u32, i64>>,
}

impl Pointers {
    /// This process keeps the pointer; it is there from now on.
    pub fn set(&self, name: Name, at: i64) {
        lock(&self.kept).insert(name, at);
    }

    pub fn forget(&self, name: Name) {
        lock(&self.kept).remove(&name);
    }

    /// Moves it on by so much; where it was.  `None`: it is not here.
    pub fn advance(&self, name: Name, by: i64) -> Option<i64> {
        let mut kept = lock(&self.kept);
        let at = kept.get_mut(&name)?;
        let before = *at;
        *at = before.saturating_add(by);
        Some(before)
    }

    /// The same, with a process that keeps it.
    pub(crate) fn advance_at(
        &self,
        post: &Post,
        me: &RankState,
        process: u32,
        name: Name,
        by: i64,
    ) -> i64 {
        let head = Head {
            src: me.rank,
            ctx: name.comm,
            id: name.group,
            count: by as u64,
            ..Head::default()
        };
        post.send_bytes(process, Kind::Pointer, head, &[]);
        loop {
            if let Some(at) = lock(&self.answers).remove(&me.rank) {
                return at;
            }
            me.block();
        }
    }

    /// A rank elsewhere asks.
    pub fn asked(&self, post: &Post, frame: &Frame) {
        let head = &frame.head;
        let name = Name {
            comm: head.ctx,
            group: head.id,
        };
        let Some(at) = self.advance(name, head.count as i64) else {
            fail("internal error: another process asks for the pointer of a file that is not open here")
        };
        let answer = Head {
            dst: head.src,
            count: at as u64,
            ..Head::default()
        };
        post.send_bytes(frame.peer, Kind::Pointed, answer, &[]);
    }

    /// A rank here has been answered.
    pub fn answered(&self, post: &Post, frame: &Frame) {
        let rank = frame.head.dst;
        lock(&self.answers).insert(rank, frame.head.count as i64);
        if let Some(world) = post.world() {
            world.wake(None, rank);
        }
    }
}
