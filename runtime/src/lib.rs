//! A process of a job, from `main` to its exit; and what engines, guests and tools use of the crates below.
//!
//! * `life`: settings, restart or fresh start; `bodies`: what the ranks' stacks execute; `solo` runs
//!   sequential programs; `passed`: locations where a guest can take no checkpoint.
//! * Below, from the top: `pc3-abi` has every `extern "C"`; `pc3-checkpoint` saves and restores;
//!   `pc3-state` has the data of job and ranks; `pc3-process` what belongs to the process;
//!   `pc3-control` settings, messages and the directory of checkpoints.

mod bodies;
mod life;
pub mod passed;
mod solo;

pub use life::{start, start_guest, MARK};
pub use pc3_abi::process::files::{closing, opened};
pub use pc3_abi::units::pc3_register_tls;
pub use pc3_checkpoint::guests;
pub use pc3_checkpoint::identity;
pub use pc3_checkpoint::restart::to_continue_from;
pub use pc3_checkpoint::save;
pub use pc3_control::failpoint::chaos;
pub use pc3_control::{
    control, inherited, listening, partition, peers, placement, report, settings, store,
};
pub use pc3_format as format;
pub use pc3_format::memory_reserve;
pub use pc3_os::forks::forked;
pub use pc3_os::own;
pub use pc3_os::own::high as own_file;
pub use pc3_process::files;
pub use pc3_state::stack::tls::Tls;
pub use pc3_state::{engine, floats, guest, job, rank, skipped_checkpoint, transfer};

/// The program as its units describe it.
pub use pc3_state::program::registry;

/// Checkpoints: taking them, and what an engine asks of those that a job goes on from.
pub mod checkpoint {
    pub use pc3_checkpoint::commit::{After, Written};
    pub use pc3_checkpoint::loader::of_origin;
    pub use pc3_checkpoint::process::spawned::{bear, Birth};
    pub use pc3_checkpoint::take::{checkpoint, commit_local, part, LocalCheckpoints};
}
