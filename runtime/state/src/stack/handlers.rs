//! What runs below a signal handler.
//!
//! The frame that a signal interrupts hands nothing over, so no checkpoint is taken at a location that a handler comes to: the
//! next one outside of it takes it.  The handler's own frames lie well above the interrupted ones' on the shadow stack: a
//! compiler may have moved the store of their top behind other work.

use pc3_os::signals;
use pc3_typemetric::codes;

use pc3_control::report::{say, warning};

/// A handler that runs.
#[derive(Clone, Copy, Debug)]
struct Activation {
    /// The stack where it began.
    base: usize,
    /// The shadow stack's top in what it interrupted.
    sp: usize,
}

const DEEP: usize = 16;

/// A rank's, outermost first.  A signal handler may not allocate; below the deepest that are told apart all count as that one.
#[derive(Debug)]
pub struct Handlers {
    running: [Activation; DEEP],
    depth: usize,
    /// The program has jumped, perhaps out of one, to where the runtime does not know.
    jumped: bool,
}

impl Default for Handlers {
    fn default() -> Handlers {
        Handlers {
            running: [Activation { base: 0, sp: 0 }; DEEP],
            depth: 0,
            jumped: false,
        }
    }
}

/// Addresses of the stack that the program has for signals.
fn alternate() -> std::ops::Range<usize> {
    let stack = signals::Stack::now().place();
    stack.map_or(0..0, |(base, bytes)| base as usize..base as usize + bytes)
}

impl Handlers {
    /// Does one run that was not left by a jump?  `here`: an address of the frame that asks, or is jumped to.
    fn any(&mut self, here: usize, alternate: &std::ops::Range<usize>) -> bool {
        while self.depth > 0 {
            let base = self.running[self.depth.min(DEEP) - 1].base;
            let runs = match (alternate.contains(&base), alternate.contains(&here)) {
                (true, false) => false,
                (false, true) => true,
                _ => here < base,
            };
            if runs {
                return true;
            }
            self.depth -= 1;
        }
        self.jumped = false;
        false
    }

    /// One begins on a stack whose end is there, and the shadow stack's top; returns how many ran before.
    #[inline]
    pub fn begin(&mut self, base: usize, sp: usize) -> usize {
        let depth = self.depth;
        if depth < DEEP {
            self.running[depth] = Activation { base, sp };
        }
        self.depth = depth + 1;
        depth
    }

    /// It has returned, and so many run.
    #[inline]
    pub fn end(&mut self, depth: usize) {
        self.depth = depth;
        if depth == 0 {
            self.jumped = false;
        }
    }

    /// The program jumps to a frame with this address.
    #[inline]
    pub fn jump_to(&mut self, frame: usize) {
        if self.depth > 0 {
            self.any(frame, &alternate());
        }
    }

    /// It jumps to where a function that reaches no location has called setjmp; returns the shadow stack's top to go on with.
    #[inline]
    pub fn jump_somewhere(&mut self) -> Option<usize> {
        if self.depth == 0 {
            return None;
        }
        self.jumped = true;
        Some(self.running[0].sp)
    }

    /// Does what asks run below a handler?
    #[inline]
    pub fn is_below(&mut self) -> bool {
        let here = &raw const self as usize;
        self.depth > 0 && self.any(here, &alternate())
    }

    /// May no checkpoint be taken here, below a handler?
    #[inline]
    pub fn postpone(&mut self) -> bool {
        let runs = self.is_below();
        if runs && std::mem::take(&mut self.jumped) {
            say(&warning(codes::NOT_TAKEN, "no checkpoint here: a signal handler may still run (it was left, if it was, by a jump to a function that reaches no location)"));
        }
        runs
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn running(bases: &[usize]) -> Handlers {
        let mut handlers = Handlers::default();
        for (i, base) in bases.iter().enumerate() {
            handlers.running[i] = Activation { base: *base, sp: i };
        }
        handlers.depth = bases.len();
        handlers
    }

    #[test]
    fn jumps_leave_handlers() {
        let none = 0..0;
        let mut two = running(&[900, 700]);
        assert!(two.any(600, &none));
        assert_eq!(two.depth, 2);
        assert!(two.any(800, &none));
        assert_eq!(two.depth, 1);
        assert!(!two.any(1000, &none));
        assert_eq!(two.jump_somewhere(), None);
    }

    #[test]
    fn a_stack_of_their_own() {
        let other = 100..200;
        // A handler there, interrupted by one that has no choice but to run there, too.
        assert!(running(&[190, 150]).any(120, &other));
        // Left by a jump to the program's stack.
        assert!(!running(&[190, 150]).any(800, &other));
        // One on the program's stack, and code on the other above it.
        assert!(running(&[700]).any(120, &other));
        // Left within the other stack.
        let mut two = running(&[190, 150]);
        assert!(two.any(160, &other));
        assert_eq!(two.depth, 1);
    }

    #[test]
    fn jumps_to_unknown_places_go_on_with_what_was_interrupted() {
        let mut two = running(&[900, 700]);
        assert_eq!(two.jump_somewhere(), Some(0));
        assert!(two.jumped);
        assert!(!two.any(1000, &(0..0)));
        assert!(!two.jumped);
    }
}
