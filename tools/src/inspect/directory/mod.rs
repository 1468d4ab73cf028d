//! Commands on whole directories: `list` and `verify` look at their checkpoints, `stat` at the packs that these share;
//! `collect` (`pc3 gc`) removes packs, `copy` takes them along.

pub(super) mod collect;
pub(super) mod copy;
pub(super) mod list;
pub(super) mod stat;
pub(super) mod verify;
