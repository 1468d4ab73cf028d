//! On which processors workers begin: each on one of its own, where the job has as many. The system puts new threads
//! wherever it likes, two on one processor too, and takes its time to part them. Workers are only put there: they may
//! run on all that the process may, so that those of two jobs do not stay in each other's way, and threads that the
//! program makes may, too.

use pc3_os::threads;

/// Those of its machine that a process may count on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Processors {
    /// It has so many to itself; 0: less than one.
    pub own: u32,
    /// So many has each process of the job.
    pub least: u32,
    /// So many processes of the job that may run on the very same ones come before it; none: it is alone.
    pub before: Option<u32>,
}

impl Processors {
    /// Of a process that is alone.
    pub fn all() -> Processors {
        let own = std::thread::available_parallelism().map_or(1, |n| n.get() as u32);
        Processors {
            own,
            least: own,
            before: None,
        }
    }
}

/// One processor for each worker; none: wherever the system has put them.
#[cfg_attr(
    not(pc3_coroutines),
    allow(
        dead_code,
        reason = "ranks that are threads are wherever the system puts them"
    )
)]
pub(crate) struct Binding {
    all: Vec<u64>,
    of: Box<[usize]>,
}

fn bits(mask: &[u64]) -> Vec<usize> {
    let is_set = |i: &usize| mask[i / 64] >> (i % 64) & 1 == 1;
    (0..64 * mask.len()).filter(is_set).collect()
}

/// For so many workers behind those of `first` processes that may run on the same processors.
fn choose(processors: &[usize], workers: u32, first: usize) -> Box<[usize]> {
    let workers = workers as usize;
    let turn = processors.iter().cycle().skip(first);
    turn.take(workers.min(processors.len())).copied().collect()
}

impl Binding {
    /// Behind the workers, as many each, of the processes before this one; the first of one that is alone stays
    /// where it is.
    pub(crate) fn new(workers: u32, before: Option<u32>) -> Binding {
        let all = match workers {
            0 => Vec::new(),
            _ => threads::processors(),
        };
        let processors = bits(&all);
        let here = || {
            let now = threads::processor()?;
            processors.iter().position(|p| *p == now)
        };
        let first = match before {
            Some(n) => n as usize * workers as usize,
            None => here().unwrap_or(0),
        };
        Binding {
            of: choose(&processors, workers, first),
            all,
        }
    }

    /// This thread is that worker's.
    #[cfg_attr(
        not(pc3_coroutines),
        allow(dead_code, reason = "workers then have no threads of their own")
    )]
    pub(crate) fn bind(&self, worker: usize) {
        let Some(processor) = self.of.get(worker) else {
            return;
        };
        let mut one = vec![0; self.all.len()];
        one[processor / 64] = 1 << (processor % 64);
        if threads::stay_on(&one) {
            threads::stay_on(&self.all);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn workers_of_processes_side_by_side_have_processors_of_their_own() {
        let processors = bits(&[0b1111_0110, 1]);
        assert_eq!(processors, [1, 2, 4, 5, 6, 7, 64]);
        assert_eq!(*choose(&processors, 2, 0), [1, 2]);
        assert_eq!(*choose(&processors, 2, 2), [4, 5]);
        assert_eq!(*choose(&processors, 3, 6), [64, 1, 2]);
        assert_eq!(*choose(&processors, 0, 0), []);
    }

    #[test]
    fn a_bound_worker_may_leave_its_processor() {
        std::thread::spawn(|| {
            let before = threads::processors();
            for worker in 0..2 {
                Binding::new(2, Some(0)).bind(worker);
                assert_eq!(threads::processors(), before);
            }
        })
        .join()
        .unwrap();
    }
}
