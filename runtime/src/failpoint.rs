//! Places where tests make the program die or a write fail (feature `failpoints` only).
//!
//! `PC3_FAIL=commit.renamed` aborts when that place is reached; `PC3_FAIL=commit.write:enospc`
//! makes it report a full disk; `NAME@3` acts at the third passage.

use std::io;

#[cfg(not(feature = "failpoints"))]
#[inline]
pub(crate) fn reach(_name: &str) -> io::Result<()> {
    Ok(())
}

#[cfg(feature = "failpoints")]
pub(crate) fn reach(name: &str) -> io::Result<()> {
    use std::sync::atomic::{AtomicU64, Ordering::SeqCst};
    static PASSAGES: AtomicU64 = AtomicU64::new(0);
    let Ok(wanted) = std::env::var("PC3_FAIL") else {
        return Ok(());
    };
    let (place, effect) = wanted.split_once(':').unwrap_or((&wanted, "abort"));
    let (place, at) = place.split_once('@').unwrap_or((place, "1"));
    if place != name || PASSAGES.fetch_add(1, SeqCst) + 1 != at.parse().unwrap_or(1) {
        return Ok(());
    }
    match effect {
        "enospc" => Err(io::Error::from_raw_os_error(libc::ENOSPC)),
        // As a crash would: no handlers, no flushing.
        _ => unsafe {
            libc::kill(libc::getpid(), libc::SIGKILL);
            std::process::abort()
        },
    }
}
