//! Does the program run on the stack that it was given?  What runs on one of its own making (contexts, coroutines) cannot be taken
//! down and built again: locations there are passed by.

use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::sync::Once;

use pc3_typemetric::codes;

use pc3_control::report::{say, warning};

/// An address of the program's stack.
static TOP: AtomicUsize = AtomicUsize::new(0);

/// The program begins on this stack.
pub fn note() {
    let here = 0u8;
    TOP.store(&raw const here as usize, SeqCst);
}

/// May no checkpoint be taken here, on another stack?
pub(crate) fn is_elsewhere() -> bool {
    static TOLD: Once = Once::new();
    let here = 0u8;
    let elsewhere = pc3_os::memory::listed()
        .is_ok_and(|maps| are_apart(&maps, TOP.load(SeqCst), &raw const here as usize));
    if elsewhere {
        TOLD.call_once(|| {
            say(&warning(
                codes::NOT_TAKEN,
                "no checkpoint here: the program runs on a stack that it has made itself",
            ))
        });
    }
    elsewhere
}

/// Are two addresses in different mappings of these?
fn are_apart(maps: &str, top: usize, here: usize) -> bool {
    let range = |line: &str| {
        let (start, end) = line.split_whitespace().next()?.split_once('-')?;
        let number = |text| usize::from_str_radix(text, 16).ok();
        Some(number(start)?..number(end)?)
    };
    let mut all = maps.lines().filter_map(range);
    all.find(|r| r.contains(&top))
        .is_some_and(|r| !r.contains(&here))
}

#[cfg(test)]
mod tests {
    use super::are_apart;

    #[test]
    fn one_mapping_or_another() {
        let maps = "1000-3000 rw-p 0 00:00 0 [heap]\n7000-9000 rw-p 0 00:00 0 [stack]\n";
        assert!(!are_apart(maps, 0x8fff, 0x7000));
        assert!(are_apart(maps, 0x8fff, 0x1000));
        assert!(!are_apart("", 0x8fff, 0x1000));
    }
}
