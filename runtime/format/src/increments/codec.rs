//! How a chunk's bytes lie in a pack: as they are, or compressed.
//!
//! A few pieces of a chunk are compressed first, in each way.  They say what the whole would take, and how long that would be:
//! it is compressed if that is quicker than to write what it spares.
//!
//! The bytes of numbers are put in another order before: the first ones of all, then the second ones, and so on.  Signs and
//! exponents of neighbours are alike, and so are the upper bytes of small numbers.  Words of eight bytes do for narrower
//! elements, too: those of four bytes lie in two groups then.

use std::time::Instant;

use lz4_flex::block::{compress_into, decompress_into, get_maximum_output_size};

use super::pack::padded;
use super::table::CHUNK;

/// Nanoseconds that a byte takes to the disk, unless they are known.
const PACE: f64 = 1.0;
/// What is tried of a chunk: so many pieces of so many bytes.
const PIECES: usize = 4;
const PIECE: usize = 1024;
/// Behind so many chunks in a row that stay as they are only each so manieth is tried.
const DECLINED: usize = 4;
const EACH: usize = 8;
const WORD: usize = 8;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u64)]
pub enum Codec {
    /// As they are.
    Raw = 0,
    /// A block of LZ4.
    Lz4 = 1,
    /// The same of the bytes in the order of their places in words.
    Words = 2,
}

impl Codec {
    pub(crate) fn from(number: u64) -> Option<Codec> {
        let all = [Codec::Raw, Codec::Lz4, Codec::Words];
        all.into_iter().find(|c| *c as u64 == number)
    }
}

/// Memory to compress in, and what is to be compressed.
pub(super) struct Compressor {
    /// None: what is quicker so.
    pub wanted: Option<bool>,
    /// Chunks in a row that stayed as they are.
    declined: usize,
    words: Vec<u8>,
    out: Vec<u8>,
}

impl Compressor {
    pub fn new() -> Compressor {
        Compressor {
            wanted: Some(false),
            declined: 0,
            words: Vec::new(),
            out: Vec::new(),
        }
    }

    /// Data of another kind follow.
    pub fn begin(&mut self) {
        self.declined = 0;
    }

    /// What to write of a chunk: fewer bytes, or itself.  `pace`: nanoseconds that each takes, if they are known.
    pub fn stored<'a>(&'a mut self, bytes: &'a [u8], pace: Option<f64>) -> (Codec, &'a [u8]) {
        let worth = match self.wanted {
            Some(false) => return (Codec::Raw, bytes),
            Some(true) => f64::INFINITY,
            None => pace.unwrap_or(PACE),
        };
        let room = padded(bytes.len());
        let tries = self.declined < DECLINED || self.declined % EACH == 0 || worth.is_infinite();
        let codec = match room > padded(1) && tries {
            true => self.choose(bytes, worth),
            false => Codec::Raw,
        };
        let stored = match codec {
            Codec::Raw => bytes.len(),
            codec => self.compress(codec, bytes),
        };
        if padded(stored) < room - room / 8 {
            self.declined = 0;
            return (codec, &self.out[..stored]);
        }
        self.declined += 1;
        (Codec::Raw, bytes)
    }

    fn choose(&mut self, bytes: &[u8], worth: f64) -> Codec {
        let mut all = [0; PIECES * PIECE];
        let step = bytes.len() / PIECES / WORD * WORD;
        let sample = match step > PIECE {
            true => {
                for (i, piece) in all.chunks_exact_mut(PIECE).enumerate() {
                    piece.copy_from_slice(&bytes[i * step..][..PIECE]);
                }
                &all[..]
            }
            false => bytes,
        };
        let mut best = (Codec::Raw, 0.0);
        for codec in [Codec::Lz4, Codec::Words] {
            let start = Instant::now();
            let left = self.compress(codec, sample) as f64;
            let took = start.elapsed().as_nanos() as f64;
            let spared = sample.len() as f64 - left;
            let gain = match worth.is_finite() {
                true => spared * worth - took,
                false => spared,
            };
            if gain > best.1 {
                best = (codec, gain);
            }
        }
        best.0
    }

    /// Into `out`; how many bytes.
    fn compress(&mut self, codec: Codec, bytes: &[u8]) -> usize {
        self.out.resize(get_maximum_output_size(CHUNK), 0);
        let bytes = match codec {
            Codec::Words => {
                self.words.resize(CHUNK, 0);
                let words = &mut self.words[..bytes.len()];
                by_places(bytes, words);
                &*words
            }
            _ => bytes,
        };
        // There is room for all that can come.
        compress_into(bytes, &mut self.out).unwrap_or(self.out.len())
    }
}

