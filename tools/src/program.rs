//! Was a file built by pc3cc?

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use pc3_runtime::MARK;

/// An executable with the runtime in it.
pub(crate) fn is_ours(path: &Path) -> bool {
    has_mark(path).unwrap_or(false)
}

fn has_mark(path: &Path) -> io::Result<bool> {
    if !path.metadata()?.is_file() {
        return Ok(false);
    }
    let mut file = File::open(path)?;
    // Arguments may be files of any size.
    let mut bytes = vec![0; 4];
    file.read_exact(&mut bytes)?;
    if bytes != b"\x7fELF" {
        return Ok(false);
    }
    file.read_to_end(&mut bytes)?;
    Ok(bytes.windows(MARK.len()).any(|w| w == MARK))
}
