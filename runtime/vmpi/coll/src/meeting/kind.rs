//! Kinds of collectives, and what their calls amount to.

macro_rules! kinds { ($($name:ident $text:literal,)*) => {
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    pub enum Kind { $($name,)* }
    impl Kind {
        #[inline]
        pub fn name(self) -> &'static str { match self { $(Kind::$name => $text,)* } }
        #[inline]
        pub fn by_name(name: &str) -> Option<Kind> {
            match name { $($text => Some(Kind::$name),)* _ => None }
        }

        #[inline]
        pub fn of(n: u32) -> Option<Kind> {
            [$(Kind::$name),*].into_iter().find(|k| *k as u32 == n)
        }
    }
} }

kinds! {
    Barrier "MPI_Barrier", Bcast "MPI_Bcast", Gather "MPI_Gather", Gatherv "MPI_Gatherv",
    Scatter "MPI_Scatter", Scatterv "MPI_Scatterv", Allgather "MPI_Allgather", Allgatherv "MPI_Allgatherv",
    Alltoall "MPI_Alltoall", Alltoallv "MPI_Alltoallv", Alltoallw "MPI_Alltoallw", Reduce "MPI_Reduce",
    Allreduce "MPI_Allreduce", ReduceScatter "MPI_Reduce_scatter",
    ReduceScatterBlock "MPI_Reduce_scatter_block", Scan "MPI_Scan", Exscan "MPI_Exscan",
    CommDup "MPI_Comm_dup", CommCreate "MPI_Comm_create", CommCreateGroup "MPI_Comm_create_group",
    CommSplit "MPI_Comm_split", CommFree "MPI_Comm_free", CartCreate "MPI_Cart_create", CartSub "MPI_Cart_sub",
    GraphCreate "MPI_Graph_create", DistGraphCreate "MPI_Dist_graph_create",
    DistGraphEdges "edges of MPI_Dist_graph_create", DistGraphOrder "order of MPI_Dist_graph_create_adjacent",
    IntercommCreate "MPI_Intercomm_create", IntercommMerge "MPI_Intercomm_merge",
    NeighborAllgather "MPI_Neighbor_allgather", NeighborAllgatherv "MPI_Neighbor_allgatherv",
    NeighborAlltoall "MPI_Neighbor_alltoall", NeighborAlltoallv "MPI_Neighbor_alltoallv",
    NeighborAlltoallw "MPI_Neighbor_alltoallw", CommIdup "MPI_Comm_idup",
    FileOpen "MPI_File_open", FileClose "MPI_File_close", FileSync "MPI_File_sync", FileSetSize "MPI_File_set_size",
    FileSetView "MPI_File_set_view", FileOrdered "MPI_File access in rank order", Finalize "MPI_Finalize",
    WinCreate "MPI_Win_create", WinAllocate "MPI_Win_allocate", WinAllocateShared "MPI_Win_allocate_shared",
    WinCreateDynamic "MPI_Win_create_dynamic", WinFree "MPI_Win_free", WinFence "MPI_Win_fence",
    CommSpawn "MPI_Comm_spawn", CommAccept "MPI_Comm_accept", CommConnect "MPI_Comm_connect",
}

/// What a small call amounts to: calls with equal briefs belong together, and each contributes so many bytes.
#[derive(Clone, Copy, Debug)]
pub struct Brief {
    pub kind: Kind,
    pub what: [usize; 3],
    pub bytes: usize,
}

impl Brief {
    /// What may be contributed, and what may come of it.
    pub const MOST: usize = 96;
    pub const NONE: Brief = Brief {
        kind: Kind::Barrier,
        what: [0; 3],
        bytes: 0,
    };
}

/// Word by word: what has just been written would be waited for if it were read two words at a time.
impl PartialEq for Brief {
    #[inline]
    fn eq(&self, other: &Brief) -> bool {
        let ([a, b, c], [x, y, z]) = (self.what, other.what);
        let differ = (a ^ x) | (b ^ y) | (c ^ z) | (self.bytes ^ other.bytes);
        differ == 0 && self.kind == other.kind
    }
}

/// Who does a collective's work.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Algorithm {
    /// The last arriver has combined the contributions; members take the result.
    Inline,
    /// The last arriver does all of it.
    Last,
    /// Each worker does its members' shares.
    Shares,
    /// One member does all of it, on its own stack and with its own globals.
    Member(usize),
    /// It is done: elsewhere.
    Done,
}
