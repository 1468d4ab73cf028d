//! How many processors each process of a job has to itself, by what all say of themselves: those of its machine
//! that it may run on, shared with the processes that may, too.

use std::collections::BTreeMap;

use pc3_os::{processes, threads};
use pc3_vmpi_sched::Processors;

/// A process's machine, as it sees it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Machine {
    /// Known by this to all processes on it.
    name: String,
    /// What the process may run on, a bit for each processor.
    mask: Vec<u64>,
    /// Processors' worth of time that all of its group may take.
    quota: u32,
}

/// What all processes of a machine say.
#[derive(Default)]
struct Crowd {
    /// How many may run on each processor.
    users: Vec<u32>,
    processes: u32,
}

fn bits(mask: &[u64]) -> impl Iterator<Item = usize> + '_ {
    let is_set = |i: &usize| mask[i / 64] >> (i % 64) & 1 == 1;
    (0..64 * mask.len()).filter(is_set)
}

impl Machine {
    pub(crate) fn here() -> Machine {
        Machine {
            // Alone as far as anybody knows.
            name: processes::boot().unwrap_or_default(),
            mask: threads::processors(),
            quota: std::thread::available_parallelism().map_or(1, |n| n.get() as u32),
        }
    }

    pub(crate) fn to_text(&self) -> String {
        let mask = self.mask.iter().rev().map(|w| format!("{w:016x}"));
        format!("{} {} {}", self.name, mask.collect::<String>(), self.quota)
    }

    pub(crate) fn from_text(text: &str) -> Option<Machine> {
        let mut words = text.split(' ');
        let (name, mask, quota) = (words.next()?, words.next()?, words.next()?);
        let word = |bytes: &[u8]| u64::from_str_radix(std::str::from_utf8(bytes).ok()?, 16).ok();
        let mask: Option<Vec<u64>> = mask.as_bytes().rchunks(16).map(word).collect();
        Some(Machine {
            name: name.to_owned(),
            mask: mask?,
            quota: quota.parse().ok()?,
        })
    }

    /// Whole processors that it has among these.
    fn share(&self, crowd: &Crowd) -> u32 {
        // Not in floating point: its flags would be those with which ranks begin.
        const WHOLE: u64 = 1 << 32;
        let all = bits(&self.mask).count() as u32;
        let mine = bits(&self.mask).map(|i| WHOLE / u64::from(crowd.users[i].max(1)));
        // Each third and the like lacks less than one of a whole.
        let mine = ((mine.sum::<u64>() + u64::from(all)) / WHOLE) as u32;
        match self.quota < all {
            true => mine.min(self.quota / crowd.processes.max(1)),
            false => mine,
        }
    }
}

/// Those of the process at `me`.
pub(crate) fn shares(all: &BTreeMap<u32, Machine>, me: u32) -> Processors {
    let mut crowds: BTreeMap<&str, Crowd> = BTreeMap::new();
    for m in all.values() {
        let crowd = crowds.entry(&m.name).or_default();
        crowd.processes += 1;
        let longest = crowd.users.len().max(64 * m.mask.len());
        crowd.users.resize(longest, 0);
        bits(&m.mask).for_each(|i| crowd.users[i] += 1);
    }
    let share = |m: &Machine| m.share(&crowds[m.name.as_str()]);
    let least = all.values().map(share).min();
    let mine = all.get(&me);
    let like = |m: &Machine| mine.is_some_and(|own| own.name == m.name && own.mask == m.mask);
    Processors {
        own: mine.map_or(0, share),
        least: least.unwrap_or(0),
        before: Some(all.range(..me).filter(|(_, m)| like(m)).count() as u32),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn job(machines: &[(&str, u64, u32)]) -> BTreeMap<u32, Machine> {
        let machine = |&(name, mask, quota): &(&str, u64, u32)| Machine {
            name: name.to_owned(),
            mask: vec![mask],
            quota,
        };
        (0..).zip(machines.iter().map(machine)).collect()
    }

    /// Own, least and before of the process at `me`.
    fn of(machines: &[(&str, u64, u32)], me: u32) -> (u32, u32, u32) {
        let p = shares(&job(machines), me);
        (p.own, p.least, p.before.unwrap())
    }

    #[test]
    fn processes_of_a_machine_share_it_and_others_do_not_count() {
        let four = [
            ("a", 0xff, 8),
            ("a", 0xff, 8),
            ("b", 0xff, 8),
            ("b", 0xff, 8),
        ];
        assert_eq!(of(&four, 2), (4, 4, 0));
        assert_eq!(of(&four, 3), (4, 4, 1));
        let uneven = [("a", 0xff, 8), ("b", 0xf, 4), ("b", 0xf, 4), ("b", 0xf, 4)];
        assert_eq!(of(&uneven, 0), (8, 1, 0));
        assert_eq!(of(&uneven, 3), (1, 1, 2));
    }

    #[test]
    fn who_is_bound_has_what_it_is_bound_to() {
        let bound = [("a", 0b0011, 2), ("a", 0b1100, 2)];
        assert_eq!(of(&bound, 1), (2, 2, 0));
        let together = [("a", 0b0001, 1), ("a", 0b0001, 1), ("a", 0b1110, 3)];
        assert_eq!(of(&together, 1), (0, 0, 1));
        assert_eq!(of(&together, 2), (3, 0, 0));
        let thirds = [("a", 0b111, 3), ("a", 0b111, 3), ("a", 0b111, 3)];
        assert_eq!(of(&thirds, 0), (1, 1, 0));
    }

    #[test]
    fn a_quota_is_that_of_all() {
        let limited = [("a", 0xff, 4), ("a", 0xff, 4)];
        assert_eq!(of(&limited, 0), (2, 2, 0));
    }

    #[test]
    fn what_is_said_is_understood() {
        let m = Machine {
            name: "9c3f-boot".to_owned(),
            mask: vec![0xffff_0000_0000_0001, 0x3],
            quota: 12,
        };
        assert_eq!(Machine::from_text(&m.to_text()), Some(m));
        let here = Machine::here();
        assert_eq!(Machine::from_text(&here.to_text()), Some(here.clone()));
        assert!(bits(&here.mask).count() >= here.quota as usize);
    }
}
