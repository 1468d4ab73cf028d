//! Topology functions (MPI 3.1 chapter 7).

use crate::arguments::{count, put, slice, slice_mut};
use crate::collectives::comm::install;
use crate::entry::entry;
use pc3_vmpi_coll::comm::create::split;
use pc3_vmpi_coll::handles::HasObjects;
use pc3_vmpi_coll::meeting::Kind;
use pc3_vmpi_coll::topo::cart::{dims_create, Cart};
use pc3_vmpi_coll::topo::graph::Graph;
use pc3_vmpi_coll::topo::{order, Topology};
use pc3_vmpi_core::rank::RankState;
use pc3_vmpi_objects::error::{fail, Class, Result};
use pc3_vmpi_objects::handle::abi;
use std::ffi::c_int;

fn cart(me: &RankState, comm: usize) -> Result<&Cart> {
    match &me.objects().comm(comm)?.topo {
        Some(Topology::Cart(c)) => Ok(c),
        _ => fail(
            Class::ERR_TOPOLOGY,
            "the communicator has no Cartesian topology",
        ),
    }
}

fn graph(me: &RankState, comm: usize) -> Result<&Graph> {
    match &me.objects().comm(comm)?.topo {
        Some(Topology::Graph(g)) => Ok(g),
        _ => fail(
            Class::ERR_TOPOLOGY,
            "the communicator has no graph topology",
        ),
    }
}

fn ndims(n: c_int) -> Result<usize> {
    count(n).or_else(|_| fail(Class::ERR_DIMS, format!("the number of dimensions is {n}")))
}

/// The first `size` ranks of `comm` become a communicator with `topo`, in the order of its nodes.
unsafe fn create(
    me: &'static RankState,
    comm: usize,
    kind: Kind,
    size: usize,
    (topo, reorder): (Topology, c_int),
    new: *mut usize,
) -> Result<()> {
    let o = me.objects();
    let mut next = o.next_id;
    let parent = o.comm(comm)?;
    let node = match reorder {
        0 => Some(parent.rank).filter(|r| (*r as usize) < size),
        _ => order::node(me.world(), parent, &topo, size)?,
    };
    let key = node.unwrap_or(0) as c_int;
    // Who asks for something else is in another one.
    let color = node.map(|_| topo.color());
    let made = split(me, parent, &mut next, kind, color, key)?;
    me.objects().next_id = next;
    if made.as_ref().is_some_and(|m| m.group.size() != size) {
        return fail(
            Class::ERR_TOPOLOGY,
            "members of the communicator ask for different grids or graphs",
        );
    }
    install(me, comm, made, Some(topo), new)
}

#[pc3_vmpi_entry::entry]
pub unsafe extern "C" fn MPI_Dims_create(nnodes: c_int, n: c_int, dims: *mut c_int) -> c_int {
    entry("MPI_Dims_create", 0, |_| {
        dims_create(nnodes, slice_mut(dims, ndims(n)?)?)
    })
}

#[pc3_vmpi_entry::entry]
pub unsafe extern "C" fn MPI_Cart_create(
    comm: usize,
    n: c_int,
    dims: *const c_int,
    periods: *const c_int,
    reorder: c_int,
    new: *mut usize,
) -> c_int {
    entry("MPI_Cart_create", comm, |me| {
        let n = ndims(n)?;
        let grid = Cart::new(
            slice(dims, n)?,
            slice(periods, n)?,
            me.objects().comm(comm)?.intra()?.size(),
        )?;
        create(
            me,
            comm,
            Kind::CartCreate,
            grid.size(),
            (Topology::Cart(grid), reorder),
            new,
        )
    })
}

#[pc3_vmpi_entry::entry]
pub unsafe extern "C" fn MPI_Cartdim_get(comm: usize, n: *mut c_int) -> c_int {
    entry("MPI_Cartdim_get", comm, |me| {
        put(n, cart(me, comm)?.dims.len() as c_int)
    })
}

