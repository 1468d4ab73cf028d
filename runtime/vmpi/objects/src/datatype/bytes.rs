//! MPI_BYTE whose bytes are values of one of the program's types: `MPI_Send(&task, sizeof task, MPI_BYTE, ...)`.
//!
//! To MPI it is MPI_BYTE, under another handle; a checkpoint knows what is in such a message.

use super::basic::Basic;
use super::signature::{Item, Signature};
use super::{build, layout, Datatype, TypeRef};
use pc3_typemetric::descriptor::{PC3_BYTES_ASK, PC3_BYTES_CHARS, PC3_BYTES_OF, PC3_BYTES_TEXT};
use pc3_typemetric::types::TypeId;
use std::sync::OnceLock;

/// Types are made as they are asked for, so many at a time.
const CHUNK: usize = 1 << 10;
/// A program has no more types than this many times as many.
const CHUNKS: usize = 1 << 10;

/// What is known of bytes at an address, but for what the memory says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ByteContents {
    Nothing,
    Characters,
    /// Characters, if the memory does not say otherwise.
    Text,
    /// Likewise, values of this type.
    AtLeast(TypeId),
}

/// `None`: it is another handle than MPI_BYTE, or says what the bytes are.
#[inline]
pub fn known(handle: usize) -> Option<ByteContents> {
    // As calls through pointers to functions and those of other languages have it.
    if handle == Basic::Byte as usize {
        return Some(ByteContents::Text);
    }
    let how = handle.checked_sub(PC3_BYTES_OF as usize)?;
    let id = how & (PC3_BYTES_ASK as usize - 1);
    match (how - id) as u32 {
        0 if id == 0 => Some(ByteContents::Nothing),
        PC3_BYTES_ASK => Some(ByteContents::AtLeast(TypeId(id as u32))),
        PC3_BYTES_TEXT => Some(ByteContents::Text),
        PC3_BYTES_CHARS => Some(ByteContents::Characters),
        _ => None,
    }
}

/// Is it made of MPI_BYTE alone, of which nothing is known?
#[inline]
pub fn is_derived(ty: &Datatype) -> bool {
    ty.predefined == 0 && matches!(ty.signature.items(), [Item::Run(Basic::Byte, _)])
}

/// A derived type of bytes as what it is in memory that holds values of a type, `size` bytes each (0: unknown).
pub fn derived(ty: &Datatype, of: TypeId, size: u64) -> TypeRef {
    let whole = size != 0 && layout::in_units(&ty.layout, size as usize, ty.true_lb);
    let even = ty.extent.unsigned_abs() as u64 % size.max(1) == 0;
    let of = if whole && even { of } else { TypeId::UNKNOWN };
    TypeRef::from(Datatype {
        signature: Signature::values(of, ty.size as u64),
        ..ty.clone()
    })
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

    #[test]
    fn derived_types_are_what_the_memory_holds() {
        let old = of_basic(Basic::Byte);
        let (count, blocklen, stride) = (3, 16, 24);
        let rows = make(
            Constructor::Hvector {
                count,
                blocklen,
                stride,
                old,
            },
            None,
        );
        let rows = rows.unwrap();
        assert!(is_derived(&rows) && !is_derived(&of_basic(Basic::Byte)));
        let held = |size| derived(&rows, TypeId(7), size);
        assert_eq!(held(8).signature.items(), [Item::Values(TypeId(7), 48)]);
        assert_eq!(held(8).layout, rows.layout);
        // Rows that cut values apart, and distances that do.
        for size in [16, 5, 0] {
            let unknown = [Item::Values(TypeId::UNKNOWN, 48)];
            assert_eq!(held(size).signature.items(), unknown);
        }
    }
}
