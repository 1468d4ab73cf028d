//! Strings and paths: their bytes are an object of characters.

use std::borrow::Cow;
use std::ffi::{CString, OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use pc3_typemetric::types::Kind;

use super::containers::reserve;
use crate::value::load::{LoadError, Loading, Members, View};
use crate::value::save::Saver;
use crate::value::types::{TypeId, Types};
use crate::value::Checkpointable;

/// A byte of text.
#[repr(transparent)]
struct Byte(u8);

impl Checkpointable for Byte {
    const SIZE: u64 = 1;
    const ALIGN: u64 = 1;
    const PLAIN: bool = true;

    fn describe(types: &mut Types) -> TypeId {
        types.scalar::<Byte>(Kind::Char, "text", 1)
    }
    fn save<'a>(&'a self, out: &mut Saver<'a>, at: usize) {
        out.put(at, &[self.0]);
    }
    fn load(from: &Loading, value: View) -> Result<Self, LoadError> {
        let [byte] = from.number::<Byte, 1>(value, Kind::Char, "text")?;
        Ok(Byte(byte))
    }
    fn bytes(slice: &[Self]) -> &[u8] {
        // SAFETY: `Byte` is a `u8`.
        unsafe { std::slice::from_raw_parts(slice.as_ptr().cast(), slice.len()) }
    }
}

pub(super) fn describe<T: Checkpointable>(types: &mut Types, name: &str) -> TypeId {
    types.record::<T>(name.to_owned(), |types| {
        let byte = Byte::describe(types);
        vec![
            ("text".to_owned(), types.pointer(byte), 0),
            ("length".to_owned(), u64::describe(types), 8),
        ]
    })
}

/// As `describe`, of texts that have room for more.
fn describe_roomy<T: Checkpointable>(types: &mut Types, name: &str) -> TypeId {
    types.record::<T>(name.to_owned(), |types| {
        let byte = Byte::describe(types);
        vec![
            ("text".to_owned(), types.pointer(byte), 0),
            ("length".to_owned(), u64::describe(types), 8),
            ("capacity".to_owned(), u64::describe(types), 16),
        ]
    })
}

fn save<'a>(text: &'a [u8], out: &mut Saver<'a>, at: usize) {
    // SAFETY: `Byte` is a `u8`.
    let bytes: &'a [Byte] = unsafe { std::slice::from_raw_parts(text.as_ptr().cast(), text.len()) };
    let address = out.slice(bytes);
    out.put(at, &address.to_ne_bytes());
    out.put(at + 8, &(text.len() as u64).to_ne_bytes());
}

/// A text that has several owners: saved once.
pub(super) fn save_shared<'a>(text: &'a [u8], out: &mut Saver<'a>, at: usize) {
    // SAFETY: `Byte` is a `u8`.
    let bytes: &'a [Byte] = unsafe { std::slice::from_raw_parts(text.as_ptr().cast(), text.len()) };
    let address = out.shared_slice(bytes);
    out.put(at, &address.to_ne_bytes());
    out.put(at + 8, &(text.len() as u64).to_ne_bytes());
}

/// Where the text is; none: it has no bytes.
pub(super) fn address<T>(
    from: &Loading,
    value: View,
    name: &str,
) -> Result<Option<u64>, LoadError> {
    let members: Members = from.members::<T>(value, name)?;
    let text = members.get("text").ok_or_else(|| value.not::<T>(from))?;
    Ok(from.follow(text)?.map(|(address, _)| address))
}

pub(super) fn load<T>(from: &Loading, value: View, name: &str) -> Result<Vec<u8>, LoadError> {
    let members: Members = from.members::<T>(value, name)?;
    let text = members.get("text").ok_or_else(|| value.not::<T>(from))?;
    let length: u64 = members.load("length")?;
    let bytes = match from.follow(text)? {
        Some((_, view)) if from.ty(view.ty).kind == Kind::Char => view.bytes,
        Some(_) => return Err(value.not::<T>(from)),
        None => &[],
    };
    if bytes.len() as u64 != length {
        return Err(LoadError::new("has another length than its text"));
    }
    Ok(bytes.to_vec())
}

pub(super) fn utf8(bytes: Vec<u8>) -> Result<String, LoadError> {
    String::from_utf8(bytes).map_err(|_| LoadError::new("is not UTF-8"))
}

macro_rules! texts {
    ($($t:ty, $name:literal, $bytes:expr, $make:expr;)*) => {$(
        impl Checkpointable for $t {
            const SIZE: u64 = 16;
            const ALIGN: u64 = 8;

            fn describe(types: &mut Types) -> TypeId {
                describe::<Self>(types, $name)
            }
            fn save<'a>(&'a self, out: &mut Saver<'a>, at: usize) {
                let bytes: fn(&Self) -> &[u8] = $bytes;
                save(bytes(self), out, at);
            }
            fn load(from: &Loading, value: View) -> Result<Self, LoadError> {
                let make: fn(Vec<u8>) -> Result<Self, LoadError> = $make;
                make(load::<Self>(from, value, $name)?)
            }
        }
    )*};
}

texts! {
    CString, "CString", |s| s.as_bytes(), |b| CString::new(b).map_err(|_| LoadError::new("has a zero within"));
    &'static str, "&str", |s| s.as_bytes(), |b| utf8(b).map(kept);
}

macro_rules! roomy_texts {
    ($($t:ty, $name:literal, $bytes:expr, $room:expr, $make:expr;)*) => {$(
        impl Checkpointable for $t {
            const SIZE: u64 = 24;
            const ALIGN: u64 = 8;

            fn describe(types: &mut Types) -> TypeId {
                describe_roomy::<Self>(types, $name)
            }
            fn save<'a>(&'a self, out: &mut Saver<'a>, at: usize) {
                let bytes: fn(&Self) -> &[u8] = $bytes;
                let room: fn(&Self) -> usize = $room;
                save(bytes(self), out, at);
                out.put(at + 16, &(room(self) as u64).to_ne_bytes());
            }
            fn load(from: &Loading, value: View) -> Result<Self, LoadError> {
                let make: fn(Vec<u8>) -> Result<Self, LoadError> = $make;
                let mut bytes = load::<Self>(from, value, $name)?;
                reserve(&mut bytes, &from.members::<Self>(value, $name)?)?;
                make(bytes)
            }
        }
    )*};
}

roomy_texts! {
    String, "String", |s| s.as_bytes(), String::capacity, utf8;
    Box<str>, "String", |s| s.as_bytes(), |s| s.len(), |b| utf8(b).map(String::into_boxed_str);
    Cow<'static, str>, "String", |s| s.as_bytes(), |s| s.len(), |b| utf8(b).map(Cow::Owned);
    Box<Path>, "PathBuf", |s| s.as_os_str().as_bytes(), |s| s.as_os_str().len(), |b| Ok(PathBuf::from(OsString::from_vec(b)).into());
    OsString, "OsString", |s| s.as_bytes(), OsString::capacity, |b| Ok(OsString::from_vec(b));
    PathBuf, "PathBuf", |s| OsStr::as_bytes(s.as_os_str()), PathBuf::capacity, |b| Ok(OsString::from_vec(b).into());
}

/// Texts that live as long as the program; each is kept once.
fn kept(text: String) -> &'static str {
    static ALL: Mutex<Vec<&'static str>> = Mutex::new(Vec::new());
    let mut all = ALL
        .lock()
        .unwrap_or_else(std::sync::PoisonError::into_inner);
    match all.iter().find(|t| **t == text) {
        Some(same) => same,
        None => {
            let text: &'static str = text.leak();
            all.push(text);
            text
        }
    }
}
