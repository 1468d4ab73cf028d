//! What processes decide together is carried, and done here.

use std::fmt::{self, Write};
use std::sync::atomic::Ordering::*;
use std::sync::PoisonError;
use std::time::Instant;

use pc3_protocol::barrier::{Answer, Barrier};
use pc3_protocol::processes::{Act, FromLead, Participant, Ranks, ToLead};
use pc3_runtime::chaos;
use pc3_runtime::control::{set_flag, FLAG_ENGINE};
use pc3_runtime::report::{die, say, EXIT_DEADLOCK};
use pc3_transport::Head;

use super::control_frames::{read_down, read_up, write_down, write_up};
use super::node::{Event, Message, Node};
use super::polls::{self, Step};
use crate::kind::Kind;
use crate::link::Link;
use crate::messages::offers;
use crate::post::{fail, lock};
use pc3_vmpi_core::coord::{decide, standing};
use pc3_vmpi_core::deadlock;
use pc3_vmpi_core::p2p::{all_poll, release_held};
use pc3_vmpi_core::rank::RankState;
use pc3_vmpi_core::world::World;
use pc3_vmpi_objects::wire::Reader;

impl Node {
    /// Is something decided that should not wait for the next long nap to end?
    pub fn watches(&self) -> bool {
        self.watch.load(SeqCst)
    }

