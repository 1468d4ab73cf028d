//! Section `Shared`: the shared objects of a process, in which pointers may lead.

use super::bytes::{Decoder, Encoder};
use super::meta::Result;

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SharedMeta {
    /// File name: `libz.so.1`.
    pub name: String,
    /// What its linker identifies it by; empty: nothing.
    pub build: Vec<u8>,
    /// What its own addresses count from.
    pub base: u64,
    pub parts: Vec<Part>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Part {
    pub start: u64,
    pub end: u64,
    /// Code and constants: the same wherever it lies.
    pub constant: bool,
}

#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Saved {
    pub objects: Vec<SharedMeta>,
    /// What libraries had allocated and the program has given back.
    pub given_back: Vec<u64>,
}

pub fn encode(saved: &Saved) -> Vec<u8> {
    let mut e = Encoder::default();
    e.len(saved.objects.len());
    for s in &saved.objects {
        e.str(&s.name);
        e.bytes(&s.build);
        e.u64(s.base);
        e.len(s.parts.len());
        for p in &s.parts {
            [p.start, p.end, p.constant.into()]
                .into_iter()
                .for_each(|v| e.u64(v));
        }
    }
    e.len(saved.given_back.len());
    saved.given_back.iter().for_each(|a| e.u64(*a));
    e.0
}

pub fn decode(bytes: &[u8]) -> Result<Saved> {
    let mut d = Decoder::new(bytes, "shared objects");
    let objects = d.list(32, |d| {
        Ok(SharedMeta {
            name: d.str()?,
            build: d.bytes()?.to_vec(),
            base: d.u64()?,
            parts: d.list(24, |d| {
                Ok(Part {
                    start: d.u64()?,
                    end: d.u64()?,
                    constant: d.u64()? != 0,
                })
            })?,
        })
    })?;
    let given_back = d.list(8, |d| d.u64())?;
    d.end()?;
    Ok(Saved {
        objects,
        given_back,
    })
}
