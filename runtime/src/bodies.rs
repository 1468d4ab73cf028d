//! What the ranks' stacks execute: the program's `main`, or a guest's, and going on from frames.

use std::ffi::{c_char, c_int, CStr, CString};

use pc3_os::errors;

use pc3_abi::frames::{descent, exits, footing};
use pc3_abi::memory::heap::arguments as put_arguments;
use pc3_control::report::{die, EXIT_FATAL, EXIT_REFUSED};
use pc3_process::arguments;
use pc3_state::floats;
use pc3_state::guest::{Guest, Outcome};
use pc3_state::program::registry::Main;
use pc3_state::rank::{Rank, Status};
use pc3_state::stack::tls;

/// What the stack of a guest's rank executes.
pub(crate) fn guest_body(rank: &mut Rank) -> i32 {
    if let Status::Finished(code) = rank.status {
        return code;
    }
    // User code below reaches the rank through the thread's own pointer: no reference may be held across it.
    let rank: *mut Rank = rank;
    loop {
        // SAFETY: the rank outlives its body and runs on this stack only; a guest is never replaced.
        unsafe {
            let guest = (*rank).guest.as_deref().map(|g| g as *const dyn Guest);
            let Some(guest) = guest else {
                die(EXIT_FATAL, "internal error: no guest")
            };
            (*rank).status = Status::Running;
            match (*guest).run() {
                Outcome::Ended(code) => return code,
                Outcome::Unwound => {
                    (*rank).status = Status::Unwound;
                    let job = (*rank).job().clone();
                    match job.engine() {
                        Some(engine) => engine.unwound(&mut *rank),
                        None => die(EXIT_FATAL, "internal error: no engine"),
                    }
                    reload(&*rank).unwrap_or_else(|why| die(EXIT_REFUSED, &why));
                }
            }
        }
    }
}

/// What a rank's stack executes.
pub(crate) fn body(rank: &mut Rank) -> i32 {
    if let Status::Finished(code) = rank.status {
        return code;
    }
    footing::note();
    // User code below reaches the rank through `pc3_me`: no reference may be held across it.
    let rank: *mut Rank = rank;
    // SAFETY: the rank outlives its body and runs on this stack only.
    unsafe {
        (*rank).abi.stack = (&raw const rank) as usize;
        let mut code = if (*rank).status == Status::Unwound {
            resume(rank)
        } else {
            call_main(rank)
        };
        while tls::unwinding() {
            tls::set_unwinding(false);
            (*rank).errno = errors::last();
            (*rank).floats = floats::set_aside();
            (*rank).status = Status::Unwound;
            let job = (*rank).job().clone();
            match job.engine() {
                Some(engine) => engine.unwound(&mut *rank),
                None => die(EXIT_FATAL, "internal error: no engine"),
            }
            code = resume(rank);
        }
        if (*rank).job().program.calls_mpi {
            exits::run(rank, code);
        }
        code
    }
}

unsafe fn call_main(rank: *mut Rank) -> i32 {
    let Some(args) = arguments::get() else {
        return 0;
    };
    // SAFETY: by the caller.
    unsafe {
        let own = (*rank).arguments.take();
        let own = own
            .as_deref()
            .map(|list| list.iter().map(CString::as_c_str).collect());
        let list: Vec<&CStr> = own.unwrap_or_else(|| args.list.clone());
        let argv = put_arguments(&mut *rank, &list);
        if argv.is_null() {
            die(EXIT_FATAL, "no memory for the arguments");
        }
        let argc = c_int::try_from(list.len()).unwrap_or(c_int::MAX);
        let job = (*rank).job().clone();
        let hooks = job.program.hooks.iter();
        for function in hooks
            .filter(|h| h.destructor == 0)
            .filter_map(|h| h.function)
        {
            // The C library gives them main's arguments.
            let function: Main = std::mem::transmute(function);
            function(argc, argv, args.env);
        }
        let main = job.program.main;
        drop(job);
        main(argc, argv, args.env)
    }
}

unsafe fn resume(rank: *mut Rank) -> i32 {
    // SAFETY: by the caller.
    unsafe {
        (*rank).status = Status::Running;
        (*rank).frames.begin_resume();
        (*rank).jumps.clear();
        (*rank).abi.sp = (*rank).shadow.top as *mut c_char;
        if (*rank).restarted && !(*rank).job().program.calls_mpi {
            descent::watch();
        }
        floats::put_back((*rank).floats);
        match (*rank).job().program.main_resume {
            Some(entry) => {
                let entry: unsafe extern "C" fn() -> c_int = std::mem::transmute(entry);
                entry()
            }
            None => die(EXIT_FATAL, "internal error: main has no resume entry"),
        }
    }
}

#[cfg(not(feature = "failpoints"))]
#[inline]
fn reload(_rank: &Rank) -> Result<(), String> {
    Ok(())
}

/// The rank's guest is given the newest checkpoint instead of what it holds itself, as it would be in another process
/// (`PC3_FAIL=reload`).
#[cfg(feature = "failpoints")]
fn reload(rank: &Rank) -> Result<(), String> {
    use pc3_format::read::Checkpoint;
    use pc3_state::guest::Source;
    use std::sync::Once;
    static FIRST: Once = Once::new();
    if pc3_control::inherited::var_os("PC3_FAIL").is_none_or(|v| v != "reload") {
        return Ok(());
    }
    rank.job().behind.settle();
    let all = pc3_control::store::list(rank.job().dir()).map_err(|e| e.to_string())?;
    let (id, path) = all.last().ok_or("no checkpoint has been written")?;
    FIRST.call_once(|| {
        pc3_control::report::say(&format!("going on from checkpoint {id} in this process"))
    });
    let checkpoint = Checkpoint::open(path).map_err(|e| e.to_string())?;
    checkpoint.verify().map_err(|e| e.to_string())?;
    let image = checkpoint.rank(rank.id() as u64);
    let source = Source::new(&checkpoint, image.map_err(|e| e.to_string())?);
    match rank.guest.as_deref() {
        Some(guest) => guest.load(source),
        None => Ok(()),
    }
}
