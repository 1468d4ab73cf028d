//! Runs a sequential program: one rank, on the thread that started it.

use std::sync::Arc;

use pc3_checkpoint::commit::After;
use pc3_checkpoint::take::checkpoint;
use pc3_state::engine::{Body, Engine};
use pc3_state::job::Job;
use pc3_state::rank::Rank;
use pc3_state::transfer::{LoadCtx, LoadError, SaveCtx};

pub(crate) struct Solo;

impl Engine for Solo {
    fn run(&self, _job: &Arc<Job>, ranks: Vec<Box<Rank>>, body: Body) -> i32 {
        let mut code = 0;
        // Ranks live as long as the process: exit handlers still use their heaps.
        for rank in ranks {
            let rank = Box::leak(rank);
            rank.make_current();
            code = body(rank);
        }
        code
    }

    fn due(&self, rank: &mut Rank) -> bool {
        rank.passages += 1;
        let due = rank.job().control.wanted(rank.passages) && !rank.in_critical();
        if due {
            rank.stands();
        }
        due
    }

    fn unwound(&self, rank: &mut Rank) {
        let job = rank.job().clone();
        let passage = rank.passages;
        if checkpoint(&job, &mut [rank], passage) == After::Stop {
            job.stop(None);
        }
    }

    fn exit(&self, _rank: &mut Rank, code: i32) -> ! {
        pc3_os::processes::end(code)
    }

    fn save(&self, _rank: &Rank, _ctx: &SaveCtx) -> Vec<u8> {
        Vec::new()
    }

    fn load(&self, _rank: &mut Rank, _bytes: &[u8], _ctx: &dyn LoadCtx) -> Result<(), LoadError> {
        Ok(())
    }
}
