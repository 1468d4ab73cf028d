//! Post, start, complete, wait (MPI 4.1 section 12.5.2), and the waiting for locks.

use std::sync::atomic::{fence, Ordering::SeqCst};

use pc3_vmpi_core::poll::poll;
use pc3_vmpi_core::rank::RankState;
use pc3_vmpi_objects::error::{fail, Class, Result};
use pc3_vmpi_objects::group::Group;
use pc3_vmpi_objects::wire::Writer;

use crate::epochs::{Access, Held};
use crate::locks::Wish;
use crate::remote::ask::{ask, say, Question};
use crate::remote::{write_wish, COMPLETE, LOCK, POST, UNLOCK};
use crate::signals::Signals;
use crate::window::Window;

impl Window {
    /// The members that a group names, ascending.
    fn within(&self, group: &Group) -> Result<Vec<u32>> {
        let member = |r: &u32| self.group.rank_of(*r);
        let found: Option<Vec<u32>> = group.ranks().iter().map(member).collect();
        let Some(mut list) = found else {
            return fail(Class::ERR_GROUP, "a rank of the group is not in the window");
        };
        list.sort_unstable();
        Ok(list)
    }

    /// Tells a member something: `verb` if it is in another process.
    fn signal(&self, me: &RankState, member: u32, verb: i32, tell: impl FnOnce(&mut Signals)) {
        let to = &self.shared.members()[member as usize];
        let Some(process) = to.elsewhere() else {
            tell(&mut to.signals());
            let from = Some(me.worker());
            return self.shared.wake(me.world(), member as usize, from);
        };
        let mut w = Writer::default();
        w.u32(member);
        w.u32(self.rank);
        say(me.world(), process, self.shared.name(), (verb, &w.0));
    }

    /// Waits for news of this member, until `ready`.
    fn wait_until(&self, me: &RankState, ready: impl Fn() -> bool) {
        let what = self.shared.news(self.rank as usize);
        while !ready() {
            me.wait_on(what, &ready);
        }
    }

    pub fn post(&mut self, me: &RankState, group: &Group) -> Result<()> {
        self.epochs.exposable()?;
        let origins = self.within(group)?;
        for origin in &origins {
            self.signal(me, *origin, POST, |s| s.posted(self.rank));
        }
        self.epochs.exposed = Some(origins.len() as u32);
        Ok(())
    }

    pub fn start(&mut self, me: &RankState, group: &Group) -> Result<()> {
        self.epochs.accessible()?;
        let targets = self.within(group)?;
        for target in &targets {
            self.wait_until(me, || {
                let posts = &self.member().signals().posts;
                posts.iter().any(|p| p.0 == *target)
            });
            self.member().signals().take_post(*target);
        }
        self.epochs.access = Access::Started(targets);
        Ok(())
    }

    pub fn complete(&mut self, me: &RankState) -> Result<()> {
        let Access::Started(targets) = &self.epochs.access else {
            return fail(Class::ERR_RMA_SYNC, "there was no MPI_Win_start");
        };
        for target in targets {
            self.signal(me, *target, COMPLETE, |s| s.completed += 1);
        }
        self.epochs.access = Access::Nothing;
        Ok(())
    }

    fn exposed(&self) -> Result<u32> {
        match self.epochs.exposed {
            Some(n) => Ok(n),
            None => fail(Class::ERR_RMA_SYNC, "there was no MPI_Win_post"),
        }
    }

    /// All members of the group have completed: the exposure ends.
    fn close(&mut self, n: u32) {
        self.member().signals().completed -= n;
        self.epochs.exposed = None;
    }

    pub fn wait(&mut self, me: &RankState) -> Result<()> {
        let n = self.exposed()?;
        self.wait_until(me, || self.member().signals().completed >= n);
        self.close(n);
        Ok(())
    }

    pub fn test(&mut self, me: &RankState) -> Result<bool> {
        let n = self.exposed()?;
        if self.member().signals().completed < n {
            poll(me);
        }
        let done = self.member().signals().completed >= n;
        if done {
            self.close(n);
        }
        Ok(done)
    }