#[pc3_vmpi_entry::entry]
pub unsafe extern "C" fn MPI_Cart_get(
    comm: usize,
    max: c_int,
    dims: *mut c_int,
    periods: *mut c_int,
    coords: *mut c_int,
) -> c_int {
    entry("MPI_Cart_get", comm, |me| {
        let grid = cart(me, comm)?;
        let here = grid.coords(me.objects().comm(comm)?.rank as usize)?;
        let n = ndims(max)?.min(grid.dims.len());
        let (d, p, c) = (
            slice_mut(dims, n)?,
            slice_mut(periods, n)?,
            slice_mut(coords, n)?,
        );
        for i in 0..n {
            (d[i], p[i], c[i]) = (grid.dims[i].0, c_int::from(grid.dims[i].1), here[i]);
        }
        Ok(())
    })
}

#[pc3_vmpi_entry::entry]
pub unsafe extern "C" fn MPI_Cart_rank(
    comm: usize,
    coords: *const c_int,
    rank: *mut c_int,
) -> c_int {
    entry("MPI_Cart_rank", comm, |me| {
        let grid = cart(me, comm)?;
        put(rank, grid.rank(slice(coords, grid.dims.len())?)?)
    })
}

#[pc3_vmpi_entry::entry]
pub unsafe extern "C" fn MPI_Cart_coords(
    comm: usize,
    rank: c_int,
    max: c_int,
    coords: *mut c_int,
) -> c_int {
    entry("MPI_Cart_coords", comm, |me| {
        let grid = cart(me, comm)?;
        let r = usize::try_from(rank)
            .or_else(|_| fail(Class::ERR_RANK, format!("rank {rank} is negative")))?;
        let here = grid.coords(r)?;
        let n = ndims(max)?.min(here.len());
        slice_mut(coords, n)?.copy_from_slice(&here[..n]);
        Ok(())
    })
}

#[pc3_vmpi_entry::entry]
pub unsafe extern "C" fn MPI_Cart_shift(
    comm: usize,
    direction: c_int,
    disp: c_int,
    source: *mut c_int,
    dest: *mut c_int,
) -> c_int {
    entry("MPI_Cart_shift", comm, |me| {
        let grid = cart(me, comm)?;
        let dim = usize::try_from(direction)
            .or_else(|_| fail(Class::ERR_ARG, format!("the direction is {direction}")))?;
        let (from, to) = grid.shift(me.objects().comm(comm)?.rank as usize, dim, disp)?;
        put(source, from)?;
        put(dest, to)
    })
}

#[pc3_vmpi_entry::entry]
pub unsafe extern "C" fn MPI_Cart_sub(comm: usize, remain: *const c_int, new: *mut usize) -> c_int {
    entry("MPI_Cart_sub", comm, |me| {
        let grid = cart(me, comm)?;
        let remain: Vec<bool> = slice(remain, grid.dims.len())?
            .iter()
            .map(|r| *r != 0)
            .collect();
        let mut next = me.objects().next_id;
        let parent = me.objects().comm(comm)?;
        let (color, key, part) = grid.sub(parent.rank as usize, &remain)?;
        let made = split(me, parent, &mut next, Kind::CartSub, Some(color), key)?;
        me.objects().next_id = next;
        install(me, comm, made, Some(Topology::Cart(part)), new)
    })
}

#[pc3_vmpi_entry::entry]
pub unsafe extern "C" fn MPI_Cart_map(
    comm: usize,
    n: c_int,
    dims: *const c_int,
    periods: *const c_int,
    rank: *mut c_int,
) -> c_int {
    entry("MPI_Cart_map", comm, |me| {
        let (n, c) = (ndims(n)?, me.objects().comm(comm)?.intra()?);
        let grid = Cart::new(slice(dims, n)?, slice(periods, n)?, c.size())?;
        let size = grid.size();
        let node = order::node(me.world(), c, &Topology::Cart(grid), size)?;
        put(rank, node.map_or(abi::UNDEFINED, |n| n as c_int))
    })
}

