//! Functions of the program that MPI calls: of reductions, attributes, errors, requests, data representations.

use std::ptr::NonNull;

use pc3_runtime::rank::Rank;

/// The rank that the calling stack belongs to, if there is a runtime.
pub(crate) fn running() -> Option<NonNull<Rank>> {
    // SAFETY: no other reference to it is alive while MPI looks.
    unsafe { Rank::current() }.map(NonNull::from)
}

/// While it is there, such a function runs below MPI, whose frames no checkpoint can hold: the rank passes locations by.
pub struct Below {
    me: Option<NonNull<Rank>>,
    before: usize,
}

impl Below {
    pub fn begin() -> Below {
        let me = running();
        let here = 0u8;
        let before = me.map_or(0, |mut rank| {
            // SAFETY: ranks live as long as the process; see above.
            unsafe { rank.as_mut() }.begin_below((&raw const here).addr())
        });
        Below { me, before }
    }
}

impl Drop for Below {
    fn drop(&mut self) {
        if let Some(mut rank) = self.me {
            // SAFETY: as above.
            unsafe { rank.as_mut() }.below = self.before;
        }
    }
}
