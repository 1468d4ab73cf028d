//! A window, as one member has it.

use std::sync::{Arc, PoisonError};

use pc3_vmpi_objects::attr::Attributes;
use pc3_vmpi_objects::datatype::counted::Counts;
use pc3_vmpi_objects::datatype::Datatype;
use pc3_vmpi_objects::error::{fail, Class, Result};
use pc3_vmpi_objects::group::GroupRef;
use pc3_vmpi_objects::handle::abi;
use pc3_vmpi_objects::info::Info;

use crate::epochs::Epochs;
use crate::remote::operate::Sent;
use crate::shared::{Member, Part, Region, Shared};

/// Who brought the memory, with the standard's values.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(i32)]
pub enum Flavor {
    Create = 311,
    Allocate = 312,
    Dynamic = 313,
    Shared = 314,
}

impl Flavor {
    pub fn of(n: i32) -> Option<Flavor> {
        use Flavor::*;
        [Create, Allocate, Dynamic, Shared]
            .into_iter()
            .find(|f| *f as i32 == n)
    }
}

/// Hints that the standard has (MPI 4.1 sections 12.2.1 to 12.2.3), and what holds where none is given.  All of them are kept, and
/// none makes anything here quicker.
const HINTS: [(&str, Option<&str>); 7] = [
    ("no_locks", None),
    ("accumulate_ordering", Some("rar,raw,war,waw")),
    ("accumulate_ops", Some("same_op_no_op")),
    ("mpi_accumulate_granularity", None),
    ("same_size", None),
    ("same_disp_unit", None),
    ("alloc_shared_noncontig", None),
];

fn usual() -> Info {
    let given = |(key, value): &(&str, Option<&str>)| Some(((*key).into(), (*value)?.into()));
    Info {
        pairs: HINTS.iter().filter_map(given).collect(),
    }
}

/// Accesses see each other's memory at once.
const UNIFIED: i32 = 321;

/// Values of the predefined attributes, of which programs get pointers.
pub struct Values {
    pub size: isize,
    pub unit: i32,
    pub flavor: i32,
    pub model: i32,
}

pub struct Window {
    pub shared: Arc<Shared>,
    pub group: GroupRef,
    pub rank: u32,
    pub flavor: Flavor,
    pub values: Values,
    pub epochs: Epochs,
    /// Memory that goes with the window, or 0.
    pub memory: usize,
    pub errhandler: usize,
    pub name: Option<Box<str>>,
    pub attrs: Attributes,
    pub info: Info,
    /// What the numbers of bytes in the call that made it are.
    pub counts: Counts,
    pub(crate) sent: Sent,
}

/// Where an operation takes place.
pub struct Place<'a> {
    pub at: *mut u8,
    pub member: &'a Member,
}

impl Window {
    /// This member's part of it has been said.
    pub fn new(shared: Arc<Shared>, (group, rank): (GroupRef, u32), flavor: Flavor) -> Window {
        let part = shared.members()[rank as usize].part();
        let (size, unit) = part.map_or((0, 1), |p| (p.size, p.unit));
        Window {
            shared,
            group,
            rank,
            flavor,
            values: Values {
                size: size as isize,
                unit: unit as i32,
                flavor: flavor as i32,
                model: UNIFIED,
            },
            epochs: Epochs::default(),
            memory: 0,
            errhandler: abi::ERRORS_ARE_FATAL,
            name: None,
            attrs: Attributes::new(),
            info: usual(),
            counts: Counts::default(),
            sent: Sent::new(),
        }
    }

    /// Takes the hints that there are among these.
    pub fn hint(&mut self, given: &Info) -> Result<()> {
        let known = |(key, _): &&(String, String)| HINTS.iter().any(|h| h.0 == key);
        let mut known = given.pairs.iter().filter(known);
        known.try_for_each(|(key, value)| self.info.set(key, value))
    }

    pub(crate) fn is_dynamic(&self) -> bool {
        self.flavor == Flavor::Dynamic
    }

    #[inline]
    pub fn member(&self) -> &Member {
        &self.shared.members()[self.rank as usize]
    }

    pub fn base(&self) -> usize {
        self.member().part().map_or(0, |p| p.base)
    }