/// Memory to read stored bytes into.
#[derive(Default)]
pub(super) struct Restorer {
    pub stored: Vec<u8>,
    words: Vec<u8>,
}

impl Restorer {
    /// Makes a chunk of what is stored of it; false if that does not make one of its length.
    pub fn restore(&mut self, codec: Codec, into: &mut [u8]) -> bool {
        let whole =
            |out: &mut [u8]| decompress_into(&self.stored, out).is_ok_and(|n| n == out.len());
        if codec != Codec::Words {
            return whole(into);
        }
        self.words.resize(into.len(), 0);
        let good = whole(&mut self.words);
        from_places(&self.words, into);
        good
    }
}

/// The bytes of words in the order of their places in these; those behind the last word stay where they are.
fn by_places(bytes: &[u8], out: &mut [u8]) {
    let n = bytes.len() / WORD;
    let (words, rest) = bytes.split_at(WORD * n);
    let (places, end) = out.split_at_mut(WORD * n);
    end.copy_from_slice(rest);
    let blocks = words.chunks_exact(WORD * WORD);
    let mut at = 0;
    let last = blocks.remainder();
    for block in blocks {
        for (place, column) in turned(block).into_iter().enumerate() {
            places[place * n + at..][..WORD].copy_from_slice(&column.to_le_bytes());
        }
        at += WORD;
    }
    for word in last.chunks_exact(WORD) {
        for (place, byte) in word.iter().enumerate() {
            places[place * n + at] = *byte;
        }
        at += 1;
    }
}

fn from_places(bytes: &[u8], out: &mut [u8]) {
    let n = bytes.len() / WORD;
    let (places, rest) = bytes.split_at(WORD * n);
    let (words, end) = out.split_at_mut(WORD * n);
    end.copy_from_slice(rest);
    let mut blocks = words.chunks_exact_mut(WORD * WORD);
    let mut at = 0;
    for block in &mut blocks {
        let mut columns = [0; WORD * WORD];
        for (place, column) in columns.chunks_exact_mut(WORD).enumerate() {
            column.copy_from_slice(&places[place * n + at..][..WORD]);
        }
        for (to, word) in block.chunks_exact_mut(WORD).zip(turned(&columns)) {
            to.copy_from_slice(&word.to_le_bytes());
        }
        at += WORD;
    }
    for word in blocks.into_remainder().chunks_exact_mut(WORD) {
        for (place, byte) in word.iter_mut().enumerate() {
            *byte = places[place * n + at];
        }
        at += 1;
    }
}

/// Eight words of eight bytes; byte i of word k of that is byte k of word i of these.
fn turned(block: &[u8]) -> [u64; WORD] {
    let mut m = [0; WORD];
    for (word, bytes) in m.iter_mut().zip(block.chunks_exact(WORD)) {
        let mut eight = [0; WORD];
        eight.copy_from_slice(bytes);
        *word = u64::from_le_bytes(eight);
    }
    // Squares of 4, 2 and 1 bytes beside the diagonal change places.
    let mut swap = |i: usize, side: usize, mask: u64| {
        let both = ((m[i] >> (8 * side)) ^ m[i + side]) & mask;
        m[i] ^= both << (8 * side);
        m[i + side] ^= both;
    };
    for i in [0, 1, 2, 3] {
        swap(i, 4, 0x0000_0000_ffff_ffff);
    }
    for i in [0, 1, 4, 5] {
        swap(i, 2, 0x0000_ffff_0000_ffff);
    }
    for i in [0, 2, 4, 6] {
        swap(i, 1, 0x00ff_00ff_00ff_00ff);
    }
    m
}

#[cfg(test)]
mod tests {
    use super::*;

