//! What a call sends or receives: blocks by number, one for each member it deals with.

use pc3_runtime::checkpoint::of_origin;
use pc3_runtime::report::{die, error, EXIT_REFUSED};
use pc3_runtime::transfer::LoadCtx;
use pc3_typemetric::codes;

use crate::remote::kept::Packed;
use pc3_vmpi_core::world::World;
use pc3_vmpi_objects::datatype::moving::Buf;
use pc3_vmpi_objects::datatype::saved::values;
use pc3_vmpi_objects::datatype::saved::written::{read_signature, write_signature};
use pc3_vmpi_objects::datatype::signature::Signature;
use pc3_vmpi_objects::datatype::{Datatype, TypeRef};
use pc3_vmpi_objects::pack;
use pc3_vmpi_objects::wire::{bad, Read, Reader, Writer};

/// An array argument, as wide as the program's.
#[derive(Clone, Copy, Debug)]
pub enum Ints<'a> {
    Int(&'a [i32]),
    Count(&'a [i64]),
    Aint(&'a [isize]),
}

impl Ints<'_> {
    pub const NONE: Ints<'static> = Ints::Int(&[]);

    #[inline]
    pub fn at(&self, i: usize) -> isize {
        match self {
            Ints::Int(v) => v[i] as isize,
            Ints::Count(v) => v[i] as isize,
            Ints::Aint(v) => v[i],
        }
    }

    #[inline]
    pub fn len(&self) -> usize {
        match self {
            Ints::Int(v) => v.len(),
            Ints::Count(v) => v.len(),
            Ints::Aint(v) => v.len(),
        }
    }

    #[inline]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    #[inline]
    pub fn iter(&self) -> impl ExactSizeIterator<Item = isize> + '_ {
        (0..self.len()).map(|i| self.at(i))
    }

    pub fn same(&self, other: &Ints) -> bool {
        match (self, other) {
            // glibc's memcmp of nothing at no address is slow.
            _ if self.is_empty() && other.is_empty() => true,
            (Ints::Int(a), Ints::Int(b)) => a == b,
            _ => self.len() == other.len() && self.iter().eq(other.iter()),
        }
    }
}

/// The blocks that a call sends or receives.
pub enum Side<'a> {
    /// Not significant at this rank.
    None,
    InPlace,
    /// The same block whoever it is for.
    One {
        ptr: *mut u8,
        count: usize,
        ty: &'a TypeRef,
    },
    /// Equal blocks, one after another.
    Blocks {
        ptr: *mut u8,
        count: usize,
        ty: &'a TypeRef,
    },
    /// Blocks of their own counts, at displacements in extents.
    Each {
        ptr: *mut u8,
        counts: Ints<'a>,
        displs: Ints<'a>,
        ty: &'a TypeRef,
    },
    /// Blocks of their own types, at displacements in bytes.
    Typed {
        ptr: *mut u8,
        counts: Ints<'a>,
        displs: Ints<'a>,
        types: &'a [TypeRef],
    },
    /// What came from another process.
    Remote(&'a [Packed]),
}

/// Machines that keep values in memory alike.
const ALIKE: u8 = (size_of::<usize>() as u8)
    | (align_of::<f64>() as u8) << 4
    | (cfg!(target_endian = "big") as u8);

/// Writes elements in the portable format; false: they have none.  Behind bytes that are values of the program's types it says
/// which, and how these are kept: `signature length:u32 machine:u8`.
///
/// # Safety
/// `count` elements at `from` are readable.
pub(crate) unsafe fn write_elements(
    w: &mut Writer,
    from: *const u8,
    count: usize,
    ty: &Datatype,
) -> bool {
    // SAFETY: the caller's promise.
    let native = unsafe { ty.pack_vec(from, count) };
    let mut portable = Vec::new();
    let whole = ty.signature.repeat(count as u64);
    let done = pack::to_portable(&whole, &native, &mut portable).is_ok();
    if whole.has_values() {
        let mut says = Writer::default();
        write_signature(&mut says, &whole);
        says.u32(says.0.len() as u32);
        says.u8(ALIKE);
        portable.append(&mut says.0);
    }
    w.bytes(&portable);
    done
}

/// Reads what [`write_elements`] wrote.
///
/// # Safety
/// `count` elements at `to` are writable.
pub(crate) unsafe fn read_elements(
    r: &mut Reader,
    (to, count, ty): (*mut u8, usize, &Datatype),
    world: &World,
) -> Read<()> {
    let portable = r.bytes()?;
    let whole = ty.signature.repeat(count as u64);
    let native = match whole.has_values() {
        true => values_again(portable, &whole, world)?,
        false => {
            let mut native = Vec::new();
            let read = pack::from_portable(&whole, portable, &mut native);
            read.or_else(|e| bad(&format!("the result of a collective: {}", e.detail)))?;
            native
        }
    };
    if native.len() != ty.size * count {
        return bad("the result of a collective has another size");
    }
    // SAFETY: the caller's promise.
    unsafe { ty.unpack(native.as_ptr(), native.len(), to, count) };
    Ok(())
}

/// A result with values of the program's types.  Where nobody can tell what they are here the job does not go on.
fn values_again(bytes: &[u8], here: &Signature, world: &World) -> Read<Vec<u8>> {
    let as_here = bytes.split_at_checked(here.native_size() as usize);
    // Older checkpoints say nothing.
    if let Some((data, [] | [.., ALIKE])) = as_here {
        return Ok(data.to_vec());
    }
    let convert = |ctx: &dyn LoadCtx| {
        let Some((front, &[a, b, c, d, _])) = bytes.split_last_chunk() else {
            return bad("the result of a collective");
        };
        let length = u32::from_le_bytes([a, b, c, d]) as usize;
        let Some((data, says)) = front.len().checked_sub(length).map(|at| front.split_at(at))
        else {
            return bad("the result of a collective");
        };
        values::data(&read_signature(&mut Reader(says))?, data, ctx)
    };
    let Some(job) = world.job.get() else {
        return bad("the result of a collective of another program");
    };
    of_origin(job, convert).map_err(|e| {
        let text = format!("the result of a collective that crosses the checkpoint: {e}");
        die(EXIT_REFUSED, &error(codes::MESSAGES, &text))
    })
}

