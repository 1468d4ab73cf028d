//! Work on many things at once, in as many threads as there are processors.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Mutex;
use std::thread;

/// `f` of each item, in the items' order.
pub fn map<T: Sync, R: Send>(items: &[T], f: impl Fn(usize, &T) -> R + Sync) -> Vec<R> {
    let threads = thread::available_parallelism().map_or(1, |n| n.get());
    let next = AtomicUsize::new(0);
    let done = Mutex::new(Vec::with_capacity(items.len()));
    let work = || loop {
        let i = next.fetch_add(1, Ordering::Relaxed);
        let Some(item) = items.get(i) else { return };
        let r = f(i, item);
        done.lock().unwrap_or_else(|e| e.into_inner()).push((i, r));
    };
    if items.len() > 1 {
        thread::scope(|s| (0..threads.min(items.len())).for_each(|_| drop(s.spawn(work))));
    } else {
        work();
    }
    let mut done = done.into_inner().unwrap_or_else(|e| e.into_inner());
    done.sort_unstable_by_key(|(i, _)| *i);
    done.into_iter().map(|(_, r)| r).collect()
}

/// Two pieces of work at once.
pub fn both<A, B: Send>(a: impl FnOnce() -> A, b: impl FnOnce() -> B + Send) -> (A, B) {
    thread::scope(|s| {
        let other = s.spawn(b);
        let a = a();
        match other.join() {
            Ok(b) => (a, b),
            Err(panic) => std::panic::resume_unwind(panic),
        }
    })
}

#[cfg(test)]
mod tests {
    #[test]
    fn two_at_once() {
        let (mut n, text) = (0, String::from("text"));
        let (a, b) = super::both(|| n += 1, || text.len());
        assert_eq!((a, b, n), ((), 4, 1));
    }

    #[test]
    fn results_keep_their_order() {
        let items: Vec<usize> = (0..100).collect();
        assert_eq!(
            super::map(&items, |i, x| i + x),
            (0..200).step_by(2).collect::<Vec<_>>()
        );
        assert!(super::map(&[] as &[u8], |_, x| *x).is_empty());
    }
}
