//! Numbers, strings and lists as bytes, for what a checkpoint keeps of this library: little-endian,
//! of fixed width whatever the ABI.

use crate::error::{Class, MpiError};
use pc3_runtime::transfer::LoadError;

#[derive(Default)]
pub struct Writer(pub Vec<u8>);

impl Writer {
    pub fn u8(&mut self, v: u8) {
        self.0.push(v);
    }
    pub fn u32(&mut self, v: u32) {
        self.0.extend_from_slice(&v.to_le_bytes());
    }
    pub fn i32(&mut self, v: i32) {
        self.u32(v as u32);
    }
    pub fn u64(&mut self, v: u64) {
        self.0.extend_from_slice(&v.to_le_bytes());
    }
    /// Sizes, handles, addresses.
    pub fn size(&mut self, v: usize) {
        self.u64(v as u64);
    }
    /// Displacements: sign-extended.
    pub fn disp(&mut self, v: isize) {
        self.u64(v as i64 as u64);
    }
    pub fn str(&mut self, s: &str) {
        self.size(s.len());
        self.0.extend_from_slice(s.as_bytes());
    }
    pub fn bytes(&mut self, b: &[u8]) {
        self.size(b.len());
        self.0.extend_from_slice(b);
    }
    pub fn option_str(&mut self, s: Option<&str>) {
        self.u8(s.is_some().into());
        if let Some(s) = s {
            self.str(s);
        }
    }
    /// What a member did, or why it could not.
    pub fn outcome<T>(&mut self, v: &Result<T, MpiError>, f: impl FnOnce(&mut Writer, &T)) {
        self.u8(v.is_ok().into());
        match v {
            Ok(v) => f(self, v),
            Err(e) => {
                self.i32(e.class.0);
                self.str(&e.detail);
            }
        }
    }
    pub fn list<T>(
        &mut self,
        items: impl ExactSizeIterator<Item = T>,
        mut f: impl FnMut(&mut Writer, T),
    ) {
        self.size(items.len());
        for i in items {
            f(self, i);
        }
    }
}

pub struct Reader<'a>(pub &'a [u8]);

pub type Read<T> = Result<T, LoadError>;

/// Damaged or foreign data.
pub fn bad<T>(what: &str) -> Read<T> {
    Err(LoadError(format!("MPI state: {what}")))
}

impl<'a> Reader<'a> {
    fn take(&mut self, n: usize) -> Read<&'a [u8]> {
        match self.0.split_at_checked(n) {
            Some((head, tail)) => {
                self.0 = tail;
                Ok(head)
            }
            None => bad("it ends too early"),
        }
    }
    /// So many bytes as they are.
    pub fn next(&mut self, n: u64) -> Read<&'a [u8]> {
        self.take(usize::try_from(n).unwrap_or(usize::MAX))
    }
    pub fn u8(&mut self) -> Read<u8> {
        Ok(self.take(1)?[0])
    }
    pub fn u32(&mut self) -> Read<u32> {
        let mut b = [0; 4];
        b.copy_from_slice(self.take(4)?);
        Ok(u32::from_le_bytes(b))
    }
    pub fn i32(&mut self) -> Read<i32> {
        Ok(self.u32()? as i32)
    }
    pub fn u64(&mut self) -> Read<u64> {
        let mut b = [0; 8];
        b.copy_from_slice(self.take(8)?);
        Ok(u64::from_le_bytes(b))
    }
    pub fn size(&mut self) -> Read<usize> {
        usize::try_from(self.u64()?).or_else(|_| bad("a size does not fit this machine"))
    }
    pub fn disp(&mut self) -> Read<i64> {
        Ok(self.u64()? as i64)
    }
    pub fn bytes(&mut self) -> Read<&'a [u8]> {
        let n = self.size()?;
        self.take(n)
    }
    pub fn str(&mut self) -> Read<String> {
        let n = self.size()?;
        String::from_utf8(self.take(n)?.to_vec()).or_else(|_| bad("a name is not text"))
    }
    pub fn option_str(&mut self) -> Read<Option<Box<str>>> {
        Ok(if self.u8()? != 0 {
            Some(self.str()?.into())
        } else {
            None
        })
    }
    pub fn outcome<T>(
        &mut self,
        f: impl FnOnce(&mut Reader<'a>) -> Read<T>,
    ) -> Read<Result<T, MpiError>> {
        Ok(match self.u8()? {
            0 => Err(MpiError::new(Class(self.i32()?), self.str()?)),
            _ => Ok(f(self)?),
        })
    }
    pub fn list<T>(&mut self, mut f: impl FnMut(&mut Reader<'a>) -> Read<T>) -> Read<Vec<T>> {
        let n = self.size()?;
        // A damaged length must not allocate: items take at least a byte.
        if n > self.0.len() {
            return bad("a list is longer than its data");
        }
        (0..n).map(|_| f(self)).collect()
    }
}
