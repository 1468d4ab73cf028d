//! Datatypes: size and bounds, flattened layout, signature, and the call that made them.
//!
//! A [`Datatype`] is immutable and shared: handles, pending operations and derived types refer to
//! it.  What belongs to a handle (committed, name, attributes) is in [`TypeObject`].
//!
//! * `constructor`, `build`: the calls that make types, and types made by them; `basic`, `darray`, `parametrised`: certain ones.
//! * `layout`, `moving`: where bytes lie, and moving them; `signature`: which elements these are.
//! * `saved`: types in a checkpoint, and made again; `portable`, `counted`: what their numbers of bytes are on another ABI.
//! * `bytes`: MPI_BYTE of values; `stored`: types in files of other widths; `told`: types that another process is told.

pub mod basic;
pub mod build;
pub mod bytes;
pub mod constructor;
pub mod counted;
pub mod darray;
pub mod layout;
pub mod moving;
pub mod parametrised;
pub mod portable;
pub mod saved;
pub mod signature;
pub mod stored;
pub mod told;

use basic::{Basic, PAIRS};
use counted::Counts;
use layout::Layout;
use pc3_typemetric::types::TypeId;
use signature::Signature;
use std::ops::Deref;
use std::ptr::NonNull;
use std::sync::{Arc, OnceLock};

pub use build::Constructor;

#[derive(Clone, Debug)]
pub struct Datatype {
    /// Bytes of data in one element: what a packed element takes.
    pub size: usize,
    pub lb: isize,
    /// Distance between consecutive elements.
    pub extent: isize,
    pub true_lb: isize,
    pub true_extent: isize,
    /// Bounds were set by MPI_Type_create_resized and pass on to types made of this one.
    pub explicit_bounds: bool,
    pub align: usize,
    /// Any number of elements is one block of bytes, `size` each.
    pub contiguous: bool,
    pub layout: Layout,
    pub signature: Signature,
    pub constructor: Constructor,
    /// Handle of a predefined type, else 0.
    pub predefined: usize,
    /// Of MPI_BYTE: what its bytes are values of, where the program's text says.
    pub of: Option<TypeId>,
    /// Source line of the constructor call, where known.
    pub created_at: Option<Box<str>>,
    /// What MPI_Get_address had lately answered when the type was made, if its constructor has
    /// displacements in bytes.
    pub addresses: Box<[usize]>,
    /// Its constructor was one with large counts.
    pub wide: bool,
    /// What the numbers of bytes in that call are.
    pub counts: Counts,
}

/// A shared datatype; predefined ones cost nothing to copy.
#[derive(Debug)]
pub struct TypeRef {
    at: NonNull<Datatype>,
    /// In an `Arc`, one of whose counts is this one's; else static.
    counted: bool,
}

// SAFETY: an `Arc` or a static reference to what is never changed.
unsafe impl Send for TypeRef {}
// SAFETY: as above.
unsafe impl Sync for TypeRef {}

impl Deref for TypeRef {
    type Target = Datatype;
    #[inline]
    fn deref(&self) -> &Datatype {
        // SAFETY: static, or alive as long as this counts.
        unsafe { self.at.as_ref() }
    }
}

impl Clone for TypeRef {
    #[inline]
    fn clone(&self) -> TypeRef {
        if self.counted {
            // SAFETY: of an `Arc`.
            unsafe { Arc::increment_strong_count(self.at.as_ptr().cast_const()) };
        }
        TypeRef {
            at: self.at,
            counted: self.counted,
        }
    }
}

impl Drop for TypeRef {
    #[inline]
    fn drop(&mut self) {
        if self.counted {
            self.release();
        }
    }
}

impl TypeRef {
    /// Not where messages are sent and received: mostly they are of predefined types.
    #[inline(never)]
    fn release(&mut self) {
        // SAFETY: its own count.
        unsafe { Arc::decrement_strong_count(self.at.as_ptr().cast_const()) };
    }
}

impl From<Datatype> for TypeRef {
    fn from(ty: Datatype) -> TypeRef {
        let shared = Arc::into_raw(Arc::new(ty));
        TypeRef {
            // SAFETY: of an `Arc`.
            at: unsafe { NonNull::new_unchecked(shared.cast_mut()) },
            counted: true,
        }
    }
}

impl TypeRef {
    #[inline]
    pub fn of(ty: &'static Datatype) -> TypeRef {
        TypeRef {
            at: NonNull::from(ty),
            counted: false,
        }
    }

