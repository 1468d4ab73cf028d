//! Gives every saved object its place: what is the same in every run, globals, stack, heap.

use std::collections::HashMap;
use std::ffi::c_void;

use pc3_typemetric::choice::{Choice, Rule};
use pc3_typemetric::types::{Kind, TypeId, TypeTable};

use super::texts::Texts;
use super::{Name, Pending, RankBuilder, RestoreError};
use crate::address_map::address_scan::number;
use pc3_format::meta::{GlobalMeta, ProgramMeta, Span};
use pc3_state::stack::shadow::Shadow;

/// What is the same in every run of this program: constants, literals, functions.
pub(super) struct Constants<'a> {
    globals: &'a [GlobalMeta],
    texts: Texts<'a>,
    functions: HashMap<&'a str, u64>,
}

impl Constants<'_> {
    pub(super) fn of(here: &ProgramMeta) -> Constants<'_> {
        Constants {
            globals: &here.globals,
            texts: Texts::of(here),
            functions: here.fnrefs.iter().map(|(n, a)| (&n[..], *a)).collect(),
        }
    }
}

impl RankBuilder<'_, '_> {
    pub(super) fn constants(&mut self, here: &Constants) -> Result<(), RestoreError> {
        let saved = &self.checkpoint.program;
        for (i, (a, b)) in saved
            .globals
            .iter()
            .zip(here.globals)
            .enumerate()
            .filter(|(_, (a, _))| a.constant)
        {
            let plan = self
                .plans
                .get(a.ty, b.ty)
                .map_err(self.types(Name::Global(i)))?;
            self.displaced |= a.addr != b.addr;
            self.directory
                .object(a.addr, a.size, a.ty, b.addr as usize, plan);
        }
        self.texts(&here.texts);
        for (name, addr) in &saved.fnrefs {
            if let Some(to) = here.functions.get(&name[..]) {
                self.directory.function(*addr, *to as usize);
            }
        }
        Ok(())
    }

    /// Strings that `getenv` may have returned.
    pub(super) fn environment(&mut self, strings: &[(u64, u64, usize)]) {
        let mut types = self.checkpoint.types.iter();
        let Some((ty, _)) = types.find(|(_, t)| t.kind == Kind::Char) else {
            return;
        };
        if let Ok(plan) = self.plans.get(ty, self.program.char_type()) {
            for &(addr, bytes, here) in strings {
                self.directory.object(addr, bytes, ty, here, plan.clone());
            }
        }
    }

    pub(super) fn globals(&mut self) -> Result<(), RestoreError> {
        let saved = &self.checkpoint.program.globals;
        let writable = saved.iter().enumerate().filter(|(_, g)| !g.constant);
        let delta = self.rank.delta();
        for ((i, g), span) in writable.zip(&self.image.meta.globals) {
            let name = Name::Global(i);
            let to = &self.program.globals[i];
            let target = to.addr.wrapping_add_signed(delta);
            let start =
                g.addr.wrapping_add(self.image.meta.delta) & address_mask(self.plans.source);
            if span.bytes == 0 && g.size > 0 {
                if !to.unsaved {
                    let error = "it is not saved in the checkpoint, and nothing here computes it";
                    return Err(self.value(name, error));
                }
                // Of what does not convert, there are no pointers to keep.
                if let Ok(plan) = self.plans.get(g.ty, to.ty) {
                    self.directory.object(start, g.size, g.ty, target, plan);
                }
                continue;
            }
            if let (Some((tag, choice)), true) = (&to.chosen, self.foreign()) {
                let tag = self.number(tag);
                let tag =
                    tag.ok_or_else(|| self.value(name, "what says its member is not there"))?;
                self.member(name, *span, start, target, (g.ty, to.ty), choice, tag)?;
                continue;
            }
            let plan = self.plans.get(g.ty, to.ty).map_err(self.types(name))?;
            let bytes = self.size(&plan, g.size, name)?;
            let dealt = self.inside(start, g.size as usize).first();
            // Behind a flexible array that an initialiser fills there is more or less room, by the struct's alignment.
            let fits = bytes == to.size || plan.ends_open() && dealt.is_none();
            if !fits {
                return Err(self.value(name, &other_size(bytes, to.size)));
            }
            self.put(name, start, target);
            self.directory
                .object(start, g.size, g.ty, target, plan.clone());
            let mut into = target;
            if bytes > to.size {
                let mut longer = vec![0; bytes].into_boxed_slice();
                into = longer.as_mut_ptr() as usize;
                self.longer.push((name, longer, target, to.size));
            }
            self.pending.push(Pending {
                name,
                start,
                span: *span,
                target: into,
                bytes,
                plan,
                ty: g.ty,
                untyped: false,
            });
        }
        Ok(())
    }

    fn foreign(&self) -> bool {
        !self.plans.source.abi().same_layout(self.plans.target.abi())
    }

