//! Where a type's elements lie, told to another process of the job, which moves them there.
//!
//! ```text
//! type   = handle:u32 (of a predefined one)
//!        | 0:u32 unit:u32 size:u64 lb:i64 extent:i64 true_lb:i64 true_extent:i64 contiguous:u8 at:i64 node
//! node   = 0:u8 bytes:u64 | 1:u8 count:u64 stride:i64 each:u64 node | 2:u8 size:u64 [at:i64 node]
//! ```
//! `unit`: the predefined type that all of it is made of, or MPI_BYTE. What is read is so many of these to anybody who asks what
//! it is made of.

use std::sync::Arc;

use super::build::Constructor;
use super::layout::{Layout, Node};
use super::{by_handle, Datatype, TypeRef};
use crate::wire::{bad, Read, Reader, Writer};

/// `unit`: what all of it is made of; of a predefined type that itself.
pub fn write(w: &mut Writer, ty: &Datatype, unit: &Datatype) {
    if ty.predefined != 0 {
        w.u32(ty.known_as() as u32);
        return;
    }
    w.u32(0);
    w.u32(unit.known_as() as u32);
    w.size(ty.size);
    for n in [ty.lb, ty.extent, ty.true_lb, ty.true_extent] {
        w.disp(n);
    }
    w.u8(ty.contiguous.into());
    w.disp(ty.layout.at);
    node(w, &ty.layout.node);
}

fn node(w: &mut Writer, n: &Node) {
    match n {
        Node::Block(n) => {
            w.u8(0);
            w.size(*n);
        }
        Node::Rep {
            count,
            stride,
            each,
            body,
        } => {
            w.u8(1);
            w.size(*count);
            w.disp(*stride);
            w.size(*each);
            node(w, body);
        }
        Node::Seq { size, parts } => {
            w.u8(2);
            w.size(*size);
            w.list(parts.iter(), |w, (at, n)| {
                w.disp(*at);
                node(w, n);
            });
        }
    }
}

fn disp(r: &mut Reader) -> Read<isize> {
    isize::try_from(r.disp()?).or_else(|_| bad("a displacement does not fit this machine"))
}

fn known(handle: u32) -> Read<TypeRef> {
    by_handle(handle as usize).map_or_else(|| bad("an unknown datatype"), Ok)
}

pub fn read(r: &mut Reader) -> Read<TypeRef> {
    let handle = r.u32()?;
    if handle != 0 {
        return known(handle);
    }
    let unit = known(r.u32()?)?;
    let size = r.size()?;
    let count = size / unit.size.max(1);
    Ok(Datatype {
        size,
        lb: disp(r)?,
        extent: disp(r)?,
        true_lb: disp(r)?,
        true_extent: disp(r)?,
        contiguous: r.u8()? != 0,
        layout: Layout {
            at: disp(r)?,
            node: read_node(r)?,
        },
        signature: unit.signature.repeat(count as u64),
        predefined: 0,
        of: None,
        constructor: Constructor::Contiguous {
            count,
            old: unit.clone(),
        },
        ..Datatype::clone(&unit)
    }
    .into())
}

fn read_node(r: &mut Reader) -> Read<Node> {
    Ok(match r.u8()? {
        0 => Node::Block(r.size()?),
        1 => Node::Rep {
            count: r.size()?,
            stride: disp(r)?,
            each: r.size()?,
            body: Arc::new(read_node(r)?),
        },
        2 => Node::Seq {
            size: r.size()?,
            parts: r.list(|r| Ok((disp(r)?, read_node(r)?)))?.into(),
        },
        _ => return bad("an unknown layout"),
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::datatype::basic::Basic;
    use crate::datatype::build::{bytes, make};
    use crate::datatype::of_basic;

    fn again(ty: &TypeRef, unit: &TypeRef) -> TypeRef {
        let mut w = Writer::default();
        write(&mut w, ty, unit);
        let mut r = Reader(&w.0);
        let read = read(&mut r).unwrap();
        assert!(r.0.is_empty());
        read
    }

    #[test]
    fn elements_lie_where_they_lay() {
        let int = of_basic(Basic::Int);
        let old = int.clone();
        let blocks = vec![(2, 3), (1, 0), (5, 9)];
        let picked = make(Constructor::Indexed { blocks, old }, None).unwrap();
        let old = picked.clone();
        let (count, blocklen, stride) = (3, 1, 2);
        let vector = Constructor::Vector {
            count,
            blocklen,
            stride,
            old,
        };
        let vector = make(vector, None).unwrap();
        for ty in [&int, &picked, &vector] {
            let read = again(ty, &int);
            assert_eq!((&read.layout, read.extent), (&ty.layout, ty.extent));
            assert_eq!(read.span(4), ty.span(4));
            assert_eq!(read.signature.native_size(), ty.signature.native_size());
        }
        assert!(again(&int, &bytes()).as_static().is_some());
        assert!(matches!(
            &again(&vector, &int).constructor,
            Constructor::Contiguous { count: 24, old } if old.same(&int)
        ));
    }

    #[test]
    fn what_is_damaged_is_no_type() {
        assert!(read(&mut Reader(&[9, 9, 9, 9])).is_err());
        assert!(read(&mut Reader(&[0; 20])).is_err());
    }
}