impl Side<'_> {
    pub fn block(&self, j: usize) -> Option<Buf<'_>> {
        Some(match *self {
            Side::None | Side::InPlace | Side::Remote(_) => return None,
            Side::One { ptr, count, ty } => Buf { ptr, count, ty },
            Side::Blocks { ptr, count, ty } => {
                let at = ty
                    .extent
                    .wrapping_mul(count as isize)
                    .wrapping_mul(j as isize);
                Buf {
                    ptr: ptr.wrapping_offset(at),
                    count,
                    ty,
                }
            }
            Side::Each {
                ptr,
                counts,
                displs,
                ty,
            } => {
                let at = ty.extent.wrapping_mul(displs.at(j));
                Buf {
                    ptr: ptr.wrapping_offset(at),
                    count: counts.at(j) as usize,
                    ty,
                }
            }
            Side::Typed {
                ptr,
                counts,
                displs,
                types,
            } => Buf {
                ptr: ptr.wrapping_offset(displs.at(j)),
                count: counts.at(j) as usize,
                ty: &types[j],
            },
        })
    }

    /// The bytes of a block, where they lie as they are sent.
    #[inline(always)]
    pub fn bytes(&self, j: usize) -> Option<(*mut u8, usize)> {
        let (ptr, at, count, ty) = match *self {
            Side::One { ptr, count, ty } => (ptr, 0, count, ty),
            Side::Blocks { ptr, count, ty } => {
                (ptr, (count as isize).wrapping_mul(j as isize), count, ty)
            }
            Side::Each {
                ptr,
                ref counts,
                ref displs,
                ty,
            } => (ptr, displs.at(j), counts.at(j) as usize, ty),
            _ => return None,
        };
        let ty: &Datatype = ty;
        let at = ty.layout.at.wrapping_add(ty.extent.wrapping_mul(at));
        (ty.contiguous && !ty.is_packed())
            .then(|| (ptr.wrapping_offset(at), ty.size.saturating_mul(count)))
    }

    #[inline]
    pub fn in_place(&self) -> bool {
        matches!(self, Side::InPlace)
    }

    /// A copy that needs nothing of the call.
    pub fn keep(&self) -> KeptSide {
        let ints = |v: &Ints| v.iter().collect::<Box<[isize]>>();
        match *self {
            // Calls from elsewhere are not kept.
            Side::None | Side::Remote(_) => KeptSide::None,
            Side::InPlace => KeptSide::InPlace,
            Side::One { ptr, count, ty } => KeptSide::One {
                ptr,
                count,
                ty: ty.clone(),
            },
            Side::Blocks { ptr, count, ty } => KeptSide::Blocks {
                ptr,
                count,
                ty: ty.clone(),
            },
            Side::Each {
                ptr,
                ref counts,
                ref displs,
                ty,
            } => KeptSide::Each {
                ptr,
                counts: ints(counts),
                displs: ints(displs),
                ty: ty.clone(),
            },
            Side::Typed {
                ptr,
                ref counts,
                ref displs,
                types,
            } => KeptSide::Typed {
                ptr,
                counts: ints(counts),
                displs: ints(displs),
                types: types.into(),
            },
        }
    }
}

/// A [`Side`] of a call that has returned.
pub enum KeptSide {
    None,
    InPlace,
    One {
        ptr: *mut u8,
        count: usize,
        ty: TypeRef,
    },
    Blocks {
        ptr: *mut u8,
        count: usize,
        ty: TypeRef,
    },
    Each {
        ptr: *mut u8,
        counts: Box<[isize]>,
        displs: Box<[isize]>,
        ty: TypeRef,
    },
    Typed {
        ptr: *mut u8,
        counts: Box<[isize]>,
        displs: Box<[isize]>,
        types: Box<[TypeRef]>,
    },
}

impl KeptSide {
    pub fn side(&self) -> Side<'_> {
        match self {
            KeptSide::None => Side::None,
            KeptSide::InPlace => Side::InPlace,
            KeptSide::One { ptr, count, ty } => Side::One {
                ptr: *ptr,
                count: *count,
                ty,
            },
            KeptSide::Blocks { ptr, count, ty } => Side::Blocks {
                ptr: *ptr,
                count: *count,
                ty,
            },
            KeptSide::Each {
                ptr,
                counts,
                displs,
                ty,
            } => Side::Each {
                ptr: *ptr,
                counts: Ints::Aint(counts),
                displs: Ints::Aint(displs),
                ty,
            },
            KeptSide::Typed {
                ptr,
                counts,
                displs,
                types,
            } => Side::Typed {
                ptr: *ptr,
                counts: Ints::Aint(counts),
                displs: Ints::Aint(displs),
                types,
            },
        }
    }

    /// The datatypes in it, in order.
    pub fn types(&self) -> &[TypeRef] {
        match self {
            KeptSide::None | KeptSide::InPlace => &[],
            KeptSide::One { ty, .. } | KeptSide::Blocks { ty, .. } | KeptSide::Each { ty, .. } => {
                std::slice::from_ref(ty)
            }
            KeptSide::Typed { types, .. } => types,
        }
    }
}
