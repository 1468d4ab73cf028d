//! Collective operations (MPI 3.1 chapter 5).

pub mod meeting;
