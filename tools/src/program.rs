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
    Ok(contains(&bytes, MARK))
}

/// By the C library's search: programs are large, and pc3run looks into them before they start.
fn contains(bytes: &[u8], what: &[u8]) -> bool {
    let (all, part) = (bytes.as_ptr().cast(), what.as_ptr().cast());
    // SAFETY: two slices, which are only read.
    !unsafe { libc::memmem(all, bytes.len(), part, what.len()) }.is_null()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_is_found_wherever_it_is() {
        let mark = b"mark of ours";
        for before in 0..70 {
            let found = [&vec![b'm'; before][..], mark, b"ma"].concat();
            assert!(contains(&found, mark));
            assert!(contains(&found[..before + mark.len()], mark));
            assert!(!contains(&found[..before + mark.len() - 1], mark));
        }
        assert!(!contains(b"", mark));
    }
}
