//! Joins a job of several processes.

use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU64};
use std::sync::{Arc, Mutex, OnceLock};

use pc3_os::signals::without_signals;
use pc3_runtime::{inherited, listening, settings};

use crate::arrivals::sink;
use crate::collectives::board::Board;
use crate::frame::Arrivals;
use crate::link::{Link, LINK};
use crate::messages::credit::Credits;
use crate::messages::traffic::Traffic;
use crate::pointers::Pointers;
use crate::post::{lock, Post};
use crate::processes::desk::Desk;
use crate::processes::heartbeat::Heartbeat;
use crate::processes::node::Node;
use crate::processes::total_order::TotalOrder;
use pc3_vmpi_sched::brief::Brief;

/// Joins the job of several processes that this one was started for, if it was.
pub fn join() -> Result<Option<Arc<Link>>, String> {
    let Some(carrier) = pc3_vmpi_transport::join()? else {
        return Ok(None);
    };
    let (index, count) = (carrier.index(), carrier.count());
    let silence = settings::silence(inherited::var).filter(|_| carrier.is_native());
    let post = Post {
        carrier,
        porter: OnceLock::new(),
        world: AtomicPtr::default(),
        handled: AtomicU64::new(0),
        heartbeat: Heartbeat::new(index, count, silence),
    };
    let link = Arc::new(Link {
        post,
        arrivals: Mutex::new(Arrivals {
            open: (0..count).map(|_| None).collect(),
            ..Arrivals::default()
        }),
        any: AtomicBool::new(false),
        hands: Brief::default(),
        looks: AtomicU64::new(0),
        rested: AtomicBool::new(false),
        traffic: Traffic::default(),
        credits: Credits::new(count),
        board: Board::new(count),
        pointers: Pointers::default(),
        total_order: TotalOrder::default(),
        desk: Desk::new(index, count),
        node: Node::new(index, count),
        begun: AtomicBool::new(false),
        over: AtomicBool::new(false),
        closing: AtomicBool::new(false),
        bereft: AtomicBool::new(false),
        byes: AtomicU64::new(0),
    });
    let sink = sink(&link);
    // SAFETY: `LINK` keeps it as long as the process lives.
    unsafe { link.carrier.attach(&sink) };
    *lock(&LINK) = Some(link.clone());
    if link.carrier.by_launcher {
        listening::note_the_end(|| {
            // In a signal handler: nothing but a write to a descriptor.
            if let Ok(Some(link)) = LINK.try_lock().as_deref() {
                link.carrier.wake();
            }
        });
    }
    let porter = link.clone();
    without_signals(|| {
        std::thread::Builder::new()
            .name("pc3-porter".into())
            .spawn(move || porter.work())
    })
    .map_err(|e| format!("no thread for messages of other processes: {e}"))?;
    Ok(Some(link))
}
