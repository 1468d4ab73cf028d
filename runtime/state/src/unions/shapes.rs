//! What the program's types say of unions: which types have any, and which unions have their notes in `notes`.

use std::collections::HashSet;

use pc3_typemetric::descriptor::{NOTES_CODES, NOTES_MOST, PC3_UNION_WHOLE};
use pc3_typemetric::types::{Kind, Member, TypeId, TypeTable};

use crate::unions::notes;

/// Where the note of a member lies, and how many bytes of the member it has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NoteSlot {
    /// How deep unions lie in the union.
    pub level: usize,
    pub window: usize,
}

/// A union.
#[derive(Clone, Debug)]
struct NotedUnion {
    /// If its notes lie beside the program's memory.
    level: Option<usize>,
    /// By member.
    windows: Box<[u8]>,
}

/// What the program's types say of unions.
#[derive(Debug, Default)]
pub struct Shapes {
    /// By number of the type: has it any that is noted?
    has: Vec<bool>,
    forms: Vec<Option<NotedUnion>>,
    /// As much as the longest note has of a member.
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
        let mut heights: Vec<Option<usize>> = vec![None; all];
        let noted: HashSet<u32> = kinds.iter().map(|k| k.1).collect();
        let mut known = vec![None; all];
        shapes.has = (0..all)
            .map(|i| has(types, TypeId(i as u32), &noted, &mut known))
            .collect();
        // Of memory without a type nothing is known.
        shapes.has[0] = true;
        // Several unions of the program may be of one type.
        let part = kinds.iter().filter(|k| k.0 & PC3_UNION_WHOLE == 0);
        let part: HashSet<u32> = part.map(|k| k.1).collect();
        shapes.forms = vec![None; all];
        for (id, t) in types.iter().filter(|(_, t)| t.kind == Kind::Union) {
            let level = height(types, id, &mut heights) - 1;
            let near = level < LEVELS && t.size > 0 && t.size % 4 == 0;
            let windows = t.members.iter().map(|m| match part.contains(&id.0) {
                true => window(types, t.size, m),
                false => t.size.min(NOTES_MOST as u64) as u8,
            });
            shapes.forms[id.0 as usize] = Some(NotedUnion {
                level: near.then_some(level),
                windows: windows.collect(),
            });
        }
        shapes.numbers = vec![None; all];
        for (n, ty) in kinds.iter().map(|(n, ty)| (n & !PC3_UNION_WHOLE, ty)) {
            let len = shapes.types.len().max(n as usize + 1);
            shapes.types.resize(len, 0);
            shapes.types[n as usize] = *ty;
            if let Some(known) = shapes.numbers.get_mut(*ty as usize) {
                known.get_or_insert(n);
            }
        }
        let noted = shapes.types.iter().filter_map(|ty| shapes.form(*ty));
        let longest = noted.flat_map(|f| f.windows.iter()).max();
        shapes.most = longest.copied().unwrap_or(0).into();
        // Generated code copies such notes also of unions that nothing writes.
        let nested = |f: &NotedUnion| f.level == Some(1);
        let written = shapes.types.iter().filter_map(|ty| shapes.form(*ty));
        notes::begin(
            shapes.forms.iter().flatten().any(nested),
            written.into_iter().any(nested),
        );
        shapes
    }

    /// Is nothing noted at all?
    pub fn is_empty(&self) -> bool {
        self.types.is_empty()
    }

    #[inline]
    pub fn has(&self, ty: u32) -> bool {
        self.has.get(ty as usize).copied().unwrap_or(false)
    }

    fn form(&self, ty: u32) -> Option<&NotedUnion> {
        self.forms.get(ty as usize)?.as_ref()
    }

    /// As much as the longest note has of a member.
    pub fn most(&self) -> usize {
        self.most
    }

    /// Do its notes lie beside the program's memory?
    #[inline]
    pub fn level(&self, ty: u32) -> Option<usize> {
        self.form(ty)?.level
    }

    /// Where such notes of one of these members lie.
    #[inline]
    pub fn place(&self, ty: u32, members: u64) -> Option<NoteSlot> {
        let level = self.level(ty)?;
        let window = self.window(ty, members);
        Some(NoteSlot { level, window })
    }

    /// As much of the union as each of these members has; of none nothing.
    #[inline]
    pub fn window(&self, ty: u32, members: u64) -> usize {
        let Some(form) = self.form(ty).filter(|_| members != 0) else {
            return 0;
        };
        let mut rest = members;
        let mut least = NOTES_MOST as u8;
        while rest != 0 {
            let k = rest.trailing_zeros() as usize;
            least = least.min(form.windows.get(k).copied().unwrap_or(0));
            rest &= rest - 1;
        }
        least.into()
    }

    /// By the number in a code.
    #[inline]
    pub fn types(&self) -> &[u32] {
        &self.types
    }

    /// What a code says: the union's type, and members.
    pub fn noted(&self, code: u32) -> Option<(u32, u64)> {
        notes::decoded(code, &self.types)
    }

    pub fn code(&self, ty: u32, members: u64) -> u32 {
        let number = self.numbers.get(ty as usize).copied().flatten();
        match number.filter(|_| members.is_power_of_two()) {
            Some(n) => NOTES_CODES + (n << 6 | members.trailing_zeros()),
            None => notes::coded(ty, members),
        }
    }

    /// What the note beside a union says, if it holds.
    ///
    /// # Safety
    /// The union can be read.
    pub unsafe fn last(&self, at: usize, ty: u32, level: usize) -> u64 {
        let noted = self.noted(notes::code(at, level));
        let Some((_, members)) = noted.filter(|(of, _)| *of == ty) else {
            return 0;
        };
        let window = self.window(ty, members);
        // SAFETY: by the caller.
        match unsafe { notes::holds(at, NoteSlot { level, window }) } {
            true => members,
            false => 0,
        }
    }
}

