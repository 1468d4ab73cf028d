//! The runtime's engine for MPI programs: ranks on workers, checkpoints by barrier coordination.

use std::sync::atomic::Ordering::*;
use std::sync::{Arc, OnceLock};

use pc3_runtime::control::{clear_flag, set_flag, FLAG_ENGINE};
use pc3_runtime::engine::{provide_mpi, Body, Engine};
use pc3_runtime::job::{After, Job};
use pc3_runtime::rank::{Rank, Status};
use pc3_runtime::transfer::{LoadCtx, LoadError, SaveCtx};

use crate::coord::{barrier::Answer, barrier::Place, passages};
use crate::sched::Backend;
use crate::state::{self, Phase, RankState, World};

/// Announces this engine to the runtime; to be called before the runtime starts.
pub fn register() {
    provide_mpi(|job| Box::new(MpiEngine::new(job.ranks, job.workers, Backend::from_env())));
}

pub struct MpiEngine {
    world: Arc<World>,
    body: OnceLock<Body>,
}

impl MpiEngine {
    pub fn new(ranks: usize, workers: usize, backend: Backend) -> MpiEngine {
        let stack = stack_size(ranks);
        MpiEngine {
            world: World::new(ranks as u32, workers as u32, backend, stack),
            body: OnceLock::new(),
        }
    }

    pub fn world(&self) -> &Arc<World> {
        &self.world
    }
}

impl Engine for MpiEngine {
    fn run(&self, job: &Arc<Job>, mut ranks: Vec<Box<Rank>>, body: Body) -> i32 {
        let _ = self.world.job.set(Arc::clone(job));
        let _ = self.body.set(body);
        for (state, rank) in self.world.ranks().iter().zip(&mut ranks) {
            state.exec.set(&raw mut **rank);
            // A restart's rank that had ended before the checkpoint.
            if matches!(rank.status(), Status::Finished(_)) {
                self.world.coord.lock().finished(rank.id());
            }
        }
        self.world.run(Box::new(move |me| {
            let Some(rank) = me.exec() else { return };
            if matches!(rank.status(), Status::Finished(_)) {
                return;
            }
            let code = body(rank);
            end(me, code);
        }));
        for state in self.world.ranks() {
            state.exec.set(std::ptr::null_mut());
        }
        let code = |r: &Box<Rank>| if let Status::Finished(code) = r.status() { code } else { 0 };
        ranks.iter().map(code).find(|c| *c != 0).unwrap_or(0)
    }

    fn due(&self, rank: &mut Rank) -> bool {
        if rank.in_critical() {
            return false;
        }
        let world = &*self.world;
        let (id, passed) = (rank.id(), u64::from(rank.abi.passages));
        let me = world.rank(id as u32);
        me.polls.store(0, Relaxed);
        let mut b = world.coord.lock();
        if b.is_idle() && b.decider() == Some(id) && rank.job().control.wanted(passed) {
            let running = (0..world.size as usize).filter(|r| b.is_running(*r));
            b.plan(running.map(|r| passages(world, r)).max().unwrap_or(0).max(passed));
            set_flag(FLAG_ENGINE);
        }
        let mut answer = b.at_location(id, passed);
        loop {
            match answer {
                Answer::Go => return false,
                Answer::Unwind => {
                    drop(b);
                    wake_all(world, Some(me));
                    return true;
                }
                Answer::Wait => {
                    drop(b);
                    me.block();
                    b = world.coord.lock();
                    answer = b.answer(id);
                }
            }
        }
    }

    fn unwound(&self, rank: &mut Rank) {
        let world = &*self.world;
        let id = rank.id();
        let me = world.rank(id as u32);
        if world.coord.lock().unwound(id) {
            // Everyone else is suspended in this function, or has ended.
            // SAFETY: so nobody uses the other references, and ours is not used meanwhile.
            let mut all: Vec<&mut Rank> = world.ranks().iter().filter_map(|r| unsafe { r.exec.get().as_mut() }).collect();
            let job = Arc::clone(all[id].job());
            let decider = world.coord.lock().decider().unwrap_or(0);
            let passage = passages(world, decider);
            let after = job.checkpoint(&mut all, passage);
            drop(all);
            if after == After::Stop {
                job.stop();
            }
            clear_flag(FLAG_ENGINE);
            world.coord.lock().resume();
            wake_all(world, Some(me));
            return;
        }
        while world.coord.lock().place(id) == Place::Unwound {
            me.block();
        }
    }

