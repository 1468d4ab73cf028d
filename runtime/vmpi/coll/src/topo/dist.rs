//! Distributed graph topologies (MPI 3.1 section 7.5.4): each rank knows its own edges.

use crate::comm::Comm;
use crate::meeting::all::All;
use crate::meeting::call::{Call, Crew};
use crate::meeting::kind::{Algorithm, Kind};
use crate::remote::few::Addressed;
use crate::remote::kept::Keep;
use crate::remote::zero_copy::RemoteProcess;
use pc3_vmpi_core::world::World;
use pc3_vmpi_objects::error::{fail, Class, Result};
use pc3_vmpi_objects::wire::{Read, Reader, Writer};
use std::borrow::Cow;
use std::cell::{Cell, RefCell};

use super::order;

#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Dist {
    pub sources: Vec<i32>,
    pub dests: Vec<i32>,
    /// Of sources and of destinations.
    pub weights: Option<(Vec<i32>, Vec<i32>)>,
}

/// An edge that some member names: from, to, weight.
pub type Edge = (i32, i32, i32);

impl Dist {
    /// Checks what a rank says of its own edges.
    pub fn checked(self, size: usize) -> Result<Dist> {
        let inside = |r: &i32| usize::try_from(*r).is_ok_and(|r| r < size);
        if let Some(r) = self.sources.iter().chain(&self.dests).find(|r| !inside(r)) {
            return fail(
                Class::ERR_RANK,
                format!("a neighbour is rank {r} of {size} ranks"),
            );
        }
        let mut weights = self.weights.iter().flat_map(|(a, b)| a.iter().chain(b));
        match weights.find(|w| **w < 0) {
            Some(w) => fail(Class::ERR_ARG, format!("the weight of an edge is {w}")),
            None => Ok(self),
        }
    }
}

impl Dist {
    fn write(&self, w: &mut Writer) {
        let numbers = |w: &mut Writer, list: &[i32]| w.list(list.iter(), |w, n| w.i32(*n));
        numbers(w, &self.sources);
        numbers(w, &self.dests);
        w.u8(self.weights.is_some().into());
        if let Some((a, b)) = &self.weights {
            numbers(w, a);
            numbers(w, b);
        }
    }

    fn read(r: &mut Reader) -> Read<Dist> {
        let (sources, dests) = (r.list(Reader::i32)?, r.list(Reader::i32)?);
        let weights = match r.u8()? {
            0 => None,
            _ => Some((r.list(Reader::i32)?, r.list(Reader::i32)?)),
        };
        Ok(Dist {
            sources,
            dests,
            weights,
        })
    }
}

/// What a member says of the graph.
enum EdgesGiven<'a> {
    /// Any edges.
    Edges { list: &'a [Edge], weighted: bool },
    /// All edges of its own node.
    Own(Cow<'a, Dist>),
}

struct Edges<'a> {
    said: EdgesGiven<'a>,
    /// Where the member runs, if members may become other nodes.
    process: Option<u32>,
    /// The edges of the node that it becomes.
    node: Cell<u32>,
    mine: RefCell<Dist>,
}

