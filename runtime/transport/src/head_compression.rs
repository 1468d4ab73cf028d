//! Heads on their way: each says what differs from the last one to the same process, as frames arrive in order.  One
//! byte tells which of the eight words follow; mostly none or one do.

use crate::{Head, HEAD};

const WORD: usize = 8;
/// What a head takes at most.
pub const MOST: usize = 1 + HEAD;

type Words = [u64; HEAD / WORD];

/// The last head of a stream, on either side.
#[derive(Clone, Copy, Default)]
pub struct Last(Words);

/// How a head is written that is what the last one was.
pub const SAME: u8 = 0;

/// A head, and which of its words differ from those of the last one.
pub struct News {
    words: Words,
    differ: u8,
}

impl News {
    /// Bytes that `write` needs.
    #[inline]
    pub fn len(&self) -> usize {
        1 + WORD * self.differ.count_ones() as usize
    }

    /// There is always something to write.
    pub fn is_empty(&self) -> bool {
        false
    }
}

#[inline]
fn words_of(head: &Head) -> Words {
    // SAFETY: a struct without padding, of as many bytes.
    unsafe { std::mem::transmute(*head) }
}

impl Last {
    #[inline]
    pub fn news(&self, head: &Head) -> News {
        let words = words_of(head);
        let pairs = words.iter().zip(&self.0).enumerate();
        let differ = pairs.fold(0, |d, (i, (new, old))| d | u8::from(new != old) << i);
        News { words, differ }
    }

    /// Is the head what the last one was?
    #[inline]
    pub fn is(&self, head: &Head) -> bool {
        let words = words_of(head);
        let pairs = words.iter().zip(&self.0);
        pairs.fold(0, |d, (new, old)| d | (new ^ old)) == 0
    }

    /// Writes the head, as the next one of the stream.
    #[inline]
    pub fn write(&mut self, news: News, out: &mut [u8]) {
        out[0] = news.differ;
        if news.differ == SAME {
            return;
        }
        let mut at = 1;
        for (i, word) in news.words.iter().enumerate() {
            if news.differ & 1 << i != 0 {
                out[at..at + WORD].copy_from_slice(&word.to_ne_bytes());
                at += WORD;
            }
        }
        self.0 = news.words;
    }

    /// Reads what `write` wrote; how long it was there.
    #[inline]
    pub fn read(&mut self, from: &[u8]) -> (&Head, usize) {
        let (mut differ, mut at) = (from[0], 1);
        while differ != 0 {
            let mut word = [0; WORD];
            word.copy_from_slice(&from[at..at + WORD]);
            self.0[differ.trailing_zeros() as usize] = u64::from_ne_bytes(word);
            differ &= differ - 1;
            at += WORD;
        }
        // SAFETY: as large, aligned alike, and any bits are a head.
        (unsafe { &*(&raw const self.0).cast::<Head>() }, at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heads_are_what_they_were() {
        let (mut out, mut there) = (Last::default(), Last::default());
        let mut bytes = [0; MOST];
        let mut seed = 1u64;
        for n in 0..10_000 {
            seed ^= seed << 13;
            seed ^= seed >> 7;
            seed ^= seed << 17;
            let pick = |bit: u32, v: u64| if seed >> bit & 1 == 1 { v } else { 7 };
            let head = Head {
                kind: pick(1, 3) as u32,
                dst: pick(2, seed) as u32,
                tag: pick(3, !seed) as i32,
                count: pick(4, n),
                id: pick(5, u64::MAX),
                len: pick(6, seed),
                ..Head::default()
            };
            let mut pass = |head| {
                let news = out.news(&head);
                let long = news.len();
                assert_eq!(out.is(&head), long == 1);
                out.write(news, &mut bytes[..long]);
                assert_eq!(there.read(&bytes), (&head, long));
                long
            };
            assert!(pass(head) <= MOST);
            assert_eq!(pass(head), 1);
        }
    }
}
