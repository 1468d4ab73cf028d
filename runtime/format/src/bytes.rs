//! Little-endian metadata: 64-bit integers, counted strings.  Object bytes never pass here.

use thiserror::Error;

#[derive(Debug, Error, PartialEq, Eq, Clone)]
pub enum DecodeError {
    #[error("ends inside {0}")]
    Short(&'static str),
    #[error("{0} is not valid")]
    Invalid(&'static str),
}

#[derive(Default)]
pub struct Encoder(pub Vec<u8>);

impl Encoder {
    pub fn u8(&mut self, v: u8) {
        self.0.push(v);
    }
    pub fn u64(&mut self, v: u64) {
        self.0.extend_from_slice(&v.to_le_bytes());
    }
    pub fn len(&mut self, v: usize) {
        self.u64(v as u64);
    }
    pub fn bytes(&mut self, v: &[u8]) {
        self.len(v.len());
        self.0.extend_from_slice(v);
    }
    pub fn str(&mut self, v: &str) {
        self.bytes(v.as_bytes());
    }
}

pub struct Decoder<'a> {
    rest: &'a [u8],
    what: &'static str,
}

impl<'a> Decoder<'a> {
    /// `what` names the structure in errors.
    pub fn new(bytes: &'a [u8], what: &'static str) -> Decoder<'a> {
        Decoder { rest: bytes, what }
    }

    pub fn take(&mut self, n: usize) -> Result<&'a [u8], DecodeError> {
        let (head, rest) = self
            .rest
            .split_at_checked(n)
            .ok_or(DecodeError::Short(self.what))?;
        self.rest = rest;
        Ok(head)
    }

    pub fn u8(&mut self) -> Result<u8, DecodeError> {
        Ok(self.take(1)?[0])
    }

    pub fn u64(&mut self) -> Result<u64, DecodeError> {
        let head = self.take(8)?;
        Ok(u64::from_le_bytes(
            head.try_into().map_err(|_| DecodeError::Short(self.what))?,
        ))
    }

    pub fn u32(&mut self) -> Result<u32, DecodeError> {
        u32::try_from(self.u64()?).map_err(|_| DecodeError::Invalid(self.what))
    }

    /// A size or count that must fit this host.
    pub fn size(&mut self) -> Result<usize, DecodeError> {
        usize::try_from(self.u64()?).map_err(|_| DecodeError::Invalid(self.what))
    }

    /// The number of items that follow, each at least `each` bytes long: bounds allocations.
    pub fn count(&mut self, each: usize) -> Result<usize, DecodeError> {
        let n = self.size()?;
        if n.checked_mul(each.max(1))
            .is_none_or(|need| need > self.rest.len())
        {
            return Err(DecodeError::Short(self.what));
        }
        Ok(n)
    }

    pub fn bytes(&mut self) -> Result<&'a [u8], DecodeError> {
        let n = self.count(1)?;
        self.take(n)
    }

    pub fn str(&mut self) -> Result<String, DecodeError> {
        let bytes = self.bytes()?;
        String::from_utf8(bytes.to_vec()).map_err(|_| DecodeError::Invalid(self.what))
    }

    /// A list of items of at least `each` bytes.
    pub fn list<T>(
        &mut self,
        each: usize,
        mut item: impl FnMut(&mut Self) -> Result<T, DecodeError>,
    ) -> Result<Vec<T>, DecodeError> {
        let n = self.count(each)?;
        (0..n).map(|_| item(self)).collect()
    }

    pub fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }

    /// Everything must have been read.
    pub fn end(&self) -> Result<(), DecodeError> {
        if self.rest.is_empty() {
            Ok(())
        } else {
            Err(DecodeError::Invalid(self.what))
        }
    }
}
