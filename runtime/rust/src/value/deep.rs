//! Room for values behind many pointers in a row: making them again goes as deep as they do, and the thread's stack need
//! not.  Where that is used up, further ones are made on stacks of their own.

use std::cell::{Cell, RefCell};
use std::hint::black_box;
use std::panic::{catch_unwind, resume_unwind, AssertUnwindSafe};

use pc3_os::memory::{self, Backing};
use pc3_runtime::report::{die, EXIT_FATAL};

/// What is used of the stack that the program runs on.
const FIRST: usize = 256 << 10;
/// What making one value may take between two looks, besides the value itself.
const MARGIN: usize = 128 << 10;
/// How many times a value may lie on the stack while it is made.
const COPIES: usize = 16;
/// A stack takes memory as it is used.
const STACK: usize = (if cfg!(target_pointer_width = "64") {
    64
} else {
    8
}) << 20;
/// No value takes more, or it could not be on any stack.
const MOST: usize = 8 * STACK;
/// No system has larger pages.
const GUARD: usize = 64 << 10;
/// Stays zero at the top: there whoever goes over the frames finds their end.
const END: usize = 512;

#[derive(Default)]
pub(crate) struct Stacks {
    /// How far down the stack in use goes; 0: nothing is being made.
    low: Cell<usize>,
    spare: RefCell<Vec<Stack>>,
}

impl Stacks {
    /// Makes a value of `size` bytes.
    pub fn run<T>(&self, size: usize, make: impl FnOnce() -> T) -> T {
        let (here, low) = (here(), self.low.get());
        let need = size.saturating_mul(COPIES).min(MOST) + MARGIN;
        if low == 0 {
            let _before = self.down_to(here.saturating_sub(FIRST).max(1));
            return here_made(make);
        }
        if !SWITCHES || here.saturating_sub(low) >= need {
            return here_made(make);
        }
        let spare = self.spare.borrow_mut().pop();
        let stack = spare
            .filter(|s| s.bytes >= need + GUARD)
            .unwrap_or_else(|| Stack::new(STACK.max(2 * need)));
        let value = {
            let _before = self.down_to(stack.low as usize + GUARD);
            stack.run(make)
        };
        self.spare.borrow_mut().push(stack);
        value
    }

    fn down_to(&self, low: usize) -> Before<'_> {
        Before(&self.low, self.low.replace(low))
    }
}

/// What holds again when it ends.
struct Before<'a>(&'a Cell<usize>, usize);

impl Drop for Before<'_> {
    fn drop(&mut self) {
        self.0.set(self.1);
    }
}

#[inline(never)]
fn here() -> usize {
    let local = 0u8;
    black_box(&raw const local) as usize
}

/// What it needs is not part of its caller's frame, of which there is one in front of each stack.
#[inline(never)]
fn here_made<T>(make: impl FnOnce() -> T) -> T {
    make()
}

struct Stack {
    low: *mut u8,
    bytes: usize,
}

impl Stack {
    fn new(size: usize) -> Stack {
        let bytes = size.next_multiple_of(GUARD) + GUARD;
        let failed = |e: std::io::Error| -> ! {
            let text = format!("no address space for {bytes} bytes to make values in that are behind many pointers: {e}");
            die(EXIT_FATAL, &text)
        };
        let low = memory::map(bytes, Backing::AsTouched).unwrap_or_else(|e| failed(e));
        // SAFETY: the lowest part of a new mapping.
        if !unsafe { memory::forbid(low, GUARD) } {
            failed(std::io::Error::last_os_error());
        }
        Stack { low, bytes }
    }

    fn run<T>(&self, make: impl FnOnce() -> T) -> T {
        let mut call = Call {
            make: Some(make),
            made: None,
        };
        let top = self.low.wrapping_add(self.bytes - END);
        let data = (&raw mut call).cast::<u8>();
        // SAFETY: nothing runs on that stack, `enter` is told its own data, and it does not unwind.
        unsafe { switched(top, entry(&call), data) };
        match call.made {
            Some(Ok(value)) => value,
            Some(Err(panic)) => resume_unwind(panic),
            None => unreachable!("the call has returned"),
        }
    }
}

impl Drop for Stack {
    fn drop(&mut self) {
        // SAFETY: the mapping is its own, and nothing runs on it.
        unsafe { memory::unmap(self.low, self.bytes) };
    }
}

struct Call<F, T> {
    make: Option<F>,
    made: Option<std::thread::Result<T>>,
}

type Entry = unsafe extern "C" fn(*mut u8);

fn entry<F: FnOnce() -> T, T>(_: &Call<F, T>) -> Entry {
    enter::<F, T>
}

