//! MPI objects.

pub mod attr;
pub mod datatype;
pub mod datatype_contents;
mod datatype_large;
pub mod datatype_query;
pub mod errors;
pub mod external;
pub mod fortran;
pub mod group;
pub mod info;
pub mod op;
pub mod pack;
pub mod parametrised;
