//! A blocking collective whose members are in several processes: what its last arriver here exchanges with the others.

use super::elsewhere::{Elsewhere, Topic};
use super::few::{Few, Heard, InlineCall};
use super::inline_collective::agree;
use super::kept::Keep;
use super::members::Members;
use super::parts::{has_lent, read_part, write_part};
use super::zero_copy::{Loans, RemoteProcess};
use crate::meeting::all::All;
use crate::meeting::call::{Call, Crew};
use crate::meeting::kind::Algorithm;
use crate::meeting::{unsupported, Meeting};
use crate::work::process_contribution::Contribution;
use pc3_vmpi_objects::error::{fail, Class, Result};
use pc3_vmpi_objects::group::Group;
use pc3_vmpi_objects::wire::Reader;
use std::sync::atomic::Ordering::*;

/// What has come of the exchange with other processes.
enum Brought {
    /// All calls are here.
    Calls,
    /// All that there is to do has been done.
    Done,
}

impl Meeting {
    /// The same in a job of several processes.
    #[cold]
    pub(crate) fn take_part_remote<C: Call, W: Crew>(
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
            let outcome = match brought {
                Ok(Brought::Done) => return self.begin(all, Ok(Algorithm::Done), me),
                Ok(Brought::Calls) => self.check(all, crew, me),
                Err(e) => Err(e),
            };
            let outcome = match (outcome, self.remote.get()) {
                // The other processes' members do no share here.
                (Ok(Algorithm::Shares), Some(remote)) if remote.places.len() > 1 => {
                    Ok(Algorithm::Last)
                }
                (Ok(Algorithm::Member(m)), Some(remote)) if !remote.is_here(out.world(), m) => self
                    .take_results(all, out, remote, me, m)
                    .map(|()| Algorithm::Done),
                (other, _) => other,
            };
            self.begin(all, outcome, me);
            self.settle(out, &mut loans);
        });
        if self.work(all, me) {
            if let (Algorithm::Member(m), Some(remote)) = (self.algorithm(me), self.remote.get()) {
                if m == me {
                    self.give_results(all, out, remote);
                }
            }
            self.sync(crew, group, me, all, || {});
        }
        drop(keep);
    }

    fn topic(&self, remote: &Members, phase: u32) -> Topic {
        Topic {
            id: self.name.0,
            tag: self.name.1,
            group: remote.group,
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
        (keep, loans, together): (&mut Option<Keep<C>>, &mut Loans, &mut Contribution),
    ) -> Result<Brought> {
        let remote = self.remote.get_or_init(|| Members::new(out.world(), group));
        if remote.places.len() == 1 {
            return Ok(Brought::Calls);
        }
        if !C::APART {
            return unsupported(all.get(me).kind().name());
        }
        self.round.fetch_add(1, Relaxed);
        let topic = self.topic(remote, 0);
        let here = remote.at(out.world().index());
        let entered = |i| self.entered(i);
        let same = here.iter().all(|i| all.kind(*i) == all.kind(here[0]));
        let record = (same && !out.counts()).then(|| C::record(all, here, remote.most));
        let parts = match record.flatten() {
            Some(record) => {
                let mut given = Few::NONE;
                for (n, process) in remote.others.iter().enumerate() {
                    if n == 0 || C::EACH {
                        given = Few::NONE;
                        C::tell(all, here, remote.at(*process), &mut given);
                    }
                    out.tell(*process, topic, record, given.bytes());
                }
                let mut told: Vec<(u32, InlineCall)> = Vec::with_capacity(remote.others.len());
                match out.heard(topic, group, &entered, &remote.others, &mut told) {
                    Some(parts) => parts,
                    None => {
                        let heard = Heard {
                            places: &remote.places,
                            order: &remote.order,
                            own: &given,
                            others: &told,
                        };
                        if agree::<C>(&heard, record) && C::hear(all, here, &heard) {
                            return Ok(Brought::Done);
                        }
                        told.iter().map(|t| (t.0, t.1.part())).collect()
                    }
                }
            }
            None => {
                if same {
                    *together = C::together(all, here);
                }
                self.bring_calls(
                    all,
                    out,
                    remote,
                    group,
                    (topic, here),
                    (&mut *loans, together),
                )
            }
        };
        let keep = keep.insert(Keep::default());
        let lends = parts.iter().filter(|p| has_lent(&p.1));
        loans.lenders.extend(lends.map(|p| p.0));
        let read = |(process, bytes): &(u32, Box<[u8]>)| {
            keep.lender = out.memory_of(*process);
            read_part(all, remote.at(*process), here, me, bytes, keep)
        };
        parts.iter().try_for_each(read).map(|()| Brought::Calls)
    }

    /// The same with the calls themselves; what the others bring.
    fn bring_calls<C: Call>(
        &self,
        all: &All<C>,
        out: &dyn Elsewhere,
        remote: &Members,
        group: &Group,
        (topic, here): (Topic, &[usize]),
        (loans, together): (&mut Loans, &Contribution),
    ) -> Vec<(u32, Box<[u8]>)> {
        for (process, to) in remote.places.iter().filter(|p| *p.0 != out.world().index()) {
            let to = RemoteProcess::lend(to, out.is_read_by(*process), together);
            let part = write_part(all, here, &to);
            loans.readers += usize::from(to.has_lent());
            out.bring(*process, topic, group, &part);
        }
        out.brought(topic, group, &|i| self.entered(i), remote.others.len())
    }

    fn settle(&self, out: &dyn Elsewhere, loans: &mut Loans) {
        if let Some(remote) = self.remote.get() {
            loans.settle(out, self.topic(remote, 2));
        }
    }

    fn give_results<C: Call>(&self, all: &All<C>, out: &dyn Elsewhere, remote: &Members) {
        for (process, to) in remote.places.iter().filter(|p| *p.0 != out.world().index()) {
            if let Some(bytes) = C::results(all, to) {
                out.send(*process, (self.topic(remote, 1), None), &bytes);
            }
        }
    }

    fn take_results<C: Call>(
        &self,
        all: &All<C>,
        out: &dyn Elsewhere,
        remote: &Members,
        me: usize,
        member: usize,
    ) -> Result<()> {
        debug_assert!(!remote.is_here(out.world(), member));
        if !all.get(me).gives() {
            return Ok(());
        }
        let here = remote.at(out.world().index());
        let parts = out.receive(self.topic(remote, 1), 1);
        let accept = |(_, bytes): &(u32, Box<[u8]>)| C::accept(all, here, &mut Reader(bytes));
        let done = parts.iter().try_for_each(accept);
        done.or_else(|e| fail(Class::ERR_INTERN, e.to_string()))
    }
}
