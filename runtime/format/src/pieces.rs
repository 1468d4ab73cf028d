//! Section `Pieces`: what lies where in blocks that the program hands out in pieces.

use pc3_typemetric::types::TypeId;

use super::bytes::{DecodeError, Decoder, Encoder};
use super::meta::{get_type, put_type, Result};

/// What is known of how much a piece holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Extent {
    /// The program has said how much.
    Said,
    /// Elements of its type as far as there is something in its room.
    Elements,
    /// One of its type, and whatever else lies behind it in its room.
    One,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PieceMeta {
    pub addr: u64,
    /// None: nothing that matters any more.
    pub ty: Option<TypeId>,
    pub bytes: u64,
    pub extent: Extent,
    /// Bytes at its place that are no other's.
    pub room: u64,
    /// What has been stored over its start since it is free.
    pub link: Option<TypeId>,
}

pub fn encode(list: &[PieceMeta]) -> Vec<u8> {
    let mut e = Encoder::default();
    e.len(list.len());
    for p in list {
        e.u64(p.addr);
        put_type(&mut e, p.ty);
        e.u64(p.bytes);
        e.u64(p.extent as u64);
        e.u64(p.room);
        put_type(&mut e, p.link);
    }
    e.0
}

pub fn decode(bytes: &[u8]) -> Result<Vec<PieceMeta>> {
    let mut d = Decoder::new(bytes, "pieces");
    let list = d.list(48, |d| {
        Ok(PieceMeta {
            addr: d.u64()?,
            ty: get_type(d)?,
            bytes: d.u64()?,
            extent: match d.u64()? {
                0 => Extent::Said,
                1 => Extent::Elements,
                2 => Extent::One,
                _ => return Err(DecodeError::Invalid("pieces")),
            },
            room: d.u64()?,
            link: get_type(d)?,
        })
    })?;
    d.end()?;
    Ok(list)
}
