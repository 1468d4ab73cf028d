//! A process's part in what processes decide together: tells the lead ([`super::lead`]) what happens here, does what
//! the lead says.  Runs on the porter's thread, but for what ranks report.

use std::collections::VecDeque;
use std::fmt::{self, Write};
use std::sync::atomic::{AtomicBool, Ordering::*};
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::Instant;

use pc3_runtime::chaos;
use pc3_runtime::control::{set_flag, FLAG_ENGINE};
use pc3_runtime::tell::{die, say, EXIT_DEADLOCK};
use pc3_transport::Head;

use super::lead::{Down, Lead, Up};
use super::polls::{self, Step, Watch};
use super::quiet::{Level, Report};
use super::words::{read_down, read_up, write_down, write_up};
use super::{lock, offers, Kind, Link};
use crate::coord;
use crate::crossing;
use crate::deadlock;
use crate::p2p::{all_poll, release_held};
use crate::state::{RankState, World};
use crate::wire::Reader;

/// For the thread that stays when all ranks here have ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Event {
    /// A checkpoint is to be written.
    Unwind,
    /// All ranks everywhere have ended.
    End(i32),
}

#[derive(Default, Debug)]
struct State {
    round: u64,
    /// The lead knows that a checkpoint is wanted.
    told: bool,
    /// The lead knows that all ranks here have ended.
    ended: bool,
    /// Seen at the last look, and reported.
    seen: Option<Report>,
    reported: Option<Report>,
    /// Of rounds that begin here when the last one is over.
    early: Vec<Down>,
}

pub(crate) struct Node {
    index: u32,
    lead: Mutex<Lead>,
    state: Mutex<State>,
    /// What this process says to itself.
    own: Mutex<VecDeque<Message>>,
    any_own: AtomicBool,
    events: (Mutex<VecDeque<Event>>, Condvar),
    watch: AtomicBool,
    watch_polls: Mutex<Watch>,
}

enum Message {
    Up(u32, Up),
    Down(Down),
    /// To the lead: its round is over.
    Over,
    /// Likewise: do ranks still poll in vain? Or, that is to be told.
    Polls(Step),
}

impl Down {
    /// The round that it is about.
    fn round(&self) -> Option<u64> {
        match self {
            Down::Ask { round }
            | Down::Plan { round, .. }
            | Down::Unwind { round }
            | Down::Stuck { round } => Some(*round),
            _ => None,
        }
    }
}

impl Node {
    pub fn new(index: u32, count: u32) -> Node {
        Node {
            index,
            lead: Mutex::new(Lead::new(count as usize)),
            state: Mutex::default(),
            own: Mutex::default(),
            any_own: AtomicBool::new(false),
            events: Default::default(),
            watch: AtomicBool::new(false),
            watch_polls: Mutex::default(),
        }
    }

    /// Is something decided that should not wait for the next long nap to end?
    pub fn watches(&self) -> bool {
        self.watch.load(SeqCst)
    }

    fn up(&self, link: &Link, up: Up) {
        if self.index == 0 {
            self.own(link, Message::Up(0, up));
        } else {
            link.send_bytes(0, Kind::Control, Head::default(), &write_up(&up));
        }
    }

    fn own(&self, link: &Link, m: Message) {
        lock(&self.own).push_back(m);
        self.any_own.store(true, SeqCst);
        link.wake();
    }

    /// By the porter alone: all processes hear the same in the same order.
    fn down(&self, link: &Link, list: Vec<Down>) {
        for down in list {
            if let (Down::End { .. }, Some(world)) = (&down, link.world()) {
                world.crossing.end();
            }
            let bytes = write_down(&down);
            for peer in link.others() {
                link.send_bytes(peer, Kind::Control, Head::default(), &bytes);
            }
            self.own(link, Message::Down(down));
        }
    }

    pub fn handle(&self, link: &Link, from: u32, bytes: &[u8]) {
        let mut r = Reader(bytes);
        chaos();
        let message = match self.index {
            0 => read_up(&mut r).map(|up| Message::Up(from, up)),
            _ => read_down(&mut r).map(Message::Down),
        };
        match message {
            Ok(m) => self.heed(link, m),
            Err(e) => link.fail(&format!("internal error: {e}")),
        }
    }

