//! Tables that grow while others read them: what is in one stays where it is, and reading costs what it does in an array.

use std::alloc::{alloc, dealloc, handle_alloc_error, Layout};
use std::ops::Deref;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicUsize, Ordering::*};

/// So many ranks may be spawned in the course of a run.  Memory is taken only for those that are.
pub const ROOM: usize = 1 << 14;

pub struct Grow<T> {
    start: NonNull<T>,
    room: usize,
    len: AtomicUsize,
}

// SAFETY: it owns its elements, which are shared as those of an array.
unsafe impl<T: Send> Send for Grow<T> {}
// SAFETY: as above; only one thread adds to it at a time.
unsafe impl<T: Sync + Send> Sync for Grow<T> {}

impl<T> Grow<T> {
    /// Of these elements, with room for so many more.
    pub fn new(first: impl ExactSizeIterator<Item = T>, more: usize) -> Grow<T> {
        let room = first.len() + more;
        let layout = Grow::<T>::layout(room);
        let start = match layout.size() {
            0 => NonNull::dangling(),
            // SAFETY: not of no size.
            _ => NonNull::new(unsafe { alloc(layout) }.cast())
                .unwrap_or_else(|| handle_alloc_error(layout)),
        };
        let mut all = Grow {
            start,
            room,
            len: AtomicUsize::new(0),
        };
        first.for_each(|one| all.push_first(one));
        all
    }

    fn layout(room: usize) -> Layout {
        Layout::array::<T>(room).unwrap_or_else(|_| unreachable!("a table of ranks is that large"))
    }

    fn push_first(&mut self, one: T) {
        // SAFETY: nobody else has it.
        let added = unsafe { self.push(one) };
        debug_assert!(added.is_ok(), "there is room for all that come first");
    }

    /// Puts one behind the others, unless there is no room.
    ///
    /// # Safety
    /// Nobody else does so now.
    pub unsafe fn push(&self, one: T) -> Result<usize, T> {
        let at = self.len.load(Relaxed);
        if at == self.room {
            return Err(one);
        }
        // SAFETY: inside the table, where nobody reads yet.
        unsafe { self.start.add(at).write(one) };
        self.len.store(at + 1, Release);
        Ok(at)
    }

    /// For how many more there is room.
    #[inline]
    pub fn left(&self) -> usize {
        self.room - self.len.load(Relaxed)
    }
}

impl<T> Deref for Grow<T> {
    type Target = [T];
    #[inline]
    fn deref(&self) -> &[T] {
        // SAFETY: so many are in it, for good.
        unsafe { std::slice::from_raw_parts(self.start.as_ptr(), self.len.load(Acquire)) }
    }
}

impl<T> Drop for Grow<T> {
    fn drop(&mut self) {
        let all = std::ptr::slice_from_raw_parts_mut(self.start.as_ptr(), *self.len.get_mut());
        // SAFETY: its own elements, once.
        unsafe { all.drop_in_place() };
        let layout = Grow::<T>::layout(self.room);
        if layout.size() > 0 {
            // SAFETY: allocated with this layout.
            unsafe { dealloc(self.start.as_ptr().cast(), layout) };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    #[test]
    fn what_is_in_it_stays_where_it_is() {
        let table = Grow::new((0..3).map(Arc::new), 2);
        let first: *const Arc<i32> = &raw const table[0];
        // SAFETY: of one thread.
        let add = |n| unsafe { table.push(Arc::new(n)) }.ok();
        assert_eq!([add(3), add(4), add(5)], [Some(3), Some(4), None]);
        assert_eq!(table.iter().map(|n| **n).sum::<i32>(), 10);
        assert!(std::ptr::eq(first, &raw const table[0]) && table.left() == 0);
    }

    #[test]
    fn readers_see_whole_elements_while_it_grows() {
        let table = Grow::new(std::iter::empty::<Box<u64>>(), 1000);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                for n in 0..1000 {
                    // SAFETY: the only one.
                    let _ = unsafe { table.push(Box::new(n)) };
                }
            });
            while table.len() < 1000 {
                assert!(table.iter().enumerate().all(|(i, n)| i as u64 == **n));
            }
        });
    }
}
