//! The table of a rank's chunks: where each lies.

use xxhash_rust::xxh3::xxh3_128;

use super::codec::Codec;
use super::pack::{Pack, ALIGN, HEAD};
use crate::bytes::{DecodeError, Decoder, Encoder};

/// Chunks are so long, but the last one of a strand.
pub const CHUNK: usize = 64 << 10;
/// What is compared, and written if little of a chunk has changed.
pub const PAGE: usize = 4096;

/// Where a chunk or a page of one lies.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Place {
    pub pack: Pack,
    pub offset: u64,
}

/// Some of a rank's data.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Chunk {
    pub length: u32,
    /// Of what it is, patches and all: [`hash_of`].
    pub hash: u128,
    pub codec: Codec,
    /// Bytes at its place.
    pub stored: u32,
    pub at: Place,
    /// Pages that are others, by their numbers in it, in ascending order.
    pub patches: Vec<(u32, Place)>,
}

/// Chunks one behind the other: of a large object, or of small ones.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Strand {
    /// The address of the first object: by that it is found again in the next checkpoint.
    pub key: u64,
    pub chunks: Vec<Chunk>,
}

/// All of a rank's data, in its order.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Table {
    pub length: u64,
    pub strands: Vec<Strand>,
}

/// Hashes of its pages.
pub(crate) fn pages(bytes: &[u8]) -> Box<[u128]> {
    bytes.chunks(PAGE).map(xxh3_128).collect()
}

/// A chunk's hash, from those of its pages.
pub(crate) fn hash_of(pages: &[u128]) -> u128 {
    let mut all = [0; 16 * (CHUNK / PAGE)];
    for (to, hash) in all.chunks_mut(16).zip(pages) {
        to.copy_from_slice(&hash.to_le_bytes());
    }
    xxh3_128(&all[..16 * pages.len()])
}

impl Chunk {
    /// The places of all that it is made of.
    pub fn places(&self) -> impl Iterator<Item = &Place> {
        std::iter::once(&self.at).chain(self.patches.iter().map(|p| &p.1))
    }

    /// The bytes of a page of it.
    pub(crate) fn page(&self, page: u32) -> std::ops::Range<usize> {
        let start = page as usize * PAGE;
        start..(start + PAGE).min(self.length as usize)
    }
}

impl Table {
    pub fn chunks(&self) -> impl Iterator<Item = &Chunk> {
        self.strands.iter().flat_map(|s| &s.chunks)
    }

    /// The packs that it names, in their order.
    pub fn packs(&self) -> Vec<Pack> {
        let places = self.chunks().flat_map(Chunk::places);
        let mut packs: Vec<Pack> = places.map(|p| p.pack).collect();
        packs.sort_unstable();
        packs.dedup();
        packs
    }

    pub fn encode(&self) -> Vec<u8> {
        let packs = self.packs();
        let mut e = Encoder::default();
        encode_packs(&mut e, &packs);
        e.u64(self.length);
        e.len(self.strands.len());
        let place = |e: &mut Encoder, p: &Place| {
            e.len(packs.binary_search(&p.pack).unwrap_or(packs.len()));
            e.u64(p.offset);
        };
        for strand in &self.strands {
            e.u64(strand.key);
            e.len(strand.chunks.len());
            for chunk in &strand.chunks {
                e.u64(chunk.length.into());
                e.0.extend_from_slice(&chunk.hash.to_le_bytes());
                e.u64(chunk.codec as u64);
                e.u64(chunk.stored.into());
                place(&mut e, &chunk.at);
                e.len(chunk.patches.len());
                for (page, at) in &chunk.patches {
                    e.u64((*page).into());
                    place(&mut e, at);
                }
            }
        }
        e.0
    }

    /// One that fits together: chunks are no longer than they may be and as long as the data, and their places in packs.
    pub fn decode(bytes: &[u8]) -> Result<Table, DecodeError> {
        let mut d = Decoder::new(bytes, WHAT);
        let packs = decode_packs(&mut d)?;
        let length = d.u64()?;
        let strands = d.list(16, |d| {
            let key = d.u64()?;
            let chunks = d.list(64, |d| chunk(d, &packs))?;
            Ok(Strand { key, chunks })
        })?;
        d.end()?;
        let table = Table { length, strands };
        let lengths = table.chunks().map(|c| u64::from(c.length));
        match lengths.sum::<u64>() == length {
            true => Ok(table),
            false => Err(INVALID),
        }
    }
}

