//! Memory for what a checkpoint keeps beside the program, which goes on meanwhile.  Where there is none the checkpoint is given up
//! and not the process: so it is asked for first, and the program still has some to find when it asks.

use std::hint::black_box;
use std::io;

/// Left for the program, and for all that is too small to ask.
const LEFT: usize = 8 << 20;

/// Can so many bytes be had, and the program's share besides?
pub fn has(bytes: usize) -> bool {
    let mut probe: Vec<u8> = Vec::new();
    let wanted = bytes.saturating_add(LEFT);
    let there = probe.try_reserve_exact(wanted).is_ok();
    // What nobody looks at need not be allocated at all.
    black_box(&probe);
    there
}

/// An empty vector with room for so many bytes.
pub fn vec(bytes: usize) -> io::Result<Vec<u8>> {
    let mut list = Vec::new();
    match list.try_reserve_exact(bytes).is_ok() && has(0) {
        true => Ok(list),
        false => Err(io::ErrorKind::OutOfMemory.into()),
    }
}

/// An error if they cannot be had.
pub fn ask(bytes: usize) -> io::Result<()> {
    match has(bytes) {
        true => Ok(()),
        false => Err(io::ErrorKind::OutOfMemory.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_there_is_an_error() {
        assert!(has(1 << 20) && vec(1 << 20).is_ok());
        assert!(!has(usize::MAX / 4) && !has(usize::MAX));
        let none = vec(usize::MAX / 4).map_err(|e| e.kind());
        assert_eq!(none, Err(io::ErrorKind::OutOfMemory));
    }
}
