//! What all processes have to know in the same order: that there are ranks more, and what is done with ports.
//!
//! Every process has all of it.  A rank that is to change something asks process 0 for the *turn*, which one rank of the job
//! has at a time; changes what its own process has, which is up to date; tells all others, each of which does the same and
//! answers; and gives the turn back.  So whoever is told of that change by anybody knows it already.
//!
//! With the turn goes, in a head's `extra`, the newest epoch of the non-blocking protocol in which a rank was spawned that the
//! checkpoint does not know.

use std::cell::Cell;
use std::collections::VecDeque;
use std::sync::Mutex;

use pc3_transport::Head;

use crate::frame::Frame;
use crate::kind::Kind;
use crate::ports::{Change, Ports};
use crate::post::{fail, lock, Post};
use pc3_vmpi_core::rank::RankState;
use pc3_vmpi_core::world::World;
use pc3_vmpi_objects::wire::{bad, Read, Reader, Writer};

/// In a head's `ctx`.
const ASK: u32 = 0;
const TURN: u32 = 1;
const TELL: u32 = 2;
const TOLD: u32 = 3;
const DONE: u32 = 4;

/// What changes.
pub enum News {
    /// So many ranks more, which run in the teller's process.
    Ranks(u32),
    /// By a rank.
    Ports(u32, Change),
}

impl News {
    fn write(&self) -> Vec<u8> {
        let mut w = Writer::default();
        match self {
            News::Ranks(n) => {
                w.u8(0);
                w.u32(*n);
            }
            News::Ports(rank, change) => {
                w.u8(1);
                w.u32(*rank);
                change.write(&mut w);
            }
        }
        w.0
    }

    fn read(bytes: &[u8]) -> Read<News> {
        let mut r = Reader(bytes);
        Ok(match r.u8()? {
            0 => News::Ranks(r.u32()?),
            1 => News::Ports(r.u32()?, Change::read(&mut r)?),
            _ => return bad("unknown news of another process"),
        })
    }
}

/// A rank, and its process.
type Holder = (u32, u32);

/// Of process 0: who has the turn, and who waits for it.
#[derive(Default)]
struct Queue {
    holder: Option<Holder>,
    waiting: VecDeque<Holder>,
    unlogged: u32,
}

impl Queue {
    /// Whose turn it is, if that has changed.
    fn ask(&mut self, who: Holder) -> Option<Holder> {
        self.waiting.push_back(who);
        match self.holder {
            None => self.next(),
            Some(_) => None,
        }
    }

    fn next(&mut self) -> Option<Holder> {
        self.holder = self.waiting.pop_front();
        self.holder
    }
}

#[derive(Default)]
pub struct TotalOrder {
    queue: Mutex<Queue>,
    held: Mutex<ProcessTurn>,
}

/// Of each process.
#[derive(Default)]
struct ProcessTurn {
    /// The rank here whose turn it is.
    by: Option<u32>,
    unlogged: u32,
    /// So many processes have not answered yet.
    open: u32,
}

/// The caller's turn.
pub struct Turn<'a> {
    me: &'a RankState,
    order: &'a TotalOrder,
    link: &'a Post,
    unlogged: Cell<u32>,
}

