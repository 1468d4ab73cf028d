//! Locals that nothing needs any more, but that still exist, end at a checkpoint.  Where the program could see that, it does
//! not compile.

use std::marker::PhantomData;
use std::rc::{Rc, Weak};
use std::sync::{Arc, Weak as ArcWeak};

use super::receivers::{Takes, Way};
use crate::point::mode::Mode;

/// Types with a `Drop` of the program's, or whose owners are counted.  `#[derive(Checkpointable)]` implements it, too.
pub trait Loud {
    /// It is one, or holds one in itself.
    const LOUD: bool = false;
    /// It holds one behind a pointer.
    const HOLDS: bool = false;
}

/// A local of a function.
pub trait Local {
    /// A point may end it.
    const ENDS: bool;
    /// What is wrong then.
    const TEXT: &'static str;
}

/// Says that the two are of one type.
pub fn of<T>(_: &T, _: &PhantomData<T>) {}

/// Asks what is known of a local's type.
pub struct Ends<T>(PhantomData<T>);

impl<T> Ends<T> {
    pub fn of(_: &PhantomData<T>) -> Self {
        Ends(PhantomData)
    }
}

impl<T: Loud> Ends<T> {
    pub fn unseen<L: Local>(self, _: Judged<L, SavedKind<T>>) {}
    pub fn unseen_called<L: Local, W>(self, _: &Way<W>, _: JudgedCalled<L, SavedKind<T>, W>) {}
}

/// Other types.
pub trait Unsaved: Sized {
    fn unseen<L: Local>(self, _: Judged<L, Other>) {}
    fn unseen_called<L: Local, W>(self, _: &Way<W>, _: JudgedCalled<L, Other, W>) {}
}

impl<T> Unsaved for Ends<T> {}

/// What is known of a local's type.
pub trait Kind {
    const ENDS_ALOUD: bool;
}

pub struct SavedKind<T>(PhantomData<T>);

impl<T: Loud> Kind for SavedKind<T> {
    const ENDS_ALOUD: bool = T::LOUD || T::HOLDS;
}

pub struct Other;

impl Kind for Other {
    const ENDS_ALOUD: bool = false;
}

/// A local that no point ends, or of which nobody sees that.
pub struct Judged<L, K>(PhantomData<(L, K)>);

/// The call stands, and fails, at the local; in one of the function's forms.
pub const fn judge<L: Local, K: Kind, M: Mode>() -> Judged<L, K> {
    if !M::RESUME && L::ENDS && K::ENDS_ALOUD {
        panic!("{}", L::TEXT);
    }
    Judged(PhantomData)
}

/// As that, where a marked method may have taken it.
pub struct JudgedCalled<L, K, W>(PhantomData<(L, K, W)>);

/// `MOVED`: a point ends it if the method takes it, or else if that does not.
pub const fn judge_called<L: Local, K: Kind, M: Mode, W: Takes, const MOVED: bool>(
) -> JudgedCalled<L, K, W> {
    if !M::RESUME && L::ENDS && K::ENDS_ALOUD && W::MOVED == MOVED {
        panic!("{}", L::TEXT);
    }
    JudgedCalled(PhantomData)
}

/// The type of a field.
pub struct Held<T>(PhantomData<T>);

impl<T: Loud> Held<T> {
    pub const ITSELF: bool = T::LOUD;
    pub const BEHIND: bool = T::HOLDS;
}

pub trait Quiet {
    const ITSELF: bool = false;
    const BEHIND: bool = false;
}

impl<T> Quiet for Held<T> {}

/// Has the type a `Drop` of its own?  `Probe::<T>::DROPS` is true for those that have.
pub struct Probe<T>(PhantomData<T>);

#[allow(drop_bounds)]
impl<T: Drop> Probe<T> {
    pub const DROPS: bool = true;
}

pub trait NoDrop {
    const DROPS: bool = false;
}

impl<T> NoDrop for Probe<T> {}

macro_rules! quiet {
    ($($t:ty),* $(,)?) => { $(impl Loud for $t {})* };
}