    #[inline]
    pub fn has_own(&self) -> bool {
        self.any_own.load(Relaxed)
    }

    /// What this process has said to itself; true if that was anything.
    pub fn handle_own(&self, link: &Link) -> bool {
        if !self.any_own.load(SeqCst) {
            return false;
        }
        self.any_own.store(false, SeqCst);
        let mut any = false;
        loop {
            let next = lock(&self.own).pop_front();
            let Some(m) = next else { return any };
            any = true;
            self.heed(link, m);
        }
    }

    fn heed(&self, link: &Link, m: Message) {
        match m {
            Message::Up(from, up) => {
                let list = lock(&self.lead).hear(from as usize, up);
                self.down(link, list);
            }
            Message::Over => {
                let list = lock(&self.lead).over();
                self.down(link, list);
            }
            Message::Polls(step) => {
                let list = match step {
                    Step::Tell => lock(&self.lead).tell_polls(),
                    _ => lock(&self.lead).look_again(),
                };
                self.down(link, list);
            }
            Message::Down(down) => {
                if let Some(world) = link.world() {
                    self.obey(link, world, down);
                }
            }
        }
    }

    fn obey(&self, link: &Link, world: &World, down: Down) {
        let round = {
            let mut s = lock(&self.state);
            match down.round() {
                // The lead and others may know before us that a round is over.
                Some(of) if of > s.round => return s.early.push(down),
                Some(of) if of < s.round => return,
                _ => s.round,
            }
        };
        match down {
            Down::Ask { .. } => {
                let passage = coord::furthest_of_all(world);
                self.up(link, Up::Furthest { round, passage });
            }
            Down::Plan { target, .. } => {
                self.watch.store(true, SeqCst);
                lock(&self.state).told = true;
                let mut b = world.coord.lock();
                b.plan(target);
                set_flag(FLAG_ENGINE);
                self.tell_ready(link, &b);
            }
            Down::Unwind { .. } => {
                let any = world.coord.lock().unwind_all();
                if any {
                    world.wake_all();
                } else {
                    self.tell(Event::Unwind);
                }
            }
            Down::Query { number } => {
                let report = self.look(link, world);
                let mut s = lock(&self.state);
                if s.reported != Some(report) {
                    s.reported = None;
                }
                drop(s);
                self.up(link, Up::Answer { number, report });
            }
            Down::Relieve { polls } => {
                // Both: what is held here and what is held elsewhere.
                let free = !polls || all_poll(world);
                let any = free && release_held(world) | offers::relieve(link, world);
                if any || !polls {
                    lock(&self.state).reported = None;
                }
                self.up(link, Up::Relieved { any });
            }
            Down::Stuck { .. } => {
                lock(&self.state).reported = None;
                let verdict = world.coord.lock().stuck();
                if coord::apply_together(world, verdict, self.index == 0) {
                    self.over(link);
                } else {
                    self.tell_ready(link, &world.coord.lock());
                }
            }
            Down::Describe => {
                let text = deadlock::describe(world);
                self.up(link, Up::Described { text });
            }
            Down::Deadlock { text } if self.index == 0 => {
                let text = format!(
                    "deadlock: every rank of every process waits and no message is under way\n{text}"
                );
                die(EXIT_DEADLOCK, text.trim_end());
            }
            Down::DescribePolls => {
                let text = deadlock::describe_running(world);
                self.up(link, Up::Described { text });
            }
            Down::Polls { text } if self.index == 0 => {
                say(polls::text(world, &text).trim_end());
            }
            // Process 0 says it.
            Down::Deadlock { .. } | Down::Polls { .. } => {}
            Down::End { code } => self.tell(Event::End(code)),
        }
    }

    fn tell(&self, event: Event) {
        lock(&self.events.0).push_back(event);
        self.events.1.notify_all();
    }

