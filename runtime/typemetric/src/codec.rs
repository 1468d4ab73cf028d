//! Explicit little-endian fields for the binary forms of this crate, written and read with bounds checks.

/// Why bytes are not what they should be.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum DecodeError {
    #[error("{what} ends too early")]
    Truncated { what: &'static str },
    #[error("{what}: version {found} is not known to this program")]
    Version { what: &'static str, found: u8 },
    #[error("{what}: {why}")]
    Invalid { what: &'static str, why: String },
}

impl DecodeError {
    pub(crate) fn invalid(what: &'static str, why: impl Into<String>) -> Self {
        DecodeError::Invalid {
            what,
            why: why.into(),
        }
    }
}

pub(crate) struct Writer<'a>(pub &'a mut Vec<u8>);

impl Writer<'_> {
    pub fn u8(&mut self, v: u8) {
        self.0.push(v);
    }
    pub fn u16(&mut self, v: u16) {
        self.0.extend_from_slice(&v.to_le_bytes());
    }
    pub fn u32(&mut self, v: u32) {
        self.0.extend_from_slice(&v.to_le_bytes());
    }
    pub fn u64(&mut self, v: u64) {
        self.0.extend_from_slice(&v.to_le_bytes());
    }
    /// Lengths beyond 32 bits are cut: names of that length do not exist.
    pub fn str(&mut self, v: &str) {
        let n = u32::try_from(v.len()).unwrap_or(u32::MAX);
        self.u32(n);
        self.0.extend_from_slice(&v.as_bytes()[..n as usize]);
    }
}

pub(crate) struct Reader<'a> {
    rest: &'a [u8],
    what: &'static str,
}

impl<'a> Reader<'a> {
    pub fn new(bytes: &'a [u8], what: &'static str) -> Self {
        Reader { rest: bytes, what }
    }
    pub fn rest(&self) -> &'a [u8] {
        self.rest
    }
    pub(crate) fn set_rest(&mut self, rest: &'a [u8]) {
        self.rest = rest;
    }
    pub fn bytes(&mut self, n: u64) -> Result<&'a [u8], DecodeError> {
        let cut = usize::try_from(n).ok().filter(|&n| n <= self.rest.len());
        let Some(n) = cut else {
            return Err(DecodeError::Truncated { what: self.what });
        };
        let (head, rest) = self.rest.split_at(n);
        self.rest = rest;
        Ok(head)
    }
    fn array<const N: usize>(&mut self) -> Result<[u8; N], DecodeError> {
        let mut out = [0; N];
        out.copy_from_slice(self.bytes(N as u64)?);
        Ok(out)
    }
    pub fn u8(&mut self) -> Result<u8, DecodeError> {
        Ok(self.array::<1>()?[0])
    }
    pub fn u16(&mut self) -> Result<u16, DecodeError> {
        self.array().map(u16::from_le_bytes)
    }
    pub fn u32(&mut self) -> Result<u32, DecodeError> {
        self.array().map(u32::from_le_bytes)
    }
    pub fn u64(&mut self) -> Result<u64, DecodeError> {
        self.array().map(u64::from_le_bytes)
    }
    /// C identifiers may hold any bytes; those that are not UTF-8 are replaced on import.
    pub fn str(&mut self) -> Result<String, DecodeError> {
        let n = self.u32()?;
        let raw = self.bytes(n.into())?;
        String::from_utf8(raw.to_vec())
            .map_err(|_| DecodeError::invalid(self.what, "a name is not UTF-8"))
    }
    /// Refuses a count that the remaining bytes cannot hold, before anything is allocated for it.
    pub fn count(&mut self, least_bytes: u64) -> Result<u32, DecodeError> {
        let n = self.u32()?;
        if u64::from(n) * least_bytes > self.rest.len() as u64 {
            return Err(DecodeError::Truncated { what: self.what });
        }
        Ok(n)
    }
}
