//! Ports, where groups of ranks that have no communicator in common find each other, and the names under which ports are
//! published.  They belong to the job; a checkpoint has them with the ranks that opened and published them.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::comm::inter::Side;
use crate::error::{fail, Class, Result};
use crate::state::RankState;
use crate::wire::{Read, Reader, Writer};

#[derive(Default)]
pub(crate) struct Ports(Mutex<Known>);

#[derive(Default)]
struct Known {
    open: BTreeMap<String, Port>,
    names: BTreeMap<String, Name>,
}

struct Port {
    owner: u32,
    /// Leaders who accept, and who connect: one of both is empty.
    waiting: [VecDeque<Arc<Visit>>; 2],
}

/// A leader who waits for one of the other kind.
struct Visit {
    rank: u32,
    side: Side,
    other: Mutex<Option<Result<Side>>>,
}

struct Name {
    port: String,
    owner: u32,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    Accepts,
    Connects,
}

fn lock<T>(m: &Mutex<T>) -> MutexGuard<'_, T> {
    m.lock().unwrap_or_else(PoisonError::into_inner)
}

fn no_port<T>(name: &str) -> Result<T> {
    fail(Class::ERR_PORT, format!("there is no open port '{name}'"))
}

impl Ports {
    pub fn open(&self, me: &RankState) -> String {
        let o = me.objects();
        let name = format!("pc3-port-{}-{}", me.rank, o.ports);
        o.ports += 1;
        self.restore(&name, me.rank);
        name
    }

    fn restore(&self, name: &str, owner: u32) {
        let port = Port {
            owner,
            waiting: Default::default(),
        };
        lock(&self.0).open.insert(name.to_owned(), port);
    }

    /// Whoever waits there waits in vain.
    pub fn close(&self, me: &RankState, name: &str) -> Result<()> {
        let Some(port) = lock(&self.0).open.remove(name) else {
            return no_port(name);
        };
        for visit in port.waiting.into_iter().flatten() {
            *lock(&visit.other) = Some(fail(Class::ERR_PORT, "the port was closed"));
            me.wake(visit.rank);
        }
        Ok(())
    }

    /// Swaps sides with the next leader of the other kind that comes to the port.
    pub fn meet(&self, me: &RankState, name: &str, role: Role, side: Side) -> Result<Side> {
        let visit = {
            let mut known = lock(&self.0);
            let Some(port) = known.open.get_mut(name) else {
                return no_port(name);
            };
            let (mine, theirs) = match role {
                Role::Accepts => (0, 1),
                Role::Connects => (1, 0),
            };
            if let Some(other) = port.waiting[theirs].pop_front() {
                *lock(&other.other) = Some(Ok(side));
                me.wake(other.rank);
                return Ok(other.side.clone());
            }
            let visit = Arc::new(Visit {
                rank: me.rank,
                side,
                other: Mutex::new(None),
            });
            port.waiting[mine].push_back(visit.clone());
            visit
        };
        loop {
            if let Some(other) = lock(&visit.other).take() {
                return other;
            }
            me.block();
        }
    }

    pub fn publish(&self, service: &str, port: &str, owner: u32) -> Result<()> {
        let mut known = lock(&self.0);
        if known.names.contains_key(service) {
            let text = format!("'{service}' is published already");
            return fail(Class::ERR_SERVICE, text);
        }
        let port = port.to_owned();
        known.names.insert(service.to_owned(), Name { port, owner });
        Ok(())
    }

    pub fn unpublish(&self, service: &str) -> Result<()> {
        match lock(&self.0).names.remove(service) {
            Some(_) => Ok(()),
            None => fail(Class::ERR_SERVICE, format!("'{service}' is not published")),
        }
    }

    pub fn look_up(&self, service: &str) -> Result<String> {
        match lock(&self.0).names.get(service) {
            Some(name) => Ok(name.port.clone()),
            None => fail(Class::ERR_NAME, format!("'{service}' is not published")),
        }
    }

    /// Has a rank opened or published anything?
    pub fn any(&self, owner: u32) -> bool {
        let known = lock(&self.0);
        known.open.values().any(|p| p.owner == owner)
            || known.names.values().any(|n| n.owner == owner)
    }

    /// What a rank has opened and published.
    pub fn write(&self, owner: u32, w: &mut Writer) {
        let known = lock(&self.0);
        let open: Vec<&String> = known
            .open
            .iter()
            .filter(|p| p.1.owner == owner)
            .map(|p| p.0)
            .collect();
        w.list(open.into_iter(), |w, name| w.str(name));
        let names: Vec<_> = known.names.iter().filter(|n| n.1.owner == owner).collect();
        w.list(names.into_iter(), |w, (service, n)| {
            w.str(service);
            w.str(&n.port);
        });
    }

    pub fn read(&self, owner: u32, r: &mut Reader) -> Read<()> {
        for name in r.list(Reader::str)? {
            self.restore(&name, owner);
        }
        for (service, port) in r.list(|r| Ok((r.str()?, r.str()?)))? {
            let name = Name { port, owner };
            lock(&self.0).names.insert(service, name);
        }
        Ok(())
    }
}
