//! Was a file built by pc3cc?

use std::fs;
use std::path::Path;

use pc3_runtime::MARK;

/// An executable with the runtime in it.
pub(crate) fn is_ours(path: &Path) -> bool {
    fs::read(path).is_ok_and(|bytes| {
        bytes.starts_with(b"\x7fELF") && bytes.windows(MARK.len()).any(|w| w == MARK)
    })
}
