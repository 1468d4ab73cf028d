//! Making inter-communicators, and communicators from them (MPI 3.1 section 6.6).

use super::create::Made;
use super::{Comm, Remote};
use crate::coll::far::Keep;
use crate::coll::meeting::{All, Call, Crew, Kind, Meeting, Plan, Registry};
use crate::error::{fail, Class, MpiError, Result};
use crate::group::{Group, GroupRef};
use crate::wire::{Read, Reader, Writer};
use std::borrow::Cow;
use std::cell::{Cell, RefCell};

/// What the leaders of two groups tell one another.
#[derive(Clone, Debug)]
pub struct Side {
    pub next_id: u32,
    pub group: GroupRef,
}

/// A group learns what its leader knows: all of it, or only what the members' `next_id` add up to.
struct Tell {
    kind: Kind,
    leader: usize,
    next_id: u32,
    most: Cell<u32>,
    known: RefCell<Option<Result<Side>>>,
}

impl Call for Tell {
    fn kind(&self) -> Kind {
        self.kind
    }
    fn root(&self) -> usize {
        self.leader
    }
    fn plan(_: &All<Self>, _: usize) -> Result<Plan> {
        Ok(Plan::Last)
    }
    fn share(_: &All<Self>, _: usize) -> Result<()> {
        Ok(())
    }
    fn whole(all: &All<Self>, _: usize) {
        let most = all.iter().map(|c| c.next_id).max().unwrap_or(0);
        let known = all.get(all.get(0).leader).known.borrow().clone();
        for c in all.iter() {
            c.most.set(most);
            *c.known.borrow_mut() = known.clone();
        }
    }
    const APART: bool = true;
    fn export(&self, _: usize, _: &[usize], w: &mut Writer) {
        w.size(self.leader);
        w.u32(self.next_id);
        match &*self.known.borrow() {
            None => w.u8(0),
            Some(Ok(side)) => {
                w.u8(1);
                w.u32(side.next_id);
                w.list(side.group.ranks().iter(), |w, r| w.u32(*r));
            }
            Some(Err(e)) => {
                w.u8(2);
                w.i32(e.class.0);
                w.str(&e.detail);
            }
        }
    }
    fn import(
        r: &mut Reader,
        _: usize,
        _: &[usize],
        like: &Self,
        _: &mut Keep<Self>,
    ) -> Read<Self> {
        let (leader, next_id) = (r.size()?, r.u32()?);
        let known = match r.u8()? {
            0 => None,
            1 => Some(Ok(Side {
                next_id: r.u32()?,
                group: Group::new(r.list(Reader::u32)?),
            })),
            _ => Some(Err(MpiError::new(Class(r.i32()?), r.str()?))),
        };
        Ok(Tell {
            kind: like.kind,
            leader,
            next_id,
            most: Cell::new(0),
            known: RefCell::new(known),
        })
    }
}

/// MPI_Intercomm_create: `exchange`, which only the leader calls, swaps sides with the other leader.
pub fn create<W: Crew>(
    crew: &W,
    comm: &Comm,
    next_id: &mut u32,
    leader: usize,
    meetings: &Registry,
    exchange: impl FnOnce(Side) -> Result<Side>,
) -> Result<Made> {
    let meet = |next_id, known| -> Result<Tell> {
        let call = Tell {
            kind: Kind::IntercommCreate,
            leader,
            next_id,
            most: Cell::new(0),
            known: RefCell::new(known),
        };
        comm.meeting
            .take_part(crew, &comm.group, comm.rank as usize, &call)?;
        Ok(call)
    };
    let most = meet(*next_id, None)?.most.get();
    let known = (comm.rank as usize == leader).then(|| {
        exchange(Side {
            next_id: most,
            group: comm.group.clone(),
        })
    });
    let Some(other) = meet(0, known)?.known.take() else {
        return fail(Class::ERR_INTERN, "the leader knows nothing");
    };
    let other = other?;
    if let Some(both) = other
        .group
        .ranks()
        .iter()
        .find(|w| comm.group.rank_of(**w).is_some())
    {
        return fail(
            Class::ERR_COMM,
            format!("process {both} of MPI_COMM_WORLD belongs to both groups"),
        );
    }
    let id = most.max(other.next_id);
    *next_id = id + 1;
    let remote = Remote::new(&comm.group, other.group);
    Ok(Made {
        id,
        group: comm.group.clone(),
        rank: comm.rank,
        meeting: meetings.find(id, Registry::WHOLE, &remote.all),
        remote: Some(remote),
    })
}

