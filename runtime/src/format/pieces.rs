//! Section `Pieces`: what lies where in blocks that the program hands out in pieces.

use pc3_typemetric::types::TypeId;

use super::bytes::{Decoder, Encoder};
use super::meta::{get_type, put_type, Result};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PieceMeta {
    pub addr: u64,
    /// None: nothing that matters any more.
    pub ty: Option<TypeId>,
    pub bytes: u64,
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
        e.u64(p.room);
        put_type(&mut e, p.link);
    }
    e.0
}

pub fn decode(bytes: &[u8]) -> Result<Vec<PieceMeta>> {
    let mut d = Decoder::new(bytes, "pieces");
    let list = d.list(40, |d| {
        Ok(PieceMeta {
            addr: d.u64()?,
            ty: get_type(d)?,
            bytes: d.u64()?,
            room: d.u64()?,
            link: get_type(d)?,
        })
    })?;
    d.end()?;
    Ok(list)
}
