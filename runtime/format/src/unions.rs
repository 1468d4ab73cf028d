//! Section `Unions`: which member of a union is in use, as far as the program has noted it.

use pc3_typemetric::types::TypeId;

use super::bytes::{Decoder, Encoder};
use super::meta::Result;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct UnionMeta {
    pub addr: u64,
    pub ty: TypeId,
    /// One of these was written last (by position, from bit 0 on); 0: not known.
    pub last: u64,
    /// The program has pointers to these.
    pub held: u64,
}

pub fn encode(list: &[UnionMeta]) -> Vec<u8> {
    let mut e = Encoder::default();
    e.len(list.len());
    for u in list {
        [u.addr, u.ty.0.into(), u.last, u.held]
            .into_iter()
            .for_each(|v| e.u64(v));
    }
    e.0
}

pub fn decode(bytes: &[u8]) -> Result<Vec<UnionMeta>> {
    let mut d = Decoder::new(bytes, "unions");
    let list = d.list(32, |d| {
        Ok(UnionMeta {
            addr: d.u64()?,
            ty: TypeId(d.u32()?),
            last: d.u64()?,
            held: d.u64()?,
        })
    })?;
    d.end()?;
    Ok(list)
}
