//! Where ranks run: which process, and which of its workers.

use std::path::PathBuf;

use crate::partition::{self, Traffic};

/// `PC3_MAP`.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum Map {
    /// Consecutive ranks together.
    #[default]
    Block,
    /// Ranks dealt to the processes in turn, and within each to its workers.
    Cyclic,
    /// For each rank its worker, counted through all processes.
    List(Vec<u32>),
    /// A file with such a list.
    File(PathBuf),
    /// By what ranks sent each other in an observed run.
    Auto,
}

impl Map {
    pub fn parse(text: &str) -> Result<Map, String> {
        match text {
            "block" => Ok(Map::Block),
            "cyclic" => Ok(Map::Cyclic),
            "auto" => Ok(Map::Auto),
            _ if text.contains('/') => Ok(Map::File(text.into())),
            _ => list(text).map(Map::List).map_err(|_| {
                "expected block, cyclic, auto, a worker for each rank such as 0,0,1,1, or a file of such numbers, \
                 with a / in its name"
                    .to_owned()
            }),
        }
    }
}

fn list(text: &str) -> Result<Vec<u32>, String> {
    text.split(|c: char| c == ',' || c.is_whitespace())
        .filter(|w| !w.is_empty())
        .map(|w| w.parse().map_err(|_| format!("{w} is not a number")))
        .collect()
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Placement {
    ranks: u32,
    processes: u32,
    workers: u32,
    /// Worker of each rank, counted through all processes; none: in blocks.
    seats: Option<Box<[u32]>>,
}

impl Placement {
    /// Blocks of consecutive ranks: neighbours mostly talk to neighbours.
    pub fn blocks(ranks: usize, processes: usize, workers: usize) -> Placement {
        Placement {
            ranks: ranks as u32,
            processes: processes.max(1) as u32,
            workers: workers.max(1) as u32,
            seats: None,
        }
    }

    /// `traffic`: of an observed run, where `map` asks for it.
    pub fn of(
        map: &Map,
        ranks: usize,
        processes: usize,
        workers: usize,
        traffic: impl FnOnce() -> Result<Traffic, String>,
    ) -> Result<Placement, String> {
        let blocks = Placement::blocks(ranks, processes, workers);
        let seats: Vec<u32> = match map {
            Map::Block => return Ok(blocks),
            Map::Cyclic => {
                let (p, w) = (blocks.processes, blocks.workers);
                (0..ranks as u32).map(|r| r % p * w + r / p % w).collect()
            }
            Map::List(list) => list.clone(),
            Map::File(path) => {
                let text = std::fs::read_to_string(path)
                    .map_err(|e| format!("{}: {e}", path.display()))?;
                list(&text).map_err(|e| format!("{}: {e}", path.display()))?
            }
            Map::Auto => partition::improve(&blocks, &traffic()?).unwrap_or(blocks.seats()),
        };
        blocks.seated(seats)
    }

    /// Likewise, but with these workers of the ranks.
    pub fn seated(&self, seats: Vec<u32>) -> Result<Placement, String> {
        if seats.len() != self.ranks as usize {
            let n = seats.len();
            return Err(format!("it places {n} ranks, the job has {}", self.ranks));
        }
        let all = self.processes * self.workers;
        if let Some(r) = seats.iter().position(|s| *s >= all) {
            let worker = seats[r];
            return Err(format!(
                "rank {r} is to run on worker {worker}, and there are {all}, counted from 0"
            ));
        }
        let count = |p| seats.iter().filter(|s| **s / self.workers == p).count();
        if let Some(p) = (0..self.processes).find(|p| count(*p) == 0) {
            return Err(format!("process {p} has no rank"));
        }
        // The first process speaks for all, and rank 0 for a program.
        if seats.first().is_some_and(|s| *s >= self.workers) {
            return Err("rank 0 has to be in the first process".to_owned());
        }
        Ok(Placement {
            seats: Some(seats.into()),
            ..*self
        })
    }

    pub fn ranks(&self) -> u32 {
        self.ranks
    }

    pub fn processes(&self) -> u32 {
        self.processes
    }

    /// Of each process.
    pub fn workers(&self) -> u32 {
        self.workers
    }

    fn start(&self, process: u32) -> u32 {
        (u64::from(self.ranks) * u64::from(process) / u64::from(self.processes)) as u32
    }

    /// Of a rank that it does not know: none that there is.
    pub fn process_of(&self, rank: u32) -> u32 {
        match &self.seats {
            Some(seats) => {
                let seat = seats.get(rank as usize);
                seat.map_or(self.processes, |s| s / self.workers)
            }
            // The inverse of `start`.
            None => {
                let n = u64::from(self.processes);
                ((u64::from(rank) * n + n - 1) / u64::from(self.ranks.max(1))) as u32
            }
        }
    }

    /// Within its process.
    pub fn worker_of(&self, rank: u32) -> u32 {
        if let Some(seats) = &self.seats {
            return seats.get(rank as usize).map_or(0, |s| s % self.workers);
        }
        let process = self.process_of(rank);
        let (first, end) = (self.start(process), self.start(process + 1));
        let workers = self.workers.min(end - first).max(1);
        (u64::from(rank - first) * u64::from(workers) / u64::from((end - first).max(1))) as u32
    }

    /// The ranks of a process, ascending.
    pub fn here(&self, process: u32) -> Vec<u32> {
        match &self.seats {
            Some(_) => (0..self.ranks)
                .filter(|r| self.process_of(*r) == process)
                .collect(),
            None => (self.start(process)..self.start(process + 1)).collect(),
        }
    }

    /// The worker of each rank, counted through all processes.
    pub fn seats(&self) -> Vec<u32> {
        (0..self.ranks)
            .map(|r| self.process_of(r) * self.workers + self.worker_of(r))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(map: &str, ranks: usize, processes: usize, workers: usize) -> Result<Vec<u32>, String> {
        let none = || Err("no traffic".to_owned());
        Ok(Placement::of(&Map::parse(map)?, ranks, processes, workers, none)?.seats())
    }

    #[test]
    fn every_map_places_every_rank() {
        assert_eq!(of("block", 6, 1, 2).unwrap(), [0, 0, 0, 1, 1, 1]);
        assert_eq!(of("block", 5, 2, 2).unwrap(), [0, 1, 2, 2, 3]);
        assert_eq!(of("cyclic", 6, 1, 2).unwrap(), [0, 1, 0, 1, 0, 1]);
        assert_eq!(of("cyclic", 8, 2, 2).unwrap(), [0, 2, 1, 3, 0, 2, 1, 3]);
        assert_eq!(of("0,1,1,0", 4, 1, 2).unwrap(), [0, 1, 1, 0]);
        for ranks in 1..40 {
            for processes in 1..ranks.min(5) {
                let p = Placement::blocks(ranks, processes, 3);
                for process in 0..processes as u32 {
                    assert!(p.here(process).iter().all(|r| p.process_of(*r) == process));
                }
                assert!((0..99).all(|more| p.process_of(ranks as u32 + more) >= p.processes()));
            }
        }
    }

    #[test]
    fn what_places_nothing_is_refused() {
        for (map, why) in [
            ("0,1", "places 2 ranks"),
            ("0,1,2,0", "worker 2"),
            ("1,1,0,0", "rank 0 has to be"),
            ("0,0,0,0", "process 1 has no rank"),
            ("auto", "no traffic"),
            ("round", "expected block"),
            ("./no-such-file", "no-such-file"),
        ] {
            let said = of(map, 4, 2, 1).unwrap_err();
            assert!(said.contains(why), "{map}: {said}");
        }
    }
}