    /// A rank that a call names; `None`: MPI_PROC_NULL.
    #[inline]
    pub fn target(&self, rank: i32) -> Result<Option<usize>> {
        match usize::try_from(rank) {
            Ok(r) if r < self.shared.members().len() => Ok(Some(r)),
            _ if rank == abi::PROC_NULL => Ok(None),
            _ => fail(
                Class::ERR_RANK,
                format!("rank {rank} of {} in the window", self.group.size()),
            ),
        }
    }

    /// Where `count` elements lie at a displacement in the target's part.
    #[inline]
    pub fn place(
        &mut self,
        target: usize,
        disp: isize,
        count: usize,
        ty: &Datatype,
    ) -> Result<Place<'_>> {
        self.epochs.reach(target)?;
        let member = &self.shared.members()[target];
        let dynamic = self.is_dynamic();
        let Some(part) = member.part() else {
            return fail(Class::ERR_INTERN, "a part of the window is not known");
        };
        if disp < 0 && !dynamic {
            return fail(Class::ERR_DISP, format!("the displacement is {disp}"));
        }
        let (from, to) = ty.span(count);
        let start = disp.checked_mul(part.unit as isize);
        let ends = start.and_then(|s| Some((s.checked_add(from)?, s.checked_add(to)?)));
        let inside = match ends {
            _ if from == to => true,
            // It looks itself.
            _ if dynamic && member.elsewhere().is_some() => true,
            // Addresses may be of the upper half.
            _ if dynamic => {
                let at = disp as usize;
                member.has_attached(at.wrapping_add_signed(from), at.wrapping_add_signed(to))
            }
            Some((from, to)) => from >= 0 && to as usize <= part.size,
            None => false,
        };
        if !inside {
            let why = match dynamic {
                true => unattached(target, disp, (from, to)),
                false => outside(target, disp, (from, to)),
            };
            return fail(Class::ERR_RMA_RANGE, why);
        }
        let at = match dynamic {
            true => disp as usize,
            false => part.base.wrapping_add_signed(start.unwrap_or(0)),
        };
        Ok(Place {
            at: at as *mut u8,
            member,
        })
    }

    fn regions(&self) -> Result<std::sync::RwLockWriteGuard<'_, Vec<Region>>> {
        if !self.is_dynamic() {
            return fail(Class::ERR_RMA_FLAVOR, "the window is not a dynamic one");
        }
        let regions = &self.member().regions;
        Ok(regions.write().unwrap_or_else(PoisonError::into_inner))
    }

    pub fn attach(&self, region: Region) -> Result<()> {
        let mut regions = self.regions()?;
        let overlaps = |r: &Region| r.at < region.at + region.size && region.at < r.at + r.size;
        if regions.iter().any(overlaps) {
            return fail(
                Class::ERR_RMA_ATTACH,
                "some of the memory is attached already",
            );
        }
        regions.push(region);
        Ok(())
    }

    pub fn detach(&self, at: usize) -> Result<()> {
        let mut regions = self.regions()?;
        match regions.iter().position(|r| r.at == at) {
            Some(i) => {
                regions.swap_remove(i);
                Ok(())
            }
            None => fail(Class::ERR_RMA_ATTACH, "no memory there is attached"),
        }
    }

    /// What a member of a shared window has; of all the first that has any memory.
    pub fn query(&self, target: Option<usize>) -> Result<Part> {
        if self.flavor != Flavor::Shared {
            return fail(Class::ERR_RMA_FLAVOR, "the window is not a shared one");
        }
        let members = self.shared.members();
        let found = match target {
            Some(t) => members[t].part(),
            None => {
                let mut parts = members.iter().filter_map(Member::part);
                parts.find(|p| p.size > 0)
            }
        };
        Ok(found.unwrap_or(Part {
            base: 0,
            size: 0,
            unit: 1,
        }))
    }
}

#[cold]
pub(crate) fn unattached(target: usize, disp: isize, (from, to): (isize, isize)) -> String {
    let bytes = to - from;
    format!("{bytes} bytes at address {disp:#x} are not attached by rank {target}")
}

#[cold]
fn outside(target: usize, disp: isize, (from, to): (isize, isize)) -> String {
    let bytes = to - from;
    format!(
        "{bytes} bytes at displacement {disp} are not all in the window's part of rank {target}"
    )
}
