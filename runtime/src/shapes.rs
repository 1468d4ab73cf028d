//! What the program's types say of unions: which types have any, and which unions have their notes in `notes`.

use pc3_typemetric::descriptor::{NOTES_CODES, NOTES_MOST};
use pc3_typemetric::types::{Kind, TypeId, TypeTable};

use crate::notes;

/// What the program's types say of unions.
#[derive(Debug, Default)]
pub struct Shapes {
    /// By number of the type: has it any?
    has: Vec<bool>,
    /// Of unions whose notes lie in `notes`, their size.
    small: Vec<u8>,
    /// The largest of them.
    most: usize,
    /// What codes of generated code say, and a number of theirs for a type.
    types: Vec<u32>,
    numbers: Vec<Option<u32>>,
}

impl Shapes {
    /// `kinds`: numbers that codes have, and the unions' types; none: nothing is noted.
    pub fn new(types: &TypeTable, kinds: &[(u32, u32)]) -> Shapes {
        let mut shapes = Shapes::default();
        if kinds.is_empty() {
            return shapes;
        }
        let all = types.iter().map(|(id, _)| id.0).max().unwrap_or(0) as usize + 1;
        let mut has: Vec<Option<bool>> = vec![None; all];
        shapes.has = (0..all)
            .map(|i| any(types, TypeId(i as u32), &mut has))
            .collect();
        // Of memory without a type nothing is known.
        shapes.has[0] = true;
        shapes.small = vec![0; all];
        for (id, t) in types.iter().filter(|(_, t)| t.kind == Kind::Union) {
            let inner = t.members.iter().any(|m| shapes.has(m.ty.0));
            if t.size > 0 && t.size as usize <= NOTES_MOST && t.size % 4 == 0 && !inner {
                shapes.small[id.0 as usize] = t.size as u8;
                if kinds.iter().any(|k| k.1 == id.0) {
                    shapes.most = shapes.most.max(t.size as usize);
                }
            }
        }
        shapes.numbers = vec![None; all];
        for (n, ty) in kinds {
            let len = shapes.types.len().max(*n as usize + 1);
            shapes.types.resize(len, 0);
            shapes.types[*n as usize] = *ty;
            if let Some(known) = shapes.numbers.get_mut(*ty as usize) {
                known.get_or_insert(*n);
            }
        }
        shapes
    }

    /// Is nothing noted at all?
    pub fn is_empty(&self) -> bool {
        self.types.is_empty()
    }

    pub fn has(&self, ty: u32) -> bool {
        self.has.get(ty as usize).copied().unwrap_or(false)
    }

    /// The largest union with such notes.
    pub fn most(&self) -> usize {
        self.most
    }

    /// By the number in a code.
    pub fn types(&self) -> &[u32] {
        &self.types
    }

    pub fn small(&self, ty: u32) -> Option<usize> {
        let bytes = self.small.get(ty as usize).copied().unwrap_or(0);
        (bytes != 0).then_some(bytes.into())
    }

    pub fn code(&self, ty: u32, members: u64) -> u32 {
        let number = self.numbers.get(ty as usize).copied().flatten();
        match number.filter(|_| members.is_power_of_two()) {
            Some(n) => NOTES_CODES + (n << 6 | members.trailing_zeros()),
            None => notes::coded(ty, members),
        }
    }

    /// Of a small union.
    ///
    /// # Safety
    /// The union can be read.
    pub unsafe fn last(&self, at: usize, ty: u32, bytes: usize) -> u64 {
        // SAFETY: by the caller.
        let code = unsafe { notes::code(at, bytes) };
        let noted = notes::decoded(code, &self.types).filter(|(of, _)| *of == ty);
        noted.map_or(0, |(_, members)| members)
    }
}

fn any(types: &TypeTable, ty: TypeId, known: &mut Vec<Option<bool>>) -> bool {
    let i = ty.0 as usize;
    if let Some(Some(is)) = known.get(i) {
        return *is;
    }
    let t = types.get(ty);
    let is = match t.kind {
        Kind::Union => true,
        Kind::Array => any(types, t.elem, known),
        Kind::Struct => t.members.iter().any(|m| any(types, m.ty, known)),
        _ => false,
    };
    known[i] = Some(is);
    is
}

#[cfg(test)]
impl Shapes {
    /// Unions of one type, with notes.
    pub fn of_one(ty: u32, bytes: u8) -> Shapes {
        let mut small = vec![0; ty as usize];
        small.push(bytes);
        Shapes {
            small,
            most: bytes.into(),
            types: vec![0, ty],
            ..Shapes::default()
        }
    }
}
