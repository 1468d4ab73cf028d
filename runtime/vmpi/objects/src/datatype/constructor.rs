//! The calls that make datatypes.

use super::basic::Basic;
use super::TypeRef;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ArrayOrder {
    C,
    Fortran,
}

#[derive(Clone, Debug)]
pub enum Constructor {
    Named(Basic),
    Pair(Basic, Basic),
    Dup(TypeRef),
    /// As the program asked for it, and the predefined type that it is.
    Parametrised {
        class: Class90,
        digits: i32,
        range: i32,
        old: TypeRef,
    },
    Contiguous {
        count: usize,
        old: TypeRef,
    },
    Vector {
        count: usize,
        blocklen: usize,
        stride: isize,
        old: TypeRef,
    },
    Hvector {
        count: usize,
        blocklen: usize,
        stride: isize,
        old: TypeRef,
    },
    Indexed {
        blocks: Vec<(usize, isize)>,
        old: TypeRef,
    },
    Hindexed {
        blocks: Vec<(usize, isize)>,
        old: TypeRef,
    },
    IndexedBlock {
        blocklen: usize,
        displs: Vec<isize>,
        old: TypeRef,
    },
    HindexedBlock {
        blocklen: usize,
        displs: Vec<isize>,
        old: TypeRef,
    },
    Struct {
        blocks: Vec<(usize, isize, TypeRef)>,
    },
    Resized {
        lb: isize,
        extent: isize,
        old: TypeRef,
    },
    Subarray {
        dims: Vec<Subdim>,
        order: ArrayOrder,
        old: TypeRef,
    },
    Darray {
        size: i32,
        rank: i32,
        dims: Vec<Dim>,
        order: ArrayOrder,
        old: TypeRef,
    },
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Subdim {
    pub size: usize,
    pub subsize: usize,
    pub start: usize,
}

/// One dimension of the array and of the grid.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Dim {
    pub size: usize,
    pub distrib: i32,
    /// As the program gave it.
    pub arg: i32,
    pub procs: usize,
    /// This process's place along it.
    pub place: usize,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Class90 {
    Real,
    Complex,
    Integer,
}

impl Constructor {
    /// Does the call name displacements in bytes?
    pub fn has_byte_displacements(&self) -> bool {
        matches!(
            self,
            Constructor::Hvector { .. }
                | Constructor::Hindexed { .. }
                | Constructor::HindexedBlock { .. }
                | Constructor::Struct { .. }
                | Constructor::Resized { .. }
        )
    }
}

impl Constructor {
    /// The types that this one is made of, in argument order.
    pub fn children(&self) -> Vec<&TypeRef> {
        match self {
            Constructor::Named(_) | Constructor::Pair(..) => vec![],
            Constructor::Struct { blocks } => blocks.iter().map(|b| &b.2).collect(),
            Constructor::Dup(old)
            | Constructor::Parametrised { old, .. }
            | Constructor::Contiguous { old, .. }
            | Constructor::Vector { old, .. }
            | Constructor::Hvector { old, .. }
            | Constructor::Indexed { old, .. }
            | Constructor::Hindexed { old, .. }
            | Constructor::IndexedBlock { old, .. }
            | Constructor::HindexedBlock { old, .. }
            | Constructor::Resized { old, .. }
            | Constructor::Darray { old, .. }
            | Constructor::Subarray { old, .. } => vec![old],
        }
    }
}
