//! `setjmp` and `longjmp` among frames that are left and resumed.
//!
//! The program's `jmp_buf` holds a number, a mark, and the blocked signals if `sigsetjmp` is to keep them.  The number names a call
//! of setjmp in a frame that is alive; where that can be returned to right now (the frame's own buffer on the machine's stack) is
//! listed here, and listed anew by the resume clones.  Copies of a `jmp_buf` are as good as the original.  No number is given twice:
//! a buffer whose frame is gone leads nowhere.

#[derive(Clone, Copy, Debug)]
pub struct Armed {
    token: u64,
    /// Where the frame's buffers lie: stacks grow downwards, so frames further in lie below.
    pub base: usize,
    pub real: usize,
    /// The shadow stack's top in that frame.
    pub sp: usize,
}

#[derive(Default, Debug)]
pub struct Jumps {
    /// Outermost first.
    armed: Vec<Armed>,
    /// The latest number: part of the state.
    pub last: u64,
}

impl Jumps {
    pub fn clear(&mut self) {
        self.armed.clear();
    }

    #[inline]
    pub fn arm(
        &mut self,
        tokens: &mut [u64],
        i: usize,
        base: usize,
        real: usize,
        sp: usize,
    ) -> u64 {
        // Frames that are gone: below this one, or at its place before it was called.
        let fresh = tokens.iter().all(|t| *t == 0);
        while let Some(last) = self.armed.last() {
            if last.base > base || last.base == base && !fresh {
                break;
            }
            self.armed.pop();
        }
        let token = tokens[i];
        match self.armed.iter_mut().find(|a| a.token == token) {
            Some(known) => known.sp = sp,
            None => {
                self.last += 1;
                tokens[i] = self.last;
                self.push(tokens[i], base, real, sp);
            }
        }
        tokens[i]
    }

    #[inline]
    pub fn push(&mut self, token: u64, base: usize, real: usize, sp: usize) {
        self.armed.push(Armed {
            token,
            base,
            real,
            sp,
        });
    }

    #[inline]
    pub fn find(&self, token: u64) -> Option<Armed> {
        self.armed.iter().rev().find(|a| a.token == token).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_name_frames() {
        let mut j = Jumps::default();
        let (mut outer, mut inner) = ([0; 2], [0; 1]);
        assert_eq!(j.arm(&mut outer, 1, 0x900, 0x910, 1), 1);
        assert_eq!(j.arm(&mut inner, 0, 0x800, 0x800, 2), 2);
        // Again at the same call; then at another of the frame, by which the inner one is gone.
        assert_eq!(j.arm(&mut inner, 0, 0x800, 0x800, 3), 2);
        assert_eq!(j.find(2).unwrap().sp, 3);
        assert_eq!(j.arm(&mut outer, 0, 0x900, 0x900, 4), 3);
        assert!(j.find(2).is_none());
        assert_eq!(j.find(3).unwrap().real, 0x900);
        assert_eq!(j.find(1).unwrap().real, 0x910);
        // Another call of a function at the same place of the stack.
        let mut other = [0; 1];
        assert_eq!(j.arm(&mut other, 0, 0x900, 0x900, 5), 4);
        assert!(j.find(1).is_none() && j.find(3).is_none());
        // As a restart lists them.
        j.clear();
        j.push(3, 0x700, 0x700, 6);
        let mut next = [0; 1];
        assert_eq!(j.arm(&mut next, 0, 0x600, 0x600, 7), 5);
    }
}
