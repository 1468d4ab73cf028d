//! A blocking collective whose members are in several processes: what its last arriver here exchanges with the others.

use super::combine::Together;
use super::far::{has_lent, hash, places, read_part, write_part, Elsewhere, Keep, Places, Topic};
use super::lent::{Loans, To};
use super::meeting::{unsupported, All, Call, Crew, Meeting, Plan};
use crate::error::{fail, Class, Result};
use crate::group::Group;
use crate::wire::Reader;
use std::sync::atomic::Ordering::*;

/// Members in several processes.
pub(super) struct Far {
    places: Places,
    group: u64,
}

impl Meeting {
    /// The same in a job of several processes.
    #[cold]
    pub(super) fn take_part_apart<C: Call, W: Crew>(
        &self,
        crew: &W,
        out: &dyn Elsewhere,
        group: &Group,
        me: usize,
        all: &All<C>,
    ) {
        // Until nobody works any more.
        let mut keep = None;
        self.sync(crew, group, me, all, || {
            let (mut loans, mut together) = Default::default();
            let scratch = (&mut keep, &mut loans, &mut together);
            let brought = self.bring(all, out, group, me, scratch);
            if C::READ_AT_ONCE {
                self.settle(out, &mut loans);
            }
            let outcome = brought.and_then(|()| self.check(all, crew, me));
            let outcome = match (outcome, self.far.get()) {
                // The other processes' members do no share here.
                (Ok(Plan::Shares), Some(far)) if far.places.len() > 1 => Ok(Plan::Last),
                (Ok(Plan::Member(m)), Some(far)) if !far.is_here(out, m) => {
                    self.take_results(all, out, far, me, m).map(|()| Plan::Done)
                }
                (other, _) => other,
            };
            self.begin(all, outcome, me);
            self.settle(out, &mut loans);
        });
        if self.work(all, me) {
            if let (Plan::Member(m), Some(far)) = (self.plan(me), self.far.get()) {
                if m == me {
                    self.give_results(all, out, far);
                }
            }
            self.sync(crew, group, me, all, || {});
        }
        drop(keep);
    }

    fn topic(&self, far: &Far, phase: u32) -> Topic {
        Topic {
            id: self.name.0,
            tag: self.name.1,
            group: far.group,
            round: self.round.load(Relaxed),
            phase,
        }
    }

    /// Exchanges calls with the other processes that have members.
    fn bring<C: Call>(
        &self,
        all: &All<C>,
        out: &dyn Elsewhere,
        group: &Group,
        me: usize,
        (keep, loans, together): (&mut Option<Keep<C>>, &mut Loans, &mut Together),
    ) -> Result<()> {
        let far = self.far.get_or_init(|| Far {
            places: places(out, group),
            group: hash(group),
        });
        if far.places.len() == 1 {
            return Ok(());
        }
        if !C::APART {
            return unsupported(all.get(me).kind().name());
        }
        self.round.fetch_add(1, Relaxed);
        let topic = self.topic(far, 0);
        let here = far.at(out.here());
        if here.iter().all(|i| all.kind(*i) == all.kind(here[0])) {
            *together = C::together(all, here);
        }
        for (process, to) in far.places.iter().filter(|p| *p.0 != out.here()) {
            let to = To::lend(to, out.is_read_by(*process), together);
            let part = write_part(all, here, &to);
            loans.readers += usize::from(to.has_lent());
            out.bring(*process, topic, group, &part);
        }
        let keep = keep.insert(Keep::default());
        let elsewhere = far.places.len() - 1;
        let parts = out.brought(topic, group, &|i| self.entered(i), elsewhere);
        let lends = parts.iter().filter(|p| has_lent(&p.1));
        loans.lenders.extend(lends.map(|p| p.0));
        let read = |(process, bytes): &(u32, Box<[u8]>)| {
            keep.lender = out.memory_of(*process);
            read_part(all, far.at(*process), here, me, bytes, keep)
        };
        parts.iter().try_for_each(read)
    }

    fn settle(&self, out: &dyn Elsewhere, loans: &mut Loans) {
        if let Some(far) = self.far.get() {
            loans.settle(out, self.topic(far, 2));
        }
    }

    fn give_results<C: Call>(&self, all: &All<C>, out: &dyn Elsewhere, far: &Far) {
        for (process, to) in far.places.iter().filter(|p| *p.0 != out.here()) {
            if let Some(bytes) = C::results(all, to) {
                out.send(*process, self.topic(far, 1), &bytes);
            }
        }
    }

    fn take_results<C: Call>(
        &self,
        all: &All<C>,
        out: &dyn Elsewhere,
        far: &Far,
        me: usize,
        member: usize,
    ) -> Result<()> {
        debug_assert!(!far.is_here(out, member));
        if !all.get(me).gives() {
            return Ok(());
        }
        let here = far.at(out.here());
        let parts = out.receive(self.topic(far, 1), 1);
        let accept = |(_, bytes): &(u32, Box<[u8]>)| C::accept(all, here, &mut Reader(bytes));
        let done = parts.iter().try_for_each(accept);
        done.or_else(|e| fail(Class::ERR_INTERN, e.to_string()))
    }
}

impl Far {
    fn at(&self, process: u32) -> &[usize] {
        self.places.get(&process).map_or(&[], |v| v)
    }

    fn is_here(&self, out: &dyn Elsewhere, member: usize) -> bool {
        self.at(out.here()).contains(&member)
    }
}