    /// A predefined type.
    #[inline]
    pub fn as_static(&self) -> Option<&'static Datatype> {
        if self.counted {
            return None;
        }
        // SAFETY: what is not counted is static.
        Some(unsafe { self.at.as_ref() })
    }

    #[inline]
    pub fn same(&self, other: &TypeRef) -> bool {
        std::ptr::eq::<Datatype>(&**self, &**other)
    }
}

impl Datatype {
    /// The basic type if this is a predefined type of one element.
    #[inline]
    pub fn basic(&self) -> Option<Basic> {
        match self.constructor {
            Constructor::Named(b) => Some(b),
            _ => None,
        }
    }

    /// The handle of a predefined type by which other processes know it, else 0.
    #[inline]
    pub fn known_as(&self) -> usize {
        match self.of {
            None => self.predefined,
            Some(of) => bytes::handle(of),
        }
    }

    /// The predefined type of one element that all of it consists of.
    #[inline]
    pub fn unit(&self) -> Option<TypeRef> {
        match self.signature.items() {
            [signature::Item::Values(of, _)] => bytes::of(*of),
            _ if self.signature.has_values() => None,
            _ => self.signature.uniform().map(of_basic),
        }
    }

    #[inline]
    pub fn is_packed(&self) -> bool {
        self.basic() == Some(Basic::Packed)
    }

    /// Bytes of data in `count` elements; `None` if that overflows.
    #[inline]
    pub fn bytes(&self, count: usize) -> Option<usize> {
        self.size
            .checked_mul(count)
            .filter(|n| *n <= isize::MAX as usize)
    }

    /// Bytes from the first to the last byte touched by `count` elements, relative to the buffer.
    pub fn span(&self, count: usize) -> (isize, isize) {
        if count == 0 || self.size == 0 {
            return (0, 0);
        }
        let last = self.extent * (count as isize - 1);
        (
            self.true_lb + last.min(0),
            self.true_lb + self.true_extent + last.max(0),
        )
    }

    /// MPI_Get_count: whole elements in `bytes` received bytes, `None` if that is no whole number.
    #[inline]
    pub fn count_in(&self, bytes: usize) -> Option<usize> {
        match self.size {
            0 => (bytes == 0).then_some(0),
            n => (bytes % n == 0).then_some(bytes / n),
        }
    }
}

/// What a datatype handle stands for in a rank's table.
#[derive(Debug)]
pub struct TypeObject {
    pub ty: TypeRef,
    pub committed: bool,
    pub name: Option<Box<str>>,
    pub attrs: crate::attr::Attributes,
}

/// First handle after MPI_DATATYPE_NULL and number of values reserved for datatypes.
pub const BASE: usize = 0x200;
pub const SPAN: usize = 0x100;

type Predefined = [Option<&'static Datatype>; SPAN];

static PREDEFINED: OnceLock<Predefined> = OnceLock::new();

#[cold]
fn predefine() -> &'static Predefined {
    PREDEFINED.get_or_init(|| {
        let mut all = [None; SPAN];
        let basics = Basic::ALL
            .into_iter()
            .map(|b| (b as usize, build::named(b)));
        let pairs = PAIRS
            .into_iter()
            .map(|(h, _, v, i)| (h, build::pair(h, v, i)));
        for (handle, ty) in basics.chain(pairs) {
            // For good.
            all[handle - BASE] = Some(&*Box::leak(Box::new(ty)));
        }
        all
    })
}

/// The predefined datatype of a handle.
#[inline]
pub fn by_handle(handle: usize) -> Option<TypeRef> {
    let all = match PREDEFINED.get() {
        Some(all) => all,
        None => predefine(),
    };
    match all.get(handle.wrapping_sub(BASE)) {
        Some(ty) => ty.map(TypeRef::of),
        None => bytes::by_handle(handle),
    }
}

/// The predefined datatype of a handle, if that is all that is to be known of it: not of MPI_BYTE.
#[inline]
pub fn plain(handle: usize) -> Option<TypeRef> {
    let all = PREDEFINED.get()?;
    let ty = (*all.get(handle.wrapping_sub(BASE))?)?;
    (handle != Basic::Byte as usize).then(|| TypeRef::of(ty))
}

/// The predefined datatype of one basic element.
#[inline]
pub fn of_basic(b: Basic) -> TypeRef {
    by_handle(b as usize).unwrap_or_else(|| unreachable!("every basic type is predefined"))
}

/// Name of a predefined type.
pub fn predefined_name(handle: usize) -> Option<&'static str> {
    PAIRS
        .iter()
        .find(|p| p.0 == handle)
        .map(|p| p.1)
        .or_else(|| Basic::from_handle(handle).map(Basic::name))
        .or((handle == BASE).then_some("MPI_DATATYPE_NULL"))
}
