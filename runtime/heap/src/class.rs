//! Size classes. A slot is always strictly larger than the request it holds, so that the address one
//! past an object's end still lies in its slot.

/// Alignment of every object: that of the strictest fundamental type on all supported ABIs.
pub(crate) const ALIGN: usize = 16;
/// Largest slot of a slab; bigger requests get blocks of their own.
pub(crate) const MAX_SLOT: usize = 8192;
/// A new slab has room for at least so many.
pub(crate) const MIN_SLOTS: usize = 8;
/// Slabs grow to this size as their bin fills.
pub(crate) const MAX_SLAB: usize = 256 << 10;
/// 16, 32 … 128, then four steps per doubling.
pub(crate) const CLASSES: usize = 8 + 4 * 6;

pub(crate) const SLOT_OF: [u16; CLASSES] = slots();
static CLASS_OF: [u8; MAX_SLOT / ALIGN] = classes();

const fn slots() -> [u16; CLASSES] {
    let mut out = [0u16; CLASSES];
    let mut i = 0;
    while i < 8 {
        out[i] = (ALIGN * (i + 1)) as u16;
        i += 1;
    }
    let mut base = 128;
    while base < MAX_SLOT {
        let mut step = 1;
        while step <= 4 {
            out[i] = (base + base / 4 * step) as u16;
            i += 1;
            step += 1;
        }
        base *= 2;
    }
    out
}

const fn classes() -> [u8; MAX_SLOT / ALIGN] {
    let slots = slots();
    let mut out = [0u8; MAX_SLOT / ALIGN];
    let (mut unit, mut class) = (0, 0);
    while unit < out.len() {
        // The largest request of this unit is `unit * ALIGN + ALIGN - 1`.
        while (slots[class] as usize) < (unit + 1) * ALIGN {
            class += 1;
        }
        out[unit] = class as u8;
        unit += 1;
    }
    out
}

/// Class of a request, `size < MAX_SLOT`.
#[inline(always)]
pub(crate) fn class_of(size: usize) -> usize {
    debug_assert!(size < MAX_SLOT);
    CLASS_OF[size / ALIGN] as usize
}

/// Smallest class of a request whose slots are all aligned to the power of two `align`.
pub(crate) fn aligned_class(size: usize, align: usize) -> Option<usize> {
    let slot = (size.checked_add(1)?)
        .max(align)
        .checked_next_power_of_two()?;
    (ALIGN..=MAX_SLOT)
        .contains(&slot)
        .then(|| class_of(slot - 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_request_gets_the_smallest_larger_slot() {
        for size in 0..MAX_SLOT {
            let class = class_of(size);
            let slot = SLOT_OF[class] as usize;
            assert!(slot > size && slot % ALIGN == 0);
            assert!(class == 0 || (SLOT_OF[class - 1] as usize) <= size);
        }
    }

    #[test]
    fn aligned_slots_are_powers_of_two() {
        assert_eq!(aligned_class(63, 64).map(|c| SLOT_OF[c]), Some(64));
        assert_eq!(aligned_class(64, 64).map(|c| SLOT_OF[c]), Some(128));
        assert_eq!(aligned_class(1, 4096).map(|c| SLOT_OF[c]), Some(4096));
        assert_eq!(aligned_class(MAX_SLOT, 64), None);
        assert_eq!(aligned_class(usize::MAX, 64), None);
    }
}
