//! What becomes of bytes: some are others, numbers are those that are worth a try, some are missing, some are there twice.

use fastrand::Rng;

const NUMBERS: [u64; 12] = [
    0,
    1,
    2,
    7,
    64,
    4096,
    u32::MAX as u64,
    1 << 31,
    1 << 40,
    i64::MAX as u64,
    u64::MAX - 7,
    u64::MAX,
];

/// At a few places.
pub fn bytes(bytes: &mut Vec<u8>, rng: &mut Rng) {
    for _ in 0..=rng.usize(..4) {
        if bytes.is_empty() {
            bytes.extend((0..rng.usize(1..40)).map(|_| rng.u8(..)));
            continue;
        }
        let at = rng.usize(..bytes.len());
        match rng.u8(..8) {
            0 => bytes[at] ^= 1 << rng.u8(..8),
            1 => bytes[at] = rng.u8(..),
            2..=4 => {
                // Most numbers lie at multiples of eight.
                let at = if rng.bool() { at & !7 } else { at };
                let number = rng.choice(NUMBERS).unwrap_or(0).to_le_bytes();
                let width = *rng.choice(&[1, 2, 4, 8, 8, 8]).unwrap_or(&8);
                let room = bytes[at..].iter_mut();
                room.zip(&number[..width])
                    .for_each(|(to, from)| *to = *from);
            }
            5 => {
                let end = bytes.len().min(at + rng.usize(1..40));
                bytes.drain(at..end);
            }
            6 => {
                let end = bytes.len().min(at + rng.usize(1..40));
                let again = bytes[at..end].to_vec();
                let to = rng.usize(..=bytes.len());
                bytes.splice(to..to, again);
            }
            _ => bytes.truncate(at),
        }
    }
}
