//! Saved frames of one rank: `pc3_frame_save` pushes them innermost first while the stack
//! unwinds; the resume clones read them outermost first.

use std::ffi::{c_void, CStr};
use std::ptr::null_mut;

use pc3_typemetric::descriptor::{pc3_fn, pc3_frame, pc3_func, pc3_point, PC3_POINT_LOOSE};

/// Frames and their live records, which do not move until `clear`.
#[derive(Default, Debug)]
pub struct Frames {
    /// Innermost first.
    list: Vec<pc3_frame>,
    /// While resuming: frames not yet entered.
    left: usize,
    chunks: Vec<Vec<u128>>,
    /// Chunk in use and its used words.
    at: (usize, usize),
}

/// Words of the first chunk, and how often the next is twice as large: ranks are many, and most have few frames.
const CHUNK_WORDS: usize = 32;
const DOUBLED: usize = 7;

impl Frames {
    #[inline]
    pub fn clear(&mut self) {
        self.list.clear();
        self.left = 0;
        self.at = (0, 0);
    }

    /// Room for a record, aligned to 16 and zeroed so that padding is the same in every file.
    fn room(&mut self, bytes: usize) -> *mut c_void {
        let words = bytes.div_ceil(16).max(1);
        while let Some(chunk) = self.chunks.get_mut(self.at.0) {
            if chunk.len() - self.at.1 >= words {
                let record = &mut chunk[self.at.1..self.at.1 + words];
                record.fill(0);
                self.at.1 += words;
                return record.as_mut_ptr().cast();
            }
            self.at = (self.at.0 + 1, 0);
        }
        let usual = CHUNK_WORDS << self.chunks.len().min(DOUBLED);
        self.chunks.push(vec![0; words.max(usual)]);
        self.at = (self.chunks.len() - 1, 0);
        self.room(bytes)
    }

    /// Pushes the next outer frame; returns where its live values (`bytes` of them) go.
    #[inline]
    pub fn push(
        &mut self,
        point: *const pc3_point,
        bytes: usize,
        shadow: *mut c_void,
    ) -> *mut c_void {
        let live = if bytes == 0 {
            null_mut()
        } else {
            self.room(bytes)
        };
        self.list.push(pc3_frame {
            point,
            live,
            shadow,
        });
        live
    }

    /// Innermost first.
    #[inline]
    pub fn list(&self) -> &[pc3_frame] {
        &self.list
    }

    pub fn begin_resume(&mut self) {
        self.left = self.list.len();
    }

    /// The frame that the resume clone just entered restores.
    #[inline]
    pub fn load(&mut self) -> Option<&pc3_frame> {
        self.left = self.left.checked_sub(1)?;
        self.list.get(self.left)
    }

    /// The resume entry of the frame to come.
    #[inline]
    pub fn next(&self) -> pc3_fn {
        let next = self.list.get(self.left.checked_sub(1)?)?;
        // SAFETY: points and functions are the program's static tables.
        unsafe { (*(*next.point).func).resume }
    }

    /// While resuming: the shadow block of the next frame inwards that has one.
    #[inline]
    pub fn inner_shadow(&self) -> Option<*mut c_void> {
        let inner = self.list[..self.left].iter().rev().map(|f| f.shadow);
        inner.into_iter().find(|s| !s.is_null())
    }

    #[inline]
    pub fn all_resumed(&self) -> bool {
        self.left == 0
    }

    /// The frame pushed last; its caller comes next.
    #[inline]
    pub fn outermost(&self) -> Option<&pc3_frame> {
        self.list.last()
    }
}

/// A name in the program's tables.
#[allow(clippy::not_unsafe_ptr_arg_deref)] // only names of tables, which live as long as the program
#[inline]
pub fn text<'a>(name: *const std::ffi::c_char) -> std::borrow::Cow<'a, str> {
    if name.is_null() {
        return "".into();
    }
    // SAFETY: the tables hold zero-terminated strings that live as long as the program.
    unsafe { CStr::from_ptr(name) }.to_string_lossy()
}

/// Can `callee` be what `caller`'s point calls?  No if a function in between, which cannot be
/// unwound, called back.
#[inline]
pub fn calls(caller: &pc3_point, callee: &pc3_func) -> bool {
    let (what, name) = (text(caller.what), text(callee.name));
    caller.flags & PC3_POINT_LOOSE != 0
        || what == "(*)"
        || name == what
        || name.rsplit(':').next() == Some(&what)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_stay_where_they_are_and_apart() {
        let mut frames = Frames::default();
        let mut seen: Vec<(*mut u8, usize)> = Vec::new();
        for n in 0..3000 {
            let bytes = if n == 1500 { 1 << 20 } else { n % 97 };
            let live = frames
                .push(std::ptr::null(), bytes, null_mut())
                .cast::<u8>();
            assert_eq!(live.is_null(), bytes == 0);
            assert_eq!(live as usize % 16, 0);
            // SAFETY: room for `bytes`.
            unsafe { live.write_bytes(n as u8, bytes) };
            seen.push((live, bytes));
        }
        for (n, (live, bytes)) in seen.iter().enumerate().filter(|(_, s)| s.1 > 0) {
            // SAFETY: written above.
            let record = unsafe { std::slice::from_raw_parts(*live, *bytes) };
            assert!(record.iter().all(|&b| b == n as u8));
        }
        frames.begin_resume();
        for (live, _) in seen.iter().rev() {
            assert_eq!(frames.load().unwrap().live.cast(), *live);
        }
        assert!(frames.all_resumed() && frames.load().is_none());
    }
}
