//! Packs: files of chunks, one for each process and checkpoint.

use std::collections::hash_map::RandomState;
use std::fs::File;
use std::hash::{BuildHasher, Hasher};
use std::io::{self, Write};
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::time::{Duration, Instant};

use pc3_os::own::high;
use xxhash_rust::xxh3::xxh3_64;

use crate::bytes::{DecodeError, Decoder, Encoder};

const MAGIC: [u8; 8] = *b"PC3PACK\n";
/// Of the format that has packs.
pub(crate) const VERSION: u64 = 3;
/// What lies in a pack does so at multiples of this.
pub(crate) const ALIGN: u64 = 4096;
/// Where the first of it is.
pub(crate) const HEAD: u64 = ALIGN;
const BUFFER: usize = 256 << 10;

/// What so many bytes take there.
pub fn padded(bytes: usize) -> u64 {
    (bytes as u64).next_multiple_of(ALIGN)
}

/// Who wrote a pack.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Pack {
    pub checkpoint: u64,
    pub process: u64,
    /// Tells it from others of that name.
    mark: u64,
}

impl Pack {
    /// A new one.
    pub fn new(checkpoint: u64, process: u64) -> Pack {
        // Keys of a hash table are random.
        let mark = RandomState::new().build_hasher().finish();
        Pack {
            checkpoint,
            process,
            mark,
        }
    }

    /// `pack-000012-0.pc3p`.
    pub fn file_name(&self) -> String {
        format!("pack-{:06}-{}.pc3p", self.checkpoint, self.process)
    }

    /// What a table has of it.
    pub(crate) const BYTES: usize = 24;

    pub(crate) fn encode(&self, e: &mut Encoder) {
        [self.checkpoint, self.process, self.mark]
            .into_iter()
            .for_each(|v| e.u64(v));
    }

    pub(crate) fn decode(d: &mut Decoder) -> Result<Pack, DecodeError> {
        Ok(Pack {
            checkpoint: d.u64()?,
            process: d.u64()?,
            mark: d.u64()?,
        })
    }

    fn head(&self) -> Vec<u8> {
        let mut e = Encoder::default();
        e.0.extend_from_slice(&MAGIC);
        e.u64(VERSION);
        self.encode(&mut e);
        e.0.resize(HEAD as usize - 8, 0);
        let hash = xxh3_64(&e.0);
        e.u64(hash);
        e.0
    }

    /// Opens it; its length.  An error in words says what is wrong with it.
    pub(crate) fn open(&self, dir: &Path) -> Result<(File, u64), String> {
        let name = self.file_name();
        let file = File::open(dir.join(&name)).map_err(|e| match e.kind() {
            io::ErrorKind::NotFound => format!("{name} is missing"),
            _ => format!("{name}: {e}"),
        })?;
        let file = high(file);
        let mut head = [0; HEAD as usize];
        let read = file.read_exact_at(&mut head, 0);
        read.map_err(|e| incomplete(&name, &e))?;
        if head[..] != self.head() {
            return Err(format!(
                "{name} is damaged, or of another series of checkpoints"
            ));
        }
        let length = file.metadata().map_err(|e| format!("{name}: {e}"))?.len();
        Ok((file, length))
    }
}

pub(crate) fn incomplete(name: &str, e: &io::Error) -> String {
    match e.kind() {
        io::ErrorKind::UnexpectedEof => format!("{name} is incomplete"),
        _ => format!("{name}: {e}"),
    }
}

/// Writes one.
pub(crate) struct PackWriter {
    file: File,
    buffer: Vec<u8>,
    /// What the next one is put at.
    pub at: u64,
    took: Duration,
}

impl PackWriter {
    pub fn new(pack: &Pack, file: File) -> PackWriter {
        let mut buffer = Vec::with_capacity(BUFFER);
        buffer.extend_from_slice(&pack.head());
        PackWriter {
            file,
            buffer,
            at: HEAD,
            took: Duration::ZERO,
        }
    }

    /// Adds it; where it lies.
    pub fn put(&mut self, bytes: &[u8]) -> io::Result<u64> {
        let at = self.at;
        let padding = padded(bytes.len()) - bytes.len() as u64;
        if self.buffer.len() + bytes.len() + padding as usize > BUFFER {
            self.flush()?;
        }
        self.buffer.extend_from_slice(bytes);
        self.buffer
            .extend_from_slice(&[0; ALIGN as usize][..padding as usize]);
        self.at += bytes.len() as u64 + padding;
        Ok(at)
    }

    fn flush(&mut self) -> io::Result<()> {
        let start = Instant::now();
        self.file.write_all(&self.buffer)?;
        self.took += start.elapsed();
        self.buffer.clear();
        Ok(())
    }

    /// The file, with all of it, and what writing that has taken.
    pub fn finish(mut self) -> io::Result<(File, Duration)> {
        self.flush()?;
        Ok((self.file, self.took))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_put_lies_there_and_a_head_says_whose_it_is() {
        let dir = tempfile::tempdir().unwrap();
        let pack = Pack::new(7, 2);
        let path = dir.path().join(pack.file_name());
        let mut out = PackWriter::new(&pack, File::create(&path).unwrap());
        let large = vec![9; 300_000];
        let places = [&b"one"[..], &large, b"three"].map(|b| out.put(b).unwrap());
        assert_eq!(places[..2], [4096, 8192]);
        let end = out.at;
        out.finish().unwrap();
        let bytes = std::fs::read(&path).unwrap();
        assert_eq!((bytes.len() as u64, end % ALIGN), (end, 0));
        assert_eq!(&bytes[places[2] as usize..][..6], b"three\0");
        assert_eq!(pack.open(dir.path()).unwrap().1, end);
        let other = Pack::new(7, 2);
        assert!(other.open(dir.path()).unwrap_err().contains("another"));
        for at in 0..HEAD as usize {
            let mut bad = bytes.clone();
            bad[at] ^= 1;
            std::fs::write(&path, &bad).unwrap();
            assert!(pack.open(dir.path()).is_err(), "byte {at}");
        }
    }
}