const WHAT: &str = "the table of chunks";
const INVALID: DecodeError = DecodeError::Invalid(WHAT);

pub fn encode_packs(e: &mut Encoder, packs: &[Pack]) {
    e.len(packs.len());
    packs.iter().for_each(|p| p.encode(e));
}

pub fn decode_packs(d: &mut Decoder) -> Result<Vec<Pack>, DecodeError> {
    d.list(Pack::BYTES, Pack::decode)
}

fn place(d: &mut Decoder, packs: &[Pack]) -> Result<Place, DecodeError> {
    let (pack, offset) = (d.size()?, d.u64()?);
    let pack = packs.get(pack).copied();
    let sound = offset >= HEAD && offset % ALIGN == 0 && offset < 1 << 62;
    let pack = pack.filter(|_| sound).ok_or(INVALID)?;
    Ok(Place { pack, offset })
}

fn chunk(d: &mut Decoder, packs: &[Pack]) -> Result<Chunk, DecodeError> {
    let length = d.u32()?;
    let mut hash = [0; 16];
    hash.copy_from_slice(d.take(16)?);
    let codec = Codec::from(d.u64()?).ok_or(INVALID)?;
    let stored = d.u32()?;
    let at = place(d, packs)?;
    let patches = d.list(24, |d| Ok((d.u32()?, place(d, packs)?)))?;
    let within = (1..=CHUNK as u32).contains(&length);
    let ascend = patches.windows(2).all(|w| w[0].0 < w[1].0);
    let pages = length.div_ceil(PAGE as u32);
    let fits = match codec {
        Codec::Raw => stored == length,
        _ => (1..length).contains(&stored),
    };
    if !within || !fits || !ascend || patches.last().is_some_and(|p| p.0 >= pages) {
        return Err(INVALID);
    }
    Ok(Chunk {
        length,
        hash: u128::from_le_bytes(hash),
        codec,
        stored,
        at,
        patches,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> Table {
        let packs = [Pack::new(1, 0), Pack::new(4, 1)];
        let place = |i: usize, n: u64| Place {
            pack: packs[i],
            offset: HEAD + n * ALIGN,
        };
        let chunk = |length, at, patches| Chunk {
            length,
            hash: u128::MAX / 3,
            codec: Codec::Raw,
            stored: length,
            at,
            patches,
        };
        Table {
            length: 2 * CHUNK as u64 + 100,
            strands: vec![
                Strand {
                    key: 77,
                    chunks: vec![
                        chunk(CHUNK as u32, place(1, 5), vec![]),
                        chunk(
                            CHUNK as u32,
                            place(0, 0),
                            vec![(3, place(1, 0)), (15, place(1, 1))],
                        ),
                    ],
                },
                Strand {
                    key: 0,
                    chunks: vec![chunk(100, place(0, 16), vec![(0, place(1, 2))])],
                },
            ],
        }
    }

    #[test]
    fn what_was_encoded_is_decoded() {
        let table = table();
        assert_eq!(Table::decode(&table.encode()), Ok(table));
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let change = |f: &dyn Fn(&mut Table)| {
            let mut t = table();
            f(&mut t);
            Table::decode(&t.encode()).map(drop)
        };
        assert!(change(&|t| t.length += 1).is_err());
        assert!(change(&|t| t.strands[0].chunks[0].length += 1).is_err());
        for (codec, stored, good) in [
            (Codec::Raw, 99, false),
            (Codec::Lz4, 99, true),
            (Codec::Words, 1, true),
            (Codec::Words, 0, false),
            (Codec::Lz4, 100, false),
            (Codec::Lz4, 1 << 31, false),
        ] {
            let changed = change(&|t| {
                let last = &mut t.strands[1].chunks[0];
                (last.codec, last.stored) = (codec, stored);
            });
            assert_eq!(changed.is_ok(), good, "{codec:?} {stored}");
        }
        assert!(change(&|t| t.strands[0].chunks[0].at.offset += 1).is_err());
        assert!(change(&|t| t.strands[0].chunks[0].at.offset = 0).is_err());
        assert!(change(&|t| t.strands[0].chunks[1].patches[0].0 = 15).is_err());
        assert!(change(&|t| t.strands[0].chunks[1].patches[1].0 = 16).is_err());
        assert!(change(&|t| t.strands[1].chunks[0].patches[0].0 = 1).is_err());
        let good = table().encode();
        for cut in 0..good.len() {
            assert!(Table::decode(&good[..cut]).is_err(), "{cut}");
        }
    }
}