    /// The value of a saved global that is an integer.
    fn number(&self, name: &str) -> Option<i128> {
        let saved = &self.checkpoint.program.globals;
        let mut writable = saved.iter().filter(|g| !g.constant);
        let i = writable.position(|g| g.name == name)?;
        let g = saved.iter().filter(|g| !g.constant).nth(i)?;
        let types = self.plans.source;
        let t = types.get(g.ty);
        let bytes = self.image.bytes(*self.image.meta.globals.get(i)?);
        if !t.kind.is_integer() || bytes.is_empty() || bytes.len() > 8 {
            return None;
        }
        let raw = number(types.abi().endian, bytes);
        let unused = 64 - 8 * bytes.len() as u32;
        Some(if t.is_signed(types.abi()) {
            ((raw << unused) as i64 >> unused).into()
        } else {
            raw.into()
        })
    }

    /// A union of which it is known what it holds: an object of that type.
    #[allow(clippy::too_many_arguments)]
    fn member(
        &mut self,
        name: Name,
        span: Span,
        start: u64,
        target: usize,
        (from, to): (TypeId, TypeId),
        choice: &Choice,
        tag: i128,
    ) -> Result<(), RestoreError> {
        let fits = |r: &&Rule| r.tests.iter().any(|t| t.fits(tag, choice.mask));
        let Some(rule) = choice.rules.iter().find(fits) else {
            let why = format!(
                "{tag} in {} says of no member that it is in use",
                choice.tag
            );
            return Err(self.value(name, &why));
        };
        let Some(member) = &rule.member else {
            return Ok(());
        };
        let ty = |table: &TypeTable, of: TypeId| {
            let mut members = table.get(of).members.iter();
            members.find(|m| m.name == *member).map(|m| m.ty)
        };
        let (Some(from), Some(to)) = (ty(self.plans.source, from), ty(self.plans.target, to))
        else {
            return Err(self.value(name, &format!("it has no member {member}")));
        };
        let plan = self.plans.get(from, to).map_err(self.types(name))?;
        let size = self.plans.source.size(from);
        let bytes = self.size(&plan, size, name)?;
        self.directory
            .object(start, size, from, target, plan.clone());
        self.pending.push(Pending {
            name,
            start,
            span: Span {
                bytes: size,
                ..span
            },
            target,
            bytes,
            plan,
            ty: from,
            untyped: false,
        });
        Ok(())
    }

    pub(super) fn frames(&mut self) -> Result<(), RestoreError> {
        let meta = &self.image.meta;
        let mut structs = vec![std::ptr::null_mut::<c_void>(); meta.frames.len()];
        self.rank.shadow.reset();
        for s in &meta.shadow {
            let frame = s.frame.map(|f| &meta.frames[f as usize]);
            let func = frame.map(|f| f.func as usize);
            let name = frame.map_or(Name::Block, |f| Name::Shadow {
                func: f.func as usize,
                point: f.point as usize,
            });
            let (to, plan) = match func {
                Some(func) => {
                    let to = self.program.funcs[func].shadow.unwrap_or(TypeId::UNKNOWN);
                    (to, self.plans.get(s.ty, to).map_err(self.types(name))?)
                }
                None => self.plans.find(s.ty).map_err(self.types(name))?,
            };
            let bytes = self.size(&plan, s.data.bytes, name)?;
            let align = usize::from(self.program.types.get(to).align);
            let elem = self
                .program
                .descriptors
                .get(&to)
                .copied()
                .unwrap_or(std::ptr::null_mut());
            let shadow: &mut Shadow = &mut self.rank.shadow;
            let placed = match func {
                Some(_) => shadow.push_struct(bytes, align),
                None => shadow.push_block(bytes, elem),
            };
            let Some(target) = placed else {
                return Err(self.memory(
                    "the stack of locals whose address escapes; set PC3_SHADOW to a larger size",
                ));
            };
            if let Some(f) = s.frame {
                structs[f as usize] = target as *mut c_void;
            }
            self.put(name, s.addr, target);
            self.directory
                .object(s.addr, s.data.bytes, s.ty, target, plan.clone());
            self.pending.push(Pending {
                name,
                start: s.addr,
                span: s.data,
                target,
                bytes,
                plan,
                ty: s.ty,
                untyped: s.ty == TypeId::UNKNOWN,
            });
        }
        self.rank.frames.clear();
        for (f, shadow) in meta.frames.iter().zip(structs) {
            let func = f.func as usize;
            let name = Name::Live {
                func,
                point: f.point as usize,
            };
            let from = self.checkpoint.program.funcs[func].points[f.point as usize].live;
            let point = &self.program.funcs[func].points[f.point as usize];
            let (Some(from), Some(to)) = (from, point.live) else {
                self.rank.frames.push(point.raw, 0, shadow);
                continue;
            };
            let plan = self.plans.get(from, to).map_err(self.types(name))?;
            let bytes = self.program.types.size(to) as usize;
            let target = self.rank.frames.push(point.raw, bytes, shadow) as usize;
            self.pending.push(Pending {
                name,
                start: 0,
                span: f.live,
                target,
                bytes,
                plan,
                ty: from,
                untyped: false,
            });
        }
        Ok(())
    }
}

/// Objects of static storage are as large as they are.
pub(super) fn other_size(bytes: usize, here: usize) -> String {
    format!("it has {bytes} bytes in the checkpoint's shape, and {here} here")
}

fn address_mask(types: &TypeTable) -> u64 {
    if types.abi().pointer.size >= 8 {
        u64::MAX
    } else {
        u64::from(u32::MAX)
    }
}
