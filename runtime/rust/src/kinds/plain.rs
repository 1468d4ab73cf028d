//! Small values of the standard library that are computed from others: atomics, addresses, times, errors.

use std::char::ParseCharError;
use std::io::{stderr, stdout, Stderr, StderrLock, Stdout, StdoutLock};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, SocketAddrV4, SocketAddrV6};
use std::num::{ParseFloatError, ParseIntError, TryFromIntError};
use std::str::ParseBoolError;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{
    AtomicBool, AtomicI16, AtomicI32, AtomicI64, AtomicI8, AtomicIsize, AtomicU16, AtomicU32,
    AtomicU64, AtomicU8, AtomicUsize,
};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use crate::value::load::{LoadError, Loading, View};
use crate::value::save::Saver;
use crate::value::types::{TypeId, Types};
use crate::value::Checkpointable;

use super::groups::enums;

/// Types that are saved as another one, which is computed.
macro_rules! as_others {
    ($($t:ty, $name:literal, $other:ty, $get:expr, $make:expr;)*) => {$(
        impl Checkpointable for $t {
            const SIZE: u64 = <$other>::SIZE;
            const ALIGN: u64 = <$other>::ALIGN;

            fn describe(types: &mut Types) -> TypeId {
                types.record::<Self>($name.to_owned(), |types| {
                    vec![("value".to_owned(), <$other>::describe(types), 0)]
                })
            }
            fn save<'a>(&'a self, out: &mut Saver<'a>, at: usize) {
                let get: fn(&Self) -> $other = $get;
                out.put_value(get(self), at);
            }
            fn load(from: &Loading, value: View) -> Result<Self, LoadError> {
                let make: fn($other) -> Option<Self> = $make;
                let other = from.members::<Self>(value, $name)?.load("value")?;
                make(other).ok_or_else(|| LoadError::new(concat!("is no ", $name, " here")))
            }
        }
    )*};
}

macro_rules! atomics {
    ($($t:ident $name:literal $inner:ty;)*) => {
        as_others! { $($t, $name, $inner, |a| a.load(Relaxed), |x| Some($t::new(x));)* }
    };
}

atomics! {
    AtomicBool "AtomicBool" bool;
    AtomicU8 "AtomicU8" u8;
    AtomicU16 "AtomicU16" u16;
    AtomicU32 "AtomicU32" u32;
    AtomicU64 "AtomicU64" u64;
    AtomicUsize "AtomicUsize" usize;
    AtomicI8 "AtomicI8" i8;
    AtomicI16 "AtomicI16" i16;
    AtomicI32 "AtomicI32" i32;
    AtomicI64 "AtomicI64" i64;
    AtomicIsize "AtomicIsize" isize;
}

as_others! {
    Ipv4Addr, "Ipv4Addr", [u8; 4], |a| a.octets(), |b| Some(b.into());
    Ipv6Addr, "Ipv6Addr", [u8; 16], |a| a.octets(), |b| Some(b.into());
    SocketAddrV4, "SocketAddrV4", ([u8; 4], u16), |a| (a.ip().octets(), a.port()), |(ip, port)| {
        Some(SocketAddrV4::new(ip.into(), port))
    };
    SocketAddrV6, "SocketAddrV6", ([u8; 16], u16, u32, u32),
        |a| (a.ip().octets(), a.port(), a.flowinfo(), a.scope_id()),
        |(ip, port, flow, scope)| Some(SocketAddrV6::new(ip.into(), port, flow, scope));
    // Is it before 1970, and how far from it.
    SystemTime, "SystemTime", (bool, u64, u32), |t| {
        let (before, distance) = match t.duration_since(UNIX_EPOCH) {
            Ok(since) => (false, since),
            Err(e) => (true, e.duration()),
        };
        (before, distance.as_secs(), distance.subsec_nanos())
    }, |(before, seconds, nanoseconds)| {
        let distance = Duration::new(seconds, 0).checked_add(Duration::from_nanos(nanoseconds.into()))?;
        match before {
            true => UNIX_EPOCH.checked_sub(distance),
            false => UNIX_EPOCH.checked_add(distance),
        }
    };
}

as_others! {
    // How far it is from now: the time between the checkpoint and the restart does not pass for it.
    Instant, "Instant", (bool, u64, u32), |t| {
        let now = Instant::now();
        let (before, distance) = match now.checked_duration_since(*t) {
            Some(since) => (true, since),
            None => (false, t.duration_since(now)),
        };
        (before, distance.as_secs(), distance.subsec_nanos())
    }, |(before, seconds, nanoseconds)| {
        let distance = Duration::new(seconds, 0).checked_add(Duration::from_nanos(nanoseconds.into()))?;
        match before {
            true => Instant::now().checked_sub(distance),
            false => Instant::now().checked_add(distance),
        }
    };
    // Each process has its own, and what they have been given is out when a checkpoint is taken.
    Stdout, "Stdout", (), |_| (), |()| Some(stdout());
    Stderr, "Stderr", (), |_| (), |()| Some(stderr());
    StdoutLock<'static>, "StdoutLock", (), |_| (), |()| Some(stdout().lock());
    StderrLock<'static>, "StderrLock", (), |_| (), |()| Some(stderr().lock());
}

/// What kind of error, as the one that is made again.
fn of_kind<E: PartialEq, const N: usize>(all: [Option<E>; N], error: &E) -> u8 {
    let is = |e: &Option<E>| e.as_ref() == Some(error);
    all.iter().position(is).map_or(u8::MAX, |n| n as u8)
}

fn nth<E, const N: usize>(all: [Option<E>; N], n: u8) -> Option<E> {
    all.into_iter().nth(n.into())?
}

fn int_errors() -> [Option<ParseIntError>; 5] {
    let small = |text: &str| text.parse::<i8>().err();
    let zero = "0".parse::<std::num::NonZeroU8>().err();
    [small(""), small("x"), small("1000"), small("-1000"), zero]
}

fn float_errors() -> [Option<ParseFloatError>; 2] {
    ["", "x"].map(|text| text.parse::<f64>().err())
}

fn char_errors() -> [Option<ParseCharError>; 2] {
    ["", "xx"].map(|text| text.parse::<char>().err())
}

as_others! {
    ParseIntError, "ParseIntError", u8, |e| of_kind(int_errors(), e), |n| nth(int_errors(), n);
    ParseFloatError, "ParseFloatError", u8, |e| of_kind(float_errors(), e), |n| nth(float_errors(), n);
    ParseCharError, "ParseCharError", u8, |e| of_kind(char_errors(), e), |n| nth(char_errors(), n);
    ParseBoolError, "ParseBoolError", u8, |_| 0, |_| "".parse::<bool>().err();
    TryFromIntError, "TryFromIntError", u8, |_| 0, |_| u8::try_from(1000).err();
    std::fmt::Error, "fmt::Error", u8, |_| 0, |_| Some(std::fmt::Error);
}

enums! {
    [] IpAddr, "IpAddr" {
        0 V4 IpAddr::V4(x) => Ipv4Addr, x, IpAddr::V4;
        1 V6 IpAddr::V6(x) => Ipv6Addr, x, IpAddr::V6;
    }
    [] SocketAddr, "SocketAddr" {
        0 V4 SocketAddr::V4(x) => SocketAddrV4, x, SocketAddr::V4;
        1 V6 SocketAddr::V6(x) => SocketAddrV6, x, SocketAddr::V6;
    }
}
