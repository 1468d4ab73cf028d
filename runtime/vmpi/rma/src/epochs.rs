//! Which operations and synchronisations may come next (MPI 4.1 section 12.5).
//!
//! ```text
//! access    nothing --fence--> fenced --fence--> fenced (with MPI_MODE_NOSUCCEED: nothing)
//!           nothing or fenced and not used --start--> started --complete--> nothing
//!                                          --lock---> locked  --unlock of the last--> nothing
//!                                          --lock_all-> all   --unlock_all--> nothing
//! exposure  none --post--> to so many --wait--> none
//! ```
//! A fence is both; it comes only where neither is open.

use std::borrow::Cow;

use pc3_vmpi_objects::error::{fail, Class, Result};

/// A lock that this member holds on one target.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Held {
    pub target: usize,
    pub exclusive: bool,
}

#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum Access {
    #[default]
    Nothing,
    Fenced {
        used: bool,
    },
    /// To these members, ascending.
    Started(Vec<u32>),
    Locked(Vec<Held>),
    /// By MPI_Win_lock_all.
    All,
}

/// Of one member.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Epochs {
    pub access: Access,
    /// So many members may access it, and have yet to complete.
    pub exposed: Option<u32>,
}

#[cold]
fn wrong<T>(why: impl Into<Cow<'static, str>>) -> Result<T> {
    fail(Class::ERR_RMA_SYNC, why)
}

impl Epochs {
    /// May it access this target?
    #[inline]
    pub(crate) fn reach(&mut self, target: usize) -> Result<()> {
        match &mut self.access {
            Access::All => Ok(()),
            Access::Fenced { used } => {
                *used = true;
                Ok(())
            }
            Access::Locked(held) if held.iter().any(|h| h.target == target) => Ok(()),
            Access::Started(group) if group.binary_search(&(target as u32)).is_ok() => Ok(()),
            Access::Locked(_) => wrong(format!("rank {target} of the window is not locked")),
            Access::Started(_) => wrong(format!(
                "rank {target} of the window is not in the group of MPI_Win_start"
            )),
            Access::Nothing => wrong("no epoch has been begun: neither MPI_Win_fence, MPI_Win_start, MPI_Win_lock nor MPI_Win_lock_all"),
        }
    }

    fn what(&self) -> Option<&'static str> {
        Some(match &self.access {
            Access::Started(_) => "the epoch of MPI_Win_start has not been completed",
            Access::Locked(_) => "ranks of the window are locked",
            Access::All => "the epoch of MPI_Win_lock_all has not been ended",
            Access::Nothing | Access::Fenced { .. } => self
                .exposed
                .map(|_| "the epoch of MPI_Win_post has not been ended")?,
        })
    }

    /// Before a fence, or before the window is freed: no other epoch is open.
    pub fn ended(&self) -> Result<()> {
        self.what().map_or(Ok(()), wrong)
    }

    /// Nothing has been done since the last fence, so that another kind of epoch may begin.
    fn unused(&self) -> Result<()> {
        match self.access {
            Access::Fenced { used: true } => {
                wrong("the epoch of MPI_Win_fence, in which there were operations, has not been ended by another one")
            }
            _ => Ok(()),
        }
    }

    /// Before an access epoch.
    pub(crate) fn accessible(&self) -> Result<()> {
        self.unused()?;
        match self.access {
            Access::Nothing | Access::Fenced { .. } => Ok(()),
            _ => wrong(self.what().unwrap_or_default()),
        }
    }

    /// Before an exposure epoch.
    pub(crate) fn exposable(&self) -> Result<()> {
        self.unused()?;
        match self.exposed {
            None => Ok(()),
            Some(_) => wrong("the epoch of MPI_Win_post has not been ended"),
        }
    }

    /// Before a lock.
    pub(crate) fn lockable(&self, target: usize) -> Result<()> {
        match &self.access {
            Access::Locked(held) if held.iter().any(|h| h.target == target) => {
                wrong(format!("rank {target} of the window is locked already"))
            }
            Access::Locked(_) => Ok(()),
            _ => self.accessible(),
        }
    }

    pub(crate) fn locked(&mut self, held: Held) {
        match &mut self.access {
            Access::Locked(list) => list.push(held),
            other => *other = Access::Locked(vec![held]),
        }
    }

    /// Takes a lock out.
    pub(crate) fn unlocked(&mut self, target: usize) -> Result<Held> {
        let Access::Locked(list) = &mut self.access else {
            return wrong(format!("rank {target} of the window is not locked"));
        };
        let Some(at) = list.iter().position(|h| h.target == target) else {
            return wrong(format!("rank {target} of the window is not locked"));
        };
        let held = list.swap_remove(at);
        if list.is_empty() {
            self.access = Access::Nothing;
        }
        Ok(held)
    }

    /// Before a flush of one target, or of all.
    pub(crate) fn is_passive(&self, target: Option<usize>) -> Result<()> {
        match (&self.access, target) {
            (Access::All, _) | (Access::Locked(_), None) => Ok(()),
            (Access::Locked(held), Some(t)) if held.iter().any(|h| h.target == t) => Ok(()),
            (_, Some(t)) => wrong(format!("rank {t} of the window is not locked")),
            (_, None) => wrong("no rank of the window is locked"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fence_that_nothing_followed_may_be_left() {
        let mut e = Epochs::default();
        assert!(e.reach(0).is_err());
        e.access = Access::Fenced { used: false };
        assert!(e.accessible().is_ok() && e.reach(3).is_ok());
        assert!(e.accessible().is_err() && e.exposable().is_err() && e.ended().is_ok());
    }

    #[test]
    fn locks_are_of_their_targets() {
        let mut e = Epochs::default();
        let held = |target| Held {
            target,
            exclusive: false,
        };
        e.locked(held(1));
        e.locked(held(4));
        assert!(e.reach(1).is_ok() && e.reach(2).is_err() && e.lockable(4).is_err());
        assert!(e.is_passive(Some(4)).is_ok() && e.is_passive(Some(0)).is_err());
        assert!(e.ended().is_err() && e.unlocked(0).is_err());
        assert_eq!(e.unlocked(1), Ok(held(1)));
        assert_eq!(e.unlocked(4), Ok(held(4)));
        assert_eq!(e, Epochs::default());
    }
}