    fn up(&self, link: &Link, up: ToLead) {
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
    fn down(&self, link: &Link, list: Vec<FromLead>) {
        for down in list {
            if let (FromLead::End { .. }, Some(world)) = (&down, link.world()) {
                world.epoch.end(world);
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
            Err(e) => fail(&format!("internal error: {e}")),
        }
    }

    #[inline]
    pub(crate) fn has_own(&self) -> bool {
        self.any_own.load(Relaxed)
    }

    /// What this process has said to itself; true if that was anything.
    pub(crate) fn handle_own(&self, link: &Link) -> bool {
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
            Message::Count => {
                let list = lock(&self.lead).count();
                self.down(link, list);
            }
            Message::Down(down) => {
                if let Some(world) = link.world() {
                    self.obey(link, world, down);
                }
            }
            Message::Act(act) => {
                if let Some(world) = link.world() {
                    self.act(link, world, act);
                }
            }
        }
    }

    fn obey(&self, link: &Link, world: &World, down: FromLead) {
        if let FromLead::Plan { .. } = down {
            self.watch.store(true, SeqCst);
        }
        let last = matches!(down, FromLead::Stuck { .. }) && world.coord.lock().is_last_attempt();
        let who = match last {
            true => deadlock::describe_plan(world),
            false => String::new(),
        };
        let mut b = world.coord.lock();
        let mut part = lock(&self.part);
        let acts = part.hear(&mut b, down);
        let acts = self.act_at_once(link, world, acts, &who);
        drop(part);
        drop(b);
        acts.into_iter().for_each(|act| self.act(link, world, act));
    }

    /// What nobody here may be ahead of, while all that decides is locked; the rest is to be done after that.
    /// `who`: who waits where, for people, if the plan may be dropped.
    fn act_at_once(&self, link: &Link, world: &World, acts: Vec<Act>, who: &str) -> Vec<Act> {
        let mut rest = Vec::new();
        for act in acts {
            match act {
                Act::Say(up) => self.up(link, up),
                // What is due by itself moves on before anybody sees that nothing is planned.
                Act::Dropped { target } => decide::given_up(world, target, self.index, who),
                Act::Over => {
                    self.watch.store(false, SeqCst);
                    if self.index == 0 {
                        self.own(link, Message::Over);
                    }
                }
                later => rest.push(later),
            }
        }
        rest
    }

    fn act(&self, link: &Link, world: &World, act: Act) {
        match act {
            Act::Furthest => {
                let passage = decide::furthest_of_all(world);
                self.say(link, |part| Some(part.furthest(passage)));
            }
            Act::Planned => set_flag(FLAG_ENGINE),
            Act::Unwind => world.wake_all(),
            Act::Stay => self.tell(Event::Unwind),
            Act::Look { number } => {
                let frames = link.counts();
                let b = world.coord.lock();
                let ranks = ranks(link, world, &b);
                self.say(link, |part| Some(part.answer(&b, number, ranks, frames)));
            }
            Act::Relieve { polls } => {
                // Both: what is held here and what is held elsewhere.
                let free = !polls || all_poll(world);
                let any = free && release_held(world) | offers::relieve(link, world);
                self.say(link, |part| Some(part.relieved(polls, any)));
            }
            Act::Released(ranks) => decide::let_go(world, &ranks),
            // These are done already.
            Act::Say(_) | Act::Dropped { .. } | Act::Over => {}
            Act::Describe { polls } => {
                let text = match polls {
                    true => deadlock::describe_running(world),
                    false => deadlock::describe(world),
                };
                self.up(link, ToLead::Described { text });
            }
            Act::Deadlock { text } if self.index == 0 => {
                let text = format!(
                    "deadlock: every rank of every process waits and no message is under way\n{text}"
                );
                die(EXIT_DEADLOCK, text.trim_end());
            }
            Act::Polls { text } if self.index == 0 => say(polls::text(world, &text).trim_end()),
            Act::Count => {
                let stands = standing::stands(world);
                self.say(link, |part| Some(part.counted(stands)));
            }
            Act::Stands { stands } if self.index == 0 => {
                say(&standing::text(standing::patience(world), &stands));
            }
            // Process 0 says it.
            Act::Deadlock { .. } | Act::Polls { .. } | Act::Stands { .. } => {}
            Act::End { code } => self.tell(Event::End(code)),
        }
    }

    /// What this process's part says is sent before it says anything else.
    fn say(&self, link: &Link, what: impl FnOnce(&mut Participant) -> Option<ToLead>) {
        let mut part = lock(&self.part);
        if let Some(up) = what(&mut part) {
            self.up(link, up);
        }
    }

    fn tell(&self, event: Event) {
        lock(&self.events.0).push_back(event);
        self.events.1.notify_all();
    }

    /// What is decided, for people.
    pub fn sights(&self, out: &mut impl Write) -> fmt::Result {
        if let Ok(part) = self.part.try_lock() {
            writeln!(out, "  here: {part}")?;
        }
        match self.lead.try_lock() {
            Ok(lead) if self.index == 0 => writeln!(out, "  for all: {lead}"),
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

    /// A checkpoint is wanted, wherever ranks are.
    pub fn want(&self, link: &Link) {
        self.say(link, Participant::want);
    }

    /// A rank that has passed `passed` locations is at one where a checkpoint is wanted; true if that is planned now.
    pub fn wanted(&self, link: &Link, b: &mut Barrier, passed: u64, interval: u64) -> bool {
        let mut plans = false;
        self.say(link, |part| {
            let (planned, up) = part.wanted(b, passed, interval);
            plans = planned;
            up
        });
        plans
    }

    /// A rank is at a location, while something is planned.
    pub fn at_location(&self, link: &Link, b: &mut Barrier, rank: usize, passed: u64) -> Answer {
        let mut answer = Answer::Go;
        self.say(link, |part| {
            let (now, up) = part.at_location(b, rank, passed);
            answer = now;
            up
        });
        self.watch.store(true, SeqCst);
        answer
    }

    /// A rank has ended.
    pub fn finished(&self, link: &Link, b: &mut Barrier, rank: usize) {
        self.say(link, |part| part.finished(b, rank));
    }

    pub fn ended(&self, link: &Link, code: i32) {
        self.say(link, |part| Some(part.ended(code)));
    }

    /// The checkpoint is written, or could not be.  The barrier is locked until the ranks' next words are of the next
    /// round.
    pub fn resume(&self, link: &Link, world: &World, b: &mut Barrier) {
        let mut part = lock(&self.part);
        let acts = part.resume(b);
        for act in self.act_at_once(link, world, acts, "") {
            self.own(link, Message::Act(act));
        }
    }

    /// Nothing has come for a while.
    pub fn tick(&self, link: &Link) {
        let Some(world) = link.world() else { return };
        let Some(job) = world.job.get() else { return };
        if job.control.requested() && job.program.has_points {
            world.protocol.asked(world);
        }
        world.epoch.tick(world);
        if self.index == 0 {
            let still = lock(&self.lead).still();
            let overdue = world.coord.lock().is_overdue(job.patience);
            if overdue {
                self.own(link, Message::Count);
            }
            let patience = world.idle.patience();
            let step = lock(&self.watch_polls).step(still, patience, Instant::now());
            if step != Step::Nothing {
                self.own(link, Message::Polls(step));
            }
        }
        let frames = link.counts();
        let b = world.coord.lock();
        let ranks = ranks(link, world, &b);
        self.say(link, |part| part.tick(&b, ranks, frames));
        let watch = lock(&self.part).watches() || !b.is_idle();
        self.watch.store(watch, SeqCst);
    }
}

/// What the ranks here do.
fn ranks(link: &Link, world: &World, b: &Barrier) -> Ranks {
    let waits = |r: &RankState| !b.is_running(r.slot as usize) || r.is_idle();
    if world.sched().is_over() {
        Ranks::Over
    } else if !link.traffic.is_still() {
        // A body may have arrived, and its frame be handled, before the transport tells the sender that it is done with it.
        Ranks::Run
    } else if world.sched().is_asleep() && !world.has_mail() {
        Ranks::Wait
    } else if world.ranks().iter().all(waits) && !world.has_mail() {
        Ranks::Poll
    } else {
        Ranks::Run
    }
}
