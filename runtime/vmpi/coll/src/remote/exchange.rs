//! A blocking collective whose members are in several processes: what its last arriver here exchanges with the others.

use super::elsewhere::{Elsewhere, Topic};
use super::few::{CallSignature, Few, Heard, Told};
use super::inline_collective::agree;
use super::kept::Keep;
use super::members::Members;
use super::parts::{has_lent, read_part, write_part};
use super::routed;
use super::tree::Tree;
use super::zero_copy::{Loans, RemoteProcess};
use crate::meeting::all::All;
use crate::meeting::call::{Call, Crew};
use crate::meeting::kind::Algorithm;
use crate::meeting::{unsupported, Meeting};
use crate::work::process_contribution::Contribution;
use pc3_protocol::Entries;
use pc3_vmpi_objects::error::{fail, Class, Result};
use pc3_vmpi_objects::group::Group;
use pc3_vmpi_objects::wire::{Read, Reader};
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
        let remote = self.members(out.world(), group);
        if remote.places.len() == 1 {
            return Ok(Brought::Calls);
        }
        if !C::APART {
            return unsupported(all.get(me).kind().name());
        }
        self.round.fetch_add(1, Relaxed);
        let topic = self.topic(remote, Topic::CALLS);
        let here = remote.at(out.world().index());
        let same = here.iter().all(|i| all.kind(*i) == all.kind(here[0]));
        let may_tell = same && !out.counts();
        let entered = |i| self.entered(i);
        let record = may_tell.then(|| C::record(all, here, remote)).flatten();
        if let Some(record) = record {
            let what = (topic, record);
            let told = match remote.tree.as_ref().filter(|_| !record.is_for_each()) {
                None => tell_each_other(all, out, remote, what, here),
                Some(tree) => tell_along(all, out, tree, what, (group, here)),
            };
            if let Some(others) = told {
                out.have_told(topic, group, &entered, &others);
                return Ok(Brought::Done);
            }
        }
        if same {
            *together = C::together(all, here);
        }
        let routed = match (record, &remote.tree) {
            (None, Some(tree)) if may_tell => {
                route(all, out, (remote, tree), (topic, group), together)
            }
            _ => None,
        };
        let parts = match routed {
            Some((parts, others)) => {
                out.have_told(topic, group, &entered, &others);
                parts.or_else(|e| fail(Class::ERR_INTERN, e.to_string()))?
            }
            None => {
                let what = (topic, here);
                self.bring_calls(all, out, remote, group, what, (&mut *loans, together))
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
            loans.settle(out, self.topic(remote, Topic::READ));
        }
    }

    fn give_results<C: Call>(&self, all: &All<C>, out: &dyn Elsewhere, remote: &Members) {
        for (process, to) in remote.places.iter().filter(|p| *p.0 != out.world().index()) {
            if let Some(bytes) = C::results(all, to) {
                out.send(*process, (self.topic(remote, Topic::RESULTS), None), &bytes);
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
        let parts = out.receive(self.topic(remote, Topic::RESULTS), 1);
        let accept = |(_, bytes): &(u32, Box<[u8]>)| C::accept(all, here, &mut Reader(bytes));
        let done = parts.iter().try_for_each(accept);
        done.or_else(|e| fail(Class::ERR_INTERN, e.to_string()))
    }
}

/// Tells the other processes what the calls here amount to, and does what comes of it once all have told the same: how their members
/// have entered.
fn tell_each_other<C: Call>(
    all: &All<C>,
    out: &dyn Elsewhere,
    remote: &Members,
    (topic, record): (Topic, CallSignature),
    here: &[usize],
) -> Option<Entries> {
    let mut own = Few::NONE;
    for (n, process) in remote.others.iter().enumerate() {
        if n == 0 || record.is_for_each() {
            own = Few::NONE;
            C::tell(all, here, remote.at(*process), &mut own);
        }
        out.tell(*process, topic, record, own.bytes());
    }
    let mut others = Vec::with_capacity(remote.others.len());
    let mut entries = Entries::default();
    if !out.hear(topic, &remote.others, &mut others, &mut entries) || !agree(&others, record) {
        return None;
    }
    let heard = Heard {
        places: &remote.places,
        order: &remote.order,
        own: &own,
        others: &others,
    };
    C::hear(all, here, &heard);
    Some(entries)
}

/// The same along the tree.
fn tell_along<C: Call>(
    all: &All<C>,
    out: &dyn Elsewhere,
    tree: &Tree,
    (topic, record): (Topic, CallSignature),
    (group, here): (&Group, &[usize]),
) -> Option<Entries> {
    let gather = |below: &[(u32, Told)]| C::gather(all, here, tree, below);
    let receiver = C::receiver(all, here);
    let to = receiver.map(|member| out.world().process_of(group.ranks()[member]));
    let pass = |below: usize, result: &[u8], send: &dyn Fn(&[u8])| match to {
        Some(to) if !tree.leads(below, to) => send(&[]),
        _ => send(result),
    };
    let (result, entries) = climb(out, tree, (topic, record), group, gather, pass)?;
    if receiver.is_none_or(|r| here.contains(&r)) {
        C::spread(all, here, result.bytes());
    }
    Some(entries)
}

/// Up when all below have told, down when all have: what has come of it, and how members elsewhere have entered.  `pass`: sends what of
/// it is for processes below.
fn climb(
    out: &dyn Elsewhere,
    tree: &Tree,
    (topic, record): (Topic, CallSignature),
    group: &Group,
    gather: impl FnOnce(&[(u32, Told)]) -> Vec<u8>,
    pass: impl Fn(usize, &[u8], &dyn Fn(&[u8])),
) -> Option<(Told, Entries)> {
    let mut entries = Entries::default();
    let mut hear = |from: &[u32]| {
        let mut told = Vec::with_capacity(from.len());
        let heard = out.hear(topic, from, &mut told, &mut entries);
        (heard && agree(&told, record)).then_some(told)
    };
    let own = gather(&hear(&tree.below)?);
    if out.counts() {
        // How members here have entered is said with their calls.
        return None;
    }
    let result = match tree.above {
        None => Told::own(record, own),
        Some(above) => {
            out.tell(above, topic, record, &own);
            hear(&[above])?.pop()?.1
        }
    };
    for (n, below) in tree.below.iter().enumerate() {
        let send = |given: &[u8]| out.pass(*below, (topic, record), group, given, &entries);
        pass(n, result.bytes(), &send);
    }
    Some((result, entries))
}

/// Calls that go along the tree as they are: what the others' are, and how their members have entered.
fn route<C: Call>(
    all: &All<C>,
    out: &dyn Elsewhere,
    (remote, tree): (&Members, &Tree),
    (topic, group): (Topic, &Group),
    together: &Contribution,
) -> Option<(Read<routed::Parts>, Entries)> {
    let own = out.world().index();
    let here = remote.at(own);
    let root = all.get(here[0]).root();
    let one_root = here.iter().all(|i| all.get(*i).root() == root);
    let addressed = C::addressed(all, here).filter(|_| one_root)?;
    let record = CallSignature::routed(all.kind(here[0]), root)?;
    let process = |member: usize| out.world().process_of(group.ranks()[member]);
    let gather = |below: &[(u32, Told)]| {
        let to = (addressed, process);
        let part = |members: &[usize]| {
            write_part(all, here, &RemoteProcess::lend(members, false, together))
        };
        let mut body = routed::write((remote, own), to, part);
        below
            .iter()
            .for_each(|b| body.extend_from_slice(b.1.bytes()));
        body
    };
    let pass = |below: usize, result: &[u8], send: &dyn Fn(&[u8])| {
        send(&routed::passed(result, |to| tree.leads(below, to)).unwrap_or_default());
    };
    let (result, entries) = climb(out, tree, (topic, record), group, gather, pass)?;
    Some((routed::parts(result.bytes(), remote, own), entries))
}
