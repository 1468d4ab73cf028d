//! Mappings that stay where they are: growing and shrinking copies. It holds for the whole process, so this test has
//! one to itself.

use pc3_heap::Arena;

#[test]
fn what_grows_is_copied() {
    pc3_heap::keep_mappings_still();
    let mut a = Arena::new(0);
    let mut p = a.alloc(16, 3);
    let mut old = 0;
    for size in [1 << 10, 1 << 20, 5 << 20, 40 << 20, 7 << 20, 100] {
        assert!(a.size_of(p).is_some());
        p = a.realloc(p, size, 3).unwrap_or(std::ptr::null_mut());
        // SAFETY: an object of this size.
        let bytes = unsafe { std::slice::from_raw_parts_mut(p, size) };
        assert_eq!(a.size_of(p), Some(size));
        let kept = size.min(old);
        assert!(bytes[..kept].iter().enumerate().all(|(i, b)| *b == i as u8));
        bytes.iter_mut().enumerate().for_each(|(i, b)| *b = i as u8);
        old = size;
    }
    assert_eq!(a.free(p), Ok(()));
}
