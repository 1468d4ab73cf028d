//! Places where tests make the program die or a write fail (feature `failpoints` only).
//!
//! `PC3_FAIL=commit.renamed` aborts when that place is reached; `PC3_FAIL=commit.write:enospc`
//! makes it report a full disk, `:slow` takes a second there, `:late` aborts a third of a second later; `NAME@3` acts at the
//! third passage.
//!
//! `PC3_CHAOS=SEED` has threads sleep at random where another thread's step could come in between ([`chaos`]).

use std::io;

#[cfg(not(feature = "failpoints"))]
#[inline]
pub fn reach(_name: &str) -> io::Result<()> {
    Ok(())
}

#[cfg(feature = "failpoints")]
pub fn reach(name: &str) -> io::Result<()> {
    use std::sync::atomic::{AtomicU64, Ordering::SeqCst};
    static PASSAGES: AtomicU64 = AtomicU64::new(0);
    let Some(wanted) = crate::inherited::var("PC3_FAIL") else {
        return Ok(());
    };
    let (place, effect) = wanted.split_once(':').unwrap_or((&wanted, "abort"));
    let (place, at) = place.split_once('@').unwrap_or((place, "1"));
    if place != name || PASSAGES.fetch_add(1, SeqCst) + 1 != at.parse().unwrap_or(1) {
        return Ok(());
    }
    match effect {
        "enospc" => Err(io::Error::from_raw_os_error(pc3_os::errors::ENOSPC)),
        "slow" => {
            std::thread::sleep(std::time::Duration::from_secs(1));
            Ok(())
        }
        // As a crash would: no handlers, no flushing.
        _ => {
            if effect == "late" {
                std::thread::sleep(std::time::Duration::from_millis(300));
            }
            pc3_os::signals::send_to_self(pc3_os::signals::SIGKILL);
            std::process::abort()
        }
    }
}

#[cfg(not(feature = "failpoints"))]
#[inline]
pub fn chaos() {}

/// Another thread may be faster here.
#[cfg(feature = "failpoints")]
pub fn chaos() {
    use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
    use std::sync::OnceLock;
    static SEED: OnceLock<Option<u64>> = OnceLock::new();
    static CALLS: AtomicU64 = AtomicU64::new(0);
    let seed = SEED.get_or_init(|| std::env::var("PC3_CHAOS").ok()?.parse().ok());
    let Some(seed) = seed else { return };
    let n = CALLS.fetch_add(1, Relaxed);
    let mut x = seed
        .wrapping_add(u64::from(std::process::id()))
        .wrapping_add(n << 20);
    x = (x ^ x >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^= x >> 31;
    match x % 16 {
        0..=1 => std::thread::sleep(std::time::Duration::from_micros(x >> 40 & 4095)),
        2..=5 => std::thread::yield_now(),
        _ => {}
    }
}