    /// What is decided, for people.
    pub fn sights(&self, out: &mut impl Write) -> fmt::Result {
        if let Ok(s) = self.state.try_lock() {
            writeln!(out, "  {s:?}")?;
        }
        match self.lead.try_lock() {
            Ok(lead) if self.index == 0 => writeln!(out, "  {lead:?}"),
            _ => Ok(()),
        }
    }

    /// What the thread that stays is to do next.
    pub fn next_event(&self) -> Event {
        let mut events = lock(&self.events.0);
        loop {
            if let Some(e) = events.pop_front() {
                return e;
            }
            let wait = self.events.1.wait(events);
            events = wait.unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// A checkpoint is wanted here.
    pub fn want(&self, link: &Link) {
        let mut s = lock(&self.state);
        if !std::mem::replace(&mut s.told, true) {
            let round = s.round;
            drop(s);
            self.up(link, Up::Want { round });
        }
    }

    /// All ranks here have come to where they wait for those of the others, if they have.
    pub fn tell_ready(&self, link: &Link, b: &coord::barrier::Barrier) {
        if let Some((attempt, parked)) = b.ready() {
            let round = lock(&self.state).round;
            self.watch.store(true, SeqCst);
            self.up(
                link,
                Up::Ready {
                    round,
                    attempt,
                    parked,
                },
            );
        }
    }

    pub fn ended(&self, link: &Link, code: i32) {
        self.up(link, Up::Ended { code });
        // After that, so that the lead hears it before it hears that nothing moves here.
        lock(&self.state).ended = true;
    }

    /// This process knows that the round is over.
    pub fn over(&self, link: &Link) {
        let early = {
            let mut s = lock(&self.state);
            s.round += 1;
            s.told = false;
            s.reported = None;
            std::mem::take(&mut s.early)
        };
        self.watch.store(false, SeqCst);
        if self.index == 0 {
            self.own(link, Message::Over);
        }
        early
            .into_iter()
            .for_each(|down| self.own(link, Message::Down(down)));
    }

    /// Nothing has come for a while.
    pub fn tick(&self, link: &Link) {
        let Some(world) = link.world() else { return };
        let Some(job) = world.job.get() else { return };
        if world.crossing.is_chosen() {
            crossing::apart::tick(world);
        } else if job.control.requested() && job.program.has_points {
            // Ranks here may come to no location for long, or never again.
            self.want(link);
        }
        if self.index == 0 {
            let still = lock(&self.lead).still();
            let patience = polls::patience(world);
            let step = lock(&self.watch_polls).step(still, patience, Instant::now());
            if step != Step::Nothing {
                self.own(link, Message::Polls(step));
            }
        }
        let now = self.look(link, world);
        let mut s = lock(&self.state);
        if now.level == Level::Busy {
            (s.seen, s.reported) = (None, None);
            drop(s);
            self.watch.store(!world.coord.is_idle(), SeqCst);
            return;
        }
        let settled = s.seen.replace(now) == Some(now);
        let report = settled && s.reported != Some(now);
        if report {
            s.reported = Some(now);
        }
        let watch = s.reported != Some(now);
        let round = s.round;
        drop(s);
        self.watch.store(watch || !world.coord.is_idle(), SeqCst);
        if report {
            self.up(link, Up::Idle { round, report: now });
        }
    }
}

impl Node {
    fn look(&self, link: &Link, world: &World) -> Report {
        let (sent, handled) = link.counts();
        let b = world.coord.lock();
        let waits = |r: &RankState| !b.is_running(r.slot as usize) || r.is_idle();
        let level = if b.is_unwinding() {
            // A checkpoint is being written, by a thread that is no worker's or looks like any rank's.
            Level::Busy
        } else if world.sched().is_over() {
            match lock(&self.state).ended {
                true => Level::Asleep,
                false => Level::Busy,
            }
        } else if world.sched().is_asleep() && !world.has_mail() {
            Level::Asleep
        } else if world.ranks().iter().all(waits) && !world.has_mail() {
            Level::Polling
        } else {
            Level::Busy
        };
        Report {
            level,
            parked: b.any_parked(),
            sent,
            handled,
        }
    }
}