/// Unions in which others lie so deep have their notes beside the program's memory.
const LEVELS: usize = 2;

/// As `pc3_window` in pc3_rt.h: eight bytes where a member has no size there.
#[inline]
fn window(types: &TypeTable, union: u64, m: &Member) -> u8 {
    let sized = !m.name.is_empty() && m.bits.is_none();
    let own = if sized { types.size(m.ty) } else { 0 };
    own.max(8).min(union).min(NOTES_MOST as u64) as u8
}

/// Does the type have one of these unions?
fn has(types: &TypeTable, ty: TypeId, noted: &HashSet<u32>, known: &mut Vec<Option<bool>>) -> bool {
    let i = ty.0 as usize;
    if let Some(Some(has)) = known.get(i) {
        return *has;
    }
    let t = types.get(ty);
    let found = match t.kind {
        Kind::Union if noted.contains(&ty.0) => true,
        Kind::Struct | Kind::Union => t.members.iter().any(|m| has(types, m.ty, noted, known)),
        Kind::Array => has(types, t.elem, noted, known),
        _ => false,
    };
    known[i] = Some(found);
    found
}

/// How deep unions lie in each other in a type; 0: there are none.
fn height(types: &TypeTable, ty: TypeId, known: &mut Vec<Option<usize>>) -> usize {
    let i = ty.0 as usize;
    if let Some(Some(n)) = known.get(i) {
        return *n;
    }
    let t = types.get(ty);
    let mut inner = || {
        let all = t.members.iter().map(|m| height(types, m.ty, known));
        all.max().unwrap_or(0)
    };
    let n = match t.kind {
        Kind::Union => 1 + inner(),
        Kind::Struct => inner(),
        Kind::Array => height(types, t.elem, known),
        _ => 0,
    };
    known[i] = Some(n);
    n
}

#[cfg(test)]
impl Shapes {
    /// Unions with notes: type, level, and the windows of its members.
    pub fn of(list: &[(u32, usize, &[u8])]) -> Shapes {
        let all = list.iter().map(|l| l.0).max().unwrap_or(0) as usize + 1;
        let mut forms = vec![None; all];
        for (ty, level, windows) in list {
            let level = Some(*level);
            forms[*ty as usize] = Some(NotedUnion {
                level,
                windows: (*windows).into(),
            });
        }
        Shapes {
            forms,
            types: list.iter().map(|l| l.0).collect(),
            most: NOTES_MOST,
            ..Shapes::default()
        }
    }

    /// A union whose notes lie in a table.
    pub fn far(ty: u32, windows: &[u8]) -> Shapes {
        let mut shapes = Shapes::of(&[(ty, 0, windows)]);
        for form in shapes.forms.iter_mut().flatten() {
            form.level = None;
        }
        shapes
    }
}
