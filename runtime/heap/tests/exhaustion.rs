//! Out of memory. The limit holds for the whole process, so this test has one to itself.

#![cfg(any(target_arch = "x86", target_arch = "x86_64"))]

use pc3_heap::Arena;

#[test]
fn null_without_memory_and_on_it_goes() {
    let limit = libc::rlimit {
        rlim_cur: 200 << 20,
        rlim_max: 200 << 20,
    };
    // SAFETY: limits this test process only.
    assert_eq!(unsafe { libc::setrlimit(libc::RLIMIT_AS, &limit) }, 0);
    let mut a = Arena::new(0);
    for (size, ty) in [(40, 1), (5000, 2), (100_000, 3), (3 << 20, 4), (64, 5)] {
        let mut head: *mut *mut u8 = std::ptr::null_mut();
        let mut n = 0;
        loop {
            let p: *mut *mut u8 = a.alloc(size, ty).cast();
            if p.is_null() {
                break;
            }
            unsafe { *p = head.cast() };
            head = p;
            n += 1;
        }
        // What earlier rounds freed is there again, whatever its type was.
        assert!(n * size > 80 << 20, "{n} objects of {size}");
        assert!(a.alloc(size, ty).is_null());
        assert_eq!(
            a.realloc(head.cast(), 500 << 20, ty),
            Ok(std::ptr::null_mut())
        );
        assert_eq!(a.size_of(head.cast()), Some(size));
        while !head.is_null() {
            let next = unsafe { *head };
            assert_eq!(a.free(head.cast()), Ok(()));
            head = next.cast();
        }
        assert_eq!(a.blocks().count(), 0);
    }
}
