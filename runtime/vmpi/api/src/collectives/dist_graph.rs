//! Distributed graphs (MPI 3.1 section 7.5.4).

use crate::arguments::{count, put, slice, slice_mut};
use crate::collectives::comm::install;
use crate::entry::entry;
use crate::objects::info::known;
use pc3_vmpi_coll::comm::create::split;
use pc3_vmpi_coll::handles::HasObjects;
use pc3_vmpi_coll::meeting::Kind;
use pc3_vmpi_coll::topo::dist::{collect, exchange, Dist, Edge};
use pc3_vmpi_coll::topo::Topology;
use pc3_vmpi_core::rank::RankState;
use pc3_vmpi_objects::error::{fail, Class, Result};
use std::ffi::c_int;

/// MPI_UNWEIGHTED and MPI_WEIGHTS_EMPTY.
const UNWEIGHTED: usize = 10;
const EMPTY: usize = 11;

unsafe fn weights<'a>(p: *const c_int, n: usize) -> Result<Option<&'a [c_int]>> {
    match p as usize {
        UNWEIGHTED => Ok(None),
        EMPTY if n == 0 => Ok(Some(&[])),
        EMPTY => fail(
            Class::ERR_ARG,
            "MPI_WEIGHTS_EMPTY is for ranks without edges",
        ),
        // SAFETY: the program's array.
        _ => Ok(Some(unsafe { slice(p, n)? })),
    }
}

/// Where the caller runs, if ranks may be reordered.
fn process(me: &RankState, reorder: c_int) -> Option<u32> {
    let world = me.world();
    (reorder != 0 && world.remote().is_some()).then(|| world.process_of(me.rank))
}

/// The caller becomes a node with these edges.
unsafe fn create(
    me: &'static RankState,
    comm: usize,
    (node, topo): (u32, Dist),
    new: *mut usize,
) -> Result<()> {
    let mut next = me.objects().next_id;
    let parent = me.objects().comm(comm)?;
    let (kind, key) = (Kind::DistGraphCreate, node as i32);
    let made = split(me, parent, &mut next, kind, Some(0), key)?;
    me.objects().next_id = next;
    // SAFETY: the program's own variable.
    unsafe { install(me, comm, made, Some(Topology::Dist(topo)), new) }
}

#[pc3_vmpi_entry::entry]
pub unsafe extern "C" fn MPI_Dist_graph_create_adjacent(
    comm: usize,
    indegree: c_int,
    sources: *const c_int,
    sourceweights: *const c_int,
    outdegree: c_int,
    dests: *const c_int,
    destweights: *const c_int,
    info: usize,
    reorder: c_int,
    new: *mut usize,
) -> c_int {
    entry("MPI_Dist_graph_create_adjacent", comm, |me| {
        known(me, info)?;
        let (ni, no) = (count(indegree)?, count(outdegree)?);
        let weights = match (weights(sourceweights, ni)?, weights(destweights, no)?) {
            (None, None) => None,
            (Some(a), Some(b)) => Some((a.to_vec(), b.to_vec())),
            // One side without edges may say so either way.
            (None, Some(b)) if ni == 0 => Some((Vec::new(), b.to_vec())),
            (Some(a), None) if no == 0 => Some((a.to_vec(), Vec::new())),
            _ => {
                return fail(
                    Class::ERR_ARG,
                    "MPI_UNWEIGHTED must be given for sources and destinations or for neither",
                )
            }
        };
        let topo = Dist {
            sources: slice(sources, ni)?.to_vec(),
            dests: slice(dests, no)?.to_vec(),
            weights,
        };
        let parent = me.objects().comm(comm)?.intra()?;
        let topo = topo.checked(parent.size())?;
        let node = match process(me, reorder) {
            Some(process) => exchange(me, parent, &topo, process)?,
            None => (parent.rank, topo),
        };
        create(me, comm, node, new)
    })
}

#[pc3_vmpi_entry::entry]
pub unsafe extern "C" fn MPI_Dist_graph_create(
    comm: usize,
    n: c_int,
    sources: *const c_int,
    degrees: *const c_int,
    dests: *const c_int,
    edgeweights: *const c_int,
    info: usize,
    reorder: c_int,
    new: *mut usize,
) -> c_int {
    entry("MPI_Dist_graph_create", comm, |me| {
        known(me, info)?;
        let n = count(n)?;
        let (sources, degrees) = (slice(sources, n)?, slice(degrees, n)?);
        let total = degrees
            .iter()
            .try_fold(0usize, |sum, d| Ok(sum + count(*d)?))?;
        let dests = slice(dests, total)?;
        let weights = weights(edgeweights, total)?;
        let size = me.objects().comm(comm)?.intra()?.size();
        let named = Dist {
            sources: sources.to_vec(),
            dests: dests.to_vec(),
            weights: weights.map(|w| (Vec::new(), w.to_vec())),
        };
        named.checked(size)?;
        let mut edges: Vec<Edge> = Vec::with_capacity(total);
        for (source, degree) in sources.iter().zip(degrees) {
            for _ in 0..*degree {
                let k = edges.len();
                edges.push((*source, dests[k], weights.map_or(1, |w| w[k])));
            }
        }
        let parent = me.objects().comm(comm)?;
        let node = collect(me, parent, &edges, weights.is_some(), process(me, reorder))?;
        create(me, comm, node, new)
    })
}

fn dist(me: &RankState, comm: usize) -> Result<&Dist> {
    match &me.objects().comm(comm)?.topo {
        Some(Topology::Dist(d)) => Ok(d),
        _ => fail(
            Class::ERR_TOPOLOGY,
            "the communicator has no distributed graph topology",
        ),
    }
}

#[pc3_vmpi_entry::entry]
pub unsafe extern "C" fn MPI_Dist_graph_neighbors_count(
    comm: usize,
    indegree: *mut c_int,
    outdegree: *mut c_int,
    weighted: *mut c_int,
) -> c_int {
    entry("MPI_Dist_graph_neighbors_count", comm, |me| {
        let d = dist(me, comm)?;
        put(indegree, d.sources.len() as c_int)?;
        put(outdegree, d.dests.len() as c_int)?;
        put(weighted, c_int::from(d.weights.is_some()))
    })
}

#[pc3_vmpi_entry::entry]
pub unsafe extern "C" fn MPI_Dist_graph_neighbors(
    comm: usize,
    maxin: c_int,
    sources: *mut c_int,
    sourceweights: *mut c_int,
    maxout: c_int,
    dests: *mut c_int,
    destweights: *mut c_int,
) -> c_int {
    entry("MPI_Dist_graph_neighbors", comm, |me| {
        let d = dist(me, comm)?;
        let give = |max: c_int, list: &[i32], to: *mut c_int| -> Result<()> {
            let n = count(max)?.min(list.len());
            slice_mut(to, n)?.copy_from_slice(&list[..n]);
            Ok(())
        };
        give(maxin, &d.sources, sources)?;
        give(maxout, &d.dests, dests)?;
        if let Some((of_sources, of_dests)) = &d.weights {
            let wanted = |p: *mut c_int| !matches!(p as usize, UNWEIGHTED | EMPTY);
            if wanted(sourceweights) {
                give(maxin, of_sources, sourceweights)?;
            }
            if wanted(destweights) {
                give(maxout, of_dests, destweights)?;
            }
        }
        Ok(())
    })
}
