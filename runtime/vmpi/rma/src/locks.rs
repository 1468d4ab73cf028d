//! Locks of a window's members (MPI 4.1 section 12.5.3), granted in the order in which they are asked for.

use std::collections::VecDeque;

/// What one member asks for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Wish {
    /// Who asks.
    pub origin: usize,
    /// `None`: all members, shared with others.
    pub target: Option<usize>,
    pub exclusive: bool,
    /// Of a member elsewhere: its process, and where it waits there.
    pub from: Option<(u32, u64)>,
}

impl Wish {
    /// Can it not be granted beside that one?
    fn conflicts(&self, other: &Wish) -> bool {
        let same = match (self.target, other.target) {
            (Some(a), Some(b)) => a == b,
            _ => true,
        };
        same && (self.exclusive || other.exclusive)
    }
}

#[derive(Clone, Copy, Default)]
struct Target {
    exclusive: bool,
    shared: u32,
}

pub(crate) struct Locks {
    targets: Box<[Target]>,
    /// Members that hold all.
    all: u32,
    /// Targets that are held exclusively.
    exclusive: u32,
    queue: VecDeque<Wish>,
}

impl Locks {
    pub(crate) fn new(members: usize) -> Locks {
        Locks {
            targets: vec![Target::default(); members].into(),
            all: 0,
            exclusive: 0,
            queue: VecDeque::new(),
        }
    }

    fn is_free(&self, wish: &Wish) -> bool {
        match wish.target.map(|t| self.targets[t]) {
            None => self.exclusive == 0,
            Some(t) if wish.exclusive => !t.exclusive && t.shared == 0 && self.all == 0,
            Some(t) => !t.exclusive,
        }
    }

    /// Takes it, whoever holds what: it was held before a restart.
    pub(crate) fn hold(&mut self, wish: &Wish) {
        match wish.target {
            None => self.all += 1,
            Some(t) if wish.exclusive => {
                self.targets[t].exclusive = true;
                self.exclusive += 1;
            }
            Some(t) => self.targets[t].shared += 1,
        }
    }

    /// Takes it if that is possible now, else who asks is in the queue.
    pub(crate) fn ask(&mut self, wish: Wish) -> bool {
        let behind = self.queue.iter().any(|w| w.conflicts(&wish));
        let now = !behind && self.is_free(&wish);
        match now {
            true => self.hold(&wish),
            false => self.queue.push_back(wish),
        }
        now
    }

    /// Is it still to be granted?
    pub(crate) fn waits(&self, wish: &Wish) -> bool {
        self.queue.contains(wish)
    }

    /// Gives it back; those who are granted theirs now.
    pub(crate) fn release(&mut self, wish: &Wish) -> Vec<Wish> {
        match wish.target {
            None => self.all -= 1,
            Some(t) if wish.exclusive => {
                self.targets[t].exclusive = false;
                self.exclusive -= 1;
            }
            Some(t) => self.targets[t].shared -= 1,
        }
        if self.queue.is_empty() {
            return Vec::new();
        }
        let mut granted = Vec::new();
        let waiting = std::mem::take(&mut self.queue);
        for wish in waiting {
            let behind = self.queue.iter().any(|w| w.conflicts(&wish));
            if !behind && self.is_free(&wish) {
                self.hold(&wish);
                granted.push(wish);
            } else {
                self.queue.push_back(wish);
            }
        }
        granted
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wish(origin: usize, target: Option<usize>, exclusive: bool) -> Wish {
        Wish {
            origin,
            target,
            exclusive,
            from: None,
        }
    }

    fn origins(granted: Vec<Wish>) -> Vec<usize> {
        granted.iter().map(|w| w.origin).collect()
    }

    #[test]
    fn they_are_granted_in_order() {
        let mut l = Locks::new(3);
        let (a, b) = (wish(0, Some(1), false), wish(1, Some(1), true));
        let (c, d) = (wish(2, Some(1), false), wish(0, Some(2), true));
        assert!(l.ask(a) && !l.ask(b) && !l.ask(c) && l.ask(d));
        assert_eq!(origins(l.release(&a)), [1]);
        assert!(l.waits(&c) && !l.waits(&b));
        assert_eq!(origins(l.release(&b)), [2]);
    }

    #[test]
    fn all_of_them_at_once() {
        let mut l = Locks::new(3);
        let (all, other) = (wish(0, None, false), wish(1, None, false));
        let one = wish(2, Some(0), true);
        assert!(l.ask(all) && l.ask(wish(1, Some(2), false)) && !l.ask(one) && !l.ask(other));
        assert_eq!(origins(l.release(&all)), [2]);
        assert_eq!(origins(l.release(&one)), [1]);
    }
}
