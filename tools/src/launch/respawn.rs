//! A job that has lost a process or a machine goes on from its newest checkpoint by itself, on the machines that are left.

use std::ffi::OsString;
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use pc3_runtime::report::EXIT_LOST;

use super::native::reaching;
use super::options::{going_on, Hosts, Run};
use super::signals;
use crate::process::descendants;

/// To be called before the job starts: what it leaves behind is this process's then.
pub(super) fn prepare(run: &Run) {
    if is_watched(run) {
        // SAFETY: no memory is passed.
        unsafe { libc::prctl(libc::PR_SET_CHILD_SUBREAPER, 1) };
    }
}

/// Programs that run alone may leave others behind on purpose.
fn is_watched(run: &Run) -> bool {
    run.processes > 1 || run.respawn > 0
}

/// Returns if the job, which has ended with this status, does not go on. If it does, this process executes `pc3run` anew: who waits
/// for it waits on. `args`: what it was called with.
pub(super) fn go_on(run: &Run, status: u8, args: Vec<OsString>) {
    if !is_watched(run) || !is_loss(status) || signals::to_end().is_some() {
        return;
    }
    clear_away();
    if run.respawn == 0 {
        return;
    }
    let left = run.respawn - 1;
    let args = match places(run) {
        Ok(None) => {
            eprintln!("pc3run: the job goes on by itself; {left} more times if need be");
            going_on(args, left, None)
        }
        Ok(Some((hosts, processes))) => {
            eprintln!(
                "pc3run: the job goes on by itself in {processes} processes on {hosts}; {left} more times if need be"
            );
            going_on(args, left, Some((hosts, processes)))
        }
        Err(why) => {
            eprintln!("pc3run: {why}: the job does not go on by itself");
            return;
        }
    };
    let Some((name, args)) = args.split_first() else {
        return;
    };
    let error = Command::new("/proc/self/exe").arg0(name).args(args).exec();
    eprintln!("pc3run: cannot be executed anew: {error}");
}

/// Has a process or a machine been lost? A signal that nobody has sent here has ended a process, or others say that one is gone.
fn is_loss(status: u8) -> bool {
    i32::from(status) == EXIT_LOST || (129..=192).contains(&status)
}

/// Launchers and remote shells may stay behind, and hold what the job needs.
fn clear_away() {
    // SAFETY: no preconditions.
    let me = unsafe { libc::getpid() };
    for (signal, patience) in [(libc::SIGTERM, 2), (libc::SIGKILL, 10)] {
        let since = Instant::now();
        while since.elapsed() < Duration::from_secs(patience) {
            let left = descendants(me);
            if left.is_empty() {
                return;
            }
            for pid in left {
                // SAFETY: a signal to what this process has started; its end is taken note of below.
                unsafe { libc::kill(pid, signal) };
            }
            std::thread::sleep(Duration::from_millis(50));
            // SAFETY: nobody else waits for what is left.
            while unsafe { libc::waitpid(-1, std::ptr::null_mut(), libc::WNOHANG) } > 0 {}
        }
    }
}

/// The machines that are left of those that the job was given, and how many processes they get; None if all are, or none was given.
fn places(run: &Run) -> Result<Option<(String, usize)>, &'static str> {
    let Some(Hosts::List(list)) = &run.hosts else {
        return Ok(None);
    };
    let all: Vec<&str> = list.split(',').collect();
    let answers = std::thread::scope(|scope| {
        let asked: Vec<_> = all
            .iter()
            .map(|host| scope.spawn(|| answers(run, host)))
            .collect();
        asked
            .into_iter()
            .map(|a| a.join().unwrap_or(false))
            .collect::<Vec<bool>>()
    });
    let left: Vec<&str> = all
        .iter()
        .zip(answers)
        .filter_map(|(host, answers)| answers.then_some(*host))
        .collect();
    match left.len() {
        0 => Err("none of the machines can be reached"),
        n if n == all.len() => Ok(None),
        // One process alone would not run there, but here.
        n => Ok(Some((
            left.join(","),
            (run.processes * n / all.len()).max(2),
        ))),
    }
}

/// Does the launcher reach the machine, of which the list says `host` or `host:SLOTS`?
fn answers(run: &Run, host: &str) -> bool {
    const PATIENCE: Duration = Duration::from_secs(20);
    let name = host.split(':').next().unwrap_or(host);
    let Some(mut command) = reaching(&run.mpi, name) else {
        return false;
    };
    command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    // A group of its own, which ends with it.
    let Ok(mut child) = command.process_group(0).spawn() else {
        return false;
    };
    let since = Instant::now();
    while since.elapsed() < PATIENCE {
        if let Ok(Some(status)) = child.try_wait() {
            return status.success();
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    // SAFETY: a signal to the group that was made above.
    unsafe { libc::kill(-(child.id() as i32), libc::SIGKILL) };
    let _ = child.wait();
    false
}
