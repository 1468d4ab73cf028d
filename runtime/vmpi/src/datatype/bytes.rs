//! MPI_BYTE whose bytes are values of one of the program's types: `MPI_Send(&task, sizeof task, MPI_BYTE, ...)`.
//!
//! To MPI it is MPI_BYTE, under another handle; a checkpoint knows what is in such a message.

use super::basic::Basic;
use super::signature::Signature;
use super::{build, Datatype, TypeRef};
use pc3_typemetric::descriptor::{PC3_BYTES_ASK, PC3_BYTES_OF, PC3_BYTES_TEXT};
use pc3_typemetric::types::TypeId;
use std::sync::OnceLock;

/// Types are made as they are asked for, so many at a time.
const CHUNK: usize = 1 << 10;
/// A program has no more types than this many times as many.
const CHUNKS: usize = 1 << 10;

/// What a handle says of bytes of which the memory is to be asked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Asked {
    /// Nothing.
    Anything,
    /// Characters, if the memory does not say otherwise.
    Text,
    /// Likewise, values of this type.
    Values(TypeId),
}

/// `None`: it is another handle, or says what the bytes are.
#[inline]
pub fn asked(handle: usize) -> Option<Asked> {
    let how = handle.checked_sub(PC3_BYTES_OF as usize)?;
    let id = how & (PC3_BYTES_ASK as usize - 1);
    match (how - id) as u32 {
        0 if id == 0 => Some(Asked::Anything),
        PC3_BYTES_ASK => Some(Asked::Values(TypeId(id as u32))),
        PC3_BYTES_TEXT => Some(Asked::Text),
        _ => None,
    }
}

type Chunk = Box<[OnceLock<&'static Datatype>]>;

static KNOWN: [OnceLock<Chunk>; CHUNKS] = [const { OnceLock::new() }; CHUNKS];

/// What generated code makes of it.
pub fn handle(of: TypeId) -> usize {
    PC3_BYTES_OF as usize + of.0 as usize
}

#[inline]
pub(super) fn by_handle(handle: usize) -> Option<TypeRef> {
    let id = handle.checked_sub(PC3_BYTES_OF as usize)?;
    let chunk = KNOWN.get(id / CHUNK)?;
    let known = chunk.get().and_then(|c| c[id % CHUNK].get().copied());
    Some(TypeRef::of(known.unwrap_or_else(|| make(chunk, id))))
}

/// `None`: a program has not that many.
pub fn of(id: TypeId) -> Option<TypeRef> {
    by_handle(handle(id))
}

#[cold]
fn make(chunk: &OnceLock<Chunk>, id: usize) -> &'static Datatype {
    let all = chunk.get_or_init(|| (0..CHUNK).map(|_| OnceLock::new()).collect());
    all[id % CHUNK].get_or_init(|| {
        let of = TypeId(id as u32);
        // For good.
        Box::leak(Box::new(Datatype {
            of: Some(of),
            signature: Signature::values(of, 1),
            ..build::named(Basic::Byte)
        }))
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::datatype::build::{make, Constructor};
    use crate::datatype::signature::Item;
    use crate::datatype::{by_handle, of_basic};

    #[test]
    fn one_type_for_each() {
        let (a, b) = (of(TypeId(7)).unwrap(), of(TypeId(70_000)).unwrap());
        assert!(a.same(&of(TypeId(7)).unwrap()) && !a.same(&b));
        assert!(a.same(&by_handle(a.known_as()).unwrap()));
        assert!(of(TypeId(u32::MAX / 2)).is_none() && by_handle(0x1000_0000).is_none());
    }

    #[test]
    fn to_mpi_it_is_byte() {
        let (a, byte) = (of(TypeId(7)).unwrap(), of_basic(Basic::Byte));
        assert_eq!(
            (a.predefined, a.size, a.basic()),
            (byte.predefined, 1, byte.basic())
        );
        assert_eq!(byte.known_as(), byte.predefined);
        let (count, old) = (24, a);
        let many = make(Constructor::Contiguous { count, old }, None).unwrap();
        assert_eq!(many.signature.items(), [Item::Values(TypeId(7), 24)]);
        assert_eq!(many.signature.uniform(), Some(Basic::Byte));
        assert_eq!(
            (many.signature.native_size(), many.signature.elements()),
            (24, 24)
        );
    }
}