impl<'a> Edges<'a> {
    fn new(said: EdgesGiven<'a>, process: Option<u32>) -> Edges<'a> {
        Edges {
            said,
            process,
            node: Cell::new(0),
            mine: RefCell::default(),
        }
    }

    fn weighted(&self) -> Option<bool> {
        match self.said {
            EdgesGiven::Edges { weighted, .. } => Some(weighted),
            EdgesGiven::Own(_) => None,
        }
    }
}

/// Members become nodes whose neighbours run where theirs do.
fn reorder(all: &All<Edges>, processes: &[u32]) {
    let mut lists: Vec<Dist> = all.iter().map(|c| c.mine.take()).collect();
    let edges = lists.iter().enumerate().flat_map(|(node, d)| {
        let weight = |i: usize| d.weights.as_ref().and_then(|w| w.1.get(i).copied());
        let each = d.dests.iter().enumerate();
        each.map(move |(i, to)| (node as i32, *to, weight(i).unwrap_or(1)))
    });
    let graph = order::graph(all.len(), edges);
    for (node, seat) in order::seats(&graph, processes).into_iter().enumerate() {
        let member = all.get(seat as usize);
        member.node.set(node as u32);
        member.mine.replace(std::mem::take(&mut lists[node]));
    }
}

impl Call for Edges<'_> {
    fn kind(&self) -> Kind {
        match self.said {
            EdgesGiven::Edges { .. } => Kind::DistGraphEdges,
            EdgesGiven::Own(_) => Kind::DistGraphOrder,
        }
    }
    fn algorithm(all: &All<Self>, _: usize) -> Result<Algorithm> {
        let first = all.get(0);
        if all.iter().any(|c| c.weighted() != first.weighted()) {
            return fail(
                Class::ERR_ARG,
                "MPI_UNWEIGHTED must be given by all members or by none",
            );
        }
        if all
            .iter()
            .any(|c| c.process.is_some() != first.process.is_some())
        {
            return fail(
                Class::ERR_ARG,
                "reordering must be asked for by all members or by none",
            );
        }
        Ok(Algorithm::Last)
    }
    fn share(_: &All<Self>, _: usize) -> Result<()> {
        Ok(())
    }
    fn whole(all: &All<Self>, _: usize) {
        for (i, c) in all.iter().enumerate() {
            c.node.set(i as u32);
            let mut mine = c.mine.borrow_mut();
            match &c.said {
                EdgesGiven::Own(dist) => *mine = dist.clone().into_owned(),
                EdgesGiven::Edges { weighted: true, .. } => mine.weights = Some(Default::default()),
                EdgesGiven::Edges { .. } => {}
            }
        }
        let named = all.iter().flat_map(|c| match &c.said {
            EdgesGiven::Edges { list, .. } => *list,
            EdgesGiven::Own(_) => &[],
        });
        // By who named them, then in the order named: the same whatever the order of arrival.
        for (from, to, weight) in named {
            let mut d = all.get(*from as usize).mine.borrow_mut();
            d.dests.push(*to);
            if let Some(w) = &mut d.weights {
                w.1.push(*weight);
            }
            drop(d);
            let mut d = all.get(*to as usize).mine.borrow_mut();
            d.sources.push(*from);
            if let Some(w) = &mut d.weights {
                w.0.push(*weight);
            }
        }
        let processes: Option<Vec<u32>> = all.iter().map(|c| c.process).collect();
        if let Some(processes) = processes {
            reorder(all, &processes);
        }
    }
    const APART: bool = true;
    fn addressed(_: &All<Self>, _: &[usize]) -> Option<Addressed> {
        Some(Addressed::Nobody)
    }

    fn export(&self, _: usize, _: &RemoteProcess, w: &mut Writer) {
        w.u8(self.process.is_some().into());
        w.u32(self.process.unwrap_or(0));
        match &self.said {
            EdgesGiven::Edges { list, weighted } => {
                w.u8((*weighted).into());
                w.list(list.iter(), |w, (from, to, weight)| {
                    w.u32(*from as u32);
                    w.u32(*to as u32);
                    w.i32(*weight);
                });
            }
            EdgesGiven::Own(d) => d.write(w),
        }
    }
    fn import(
        r: &mut Reader,
        _: usize,
        _: &[usize],
        like: &Self,
        keep: &mut Keep<Self>,
    ) -> Read<Self> {
        let reorder = r.u8()? != 0;
        let process = Some(r.u32()?).filter(|_| reorder);
        let said = match like.said {
            EdgesGiven::Edges { .. } => {
                let weighted = r.u8()? != 0;
                let list = r.list(|r| Ok((r.u32()? as _, r.u32()? as _, r.i32()? as _)))?;
                let list = keep.any(list);
                EdgesGiven::Edges { list, weighted }
            }
            EdgesGiven::Own(_) => EdgesGiven::Own(Cow::Owned(Dist::read(r)?)),
        };
        Ok(Edges::new(said, process))
    }

    fn result(&self, _: usize, _: usize, w: &mut Writer) -> bool {
        w.u32(self.node.get());
        self.mine.borrow().write(w);
        true
    }

    fn put_result(&self, _: usize, _: usize, r: &mut Reader, _: &World) -> Read<()> {
        self.node.set(r.u32()?);
        self.mine.replace(Dist::read(r)?);
        Ok(())
    }
}

fn meet<W: Crew>(crew: &W, comm: &Comm, call: &Edges) -> Result<(u32, Dist)> {
    comm.meeting
        .take_part(crew, &comm.group, comm.rank as usize, call)?;
    Ok((call.node.get(), call.mine.take()))
}

/// MPI_Dist_graph_create: edges that any member names.  The node that the caller becomes, and its edges.  `process`: where
/// the caller runs, if members may become other nodes than those of their ranks.
pub fn collect<W: Crew>(
    crew: &W,
    comm: &Comm,
    list: &[Edge],
    weighted: bool,
    process: Option<u32>,
) -> Result<(u32, Dist)> {
    let said = EdgesGiven::Edges { list, weighted };
    meet(crew, comm, &Edges::new(said, process))
}

/// Likewise, where each member knows the edges of the node with its rank.
pub fn exchange<W: Crew>(crew: &W, comm: &Comm, own: &Dist, process: u32) -> Result<(u32, Dist)> {
    meet(
        crew,
        comm,
        &Edges::new(EdgesGiven::Own(Cow::Borrowed(own)), Some(process)),
    )
}
