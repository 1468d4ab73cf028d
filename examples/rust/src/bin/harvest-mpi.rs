// pc3-test: mpi ranks=7
//! A master hands out plots, workers harvest them; the master takes whoever is ready first, and the result does not depend
//! on who that was.  Then those of odd and of even number share what they know, by messages that are under way while a
//! checkpoint is taken.  Arguments: how many plots there are, and how often is shared.

#![forbid(unsafe_code)]

use pc3::mpi::request::{ReceiveVecFuture, SendFuture};
use pc3::mpi::{self, traits::*, Equivalence, SimpleCommunicator, SystemOperation, UserOperation};
use pc3::prelude::*;

#[derive(Clone, Copy, PartialEq, Debug, Checkpointable, Equivalence)]
enum Crop {
    Barley,
    Oats,
    Rye,
}

/// What the master sends, and what comes back.
#[derive(Clone, Debug, Checkpointable, Equivalence)]
struct Plot {
    number: u32,
    crop: Crop,
    dry: bool,
    size: (u16, f64),
    mark: char,
}

#[derive(Clone, Default, Debug, Checkpointable, Equivalence)]
struct Sheaf {
    plot: u32,
    grains: u64,
    weights: [f64; 3],
}

const PLOT: i32 = 1;
const SHEAF: i32 = 2;
const STOP: i32 = 3;

fn plot(number: u32) -> Plot {
    Plot {
        number,
        crop: [Crop::Barley, Crop::Oats, Crop::Rye][number as usize % 3],
        dry: number % 4 == 1,
        size: (number as u16 * 3 + 1, 1.0 / f64::from(number + 1)),
        mark: char::from_u32('α' as u32 + number % 24).unwrap_or('?'),
    }
}

#[checkpointable]
fn harvest(plot: &Plot) -> Sheaf {
    let mut sheaf = Sheaf {
        plot: plot.number,
        ..Sheaf::default()
    };
    for pass in 0..u64::from(plot.size.0 % 3) + 2 {
        sheaf.grains = sheaf.grains * 31 + pass + u64::from(u32::from(plot.mark));
        sheaf.weights[plot.crop as usize] += plot.size.1 * (pass + 1) as f64;
        if plot.dry {
            sheaf.weights[2] *= 0.5;
        }
        checkpoint!();
    }
    sheaf
}

#[checkpointable]
fn master(world: &SimpleCommunicator, plots: u32) -> Vec<Sheaf> {
    let mut barn = vec![Sheaf::default(); plots as usize];
    let mut next = 0;
    let mut out = 0;
    for worker in 1..world.size() {
        if next < plots {
            world
                .process_at_rank(worker)
                .send_with_tag(&plot(next), PLOT);
            next += 1;
            out += 1;
        }
    }
    while out > 0 {
        // Whoever is ready is served, so that nobody waits while the master stands at a location.
        loop {
            let (sheaf, status) = world.any_process().receive_with_tag::<Sheaf>(SHEAF);
            out -= 1;
            if next < plots {
                let worker = world.process_at_rank(status.source_rank());
                worker.send_with_tag(&plot(next), PLOT);
                next += 1;
                out += 1;
            }
            let place = sheaf.plot as usize;
            barn[place] = sheaf;
            if world
                .any_process()
                .immediate_probe_with_tag(SHEAF)
                .is_none()
            {
                break;
            }
        }
        checkpoint!();
    }
    for worker in 1..world.size() {
        world
            .process_at_rank(worker)
            .send_with_tag(&[0_u8; 0], STOP);
    }
    barn
}

#[checkpointable]
fn worker(world: &SimpleCommunicator) -> u64 {
    let master = world.process_at_rank(0);
    let mut grains = 0_u64;
    loop {
        let status = master.probe();
        if status.tag() == STOP {
            master.receive_vec_with_tag::<u8>(STOP);
            break grains;
        }
        let (plot, _) = master.receive_with_tag::<Plot>(PLOT);
        let sheaf = ck!(harvest(&plot));
        grains = grains.wrapping_add(sheaf.grains);
        master.send_with_tag(&sheaf, SHEAF);
    }
}

/// Each sends to the next what it has and receives from the one before; what is under way then waits for several
/// locations.
#[checkpointable]
fn share(ring: &SimpleCommunicator, rounds: u64) -> f64 {
    let (me, n) = (ring.rank(), ring.size());
    let next = ring.process_at_rank((me + 1) % n);
    let before = ring.process_at_rank((me + n - 1) % n);
    let mut known = vec![f64::from(me) + 0.25];
    for round in 0..rounds {
        let arriving: ReceiveVecFuture<f64> = before.immediate_receive_vec(64);
        let extra = ring.any_process().immediate_receive_with_tag::<Sheaf>(7);
        checkpoint!();
        let leaving: SendFuture<f64> = if round % 2 == 0 {
            next.immediate_send_owned(known.clone())
        } else {
            next.immediate_synchronous_send_owned(known.clone())
        };
        let all = ring.immediate_barrier();
        checkpoint!();
        let sheaf = Sheaf {
            plot: round as u32,
            grains: u64::MAX - round,
            weights: [f64::from(me), 0.5, -1.0],
        };
        next.send_with_tag(&sheaf, 7);
        checkpoint!();
        let (mut values, _) = arriving.get();
        leaving.wait();
        checkpoint!();
        all.wait();
        let (sheaf, _) = extra.get();
        assert_eq!(sheaf.weights[0] as i32, before.rank());
        values.push(sheaf.weights[0] / (round + 1) as f64);
        values.rotate_left(1);
        values.truncate(40);
        known = values;
    }
    known.iter().sum()
}

#[pc3::main(mpi)]
fn main() {
    let universe = mpi::initialize().expect("MPI is initialized once");
    let world = universe.world();
    let first = world.rank() == 0;
    let parity = world.rank() as u32 % 2;
    let ring = world.split_by_color_with_key(Some(parity), -world.rank());
    let given = |n| std::env::args().nth(n)?.parse().ok();
    let (plots, rounds) = (given(1).unwrap_or(40), given(2).unwrap_or(8));
    if first {
        let barn = ck!(master(&world, plots));
        let grains = barn.iter().fold(0_u64, |all, s| all.wrapping_add(s.grains));
        println!("{} sheaves, {grains} grains", barn.len());
        for s in barn.iter().step_by(7) {
            println!("{s:?}");
        }
    } else {
        ck!(worker(&world));
    }
    let mut known = 0.0;
    if let Some(ring) = &ring {
        known = ck!(share(ring, u64::from(rounds)));
    }
    // The largest, and whose it is.
    let largest = UserOperation::commutative(|a: &(f64, i32), b: &(f64, i32)| {
        if a.0 > b.0 || (a.0 == b.0 && a.1 < b.1) {
            *a
        } else {
            *b
        }
    });
    let mut best = (0.0, 0);
    world.all_reduce_into(&(known, world.rank()), &mut best, largest);
    let mut all = 0.0;
    world.all_reduce_into(&known, &mut all, SystemOperation::sum());
    if first {
        println!(
            "the most is {:.12}, at rank {}; all have {all:.12}",
            best.0, best.1
        );
    }
}
