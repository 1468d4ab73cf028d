//! Variables of the C library that programs may give addresses: standard streams, `environ`, what `error` and obstacks call.  Those
//! that hold numbers are saved as the program's own.

use std::ffi::c_int;
use std::sync::atomic::{AtomicU32, Ordering::SeqCst};
use std::sync::OnceLock;

use pc3_os::original;
use pc3_os::variables::places;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// An address of the program's: a stream, a function, memory.
    Address,
    /// The same, which the library gives values itself.
    Environment,
    Number,
}

/// Their places in this list are those in checkpoints.
const NAMES: [(&str, Kind); 9] = [
    ("stdin", Kind::Address),
    ("stdout", Kind::Address),
    ("stderr", Kind::Address),
    ("environ", Kind::Environment),
    ("error_print_progname", Kind::Address),
    ("obstack_alloc_failed_handler", Kind::Address),
    ("program_invocation_name", Kind::Address),
    ("program_invocation_short_name", Kind::Address),
    // One bit for each signal whose handlers interrupt calls.
    ("siginterrupt", Kind::Number),
];

static INTERRUPTING: AtomicU32 = AtomicU32::new(0);

/// `siginterrupt`, as the program calls it.
pub fn interrupt(signal: c_int, interrupts: c_int) -> c_int {
    // SAFETY: a plain call.
    let done = unsafe { original::siginterrupt(signal, interrupts) };
    if let (0, Some(bit)) = (done, 1u32.checked_shl(signal as u32)) {
        match interrupts {
            0 => INTERRUPTING.fetch_and(!bit, SeqCst),
            _ => INTERRUPTING.fetch_or(bit, SeqCst),
        };
    }
    done
}

type All = [usize; NAMES.len()];

/// What they hold.
fn now() -> All {
    let mut all = [0; NAMES.len()];
    for (value, place) in all.iter_mut().zip(places()) {
        // SAFETY: variables of the library, to which nobody assigns now.
        *value = unsafe { *place };
    }
    all[NAMES.len() - 1] = INTERRUPTING.load(SeqCst) as usize;
    all
}

static FIRST: OnceLock<All> = OnceLock::new();

/// To be called before the program runs.
pub fn note() {
    let _ = FIRST.set(now());
}

/// The standard streams with which the process was started.
pub fn streams() -> [usize; 3] {
    let [a, b, c, ..] = FIRST.get().copied().unwrap_or_else(now);
    [a, b, c]
}

/// Those that have been given others than these: which, and the stream.
pub(crate) fn other_streams() -> impl Iterator<Item = (&'static str, usize)> {
    let all = now().into_iter().zip(streams()).zip(NAMES);
    all.filter(|((now, first), _)| now != first)
        .map(|((now, _), (name, _))| (name, now))
}

/// One that ranks of a process cannot share.
pub fn shared() -> Option<String> {
    let (which, _) = changed()
        .into_iter()
        .find(|(n, _)| NAMES[*n as usize].1 == Kind::Address)?;
    let name = NAMES[which as usize].0;
    Some(format!(
        "`{name}` has been given another value, for all ranks of the process"
    ))
}

/// What the program has given other values, and where the environment is: which, and the value.
pub fn changed() -> Vec<(u64, u64)> {
    let Some(first) = FIRST.get() else {
        return Vec::new();
    };
    let all = now().into_iter().zip(first).zip(NAMES).enumerate();
    let all =
        all.filter(|(_, ((now, first), (_, kind)))| *kind == Kind::Environment || now != *first);
    all.map(|(i, ((now, _), _))| (i as u64, now as u64))
        .collect()
}

/// What a checkpoint's have to be here; `address`: of an address of the program's.
pub fn here(
    saved: &[(u64, u64)],
    mut address: impl FnMut(u64) -> Option<usize>,
) -> Result<Vec<(u64, usize)>, String> {
    let mut list = Vec::new();
    for (which, value) in saved {
        let known = usize::try_from(*which).ok().and_then(|n| NAMES.get(n));
        let (name, kind) =
            known.ok_or_else(|| "a variable of the C library is not known".to_owned())?;
        let new = match kind {
            Kind::Number => Some(*value as usize),
            _ => address(*value),
        };
        match new {
            Some(new) => list.push((*which, new)),
            // Nothing of the program's leads there.
            None if *kind == Kind::Environment => {}
            None => return Err(format!("`{name}` leads to nothing of the program's")),
        }
    }
    Ok(list)
}

/// Gives them these values.
pub fn apply(list: &[(u64, usize)]) {
    for (which, value) in list.iter().copied().filter(|v| v.1 != 0) {
        // SAFETY: variables of the library; the program does not run yet.
        unsafe {
            match which {
                n @ 0..8 => *places()[n as usize] = value,
                _ => (1..32)
                    .filter(|n| value >> n & 1 != 0)
                    .for_each(|n| _ = interrupt(n, 1)),
            }
        }
    }
}
