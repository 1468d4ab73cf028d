//! Checkpoints: taking them, and going on from one. Functions over the state's components.
//!
//! * `take`: a checkpoint of ranks that stand still, or of parts that they have taken one by one: two
//!   protocols, which `commit` drives, in one process or several, until the file is durable, `behind`
//!   the ranks where these go on; `multi_process_checkpoint`: what processes say to each other of it.
//! * `process`: state outside of variables: `gather` takes it from all ranks, `attributes` are the
//!   process's own, `signal_tables` and `interrupts` each rank's handlers; `spawned` ranks.
//! * `save` writes a checkpoint; `size_flows`: the paths on which sizes have reached numbers.
//! * `increments`: checkpoints that hold what has changed since the last one; `follow`: what other processes than the first do.
//! * `restart` chooses one, `identity` compares programs, `restore` rebuilds ranks.
//! * `address_map`: where a saved rank's objects are now; `translate`, `type_matching`, `address_scan`
//!   and `out_of_bounds` answer what comes up while they are converted.
//! * `loader`: what engines see of that; `guests`: programs that are not C.

pub mod address_map;
mod behind;
pub mod commit;
mod follow;
pub mod guests;
pub mod identity;
mod increments;
pub mod loader;
mod multi_process_checkpoint;
pub mod process;
pub mod restart;
pub mod restore;
pub mod save;
mod size_flows;
pub mod take;
