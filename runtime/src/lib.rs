//! Saves and restores running C programs: frames, globals, heap and files, one checkpoint per job.
//!
//! * `engine`: the interface to whoever runs the ranks; `solo`: sequential programs; `transfer`:
//!   what an engine may ask while it saves and loads.
//! * `job`: what all ranks share; `rank`: one of them, with its `frames`, `shadow` stack, `globals`
//!   and `files`; `registry`: the program as its units describe it; `skipped_checkpoint`: why there is no checkpoint; `room`: memory for one.
//! * `life`: from `main` to exit; `given`, `settings`, `control`: when to checkpoint; `report`: messages.
//! * `format`: the file; `save` writes one; `store` commits it.
//! * `restart` chooses one, `identity` compares programs, `restore` rebuilds ranks through
//!   `objects`, `type_matching` and `translate`; `loader`: what engines see of them.
//! * `library` gathers state outside of variables: `files`, `process`, `mapped` memory, and `obstacles` and `children`, which cannot be saved; `libc_handles`: what a
//!   process makes again when it is used; `variables`: the C library's; `environment`: where `environ` leads.
//! * `guest`: programs in other languages than C, whose state is not in units' tables.
//! * `unions`: which member of a union was written last, where nothing else says; `notes`: of small ones, in memory that generated code writes; `shapes`: which those are; `unions_abi`: who says so.
//! * `descent`: going back down into the functions; `footing`: on which stack; `entry`, `heap_abi`, `callbacks`, `exits`, `files`, `signals`: what generated code calls.

pub mod abi;
mod address_scan;
mod also;
mod apart;
mod arguments;
mod beside;
mod bodies;
mod callbacks;
mod children;
mod commit;
pub mod control;
mod dispositions;
pub mod engine;
mod environment;
mod exits;
mod failpoint;
pub mod files;
mod first_numbers;
pub mod floats;
mod frames;
pub mod given;
mod globals;
mod growth;
pub mod guest;
pub mod guests;
mod handlers;
mod heads;
pub mod identity;
mod interrupts;
pub mod job;
mod jumps;
mod library;
mod life;
mod limits;
mod loader;
mod locale;
mod lock_owners;
mod multi_process_checkpoint;
mod notes;
mod objects;
mod obstacles;
mod out_of_bounds;
pub mod partition;
pub mod passed;
pub mod peers;
mod pieces;
pub mod placement;
mod process;
pub mod rank;
pub mod registry;
pub mod report;
mod restart;
mod restore;
pub mod save;
mod save_data;
pub mod settings;
mod shadow;
mod shapes;
mod shared;
mod signal_tables;
pub mod skipped_checkpoint;
mod solo;
pub mod spawned;
pub mod store;
mod take;
mod tls;
pub mod transfer;
mod translate;
mod type_matching;
mod unions;
mod variables;
mod ways;
mod working_directory;

pub use abi::pc3_register_tls;
pub use failpoint::chaos;
pub use life::{start, start_guest, MARK};
pub use pc3_format as format;
pub use pc3_format::room;
pub use pc3_os::forks::forked;
pub use pc3_os::own;
pub use pc3_os::own::high as own_file;
pub use restart::to_continue_from;
pub use tls::Tls;

/// Checkpoints: taking them, and what an engine asks of those that a job goes on from.
pub mod checkpoint {
    pub use crate::commit::After;
    pub use crate::loader::of_origin;
    pub use crate::multi_process_checkpoint::{LocalCheckpoints, Written};
    pub use crate::spawned::{bear, Birth};
    pub use crate::take::{checkpoint, commit_local, part};
}
