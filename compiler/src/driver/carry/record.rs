//! What an object carries for pc3: one self-delimiting record per translation unit.
//!
//! ```text
//! magic    8  "\x7fpc3unit"
//! version  4
//! flags    4  LOCATION | MPI | UNNOTED | WHOLE
//! length   8  of the payload
//! check    8  XXH3 of flags and payload
//! payload     path, directory, target, compiler words, options, locations asked for, everywhere, annotations, symbols,
//!             length and LZ4 block of the preprocessed text
//! ```
//!
//! Numbers are little-endian whatever the object's are.  A string is its length (4) and bytes, a list its length (4)
//! and strings.  `ld -r` puts records after one another, perhaps with zeros between them.

use std::collections::BTreeSet;
use xxhash_rust::xxh3::xxh3_64_with_seed;

const MAGIC: &[u8; 8] = b"\x7fpc3unit";
const VERSION: u32 = 2;
const HEAD: usize = 32;

/// The unit has a checkpoint location of its own.
pub const LOCATION: u32 = 1;
/// It calls MPI.
pub const MPI: u32 = 2;
/// It was compiled with `-fno-pc3-track-unions`.
pub(crate) const UNNOTED: u32 = 4;
/// What arenas and pools hand out is not to be noted.
pub const WHOLE: u32 = 8;

#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct UnitRecord {
    pub flags: u32,
    /// The source, as the command line named it.
    pub path: String,
    /// Where it was compiled.
    pub directory: String,
    /// GNU triple.
    pub target: String,
    /// The compiler's command words.
    pub compiler: Vec<String>,
    /// Options that compile preprocessed text.
    pub options: Vec<String>,
    /// `--checkpoint-at=`
    pub locations: Vec<String>,
    pub everywhere: bool,
    /// Of the files of `--annotations`: `FILE:LINE`, a tab, and what stands there.
    pub annotations: Vec<String>,
    /// Global symbols that the object defines.
    pub symbols: BTreeSet<String>,
    /// The preprocessed text.
    pub text: String,
}

#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum RecordError {
    #[error("was compiled by another version of pc3cc")]
    Version,
    #[error("carries damaged data for pc3")]
    Damaged,
}

impl UnitRecord {
    pub fn encode(&self) -> Vec<u8> {
        let mut p = Vec::new();
        string(&mut p, &self.path);
        string(&mut p, &self.directory);
        string(&mut p, &self.target);
        list(&mut p, self.compiler.iter());
        list(&mut p, self.options.iter());
        list(&mut p, self.locations.iter());
        p.push(u8::from(self.everywhere));
        list(&mut p, self.annotations.iter());
        list(&mut p, self.symbols.iter());
        p.extend((self.text.len() as u64).to_le_bytes());
        p.extend(lz4_flex::block::compress(self.text.as_bytes()));
        let mut out = MAGIC.to_vec();
        out.extend(VERSION.to_le_bytes());
        out.extend(self.flags.to_le_bytes());
        out.extend((p.len() as u64).to_le_bytes());
        out.extend(check(self.flags, &p).to_le_bytes());
        out.extend(p);
        out
    }
}

/// A record whose payload has not been looked at.
#[derive(Clone, Copy, Debug)]
pub struct Sealed<'a> {
    pub flags: u32,
    check: u64,
    payload: &'a [u8],
}

/// The records of a section.
pub fn split(mut section: &[u8]) -> Result<Vec<Sealed<'_>>, RecordError> {
    let mut found = Vec::new();
    loop {
        let zeros = section.iter().take_while(|b| **b == 0).count();
        section = &section[zeros..];
        if section.is_empty() {
            return Ok(found);
        }
        let (head, rest) = section.split_at_checked(HEAD).ok_or(RecordError::Damaged)?;
        let mut r = Reader(head);
        if r.take(8)? != MAGIC {
            return Err(RecordError::Damaged);
        }
        if r.u32()? != VERSION {
            return Err(RecordError::Version);
        }
        let (flags, length, check) = (r.u32()?, r.u64()?, r.u64()?);
        let length = usize::try_from(length).map_err(|_| RecordError::Damaged)?;
        let (payload, rest) = rest.split_at_checked(length).ok_or(RecordError::Damaged)?;
        section = rest;
        found.push(Sealed {
            flags,
            check,
            payload,
        });
    }
}