/// One member's call to divide an inter-communicator: color and key as of MPI_Comm_split.
struct Divide<'a> {
    kind: Kind,
    all: &'a GroupRef,
    low: usize,
    color: Option<i32>,
    key: i32,
    /// The group that the program asked for, if the call names one.
    asked: Option<Cow<'a, GroupRef>>,
    next_id: u32,
    id: Cell<u32>,
    made: Cell<Option<Made>>,
}

impl Call for Divide<'_> {
    fn kind(&self) -> Kind {
        self.kind
    }
    fn plan(all: &All<Self>, _: usize) -> Result<Plan> {
        for side in sides(all.get(0).low, all.len()) {
            let first = &all.get(side.start).asked;
            if side.clone().any(|i| all.get(i).asked != *first) {
                let text = "members of one side name different groups";
                return fail(Class::ERR_GROUP, text);
            }
        }
        Ok(Plan::Last)
    }
    fn share(_: &All<Self>, _: usize) -> Result<()> {
        Ok(())
    }
    fn whole(all: &All<Self>, _: usize) {
        let id = all.iter().map(|c| c.next_id).max().unwrap_or(0);
        all.iter().for_each(|c| c.id.set(id));
        let part = |side: std::ops::Range<usize>, color| -> Vec<usize> {
            let mut list: Vec<(i32, usize)> = side
                .filter(|i| all.get(*i).color == Some(color))
                .map(|i| (all.get(i).key, i))
                .collect();
            list.sort_unstable();
            list.into_iter().map(|m| m.1).collect()
        };
        let mut colors: Vec<i32> = all.iter().filter_map(|c| c.color).collect();
        colors.sort_unstable();
        colors.dedup();
        let world = all.get(0).all.ranks();
        let [a, b] = sides(all.get(0).low, all.len());
        for color in colors {
            let parts = [part(a.clone(), color), part(b.clone(), color)];
            // An inter-communicator needs two sides.
            if parts.iter().any(Vec::is_empty) {
                continue;
            }
            let group = |p: &[usize]| Group::new(p.iter().map(|i| world[*i]).collect());
            let groups = [group(&parts[0]), group(&parts[1])];
            let meeting = Meeting::new(parts[0].len() + parts[1].len(), id);
            for (s, p) in parts.iter().enumerate() {
                let remote = Remote::new(&groups[s], groups[1 - s].clone());
                for (rank, &i) in p.iter().enumerate() {
                    all.get(i).made.set(Some(Made {
                        id,
                        group: groups[s].clone(),
                        rank: rank as u32,
                        meeting: meeting.clone(),
                        remote: Some(remote.clone()),
                    }));
                }
            }
        }
    }
    const APART: bool = true;
    fn export(&self, _: usize, _: &[usize], w: &mut Writer) {
        w.u8(self.color.is_some().into());
        w.i32(self.color.unwrap_or(0));
        w.i32(self.key);
        w.u32(self.next_id);
        w.u8(self.asked.is_some().into());
        let asked = self.asked.as_ref().map_or(&[][..], |g| g.ranks());
        w.list(asked.iter(), |w, r| w.u32(*r));
    }
    fn import(
        r: &mut Reader,
        _: usize,
        _: &[usize],
        like: &Self,
        _: &mut Keep<Self>,
    ) -> Read<Self> {
        let colored = r.u8()? != 0;
        let (color, key, next_id) = (r.i32()?, r.i32()?, r.u32()?);
        let asks = r.u8()? != 0;
        let ranks = r.list(Reader::u32)?;
        Ok(Divide {
            kind: like.kind,
            all: like.all,
            low: like.low,
            color: colored.then_some(color),
            key,
            asked: asks.then(|| Cow::Owned(Group::new(ranks))),
            next_id,
            id: Cell::new(0),
            made: Cell::new(None),
        })
    }
}

