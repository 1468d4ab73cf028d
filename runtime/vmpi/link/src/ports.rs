//! Ports, where groups of ranks that have no communicator in common find each other, and the names under which ports are
//! published.  They belong to the job: each process has all of them (`link::total_order`); a checkpoint has them with the ranks
//! that opened and published them.

use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};
use std::sync::Mutex;

use pc3_runtime::peers::Peers;

use crate::post::lock;

use pc3_vmpi_coll::comm::inter::LedGroup;
use pc3_vmpi_core::world::World;
use pc3_vmpi_objects::error::{fail, Class, Result};
use pc3_vmpi_objects::wire::{bad, Read, Reader, Writer};

#[derive(Default)]
pub struct Ports {
    known: Mutex<OpenPorts>,
    /// For leaders here who wait at a port, until they look.
    answers: Mutex<HashMap<u32, Result<LedGroup>>>,
}

#[derive(Default)]
struct OpenPorts {
    open: BTreeMap<String, Port>,
    names: BTreeMap<String, Name>,
}

struct Port {
    owner: u32,
    /// Leaders who accept, and who connect: one of both is empty.
    waiting: [VecDeque<(u32, LedGroup)>; 2],
}

struct Name {
    port: String,
    owner: u32,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    Accepts,
    Connects,
}

/// What a rank does that others may see.
#[derive(Clone, PartialEq, Debug)]
pub enum Change {
    Open(String),
    Close(String),
    Publish {
        service: String,
        port: String,
    },
    Unpublish(String),
    /// A leader waits at a port for one of the other kind.
    Meet {
        port: String,
        role: Role,
        side: LedGroup,
    },
}

fn no_port<T>(name: &str) -> Result<T> {
    fail(Class::ERR_PORT, format!("there is no open port '{name}'"))
}

fn not_published<T>(class: Class, service: &str) -> Result<T> {
    fail(class, format!("'{service}' is not published"))
}

/// What leaders who wait are told.
type Answers = Vec<(u32, Result<LedGroup>)>;

impl OpenPorts {
    fn open(&mut self, name: String, owner: u32) {
        let waiting = Default::default();
        self.open.insert(name, Port { owner, waiting });
    }

    fn apply(&mut self, rank: u32, change: Change) -> Result<Answers> {
        match change {
            Change::Open(name) => self.open(name, rank),
            Change::Close(name) => {
                let Some(port) = self.open.remove(&name) else {
                    return no_port(&name);
                };
                // Whoever waits there waits in vain.
                let left = port.waiting.into_iter().flatten();
                let closed = || fail(Class::ERR_PORT, "the port was closed");
                return Ok(left.map(|(rank, _)| (rank, closed())).collect());
            }
            Change::Publish { service, port } => {
                if self.names.contains_key(&service) {
                    let text = format!("'{service}' is published already");
                    return fail(Class::ERR_SERVICE, text);
                }
                self.names.insert(service, Name { port, owner: rank });
            }
            Change::Unpublish(service) => {
                if self.names.remove(&service).is_none() {
                    return not_published(Class::ERR_SERVICE, &service);
                }
            }
            Change::Meet { port, role, side } => {
                let Some(at) = self.open.get_mut(&port) else {
                    return no_port(&port);
                };
                let (mine, theirs) = match role {
                    Role::Accepts => (0, 1),
                    Role::Connects => (1, 0),
                };
                match at.waiting[theirs].pop_front() {
                    Some((other, its)) => return Ok(vec![(other, Ok(side)), (rank, Ok(its))]),
                    None => at.waiting[mine].push_back((rank, side)),
                }
            }
        }
        Ok(Vec::new())
    }
}

impl Ports {
    /// In this process: leaders here are told what becomes of them.
    pub fn apply(&self, world: &World, rank: u32, change: Change) -> Result<()> {
        let answers = lock(&self.known).apply(rank, change)?;
        let here = |a: &(u32, _)| world.local(a.0).is_some();
        for (rank, answer) in answers.into_iter().filter(here) {
            lock(&self.answers).insert(rank, answer);
            world.wake(None, rank);
        }
        Ok(())
    }

    pub fn look_up(&self, service: &str) -> Result<String> {
        match lock(&self.known).names.get(service) {
            Some(name) => Ok(name.port.clone()),
            None => not_published(Class::ERR_NAME, service),
        }
    }

    /// What a leader here has been told.
    pub(crate) fn answer(&self, rank: u32) -> Option<Result<LedGroup>> {
        lock(&self.answers).remove(&rank)
    }

    /// Has a rank opened or published anything?
    pub fn any(&self, owner: u32) -> bool {
        let known = lock(&self.known);
        known.open.values().any(|p| p.owner == owner)
            || known.names.values().any(|n| n.owner == owner)
    }