impl Sealed<'_> {
    pub fn open(&self) -> Result<UnitRecord, RecordError> {
        if check(self.flags, self.payload) != self.check {
            return Err(RecordError::Damaged);
        }
        let mut r = Reader(self.payload);
        Ok(UnitRecord {
            flags: self.flags,
            path: r.string()?,
            directory: r.string()?,
            target: r.string()?,
            compiler: r.list()?,
            options: r.list()?,
            locations: r.list()?,
            everywhere: r.take(1)? != [0],
            annotations: r.list()?,
            symbols: r.list()?.into_iter().collect(),
            text: {
                let size = usize::try_from(r.u64()?).map_err(|_| RecordError::Damaged)?;
                // LZ4 cannot say more with less.
                if size / 256 > r.0.len() {
                    return Err(RecordError::Damaged);
                }
                let text =
                    lz4_flex::block::decompress(r.0, size).map_err(|_| RecordError::Damaged)?;
                String::from_utf8(text).map_err(|_| RecordError::Damaged)?
            },
        })
    }
}

fn check(flags: u32, payload: &[u8]) -> u64 {
    xxh3_64_with_seed(payload, u64::from(flags))
}

fn string(out: &mut Vec<u8>, s: &str) {
    out.extend((s.len() as u32).to_le_bytes());
    out.extend(s.as_bytes());
}

fn list<'s>(out: &mut Vec<u8>, items: impl ExactSizeIterator<Item = &'s String>) {
    out.extend((items.len() as u32).to_le_bytes());
    items.for_each(|s| string(out, s));
}

struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn take(&mut self, n: usize) -> Result<&'a [u8], RecordError> {
        let (head, rest) = self.0.split_at_checked(n).ok_or(RecordError::Damaged)?;
        self.0 = rest;
        Ok(head)
    }
    fn u32(&mut self) -> Result<u32, RecordError> {
        let bytes = self.take(4)?.try_into();
        bytes
            .map(u32::from_le_bytes)
            .map_err(|_| RecordError::Damaged)
    }
    fn u64(&mut self) -> Result<u64, RecordError> {
        let bytes = self.take(8)?.try_into();
        bytes
            .map(u64::from_le_bytes)
            .map_err(|_| RecordError::Damaged)
    }
    fn string(&mut self) -> Result<String, RecordError> {
        let n = self.u32()? as usize;
        let bytes = self.take(n)?.to_vec();
        String::from_utf8(bytes).map_err(|_| RecordError::Damaged)
    }
    fn list(&mut self) -> Result<Vec<String>, RecordError> {
        let n = self.u32()?;
        (0..n).map(|_| self.string()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(text: &str) -> UnitRecord {
        UnitRecord {
            flags: LOCATION,
            path: "a.c".into(),
            directory: "/src".into(),
            target: "s390x-linux-gnu".into(),
            compiler: vec!["ccache".into(), "gcc".into()],
            options: vec!["-O2".into()],
            locations: vec!["f".into()],
            everywhere: true,
            annotations: vec!["a:1\ttype f: int".into()],
            symbols: ["f".to_string(), "main".to_string()].into(),
            text: text.into(),
        }
    }

    #[test]
    fn records_stand_after_one_another() {
        let (a, b) = (sample(""), sample(&"int x;\n".repeat(1000)));
        let section = [a.encode(), vec![0; 5], b.encode(), vec![0; 3]].concat();
        let opened: Vec<UnitRecord> = split(&section)
            .unwrap()
            .iter()
            .map(|s| s.open().unwrap())
            .collect();
        assert_eq!(opened, [a, b]);
    }

    #[test]
    fn damage_is_noticed_wherever_it_is() {
        let whole = sample("int x;").encode();
        for at in 0..whole.len() {
            let mut broken = whole.clone();
            broken[at] ^= 1;
            let opened = split(&broken)
                .and_then(|l| l.iter().map(Sealed::open).collect::<Result<Vec<_>, _>>());
            assert!(opened.is_err(), "byte {at}");
            assert!(split(&whole[..at]).is_err() || at == 0, "cut at {at}");
        }
    }
}