quiet! {
    u8, u16, u32, u64, u128, usize, i8, i16, i32, i64, i128, isize, f32, f64, bool, char, (),
    String, Box<str>, Box<std::path::Path>, std::ffi::CString, std::ffi::OsString,
    std::net::IpAddr, std::net::Ipv4Addr, std::net::Ipv6Addr, std::net::SocketAddr, std::net::SocketAddrV4, std::net::SocketAddrV6,
    std::sync::atomic::AtomicBool, std::sync::atomic::AtomicU8, std::sync::atomic::AtomicU16, std::sync::atomic::AtomicU32,
    std::sync::atomic::AtomicU64, std::sync::atomic::AtomicUsize, std::sync::atomic::AtomicI8, std::sync::atomic::AtomicI16,
    std::sync::atomic::AtomicI32, std::sync::atomic::AtomicI64, std::sync::atomic::AtomicIsize, std::path::PathBuf, std::time::Duration, std::time::Instant,
    std::io::Stdout, std::io::Stderr, std::io::StdoutLock<'static>, std::io::StderrLock<'static>,
    std::time::SystemTime, std::convert::Infallible, std::cmp::Ordering, std::ops::RangeFull, std::num::NonZeroU8, std::num::NonZeroU16,
    std::num::NonZeroU32, std::num::NonZeroU64, std::num::NonZeroU128, std::num::NonZeroUsize, std::num::NonZeroI8,
    std::num::NonZeroI16, std::num::NonZeroI32, std::num::NonZeroI64, std::num::NonZeroI128, std::num::NonZeroIsize,
}

impl<T: ?Sized> Loud for PhantomData<T> {}

macro_rules! within {
    ($([$($g:ident),*] $t:ty;)*) => {$(
        impl<$($g: Loud),*> Loud for $t {
            const LOUD: bool = false $(|| $g::LOUD)*;
            const HOLDS: bool = false $(|| $g::HOLDS)*;
        }
    )*};
}

within! {
    [T] Option<T>; [T, E] Result<T, E>;
    [T] std::cell::Cell<T>; [T] std::cell::RefCell<T>; [T] std::cell::OnceCell<T>;
    [T] std::sync::Mutex<T>; [T] std::sync::RwLock<T>; [T] std::sync::OnceLock<T>;
    [A] (A,); [A, B] (A, B); [A, B, C] (A, B, C); [A, B, C, D] (A, B, C, D); [A, B, C, D, E] (A, B, C, D, E);
    [A, B, C, D, E, F] (A, B, C, D, E, F); [A, B, C, D, E, F, G] (A, B, C, D, E, F, G);
    [A, B, C, D, E, F, G, H] (A, B, C, D, E, F, G, H); [A, B, C, D, E, F, G, H, I] (A, B, C, D, E, F, G, H, I);
    [A, B, C, D, E, F, G, H, I, J] (A, B, C, D, E, F, G, H, I, J);
    [A, B, C, D, E, F, G, H, I, J, K] (A, B, C, D, E, F, G, H, I, J, K);
    [A, B, C, D, E, F, G, H, I, J, K, L] (A, B, C, D, E, F, G, H, I, J, K, L);
    [B, C] std::ops::ControlFlow<B, C>; [T] std::task::Poll<T>;
    [T] std::cmp::Reverse<T>; [T] std::num::Wrapping<T>; [T] std::num::Saturating<T>; [T] std::ops::Bound<T>;
    [T] std::ops::Range<T>; [T] std::ops::RangeFrom<T>; [T] std::ops::RangeTo<T>;
    [T] std::ops::RangeInclusive<T>; [T] std::ops::RangeToInclusive<T>;
}

impl<T: Loud, const N: usize> Loud for [T; N] {
    const LOUD: bool = T::LOUD;
    const HOLDS: bool = T::HOLDS;
}

/// Types lead back to themselves behind pointers only: no further is looked.
macro_rules! behind {
    ($([$($g:ident),*] $t:ty;)*) => {$(
        impl<$($g: Loud),*> Loud for $t {
            const HOLDS: bool = false $(|| $g::LOUD)*;
        }
    )*};
}

