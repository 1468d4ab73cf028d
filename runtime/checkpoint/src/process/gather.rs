//! State outside of the program's variables, gathered from all ranks of this process before a checkpoint is
//! written: open files, attributes of the process; or what stands in the way of saving it.

use std::collections::BTreeMap;
use std::ffi::c_void;

use crate::address_map::translate::Translator;
use crate::process::attributes;
use crate::process::signal_tables;
use pc3_format::library::{ExitMeta, ProcessMeta};
use pc3_process::children;
use pc3_process::files::baseline;
use pc3_process::files::scan::{scan, scan_one, OpenFile};
use pc3_process::limits;
use pc3_process::obstacles;
use pc3_process::variables;
use pc3_state::guest::Guest;
use pc3_state::rank::Rank;
use pc3_state::stack::exits::{AtExit, Plain, WithStatus};

/// Every rank is unwound or finished.
pub fn gather(ranks: &mut [&mut Rank]) -> Result<(), String> {
    if let Some(obstacle) = ranks.iter().find_map(|r| engines(r)) {
        return Err(obstacle);
    }
    if !baseline::is_known() {
        return Ok(());
    }
    if let Some(obstacle) = obstacles::any().or_else(limits::obstacle) {
        return Err(obstacle);
    }
    if let Some(obstacle) = ranks.iter().find_map(|r| r.files.obstacle()) {
        return Err(obstacle);
    }
    let guests = || ranks.iter().filter_map(|r| r.guest.as_deref());
    if let Some(obstacle) = guests().find_map(|g| g.obstacle()) {
        return Err(obstacle);
    }
    ranks.iter().for_each(|r| r.files.flush());
    guests().for_each(|g| g.flush());
    let several = ranks.first().is_some_and(|r| r.job().several());
    if let Some(shared) = variables::shared().filter(|_| several) {
        return Err(shared);
    }
    let alone = ranks.first().is_some_and(|r| !r.job().program.calls_mpi);
    if let Some(signal) = attributes::queued().filter(|_| alone) {
        return Err(format!(
            "signal {signal} is blocked and waits in a queue, with what it carries"
        ));
    }
    let found = scan(guests().next().is_some())?;
    if let Some(child) = children::obstacle() {
        return Err(child);
    }
    let mut open: BTreeMap<usize, Vec<OpenFile>> = BTreeMap::new();
    let first = ranks.first().map_or(0, |r| r.id());
    for (rank, file) in found.open {
        let here = ranks.iter().any(|r| r.id() == rank);
        let owner = if here { rank } else { first };
        open.entry(owner).or_default().push(file);
    }
    for (i, rank) in ranks.iter_mut().enumerate() {
        let closed = if i == 0 {
            found.closed.clone()
        } else {
            Vec::new()
        };
        rank.files
            .take(open.remove(&rank.id()).unwrap_or_default(), closed);
        let apart = rank.job().several();
        rank.process = (i == 0).then(|| {
            let program = &rank.job().program;
            let is_function = |a: u64| program.fnrefs.values().any(|f| *f as u64 == a);
            // Ranks of MPI programs run on threads that a restart makes anew.
            let masks = !program.calls_mpi;
            attributes::collect(&is_function, &|a| rank.owns(a), masks)
        });
        if apart {
            let mut process = rank.process.take().unwrap_or_default();
            rank.working_directory.describe(&mut process);
            rank.locale.describe(&mut process);
            signal_tables::describe(rank, &mut process);
            let told = i == 0 || process != ProcessMeta::default();
            rank.process = told.then_some(process);
        }
    }
    Ok(())
}

/// What the engine has of a rank that cannot be saved.
fn engines(rank: &Rank) -> Option<String> {
    rank.job().engine()?.obstacle(rank)
}

/// The same of one rank, while others run; `first`: it speaks for what is not any rank's own.  What belongs to all ranks
/// cannot be taken at one moment then.
pub(crate) fn gather_one(rank: &mut Rank, first: bool) -> Result<(), String> {
    if let Some(obstacle) = engines(rank) {
        return Err(obstacle);
    }
    if !baseline::is_known() {
        return Ok(());
    }
    let guest = rank.guest.as_deref();
    if let Some(obstacle) = obstacles::any()
        .or_else(|| rank.files.obstacle())
        .or_else(|| guest.and_then(Guest::obstacle))
    {
        return Err(obstacle);
    }
    rank.files.flush();
    if let Some(guest) = guest {
        guest.flush();
    }
    if let Some(shared) = variables::shared().filter(|_| rank.job().several()) {
        return Err(shared);
    }
    let found = scan_one(rank.id(), rank.guest.is_some())?;
    if let Some(child) = children::obstacle() {
        return Err(child);
    }
    let closed = if first { found.closed } else { Vec::new() };
    let open = found.open.into_iter().map(|(_, open)| open).collect();
    rank.files.take(open, closed);
    rank.files.note_all_written(rank.id());
    let mut process = ProcessMeta::default();
    if first {
        let program = &rank.job().program;
        let is_function = |a: u64| program.fnrefs.values().any(|f| *f as u64 == a);
        process = attributes::collect(&is_function, &|a| rank.owns(a), false);
    }
    if rank.job().several() {
        rank.working_directory.describe(&mut process);
        rank.locale.describe(&mut process);
        signal_tables::describe(rank, &mut process);
    }
    let told = first || process != ProcessMeta::default();
    rank.process = told.then_some(process);
    Ok(())
}

/// What a checkpoint's rank had registered for its end, with functions and arguments of this program.
pub fn exits(translator: &mut Translator, saved: &[ExitMeta]) -> Result<Vec<AtExit>, String> {
    let one = |x: &ExitMeta| {
        let function = translator
            .address(x.function)
            .ok_or("a function given to atexit is not a function of this program")?;
        // SAFETY: the function that was registered, by name.
        Ok(unsafe {
            if x.with_status {
                let argument = translator.any(x.argument) as *mut c_void;
                AtExit::WithStatus(std::mem::transmute::<usize, WithStatus>(function), argument)
            } else {
                AtExit::Plain(std::mem::transmute::<usize, Plain>(function))
            }
        })
    };
    saved.iter().map(one).collect()
}

/// The attributes of a checkpoint's process with addresses of this program; strings of its memory that are in
/// the environment.
pub(crate) fn process_here(
    translator: &mut Translator,
    saved: &ProcessMeta,
) -> Result<(ProcessMeta, Vec<usize>), String> {
    let mut process = saved.clone();
    for s in process.signals.iter_mut().filter(|s| s.handler > 1) {
        let here = translator.address(s.handler);
        let here = here.ok_or("a signal's handler is not a function of this program")?;
        s.handler = here as u64;
    }
    if let Some((at, _)) = &mut process.limits.stack {
        let here = translator.address(*at);
        *at = here.ok_or("the stack for signals is no memory of the program")? as u64;
    }
    let own = saved.environment.iter().filter(|v| v.own);
    let own = own.filter_map(|v| translator.address(v.addr)).collect();
    Ok((process, own))
}
