//! MPI's objects, as a rank has them: no ranks, no scheduling, no messages.
//!
//! | module | what |
//! |---|---|
//! | `handle` | handles of the C interface and the tables behind them |
//! | `error` | error classes, codes and what went wrong in words |
//! | `group`, `info`, `attr`, `errhandler` | those objects |
//! | `datatype` | constructors, layouts, signatures, copying, values of other ABIs |
//! | `op` | operations of reductions and their kernels |
//! | `pack`, `external32` | the portable packed formats |
//! | `wire` | numbers as bytes, in messages between processes and in checkpoints |
//! | `below` | functions of the program that MPI calls |

pub mod attr;
pub mod below;
pub mod datatype;
pub mod errhandler;
pub mod error;
pub mod external32;
pub mod group;
pub mod handle;
pub mod info;
pub mod op;
pub mod pack;
pub mod wire;