    /// What a rank has opened and published.
    pub fn write(&self, owner: u32, w: &mut Writer) {
        let known = lock(&self.known);
        let mine: Vec<&String> = known
            .open
            .iter()
            .filter(|p| p.1.owner == owner)
            .map(|p| p.0)
            .collect();
        w.list(mine.into_iter(), |w, name| w.str(name));
        let names: Vec<_> = known.names.iter().filter(|n| n.1.owner == owner).collect();
        w.list(names.into_iter(), |w, (service, n)| {
            w.str(service);
            w.str(&n.port);
        });
    }

    pub fn read(&self, owner: u32, r: &mut Reader) -> Read<()> {
        let mut known = lock(&self.known);
        for name in r.list(Reader::str)? {
            known.open(name, owner);
        }
        for (service, port) in r.list(|r| Ok((r.str()?, r.str()?)))? {
            known.names.insert(service, Name { port, owner });
        }
        Ok(())
    }

    /// Ranks here have come from a checkpoint, as others in other processes: all learn what they have.
    pub fn share(&self, peers: &dyn Peers) -> Read<()> {
        let owners: BTreeSet<u32> = {
            let known = lock(&self.known);
            let ports = known.open.values().map(|p| p.owner);
            ports.chain(known.names.values().map(|n| n.owner)).collect()
        };
        let mut w = Writer::default();
        w.list(owners.into_iter(), |w, owner| {
            w.u32(owner);
            self.write(owner, w);
        });
        let parts = peers.gather(&w.0);
        let mut w = Writer::default();
        w.list(parts.iter(), |w, part| w.bytes(part));
        let all = peers.spread(&w.0);
        for part in Reader(&all).list(Reader::bytes)? {
            Reader(part).list(|r| {
                let owner = r.u32()?;
                self.read(owner, r)
            })?;
        }
        Ok(())
    }
}

impl Change {
    pub fn write(&self, w: &mut Writer) {
        match self {
            Change::Open(name) => {
                w.u8(0);
                w.str(name);
            }
            Change::Close(name) => {
                w.u8(1);
                w.str(name);
            }
            Change::Publish { service, port } => {
                w.u8(2);
                w.str(service);
                w.str(port);
            }
            Change::Unpublish(service) => {
                w.u8(3);
                w.str(service);
            }
            Change::Meet { port, role, side } => {
                w.u8(match role {
                    Role::Accepts => 4,
                    Role::Connects => 5,
                });
                w.str(port);
                side.write(w);
            }
        }
    }

    pub fn read(r: &mut Reader) -> Read<Change> {
        let role = match r.u8()? {
            0 => return Ok(Change::Open(r.str()?)),
            1 => return Ok(Change::Close(r.str()?)),
            2 => {
                let (service, port) = (r.str()?, r.str()?);
                return Ok(Change::Publish { service, port });
            }
            3 => return Ok(Change::Unpublish(r.str()?)),
            4 => Role::Accepts,
            5 => Role::Connects,
            _ => return bad("what is done with a port"),
        };
        let port = r.str()?;
        let side = LedGroup::read(r)?;
        Ok(Change::Meet { port, role, side })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pc3_vmpi_objects::group::Group;

    fn meet(role: Role, rank: u32) -> Change {
        let side = LedGroup {
            next_id: rank + 10,
            group: Group::new(vec![rank]),
        };
        let port = "p".to_owned();
        Change::Meet { port, role, side }
    }

    fn ids(answers: Result<Answers>) -> Vec<(u32, Option<u32>)> {
        let one = |(rank, side): (u32, Result<LedGroup>)| (rank, side.ok().map(|s| s.next_id));
        answers.into_iter().flatten().map(one).collect()
    }

    #[test]
    fn leaders_meet_in_the_order_in_which_they_come() {
        let mut known = OpenPorts::default();
        assert!(known.apply(0, meet(Role::Accepts, 0)).is_err());
        assert_eq!(ids(known.apply(9, Change::Open("p".into()))), []);
        for rank in [1, 2, 3] {
            assert_eq!(ids(known.apply(rank, meet(Role::Connects, rank))), []);
        }
        for rank in [1, 2] {
            let both = [(rank, Some(14)), (4, Some(rank + 10))];
            assert_eq!(ids(known.apply(4, meet(Role::Accepts, 4))), both);
        }
        assert_eq!(ids(known.apply(5, Change::Close("p".into()))), [(3, None)]);
    }

    #[test]
    fn what_is_done_is_read_as_it_was_written() {
        for change in [
            Change::Open("a".into()),
            Change::Close("b".into()),
            Change::Unpublish("c".into()),
            meet(Role::Accepts, 3),
            meet(Role::Connects, 4),
        ] {
            let mut w = Writer::default();
            change.write(&mut w);
            assert_eq!(Change::read(&mut Reader(&w.0)).ok(), Some(change));
        }
    }
}
