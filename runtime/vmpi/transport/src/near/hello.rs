//! How processes find out which of them are on one machine and can share memory: each tells all others where it is and what it has made
//! for them, by the transport that has connected them; those of one machine tell each other whether they have found it.

use std::collections::BTreeMap;
use std::os::fd::RawFd;

use pc3_os::{clocks, processes};
use pc3_runtime::inherited;
use pc3_transport::Head;

use super::direct::{Direct, Process, Remote};
use super::peer::Peer;
use super::processors::{shares, Machine};
use super::relay::Relay;
use super::ring::{Receiver, Sender};
use super::segment::{Bell, OwnSegment, PeerSegment};
use crate::Wire;
use pc3_vmpi_sched::Processors;

/// Kinds of frames that nobody above knows.
const HELLO: u32 = 0xffff_ff01;
const READY: u32 = 0xffff_ff02;

/// `off`: processes of one machine are connected like those of several.
const SETTING: &str = "PC3_SHM";

/// The machine, as far as processes can see each other's descriptors: none of those of another container, nor
/// of another network, which a user may have made to be separate.
fn here() -> Option<String> {
    let (pid, net) = (processes::space("pid")?, processes::space("net")?);
    Some(format!("{} {pid} {net}", processes::boot()?))
}

fn nonce() -> u64 {
    let mut bytes = [0u8; 8];
    clocks::random(&mut bytes);
    u64::from_ne_bytes(bytes)
}

/// What another process says of itself.
struct Hello {
    machine: Option<Machine>,
    /// Empty: it shares no memory.
    here: String,
    fd: RawFd,
    process: Process,
}

/// What another process says when it has looked.
#[derive(Clone, Copy)]
struct Ready {
    /// It has found what this process has made.
    found: bool,
    /// It can read this process's memory.
    reads: bool,
}

/// What all know now.
pub(crate) struct Greeted {
    pub bell: Bell,
    pub peers: BTreeMap<u32, Peer>,
    pub direct: Direct,
}

/// What has been heard of the others.
struct Heard<'a> {
    wire: &'a Wire,
    relay: &'a Relay,
    hellos: BTreeMap<u32, Hello>,
    readies: BTreeMap<u32, Ready>,
}

/// Those that are connected by shared memory from now on, if this process has any, and its processors.  Called by
/// all processes, before anything else is sent.
pub(crate) fn greet(wire: &Wire, relay: &Relay) -> (Option<Greeted>, Processors) {
    let off = inherited::var_os(SETTING).is_some_and(|v| v == "off");
    let place = here().filter(|_| !off);
    let (me, count, nonce) = (wire.index(), wire.count(), nonce());
    let own = place
        .as_ref()
        .and_then(|_| OwnSegment::new(count, nonce).ok());
    // Nothing: this process shares no memory.
    let place = place.filter(|_| own.is_some()).unwrap_or_default();
    if own.is_some() {
        processes::let_read();
    }
    let machine = Machine::here();
    let text = format!("{}\n{place}", machine.to_text());
    let hello = Head {
        kind: HELLO,
        src: std::process::id(),
        from: own.as_ref().map_or(-1, OwnSegment::fd),
        id: nonce,
        token: own.as_ref().map_or(0, OwnSegment::address),
        len: text.len() as u64,
        ..Head::default()
    };
    for peer in wire.others() {
        wire.send(peer, &hello, text.as_bytes());
    }
    let mut heard = Heard {
        wire,
        relay,
        hellos: BTreeMap::new(),
        readies: BTreeMap::new(),
    };
    heard.until(|h, peer| h.hellos.contains_key(&peer));
    let is_here = |h: &Hello| !h.here.is_empty() && h.here == place;
    let mut found: BTreeMap<u32, (PeerSegment, Process, bool)> = BTreeMap::new();
    for (&peer, h) in heard.hellos.iter().filter(|(_, h)| is_here(h)) {
        let process = h.process;
        let theirs = PeerSegment::open(process.pid, h.fd, process.nonce, me, count).ok();
        let reads = theirs.is_some() && process.is_readable();
        let ready = Head {
            kind: READY,
            count: u64::from(theirs.is_some()),
            extra: u32::from(reads),
            ..Head::default()
        };
        wire.send(peer, &ready, &[]);
        found.extend(theirs.map(|t| (peer, (t, process, reads))));
    }
    heard.until(|h, peer| {
        h.readies.contains_key(&peer) || !h.hellos.get(&peer).is_some_and(is_here)
    });
    let said = heard.hellos.iter();
    let said = said.filter_map(|(p, h)| Some((*p, h.machine.clone()?)));
    let processors = shares(&said.chain([(me, machine)]).collect(), me);
    let Some(own) = own else {
        return (None, processors);
    };
    let mut peers = BTreeMap::new();
    let mut remotes = vec![None; count as usize];
    for (peer, (theirs, process, we_read)) in found {
        let Some(ready) = heard.readies.get(&peer).filter(|r| r.found) else {
            continue;
        };
        remotes[peer as usize] = Some(Remote {
            process,
            slots: theirs.slots,
            reads_ours: ready.reads,
            we_read,
        });
        let to = Sender::new(theirs.ring);
        let from = Receiver::new(own.ring(peer));
        peers.insert(peer, Peer::new(peer, to, from, theirs.bell));
    }
    let bell = own.bell();
    let greeted = (!peers.is_empty()).then(|| Greeted {
        bell,
        peers,
        direct: Direct::new(own.slots(), remotes),
    });
    (greeted, processors)
}

impl Heard<'_> {
    /// Waits until that is so of all that are still there.
    fn until(&mut self, done: impl Fn(&Self, u32) -> bool) {
        loop {
            self.take();
            let gone = |peer| self.relay.lost.borrow().iter().any(|l| l.0 == peer);
            let mut others = self.wire.others();
            if others.all(|peer| done(self, peer) || gone(peer)) {
                return;
            }
            if !self.wire.progress() {
                self.wire.wait(1000);
            }
        }
    }

    /// Takes what is for us out of what has come.
    fn take(&mut self) {
        self.relay.early.borrow_mut().retain(|(peer, head, body)| {
            match head.kind {
                HELLO => {
                    let text = String::from_utf8_lossy(body);
                    let (machine, here) = text.split_once('\n').unwrap_or_default();
                    let hello = Hello {
                        machine: Machine::from_text(machine),
                        here: here.to_owned(),
                        fd: head.from,
                        process: Process {
                            pid: head.src,
                            nonce: head.id,
                            at: head.token,
                        },
                    };
                    self.hellos.insert(*peer, hello);
                }
                READY => {
                    let ready = Ready {
                        found: head.count == 1,
                        reads: head.extra == 1,
                    };
                    self.readies.insert(*peer, ready);
                }
                _ => return true,
            }
            false
        });
    }
}