    fn exit(&self, rank: &mut Rank, code: i32) -> ! {
        let me = self.world.rank(rank.id() as u32);
        end(me, code);
        self.world.sched().abandon(&*self.world, me.rank)
    }

    fn save(&self, rank: &Rank, ctx: &SaveCtx) -> Vec<u8> {
        state::save::save(self.world.rank(rank.id() as u32), ctx)
    }

    fn load(&self, rank: &mut Rank, bytes: &[u8], ctx: &dyn LoadCtx) -> Result<(), LoadError> {
        state::load::load(self.world.rank(rank.id() as u32), bytes, ctx)
    }
}

/// `main` has returned or `exit` was called.
fn end(me: &RankState, code: i32) {
    let world = me.world();
    if code != 0 && me.phase.get() == Phase::Initialized {
        // As under any mpirun: the others would wait for this rank for ever.
        eprintln!("pc3: rank {} exited with status {code} before MPI_Finalize: the job ends", me.rank);
        std::process::exit(code);
    }
    if let Some(r) = me.exec() {
        r.finish(code);
    }
    if world.coord.lock().finished(me.rank as usize) {
        wake_all(world, Some(me));
    }
}

fn wake_all(world: &World, me: Option<&RankState>) {
    for r in world.ranks().iter().filter(|r| me.is_none_or(|m| m.rank != r.rank)) {
        world.sched().wake(me.map(RankState::worker), r.rank);
    }
}

/// `PC3_STACK` (bytes, or with K, M, G), else what a C program is used to where addresses are
/// plentiful: stacks take memory only as they are used.
fn stack_size(ranks: usize) -> usize {
    if let Some(text) = std::env::var_os("PC3_STACK") {
        match text.to_str().and_then(parse_size) {
            Some(n) => return n,
            None => {
                eprintln!("pc3: PC3_STACK={}: not a size (e.g. 512K, 64M)", text.to_string_lossy());
                std::process::exit(2);
            }
        }
    }
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: fills the struct.
    let known = unsafe { libc::getrlimit(libc::RLIMIT_STACK, &raw mut limit) } == 0;
    // No limit is no size.
    let usual = usize::try_from(limit.rlim_cur).ok().filter(|n| known && *n <= 1 << 30).unwrap_or(8 << 20);
    let share: u64 = if cfg!(target_pointer_width = "64") { 1 << 42 } else { 512 << 20 };
    usual.max(8 << 20).min((share / ranks.max(1) as u64) as usize).max(128 << 10)
}

fn parse_size(text: &str) -> Option<usize> {
    let (digits, shift) = match text.trim().to_ascii_uppercase() {
        t if t.ends_with('K') => (t[..t.len() - 1].to_string(), 10),
        t if t.ends_with('M') => (t[..t.len() - 1].to_string(), 20),
        t if t.ends_with('G') => (t[..t.len() - 1].to_string(), 30),
        t => (t, 0),
    };
    let n: u64 = digits.trim().parse().ok()?;
    usize::try_from(n.checked_mul(1 << shift)?).ok().filter(|n| *n >= 16 << 10 && *n <= isize::MAX as usize / 4)
}

#[cfg(test)]
mod tests {
    use super::parse_size;

    #[test]
    fn sizes() {
        for (text, want) in [
            ("65536", Some(65536)),
            ("64k", Some(64 << 10)),
            ("8 M", Some(8 << 20)),
            ("", None),
            ("12", None),
            ("M", None),
            ("-1M", None),
            ("99999999999999999999G", None),
        ] {
            assert_eq!(parse_size(text), want, "{text}");
        }
    }
}