impl TotalOrder {
    /// Waits for the turn.
    pub fn take<'a>(&'a self, me: &'a RankState, link: &'a Post) -> Turn<'a> {
        match link.index() {
            0 => {
                let next = lock(&self.queue).ask((me.rank, 0));
                self.give(link, next);
            }
            _ => say(link, 0, (ASK, me.rank), 0, &[]),
        }
        while lock(&self.held).by != Some(me.rank) {
            me.block();
        }
        let unlogged = Cell::new(lock(&self.held).unlogged);
        Turn {
            me,
            order: self,
            link,
            unlogged,
        }
    }

    /// By process 0.
    fn give(&self, link: &Post, to: Option<Holder>) {
        let unlogged = lock(&self.queue).unlogged;
        match to {
            Some((rank, 0)) => self.granted(link, rank, unlogged),
            Some((rank, process)) => say(link, process, (TURN, rank), unlogged, &[]),
            None => {}
        }
    }

    /// To process 0, by who had it.
    fn given_back(&self, link: &Post, unlogged: u32) {
        let next = {
            let mut queue = lock(&self.queue);
            queue.unlogged = unlogged;
            queue.next()
        };
        self.give(link, next);
    }

    fn granted(&self, link: &Post, rank: u32, unlogged: u32) {
        {
            let mut held = lock(&self.held);
            (held.by, held.unlogged) = (Some(rank), unlogged);
        }
        if let Some(world) = link.world() {
            world.wake(None, rank);
        }
    }

    pub fn hear(&self, link: &Post, frame: &Frame) {
        let (peer, rank) = (frame.peer, frame.head.src);
        match frame.head.ctx {
            ASK => {
                let next = lock(&self.queue).ask((rank, peer));
                self.give(link, next);
            }
            TURN => self.granted(link, rank, frame.head.extra),
            TELL => match (News::read(frame.bytes()), link.world()) {
                (Ok(news), Some(world)) => {
                    heed(world, peer, news);
                    say(link, peer, (TOLD, rank), 0, &[]);
                }
                (Err(e), _) => fail(&format!("internal error: {e}")),
                (_, None) => fail("internal error: ranks more before there were any"),
            },
            TOLD => {
                let last = {
                    let mut held = lock(&self.held);
                    held.open -= 1;
                    held.open == 0
                };
                if let Some(world) = link.world().filter(|_| last) {
                    world.wake(None, rank);
                }
            }
            DONE => self.given_back(link, frame.head.extra),
            _ => fail("internal error: an unknown word about turns"),
        }
    }
}

fn say(link: &Post, to: u32, (word, rank): (u32, u32), unlogged: u32, bytes: &[u8]) {
    let head = Head {
        ctx: word,
        src: rank,
        extra: unlogged,
        ..Head::default()
    };
    link.send_bytes(to, Kind::Turn, head, bytes);
}

/// Another process has changed something.
fn heed(world: &World, process: u32, news: News) {
    match news {
        News::Ranks(n) => world.learn_of(n, process),
        News::Ports(rank, change) => {
            if let Err(e) = world.part::<Ports>().apply(world, rank, change) {
                fail(&format!("internal error: ports that differ: {e}"));
            }
        }
    }
}

impl Turn<'_> {
    /// The newest epoch in which a rank was spawned by one that did not log any more.
    pub fn unlogged(&self) -> u32 {
        self.unlogged.get()
    }

    /// This one does not, either.
    pub fn set_unlogged(&self, epoch: u32) {
        self.unlogged.set(epoch);
    }

    /// Tells all other processes; returns when they know.
    pub fn tell(&self, news: &News) {
        let (me, link) = (self.me, self.link);
        let held = || lock(&self.order.held);
        held().open = link.count() - 1;
        let bytes = news.write();
        for process in link.others() {
            say(link, process, (TELL, me.rank), 0, &bytes);
        }
        while held().open > 0 {
            me.block();
        }
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        let (turns, link) = (self.order, self.link);
        lock(&turns.held).by = None;
        match link.index() {
            0 => turns.given_back(link, self.unlogged()),
            _ => say(link, 0, (DONE, self.me.rank), self.unlogged(), &[]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_has_the_turn_and_all_get_it_in_order() {
        let mut q = Queue::default();
        assert_eq!(q.ask((4, 1)), Some((4, 1)));
        assert_eq!(q.ask((0, 0)), None);
        assert_eq!(q.ask((5, 1)), None);
        assert_eq!(
            [q.next(), q.next(), q.next()],
            [Some((0, 0)), Some((5, 1)), None]
        );
        assert_eq!(q.ask((0, 0)), Some((0, 0)));
    }

    #[test]
    fn news_are_read_as_they_were_written() {
        let read = |news: &News| News::read(&news.write()).ok();
        assert!(matches!(read(&News::Ranks(7)), Some(News::Ranks(7))));
        let change = Change::Publish {
            service: "desk".into(),
            port: "p".into(),
        };
        let Some(News::Ports(3, again)) = read(&News::Ports(3, change.clone())) else {
            panic!("news of ports")
        };
        assert_eq!(again, change);
        assert!(News::read(&[9]).is_err());
    }
}