    fn random(seed: &mut u64) -> u64 {
        *seed ^= *seed << 13;
        *seed ^= *seed >> 7;
        *seed ^= *seed << 17;
        *seed
    }

    fn doubles(n: usize) -> Vec<u8> {
        let value = |i: usize| (1000.0 + i as f64).sqrt().to_le_bytes();
        (0..n).flat_map(value).collect()
    }

    fn compressor(wanted: Option<bool>) -> Compressor {
        Compressor {
            wanted,
            ..Compressor::new()
        }
    }

    fn restored(codec: Codec, stored: &[u8], length: usize) -> Option<Vec<u8>> {
        let mut restorer = Restorer::default();
        restorer.stored.extend_from_slice(stored);
        let mut out = vec![0; length];
        restorer.restore(codec, &mut out).then_some(out)
    }

    #[test]
    fn bytes_come_back_in_their_order() {
        let bytes: Vec<u8> = (0..3000u32).map(|i| (i * 7 % 251) as u8).collect();
        for n in [0, 1, 7, 8, 9, 63, 64, 65, 72, 500, 3000] {
            let mut places = vec![0; n];
            by_places(&bytes[..n], &mut places);
            for i in 0..n / 8 * 8 {
                assert_eq!(places[i % 8 * (n / 8) + i / 8], bytes[i], "{n} {i}");
            }
            let mut again = vec![0; n];
            from_places(&places, &mut again);
            assert_eq!(again, bytes[..n]);
        }
    }

    #[test]
    fn what_is_stored_is_restored() {
        let mut seed = 88172645463325252;
        let noise: Vec<u8> = (0..8192)
            .flat_map(|_| random(&mut seed).to_le_bytes())
            .collect();
        let text = b"what is said again and again ".repeat(3000);
        for (bytes, codec) in [
            (&doubles(8192)[..], Codec::Words),
            (&doubles(8192)[..65_531], Codec::Words),
            (&text[..CHUNK], Codec::Lz4),
            (&[0; CHUNK], Codec::Lz4),
            (&noise, Codec::Raw),
            (&text[..4000], Codec::Raw),
            (&text[..4100], Codec::Lz4),
        ] {
            let mut compressor = compressor(Some(true));
            let (found, stored) = compressor.stored(bytes, None);
            assert_eq!(found, codec);
            if codec != Codec::Raw {
                assert!(stored.len() < bytes.len() * 7 / 8);
                assert!(restored(codec, stored, bytes.len()).unwrap() == bytes);
                assert!(restored(codec, stored, bytes.len() - 1).is_none());
                assert!(restored(codec, &stored[1..], bytes.len()).is_none_or(|b| b != bytes));
            }
        }
    }

    #[test]
    fn it_depends_on_the_disk() {
        let bytes = doubles(8192);
        let mut auto = compressor(None);
        assert_eq!(auto.stored(&bytes, Some(0.0)).0, Codec::Raw);
        assert_eq!(auto.stored(&bytes, Some(1e6)).0, Codec::Words);
        assert_eq!(
            compressor(Some(false)).stored(&bytes, Some(1e6)).0,
            Codec::Raw
        );
        // What does not pay is not tried each time.
        let mut tried = 0;
        for _ in 0..100 {
            auto.out.clear();
            auto.stored(&bytes, Some(0.0));
            tried += usize::from(!auto.out.is_empty());
        }
        assert!((10..20).contains(&tried), "{tried}");
        auto.begin();
        assert_eq!(auto.stored(&bytes, Some(1e6)).0, Codec::Words);
    }

    #[test]
    fn damage_makes_something_else_and_nothing_worse() {
        let mut seed = 42;
        let mut compressor = compressor(Some(true));
        let bytes = doubles(1024);
        let good = compressor.stored(&bytes, None).1.to_vec();
        for turn in 0..2000 {
            let mut bad = good.clone();
            for _ in 0..1 + turn % 3 {
                let at = random(&mut seed) as usize % bad.len();
                bad[at] = random(&mut seed) as u8;
            }
            bad.truncate(1 + random(&mut seed) as usize % bad.len());
            let codec = [Codec::Lz4, Codec::Words][turn % 2];
            let length = 1 + random(&mut seed) as usize % CHUNK;
            restored(codec, &bad, length);
        }
    }
}