fn sides(low: usize, all: usize) -> [std::ops::Range<usize>; 2] {
    [0..low, low..all]
}

/// MPI_Comm_dup, MPI_Comm_split, MPI_Comm_create on an inter-communicator.
#[allow(clippy::too_many_arguments)]
pub fn divide<W: Crew>(
    crew: &W,
    comm: &Comm,
    remote: &Remote,
    next_id: &mut u32,
    kind: Kind,
    color: Option<i32>,
    key: i32,
    asked: Option<&GroupRef>,
) -> Result<Option<Made>> {
    let call = Divide {
        kind,
        all: &remote.all,
        low: remote.low,
        color,
        key,
        asked: asked.map(Cow::Borrowed),
        next_id: *next_id,
        id: Cell::new(0),
        made: Cell::new(None),
    };
    comm.meeting
        .take_part(crew, &remote.all, comm.seat(), &call)?;
    *next_id = call.id.get() + 1;
    Ok(call.made.take())
}

struct Merge<'a> {
    all: &'a GroupRef,
    low: usize,
    high: bool,
    next_id: u32,
    made: Cell<Option<Made>>,
}

impl Call for Merge<'_> {
    fn kind(&self) -> Kind {
        Kind::IntercommMerge
    }
    fn plan(all: &All<Self>, _: usize) -> Result<Plan> {
        for mut side in sides(all.get(0).low, all.len()) {
            let high = all.get(side.start).high;
            if side.any(|i| all.get(i).high != high) {
                return fail(
                    Class::ERR_ARG,
                    "MPI_Intercomm_merge: members of one side differ in `high`",
                );
            }
        }
        Ok(Plan::Last)
    }
    fn share(_: &All<Self>, _: usize) -> Result<()> {
        Ok(())
    }
    fn whole(all: &All<Self>, _: usize) {
        let id = all.iter().map(|c| c.next_id).max().unwrap_or(0);
        let [a, b] = sides(all.get(0).low, all.len());
        let turned = all.get(a.start).high && !all.get(b.start).high;
        let order: Vec<usize> = if turned {
            b.chain(a).collect()
        } else {
            a.chain(b).collect()
        };
        let world = all.get(0).all.ranks();
        let group = Group::new(order.iter().map(|i| world[*i]).collect());
        let meeting = Meeting::new(order.len(), id);
        for (rank, &i) in order.iter().enumerate() {
            all.get(i).made.set(Some(Made {
                id,
                group: group.clone(),
                rank: rank as u32,
                meeting: meeting.clone(),
                remote: None,
            }));
        }
    }
    const APART: bool = true;
    fn export(&self, _: usize, _: &[usize], w: &mut Writer) {
        w.u8(self.high.into());
        w.u32(self.next_id);
    }
    fn import(
        r: &mut Reader,
        _: usize,
        _: &[usize],
        like: &Self,
        _: &mut Keep<Self>,
    ) -> Read<Self> {
        Ok(Merge {
            all: like.all,
            low: like.low,
            high: r.u8()? != 0,
            next_id: r.u32()?,
            made: Cell::new(None),
        })
    }
}

/// MPI_Intercomm_merge.
pub fn merge<W: Crew>(
    crew: &W,
    comm: &Comm,
    remote: &Remote,
    next_id: &mut u32,
    high: bool,
) -> Result<Option<Made>> {
    let call = Merge {
        all: &remote.all,
        low: remote.low,
        high,
        next_id: *next_id,
        made: Cell::new(None),
    };
    comm.meeting
        .take_part(crew, &remote.all, comm.seat(), &call)?;
    let made = call.made.take();
    if let Some(m) = &made {
        *next_id = m.id + 1;
    }
    Ok(made)
}
