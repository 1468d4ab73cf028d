//! Distributed graph topologies (MPI 3.1 section 7.5.4): each rank knows its own edges.

use crate::coll::far::Keep;
use crate::coll::meeting::{All, Call, Crew, Kind, Plan};
use crate::comm::Comm;
use crate::error::{fail, Class, Result};
use crate::wire::{Read, Reader, Writer};
use std::cell::RefCell;

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

struct Edges<'a> {
    list: &'a [Edge],
    weighted: bool,
    mine: RefCell<Dist>,
}

impl Call for Edges<'_> {
    fn kind(&self) -> Kind {
        Kind::DistGraphCreate
    }
    fn plan(all: &All<Self>, _: usize) -> Result<Plan> {
        let weighted = all.get(0).weighted;
        if all.iter().any(|c| c.weighted != weighted) {
            return fail(
                Class::ERR_ARG,
                "MPI_UNWEIGHTED must be given by all members or by none",
            );
        }
        Ok(Plan::Last)
    }
    fn share(_: &All<Self>, _: usize) -> Result<()> {
        Ok(())
    }
    fn whole(all: &All<Self>, _: usize) {
        for c in all.iter().filter(|c| c.weighted) {
            c.mine.borrow_mut().weights = Some((Vec::new(), Vec::new()));
        }
        // By who named them, then in the order named: the same whatever the order of arrival.
        for (from, to, weight) in all.iter().flat_map(|c| c.list) {
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
    }
    const APART: bool = true;
    fn export(&self, _: usize, _: &[usize], w: &mut Writer) {
        w.u8(self.weighted.into());
        w.list(self.list.iter(), |w, (from, to, weight)| {
            w.u32(*from as u32);
            w.u32(*to as u32);
            w.i32(*weight);
        });
    }
    fn import(
        r: &mut Reader,
        _: usize,
        _: &[usize],
        _: &Self,
        keep: &mut Keep<Self>,
    ) -> Read<Self> {
        let weighted = r.u8()? != 0;
        let list = r.list(|r| Ok((r.u32()? as _, r.u32()? as _, r.i32()? as _)))?;
        Ok(Edges {
            list: keep.any(list),
            weighted,
            mine: RefCell::default(),
        })
    }
}

/// MPI_Dist_graph_create: edges that any member names; the caller's are returned.
pub fn collect<W: Crew>(crew: &W, comm: &Comm, list: &[Edge], weighted: bool) -> Result<Dist> {
    let call = Edges {
        list,
        weighted,
        mine: RefCell::default(),
    };
    comm.meeting
        .take_part(crew, &comm.group, comm.rank as usize, &call)?;
    Ok(call.mine.take())
}
