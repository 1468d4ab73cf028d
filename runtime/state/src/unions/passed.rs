//! Values with unions that are passed and returned: what is known of them waits here on the way. And which unions a type has.

use pc3_typemetric::descriptor::pc3_value;

use super::{contents, mixed, Part, Passed, Unions, FLIGHT, MOST_PASSED};
use pc3_typemetric::types::{Kind, TypeId, TypeTable};

impl Unions {
    /// A value of this type is passed or returned.
    ///
    /// # Safety
    /// A value of that type lies there.
    #[inline]
    pub unsafe fn pass(&mut self, at: usize, types: &TypeTable, ty: u32) {
        let parts = self.parts(types, ty);
        if parts.len() > MOST_PASSED {
            return;
        }
        let mut members = [0; MOST_PASSED];
        for (p, m) in parts.iter().zip(&mut members) {
            // SAFETY: an object of the program.
            *m = unsafe { self.members(at + p.at, p.ty) };
        }
        self.passed[self.next] = Passed {
            ty,
            // SAFETY: as above.
            contents: unsafe { all(at, parts) },
            members,
        };
        self.next = (self.next + 1) % FLIGHT;
    }

    /// A small value on its way makes place.
    #[inline]
    pub fn set_aside(&mut self, value: pc3_value) {
        self.last_aside = (self.last_aside + 1) % FLIGHT;
        self.crowd[self.last_aside] = value;
    }

    /// The code of the one that holds this; 0: there is none, or several differ.
    #[inline]
    pub fn aside(&mut self, held: u64) -> u32 {
        let mut fits = self.crowd.iter_mut();
        let mut fits = fits.by_ref().filter(|v| v.count > 0 && v.held == held);
        let Some(first) = fits.next() else { return 0 };
        let code = first.code;
        match fits.all(|v| v.code == code) {
            true => {
                first.count -= 1;
                code
            }
            false => 0,
        }
    }

    /// A value has arrived in an object of this type.
    ///
    /// # Safety
    /// A value of that type lies there.
    #[inline]
    pub unsafe fn take(&mut self, at: usize, types: &TypeTable, ty: u32) {
        let parts = self.parts(types, ty);
        let mut members = [0; MOST_PASSED];
        if parts.len() <= MOST_PASSED {
            // SAFETY: an object of the program.
            let now = unsafe { all(at, parts) };
            let mut fits = self.passed.iter();
            let mut fits = fits.by_ref().filter(|p| p.ty == ty && p.contents == now);
            if let Some(first) = fits.next() {
                members = first.members;
            }
            // Two that look alike and are not: any of them may be the one.
            for p in fits {
                for (a, b) in members.iter_mut().zip(&p.members) {
                    *a = if *a == 0 || *b == 0 { 0 } else { *a | *b };
                }
            }
        }
        for (k, p) in parts.iter().enumerate() {
            let members = members.get(k).copied().unwrap_or(0);
            // SAFETY: as above.
            unsafe { self.give(at + p.at, p.ty, members) };
        }
    }

    /// The unions in a type, at any depth.
    #[inline]
    pub(super) fn parts(&mut self, types: &TypeTable, ty: u32) -> &'static [Part] {
        match self.parts.get(ty as usize) {
            Some(Some(p)) => p,
            _ => self.find_parts(types, ty),
        }
    }

    /// Types are few and live as long as the program.
    #[cold]
    fn find_parts(&mut self, types: &TypeTable, ty: u32) -> &'static [Part] {
        let mut out = Vec::new();
        find(types, TypeId(ty), 0, &mut out);
        let parts: &'static [Part] = out.leak();
        if self.parts.len() <= ty as usize {
            self.parts.resize(ty as usize + 1, None);
        }
        self.parts[ty as usize] = Some(parts);
        parts
    }
}

fn find(types: &TypeTable, ty: TypeId, at: usize, out: &mut Vec<Part>) {
    const MOST: usize = 1 << 16;
    let t = types.get(ty);
    if out.len() >= MOST {
        return;
    }
    match t.kind {
        Kind::Array => {
            let each = types.size(t.elem) as usize;
            let before = out.len();
            for i in 0..t.count as usize {
                find(types, t.elem, at + i * each, out);
                if out.len() == before {
                    break;
                }
            }
        }
        Kind::Struct | Kind::Union => {
            if t.kind == Kind::Union {
                out.push(Part {
                    at,
                    ty: ty.0,
                    bytes: t.size as u32,
                });
            }
            for m in t.members.iter().filter(|m| m.bits.is_none()) {
                find(types, m.ty, at + m.offset as usize, out);
            }
        }
        _ => {}
    }
}

unsafe fn all(at: usize, parts: &[Part]) -> u64 {
    // SAFETY: by the caller.
    parts.iter().fold(0, |n, p| unsafe {
        mixed(n ^ contents(at + p.at, p.bytes as usize))
    })
}
