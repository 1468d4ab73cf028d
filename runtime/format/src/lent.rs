//! Section `Lent`: the system's memory that the program may point to: the environment.

use pc3_typemetric::types::TypeId;

use super::bytes::{Decoder, Encoder};
use super::meta::{get_span, put_span, Result, Span};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LentMeta {
    pub addr: u64,
    /// Of its elements.
    pub ty: TypeId,
    pub data: Span,
}

pub fn encode(list: &[LentMeta]) -> Vec<u8> {
    let mut e = Encoder::default();
    e.len(list.len());
    for l in list {
        e.u64(l.addr);
        e.u64(l.ty.0.into());
        put_span(&mut e, l.data);
    }
    e.0
}

pub fn decode(bytes: &[u8]) -> Result<Vec<LentMeta>> {
    let mut d = Decoder::new(bytes, "what is lent");
    let list = d.list(32, |d| {
        Ok(LentMeta {
            addr: d.u64()?,
            ty: TypeId(d.u32()?),
            data: get_span(d)?,
        })
    })?;
    d.end()?;
    Ok(list)
}
