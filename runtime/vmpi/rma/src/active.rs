//! Post, start, complete, wait (MPI 4.1 section 12.5.2), and the waiting for locks.

use std::sync::atomic::{fence, Ordering::SeqCst};

use pc3_vmpi_core::poll::poll;
use pc3_vmpi_core::rank::RankState;
use pc3_vmpi_objects::error::{fail, Class, Result};
use pc3_vmpi_objects::group::Group;

use crate::epochs::{Access, Held};
use crate::locks::Wish;
use crate::shared::Member;
use crate::window::Window;

/// What who waits for news of a member waits on.
fn news(m: &Member) -> usize {
    std::ptr::from_ref(m) as usize
}

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

    fn wake(&self, me: &RankState, member: usize) {
        if let Some(rank) = self.group.world_rank(member) {
            let what = news(&self.shared.members()[member]);
            me.world().rank(rank).notify(what, Some(me.worker()));
        }
    }

    /// Waits for news of this member, until `ready`.
    fn wait_until(&self, me: &RankState, ready: impl Fn() -> bool) {
        let what = news(self.member());
        while !ready() {
            me.wait_on(what, &ready);
        }
    }

    pub fn post(&mut self, me: &RankState, group: &Group) -> Result<()> {
        self.epochs.exposable()?;
        let origins = self.within(group)?;
        for origin in &origins {
            self.shared.members()[*origin as usize]
                .signals()
                .posted(self.rank);
            self.wake(me, *origin as usize);
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
            self.shared.members()[*target as usize].signals().completed += 1;
            self.wake(me, *target as usize);
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

    fn acquire(&self, me: &RankState, wish: Wish) {
        let taken = self.shared.locks().ask(wish);
        if !taken {
            self.wait_until(me, || !self.shared.locks().waits(&wish));
        }
    }

    fn release(&self, me: &RankState, wish: &Wish) {
        let granted = self.shared.locks().release(wish);
        granted.into_iter().for_each(|m| self.wake(me, m));
        // Who locks again and again lets others have their turn.
        poll(me);
    }

    fn wish(&self, target: Option<usize>, exclusive: bool) -> Wish {
        Wish {
            origin: self.rank as usize,
            target,
            exclusive,
        }
    }

    pub fn lock(&mut self, me: &RankState, target: usize, exclusive: bool) -> Result<()> {
        self.epochs.lockable(target)?;
        self.acquire(me, self.wish(Some(target), exclusive));
        self.epochs.locked(Held { target, exclusive });
        Ok(())
    }

    pub fn unlock(&mut self, me: &RankState, target: usize) -> Result<()> {
        let held = self.epochs.unlocked(target)?;
        self.release(me, &self.wish(Some(target), held.exclusive));
        Ok(())
    }

    pub fn lock_all(&mut self, me: &RankState) -> Result<()> {
        self.epochs.accessible()?;
        self.acquire(me, self.wish(None, false));
        self.epochs.access = Access::All;
        Ok(())
    }

    pub fn unlock_all(&mut self, me: &RankState) -> Result<()> {
        if self.epochs.access != Access::All {
            return fail(Class::ERR_RMA_SYNC, "there was no MPI_Win_lock_all");
        }
        self.epochs.access = Access::Nothing;
        self.release(me, &self.wish(None, false));
        Ok(())
    }

    /// Everything is done already; others get a turn, as who calls this again and again may wait for them.
    pub fn flush(&self, me: &RankState, target: Option<usize>) -> Result<()> {
        self.epochs.is_passive(target)?;
        self.sync(me);
        Ok(())
    }

    pub fn sync(&self, me: &RankState) {
        fence(SeqCst);
        poll(me);
    }

    /// What this member held before a restart.
    pub fn hold_again(&self) {
        let mut locks = self.shared.locks();
        match &self.epochs.access {
            Access::All => locks.hold(&self.wish(None, false)),
            Access::Locked(held) => held
                .iter()
                .for_each(|h| locks.hold(&self.wish(Some(h.target), h.exclusive))),
            Access::Nothing | Access::Fenced { .. } | Access::Started(_) => {}
        }
    }
}