    /// Asks for a lock of members of another process.
    fn ask(&self, me: &RankState, process: u32, verb: i32, wish: &Wish) -> Question {
        let mut w = Writer::default();
        write_wish(&mut w, wish);
        ask(me, process, self.shared.name(), (verb, &w.0))
    }

    /// Of members here.
    fn acquire(&self, me: &RankState, wish: Wish) {
        let taken = self.shared.locks().ask(wish);
        if !taken {
            self.wait_until(me, || !self.shared.locks().waits(&wish));
        }
    }

    fn release(&self, me: &RankState, wish: &Wish) {
        let granted = self.shared.locks().release(wish);
        let name = self.shared.name();
        self.shared
            .grant(me.world(), name, granted, Some(me.worker()));
        // Who locks again and again lets others have their turn.
        poll(me);
    }

    fn wish(&self, target: Option<usize>, exclusive: bool) -> Wish {
        Wish {
            origin: self.rank as usize,
            target,
            exclusive,
            from: None,
        }
    }

    fn process_of(&self, target: usize) -> Option<u32> {
        self.shared.members()[target].elsewhere()
    }

    pub fn lock(&mut self, me: &RankState, target: usize, exclusive: bool) -> Result<()> {
        self.epochs.lockable(target)?;
        let wish = self.wish(Some(target), exclusive);
        match self.process_of(target) {
            None => self.acquire(me, wish),
            Some(process) => {
                self.ask(me, process, LOCK, &wish).answer(me)?;
            }
        }
        self.epochs.locked(Held { target, exclusive });
        Ok(())
    }

    pub fn unlock(&mut self, me: &RankState, target: usize) -> Result<()> {
        let held = self.epochs.unlocked(target)?;
        let wish = self.wish(Some(target), held.exclusive);
        match self.process_of(target) {
            None => self.release(me, &wish),
            // Behind what was sent.
            Some(process) => {
                self.sent.retain(|s| s.0 != process);
                self.ask(me, process, UNLOCK, &wish).answer(me)?;
                poll(me);
            }
        }
        Ok(())
    }

    pub fn lock_all(&mut self, me: &RankState) -> Result<()> {
        self.epochs.accessible()?;
        let wish = self.wish(None, false);
        let (before, behind): (Vec<u32>, Vec<u32>) = {
            let all = self.shared.processes();
            all.into_iter().partition(|p| *p < me.world().index())
        };
        // All members do so in the same order.
        let lock = |w: &Self, p: u32| w.ask(me, p, LOCK, &wish).answer(me).map(|_| ());
        before.into_iter().try_for_each(|p| lock(self, p))?;
        self.acquire(me, wish);
        behind.into_iter().try_for_each(|p| lock(self, p))?;
        self.epochs.access = Access::All;
        Ok(())
    }

    pub fn unlock_all(&mut self, me: &RankState) -> Result<()> {
        if self.epochs.access != Access::All {
            return fail(Class::ERR_RMA_SYNC, "there was no MPI_Win_lock_all");
        }
        self.epochs.access = Access::Nothing;
        let wish = self.wish(None, false);
        self.sent.clear();
        let all = self.shared.processes().into_iter();
        let questions: Vec<_> = all.map(|p| self.ask(me, p, UNLOCK, &wish)).collect();
        for question in questions {
            question.answer(me)?;
        }
        self.release(me, &wish);
        Ok(())
    }

    /// What was sent is done when this returns.  Others get a turn, as who calls this again and again may wait for them.
    pub fn flush(&mut self, me: &RankState, target: Option<usize>) -> Result<()> {
        self.epochs.is_passive(target)?;
        match target.map(|t| self.process_of(t)) {
            // All of it.
            None => self.settle(me, None)?,
            Some(None) => {}
            Some(process) => self.settle(me, process)?,
        }
        self.sync(me);
        Ok(())
    }

    /// Buffers are the program's again when an operation returns.
    pub fn flush_local(&self, me: &RankState, target: Option<usize>) -> Result<()> {
        self.epochs.is_passive(target)?;
        self.sync(me);
        Ok(())
    }

    pub fn sync(&self, me: &RankState) {
        fence(SeqCst);
        poll(me);
    }
}
