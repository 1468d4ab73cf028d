//! What generated code sees of the table of unions, so that it calls only where there is something to do: pointers that are
//! kept already, and where anything is in the table. It is of all ranks of the process; what is missing here costs a call.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

const SETS: usize = 64;
/// Unions that lie in each other begin at one address.
const WAYS: usize = 4;
const CODE: u32 = if size_of::<usize>() == 8 { 48 } else { 32 };

/// The union's address, and above it the code of its member.
#[no_mangle]
#[allow(non_upper_case_globals)]
static pc3_kept: [AtomicU64; SETS * WAYS] = [const { AtomicU64::new(0) }; SETS * WAYS];

pub(super) const BLOCK: usize = 1 << 8;
const BLOCKS: usize = 1 << 10;

/// Blocks of 256 bytes in which, or in the one behind, something was in the table, by the lower bits of their numbers.
#[no_mangle]
#[allow(non_upper_case_globals)]
static pc3_tabled: [AtomicU64; BLOCKS] = [const { AtomicU64::new(0) }; BLOCKS];

fn set(at: usize) -> usize {
    (at >> 4) % SETS * WAYS
}

/// A pointer to a member is kept.
pub fn hold(at: usize, code: u32) {
    let fits = (at as u64) < 1 << CODE && code != 0 && code >> 16 == 0;
    if fits {
        let way = (code ^ code >> 6) as usize % WAYS;
        pc3_kept[set(at) + way].store(at as u64 | u64::from(code) << CODE, Relaxed);
    }
}

/// No pointer to a member of what lies there is kept any more.
pub fn drop(at: usize) {
    for kept in &pc3_kept[set(at)..set(at) + WAYS] {
        if kept.load(Relaxed) & ((1 << CODE) - 1) == at as u64 {
            kept.store(0, Relaxed);
        }
    }
}

pub fn clear() {
    pc3_kept.iter().for_each(|kept| kept.store(0, Relaxed));
}

/// Something of a block is in the table.
#[inline]
pub fn mark(block: usize) {
    for block in [block, block.wrapping_sub(1)] {
        let (word, bit) = (&pc3_tabled[block / 64 % BLOCKS], 1 << (block % 64));
        if word.load(Relaxed) & bit == 0 {
            word.fetch_or(bit, Relaxed);
        }
    }
}

/// May something of up to `BLOCK` bytes from here be in the table?
#[inline]
pub(super) fn is_tabled(at: usize) -> bool {
    let block = at >> 8;
    pc3_tabled[block / 64 % BLOCKS].load(Relaxed) >> (block % 64) & 1 != 0
}

/// As generated code asks.
#[cfg(test)]
pub(super) fn is_kept(at: usize, code: u32) -> bool {
    let way = (code ^ code >> 6) as usize % WAYS;
    pc3_kept[set(at) + way].load(Relaxed) == at as u64 | u64::from(code) << CODE
}