/// # Safety
/// `data` is a `Call` of these types that nobody else uses.
unsafe extern "C" fn enter<F: FnOnce() -> T, T>(data: *mut u8) {
    // SAFETY: the caller says so.
    let call = unsafe { &mut *data.cast::<Call<F, T>>() };
    if let Some(make) = call.make.take() {
        call.made = Some(catch_unwind(AssertUnwindSafe(make)));
    }
}

/// Other machines make everything on the program's stack.
const SWITCHES: bool = cfg!(any(
    target_arch = "x86_64",
    target_arch = "x86",
    target_arch = "aarch64",
    target_arch = "s390x",
    target_arch = "riscv64",
    target_arch = "arm"
));

/// Calls `entry` on the stack below `top`.
///
/// # Safety
/// That stack is not in use and its top is aligned to 16 bytes; `entry` may be called with `data` and does not unwind.
#[inline(never)]
unsafe fn switched(top: *mut u8, entry: Entry, data: *mut u8) {
    // SAFETY: the stack pointer is kept in a register that calls keep, and set back; the rest is the caller's to say.
    unsafe {
        #[cfg(target_arch = "x86_64")]
        std::arch::asm!(
            "mov r12, rsp",
            "mov rsp, {top}",
            "call {entry}",
            "mov rsp, r12",
            top = in(reg) top,
            entry = in(reg) entry,
            in("rdi") data,
            out("r12") _,
            clobber_abi("C"),
        );
        #[cfg(target_arch = "x86")]
        std::arch::asm!(
            "mov edi, esp",
            "lea esp, [{top} - 12]",
            "push {data}",
            "call {entry}",
            "mov esp, edi",
            top = in(reg) top,
            entry = in(reg) entry,
            data = in(reg) data,
            out("edi") _,
            clobber_abi("C"),
        );
        #[cfg(target_arch = "aarch64")]
        std::arch::asm!(
            "mov x20, sp",
            "mov sp, {top}",
            "blr {entry}",
            "mov sp, x20",
            top = in(reg) top,
            entry = in(reg) entry,
            in("x0") data,
            out("x20") _,
            clobber_abi("C"),
        );
        #[cfg(target_arch = "s390x")]
        std::arch::asm!(
            "lgr %r8, %r15",
            "lay %r15, -160({top})",
            "basr %r14, {entry}",
            "lgr %r15, %r8",
            top = in(reg_addr) top,
            entry = in(reg_addr) entry,
            in("r2") data,
            out("r8") _,
            clobber_abi("C"),
        );
        #[cfg(target_arch = "riscv64")]
        std::arch::asm!(
            "mv s2, sp",
            "mv sp, {top}",
            "jalr {entry}",
            "mv sp, s2",
            top = in(reg) top,
            entry = in(reg) entry,
            in("a0") data,
            out("s2") _,
            clobber_abi("C"),
        );
        #[cfg(target_arch = "arm")]
        std::arch::asm!(
            "mov r5, sp",
            "mov sp, {top}",
            "blx {entry}",
            "mov sp, r5",
            top = in(reg) top,
            entry = in(reg) entry,
            in("r0") data,
            out("r5") _,
            clobber_abi("C"),
        );
        #[cfg(not(any(
            target_arch = "x86_64",
            target_arch = "x86",
            target_arch = "aarch64",
            target_arch = "s390x",
            target_arch = "riscv64",
            target_arch = "arm"
        )))]
        {
            let _ = top;
            entry(data);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Stacks;

    fn depth(stacks: &Stacks, n: usize) -> usize {
        let held = std::hint::black_box([n; 64]);
        match n {
            0 => 0,
            _ => stacks.run(8, || depth(stacks, n - 1)) + held[63] - n + 1,
        }
    }

    #[test]
    fn deeper_than_the_stack() {
        let stacks = Stacks::default();
        assert_eq!(depth(&stacks, 300_000), 300_000);
        assert_eq!(stacks.low.get(), 0);
    }

    #[test]
    fn large_values() {
        let stacks = Stacks::default();
        let made = stacks.run(8, || {
            stacks.run(1 << 22, || Box::new(std::hint::black_box([7u8; 1 << 22])))
        });
        assert_eq!(made[1 << 21], 7);
    }

    #[test]
    fn panics_pass() {
        let stacks = Stacks::default();
        let panics = std::panic::AssertUnwindSafe(|| {
            stacks.run(8, || stacks.run(1 << 20, || panic!("as planned")))
        });
        assert!(std::panic::catch_unwind(panics).is_err());
        assert_eq!(stacks.low.get(), 0);
    }
}
