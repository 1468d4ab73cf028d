//! The binary form of a type table.  Every byte of it is described in `docs/format.md`.

use crate::abi::Abi;
use crate::codec::{DecodeError, Reader, Writer};
use crate::intern::Index;
use crate::types::{Bits, Chosen, Kind, Member, Type, TypeId, TypeTable};

const VERSION: u8 = 1;
const WHAT: &str = "type table";

impl TypeTable {
    pub fn encode(&self, out: &mut Vec<u8>) {
        Writer(out).u8(VERSION);
        self.abi().encode(out);
        let mut w = Writer(out);
        w.u32((self.types.len() - 1) as u32);
        for t in &self.types[1..] {
            w.u8(t.kind as u8);
            w.u8(t.flags);
            w.u16(t.align);
            w.u64(t.size);
            w.u64(t.count);
            w.u32(t.elem.0);
            w.str(&t.name);
            w.u32(t.members.len() as u32);
            for m in &t.members {
                w.str(&m.name);
                w.u32(m.ty.0);
                // A bit-field's width is never 0, so 0 marks an ordinary member.
                w.u8(m.bits.map_or(0, |b| b.width as u8));
                w.u64(m.bits.map_or(m.offset, |b| b.offset));
            }
        }
    }

    /// Reads a table from the front of `bytes` and returns it with what follows.
    pub fn decode(bytes: &[u8]) -> Result<(TypeTable, &[u8]), DecodeError> {
        let mut r = Reader::new(bytes, WHAT);
        match r.u8()? {
            VERSION => {}
            found => return Err(DecodeError::Version { what: WHAT, found }),
        }
        let (abi, rest) = Abi::decode(r.rest())?;
        r.set_rest(rest);
        let mut table = TypeTable::new(abi);
        let count = r.count(32)?;
        for _ in 0..count {
            let kind = r.u8()?;
            let kind = Kind::from_number(kind)
                .ok_or_else(|| DecodeError::invalid(WHAT, format!("kind {kind}")))?;
            let (flags, align) = (r.u8()?, r.u16()?);
            let (size, elements) = (r.u64()?, r.u64()?);
            let elem = TypeId(r.u32()?);
            let name = r.str()?;
            let mut members = Vec::new();
            for _ in 0..r.count(17)? {
                let name = r.str()?;
                let ty = TypeId(r.u32()?);
                let (width, position) = (r.u8()?, r.u64()?);
                let bits = (width != 0).then_some(Bits {
                    offset: position,
                    width: width.into(),
                });
                let offset = if width == 0 { position } else { position / 8 };
                members.push(Member {
                    name,
                    ty,
                    offset,
                    bits,
                    choice: Chosen::default(),
                });
            }
            table.types.push(Type {
                kind,
                flags,
                align,
                size,
                count: elements,
                elem,
                members,
                name,
            });
        }
        table.finish(WHAT)?;
        Ok((table, r.rest()))
    }

    /// Checks types that were put into the table without [`TypeTable::commit`].
    pub(crate) fn finish(&mut self, what: &'static str) -> Result<(), DecodeError> {
        let n = self.types.len();
        let in_range = |id: TypeId| id.index() < n;
        for t in &self.types {
            if !in_range(t.elem) || !t.members.iter().all(|m| in_range(m.ty)) {
                return Err(DecodeError::invalid(
                    what,
                    format!("{:?} refers to a type that does not exist", t.name),
                ));
            }
        }
        // Containment depths by repeated relaxation would be quadratic; this is depth-first.
        let mut depth: Vec<Option<u16>> = vec![None; n];
        let mut open = vec![false; n];
        for start in 0..n {
            let mut stack = vec![start];
            while let Some(&i) = stack.last() {
                if depth[i].is_some() {
                    stack.pop();
                    continue;
                }
                open[i] = true;
                let t = &self.types[i];
                let elem = (t.kind == Kind::Array).then_some(t.elem);
                let mut parts = elem.into_iter().chain(t.members.iter().map(|m| m.ty));
                match parts.find(|id| depth[id.index()].is_none() && !open[id.index()]) {
                    Some(id) => stack.push(id.index()),
                    None => {
                        let d = self.check(t, |id| depth[id.index()]);
                        depth[i] = Some(d.map_err(|e| DecodeError::invalid(what, e.to_string()))?);
                        stack.pop();
                    }
                }
            }
        }
        self.depth = depth.into_iter().map(|d| d.unwrap_or(0)).collect();
        self.index = Index::of(&self.types);
        Ok(())
    }
}
