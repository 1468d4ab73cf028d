// pc3-test: mpi ranks=12
//! Heat in a plate that is cut into more blocks than there are threads: `pc3run -n 12 -w 2 heat-mpi`.

#![forbid(unsafe_code)]

use pc3::mpi::buffer::ViewMut;
use pc3::mpi::point_to_point::send_receive_into;
use pc3::mpi::topology::{dims_create, CartesianCommunicator};
use pc3::mpi::{self, traits::*, Process, SystemOperation};
use pc3::prelude::*;

/// A block of the plate with a rim of its neighbours' values, by rows.
#[derive(Checkpointable)]
struct Block {
    rows: usize,
    columns: usize,
    cells: Vec<f64>,
    /// Above, below, left, right.
    neighbours: [Process; 4],
}

impl Block {
    fn new(grid: &CartesianCommunicator, rows: usize, columns: usize) -> Block {
        let [(above, below), (left, right)] = [grid.shift(0, 1), grid.shift(1, 1)];
        let mut block = Block {
            rows,
            columns,
            cells: vec![0.0; (rows + 2) * (columns + 2)],
            neighbours: [above, below, left, right].map(|r| grid.process_or_null(r)),
        };
        // The edges of the plate keep their heat.
        let width = columns + 2;
        if above.is_none() {
            block.cells[..width].fill(100.0);
        }
        if left.is_none() {
            (0..rows + 2).for_each(|r| block.cells[r * width] = 50.0);
        }
        block
    }

    /// Fills the rim with the neighbours' values.
    fn exchange(&mut self) {
        let (rows, columns, width) = (self.rows, self.columns, self.columns + 2);
        let [above, below, left, right] = self.neighbours;
        let row = |r: usize| r * width..(r + 1) * width;
        let first = self.cells[row(1)].to_vec();
        send_receive_into(&first, &above, &mut self.cells[row(rows + 1)], &below);
        let last = self.cells[row(rows)].to_vec();
        send_receive_into(&last, &below, &mut self.cells[row(0)], &above);
        let mut column = vec![0.0; rows];
        for (from, to, own, rim) in [(right, left, 1, columns + 1), (left, right, columns, 0)] {
            let inside = &mut self.cells[width..];
            for (r, value) in column.iter_mut().enumerate() {
                *value = inside[r * width + own];
            }
            let mut rim = ViewMut::new(&mut inside[rim..], rows, 1, width);
            send_receive_into(&column, &to, &mut rim, &from);
        }
    }

    /// A step; the largest change.
    fn relax(&mut self) -> f64 {
        let width = self.columns + 2;
        let old = self.cells.clone();
        let mut change = 0.0_f64;
        for r in 1..=self.rows {
            for i in r * width + 1..=r * width + self.columns {
                let new = 0.25 * (old[i - width] + old[i + width] + old[i - 1] + old[i + 1]);
                change = change.max((new - old[i]).abs());
                self.cells[i] = new;
            }
        }
        change
    }

    fn heat(&self) -> f64 {
        let width = self.columns + 2;
        let rows = self.cells.chunks(width).skip(1).take(self.rows);
        rows.flat_map(|r| &r[1..=self.columns]).sum()
    }
}

#[checkpointable]
fn settle(grid: &CartesianCommunicator, block: &mut Block, limit: f64) -> (u32, f64) {
    let mut steps = 0;
    loop {
        block.exchange();
        let mine = block.relax();
        let mut change = 0.0;
        grid.all_reduce_into(&mine, &mut change, SystemOperation::max());
        steps += 1;
        checkpoint!();
        if steps % 20 == 0 {
            let root = grid.process_at_rank(0);
            if root.is_self() {
                let mut heat = 0.0;
                root.reduce_into_root(&block.heat(), &mut heat, SystemOperation::sum());
                println!("step {steps:3}  change {change:.9}  heat {heat:.9}");
            } else {
                root.reduce_into(&block.heat(), SystemOperation::sum());
            }
        }
        if change < limit {
            break (steps, change);
        }
    }
}

#[pc3::main(mpi)]
fn main() {
    let universe = mpi::initialize().expect("MPI is initialized once");
    let world = universe.world();
    let mut dims = [0, 0];
    dims_create(world.size(), &mut dims);
    let grid = world.create_cartesian_communicator(&dims, &[false; 2], false);
    let grid = grid.expect("the grid has a place for every rank");
    let mut block = Block::new(&grid, 12, 10);
    let (steps, change) = ck!(settle(&grid, &mut block, 0.05));
    let root = grid.process_at_rank(0);
    if root.is_self() {
        let mut centres = vec![0.0; grid.size() as usize];
        root.gather_into_root(&block.cells[6 * 12 + 5], &mut centres);
        println!("after {steps} steps the last change is {change:.3e}");
        for (rank, centre) in centres.iter().enumerate() {
            println!(
                "block {:?}: {centre:.9}",
                grid.rank_to_coordinates(rank as i32)
            );
        }
    } else {
        root.gather_into(&block.cells[6 * 12 + 5]);
    }
    drop(universe);
}
