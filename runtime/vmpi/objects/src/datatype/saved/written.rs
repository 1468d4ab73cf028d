//! A signature as bytes: in a checkpoint, and in front of a message to another process.
//!
//! ```text
//! signature = [item]
//! item      = basic:u32 n:u64 | 0:u32 n:u64 signature | 1:u32 n:u64 type:u32
//! ```
//! The last: `n` bytes that are values of one of the program's types, by its number.

use crate::datatype::basic::Basic;
use crate::datatype::build::{make, Constructor};
use crate::datatype::signature::{Item, Signature};
use crate::datatype::{bytes, of_basic, TypeRef};
use crate::error::{Class, MpiError};
use crate::wire::{bad, Read, Reader, Writer};
use pc3_typemetric::types::TypeId;

const REPEAT: u32 = 0;
const VALUES: u32 = 1;

/// How deep repetitions go in each other.
const DEEPEST: u32 = 64;

pub fn write_signature(w: &mut Writer, s: &Signature) {
    w.list(s.items().iter(), |w, item| match item {
        Item::Run(b, n) => {
            w.u32(*b as u32);
            w.u64(*n);
        }
        Item::Values(of, n) => {
            w.u32(VALUES);
            w.u64(*n);
            w.u32(of.0);
        }
        Item::Repeat(n, inner) => {
            w.u32(REPEAT);
            w.u64(*n);
            write_signature(w, inner);
        }
    });
}

/// As it was written: lengths may be more than this machine has.
pub fn read_signature(r: &mut Reader) -> Read<Signature> {
    read_nested(r, 0)
}

fn read_nested(r: &mut Reader, depth: u32) -> Read<Signature> {
    if depth > DEEPEST {
        return bad("signatures are nested too deep");
    }
    let items = r.list(|r| {
        let (kind, n) = (r.u32()?, r.size()? as u64);
        Ok(match kind {
            REPEAT => Item::Repeat(n, read_nested(r, depth + 1)?),
            VALUES => Item::Values(TypeId(r.u32()?), n),
            handle => match Basic::from_handle(handle as usize) {
                Some(b) => Item::Run(b, n),
                None => return bad("an unknown basic type"),
            },
        })
    })?;
    Ok(Signature::from_items(items))
}

/// A type of that signature whose elements lie one after the other.
pub fn of_signature(s: &Signature) -> Read<TypeRef> {
    let mut parts = Vec::new();
    for item in s.items() {
        let (n, old) = match item {
            Item::Run(b, n) => (n, of_basic(*b)),
            Item::Values(of, n) => match bytes::of(*of) {
                Some(ty) => (n, ty),
                None => return bad("the type of a message's bytes"),
            },
            Item::Repeat(n, inner) => (n, of_signature(inner)?),
        };
        let n = usize::try_from(*n).or_else(|_| bad("a size does not fit this machine"))?;
        parts.push((n, old));
    }
    if let [(1, ty)] = &parts[..] {
        return Ok(ty.clone());
    }
    let mut blocks = Vec::new();
    let mut at = 0isize;
    for (n, old) in parts {
        blocks.push((n, at, old.clone()));
        let span = isize::try_from(n)
            .ok()
            .and_then(|n| old.extent.checked_mul(n)?.checked_add(at));
        at = span.map_or_else(|| bad("a message is too long for this machine"), Ok)?;
    }
    make(Constructor::Struct { blocks }, None).or_else(|_| bad("a message's type"))
}

/// The same of a type that an operation is about to use.
pub fn compact(s: &Signature) -> Result<TypeRef, MpiError> {
    of_signature(s)
        .map_err(|_| MpiError::new(Class::ERR_INTERN, "no type of that signature".to_owned()))
}

/// The type of a message whose signature follows: its layout plays no role, because the message is packed.
pub fn read_type(r: &mut Reader) -> Read<TypeRef> {
    of_signature(&read_signature(r)?)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn there_and_back() {
        let inner = Signature::concat([
            Signature::run(Basic::Int, 2),
            Signature::values(TypeId(5), 24),
            Signature::run(Basic::Byte, 3),
        ]);
        for s in [
            inner.repeat(7),
            inner,
            Signature::values(TypeId(9), 16),
            Signature::default(),
        ] {
            let mut w = Writer::default();
            write_signature(&mut w, &s);
            let mut r = Reader(&w.0);
            assert_eq!(read_signature(&mut r).unwrap(), s);
            assert!(r.0.is_empty());
            let ty = of_signature(&s).unwrap();
            assert_eq!((&ty.signature, ty.size as u64), (&s, s.native_size()));
        }
    }

    #[test]
    fn what_is_damaged_is_no_signature() {
        for bad in [
            vec![1u8, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0],
            vec![9u8, 0, 0, 0, 0, 0, 0, 0, 1],
        ] {
            assert!(read_signature(&mut Reader(&bad)).is_err());
        }
        let unknown = Signature::values(TypeId(u32::MAX), 8);
        assert!(of_signature(&unknown).is_err());
        let long = Signature::run(Basic::Int, u64::MAX / 2);
        assert!(of_signature(&long).is_err());
    }
}