behind! {
    [T] Vec<T>; [T] Box<T>; [T] std::pin::Pin<Box<T>>; [T] Box<[T]>; [T] std::vec::IntoIter<T>;
    [T] std::collections::LinkedList<T>; [T] std::collections::VecDeque<T>; [T] std::collections::BinaryHeap<T>; [T] std::collections::BTreeSet<T>;
    [K, V] std::collections::BTreeMap<K, V>;
}

impl<K: Loud, V: Loud, S> Loud for std::collections::HashMap<K, V, S> {
    const HOLDS: bool = K::LOUD || V::LOUD;
}

impl<T: Loud, S> Loud for std::collections::HashSet<T, S> {
    const HOLDS: bool = T::LOUD;
}

macro_rules! counted {
    ($($t:ident),*) => {$(
        impl<T: ?Sized> Loud for $t<T> {
            const LOUD: bool = true;
        }
    )*};
}

counted!(Rc, Weak, Arc, ArcWeak);

#[cfg(feature = "ndarray")]
impl<T: Loud, D> Loud for ndarray::Array<T, D> {
    const HOLDS: bool = T::LOUD;
}

#[cfg(feature = "ndarray")]
impl<T: Loud, D> Loud for ndarray::ArcArray<T, D> {
    const HOLDS: bool = T::LOUD;
}

#[cfg(feature = "ndarray")]
impl<T: Loud, D> Loud for ndarray::CowArray<'_, T, D> {
    const HOLDS: bool = T::LOUD;
}

#[cfg(feature = "indexmap")]
impl<K: Loud, V: Loud, S> Loud for indexmap::IndexMap<K, V, S> {
    const HOLDS: bool = K::LOUD || V::LOUD;
}

#[cfg(feature = "indexmap")]
impl<T: Loud, S> Loud for indexmap::IndexSet<T, S> {
    const HOLDS: bool = T::LOUD;
}

#[cfg(feature = "smallvec")]
impl<A: smallvec::Array> Loud for smallvec::SmallVec<A>
where
    A::Item: Loud,
{
    const LOUD: bool = A::Item::LOUD;
}

#[cfg(feature = "num-complex")]
impl<T: Loud> Loud for num_complex::Complex<T> {}

#[cfg(feature = "uuid")]
impl Loud for uuid::Uuid {}

#[cfg(feature = "bytes")]
impl Loud for bytes::Bytes {}

#[cfg(feature = "bytes")]
impl Loud for bytes::BytesMut {}

#[cfg(feature = "arrayvec")]
impl<T: Loud, const N: usize> Loud for arrayvec::ArrayVec<T, N> {
    const LOUD: bool = T::LOUD;
    const HOLDS: bool = T::HOLDS;
}

#[cfg(feature = "arrayvec")]
impl<const N: usize> Loud for arrayvec::ArrayString<N> {}

#[cfg(feature = "nalgebra")]
impl<T: Loud, R, C, S> Loud for nalgebra::Matrix<T, R, C, S> {
    const HOLDS: bool = T::LOUD;
}

#[cfg(feature = "nalgebra")]
mod of_numbers {
    use super::Loud;
    use nalgebra::{Isometry, Point, Quaternion, Rotation, Scalar, Translation, Unit};

    impl<T: Scalar, const D: usize> Loud for Point<T, D> {}
    impl<T: Scalar, const D: usize> Loud for Translation<T, D> {}
    impl<T: Scalar, const D: usize> Loud for Rotation<T, D> {}
    impl<T: Scalar, R, const D: usize> Loud for Isometry<T, R, D> {}
    impl<T: Scalar> Loud for Quaternion<T> {}
    impl<T> Loud for Unit<T> {}
}

#[cfg(feature = "chrono")]
quiet! {
    chrono::NaiveDate, chrono::NaiveTime, chrono::NaiveDateTime, chrono::TimeDelta, chrono::FixedOffset,
    chrono::DateTime<chrono::Utc>, chrono::DateTime<chrono::FixedOffset>,
}
