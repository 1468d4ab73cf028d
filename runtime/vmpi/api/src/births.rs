//! Ranks that the program spawns: the root of the call makes them, and they begin before it returns.

use pc3_vmpi_coll::common::common;
use pc3_vmpi_coll::handles::HasObjects;
use pc3_vmpi_link::remote;
use std::ffi::CString;

use pc3_runtime::checkpoint::{self, Birth};

use pc3_vmpi_coll::comm::create::NewComm;
use pc3_vmpi_coll::comm::inter::LedGroup;
use pc3_vmpi_coll::comm::{Remote, FIRST_ID};
use pc3_vmpi_coll::meeting::Registry;
use pc3_vmpi_core::rank::RankState;
use pc3_vmpi_link::processes::total_order::News;
use pc3_vmpi_nonblocking::above::unsupported;
use pc3_vmpi_nonblocking::machines::machines;
use pc3_vmpi_objects::error::{fail, Class, MpiError, Result};
use pc3_vmpi_objects::group::Group;
use pc3_vmpi_objects::handle::abi;

/// Ranks of one command.
pub struct Command {
    /// Of `main`, the program's name first.
    pub arguments: Box<[CString]>,
    pub ranks: usize,
}

fn refuse<T>(why: impl AsRef<str>) -> Result<T> {
    fail(
        Class::ERR_SPAWN,
        format!("no ranks were spawned: {}", why.as_ref()),
    )
}

/// Is it this program that is to run?  Others would have to be built into this process.
pub fn check(me: &RankState, command: &[u8]) -> Result<()> {
    let job = me.world().job.get();
    if job.is_some_and(|j| j.is_started_by(command)) {
        return Ok(());
    }
    let name = job.map_or("", |j| &j.name);
    let command = String::from_utf8_lossy(command);
    refuse(format!(
        "'{command}' is not this program ({name}), and only ranks of this one can be"
    ))
}

/// Brings ranks into being for the members of `parents`; what these have to know of them.
pub(crate) fn bear(me: &RankState, parents: &LedGroup, commands: Vec<Command>) -> Result<LedGroup> {
    let world = me.world();
    let (Some(job), Some(by)) = (world.job.get(), me.exec()) else {
        return refuse("there is no program");
    };
    if let Some(why) = job.refuses_ranks() {
        return refuse(why);
    }
    // Parents and children know it; nobody who is in both groups knows the next one, which is the children's own.
    let id = parents.next_id.max(FIRST_ID);
    let count = commands.iter().map(|c| c.ranks).sum();
    if let Some(again) = machines(world).bear_again(me, count) {
        let group = Group::new(again);
        return Ok(LedGroup { next_id: id, group });
    }
    let passages = by.count_passages();
    // Nobody else has ranks more until these are there.
    let turn = remote(world).map(|link| link.total_order.take(me, link));
    let growing = turn.is_none().then(|| world.growing());
    let first = world.known();
    let mut births = Vec::new();
    let mut numbers = Vec::new();
    for (command, number) in commands.into_iter().zip(0..) {
        for _ in 0..command.ranks {
            births.push(Birth {
                id: first + births.len(),
                arguments: command.arguments.clone(),
                passages,
            });
            numbers.push(number);
        }
    }
    let left = world.left();
    let failing = || unsupported(me, "MPI_Comm_spawn, which failed,");
    if births.len() > left {
        failing();
        let n = births.len();
        return refuse(format!("{n} are asked for, and {left} more are possible"));
    }
    let made = checkpoint::bear(job, by, births);
    let made = made.inspect_err(|_| failing()).or_else(refuse)?;
    if let Some(turn) = &turn {
        turn.tell(&News::Ranks(made.len() as u32));
    }
    let growing = growing.unwrap_or_else(|| world.growing());
    let group = Group::new((first..first + made.len()).map(|r| r as u32).collect());
    let remote = Remote::new(&group, parents.group.clone());
    let universe = me.objects().attr_values.universe_size;
    let mut born = Vec::new();
    for (exec, number) in made.into_iter().zip(numbers) {
        // Ranks live as long as the process.
        let Some(child) = world.add(&growing, Box::into_raw(exec)) else {
            return Err(MpiError::new(Class::ERR_INTERN, "a rank without a place"));
        };
        let o = child.objects();
        o.set_world(id + 1, group.clone(), child.rank);
        o.next_id = id + 2;
        o.attr_values.universe_size = universe;
        o.attr_values.appnum = Some(number);
        let parent = NewComm {
            id,
            group: group.clone(),
            rank: o.world.rank,
            meeting: common(world)
                .meetings()
                .find(id, Registry::WHOLE, &remote.all),
            remote: Some(remote.clone()),
        };
        let mut parent = parent.into_comm(abi::ERRORS_ARE_FATAL, None);
        parent.name = Some("MPI_COMM_PARENT".into());
        o.parent = o.comms.insert(parent);
        born.push(child.slot);
    }
    machines(world).adopt(me, group.ranks(), turn.as_ref());
    drop(growing);
    drop(turn);
    born.into_iter()
        .for_each(|slot| world.sched().wake(Some(me.worker()), slot));
    Ok(LedGroup { next_id: id, group })
}
