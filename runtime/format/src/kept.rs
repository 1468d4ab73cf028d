//! Sections that are kept in memory until they go into a file: in blocks, so that nothing has to be moved as they grow, and of
//! memory that may not be there.

use std::io;

use crate::memory_reserve;

/// Blocks are as long as all before them, within these bounds, unless more comes at once.
const LEAST: usize = 256;
const MOST: usize = 8 << 20;

#[derive(Default)]
pub struct Kept {
    blocks: Vec<Vec<u8>>,
    length: usize,
}

impl Kept {
    pub fn put(&mut self, bytes: &[u8]) -> io::Result<()> {
        let free = |b: &Vec<u8>| b.capacity() - b.len();
        let now = self.blocks.last().map_or(0, free).min(bytes.len());
        let (now, rest) = bytes.split_at(now);
        if let Some(last) = self.blocks.last_mut() {
            last.extend_from_slice(now);
        }
        if !rest.is_empty() {
            let mut block = memory_reserve::vec(rest.len().max(self.length.clamp(LEAST, MOST)))?;
            block.extend_from_slice(rest);
            self.blocks.push(block);
        }
        self.length += bytes.len();
        Ok(())
    }

    pub fn length(&self) -> usize {
        self.length
    }

    /// The bytes from one place up to another.
    pub fn pieces(&self, from: usize, to: usize) -> impl Iterator<Item = &[u8]> {
        let mut at = 0;
        self.blocks.iter().filter_map(move |block| {
            let start = at;
            at += block.len();
            let (from, to) = (from.max(start), to.min(at));
            (from < to).then(|| &block[from - start..to - start])
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_put_is_there_in_pieces() {
        let all: Vec<u8> = (0..100_000u32).map(|i| (i % 251) as u8).collect();
        let mut kept = Kept::default();
        let mut rest = &all[..];
        for n in (0..).map(|i| 1 + i * 37 % 1500) {
            let (now, later) = rest.split_at(n.min(rest.len()));
            kept.put(now).unwrap();
            rest = later;
            if rest.is_empty() {
                break;
            }
        }
        assert!(kept.blocks.len() > 3 && kept.length == all.len());
        for (from, to) in [(0, all.len()), (0, 0), (255, 257), (7, 99_999), (64, 65)] {
            let found: Vec<u8> = kept.pieces(from, to).flatten().copied().collect();
            assert_eq!(found, all[from..to], "{from}..{to}");
        }
    }
}
