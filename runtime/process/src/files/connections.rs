//! Sockets of the library that connects the processes.  It has some when the program starts, and makes others later: it
//! connects anew behind a connection that was reset, and its port takes connections from anybody.

use std::collections::BTreeSet;
use std::net::IpAddr;
use std::os::fd::RawFd;

use pc3_os::sockets::ends;

/// What connections are recognised by.
#[derive(Debug, Default)]
pub(super) struct Connections {
    /// Ports that were listened at.
    ports: BTreeSet<u16>,
    /// Machines that were connected.
    peers: BTreeSet<IpAddr>,
}

impl Connections {
    /// Of the sockets that are open now.
    pub(super) fn of(sockets: impl Iterator<Item = RawFd>) -> Connections {
        let mut all = Connections::default();
        for (own, peer) in sockets.filter_map(ends) {
            match peer {
                Some(peer) => {
                    all.peers.insert(peer.ip());
                }
                None => {
                    all.ports.insert(own.port());
                }
            }
        }
        all.ports.remove(&0);
        all
    }

    /// Does a socket that came later belong to them?  The program's own are known by their calls: they are not asked for.
    pub(super) fn have(&self, socket: RawFd) -> bool {
        ends(socket).is_some_and(|(own, peer)| {
            self.ports.contains(&own.port()) || peer.is_some_and(|p| self.peers.contains(&p.ip()))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::Connections;
    use std::net::{Ipv4Addr, TcpListener, TcpStream};
    use std::os::fd::AsRawFd;

    #[test]
    fn later_ones_are_known_by_port_and_machine() {
        let here = (Ipv4Addr::LOCALHOST, 0);
        let listens = TcpListener::bind(here).unwrap();
        let to = TcpStream::connect(listens.local_addr().unwrap()).unwrap();
        let (from, _) = listens.accept().unwrap();
        let none = Connections::default();
        let port = Connections::of([listens.as_raw_fd()].into_iter());
        let machine = Connections::of([to.as_raw_fd()].into_iter());
        assert!(!none.have(from.as_raw_fd()) && !none.have(to.as_raw_fd()));
        // What it accepts has its port; what it connects to has not.
        assert!(port.have(from.as_raw_fd()) && !port.have(to.as_raw_fd()));
        let other = TcpListener::bind(here).unwrap();
        let again = TcpStream::connect(other.local_addr().unwrap()).unwrap();
        assert!(machine.have(again.as_raw_fd()) && !machine.have(other.as_raw_fd()));
    }
}