unsafe fn graph_args(
    me: &RankState,
    comm: usize,
    n: c_int,
    index: *const c_int,
    edges: *const c_int,
) -> Result<Graph> {
    let n = count(n).or_else(|_| fail(Class::ERR_ARG, format!("the number of nodes is {n}")))?;
    let index = slice(index, n)?;
    let edges = slice(edges, index.last().map_or(0, |e| (*e).max(0)) as usize)?;
    Graph::new(index, edges, me.objects().comm(comm)?.intra()?.size())
}

#[pc3_vmpi_entry::entry]
pub unsafe extern "C" fn MPI_Graph_create(
    comm: usize,
    n: c_int,
    index: *const c_int,
    edges: *const c_int,
    reorder: c_int,
    new: *mut usize,
) -> c_int {
    entry("MPI_Graph_create", comm, |me| {
        let g = graph_args(me, comm, n, index, edges)?;
        create(
            me,
            comm,
            Kind::GraphCreate,
            g.index.len(),
            (Topology::Graph(g), reorder),
            new,
        )
    })
}

#[pc3_vmpi_entry::entry]
pub unsafe extern "C" fn MPI_Graphdims_get(
    comm: usize,
    nnodes: *mut c_int,
    nedges: *mut c_int,
) -> c_int {
    entry("MPI_Graphdims_get", comm, |me| {
        let g = graph(me, comm)?;
        put(nnodes, g.index.len() as c_int)?;
        put(nedges, g.edges.len() as c_int)
    })
}

#[pc3_vmpi_entry::entry]
pub unsafe extern "C" fn MPI_Graph_get(
    comm: usize,
    maxindex: c_int,
    maxedges: c_int,
    index: *mut c_int,
    edges: *mut c_int,
) -> c_int {
    entry("MPI_Graph_get", comm, |me| {
        let g = graph(me, comm)?;
        let (ni, ne) = (
            count(maxindex)?.min(g.index.len()),
            count(maxedges)?.min(g.edges.len()),
        );
        slice_mut(index, ni)?.copy_from_slice(&g.index[..ni]);
        slice_mut(edges, ne)?.copy_from_slice(&g.edges[..ne]);
        Ok(())
    })
}

#[pc3_vmpi_entry::entry]
pub unsafe extern "C" fn MPI_Graph_neighbors_count(
    comm: usize,
    rank: c_int,
    n: *mut c_int,
) -> c_int {
    entry("MPI_Graph_neighbors_count", comm, |me| {
        put(n, graph(me, comm)?.neighbors(rank)?.len() as c_int)
    })
}

#[pc3_vmpi_entry::entry]
pub unsafe extern "C" fn MPI_Graph_neighbors(
    comm: usize,
    rank: c_int,
    max: c_int,
    out: *mut c_int,
) -> c_int {
    entry("MPI_Graph_neighbors", comm, |me| {
        let all = graph(me, comm)?.neighbors(rank)?;
        let n = count(max)?.min(all.len());
        slice_mut(out, n)?.copy_from_slice(&all[..n]);
        Ok(())
    })
}

#[pc3_vmpi_entry::entry]
pub unsafe extern "C" fn MPI_Graph_map(
    comm: usize,
    n: c_int,
    index: *const c_int,
    edges: *const c_int,
    rank: *mut c_int,
) -> c_int {
    entry("MPI_Graph_map", comm, |me| {
        let g = graph_args(me, comm, n, index, edges)?;
        let (c, size) = (me.objects().comm(comm)?, g.index.len());
        let node = order::node(me.world(), c, &Topology::Graph(g), size)?;
        put(rank, node.map_or(abi::UNDEFINED, |n| n as c_int))
    })
}

#[pc3_vmpi_entry::entry]
pub unsafe extern "C" fn MPI_Topo_test(comm: usize, status: *mut c_int) -> c_int {
    const CART: c_int = 211;
    const GRAPH: c_int = 212;
    const DIST_GRAPH: c_int = 213;
    entry("MPI_Topo_test", comm, |me| {
        put(
            status,
            match &me.objects().comm(comm)?.topo {
                Some(Topology::Cart(_)) => CART,
                Some(Topology::Graph(_)) => GRAPH,
                Some(Topology::Dist(_)) => DIST_GRAPH,
                None => abi::UNDEFINED,
            },
        )
    })
}
