//! What an engine may ask while it saves or loads its own state.
//!
//! Engines store source addresses raw (as `u64`), and values of the program's types in the source ABI's layout; the
//! loading side translates, because it knows both sides ("reader makes right").

use pc3_typemetric::types::{TypeId, TypeTable};
use thiserror::Error;

/// Why a rank's or the job's engine state cannot be rebuilt.
#[derive(Debug, Error)]
#[error("{0}")]
pub struct LoadError(pub String);

/// Saving: addresses are written with [`SaveCtx::address`], integers little-endian of fixed width.
#[derive(Default)]
pub struct SaveCtx {
    _later: (),
}

impl SaveCtx {
    /// The portable form of an address: as it is, zero-extended.
    pub fn address<T: ?Sized>(&self, p: *const T) -> u64 {
        p.cast::<u8>() as usize as u64
    }
}

/// Where an address of the saved program leads in this one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Target {
    Null,
    At(*mut u8),
    /// It pointed to no live object.
    Dangling,
}

/// Loading: from the source's addresses and representations to ours.
pub trait LoadCtx {
    /// Data or function address of the saved rank → address in this process.
    fn pointer(&self, source: u64) -> Target;

    /// The program's types in the saved ABI and in this one, where known.
    fn types(&self) -> Option<(&TypeTable, &TypeTable)> {
        None
    }

    /// The type here that a type of the saved program is.
    fn partner(&self, of: TypeId) -> Result<TypeId, LoadError> {
        Ok(of)
    }

    /// How many bytes values of a type take here that took so many in the saved program. A limit may end within a value; an
    /// error if anything else does, or if nobody knows.
    fn room(&self, of: TypeId, bytes: u64, limit: bool) -> Result<u64, LoadError> {
        let _ = (of, limit);
        Ok(bytes)
    }

    /// Converts values of a type of the saved program; so many bytes as [`LoadCtx::room`] says.
    fn values(&self, of: TypeId, source: &[u8]) -> Result<Vec<u8>, LoadError> {
        let _ = of;
        Ok(source.to_vec())
    }
}
